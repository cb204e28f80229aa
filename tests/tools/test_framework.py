"""The question to the person, and the plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from xun.result import Result
from xun.toolbox.asking import NobodyError
from xun.toolbox.context import ToolCallContext
from xun.toolbox.outcome import ChoiceOutcome
from xun.toolbox.tool import Tool
from xun.tools import framework, groups

pytestmark = pytest.mark.anyio


class Host:
    """An agent that answers with `answer`, or with nobody where that is an exception."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer
        self.state: dict[str, Any] = {}
        self.asked: list[tuple[str, list[str], dict[str, Any]]] = []
        self.plans: list[list[dict[str, Any]]] = []

    async def choose(self, question: str, choices: Sequence[str], **how: Any) -> ChoiceOutcome[str]:
        self.asked.append((question, list(choices), how))
        if isinstance(self.answer, Exception):
            raise self.answer
        return ChoiceOutcome(self.answer, "user")

    def set_plan(self, todos: Sequence[dict[str, Any]]) -> None:
        self.plans.append(list(todos))


async def call(host: Host, name: str, **arguments: Any) -> Result[Any]:
    [function] = groups.functions(name)
    tool = Tool(function)
    checked = tool.validate(arguments)
    if checked.is_err():
        return checked
    return await tool.invoke(checked.unwrap(), ToolCallContext(host, name, None))


@pytest.mark.spec("X-ASK-01")
async def test_a_question_goes_to_the_person_whatever_auto_confirm_says() -> None:
    host = Host("tabs")
    answer = await call(host, "ask_preference", question="Indent?", choices=["tabs", "spaces"])
    assert answer.unwrap() == {"Q": "Indent?", "A": "tabs"}
    (asked,) = host.asked
    how = {"default": None, "auto": False, "allow_extra": False, "title": "User Preference Query"}
    assert asked == ("Indent?", ["tabs", "spaces"], how)


async def test_default_title_and_own_words_are_passed_on() -> None:
    host = Host("both")
    extra: dict[str, Any] = {"default_choice": "spaces", "allow_extra": True, "title": "Style"}
    answer = await call(host, "ask_preference", question="Indent?", choices=["tabs", "spaces"], **extra)
    assert answer.unwrap() == {"Q": "Indent?", "A": "both"}
    assert host.asked[0][2] == {"default": "spaces", "auto": False, "allow_extra": True, "title": "Style"}


@pytest.mark.spec("H-ASK-03", "C33")
async def test_without_a_person_the_model_is_told_to_assume_and_to_say_so() -> None:
    host = Host(NobodyError("nobody is there to answer"))
    answer = await call(host, "ask_preference", question="Indent?", choices=["tabs"])
    assert answer.is_ok()
    assert "nobody is there to answer" in answer.unwrap()
    assert "most likely reading" in answer.unwrap()
    assert "state that assumption at the start of your reply" in answer.unwrap()


async def test_a_default_outside_the_choices_or_no_choice_is_an_error() -> None:
    host = Host("tabs")
    wrong = await call(host, "ask_preference", question="?", choices=["tabs"], default_choice="none")
    assert wrong.unwrap_err().error == "default_choice 'none' is not one of the choices"
    assert (await call(host, "ask_preference", question="?", choices=[])).is_err()
    assert host.asked == []


@pytest.mark.spec("H-PLN-02")
async def test_the_plan_is_replaced_as_a_whole() -> None:
    host = Host()
    first = [{"content": "a", "status": "pending"}, {"content": "b", "status": "pending"}]
    second = [
        {"content": "c", "status": "in_progress", "note": {"extra": 1}},
        {"content": "d", "status": "completed"},
    ]
    assert (await call(host, "write_todos", todos=first)).unwrap() == "2 pending"
    assert (await call(host, "write_todos", todos=second)).unwrap() == "1 in_progress, 1 completed"
    assert host.plans == [first, second]
    assert host.state["todos"] == second
    assert (await call(host, "read_todos")).unwrap() == second
    assert (await call(host, "write_todos", todos=[])).unwrap() == "The plan is empty now."
    assert (await call(host, "read_todos")).unwrap() == "There is no plan."


@pytest.mark.spec("H-PLN-03")
@pytest.mark.parametrize(
    ("todos", "words"),
    [
        ([{"content": "a", "status": "pending"}, {"status": "pending"}], "todos[1] needs a content"),
        ([{"content": "  ", "status": "pending"}], "todos[0] needs a content"),
        ([{"content": 5, "status": "pending"}], "todos[0] needs a content"),
        ([{"content": "a"}], "todos[0] needs a status"),
        ([{"content": "a", "status": "done"}], "not 'done'"),
        ([{"content": "a", "status": ["pending"]}], "todos[0] needs a status"),
        (["a"], "todos"),
        ({"content": "a", "status": "pending"}, "todos"),
        ("do it", "todos"),
    ],
)
async def test_another_shape_is_one_line_of_error_and_changes_nothing(todos: Any, words: str) -> None:
    host = Host()
    kept = [{"content": "kept", "status": "pending"}]
    await call(host, "write_todos", todos=kept)
    error = (await call(host, "write_todos", todos=todos)).unwrap_err().error
    assert words in error
    assert "\n" not in error
    assert host.state["todos"] == kept
    assert host.plans == [kept]


def test_they_run_one_after_another_and_a_question_has_an_hour() -> None:
    tools = [Tool(function) for function in (*framework.TOOLS, *groups.functions("planning"))]
    assert [tool.name for tool in tools] == ["ask_preference", "write_todos", "read_todos"]
    assert not any(tool.concurrent for tool in tools)
    assert tools[0].timeout == 3600
