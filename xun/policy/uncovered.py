"""What no rule for a few first words covers: options that run what is given to them, or do more than the words say.

A rule may spell what does more (`git push --force`), and then it covers that. What runs anything no rule covers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xun.policy.programs import base_name, word_set
from xun.policy.runners import runner_end, runner_length


def _options(letters: str = "", names: str = "", more: str = "") -> str:
    """An expression for options: letters in clusters, long names with a value or abbreviated, and others as given."""
    parts = [rf"-[A-Za-z0-9]*[{letters}].*"] if letters else []
    parts += [rf"--{_short(name)}(?:=.*)?" for name in names.split()]
    return "|".join([*parts, more] if more else parts)


def _short(name: str) -> str:
    """A name, and what begins it."""
    return name[:1] + "".join(f"(?:{re.escape(char)}" for char in name[1:]) + ")?" * len(name[1:])


_COMPILER = r"-wrapper|-B.+|--?specs(?:=.*)?|-f(?:pass-)?plugin.*|-Xclang|-load|-fuse-ld=.*|--ld-path=.*|@.*"
_JEST = (
    r"(?i:--?(?:global-?(?:setup|teardown)|setup-?files(?:-?after-?env)?|reporters?|test-?runner|runner|transform|resolver"
    r"|require)(?:=.*)?)|-r.*|\{.*|--config=\{.*"
)
_LOADS = r"--(?:plugin|rulesdir|resolve-plugins-relative-to|node-option|require|import|loader)(?:=.*)?"
_GRADLE = _options("Ibcg", "init-script build-file settings-file include-build gradle-user-home")
# What a variable holds becomes text of the shell: no marks of it, and none that name a program.
_MAKE = _options(
    "EfI",
    "eval file makefile include-dir",
    r"(?:SHELL|MAKE\w*|\.SHELLFLAGS|(?:HOST)?(?:CC|CXX|LD|AR|AS|CPP|FC)|RM|INSTALL|PYTHON3?|NODE|GO|CARGO|NPM)[:+?]?=.*"
    r"|(?s:\w+[:+?]?=.*[;&|`$<>\n].*)",
)
# Options and words by which a program that is named otherwise runs what is given to it.
_RUNNING_OPTIONS: Mapping[str, str] = {
    "git rebase": _options("x", "exec"),
    "git difftool": _options("xt", "extcmd tool"),
    "git mergetool": _options("t", "tool"),
    "git grep": _options("O", "open-files-in-pager"),
    "git fetch": _options("", "upload-pack"),
    "git pull": _options("", "upload-pack"),
    "git ls-remote": _options("", "upload-pack exec"),
    "git clone": _options("uc", "upload-pack config template"),
    "git init": _options("", "template"),
    "git push": _options("", "receive-pack exec"),
    "git archive": _options("", "exec remote"),
    "git send-email": _options("", "smtp-server sendmail-cmd to-cmd cc-cmd header-cmd"),
    "git submodule": "foreach",
    "tar": _options(
        "IF", "checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script"
    ),
    "make": _MAKE, "gmake": _MAKE,
    "rsync": _options("e", "rsh rsync-path"),
    "just": _options("c", "command shell shell-arg", "--set"),
    "rake": _options("epErR", "execute execute-print execute-continue require rakelibdir"),
    "ghc": r"-e.*|-pgm.*|-opt.*|-F|--run.*|--interactive|-fplugin.*",
    "zip": _options("", "unzip-command", r"-[A-Za-z]*TT.*"),
    "scp": _options("SoFD"),
    "sort": _options("", "compress-program"),
    "split": _options("", "filter"),
    "go": r"--?(?:exec|toolexec|vettool|overlay|modfile)(?:=.*)?|.*-extld.*",
    "go env": r"-w|-u",
    "cargo": r"--config(?:=.*)?|-C.*",
    "npm": r"-c|--(?:call|(?:script-)?shell|prefix|node-options|userconfig|globalconfig|git|viewer|editor)(?:=.*)?",
    "pnpm": r"-[cC].*|--(?:config\.)?(?:script-shell|shell-mode|dir|prefix|node-options|userconfig)(?:=.*)?",
    "yarn": r"--(?:script-shell|cwd|use-yarnrc|node-options)(?:=.*)?",
    "mvn": r"exec:.*|-f.*|--file(?:=.*)?|-s.*|--settings(?:=.*)?",
    "gradle": _GRADLE, "gradlew": _GRADLE,
    "mix": r"-[er].*|--(?:eval|rpc-eval|require|cmd)(?:=.*)?",
    "cmake": r"-[EPC].*|--toolchain(?:=.*)?|-D\w*(?:LAUNCHER|TOOLCHAIN_FILE|_COMMAND|_RULE_|PROJECT_INCLUDE).*",
    "ctest": r"-[SDMT].*|-SP.*|--(?:build-|test-command|script|dashboard)[\w-]*(?:=.*)?",
    "man": _options("PHC", "pager html config-file preprocessor gxditview"),
    "ninja": "-f.*", "less": _options("ok", "lesskey log-file", r"\+.*"), "more": r"\+.*",
    "java": r"-XX:(?:On\w*Error|Flags|VMOptionsFile).*|-(?:javaagent|agent(?:lib|path)|Xrun|Xboot).*|@.*",
    "pandoc": _options("FLd", "filter lua-filter pdf-engine pdf-engine-opt defaults"),
    "helm": r"--post-renderer(?:-args)?(?:=.*)?|--kubeconfig(?:=.*)?",
    "mypy": _options("", "python-executable"),
    "wget": _options("e", "use-askpass config execute"),
    "curl": _options("K", "config"),
    "rspec": _options("rIO", "require options", "-r.*"),
    "rubocop": _options("rc", "require config plugin"),
    "jest": _JEST, "vitest": _JEST, "mocha": _JEST + r"|--(?:file|package|ui)(?:=.*)?", "ava": _JEST,
    "eslint": _LOADS, "prettier": _LOADS, "stylelint": _LOADS + r"|--custom-formatter(?:=.*)?", "webpack": _LOADS,
    "rollup": _LOADS + "|-p.*",
    "kubectl": r"--kubeconfig(?:=.*)?", "ansible-playbook": r"-e.*|--extra-vars(?:=.*)?",
    "redis-cli": r"--eval(?:=.*)?|-x|eval|EVAL",
} | dict.fromkeys(word_set("gcc g++ cc c++ clang clang++"), _COMPILER)  # fmt: skip
# Options and words by which a command does more than its first words say, with what that is.
_FURTHER: Mapping[str, tuple[str, str]] = {
    "git push": (
        _options("fd", "force force-with-lease mirror delete prune", r"\+.+|:.+"),
        "overwrites or removes what others may use",
    ),
    "git clean": (_options("xX", "no-dry-run"), "removes what git is told to ignore"),
    "git reset": (_options("", "hard"), "throws changes away"),
    "git checkout": (_options("f", "force"), "throws changes away"),
    "git switch": (_options("fC", "force discard-changes force-create"), "throws changes away"),
    "git branch": (_options("DMCf", "force"), "removes or overwrites a branch, merged or not"),
    "git tag": (_options("fd", "force delete"), "removes or overwrites a tag"),
    "git worktree": (_options("f", "force"), "removes what is not committed"),
    "gh": (r"merge|close|delete|transfer|archive|rename", "changes what others see"),
    "gh api": (r"-X.*|--method(?:=.*)?|-[fF].*|--(?:raw-)?field(?:=.*)?|--input(?:=.*)?", "may change what is there"),
    "kubectl": (r"(?:.*,)?secrets?(?:[,/.].*)?|--raw(?:=.*)?|delete", "shows secrets or removes what runs"),
    "aws": (r"rm|rb|mv|sync|delete-.*|--delete|--endpoint-url(?:=.*)?", "removes what is there, or reaches further"),
    "tox": (_options("excf", "override conf workdir root"), "may run any environment of the project"),
    "nox": (_options("sektfp", "session keywords tags noxfile pythons", "[^-].*"), "may run any session there is"),
    "docker compose": (r"-v|--volumes|--rmi(?:=.*)?", "removes data"),
    "terraform": (r"--?(?:auto-approve|destroy)(?:=.*)?", "changes what is there without a question"),
    "npm audit": ("fix", "changes what is installed"),
    "uv pip": ("uninstall|sync", "removes what is installed"),
    "prisma": ("reset|--accept-data-loss|--force-reset", "removes data"),
    "vagrant": ("destroy", "removes the machine"),
    "redis-cli": (r"(?i:flush(?:all|db)|shutdown|debug|del|unlink|config|script|module)", "changes what is there"),
    "dpkg": (r"-[irP].*|--(?:install|remove|purge|unpack|configure)(?:=.*)?", "changes what is installed"),
}  # fmt: skip
# The options of tar without a dash, with one that takes a program or a script.
_BUNDLED = re.compile(r"[A-Za-z]*[IF][A-Za-z]*")
_RUNNING = frozenset(known.partition(" ")[0] for known in _RUNNING_OPTIONS)
_REACHING = frozenset(known.partition(" ")[0] for known in _FURTHER)


def runs_more(words: Sequence[str], covered: int) -> str:
    """The word behind the first `covered` ones that makes a command run what is given to it; empty where none does."""
    end = runner_end(words)
    return words[end - 1] if end > covered else running_option(words, covered)


def running_option(words: Sequence[str], covered: int = 1) -> str:
    """The option behind the first `covered` words that gives the program a command or code to run; empty for none."""
    length = runner_length(words)
    if 0 < length < len(words) and (found := running_option(words[length:], max(covered - length, 1))):
        return found
    name = base_name(words[0])
    if name not in _RUNNING:
        return ""
    own = words[: words.index("--")] if "--" in words else words
    for known in _named(name, words):
        option = _RUNNING_OPTIONS.get(known)
        if option and (found := next((word for word in own[covered:] if re.fullmatch(option, word)), "")):
            return found
    bundled = name == "tar" and covered == 1 and _BUNDLED.fullmatch(" ".join(own[1:2]))
    return own[1] if bundled else ""


def goes_further(words: Sequence[str], covered: int) -> str:
    """What a command does beyond its first `covered` words that a rule must spell, with the word for it; or empty."""
    name = base_name(words[0])
    if name not in _REACHING:
        return ""
    own = words[: words.index("--")] if "--" in words else words
    for known in _named(name, words):
        if known in _FURTHER:
            option, does = _FURTHER[known]
            if found := next((word for word in own[covered:] if re.fullmatch(option, word)), ""):
                return f"with {found} it {does}: only a rule that spells that covers it"
    return ""


def _named(name: str, words: Sequence[str]) -> tuple[str, str]:
    """The names by which the tables know a command."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if name == "git" and words[at] in ("-C", "-c") else 1
    return name, f"{name} {words[at]}" if at < len(words) else name
