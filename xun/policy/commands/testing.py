"""The Python test runners: the workspace's own tests, with options that load, write and delete nothing else.

And the module of Python that shows JSON, which is found as they are: in the folder first.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace

from xun.policy.commands.spec import Judge, Parsed, Refused, Table, Use
from xun.policy.text.words import Arg


def _plugin(arg: Arg) -> None:
    if not re.fullmatch(r"no:[\w.-]+", arg.text):
        raise Refused("operand", f"-p {arg.text} loads a plugin", flag="-p")


def _workers(arg: Arg) -> None:
    if not re.fullmatch(r"\d{1,2}|auto|logical", arg.text):
        raise Refused("operand", f"{arg.text!r} is not a number of workers")


def _warnings(arg: Arg) -> None:
    """An action, for all or for a category of Python's own: another one is imported from where it says."""
    if not re.fullmatch(r"(?:error|ignore|always|all|default|module|once)(?:::[A-Z]\w*Warning)?", arg.text):
        raise Refused("operand", f"-W {arg.text} may import what it names", flag="-W")


_PYTEST_OPTIONS = Table(
    flags="qvxsl",
    valued={"k": "text", "m": "text", "r": "text", "p": "plugin", "n": "workers", "W": "warnings"},
    long="quiet verbose verbosity=number exitfirst maxfail=number capture=text tb=text showlocals "
    "no-showlocals lf last-failed ff failed-first nf new-first sw stepwise stepwise-skip co collect-only "
    "durations=number durations-min=number no-header no-summary color=text disable-warnings "
    "disable-pytest-warnings strict strict-markers strict-config deselect=text ignore=text ignore-glob=text "
    "runxfail show-capture=text setup-show setup-only setup-plan fixtures fixtures-per-test markers "
    "full-trace numprocesses=workers timeout=number version help no-cov",
    operands="text",
    ends=False,  # it looks for -p behind `--` too
    checks={"plugin": _plugin, "workers": _workers, "warnings": _warnings},
)


def _pytest(args: Sequence[Arg]) -> list[Use]:
    """pytest over tests of the workspace: each operand is a path, with `::test` behind it at most."""
    parsed = _PYTEST_OPTIONS.parse(args)
    _PYTEST_OPTIONS(args)
    uses = []
    for operand in parsed.operands:
        path, _, _ = operand.pattern.partition("::")
        if path.startswith("@") or not path:
            raise Refused("operand", f"{operand.text} is not a path of tests", flag=operand.text)
        if path.endswith(".py") and not _is_test_file(path.removeprefix("./")):  # it is imported, whatever it is
            raise Refused("operand", f"{operand.text} does not look like tests of the workspace", flag=operand.text)
        uses.append(Use(Arg(path.partition("[")[0]), "exec"))
    return [*uses, Use(Arg("."), "exec")]


_TEST_NAME = re.compile(r"tests?|test_\w+|\w+_tests?")


def _tests(arg: Arg) -> None:
    """A pattern of files that carry a test's name: unittest imports whatever else it is pointed at."""
    if not re.fullmatch(r"test[\w*]*\.py|[\w*]*_tests?[*]?\.py|[*]tests?[*]?\.py", arg.text):
        raise Refused("operand", f"{arg.text} does not look like a pattern of tests", flag=arg.text)


_UNITTEST = Table(
    flags="vqfb",
    valued={"k": "text", "s": "exec", "p": "text", "t": "exec"},
    long="verbose quiet locals failfast buffer durations=number start-directory=exec pattern=text "
    "top-level-directory=exec",
    operands="text",
)
_UNITTEST_ANYWHERE = replace(
    _UNITTEST,
    valued={**_UNITTEST.valued, "p": "tests"},
    long=_UNITTEST.long.replace("pattern=text", "pattern=tests"),
    checks={"tests": _tests},
)


def _unittest(args: Sequence[Arg]) -> list[Use]:
    """unittest over tests of the workspace: paths, or dotted names whose first part is a module of the folder."""
    discover = bool(args) and args[0].text == "discover"
    rest = args[1:] if discover else args
    parsed: Parsed = _UNITTEST.parse(rest)
    uses = _UNITTEST(rest)
    # In a folder of tests every file counts as one.
    starts = [use.arg.text for use in uses if use.mode == "exec"] + [one.text for one in parsed.operands[:1]]
    anywhere = not any(map(_is_test_file, starts))
    if anywhere:
        _UNITTEST_ANYWHERE(rest)
    for at, operand in enumerate(parsed.operands):
        if discover and at == 1:
            if anywhere:
                _tests(operand)
            continue
        if operand.glob:
            raise Refused("glob", "a pattern among the tests of unittest")
        if discover or "/" in operand.text or operand.text.endswith(".py"):
            uses.append(Use(operand, "exec"))
            named = discover or _is_test_file(operand.text)
        else:
            named = re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", operand.text) and _is_test(operand.text)
        if not named:
            raise Refused("operand", f"{operand.text} does not look like tests of the workspace", flag=operand.text)
    return [*uses, Use(Arg("."), "exec")]


def _is_test(dotted: str) -> bool:
    """Does the module that is imported first carry a test's name? What stands behind may be an attribute of it."""
    return _TEST_NAME.fullmatch(dotted.partition(".")[0]) is not None


def _is_test_file(path: str) -> bool:
    """Does the file, or a folder on the way to it, carry a test's name, and does the path not leave it again?"""
    return any(_TEST_NAME.fullmatch(part) for part in posixpath.normpath(path).removesuffix(".py").split("/"))


_JSON_TOOL = Table(
    long="sort-keys no-ensure-ascii json-lines indent=number tab no-indent compact help",
    most=1,  # the second operand is written to
)


def _json_tool(args: Sequence[Arg]) -> list[Use]:
    """`python -m json.tool [FILE]`: Python looks for the module in the folder first."""
    return [*_JSON_TOOL(args), Use(Arg("."), "exec")]


TESTING: dict[str, Judge] = {
    "pytest": _pytest, "python -m pytest": _pytest, "python3 -m pytest": _pytest,
    "python -m unittest": _unittest, "python3 -m unittest": _unittest,
    "python -m json.tool": _json_tool, "python3 -m json.tool": _json_tool,
}  # fmt: skip
