"""The Python test runners: the workspace's own tests, with options that load, write and delete nothing else.

And the module of Python that shows JSON, which is found as they are: in the folder first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.commands.spec import Judge, Parsed, Refused, Table, Use
from xun.policy.text.words import Arg


def _plugin(arg: Arg) -> None:
    if not re.fullmatch(r"no:[\w.-]+", arg.text):
        raise Refused("operand", f"-p {arg.text} loads a plugin", flag="-p")


def _workers(arg: Arg) -> None:
    if not re.fullmatch(r"\d{1,2}|auto|logical", arg.text):
        raise Refused("operand", f"{arg.text!r} is not a number of workers")


def _report(arg: Arg) -> None:
    """Reports on the terminal alone: the others are written to where they say."""
    if not re.fullmatch(r"term(?:-missing)?(?::skip-covered)?|", arg.text):
        raise Refused("operand", f"--cov-report={arg.text} writes files", flag="--cov-report")


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
    "full-trace numprocesses=workers timeout=number version help cov? no-cov cov-branch cov-fail-under=number "
    "cov-report=report",
    operands="text",
    ends=False,  # it looks for -p behind `--` too
    checks={"plugin": _plugin, "workers": _workers, "report": _report, "warnings": _warnings},
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
        uses.append(Use(Arg(path.partition("[")[0]), "exec"))
    return [*uses, Use(Arg("."), "exec")]


_UNITTEST = Table(
    flags="vqfb",
    valued={"k": "text", "s": "exec", "p": "text", "t": "exec"},
    long="verbose quiet locals failfast buffer durations=number start-directory=exec pattern=text "
    "top-level-directory=exec",
    operands="text",
)


def _unittest(args: Sequence[Arg]) -> list[Use]:
    """unittest over tests of the workspace: paths, or dotted names whose first part is a module of the folder."""
    discover = bool(args) and args[0].text == "discover"
    rest = args[1:] if discover else args
    parsed: Parsed = _UNITTEST.parse(rest)
    uses = _UNITTEST(rest)
    for operand in parsed.operands:
        if operand.glob:
            raise Refused("glob", "a pattern among the tests of unittest")
        if discover or "/" in operand.text or operand.text.endswith(".py"):
            uses.append(Use(operand, "exec"))
        elif not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", operand.text) or not _is_test(operand.text):
            raise Refused("operand", f"{operand.text} does not look like tests of the workspace", flag=operand.text)
    return [*uses, Use(Arg("."), "exec")]


def _is_test(dotted: str) -> bool:
    """Does a module on the way to `dotted` carry a test's name? unittest calls whatever else it is pointed at."""
    modules = dotted.split(".")
    return any(re.fullmatch(r"tests?|test_\w+|\w+_tests?", part) for part in modules[:3])


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
