"""What is said of repeating calls: by tools, by toolboxes, by the configuration of an agent."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from xun import (
    Agent,
    AgentConfig,
    ConfigurationError,
    ScriptedProvider,
    Tool,
    ToolBox,
    ToolPolicy,
    ToolRetry,
    tool_attr,
)
from xun.toolbox.attr import Permission
from xun.toolbox.replay import ReplayPolicy


def look(place: str) -> str:
    """Look."""
    return place


def agent_with(tools: Any, **said: Any) -> Agent[Any]:
    return Agent(ScriptedProvider([]), tools=tools, config=AgentConfig(tool_policy=ToolPolicy(**said)))


@pytest.mark.spec("H-SCH-13")
@pytest.mark.parametrize("given", [*ReplayPolicy, "safe", "idempotent", "manual"])
def test_a_replay_policy_is_one_of_the_words_and_kept_as_that_word(given: Any) -> None:
    @tool_attr(replay=given)
    def act() -> None:
        """Act."""

    tool = Tool(act)
    assert tool.replay == given and type(tool.replay) is str
    assert type(tool.attr.replay) is str


@pytest.mark.spec("H-RES-08")
def test_permissions_and_replay_policies_are_text() -> None:
    assert (Permission.ASK, ReplayPolicy.SAFE) == ("ask", "safe")
    assert f"{Permission.DENY} {ReplayPolicy.MANUAL}" == "deny manual"
    tool = Tool(look).with_options(permission=Permission.ASK)
    assert tool.permission == "ask" and type(tool.permission) is str


@pytest.mark.spec("H-RPL-09")
def test_nothing_is_taken_for_repeatable_unless_it_is_said() -> None:
    async def fetch(url: str) -> str:
        return url

    box = ToolBox().register(look, fetch)
    label = box.register_with_schema("label", "Label.", {"type": "object", "properties": {}}, lambda: None)
    assert {tool.replay for tool in (*box.list_tools(), label, Tool(look))} == {"manual"}


def test_the_tools_that_only_read_and_the_one_that_writes_whole_files_say_so() -> None:
    said = {tool.name: tool.replay for tool in ToolBox().with_defaults().list_tools() if tool.replay != "manual"}
    reading = {"list_dir", "read_file", "glob", "grep", "read_todos"}
    assert said == {**dict.fromkeys(reading, "safe"), "write_file": "idempotent", "write_todos": "idempotent"}


@pytest.mark.spec("H-SCH-09")
def test_all_options_are_keywords_wherever_a_tool_is_registered() -> None:
    def check(value: Any) -> bool:
        return value is None

    retry = ToolRetry(attempts=2)
    options: dict[str, Any] = {
        "permission": "ask", "concurrent": False, "replay": "safe", "timeout": 3, "retry": retry,
        "retry_if_result": check,
    }  # fmt: skip
    schema = {"type": "object", "properties": {}}
    box = ToolBox()
    tools = [
        box.register_with_schema("label", "Label.", schema, lambda: None, **options),
        box.register_with_schema("label", "Label.", schema, lambda: None, replace=True, **options),
    ]
    for tool in tools:
        said = (tool.permission, tool.concurrent, tool.replay, tool.timeout, tool.retry, tool.retry_if_result)
        assert said == ("ask", False, "safe", 3, retry, check)
    with pytest.raises(TypeError):
        box.register_with_schema("other", "Other.", schema, lambda: None, "ask")  # ty: ignore[too-many-positional-arguments]


@pytest.mark.spec("H-BOX-02")
def test_the_decorator_takes_them_too_and_registering_again_resets_nothing() -> None:
    box = ToolBox()

    @box.tool(permission="ask", replay="safe", retry=ToolRetry(attempts=5))
    def calculate(a: int, b: int) -> int:
        """Multiply two numbers."""
        return a * b

    assert calculate(6, 7) == 42
    [tool] = box.list_tools()
    again = tool.with_options(permission="deny")
    assert (tool.permission, tool.replay, tool.retry) == ("ask", "safe", ToolRetry(attempts=5))
    assert (again.permission, again.replay, again.retry) == ("deny", "safe", ToolRetry(attempts=5))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"replay": "always"}, "replay must be one of safe, idempotent, manual, not 'always'"),
        ({"replay": None}, "replay must be one of safe, idempotent, manual, not None"),
        ({"permission": "maybe"}, "permission must be one of allow, ask, deny, not 'maybe'"),
        ({"retry": 3}, "retry must be a ToolRetry object, not 3"),
        ({"retry_if_result": "429"}, "retry_if_result must be a function, not '429'"),
    ],
)
def test_a_wrong_option_is_refused_by_name(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        ToolBox().register(look, **options)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ToolRetry(attempts=0), "attempts must be 1 or more, not 0"),
        (lambda: ToolRetry(attempts=1.5), "attempts must be a whole number, not 1.5"),  # ty: ignore[invalid-argument-type]
        (lambda: ToolRetry(attempts=True), "attempts must be a whole number, not True"),
        (lambda: ToolRetry(backoff=-1), "backoff must be a number from 0 on, not -1"),
        (lambda: ToolRetry(backoff=None), "backoff must be a number, not None"),  # ty: ignore[invalid-argument-type]
        (lambda: ToolRetry(max_backoff=float("inf")), "max_backoff must be a number from 0 on, not inf"),
        (lambda: ToolRetry(retry_error_results=1), "retry_error_results must be True or False, not 1"),  # ty: ignore[invalid-argument-type]
        (lambda: ToolPolicy(default_timeout=0), "default_timeout must be a positive number of seconds, not 0"),
        (lambda: ToolPolicy(default_timeout=math.inf), "default_timeout must be a positive number of seconds, not inf"),
        (lambda: tool_attr(timeout=math.inf), "timeout must be a positive number of seconds, not inf"),
        (lambda: ToolPolicy(dedupe_calls="yes"), "dedupe_calls must be True or False, not 'yes'"),  # ty: ignore[invalid-argument-type]
        (lambda: ToolPolicy(retry=3), "retry must be a ToolRetry object, not 3"),  # ty: ignore[invalid-argument-type]
        (lambda: ToolBox(policy=ToolRetry()), "policy must be a ToolPolicy object"),  # ty: ignore[invalid-argument-type]
        (lambda: Agent("demo", tool_policy=3), "tool_policy must be a ToolPolicy object, not 3"),  # ty: ignore[invalid-argument-type]
    ],
)  # fmt: skip
def test_a_wrong_policy_is_refused_by_name(make: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        make()


@pytest.mark.spec("H-RPL-11")
def test_waits_double_up_to_a_bound_and_one_attempt_makes_no_other() -> None:
    retry = ToolRetry()
    assert (retry.attempts, retry.backoff, retry.max_backoff, retry.retry_error_results) == (3, 0.5, 30.0, False)
    for attempt, most in ((1, 0.5), (2, 1.0), (4, 4.0), (8, 30.0), (5_000, 30.0)):
        assert 0.75 * most <= retry.delay(attempt) <= most
    safe = Tool(look).with_options(replay="safe")
    assert ToolPolicy(retry=ToolRetry(attempts=1)).retry_of(safe) is None
    with pytest.raises(FrozenInstanceError):
        retry.attempts = 5  # ty: ignore[invalid-assignment]


@pytest.mark.spec("H-BOX-11")
@pytest.mark.parametrize("tools", [[look], (), ToolBox().register(look)], ids=["functions", "none", "toolbox"])
def test_the_configuration_reaches_the_toolbox_of_the_agent(tools: Any) -> None:
    agent = agent_with(tools, default_timeout=60, dedupe_calls=True)
    assert (agent.toolbox.policy.default_timeout, agent.toolbox.policy.dedupe_calls) == (60, True)
    assert Agent(ScriptedProvider([]), tool_policy=ToolPolicy(default_timeout=3)).toolbox.policy.default_timeout == 3


@pytest.mark.spec("H-BOX-12")
def test_a_toolbox_goes_before_the_configuration_and_that_before_what_is_built_in() -> None:
    assert ToolBox().policy == ToolPolicy(25.0, False, ToolRetry())
    box = ToolBox(policy=ToolPolicy(default_timeout=5, retry=ToolRetry(attempts=9)))
    assert box.policy == ToolPolicy(5, False, ToolRetry(attempts=9))
    agent = agent_with(box, default_timeout=60, dedupe_calls=True, retry=ToolRetry(attempts=2))
    assert agent.toolbox.policy == ToolPolicy(5, True, ToolRetry(attempts=9))
    assert agent.toolbox.clone().policy == agent.toolbox.policy
    off = ToolBox(policy=ToolPolicy(dedupe_calls=False))
    assert agent_with(off, dedupe_calls=True).toolbox.policy.dedupe_calls is False


def test_a_toolbox_of_two_agents_holds_the_same_tools_for_both_and_its_own_policy_for_each() -> None:
    box = ToolBox()
    one, two = agent_with(box, default_timeout=60), agent_with(box, default_timeout=3)
    box.register(look)
    two.toolbox.disable("look")
    assert "look" in one.toolbox and one.toolbox.list_tools() == [] == box.list_tools()
    one.toolbox.enable("look")
    assert len(two.toolbox.list_tools()) == 1
    limits = [each.policy.default_timeout for each in (box, one.toolbox, two.toolbox)]
    assert limits == [25.0, 60, 3]
    assert Agent(ScriptedProvider([]), tools=box).toolbox is box


@pytest.mark.spec("H-BOX-13")
@pytest.mark.spec("H-RPL-01")
def test_a_limit_of_its_own_is_never_changed() -> None:
    box = ToolBox(policy=ToolPolicy(default_timeout=60)).register(look).with_defaults("grep", "bash")
    slow = box.register_with_schema("slow", "Slow.", {"type": "object", "properties": {}}, lambda: None, timeout=120)
    limits = {tool.name: box.policy.limit_of(tool) for tool in box.list_tools()}
    alone = {tool.name: ToolBox().policy.limit_of(tool) for tool in box.list_tools()}
    assert (limits["look"], limits["slow"]) == (60, 120) and slow.timeout == 120
    assert (limits["grep"], limits["bash"]) == (alone["grep"], alone["bash"])
    assert alone["look"] == Tool(look).timeout == 25.0


@pytest.mark.spec("H-BOX-16")
@pytest.mark.spec("H-RPL-16")
def test_a_retry_of_the_tool_goes_before_that_of_the_toolbox_and_of_the_configuration() -> None:
    plain = Tool(look).with_options(replay="safe")
    own = plain.with_options(retry=ToolRetry(attempts=7))
    configured = agent_with([plain], retry=ToolRetry(attempts=4)).toolbox.policy
    built = agent_with(ToolBox(policy=ToolPolicy(retry=ToolRetry(attempts=5))), retry=ToolRetry(attempts=4)).toolbox
    assert ToolBox().policy.retry_of(plain) == ToolRetry()
    assert configured.retry_of(plain) == ToolRetry(attempts=4)
    assert built.policy.retry_of(plain) == ToolRetry(attempts=5)
    assert configured.retry_of(own) == built.policy.retry_of(own) == ToolRetry(attempts=7)
    assert configured.retry_of(Tool(look)) is None
