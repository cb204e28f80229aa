"""Questions on the terminal of a one-shot run: plain numbered lines, one question at a time."""

from __future__ import annotations

import asyncio
import os
import termios
from collections.abc import Sequence
from dataclasses import dataclass

from xun.frontends.text import visible
from xun.policy.action import Run, Write, describe
from xun.policy.decision import Answer, Ask

TTY = "/dev/tty"


def terminal_there() -> bool:
    """Whether somebody can be asked: a terminal on stderr, and a controlling terminal to talk to."""
    if not os.isatty(2):
        return False
    try:
        os.close(os.open(TTY, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Option:
    label: str
    answer: Answer


class TerminalAsk:
    """`on_ask` of a run on a terminal. Further questions wait their turn."""

    def __init__(self, path: str = TTY) -> None:
        self._path = path
        self._turn = asyncio.Lock()

    async def __call__(self, ask: Ask) -> Answer:
        async with self._turn:
            fd = os.open(self._path, os.O_RDWR | os.O_NOCTTY)
            try:
                return await self._ask(fd, ask)
            finally:
                os.close(fd)

    async def _ask(self, fd: int, ask: Ask) -> Answer:
        options, default = options_of(ask)
        _write(fd, "\n".join([*describe_ask(ask), *_menu(options, default, ask), ""]))
        # What was typed before the question could be read is no answer to it.
        termios.tcflush(fd, termios.TCIFLUSH)
        while True:
            _write(fd, "> ")
            line = await _read_line(fd)
            if line is None:
                return Answer.no("the terminal was closed")
            answer = interpret(line.strip(), options, default, ask)
            if answer is not None:
                return answer
            _write(fd, f"Type a number from 1 to {len(options)}.\n")


def options_of(ask: Ask) -> tuple[list[Option], int]:
    """The choices and the index of the default."""
    if ask.choices:
        options = [Option(choice, Answer.pick(index)) for index, choice in enumerate(ask.choices)]
        return options, ask.default_choice or 0
    scope = [grant for decision in ask.decisions if not decision.hard for grant in decision.grantable]
    no = Option("no (a reason may follow: 3 use the staging server)", Answer.no())
    once = Option("yes, once", Answer.once())
    if not scope or any(decision.hard for decision in ask.decisions):
        options = [once, Option("no (a reason may follow the number)", Answer.no())]
        return options, 1 if ask.default == "no" else 0
    lasting = "yes, and do not ask again in this run for: " + ", ".join(dict.fromkeys(scope))
    return [once, Option(lasting, Answer.session()), no], 2 if ask.default == "no" else 0


def describe_ask(ask: Ask) -> list[str]:
    """The command first and whole, then why it asks."""
    lines = [""]
    if ask.question:
        lines.append(ask.title or f"{ask.agent} asks:")
        lines.append(f"  {visible(ask.question)}")
        return lines
    if ask.sub_agent:
        lines.append(f"For the sub-agent {visible(ask.sub_agent)}:")
    for decision in ask.decisions:
        match decision.action:
            case Run(command=command, cwd=cwd):
                how = f", {visible(decision.runs)}" if decision.runs else ""
                lines.append(f"Run in {visible(cwd)}{how}?")
                lines.extend(f"  {line}" for line in visible(command).splitlines())
            case Write(diff=diff) as action:
                lines.append(f"{describe(action)}?")
                lines.extend(f"  {line}" for line in visible(diff or "").splitlines())
            case action:
                lines.append(f"{visible(describe(action))}?")
        lines.extend(f"  why: {visible(reason.text)}" for reason in decision.reasons if reason.code != "write")
    return lines


def _menu(options: Sequence[Option], default: int, ask: Ask) -> list[str]:
    lines = [
        f"  {number}) {visible(option.label)}{'  [Enter]' if number - 1 == default else ''}"
        for number, option in enumerate(options, 1)
    ]
    if ask.allow_extra:
        lines.append("  or type your own answer")
    return lines


def interpret(line: str, options: Sequence[Option], default: int, ask: Ask) -> Answer | None:
    """What a typed line means; None when it means nothing."""
    if not line:
        return options[default].answer
    word, _, rest = line.partition(" ")
    if word.isdecimal() and 1 <= int(word) <= len(options):
        answer = options[int(word) - 1].answer
        return Answer.no(rest.strip()) if answer.kind == "no" and rest.strip() else answer
    if ask.choices:
        return Answer.say(line) if ask.allow_extra else None
    if word.lower() in ("n", "no"):
        return Answer.no(rest.strip() or None)
    if line.lower() in ("y", "yes"):
        return Answer.once()
    return None


async def _read_line(fd: int) -> str | None:
    """A line from the terminal, None at its end. Cancellable: no thread is left waiting for a key."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(fd, lambda: ready.done() or ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(fd)
    # The terminal is in line mode, so a whole line is there to be read.
    data = os.read(fd, 65_536)
    return data.decode("utf-8", "replace") if data else None


def _write(fd: int, text: str) -> None:
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(fd, data) :]
