"""`xun run`: one task, then exit."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from xun import demo
from xun.agent.agent import Agent
from xun.agent.input.prompt import Prompt
from xun.agent.run_result import RunResult
from xun.cli import exits, signals
from xun.cli.effect import without_effect
from xun.cli.garbage import start_is_over
from xun.cli.options import (
    Allow,
    AllowWrite,
    Deny,
    EffortLevel,
    Folder,
    Fork,
    Last,
    ModelName,
    ModeName,
    NoSession,
    PolicyFiles,
    SchemaFile,
    SystemFile,
    ToolGroups,
    TrustFolder,
    check_one_session,
    groups_of,
)
from xun.cli.schema import read_schema
from xun.cli.stdin import NoTaskError, read_task
from xun.frontends.print import PrintFrontEnd
from xun.frontends.prompt_size import large
from xun.frontends.terminal_ask import TerminalAsk, terminal_there
from xun.run_plan import RunPlan, SetupError, working_folder
from xun.setup import Prepared, build_run

Output = Literal["text", "json", "stream-json"]
COLLECT_AFTER = 1.0  # seconds into the run


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How one run reads its task and shows its outcome."""

    task: str | None
    output: Output
    quiet: bool
    ignore_denials: bool
    schema: Path | None = None


def run_command(
    task: Annotated[str | None, typer.Argument(help="What is to be done; - reads it from standard input.")] = None,
    model: ModelName = None,
    effort: EffortLevel = None,
    output: Annotated[Output, typer.Option(help="The answer alone, one JSON object, or one event a line.")] = "text",
    max_steps: Annotated[int | None, typer.Option(min=1, metavar="N", help="Model replies (50).")] = None,
    max_tool_calls: Annotated[int | None, typer.Option(min=1, metavar="N", help="Tool calls (no limit).")] = None,
    max_time: Annotated[float | None, typer.Option(min=0.001, metavar="SECONDS", help="Seconds (no limit).")] = None,
    max_cost: Annotated[float | None, typer.Option(min=0.0001, metavar="DOLLARS", help="Cost (no limit).")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, metavar="N", help="Tokens, in and out (no limit).")] = None,
    mode: ModeName = None,
    allow: Allow = None,
    allow_write: AllowWrite = None,
    deny: Deny = None,
    policy: PolicyFiles = None,
    tools: ToolGroups = None,
    yes: Annotated[bool, typer.Option("--yes", help="Every question takes its default.")] = False,
    on_ask: Annotated[Literal["deny", "fail"], typer.Option(help="Nobody can answer: go on, or stop.")] = "deny",
    ignore_denials: Annotated[bool, typer.Option("--ignore-denials", help="Denials do not change the exit.")] = False,
    trust: TrustFolder = False,
    cwd: Folder = None,
    system: SystemFile = None,
    schema: SchemaFile = None,
    no_session: NoSession = False,
    resume: Annotated[str | None, typer.Option(metavar="ID", help="Go on with a session (unique prefix).")] = None,
    last: Last = False,
    fork: Fork = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")] = False,
) -> int:
    """One task, then exit. Example: xun run --allow "npm test" --allow-write src "fix the failing test"."""
    check_one_session(resume, last, fork)
    settings = {
        "model": model,
        "effort": effort,
        "mode": mode,
        "tools": groups_of(tools),
        "limits.max_steps": max_steps,
        "limits.max_tool_calls": max_tool_calls,
        "limits.max_time": max_time,
        "limits.max_cost": max_cost,
        "limits.max_tokens": max_tokens,
    }
    plan = RunPlan(
        settings=settings,
        allow=tuple(allow or ()),
        allow_write=tuple(allow_write or ()),
        deny=tuple(deny or ()),
        policy=tuple(policy or ()),
        yes=yes,
        on_nobody=on_ask,
        trust=trust,
        cwd=cwd,
        system=system,
        session=not no_session,
        resume=resume,
        last=last,
        fork=fork,
    )
    return run_task(plan, RunOptions(task, output, quiet, ignore_denials, schema))


def run_task(plan: RunPlan, options: RunOptions) -> int:
    """Do it, and return the exit code. Whatever is wrong with the call itself is said in one line."""
    front = PrintFrontEnd(options.output, quiet=options.quiet)
    try:
        task = options.task
        if plan.settings.get("model") == demo.MODEL:
            task = demo.TASK if task is None else task
            if plan.cwd is not None:
                working_folder(plan.cwd)  # it works in a copy of its own, and what is wrong is said all the same
        schema = read_schema(options.schema)
        task = read_task(task, say=front.say)
        on_ask = TerminalAsk() if terminal_there() else None
        prepared = build_run(plan, hear=front.hear, say=front.say, note=front.note, on_ask=on_ask)
        for line in without_effect(plan, prepared.agent):
            front.say(line)
    except (NoTaskError, SetupError) as error:
        return _not_begun(str(error), options)
    return asyncio.run(_main(prepared, task, schema, options, front))


async def _main(
    prepared: Prepared, task: str, schema: dict[str, Any] | None, options: RunOptions, front: PrintFrontEnd
) -> int:
    caught: list[int] = []
    asyncio.get_running_loop().call_later(COLLECT_AFTER, start_is_over)
    try:
        if refused := _size(prepared.agent, task, front):
            return _not_begun(refused, options)
        typed = options.task if options.task != "-" else None
        reading = asyncio.create_task(prepared.agent.with_files(task, typed))
        _on_signals(prepared.agent, caught, reading)
        await asyncio.wait([reading])
        turn = prepared.agent.start_turn(task if caught else reading.result(), output_schema=schema)
        if caught:
            prepared.agent.cancel()
        result = prepared.reported(await prepared.agent.outcome_of(turn))
        front.answer(result)
        front.note(prepared.epilogue(result.ok))
        if result.error is not None:
            exits.fail(result.error.message)
    finally:
        await prepared.aclose()
    if caught:
        return caught[0]
    return _code(result, options, front)


def _size(agent: Agent[Any], task: str, front: PrintFrontEnd) -> str:
    """Why `task` is too large to be sent, "" where it is not; where that is only likely, it is said."""
    prompt = large(agent, task)
    if prompt is None or not prompt.too_large:
        return ""
    if prompt.hopeless:
        return f"nothing was sent: the task {prompt.beside}; shorten it, or name a file that is to be read"
    front.say(f"the task {prompt.beside}; it may be refused")
    return ""


def _not_begun(why: str, options: RunOptions) -> int:
    if options.output != "text":
        exits.put_failure("usage", why, "usage", stream=options.output == "stream-json")
    return exits.fail(why)


def _code(result: RunResult, options: RunOptions, front: PrintFrontEnd) -> int:
    denied = [denial.by for denial in result.denials]
    code = exits.code_of(result.stop_reason, denied, ignore_denials=options.ignore_denials)
    if front.unwritten is None:
        return code
    failed = exits.fail(str(front.unwritten), exits.FAILED)
    return code if code == exits.INTERRUPTED else failed


def _on_signals(agent: Agent[Any], caught: list[int], reading: asyncio.Task[Prompt]) -> None:
    """The first signal ends the turn, or the `reading` for it, in good order; the second ends all that was begun."""
    loop = asyncio.get_running_loop()

    def on_signal(number: int, code: int) -> None:
        if caught:
            agent.processes.kill()
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        caught.append(code)
        reading.cancel()
        agent.cancel()

    for number in signals.watched():
        loop.add_signal_handler(number, on_signal, number, signals.CODES[number])
