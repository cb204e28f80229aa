"""What the name of an option tells of it, whatever program takes it.

No table knows all the options of all programs, but most say by their name that they run what they are given, lead
elsewhere or change what is there. A rule covers those that it spells; of a program that nobody knows, none that runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xun.policy.tables.programs import base_name
from xun.policy.tables.sparing import kebab

_RUN = (
    "cmd|commands?|exec|executable|execute|executor|program|binary|plugins?|pager|preload|requires?|loaders?|load|hooks?"
    "|linker|engines?|runner|runtime|shell|interpreter|launcher|wrapper|agent|compiler|(?:pre|post)-?processor|editor"
    "|viewer|opener|askpass|rsh|ssh|scripts?|bootstrap|autoload|autoload-file|autoloader|extensions?|eval|imports?"
    "|handler|driver|sequencer|provider|checker|toolchain|resolver|transformer|transform|code|python|node|java|php|ruby"
    "|perl|gcc|ghc|cc|cxx|ld|shellcheck|pyflakes|javaagent|jvm|vm"
)
_BEHIND = "(?:-?(?:paths?|files?|dirs?|director(?:y|ies)|args?|opts?|options?|names?|modules?|cmd|bin|home|exe|toml))?"
# Of these only a path, or the name of a file with code, is more than a choice.
_CHOSEN = (
    "formatter|reporter|format|module|lib|library|parser|renderer|processor|filter|adapter|preset|environment|pool|worker"
    "|strategy|backend|theme|template|workspace|rules|output-format|style|serializer"
)
_CODE = r"(?:\.{0,2}/|~).*|.*\.(?:[cm]?[jt]s|py|so|dll|dylib|jar|rb|lua|php|pl|sh)"
_CONFIG = (
    "(?:[a-z-]*-)?(?:config|conf|rcfile|rc|ini)(?:-?(?:files?|paths?|dir|toml|option))?|settings|init-file|env-file"
)
_PLACE = (
    "prefix|cwd|dir|directory|project(?:-?(?:dir|directory|file))?|package-path|manifest-path|work(?:ing)?-?dir(?:ectory)?"
    "|chdir|root(?:-?dir)?|test-dir|build-?file|file|makefile|tsconfig|solution|schema|base-dir|source-dir|inventory"
)
_ELSEWHERE = (
    "(?:[a-z-]*-)?(?:registry|index|index-url)|extra-index|find-links|repository(?:-url)?|repo|server|host|hostname"
    "|endpoint(?:-url)?|(?:kube-?)?context|kubeconfig|account|subscription|tenant|cluster|remote|ur[li]|connect"
    "|database(?:-url)?|db-url|dsn|org|organization|base-url|proxy"
)
_STAGES = "env|environment|stage|profile|channel|target|app|function|zone|region|project-id"
_CHANGES = (
    "(?:[a-z-]*-)?fix(?:es|-.*)?|write(?:-changes)?|in-?place(?:-.*)?|overwrite(?:-.*)?|apply(?:-.*)?|auto-?correct(?:-.*)?"
    "|force(?!-(?:exit|colou?r|recreate)$)(?:-.*)?|(?:delete|remove|purge|prune|destroy|wipe|reset)(?:-.*)?"
    "|clear|clean|clear-cache|unsafe(?:-.*)?|admin|public|visibility|prod|production|global|privileged|push|publish"
    "|deploy|install(?:-.*)?|uninstall|hard|no-verify(?:-.*)?|allow-.*|insecure.*|break-system-packages|trusted-.*"
    "|no-(?:check|sandbox|backup|dry-run)|(?:no|ignore|skip)-[a-z-]+=(?i:false|no|0)|accept-data-loss|rewrite|upload|submit|send|location=global"
)
_NOT_SO = re.compile(r"--?(?:no|ignore|skip|without|disable|exclude)-.*", re.DOTALL)
_GIVES = re.compile(rf"--?(?:(?:[a-z-]*-)?(?:{_RUN}){_BEHIND}|[a-z-]+-with)(?:=.*)?", re.DOTALL)
_LOADS = re.compile(rf"--?(?:[a-z-]*-)?(?:{_CHOSEN}){_BEHIND}=(?:{_CODE})", re.DOTALL)
_LEADS = re.compile(rf"--?(?:{_CONFIG}|{_PLACE}|{_ELSEWHERE})=.*", re.DOTALL)
_STAGED = re.compile(rf"--?(?:{_STAGES})=.*", re.DOTALL)
_CHANGING = re.compile(rf"--?(?:{_CHANGES})(?:=.*)?", re.DOTALL)
# What a name may be cut to, of programs that complete them.
_WHOLE = "command commands execute plugin pager preload require loader config linker engine runner runtime interpreter "
_WHOLE += "launcher wrapper compiler editor script bootstrap extension"
_CUT = re.compile(r"--(?:[a-z-]+-)?([a-z]+)(?:=.*)?", re.DOTALL)
# Of these programs some such names mean something plain.
_PLAIN = {
    "cmake": "config prefix", "bazel": "config", "bazelisk": "config", "playwright": "project",
    "vitest": "project coverage-provider", "docker": "driver", "rustup": "toolchain", "mocha": "extension",
    "ava": "extension", "uv": "python", "poetry": "python", "pip": "python", "dotnet": "runtime", "esbuild": "loader",
}  # fmt: skip


def _meant_plainly(name: str, word: str) -> bool:
    return word.lstrip("-").partition("=")[0] in _PLAIN.get(name, "").split()


def options_behind(words: Sequence[str], covered: int, *, shortest: int = 3) -> Iterator[tuple[str, str]]:
    """The options of so many characters with something behind the first `covered` words, as written and as compared."""
    name = base_name(words[0])
    for at in range(max(covered - 1, 1), len(words)):
        word = words[at]
        if not word.startswith("-") or len(word) < shortest or _meant_plainly(name, kebab(word)):
            continue
        plain = kebab(word)
        value = words[at + 1] if at + 1 < len(words) else ""
        if "=" not in plain and value and not value.startswith("-"):
            yield f"{word} {value}", f"{plain}={value}"
        if at >= covered:
            yield word, plain


def gives_by_name(words: Sequence[str], covered: int) -> str:
    """The option behind the first `covered` words whose name says that it runs or loads its value; or empty."""
    return next((shown for shown, plain in options_behind(words, covered) if _runs(plain)), "")


def _runs(plain: str) -> bool:
    if _NOT_SO.fullmatch(plain):
        return False
    if _GIVES.fullmatch(plain) or _LOADS.fullmatch(plain):
        return True
    if plain.startswith(("--javaagent:", "-javaagent:")):
        return True
    cut = _CUT.fullmatch(plain)
    if cut is None or (len(cut[1]) < 4 and "-" not in plain[2 : cut.start(1)]):
        return False
    return any(whole.startswith(cut[1]) for whole in _WHOLE.split())


def leads_by_name(words: Sequence[str], covered: int, *, staged: bool) -> str:
    """The option behind the first `covered` words that takes another configuration, project or server by its name.

    With `staged`, one that says in which environment, too.
    """
    for shown, plain in options_behind(words, covered):
        if _LEADS.fullmatch(plain) or (staged and _STAGED.fullmatch(plain)):
            return shown
    return ""


def changes_by_name(words: Sequence[str], covered: int) -> str:
    """The option behind the first `covered` words whose name says that it changes or removes more; or empty."""
    name = base_name(words[0])
    for word in words[covered:]:
        plain = kebab(word)
        if word.startswith("-") and _CHANGING.fullmatch(plain) and not _meant_plainly(name, plain):
            return word
    return ""
