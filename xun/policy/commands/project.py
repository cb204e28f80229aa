"""What may stand behind a project's own command that the person has granted, such as `npm test` or `cargo test`.

They run the project's code as it is: what is allowed here chooses what of it runs and how it is told. What names other
code, another configuration or a file to write to is not, nor any option that is not known. Each name is what
`Scope.arguments` of a rule holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from xun.policy.commands.spec import Judge, Refused, Table, Use
from xun.policy.text.words import Arg


def _inside(arg: Arg) -> None:
    """A path or pattern of tests: relative, and not upwards."""
    text = arg.text
    if not text or text.startswith(("/", "~", "@", "-", "+")) or ".." in text.split("/") or "=" in text:
        raise Refused("operand", f"{text!r} is not known to name tests of the project", flag=text)


def _packages(arg: Arg) -> None:
    """Packages of a Go module: `.`, `./x`, `./x/...`."""
    if not re.fullmatch(r"\.(/[\w.-]+)*/?", arg.text) or "/../" in f"{arg.text}/":
        raise Refused("operand", f"{arg.text!r} is not a package below this folder", flag=arg.text)


def _name(arg: Arg) -> None:
    """A plain name: of a package, feature, environment, task."""
    if not re.fullmatch(r"[A-Za-z0-9_][\w.,:/-]*", arg.text):
        raise Refused("operand", f"{arg.text!r} is not a plain name")


def _duration(arg: Arg) -> None:
    if not re.fullmatch(r"\d{1,9}(\.\d+)?(ms|s|m|h)?", arg.text):
        raise Refused("operand", f"{arg.text!r} is not a time")


def _no(arg: Arg) -> None:
    if arg.text not in ("false", "0"):
        raise Refused("operand", f"{arg.text!r} would leave it running")


def _reporter(arg: Arg) -> None:
    """A reporter by its name among those that print; any other name is a module that would be loaded."""
    if arg.text not in ("line", "list", "dot", "verbose", "default", "basic", "spec", "min", "tap", "progress"):
        raise Refused("operand", f"{arg.text!r} is not a reporter that only prints")


def _nowhere(arg: Arg) -> None:
    if arg.text != "/dev/null":
        raise Refused("operand", f"it would write {arg.text}", flag=arg.text)


def _format(arg: Arg) -> None:
    """A form of output that is built in: any other name is a module that would be loaded."""
    if arg.text not in ("stylish", "json", "compact", "unix", "human", "short", "p", "d", "progress", "documentation"):
        raise Refused("operand", f"{arg.text!r} is not a form of output that only prints")


def _nothing(arg: Arg) -> None:
    raise Refused("operand", f"{arg.text!r} behind a project's command is not known to be harmless", flag=arg.text)


# By what environments and sessions are called that test and check: others may release what is there.
_TESTING = re.compile(
    r"(?:(?:py|pypy|python)[\d.]*|tests?|unit|integration|lint\w*|checks?|types?|typing|typecheck|mypy|pyright|flake8|ruff"
    r"|black|style|cov(?:erage)?|doctests?|docs?)(?:[-_](?!release|publish|upload|deploy)[\w.]+)*"
)


def _tests(arg: Arg) -> None:
    for name in arg.text.split(","):
        if not _TESTING.fullmatch(name):
            raise Refused("operand", f"{name} need not be one of the project's tests", flag=arg.text)


_CHECKS = {
    "none": _nothing,
    "inside": _inside,
    "packages": _packages,
    "name": _name,
    "tests": _tests,
    "duration": _duration,
    "no": _no,
    "reporter": _reporter,
    "format": _format,
    "nowhere": _nowhere,
}


def _table(long: str = "", *, flags: str = "", operands: str = "none", **valued: str) -> Table:
    """Options as in `Table`, the short ones with a value as keywords."""
    return Table(flags=flags, valued=valued, long=long, operands=operands, checks=_CHECKS)


_NOTHING = _table()
_RUNNERS = {
    "jest": _table(
        "testNamePattern=text testPathPattern==inside testPathPatterns==inside verbose ci bail silent runInBand "
        "maxWorkers=name forceExit detectOpenHandles passWithNoTests listTests onlyFailures onlyChanged no-coverage "
        "watch==no watchAll==no testTimeout=number colors no-colors expand logHeapUsage findRelatedTests",
        flags="ibo", t="text", w="name", operands="inside",
    ),
    "vitest": _table(
        "run testNamePattern=text reporter==reporter bail==number silent no-color testTimeout==number "
        "passWithNoTests watch==no hideSkippedTests no-coverage",
        t="text", operands="inside",
    ),
    "mocha": _table(
        "grep=text invert bail reporter=reporter timeout=duration exit forbid-only forbid-pending color no-color",
        flags="bi", g="text", R="reporter", t="duration", operands="inside",
    ),
    "playwright": _table(
        "grep=text grep-invert=text project=name workers=number reporter=reporter retries=number timeout=number "
        "max-failures=number list quiet forbid-only pass-with-no-tests last-failed repeat-each=number",
        flags="x", g="text", j="number", operands="inside",
    ),
    "eslint": _table("quiet max-warnings=number color no-color format=format", f="format", operands="inside"),
    "tsc": _table("noEmit pretty"),
    "ava": _table("match=text verbose fail-fast serial", flags="vs", m="text", operands="inside"),
}  # fmt: skip
_RUNNERS["node"] = _RUNNERS["tsx"] = _NOTHING
_NPM = _table("silent quiet verbose", flags="s")

_CARGO = _table(
    "quiet verbose all workspace package=name lib bins bin=name test=name tests example=name examples bench=name "
    "benches doc no-run release all-features features=name no-default-features all-targets locked offline frozen "
    "no-fail-fast jobs=number color=name keep-going exclude=name profile=name message-format=format",
    flags="qvr", p="name", j="number", F="name", operands="inside",
)  # fmt: skip
_LIBTEST = _table(
    "nocapture no-capture test-threads=number exact ignored include-ignored skip=text show-output list color=name",
    flags="q",
    operands="inside",
)
_LINTS = _table(D="name", W="name", A="name", F="name")

_GO_FLAGS = {
    "v": "", "run": "text", "count": "number", "race": "", "short": "", "timeout": "duration", "bench": "text",
    "benchmem": "", "benchtime": "duration", "cover": "", "failfast": "", "json": "", "list": "text", "skip": "text",
    "parallel": "number", "cpu": "number", "p": "number", "shuffle": "name", "tags": "name", "x": "", "n": "",
    "o": "nowhere",
}  # fmt: skip


def _go(args: Sequence[Arg]) -> list[Use]:
    """The go command: options have one dash or two, with the value behind `=` or as the next word."""
    queue = list(args)
    while queue:
        arg = queue.pop(0)
        option = re.fullmatch(r"--?([a-z]+)(=(.*))?", arg.pattern, re.DOTALL)
        if option is None:
            _packages(arg)
            continue
        kind = _GO_FLAGS.get(option[1])
        if kind is None:
            raise Refused("flag", f"the option -{option[1]} is not known to be harmless", flag=arg.text)
        value = Arg(option[3]) if option[2] else None
        if kind == "" and value is not None and value.text not in ("true", "false"):
            raise Refused("flag", f"-{option[1]} takes no such value", flag=arg.text)
        if kind and value is None:
            if not queue:
                raise Refused("missing", f"the value of -{option[1]} is missing")
            value = queue.pop(0)
        if kind and value is not None:
            _NOTHING.value("text" if kind == "text" else kind, value, _NOTHING.parse(()))
    return []


def _maven(args: Sequence[Arg]) -> list[Use]:
    rest = []
    for arg in args:
        if arg.text.startswith("-D"):
            if arg.glob or not re.fullmatch(r"-D(test|it\.test)=[\w.*#+,]+|-Dskip(Tests|ITs)(=true)?", arg.text):
                raise Refused("flag", f"{arg.text} sets a property that is not known to be harmless", flag=arg.text)
        elif arg.text != "-ntp":
            rest.append(arg)
    options = "quiet batch-mode offline errors fail-at-end no-transfer-progress"
    return _table(options, flags="qBoe", T="name")(rest)


_PLAIN: dict[str, Judge] = {
    "none": _NOTHING,
    "make": _table(
        "jobs==number keep-going silent quiet no-print-directory dry-run always-make", flags="ksnB", j="number"
    ),
    "go": _go,
    "golangci-lint": _table("verbose timeout=duration new fast color=name", flags="vn", operands="packages"),
    "mix": _table(
        "trace stale failed seed=number max-failures=number only=name exclude=name include=name cover force color "
        "no-color warnings-as-errors all-warnings slowest=number",
        operands="inside",
    ),
    "format": _table("all verbose quiet", flags="vq"),
    "rspec": _table(
        "format=format color no-color fail-fast seed=number example=text only-failures next-failure order=name",
        flags="b", f="format", e="text", operands="inside",
    ),
    "tox": _table("parallel=name quiet verbose", flags="qv", e="tests"),
    "nox": _table("session=tests sessions=tests reuse-existing-virtualenvs", flags="rR", s="tests"),
    "gradle": _table(
        "info quiet stacktrace continue offline rerun-tasks tests=text no-daemon console=name parallel warn",
        flags="iqsw",
    ),
    "maven": _maven,
    "ctest": _table(
        "output-on-failure verbose parallel=number rerun-failed stop-on-failure progress quiet",
        flags="VQ", R="text", E="text", L="name", j="number",
    ),
    "cmake": _table("parallel=number verbose", flags="v", j="number"),
}  # fmt: skip


def refused_behind(name: str, args: Sequence[Arg]) -> Refused | None:
    """Why `args` are not known to be harmless behind a granted command, None where they are."""
    if not all(arg.known for arg in args):
        return Refused("expansion", "behind it stands a word that only the shell can tell")
    try:
        _judge_of(name)(args)
    except Refused as refused:
        return refused
    return None


@lru_cache(maxsize=64)
def _judge_of(name: str) -> Judge:
    if name in _PLAIN:
        return _PLAIN[name]
    family, _, inner = name.partition(":")
    match family:
        case "npm":  # its own options, then `--`, then those of the program that the script ends with
            return _split(_NPM, _runner(inner))
        case "script":  # all of them go to that program
            return _after_dashes(_runner(inner))
        case "cargo":
            return _split(_CARGO, {"test": _LIBTEST, "clippy": _LINTS}.get(inner, _NOTHING))
        case "pytest":
            return _pytest
    return _NOTHING


def _runner(name: str) -> Judge:
    return _pytest if name == "pytest" else _RUNNERS.get(name, _NOTHING)


def _pytest(args: Sequence[Arg]) -> list[Use]:
    from xun.policy.commands.testing import TESTING

    for use in TESTING["pytest"](args):
        _inside(use.arg)
    return []


def _split(before: Judge, behind: Judge) -> Judge:
    """`before` judges the arguments up to `--`, `behind` those after it."""

    def judge(args: Sequence[Arg]) -> list[Use]:
        at = next((at for at, arg in enumerate(args) if arg.text == "--"), len(args))
        return [*before(args[:at]), *behind(args[at + 1 :])]

    return judge


def _after_dashes(judge: Judge) -> Judge:
    return lambda args: judge(args[1:] if args and args[0].text == "--" else args)
