"""Arguments of which only a run tells the text: where one is harmless whatever it is.

Few judges let one pass. The value may begin with a dash and name any path, so it may be no option, no path and nothing
that a program takes for its instructions.
"""

from __future__ import annotations

from collections.abc import Sequence

from xun.policy.commands import Program
from xun.policy.commands.builtins import anything, bracket, double_bracket, printf, test
from xun.policy.commands.jq import jq
from xun.policy.commands.spec import Refused, Table, Use
from xun.policy.text.words import HOLE, Arg

_STANDS_FOR_ANYTHING = Arg("x")


def judge_args(program: Program, args: Sequence[Arg]) -> list[Use]:
    """The paths that a command uses. Raises `Refused` where its arguments are not known to be harmless."""
    assert program.judge is not None
    rest = args[program.length :]
    if all(arg.known for arg in args):
        return program.judge(rest)
    judge = program.judge
    if not all(arg.known for arg in args[: program.length]) or any(not arg.known and not arg.form for arg in rest):
        raise _unknown()
    if judge is anything:
        return _told(anything(rest))
    if judge is printf and rest[0].known:
        return _told(printf(rest))
    if program.name[0] in ("basename", "dirname") and all(arg.known or arg.form == "place" for arg in rest):
        return judge(rest)  # they look at the text of a path alone
    if judge in (test, bracket, double_bracket):
        return _tested(program, rest)
    if all(arg.known or arg.form in ("place", "split") for arg in rest):
        uses = judge(rest)
        # It stands for a path, or for names that are looked at: it must have been taken for one.
        if not all(arg.known or any(use.arg == arg for use in uses) for arg in rest):
            raise _unknown()
        return uses
    if (isinstance(judge, Table) or judge is jq) and not any(arg.form == "words" for arg in rest):
        then = judge.then if isinstance(judge, Table) else None
        if then is not None and any(arg.form != "stream" for arg in rest if not arg.known):
            raise _unknown()
        return judge(rest)
    raise _unknown()


def _tested(program: Program, args: Sequence[Arg]) -> list[Use]:
    """A test over a text that may be anything, in quotes: it stays one text, and names no path."""
    assert program.judge is not None
    if any(arg.form not in ("", "word", "place") for arg in args if not arg.known):
        raise _unknown()
    shown = [_STANDS_FOR_ANYTHING if arg.form == "word" else arg for arg in args]
    uses = program.judge(shown)
    if any(use.arg is _STANDS_FOR_ANYTHING for use in uses):
        raise _unknown()
    return uses


def _told(uses: Sequence[Use]) -> list[Use]:
    """Those that can be looked up."""
    return [use for use in uses if HOLE not in use.arg.pattern]


def _unknown() -> Refused:
    return Refused("expansion", "it holds a word that only the shell can tell")
