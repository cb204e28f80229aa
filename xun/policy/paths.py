"""Rules on paths, by their names alone: which files hold secrets, and which something will run or trust later.

Names are compared as the most lenient file system would: without case, in one Unicode form, without invisible
characters and without dots or blanks at the end. All functions are pure; paths are absolute and already resolved
where the caller says so.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise

from xun.policy.tables.programs import word_set

_SECRET_NAMES = word_set(
    ".env .envrc .netrc _netrc .pgpass .my.cnf .mylogin.cnf .npmrc .pypirc .git-credentials .htpasswd "
    ".vault_pass .vault-token credentials credentials.json credentials.toml credentials.yml credentials.yaml "
    "credentials.csv credentials.ini application_default_credentials.json secrets.json secrets.toml secrets.yml "
    "secrets.yaml secrets.env .secrets shadow shadow- gshadow gshadow- sudoers master.key .terraformrc "
    ".dockercfg .dockerconfigjson .s3cfg .boto .wgetrc .curlrc .bash_history .zsh_history .python_history "
    ".psql_history .mysql_history .node_repl_history id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk "
    "id_ed25519_sk kubeconfig kubeconfig.yaml kubeconfig.yml .dev.vars passwords.txt password.txt .token token.json "
    "api_key.txt api-key.txt apikey.txt .rclone.conf rclone.conf secring.gpg .ansible_vault_pass vault_pass.txt "
    "deploy_key wg0.conf"
)
_SECRET_SUFFIXES = (
    ".pem", ".key", ".p12", ".pfx", ".keystore", ".jks", ".kdbx", ".kdb", ".ppk", ".env", ".asc.key", ".tfstate",
    ".tfvars", ".kubeconfig", ".ovpn",
)  # fmt: skip
_SECRET_PREFIXES = (".env.", ".env-", ".env_", ".dev.vars.")
# Keys of accounts of services, as their consoles name them.
_SECRET_KEYS = re.compile(
    r"(?:[\w.-]*[._-])?service[_-]?account(?:[._-]?keys?)?\.json|(?:[\w.-]+-)?firebase-adminsdk-[\w.-]+\.json"
    r"|client_secrets?(?:[_-][\w.-]+)?\.json|(?:google|gcp|gcloud|aws|azure)[_-](?:credentials|key)\.json"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?[._-][\w.-]*(?<!pub)"
)
_SECRET_FOLDERS = word_set(".ssh .gnupg .aws .azure .kube .password-store .secrets .terraform.d .mozilla")
_SECRET_PAIRS = frozenset(
    {(".docker", "config.json"), (".config", "gcloud"), (".config", "gh"), (".config", "op"), (".config", "hub"),
     (".config", "google-chrome"), (".config", "chromium"), ("share", "keyrings"), (".m2", "settings.xml"),
     (".composer", "auth.json"), ("library", "keychains")}
)  # fmt: skip
_SAMPLE = re.compile(
    r"\.env[._-](?:example|sample|template|dist|defaults?|tmpl)"
    r"|(?:.*[._-])?(?:example|sample|template|dist)[._-]?(?:\.(?:env|tfvars)|\.dev\.vars)"
    r"|.*[._-](?:example|sample|template|dist)"
)
# What an editor or a careful person leaves beside a file.
_COPY = re.compile(r"(?:~|[._-](?:bak|backup|old|orig|save|copy|swp|swo)|\.\d{1,2})$")
# Some piece of each name, or of its folders, that `secret` knows, by first letters: a name is looked at once a letter.
_HINT = re.compile(
    r"a(?:ccount|pi.?key|ws|zure)|boto|c(?:omposer|hrom|onfig|red|urlrc)|d(?:ev\.vars|eploy_key|ocker)|env|firebase|g(?:cloud|cp[_-]|h(?<!\wgh)\b|nupg)"
    r"|h(?:istory|tpasswd|ub(?<!\whub)\b)|id_[rde]|mozilla|k(?:ey(?:chains|rings)|ube)|n(?:etrc|pmrc)|op(?<!\wop)\b|ovpn|p(?:assword|gpass|ypirc)"
    r"|rclone|s(?:3cfg|ecret|ecring|ettings|hadow|sh|udoers)|t(?:erra|f(?:state|vars)|oken)|vault|w(?:g0|getrc)"
    r"|\.(?:cnf|jks|kdbx?|key|keystore|p12|pem|pfx|ppk)"
)
_SECRET_EXAMPLES = (
    ".env", ".env.local", ".env.production", ".envrc", ".netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials",
    "id_rsa", "id_ed25519", "id_ecdsa", "credentials", "x.pem", "x.key", "x.p12", ".ssh", ".aws", ".bash_history",
    "x.tfstate", "x.tfvars", ".dev.vars", ".secrets", "kubeconfig", ".dockerconfigjson",
    ".env~", "server.key.bak",
)  # fmt: skip

# Folders below which everything is protected, and files that are, wherever they stand.
_PROTECTED_FOLDERS = word_set(
    ".git .xun .ssh .gnupg .husky .vscode .idea .zed .fleet .devcontainer .claude .cursor .codex .gemini "
    ".overcommit .tekton .semaphore .azure-pipelines .vs .mise "
    ".windsurf .roo .continue .clinerules .copilot .circleci .buildkite .woodpecker .forgejo .gitea .gitlab "
    ".direnv .nvim .vim .hg .jj git~1 .kiro .amazonq .junie .opencode .qwen .trae .augment .amp "
    "launchagents launchdaemons autostart .githooks .mvn"
)
_PROTECTED_PAIRS = frozenset(
    {(".github", name) for name in ("workflows", "actions", "copilot-instructions.md", "dependabot.yml", "codeowners")}
    | {(".cargo", "config.toml"), (".cargo", "config"), (".svn", "hooks")}
    | {(".config", name) for name in ("fish", "git", "systemd", "autostart", "nvim", "pip", "environment.d")}
)
# Whoever moves `.github` moves the workflows in it.
_PROTECTED_NAMES = frozenset(first for first, _ in _PROTECTED_PAIRS) | word_set(
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin "
    ".zlogout .kshrc .cshrc .tcshrc .login .inputrc .pam_environment .xprofile .xinitrc .xsession "
    "config.fish .envrc .gitconfig .gitmodules .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pythonrc.py "
    "sitecustomize.py usercustomize.py pip.conf .ripgreprc .wgetrc .curlrc .gitlab-ci.yml .travis.yml "
    ".drone.yml .appveyor.yml appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile "
    "cloudbuild.yaml .pre-commit-config.yaml .pre-commit-hooks.yaml lefthook.yml lefthook.yaml .lefthook.yml "
    ".vimrc .gvimrc .exrc .nvimrc .emacs .dir-locals.el agents.md agents.override.md claude.md "
    "claude.local.md gemini.md .cursorrules .windsurfrules .clinerules .goosehints .mcp.json mcp.json "
    ".aider.conf.yml copilot-instructions.md rust-toolchain.toml rust-toolchain .tool-versions crontab "
    "authorized_keys known_hosts .gdbinit .lldbinit .pdbrc .pdbrc.py .irbrc .pryrc .rprofile .renviron .ghci .octaverc "
    ".tmux.conf .screenrc .psqlrc .sqliterc .mailcap .xsessionrc .bazelrc .condarc .ackrc .aider.model.settings.yml "
    "opencode.json qwen.md .rooignore .rules .mise.toml mise.toml .rtx.toml .nvim.lua .lvimrc .huskyrc .huskyrc.json "
    ".woodpecker.yml .woodpecker.yaml devbox.json .devcontainer.json .cirrus.yml .overcommit.yml .lintstagedrc "
    ".lintstagedrc.json .lintstagedrc.js .lintstagedrc.cjs .lintstagedrc.mjs .lintstagedrc.yml .lintstagedrc.yaml "
    "ansible.cfg .local.vimrc .direnvrc .xonshrc init.gradle"
)
# What git runs of the folder of its hooks, which often only a run tells.
_HOOKS = word_set(
    "applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-merge post-receive "
    "post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive "
    "prepare-commit-msg proc-receive push-to-checkout reference-transaction sendemail-validate update"
)
# The programs of a project's own environment, which package managers write and everybody runs.
_TOOLS = frozenset({("node_modules", ".bin"), ("venv", "bin"), (".venv", "bin"), (".venv", "scripts")})
_PROTECTED_SUFFIXES = (".pth", ".code-workspace")
_ANY_NAME = "\x01\x01\x01"  # which no pattern spells
_INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)


@lru_cache(maxsize=2048)
def fold(name: str) -> str:
    """`name` as it is compared: casefolded, NFKC, without invisible characters and trailing dots and blanks."""
    if not name.isascii():
        name = _INVISIBLE.sub("", unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)))
    folded = name.casefold().rstrip(". ")
    return folded.partition(":")[0] or folded


def _parts(path: str) -> list[str]:
    return [fold(part) for part in path.split("/") if part not in ("", ".", "..")]


def may_hold_secret(name: str) -> bool:
    """May a path with this name at its end be one that `secret` knows? A quick look that says yes too often."""
    return not name.isascii() or _HINT.search(name.lower()) is not None


def secret_folder(path: str) -> bool:
    """Does `path` name a folder, or something in one, in which everything usually is secret?"""
    return _in_secret_folder(_parts(path))


def _in_secret_folder(parts: Sequence[str]) -> bool:
    return not (_SECRET_FOLDERS.isdisjoint(parts) and _SECRET_PAIRS.isdisjoint(pairwise(parts)))


def secret(path: str) -> bool:
    """Does `path` name a file that usually holds secrets?"""
    if not may_hold_secret(path):
        return False
    parts = _parts(path)
    if not parts:
        return False
    if _in_secret_folder(parts):
        return True
    name, original = parts[-1], _original(parts[-1])
    return not _SAMPLE.fullmatch(original) and any(map(_secret_name, {name, original}))


def _original(name: str) -> str:
    """The name of the file that one of this name is a copy of, also of a copy of a copy: `.x.swp`, `x.bak~`."""
    while match := _COPY.search(name):
        name = name[: match.start()]
        if match[0] in (".swp", ".swo") and name.startswith("."):
            name = name[1:]
    return name


def _secret_name(name: str) -> bool:
    if name in _SECRET_NAMES or name.startswith(_SECRET_PREFIXES) or name.endswith(_SECRET_SUFFIXES):
        return True
    return _SECRET_KEYS.fullmatch(name) is not None


def may_be_secret(pattern: str) -> bool:
    """Could a file-name pattern that picks something out (not a bare `*`) match a file that holds secrets?"""
    pattern = pattern.replace("\\", "").replace("[^", "[!")
    last = fold(pattern.rstrip("/").rpartition("/")[2])
    if secret(pattern):
        return True
    if not any(mark in last for mark in "*?[{") or not last.strip("*?"):
        return False
    return any(fnmatchcase(example, last) for example in _SECRET_EXAMPLES)


def protected(path: str) -> bool:
    """Will something run or trust the file at `path` later: hooks, start-up files, workflows, tool configuration?"""
    parts = _parts(path)
    if not parts:
        return False
    if not (_PROTECTED_FOLDERS.isdisjoint(parts) and _PROTECTED_PAIRS.isdisjoint(pairwise(parts))):
        return True
    return parts[-1] in _PROTECTED_NAMES or parts[-1].endswith(_PROTECTED_SUFFIXES)


def hook(path: str) -> bool:
    """Does `path` name a hook of git, if the folder around it, which nobody knows, is that of a repository?"""
    parts = _parts(path)
    return parts[-2:-1] == ["hooks"] and parts[-1] in _HOOKS


def tool(path: str) -> bool:
    """Is the file at `path` a program of a project's own environment?"""
    return not _TOOLS.isdisjoint(pairwise(_parts(path)[:-1]))


@lru_cache(maxsize=1)
def protected_names() -> tuple[str, ...]:
    """What `protected` knows by its whole name, in a folder, as it is usually written."""
    pairs = (f"{folder}/{name}" for folder, name in sorted(_PROTECTED_PAIRS))
    names = (spelled for name in sorted(_PROTECTED_FOLDERS | _PROTECTED_NAMES) for spelled in _spellings(name))
    return (*dict.fromkeys(names), "LaunchAgents", "LaunchDaemons", *pairs)


def _spellings(name: str) -> tuple[str, ...]:
    """`agents.md`, `Agents.md`, `AGENTS.md` and `AGENTS.MD`, and `.Rprofile`."""
    stem, dot, rest = name.partition(".")
    hidden = f".{rest.capitalize()}" if not stem else name.capitalize()
    return (name, hidden, f"{stem.upper()}{dot}{rest}", name.upper())


def special(path: str) -> bool:
    """Does `path` lead into /proc, /sys or /dev, other than /dev/null? They are no files: no rule covers them."""
    if path == "/dev/null":
        return False
    return path.startswith(("/proc/", "/sys/", "/dev/")) or path in ("/proc", "/sys", "/dev")


def within(path: str, folder: str) -> bool:
    """Is `path` the folder or below it? Both are absolute, resolved, without a slash at the end."""
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def within_any(path: str, folders: Iterable[str]) -> bool:
    return any(within(path, folder) for folder in folders)


def matches(pattern: str, path: str, roots: Iterable[str]) -> bool:
    """Does a path pattern of a rule cover `path`?

    A pattern without `*`, `?` or `[` names a file or a folder with everything below it. `**/` stands for any folders.
    A relative pattern is taken from each root, and one that begins with `**/` from anywhere.
    """
    path = path.rstrip("/") or "/"
    if pattern in ("*", "**"):
        return True
    if not any(mark in pattern for mark in "*?["):
        anchored = [pattern] if pattern.startswith("/") else [posixpath.join(root, pattern) for root in roots]
        return any(within(path, posixpath.normpath(folder)) for folder in anchored)
    anywhere = pattern.startswith(("/", "**/"))
    anchored = [pattern] if anywhere else [posixpath.join(root, pattern) for root in roots]
    return any(_glob(one).fullmatch(path) is not None for one in anchored)


def covers_new(pattern: str, folder: str, roots: Iterable[str]) -> bool:
    """Does a path pattern of a rule cover whatever comes to stand in `folder`, as `tests/**` does in `tests`?"""
    return matches(pattern, posixpath.join(folder, _ANY_NAME), roots)


def lies_below(pattern: str, folder: str, roots: Iterable[str]) -> bool:
    """Is all that a path pattern of a rule covers below `folder`, by its part before the first mark of a pattern?"""
    return any(within(one, folder) for one in fixed(pattern, roots))


def fixed(pattern: str, roots: Iterable[str]) -> list[str]:
    """Where a path pattern of a rule starts, by its part before the first mark of a pattern: nowhere for `**/x`."""
    parts = pattern.split("/")
    start = "/".join(parts[: next((at for at, part in enumerate(parts) if any(mark in part for mark in "*?[")), None)])
    if not start and pattern.startswith(("/", "*")):
        return []
    anchored = [start] if pattern.startswith("/") else [posixpath.join(root, start) for root in roots]
    return [posixpath.normpath(one) for one in anchored]


def covering(patterns: Iterable[str], roots: Sequence[str]) -> re.Pattern[str] | None:
    """One expression for the paths without a slash at the end that `matches` says any of `patterns` covers, if any."""
    sources: list[str] = []
    for pattern in patterns:
        if pattern in ("*", "**"):
            sources.append(".*")
        elif not any(mark in pattern for mark in "*?["):
            anchored = [pattern] if pattern.startswith("/") else [posixpath.join(root, pattern) for root in roots]
            sources += [re.escape(posixpath.normpath(folder).rstrip("/")) + "(?:/.*)?" for folder in anchored]
        else:
            anywhere = pattern.startswith(("/", "**/"))
            sources += [_glob(pattern).pattern] if anywhere else [
                _glob(posixpath.join(root, pattern)).pattern for root in roots
            ]  # fmt: skip
    return re.compile("|".join(sources), re.DOTALL) if sources else None


@lru_cache(maxsize=512)
def _glob(pattern: str) -> re.Pattern[str]:
    """`**/` is any folders, `**` anything, `*` anything but a slash. A folder that matches covers its inside."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            out.append("(?:.*/)?")
            at += 3
        elif pattern.startswith("**", at):
            out.append(".*")
            at += 2
        elif pattern[at] == "*":
            out.append("[^/]*")
            at += 1
        elif pattern[at] == "?":
            out.append("[^/]")
            at += 1
        elif pattern[at] == "[" and (end := pattern.find("]", at + 2)) > 0:
            inner = pattern[at + 1 : end].replace("\\", r"\\").replace("[", r"\[")
            out.append(f"[^{inner[1:]}]" if inner[0] in "!^" else f"[{inner}]")
            at = end + 1
        else:
            out.append(re.escape(pattern[at]))
            at += 1
    return re.compile(("/?" if pattern.startswith("**/") else "") + "".join(out) + "(?:/.*)?", re.DOTALL)
