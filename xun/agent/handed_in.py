"""What an agent is built from, checked by name before anything is made of it."""

from __future__ import annotations

from typing import Any, get_args

from xun.agent.compact import Compaction
from xun.agent.limits import Limits
from xun.errors import WrongTypeError
from xun.given import function, instance, number, one_of, text
from xun.policy.decision import Mode
from xun.policy.rules import Policy
from xun.providers.base import Effort, ModelInfo, RetryPolicy
from xun.result import printable
from xun.toolbox.toolbox import ToolBox

_FUNCTIONS = ("on_ask", "on_event", "on_always", "resolve_model")
_TEXTS = ("system", "name", "session_id", "risk_model")
_PARTS: dict[str, tuple[type, str]] = {
    "policy": (Policy, "a Policy"),
    "limits": (Limits, "a Limits object"),
    "retry": (RetryPolicy, "a RetryPolicy"),
    "model_info": (ModelInfo, "a ModelInfo"),
    "compaction": (Compaction, "a Compaction"),
    "toolbox": (ToolBox, "a ToolBox"),
    "auto_confirm": (bool, "True or False"),
}


def check_given(given: dict[str, Any]) -> None:
    """Raises `TypeError` or `ValueError`, naming the argument of `Agent`, for the first that cannot be used."""
    for name in _FUNCTIONS:
        function(name, given[name])
    for name in _TEXTS:
        instance(name, given[name], str, "text")
    for name, (kind, described) in _PARTS.items():
        instance(name, given[name], kind, described)
    one_of("effort", given["effort"], get_args(Effort))
    one_of("mode", given["mode"], get_args(Mode))
    one_of("on_nobody", given["on_nobody"], ("deny", "fail"))
    number("temperature", given["temperature"])
    if given["tools"] is not None and given["toolbox"] is not None:
        raise WrongTypeError("give either tools or toolbox: both say which tools there are")


def spoken(what: str, given: str) -> str:
    """What is said to the model, as text that JSON can carry. Raises `TypeError` for what is no text."""
    return printable(text(what, given))
