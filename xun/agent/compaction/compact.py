"""When a conversation is made smaller, by how much, and when that is given up.

The cheap way comes first: old results are left out. Then the model sums up all but the latest steps, beside which the
person's own words, the plan and the names of files are kept. Either way is one `HistoryReplaced` and one `Compacted`,
told at once when everything is ready; until then, and where anything goes wrong, the history is as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xun.agent.compaction.cut import (
    kept_prompts,
    rebuilt,
    tail_start,
    uncounted,
    with_short_results,
    without_old_results,
    worth_summing_up,
)
from xun.agent.compaction.meter import Meter, estimate, estimate_fixed, of_text
from xun.agent.compaction.note import make_note
from xun.agent.compaction.summary import FEWEST_TOKENS, MOST_TOKENS, CompactionError, Order, summarise
from xun.agent.telling.ending import Stop
from xun.agent.telling.totals import OnSpent, Spent
from xun.agent.turn import Turn
from xun.errors import ConfigurationError, WrongTypeError
from xun.events import AnyEvent, Compacted, HistoryReplaced, Notice
from xun.given import clipped
from xun.messages import Message, Usage
from xun.providers.base import ModelInfo

if TYPE_CHECKING:
    from xun.agent.base import AgentBase

GUESSED_WINDOW = 150_000
"""Tokens taken for the context window of a model whose window is not known."""
MAX_ATTEMPTS = 3
"""Compactions that do not hold, between two messages of the person, after which there is no point in more."""
_RELIEF = 0.7  # of the bound: leaving old results out is enough where it brings the context below this


class NothingToCompactError(CompactionError):
    """Everything in the conversation is recent, or the person's own words."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """When and how a conversation is compacted by itself.

    It is when the next request would hold more than `max_context_tokens`, or more than `threshold` of the model's
    window, whichever is less. None leaves it to the window, or `GUESSED_WINDOW` where that is unknown. The latest
    steps are kept as they are, up to `keep_tokens` and a quarter of the window. Raises `ValueError` for a value out of
    range.
    """

    enabled: bool = True
    threshold: float = 0.8
    keep_tokens: int = 20_000
    max_context_tokens: int | None = GUESSED_WINDOW

    def __post_init__(self) -> None:
        if not isinstance(self.enabled, bool):
            raise WrongTypeError(f"enabled must be True or False, not {clipped(self.enabled)}")
        share = self.threshold
        if isinstance(share, bool) or not isinstance(share, int | float):
            raise WrongTypeError(f"threshold must be a number, not {clipped(share)}")
        if not 0 < share <= 1:
            raise ConfigurationError(f"threshold must be above 0 and at most 1, not {share}")
        for name in ("keep_tokens", "max_context_tokens"):
            value = getattr(self, name)
            if value is None and name == "max_context_tokens":
                continue
            if isinstance(value, bool) or not isinstance(value, int):
                raise WrongTypeError(f"{name} must be a whole number, not {clipped(value)}")
            if value < 1:
                raise ConfigurationError(f"{name} must be positive, not {value}")

    def window(self, model: ModelInfo) -> int | None:
        """Tokens of context that there are for `model`, None where nobody has said."""
        guessed = model.context_window is None and self.max_context_tokens == GUESSED_WINDOW
        return None if guessed else model.context_window or self.max_context_tokens

    def bound(self, model: ModelInfo) -> int:
        """Tokens above which a conversation with `model` is compacted."""
        share = None if model.context_window is None else int(model.context_window * self.threshold)
        return min(
            (tokens for tokens in (share, self.max_context_tokens) if tokens is not None), default=GUESSED_WINDOW
        )


@dataclass(frozen=True, slots=True)
class Work:
    """One compaction to be done. `cheaply` lets old results be left out where that is enough."""

    bound: int
    automatic: bool
    emit: Callable[[AnyEvent], Any]
    spend: OnSpent
    hint: str = ""
    cheaply: bool = False


class Compactor:
    """Compacts the conversation of one agent, and knows its size."""

    def __init__(self, settings: Compaction) -> None:
        self.settings = settings
        self._meter = Meter()
        self._fixed: tuple[object, object, float] = (None, None, 0.0)
        self._prompt: Message | None = None
        self._attempts = 0

    def tokens(self, agent: AgentBase) -> int:
        """Tokens of the next request, as best known."""
        system, tools = agent.system_prompt(), agent.tool_specs()
        if self._fixed[0] is not system or self._fixed[1] is not tools:
            self._fixed = (system, tools, estimate_fixed(system, tools))
        return self._meter.tokens(agent.messages, self._fixed[2])

    def tokens_of(self, text: str) -> int:
        """Tokens of `text`, as best known."""
        return round(of_text(text) * self._meter.ratio)

    def replaced(self) -> None:
        """The conversation is another one now, and is counted anew."""
        self._meter.replaced()

    # Within a turn

    async def before_step(self, turn: Turn) -> None:
        """Compact where the context is nearly full. Raises `Stop` where that has been tried enough."""
        if not self.settings.enabled:
            return
        tokens, bound = self.tokens(turn.agent), self.settings.bound(turn.agent.model)
        self._judge(tokens, bound)
        if tokens <= bound:
            return
        if self._attempts < MAX_ATTEMPTS:
            await self._try(turn, bound, cheaply=self._attempts == 0)
        elif self.settings.window(turn.agent.model) is not None:
            raise Stop("error", _full(tokens, bound, turn.agent.model_name), "context_full")

    async def after_refusal(self, turn: Turn) -> bool:
        """Compact because the provider found the request too long. True where the history is smaller now."""
        if not self.settings.enabled or self._attempts >= MAX_ATTEMPTS:
            return False
        tokens, bound = self.tokens(turn.agent), self.settings.bound(turn.agent.model)
        return await self._try(turn, min(bound, int(tokens * self.settings.threshold)), cheaply=False)

    def _judge(self, tokens: int, bound: int) -> None:
        """Forget earlier attempts once the person has spoken, or once the provider has counted that they helped."""
        helped = self._meter.measured and tokens <= bound // 2
        if helped or self._meter.prompt is not self._prompt:
            self._prompt, self._attempts = self._meter.prompt, 0

    async def _try(self, turn: Turn, bound: int, *, cheaply: bool) -> bool:
        self._attempts += 1
        work = Work(bound, automatic=True, emit=turn.emit, spend=turn.spend, cheaply=cheaply)
        try:
            await self._compact(turn.agent, work)
        except NothingToCompactError:
            self._attempts -= 1  # nothing was asked and nothing changed; the next steps may bring what can be summed up
            return False
        except CompactionError as error:
            turn.emit(Notice(level="error", text=str(error)))
            return False
        return True

    # Between turns

    async def by_hand(self, agent: AgentBase, hint: str) -> Compacted:
        """Sum up the conversation at once. Raises `CompactionError`."""

        def spend(usage: Usage | None, model: ModelInfo, _whole: bool) -> None:
            if usage is not None:
                agent.totals.add(model.full_name, usage, model.cost(usage))

        bound = self.settings.bound(agent.model)
        return await self._compact(agent, Work(bound, automatic=False, emit=agent.bus.emit, spend=spend, hint=hint))

    # The work itself

    async def _compact(self, agent: AgentBase, work: Work) -> Compacted:
        before, messages = self.tokens(agent), tuple(agent.messages)
        place = self._place(messages, min(work.bound // 4, before // 4))
        head, tail = messages[:place], self._fitting(messages[place:], work.bound // 2)
        summable = worth_summing_up(head)
        if work.automatic and (shorter := self._cheaper(messages, head, tail, before, work, summable)) is not None:
            changed = sum(new is not old for new, old in zip(shorter, messages, strict=True))
            return self._apply(agent, work, uncounted(messages, shorter), before, changed)
        if not summable:
            raise NothingToCompactError("there is nothing to compact: all of the conversation is recent or your own")
        prompts, missing = kept_prompts(head, work.bound / 4, self._weigh)
        spent = Spent()

        def spend(usage: Usage | None, model: ModelInfo, whole: bool) -> None:
            if usage is not None:
                spent.add(usage, model.cost(usage))
            work.spend(usage, model, whole)

        summary = await summarise(agent, self._order(head, work, before), spend, work.emit)
        note = make_note(summary, head, agent.state.get("todos"), missing)
        whole = rebuilt(head, tail, note, prompts)
        if self._size(whole) >= self._size(messages):
            raise CompactionError("the conversation was not compacted: the summary is as long as what it stands for")
        return self._apply(agent, work, whole, before, len(head) - len(prompts), summary, spent)

    def _place(self, messages: Sequence[Message], keep: int) -> int:
        """Where the part begins that is kept. Where all would be, only the last unit is."""
        place = tail_start(messages, min(self.settings.keep_tokens, keep), self._weigh)
        return place if worth_summing_up(messages[:place]) else tail_start(messages, 0, self._weigh)

    def _fitting(self, tail: Sequence[Message], room: int) -> list[Message]:
        """`tail`, its results shortened where it alone would fill too much of the context."""
        results = sum(len(message.results) for message in tail)
        if not results or self._size(tail) <= room:
            return list(tail)
        return with_short_results(tail, int(room / self._meter.ratio * 3 / results))

    def _cheaper(
        self, messages: Sequence[Message], head: Sequence[Message], tail: Sequence[Message], before: int, work: Work,
        summable: bool,
    ) -> list[Message] | None:  # fmt: skip
        """The history without its old results, where that is enough or all that can be done."""
        shorter = [*without_old_results(head), *tail]
        saved = self._size(messages) - self._size(shorter)
        enough = work.cheaply and before - saved <= work.bound * _RELIEF
        return shorter if saved > 0 and (enough or not summable) else None

    def _order(self, head: Sequence[Message], work: Work, before: int) -> Order:
        return Order(
            messages=head,
            hint=work.hint,
            record_tokens=min(work.bound, before) // 2,
            summary_tokens=min(max(work.bound // 8, FEWEST_TOKENS), MOST_TOKENS),
            ratio=self._meter.ratio,
        )

    def _apply(
        self, agent: AgentBase, work: Work, whole: Sequence[Message], before: int, removed: int, summary: str = "",
        spent: Spent | None = None,
    ) -> Compacted:  # fmt: skip
        agent.messages[:] = whole
        self.replaced()
        told = Compacted(
            before_tokens=before,
            after_tokens=self.tokens(agent),
            removed_messages=removed,
            automatic=work.automatic,
            summary=summary,
            usage=spent.usage if spent else Usage(),
            cost=spent.cost if spent else 0.0,
        )
        work.emit(HistoryReplaced(messages=tuple(whole), reason="compact"))
        work.emit(told)
        return told

    def _weigh(self, message: Message) -> float:
        return estimate(message) * self._meter.ratio

    def _size(self, messages: Sequence[Message]) -> float:
        return sum(map(self._weigh, messages))


def _full(tokens: int, bound: int, model: str) -> str:
    return (
        f"the context cannot be reduced: it holds {tokens:,} tokens after {MAX_ATTEMPTS} tries, more than the "
        f"{bound:,} kept to for {model}; start a new session, or use a model with a larger context window"
    )


def describe(event: Compacted) -> str:
    """One line for people on what a compaction did."""
    messages = f"{event.removed_messages} message{'s' * (event.removed_messages != 1)}"
    how = f"{messages} summed up" if event.summary else f"old results left out of {messages}"
    return f"compacted from {event.before_tokens:,} to {event.after_tokens:,} tokens: {how}"
