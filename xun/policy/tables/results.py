"""Options and operands that name what a command writes, with a name that is no result's: a rule must spell those.

A program overwrites the file that it is told to write, and many empty the folder first. Over `report.xml` or `build`
that is what a rule for the program is for; over `README.md` or `src` it is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xun.policy.tables.option_names import options_behind
from xun.policy.tables.programs import base_name, word_set

_NOUNS = (
    "declaration|log|junit|reports?|reporter|results?|profile|trace|dump|artifacts?|attachments|coverage|coverprofile|cache|metadata"
    "|durations|history|screenshots?|videos?|xml|html|json|text|txt|lcov|clover|php|cobertura|site|temp|tmp"
)
_KIND = "xml|html|json|text|txt|lcov|clover|php|junit|info"
_HOLDS = "dir|directory|folder|path|paths|location|root"
# A name behind which a value stands in any case, and one that may be a flag: it tells where the value is glued to it.
_WRITTEN = re.compile(
    rf"--?[a-z-]*(?:out(?:put|file)?(?:-?(?:to|file|name))?|log-?file|log-junit|junit-?xml|(?:cover|cpu|mem|block|mutex)-?profile"
    rf"|dest(?:ination)?|iidfile|(?:write|only)-batch|fake-ancestor|lock-?file(?:-path)?|save-to|(?:{_NOUNS})-?(?:file|name|{_KIND})"
    rf"|(?:{_KIND})-?reports?|(?:{_NOUNS}|out(?:put)?|dest)-?(?P<holds>{_HOLDS}))=(?P<value>.+)",
    re.DOTALL,
)
_GLUED = re.compile(rf"--?[a-z-]*(?:{_NOUNS})=(?P<value>.+)", re.DOTALL)
_LETTER = re.compile(r"-(?:o|MF)=?(?P<value>.+)", re.DOTALL)
_FOLDER_LETTER = re.compile(r"-d=?(?P<value>.+)", re.DOTALL)
_BY_D = word_set("mkdocs jekyll hugo coverage javadoc kotlinc")
# Of these an operand names the archive that they make, from that word on.
_ARCHIVE_FROM: Mapping[str, int] = {
    "tar": 2, "bsdtar": 2, "zip": 1, "7z": 2, "7za": 2, "7zz": 2, "ar": 2, "jar": 2, "git bundle": 3,
}  # fmt: skip

_SOURCE = re.compile(
    r"(?:(?:README|LICEN[CS]E|COPYING|NOTICE|CHANGELOG|CHANGES|AUTHORS|CODEOWNERS|INSTALL|TODO|VERSION)(?:\..*)?"
    r"|(?:Make|Docker|Container|Gem|Rake|Proc|Just|Jenkins|Vagrant|Brew|Pip|Task|Cargo|Guard|Cap|Earth)file(?:\..*)?|justfile|makefile"
    r"|\.(?!coverage|cache)[a-z].*|CMakeLists\.txt|(?:package(?:-lock)?|tsconfig.*|jsconfig|composer|deno|turbo|nx|angular)\.json"
    r"|.+\.(?:mdx?|rst|adoc|tex|pyi?|pyx|ipynb|rb|erb|rs|go|[ch]|cc|cpp|cxx|hpp|hh|hxx|mm?|java|kts?|scala|groovy|gradle"
    r"|swift|cs|fs|vb|jsx?|[cm]js|tsx?|[cm]ts|vue|svelte|php|p[lm]|sh|bash|zsh|fish|ps1|lua|exs?|erl|hs|mli?|cljs?|el|nim"
    r"|zig|dart|jl|proto|graphql|tf|toml|ya?ml|lock|cfg|ini|cmake|mk|csproj|sln|s?css|less))",
    re.DOTALL,
)
_TREES = word_set(
    "src source sources lib libs app apps test tests spec specs doc docs pkg packages cmd internal include includes "
    "scripts components pages config conf examples crates modules api server client backend frontend web www "
    "migrations fixtures assets static templates views resources data"
)
_RESULTS = word_set(
    "build builds dist out output outputs target coverage htmlcov report reports result results test-results "
    "test-reports tmp temp .cache cache _build site _site public obj generated gen __generated__ artifacts logs log "
    ".next .nuxt .output .nyc_output node_modules .venv venv .tox .mypy_cache .ruff_cache .pytest_cache release debug"
)


def overwrites(words: Sequence[str], covered: int) -> str:
    """The option behind the first `covered` words that names a source, or a folder of them, to write to; or empty."""
    name = base_name(words[0])
    for shown, plain in options_behind(words, covered, shortest=2):
        written = _WRITTEN.fullmatch(plain)
        if written is None and "=" in shown:
            written = _GLUED.fullmatch(plain)
        if written and _kept(written["value"], whole=written.groupdict().get("holds") is not None):
            return shown
        given = shown.replace(" ", "=", 1)  # letters as they stand: in names alone the case does not matter
        letter = _LETTER.fullmatch(given) or (_FOLDER_LETTER.fullmatch(given) if name in _BY_D else None)
        if letter and _kept(letter["value"], whole=name in _BY_D):
            return shown
    return ""


def packs_over(words: Sequence[str], covered: int) -> str:
    """The operand behind the first `covered` words that names a source as the archive to make; or empty."""
    name = base_name(words[0])
    start = _ARCHIVE_FROM.get(name, _ARCHIVE_FROM.get(" ".join((name, *words[1:2]))))
    if start is None:
        return ""
    at = next((at for at in range(start, len(words)) if words[at] == "-" or not words[at].startswith("-")), 0)
    return words[at] if at >= covered and at and _is_source(words[at]) else ""


def _kept(value: str, *, whole: bool) -> bool:
    """Is it a source, or a folder of them? With `whole`, whatever lies in one counts as well."""
    path = value.removeprefix("./").rstrip("/")
    steps = path.split("/")
    if _RESULTS.isdisjoint(steps[:-1] if "." in steps[-1] else steps) and steps[0] in _TREES:
        return len(steps) == 1 or (whole and "." not in steps[-1]) or _is_source(path)
    return _is_source(path)


def _is_source(path: str) -> bool:
    *folders, name = path.split("/")
    return _RESULTS.isdisjoint(folders) and _SOURCE.fullmatch(name) is not None
