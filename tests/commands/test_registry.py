"""What a typed line means."""

from __future__ import annotations

import pytest

from tests.agent.support import call
from tests.commands.support import Bench
from xun import ToolEnded
from xun.commands.command import Call, Command
from xun.commands.context import CommandContext
from xun.commands.outcome import Completion, Exit, Outcome, Pick, Send
from xun.commands.registry import CommandRegistry

pytestmark = pytest.mark.anyio
BUILT_IN = [
    "help",
    "policy",
    "model",
    "effort",
    "mode",
    "yolo",
    "clear",
    "compact",
    "continue",
    "retry",
    "revise",
    "tools",
    "tokens",
    "cost",
    "config",
    "sessions",
    "exit",
]


async def echo(call: Call) -> Outcome:
    return Outcome(text=f"{call.text!r} {call.args}")


async def broken(_call: Call) -> Outcome:
    raise RuntimeError("oh no")


@pytest.mark.parametrize(
    ("line", "prompt"),
    [
        ("fix the test", "fix the test"),
        ("  fix\nit  ", "fix\nit"),
        ("\\/policy is a word", "/policy is a word"),
        ("\\!important", "!important"),
        ("\\n is a new line", "\\n is a new line"),
        ("/etc/hosts is wrong", "/etc/hosts is wrong"),
        ("/src/app.py: explain", "/src/app.py: explain"),
        ("// a comment", "// a comment"),
        ("/* another */", "/* another */"),
    ],
)
async def test_what_is_no_command_is_a_prompt(line: str, prompt: str) -> None:
    async with Bench() as bench:
        assert await bench.run(line) == Outcome(action=Send(prompt))


async def test_an_empty_line_does_nothing() -> None:
    async with Bench() as bench:
        assert await bench.run("  \n") == Outcome()


async def test_a_shell_line_is_run() -> None:
    async with Bench() as bench:
        assert await bench.run("!echo hi") == Outcome()
        assert bench.heard.of(ToolEnded)[0].result.content.endswith("hi")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("/polcy cmd_allowlist", "unknown command /polcy; did you mean /policy? (\\/polcy sends it as text)"),
        ("/q", "unknown command /q; /help lists them (\\/q sends it as text)"),
        ("/tmp", "unknown command /tmp; /help lists them (\\/tmp sends it as text)"),
        ("/model 'a", "a quote is not closed; write \\' or \\\" for one that stands for itself"),
        ("/model a b", "Usage: model [PROVIDER/NAME|key]"),
        ("/exit now", "Usage: exit"),
        ("/", "unknown command /; /help lists them"),
    ],
)
async def test_what_cannot_be_done_is_one_line(line: str, error: str) -> None:
    async with Bench() as bench:
        assert await bench.error(line) == error


async def test_names_are_found_in_any_case_and_by_alias() -> None:
    async with Bench() as bench:
        assert await bench.action("/EXIT") == Exit() == await bench.action("/quit")


async def test_arguments_are_words_with_quotes_or_the_text_as_it_is() -> None:
    registry = CommandRegistry(
        [Command("words", "Words.", echo, while_busy=True), Command("raw", "Raw.", echo, raw=True, while_busy=True)]
    )
    async with Bench() as bench:
        said = [await registry.execute(line, bench.context) for line in ("/words 'a b' c\\ d", "/raw it's 'a  b'\nx")]
    assert [outcome.text for outcome in said] == [
        repr("'a b' c\\ d") + " ('a b', 'c d')",
        repr("it's 'a  b'\nx") + " ()",
    ]


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("flag", ["-h", "--help"])
async def test_every_command_explains_itself(name: str, flag: str) -> None:
    async with Bench() as bench:
        text = await bench.text(f"/{name} {flag}")
        command = bench.registry.find(name)
    assert command is not None
    assert text.startswith(f"{command.help}\nUsage: {name}")
    assert bench.heard == []


async def test_all_commands_are_there_and_help_lists_them() -> None:
    async with Bench() as bench:
        assert [command.name for command in bench.registry] == BUILT_IN
        listed = await bench.text("/help")
        shown = [line.split()[0] for line in listed.splitlines() if line.startswith("/")]
        assert shown == [f"/{name}" for name in BUILT_IN]
        assert await bench.text("/help /policy") == await bench.text("/policy --help")
        assert await bench.error("/help nothing") == "there is no command nothing; /help lists them"


def test_a_name_is_given_once() -> None:
    registry = CommandRegistry([Command("one", "One.", echo, aliases=("uno",))])
    for name in ("one", "uno"):
        with pytest.raises(ValueError, match=f"there is a command /{name} already"):
            registry.register(Command(name, "Again.", echo))
    with pytest.raises(ValueError, match="a command's name"):
        Command("No Name", "Bad.", echo)
    assert [command.name for command in registry] == ["one"] and registry.names == {"one", "uno"}


async def test_a_fault_of_a_command_is_one_line() -> None:
    registry = CommandRegistry([Command("broken", "Broken.", broken)])
    async with Bench() as bench:
        outcome = await registry.execute("/broken", bench.context)
    assert outcome.error == "/broken failed (RuntimeError: oh no); please report it"


async def test_what_works_while_a_turn_runs_is_said_by_each_command() -> None:
    said: dict[str, Outcome] = {}

    async def look() -> str:
        """Look."""
        for command in bench.registry:
            if command.name not in ("yolo", "mode"):
                said[command.name] = await bench.registry.execute(f"/{command.name}", bench.context)
        return "looked"

    bench = Bench([call("look"), {"text": "ok"}], look)
    async with bench:
        assert (await bench.agent.run("go")).ok
    waiting = {name for name, outcome in said.items() if "has to wait: a turn is running" in outcome.error}
    assert waiting == {"model", "effort", "clear", "compact", "continue", "retry", "revise", "sessions"}
    assert waiting == {command.name for command in bench.registry if not command.while_busy}


async def test_completion_of_names_and_arguments() -> None:
    async with Bench() as bench:
        assert bench.completions("/po") == ["/policy"]
        assert bench.completions("/") == [*sorted(f"/{name}" for name in BUILT_IN), "/quit"]
        assert bench.completions("/policy path") == ["path_allowlist", "path_allowlist_add", "path_allowlist_remove"]
        assert bench.completions("/policy cmd_allowlist_remove git\\ st") == []
        assert "'git status'" in bench.completions("/policy cmd_allowlist_remove git")
        assert bench.completions("/effort h") == ["high"] and bench.completions("/effort high ") == []
        assert bench.completions("/config limits.max_t") == [
            "limits.max_tool_calls", "limits.max_time", "limits.max_tokens",
        ]  # fmt: skip
        for line in ("no command", "", "!ls", "/nothing here", "/clear x"):
            assert bench.completions(line) == []
        assert bench.registry.complete("/effort ") == []
        assert bench.registry.complete("/exi") == [Completion("/exit", "Leave; the session stays.")]


def test_a_choice_is_a_line_with_quotes_where_they_are_needed() -> None:
    pick = Pick("Model", (Completion("a/b"), Completion("x; y")), "/model")
    assert [pick.line(choice) for choice in pick.choices] == ["/model a/b", "/model 'x; y'"]


def test_a_context_needs_no_configuration() -> None:
    context = CommandContext(Bench().agent)
    context.set("model", "a/b", "/model")
    assert context.config is None and context.models() == ()
