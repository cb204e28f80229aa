"""`ask_user`: a question to whoever uses the application that xun is part of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from xun.errors import WrongTypeError
from xun.given import clipped, is_async
from xun.policy.action import Action
from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext

AskUser = Callable[[str, Sequence[str]], Awaitable[str | None]]
"""Puts a question with its choices (none where any text will do), and gives the answer; None where nobody answers."""

_SECONDS = 3600.0
_ASSUME = (
    "No answer. Do not ask again. Go on with the most likely reading of the task, and state that assumption at the "
    "start of your reply."
)


def ask_user_tool(ask: AskUser) -> Callable[..., Any]:
    """The tool `ask_user`, for `ToolBox.register`, whose options change its permission, its time or its name.

    It is in no group: only the application knows how to ask. `ask` is a coroutine function. Raises `WrongTypeError`.
    """
    if not is_async(ask):
        raise WrongTypeError(f"ask must be a coroutine function (async def), not {clipped(ask)}")

    @tool_attr(concurrent=False, waits=True, replay="safe", timeout=_SECONDS, actions=_no_actions, docstyle="sections")
    async def ask_user(question: str, choices: list[str] | None = None) -> str:
        """Ask the user a question whose answer changes what you will do, and that you cannot find out yourself.

        Args:
            question: The question, complete in itself.
            choices: The possible answers; leave it out where any text will do.
        """
        answer = await ask(question, tuple(choices or ()))
        if not (answer is None or isinstance(answer, str)):
            raise WrongTypeError(f"the answer must be text, not {clipped(answer)}")
        return _ASSUME if answer is None else answer

    return ask_user


def _no_actions(arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> tuple[Action, ...]:
    return ()
