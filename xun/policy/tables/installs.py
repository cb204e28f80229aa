"""Programs that install, or set, what is run or trusted later, without naming the file that holds it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from xun.policy.tables.programs import base_name, word_set

_HOOKS = ".git/hooks"
_CONFIG = ".git/config"
# By program, and by the first words behind it; a path that begins with ~ lies in the home folder.
_INSTALLS: Mapping[tuple[str, ...], str] = {
    ("pre-commit", "install"): _HOOKS, ("pre-commit", "init-templatedir"): _HOOKS, ("prek", "install"): _HOOKS,
    ("husky",): ".husky", ("husky", "install"): ".husky", ("husky", "init"): ".husky", ("husky", "add"): ".husky",
    ("husky", "set"): ".husky", ("lefthook", "install"): _HOOKS, ("lefthook", "add"): _HOOKS, ("overcommit",): _HOOKS,
    ("overcommit", "--install"): _HOOKS, ("simple-git-hooks",): _HOOKS, ("yorkie",): _HOOKS,
    ("git", "lfs", "install"): _HOOKS, ("git", "secrets", "--install"): _HOOKS, ("git-lfs", "install"): _HOOKS,
    ("git", "maintenance", "start"): _CONFIG, ("git", "maintenance", "register"): _CONFIG,
    ("git", "submodule", "add"): ".gitmodules",
    ("npm", "config", "set"): "~/.npmrc", ("npm", "set"): "~/.npmrc", ("npm", "login"): "~/.npmrc",
    ("pnpm", "config", "set"): "~/.npmrc", ("yarn", "config", "set"): "~/.yarnrc",
    ("pip", "config", "set"): "~/.config/pip",
    ("pip3", "config", "set"): "~/.config/pip", ("conda", "config"): "~/.condarc",
    ("go", "env", "-w"): "~/.config/go/env",
    ("gh", "alias", "set"): "~/.config/gh", ("gh", "config", "set"): "~/.config/gh",
    ("gh", "extension", "install"): "~/.config/gh",
    ("direnv", "allow"): "~/.local/share/direnv", ("direnv", "permit"): "~/.local/share/direnv",
    ("mise", "trust"): "~/.local/state/mise", ("loginctl", "enable-linger"): "/var/lib/systemd/linger",
    ("xdg-mime", "default"): "~/.config/mimeapps.list", ("xdg-settings", "set"): "~/.config/mimeapps.list",
    ("update-alternatives",): "/etc/alternatives", ("chsh",): "/etc/passwd", ("usermod",): "/etc/passwd",
    ("useradd",): "/etc/passwd", ("passwd",): "/etc/shadow", ("visudo",): "/etc/sudoers",
    ("update-rc.d",): "/etc/init.d",
    ("defaults", "write"): "~/.config/defaults", ("code", "--install-extension"): "~/.vscode",
}  # fmt: skip
_WAYS = {name: [ways for ways in _INSTALLS if ways[0] == name] for name, *_ in _INSTALLS}
_SCHEDULES: Mapping[str, str] = {
    "crontab": "/var/spool/cron/crontabs", "at": "/var/spool/cron/atjobs", "batch": "/var/spool/cron/atjobs",
}  # fmt: skip
_ENABLING = word_set(
    "enable reenable link edit set-default preset mask unmask load bootstrap submit add-wants add-requires revert "
    "set-property"
)
# Settings of git that name no program, no file and no address.
_PLAIN_KEY = re.compile(
    r"user\.(?:name|email)|color\..+|init\.defaultbranch|push\.(?:default|autosetupremote|followtags)|pull\.(?:rebase|ff)"
    r"|fetch\.prune|merge\.(?:ff|conflictstyle)|rebase\.auto(?:stash|squash)|core\.(?:autocrlf|eol|ignorecase|filemode"
    r"|quotepath|longpaths|abbrev|whitespace)|advice\..+|branch\.[^.]+\.(?:merge|remote|rebase)|rerere\.(?:enabled|autoupdate)"
    r"|log\.(?:date|decorate|abbrevcommit)|diff\.(?:renames|algorithm|colormoved|mnemonicprefix)|status\..+|column\..+",
    re.IGNORECASE,
)
_CONFIG_READS = re.compile(r"--(?:get|get-all|get-regexp|get-urlmatch|get-color|get-colorbool|list)|-l|list|get")
_CONFIG_WRITES = re.compile(
    r"--(?:unset|unset-all|add|replace-all|edit|rename-section|remove-section)|-e|set|unset|edit"
)
_CONFIG_PLACES = {"--global": "~/.gitconfig", "--system": "/etc/gitconfig", "--worktree": _CONFIG, "--local": ""}


def installed(words: Sequence[str], home: str) -> Iterator[str]:
    """The paths that a command makes or changes in this way."""
    name = base_name(words[0])
    rest = [name, *words[1:]]
    for ways in _WAYS.get(name, ()):
        if tuple(rest[: len(ways)]) == ways and (
            len(ways) > 1 or len(rest) == 1 or ways[0] not in ("husky", "overcommit")
        ):
            yield _at_home(_INSTALLS[ways], home)
    if name in _SCHEDULES and not {"-l", "-c", "-V", "--version", "--help"} & set(words):
        yield _SCHEDULES[name]
    verb = next((word for word in words[1:] if not word.startswith("-")), "")
    if name in ("systemctl", "launchctl") and verb in _ENABLING:
        yield _at_home("~/.config/systemd/user" if "--user" in words else "/etc/systemd/system", home)
    if name == "git":
        yield from (_at_home(path, home) for path in _by_git(words))


def _by_git(words: Sequence[str]) -> Iterator[str]:
    """What `git config` sets, and the hooks that a template brings with it."""
    if any(word == "--template" or word.startswith("--template=") for word in words) and {"init", "clone"} & set(words):
        yield _HOOKS
    if "config" not in words:
        return
    rest = words[words.index("config") + 1 :]
    place = next((_CONFIG_PLACES[word] for word in rest if word in _CONFIG_PLACES), "")
    for at, word in enumerate(rest):
        if word in ("-f", "--file"):
            place = "".join(rest[at + 1 : at + 2])
        elif word.startswith("--file="):
            place = word.removeprefix("--file=")
    operands = [word for word in rest if not word.startswith("-") and word != place]
    if any(_CONFIG_READS.fullmatch(word) for word in rest[:3]) or not operands:
        if any(_CONFIG_WRITES.fullmatch(word) for word in rest if word.startswith("-")):
            yield place or _CONFIG
        return
    if len(operands) == 1 and not any(_CONFIG_WRITES.fullmatch(word) for word in rest):
        return
    key = next((word for word in operands if "." in word), "")
    if place or not _PLAIN_KEY.fullmatch(key):
        yield place or _CONFIG


def _at_home(path: str, home: str) -> str:
    return home + path[1:] if path.startswith("~/") and home else path
