"""Does a text run what it fetches from the network: by a pipe, by a substitution, or by way of a file?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xun.policy.reach.needs import Command, Reading
from xun.policy.tables.programs import CHANGERS, EVALUATORS, FETCHERS, INTERPRETERS, base_name, word_set
from xun.policy.text.words import Arg

# What comes out of them may have any name.
_UNPACKERS = word_set("tar bsdtar unzip gunzip gzip bunzip2 xz unxz zstd 7z 7za unar cpio base64 openssl gpg")
# Where they lead, every name is one of what was fetched.
_ENTERING = frozenset({"cd", "pushd"})
_COPIERS = CHANGERS | word_set("cat dd sed")
_ANYTHING = ""
# They run what the folder says that they are started in, or that they are given.
_BUILDERS = word_set(
    "make gmake cmake ninja meson npm pnpm yarn bun pip pip3 uv poetry pdm cargo go gradle gradlew mvn mvnw sbt mix "
    "rake bundle composer just task tox nox pytest rails dotnet swift docker docker-compose podman ant bazel"
)
_JUDGED = word_set("awk gawk mawk nawk")
# What in the text of a Python program may run, load or unpack what it reads.
_EVALUATES = re.compile(
    r"exec|eval|compile|import_|__|subprocess|system|popen|spawn|pickle|marshal|shelve|yaml|runpy|code|ctypes|os\\.|getattr|"
    r"globals|builtins|shell|write|open"
)

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_FETCHES_AND_RUNS = re.compile(
    r"\b(?:exec|eval|(?:pickle|marshal|dill)\.loads|Function|runInThisContext|instance_eval|iex|Invoke-Expression)\b"
    r"[\s(]+(?!['\"])\S.{0,200}(?:urlopen|requests\.|httpx2?\.|https?://|fetch\(|URI\.open|Net::HTTP|LWP|DownloadString)",
    re.DOTALL,
)


def runs_fetched(reading: Reading, text: str) -> bool:
    """Is what a fetching program gets run by a later part of the same text?"""
    names = [{base_name(view[0].text) for view in _views(command)} for command in reading.commands]
    if any(_by_itself(view) for command in reading.commands if not command.judged for view in _views(command)):
        return True
    if not any(found & FETCHERS or _clones(c) for found, c in zip(names, reading.commands, strict=True)):
        return False
    names = [set() if _only_formats(c) else found for found, c in zip(names, reading.commands, strict=True)]
    return _piped(reading, text, names) or _by_file(reading, names)


def _by_itself(view: Sequence[Arg]) -> bool:
    """Does an interpreter fetch what it runs: by the address of a script, or by its code?"""
    name = base_name(view[0].text)
    if name in ("deno", "bun"):
        operands = [arg.text for arg in view[1:] if not arg.text.startswith("-")]
        script = operands[1:2] if operands[:1] in (["run"], ["x"], ["install"], ["serve"]) else operands[:1]
        return any(_ADDRESS.match(one) for one in script)
    return name in INTERPRETERS and any(_FETCHES_AND_RUNS.search(arg.text) for arg in view[1:])


def _views(command: Command) -> Iterator[Sequence[Arg]]:
    yield from (view for view in command.acting if view)


def _only_formats(command: Command) -> bool:
    """Is it a command that its table judges, or one of Python that takes what comes to it for data?"""
    words = command.segment.argv
    if base_name(words[0]) != "python":
        return command.judged and base_name(words[0]) in _JUDGED
    if words[1:3] == ("-m", "json.tool"):
        return True
    given = words[2] if len(words) == 3 and words[1] == "-c" and command.segment.args[2].known else None
    return given is not None and _EVALUATES.search(given) is None


def _clones(command: Command) -> bool:
    return command.program.name[:2] == ("git", "clone")


def _piped(reading: Reading, text: str, names: Sequence[set[str]]) -> bool:
    for at, found in enumerate(names):
        if not found & FETCHERS:
            continue
        segment = reading.commands[at].segment
        if any(names[outer] & EVALUATORS for outer in segment.inside):
            return True
        piped = (
            later & EVALUATORS
            for later, command in zip(names[at + 1 :], reading.commands[at + 1 :], strict=True)
            if reading.script.clear or command.segment.pipeline == segment.pipeline
        )
        if "|" in text and any(piped):
            return True
    return any(found & FETCHERS and found & EVALUATORS for found in names)


def _by_file(reading: Reading, names: Sequence[set[str]]) -> bool:
    """Is a file run that an earlier command may have fetched, or made of what was fetched?"""
    fetched: set[str] = set()
    redirected = {_last(target) for operator, target in reading.script.redirects if operator != "<"}
    fed = {_last(target) for operator, target in reading.script.redirects if operator == "<"}
    for command, found in zip(reading.commands, names, strict=True):
        words = {name for view in _views(command) for arg in view[1:] for name in _names(arg)}
        if fetched and _runs(command, found, fetched, fed):
            return True
        if found & FETCHERS or _clones(command):
            fetched |= words | redirected
            # A variable may hold what came.
            fetched |= {"$"} if not reading.script.clear else set()
        elif fetched and (found & _UNPACKERS or (found & _ENTERING and words & fetched)):
            fetched.add(_ANYTHING)
        elif found & _COPIERS and words & fetched:
            fetched |= words | (redirected if reading.script.redirects else set())
    return False


def _runs(command: Command, found: set[str], fetched: set[str], fed: set[str]) -> bool:
    """Does a command run a file by one of the names, from a folder of that name, or one that cannot be told?"""
    for view in _views(command):
        program = view[0].text
        if "/" in program and not program.startswith("/") and _touches(view[0], fetched):
            return True
        if base_name(program) in _BUILDERS and (
            _ANYTHING in fetched or any(_touches(arg, fetched) for arg in view[1:])
        ):
            return True
        if base_name(program) in EVALUATORS and (fed & fetched or any(_touches(arg, fetched) for arg in _code(view))):
            return True
    return False


def _code(view: Sequence[Arg]) -> Iterator[Arg]:
    """What an interpreter runs: its first operand, and whatever only the shell can tell or matches files."""
    operands = [arg for arg in view[1:] if not arg.text.startswith("-")]
    yield from operands[:1]
    yield from (arg for arg in operands[1:] if arg.glob or not arg.known)


def _touches(arg: Arg, fetched: set[str]) -> bool:
    if not arg.known:
        return "$" in fetched
    return arg.glob or _ANYTHING in fetched or not fetched.isdisjoint(_parts(arg.text))


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".", "..")]


def _last(arg: Arg) -> str:
    return arg.text.rstrip("/").rpartition("/")[2]


def _names(arg: Arg) -> Iterator[str]:
    """The file names that an argument may stand for: of a path, of an address, behind an option."""
    text = arg.text.partition("?")[0] if "://" in arg.text else arg.text
    last = text.rstrip("/").rpartition("/")[2].rpartition("=")[2]
    for name in (last, last.removesuffix(".git"), last.lstrip("-")[1:] if last.startswith("-") else ""):
        if name not in ("", ".", "..", "-"):
            yield name
