"""The environment of child processes: no secrets, nothing that makes a harmless program run another one.

A child gets the parent's variables without keys and tokens, without the variables by which shells, loaders
and readers load code, with PATH as it was at start, and with git and pagers set so that they start nothing
of their own.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

# Names that hold a secret: whole words between underscores, so that TOKENIZERS_PARALLELISM stays.
_SECRET_NAME = re.compile(
    r"""(?: ^|_ ) (?: KEYS? | TOKENS? | PASS | PWD | PAT | JWT | AUTH | COOKIES? | BEARER | CREDS? | DSN | SALT | PIN
          | OTP | CONN(?: ECTION )?_?STR(?: ING )? )
        (?: _|$ )
      | SECRET | PASSW(?:OR)?D | PASSPHRASE | PASSCODE | CREDENTIAL | WEBHOOK | API_?KEY | PRIVATE_?KEY | ACCESS_?KEY
      | CONNECTION_?STRING | SERVICE_?ROLE
      | (?: TOKEN | PASS ) $""",
    re.VERBOSE | re.IGNORECASE,
)
# A session opens a vault or an account (OP_SESSION_my), but for those of the desktop and of terminals.
_SESSION = re.compile(r"(?:^|_)SESSION(?:_|$)", re.IGNORECASE)
_DESKTOP = re.compile(
    r"(?:XDG|DESKTOP|GNOME|KDE|GDM|DBUS|TERM|ITERM|WT|ZELLIJ|TMUX|BYOBU|SSH)_\w+|SESSION_MANAGER", re.IGNORECASE
)
# Values that are a secret whatever their name and wherever they stand in it: the shapes that issuers give their keys.
_SECRET_VALUE = re.compile(
    r"(?<![\w-])(?:sk-[\w-]{16}|[spr]k_(?:live|test|prod)_\w{6}|whsec_\w{6}|gh[oprsu]_\w{16}|github_pat_|gl(?:pat|dt|ptt|rt)-"
    r"|xox[abeprs]-|xapp-\d|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30}|ya29\.|hf_\w{20}|npm_\w{30}|pypi-\w{16}|lin_(?:api|oauth)_"
    r"|eyJ[\w-]{6,}\.[\w-]+(?:\.|$)|dop_v1_|dp\.(?:pt|st|ct)\.|SG\.[\w-]{16}|key-[0-9a-f]{32}|sq0\w{3}-|shp(?:at|ca|pa|ss)_"
    r"|figd_|ntn_\w{10}|secret_\w{20}|rnd_\w{16}|vercel_\w{10}|sntrys_|sbp_\w{10}|sb_secret_|pscale_(?:tkn|pw)_|r8_\w{20}"
    r"|gsk_\w{20}|xai-\w{20}|tvly-|fly?o1_|FlyV1 |dckr_pat_|ATATT3|AGE-SECRET-KEY-|hvs\.|glsa_|pat-\w{2}\d-|nfp_\w{10})"
    r"|(?<![\w:.-])\d{6,10}:[A-Za-z][\w-]{9,}|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|(?:AccountKey|SharedAccessKey|SharedAccessSignature|Password|Pwd|SharedSecret)\s*=\s*[^;\s]"
    r"|hooks\.slack\.com/services/|discord(?:app)?\.com/api/webhooks/"
    r'|"(?:auths|private_key|client_secret|refresh_token|access_token|password)"\s*:',
    re.IGNORECASE,
)
_URL_LOGIN = re.compile(r"(?<=://)[^\s/?#@]*:[^\s/?#@]*@|(?<=http://)[^\s/?#@]+@|(?<=https://)[^\s/?#@]+@")

_DROPPED_PREFIXES = ("XUN_", "AWS_", "GIT_", "LESS", "BASH_FUNC_", "PYTEST_", "DYLD_")
_DROPPED_NAMES = """
    BASH_ENV ENV SHELLOPTS BASHOPTS PROMPT_COMMAND PS4 CDPATH GLOBIGNORE IFS EXECIGNORE BASH_XTRACEFD
    BASH_LOADABLES_PATH POSIXLY_CORRECT
    LD_PRELOAD LD_AUDIT LD_DEBUG LD_PROFILE GCONV_PATH GETCONF_DIR
    GREP_OPTIONS GREP_COLOR GREP_COLORS RIPGREP_CONFIG_PATH ACK_OPTIONS LS_OPTIONS TREE_COLORS FIND_OPTIONS
    PERL5OPT PERL5DB RUBYOPT PYTHONSTARTUP PYTHONINSPECT PYTHONBREAKPOINT
    EDITOR VISUAL FCEDIT BROWSER SSH_ASKPASS SUDO_ASKPASS MANOPT
    SYSTEMD_LESS SYSTEMD_EDITOR SYSTEMD_PAGERSECURE
    FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM TERM_PROGRAM TERM_PROGRAM_VERSION TERMCAP COLUMNS LINES
    PWD OLDPWD SHLVL _
"""
# Exceptions to the rules above: no secrets, and builds or commits miss them.
_KEPT_NAMES = """
    SSH_AUTH_SOCK AWS_CA_BUNDLE AWS_REGION AWS_DEFAULT_REGION
    GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
    GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_CEILING_DIRECTORIES
    GIT_SSL_CAINFO GIT_SSL_CAPATH
"""
_DROPPED = frozenset(_DROPPED_NAMES.split())
_KEPT = frozenset(_KEPT_NAMES.split())
# `diff.external` cannot be switched off here: an empty one breaks every `git diff`. The gate looks for it.
_GIT_CONFIG = {
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "log.follow": "false",  # what a path was copied from would be shown too
    "log.showSignature": "false",
    "safe.bareRepository": "explicit",
}
_HARDENED = {
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",  # an editor would wait for a person who cannot see it
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "LESSSECURE": "1",
    "LESSOPEN": "",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "GIT_CONFIG_COUNT": str(len(_GIT_CONFIG)),
}
for _number, (_key, _value) in enumerate(_GIT_CONFIG.items()):
    _HARDENED[f"GIT_CONFIG_KEY_{_number}"] = _key
    _HARDENED[f"GIT_CONFIG_VALUE_{_number}"] = _value

_SYSTEM_FOLDERS = ("/bin", "/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin")
_FALLBACK_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
_frozen_path: Mapping[str, Path] | None = None
# Folders that commands can write in: no program of xun's own comes from there.
_writable: set[Path] = {Path("/tmp"), Path("/var/tmp"), Path("/dev/shm")}  # noqa: S108


def freeze() -> None:
    """Take PATH as it is now for every later child. Without this call the first use takes it."""
    global _frozen_path  # noqa: PLW0603 - one PATH a process, as the parent's environment is one a process
    folders = _usable(os.environ.get("PATH", "").split(os.pathsep)) or _FALLBACK_PATH
    _frozen_path = {folder: Path(os.path.realpath(folder)) for folder in folders}
    with contextlib.suppress(OSError):  # it may be gone
        may_be_written([Path.cwd()])


def _frozen() -> Mapping[str, Path]:
    if _frozen_path is None:
        freeze()
    return _frozen_path or {folder: Path(folder) for folder in _FALLBACK_PATH}


def path_folders() -> tuple[str, ...]:
    """The folders of PATH as at start, without relative and empty entries and those that did not exist
    then.
    """
    return tuple(_frozen())


def path_folders_inside(roots: Iterable[Path]) -> tuple[Path, ...]:
    """The PATH folders that lay in one of `roots` at the start, links resolved: a program written there would be run
    by name.
    """
    resolved = tuple(root.resolve() for root in roots)
    return tuple(folder for folder in _frozen().values() if any(folder.is_relative_to(root) for root in resolved))


def may_be_written(folders: Iterable[Path]) -> None:
    """From now on, no program of xun's own is taken from `folders`: commands can write there."""
    _writable.update(Path(os.path.realpath(folder)) for folder in folders)


def own_program(name: str) -> str | None:
    """The path of a program that xun relies on: the system's own, else one on PATH as at start. None where there is
    none.

    Never one in the folder that this process began in, or that commands may write in: anybody may have put it there.
    """
    for folder in dict.fromkeys((*_SYSTEM_FOLDERS, *path_folders())):
        path = f"{folder}/{name}"
        if os.access(path, os.X_OK) and (folder in _SYSTEM_FOLDERS or not _at_hand(path)):
            return path
    return None


def _at_hand(path: str) -> bool:
    """Could a command have put the program at `path` there, or a link on the way to it?"""
    return any(one.is_relative_to(top) for top in _writable for one in (Path(path), Path(os.path.realpath(path))))


def _child_path() -> str:
    """PATH for children, as at start: a link in a workspace leads where it led then."""
    return _path_beside(frozenset(_writable), tuple(_frozen().items()))


@lru_cache(maxsize=8)
def _path_beside(writable: frozenset[Path], frozen: tuple[tuple[str, Path], ...]) -> str:
    # Looked up once: where links outside of what commands can write lead is not theirs to change.
    folders = dict.fromkeys(
        os.fspath(real) if Path(folder) != real and _at_hand(folder) else folder
        for folder, real in frozen
        if real not in writable  # else whatever a command makes at its top would be run by name
    )
    return os.pathsep.join(folders)


def child_env(extra: Mapping[str, str] | None = None, *, network: bool = True) -> dict[str, str]:
    """A new environment for a child process: the parent's, scrubbed and hardened, and `extra` on top,
    unchanged.

    `extra` is for what a person or a rule has approved: nothing in it is filtered. Without `network` a proxy is of no
    use to the child, and its login is cut out too.
    """
    env = {
        name: _without_login(name, value, proxy=network)
        for name, value in os.environ.items()
        if not _dropped(name, value)
    }
    env.update(_HARDENED)
    env["PATH"] = _child_path()
    if "LD_LIBRARY_PATH" in env:
        # An empty or relative entry means the working folder, where anybody's libc.so may lie.
        folders = env["LD_LIBRARY_PATH"].split(os.pathsep)
        env["LD_LIBRARY_PATH"] = os.pathsep.join(folder for folder in folders if folder.startswith("/"))
    if extra:
        env.update(extra)
    return env


def find_bash() -> str | None:
    """The path of bash: the system's own, else one on PATH as at start. None where there is none."""
    return own_program("bash")


def _dropped(name: str, value: str) -> bool:
    if name in _KEPT:
        return False
    if name in _DROPPED or name.startswith(_DROPPED_PREFIXES) or name.endswith("PAGER"):
        return True
    if _SECRET_NAME.search(name) or (_SESSION.search(name) and not _DESKTOP.match(name)):
        return True
    return _SECRET_VALUE.search(value) is not None


def _without_login(name: str, value: str, *, proxy: bool) -> str:
    """Cut the login out of addresses (`https://user:token@host`). With `proxy` one keeps it: nothing works without."""
    if "://" not in value or (proxy and name.lower().endswith("_proxy")):
        return value
    return _URL_LOGIN.sub("", value)


def _usable(folders: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f for f in folders if Path(f).is_absolute() and _is_folder(f)))


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(Path(path).stat().st_mode)
    except (OSError, ValueError):
        return False  # also one that may not be entered: nothing in it could be run
