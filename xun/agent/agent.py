"""An agent: conversation, tools, policy, provider and state, with a lifecycle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any, Generic, TypeVar

from xun.agent.compaction.compacting import Compacting
from xun.agent.conversation import Conversation
from xun.agent.history import History, checked_history
from xun.agent.input.prompt import Prompt, Said, blocks_of, with_more
from xun.agent.input.showing import Showing
from xun.agent.lifecycle import Final, Init, Lifecycle, Uninit
from xun.agent.loop import run_turn
from xun.agent.mode import ModeOfWork
from xun.agent.model.choice import ModelChoice
from xun.agent.output import Output
from xun.agent.portal import run_blocking
from xun.agent.questions import Questions
from xun.agent.run_result import RunResult
from xun.agent.stream import RunStream
from xun.agent.turn import Turn
from xun.errors import ConfigurationError, RuntimeStateError
from xun.given import listener
from xun.messages import Message

__all__ = ["Agent", "RuntimeStateError"]
S = TypeVar("S")


class Agent(Lifecycle, Questions, Conversation, Compacting, ModelChoice, ModeOfWork, Showing, Generic[S]):
    """One conversation with a model that may use tools.

    `model` is a name such as "anthropic/claude-sonnet-4-6", or a provider object; with `provider` (one, or a client of
    the anthropic or openai package) it is the plain name. `tools` is a `ToolBox`, functions, or names of tools and
    of groups; `toolbox` is the same for a `ToolBox` alone. `policy` adds to the defaults and is copied. `on_ask`
    puts questions to a person; without it nobody can answer, and what must be asked is refused. `resolve_model`
    finds a model by name for `set_model`. `mode` says how much is done without asking; the risk assessor uses
    `risk_model`, or the same model, and `on_always` keeps the rules that the person wants to last. `compaction`
    says when a conversation that has grown too long is made smaller, `tool_policy` what holds for tools that say
    nothing of it themselves. `config` holds what of all this can be written down; arguments beside it go first.

    Start an agent with `with`, `async with` or `initialize()`. One turn runs at a time.
    """

    class T:
        """States, for annotations such as `Agent[Agent.T.Init]`."""

        Uninit = Uninit
        Init = Init
        Final = Final
        Alive = Uninit | Init
        Any = Uninit | Init | Final

    _instruction: tuple[Said, ...] = ()
    _refused = False  # whether it could not be run

    def instruct(self, prompt: Prompt) -> Agent[S]:
        """Set what the next `execute()` is to do: text, or a list of blocks. Called again, it adds a paragraph.

        What an `execute()` that raised was to do is there still, for another one; `instruct` then begins anew.
        """
        blocks = blocks_of(prompt)
        self._instruction = with_more(() if self._refused else self._instruction, blocks)
        self._refused = False
        return self

    def execute(self, *, context: Any = None, history: History | None = None, output_schema: Any = None) -> RunResult:
        """Run what `instruct` said and wait for the result. Usable from any thread but a running loop's own.

        A run that failed, as it does where the agent is not started, is a result that is an error, not an exception.
        """
        if self._phase != "init":
            return RunResult.never_ran(self._not_started())
        return run_blocking(self._instructed(context, history, output_schema), twin="agent.run(...)")

    async def _instructed(self, context: Any, history: History | None, output_schema: Any) -> RunResult:
        self._refused = True
        turn = self.start_turn(said := self._instruction, context, history, output_schema)
        if self._instruction is said:
            self._instruction, self._refused = (), False
        return await self.outcome_of(turn)

    async def run(
        self,
        prompt: Prompt,
        *,
        context: Any = None,
        history: History | None = None,
        output_schema: Any = None,
    ) -> RunResult:
        """Run one turn to its end. Cancelling the caller cancels the turn and waits until it has ended.

        `prompt` is text, or a list of blocks: texts, `Image`, `Document`, `Audio`, or what these are as JSON.
        `history`, any iterable, replaces the conversation first; a list is not changed. With `output_schema`, a JSON
        Schema or a type that pydantic validates, the answer must be JSON that fits, and `data` of the result holds its
        value; the model is told what is wrong as often as `output_corrections` says, and then the run fails as
        `invalid_output`.
        Raises `RuntimeStateError` when the agent is busy or not started, `ValueError` for a blank prompt, a history in
        which a call has no result, a schema that is none or a file that the model cannot be sent, and `TypeError` for
        what is no prompt.
        """
        return await self.outcome_of(self.start_turn(prompt, context, history, output_schema))

    async def outcome_of(self, turn: Turn) -> RunResult:
        """Wait for the end of `turn`, its hooks too. Cancelling the wait cancels both, and waits for the turn alone."""
        try:
            return await turn.ended()
        except asyncio.CancelledError:
            if not turn.drop_hooks() and not turn.over:
                self.leave(turn)
                await turn.ended(hooks=False)
            raise

    def run_stream(
        self,
        prompt: Prompt,
        *,
        context: Any = None,
        history: History | None = None,
        output_schema: Any = None,
    ) -> RunStream:
        """One turn as an async context manager over its events. Leaving it early cancels the turn."""
        return RunStream(self, prompt, context, history, output_schema)

    def stream_text(
        self,
        prompt: Prompt,
        *,
        on_reset: Callable[[], object] | None = None,
        context: Any = None,
        history: History | None = None,
    ) -> AsyncGenerator[str]:
        """The text of one turn as it comes. Raises `RunFailed` at its end where the run does not complete.

        What a model call that is made again has said before does not count: `on_reset`, which is not awaited, is called
        then. Close it, or use `run_stream`, where you may leave early. Raises `ConfigurationError` for an `on_reset`
        that cannot be called so, at once.
        """
        listener("on_reset", on_reset)
        return self.run_stream(prompt, context=context, history=history).answer(on_reset)

    def start_turn(
        self, prompt: Prompt, context: Any = None, history: History | None = None, output_schema: Any = None
    ) -> Turn:
        """Start a turn on the running loop and return at once. `run` and `run_stream` are made of this."""
        said = Message(role="user", blocks=blocks_of(prompt))
        self.check_started()
        self.check_idle("wait for what it does, or cancel it")
        past = self.messages if history is None else checked_history(history)
        if not said.blocks and not (past and past[-1].role != "assistant"):
            raise ConfigurationError("the prompt is empty: say what is to be done")
        if problem := self.unfit(said.media):
            raise ConfigurationError(problem)
        output = None if output_schema is None else Output(output_schema, self.config.output_corrections)
        if history is not None:
            self.put_history(past, "run")
        turn = Turn(self, said, context, output)
        self._turn = turn
        turn.begin()
        self._task = asyncio.get_running_loop().create_task(run_turn(turn), name=f"xun-turn-{self.name}")
        # A callback, not a `finally` in the task: a task cancelled before its first tick never runs its body.
        self._task.add_done_callback(turn.finish)
        return turn

    async def resume(self, *, context: Any = None) -> RunResult:
        """Run a turn without a new prompt: what was said last gets its answer, a reply that was cut off its end.

        Raises `NothingToDoError` where the model has answered already.
        """
        return await self.run(self.continuation(), context=context)

    async def retry(self, *, context: Any = None) -> RunResult:
        """Go back to the last message of the user and run it again. Raises `NothingToDoError` where there is none."""
        self.rewind()
        return await self.run("", context=context)

    def steer(self, text: str) -> bool:
        """Say `text` to the running turn: it is added before its next model call, also when the model was about to end.

        False when no turn runs: `text` then waits in `queue`, as does what a turn ended without taking up. Raises
        `ValueError` for a blank text.
        """
        if self._turn is None:
            self.queue.add(text)
            return False
        self.queue.steer(text)
        if self._turn is None:  # it ended meanwhile, on another thread
            self.queue.keep_steering()
            return False
        return True
