"""What a turn may spend, in dollars and tokens: looked at before each request and before the calls of a reply run."""

from __future__ import annotations

from xun.agent.telling.ending import Stop
from xun.agent.turn import Turn
from xun.messages import Usage

_SOME = Usage(input_tokens=1, output_tokens=1)
_UNCOUNTED = "the server did not say what a reply has used, so the limit of {} cannot be kept"


async def before_request(turn: Turn) -> None:
    """Raises `Stop` where nothing more may be spent, or where it could not be told whether it may."""
    if turn.limits.max_cost is not None:
        await turn.agent.learn_price()
    check_spending(turn)


def check_spending(turn: Turn) -> None:
    """Raises `Stop` once a budget is reached, and where what was spent is not known: of `turn` or one above it.

    One that is over counts on with what was started in it.
    """
    for each in turn.line():
        _check_tokens(each, each.limits.max_tokens)
        _check_cost(each, each.limits.max_cost)


def _check_tokens(turn: Turn, limit: int | None) -> None:
    if limit is None:
        return
    if turn.uncounted:
        raise Stop("max_tokens", _UNCOUNTED.format(f"{limit:,} tokens"), kind="unknown_usage")
    spent = turn.usage.input_tokens + turn.usage.output_tokens
    if spent >= limit:
        raise Stop("max_tokens", f"the limit of {limit:,} tokens was reached: {spent:,} were used")


def _check_cost(turn: Turn, limit: float | None) -> None:
    if limit is None:
        return
    # What costs nothing need not be counted.
    if turn.uncounted and (turn.agent.model.cost(_SOME) or turn.answering.cost(_SOME)):
        raise Stop("max_cost", _UNCOUNTED.format(_dollars(limit)), kind="unknown_usage")
    if turn.cost is None:
        name = turn.agent.model_name
        text = f"the price of {name} is unknown, so the limit of {_dollars(limit)} cannot be kept"
        way = "set its price in models.toml, or limit tokens"
        if not turn.steps:  # nothing was sent
            raise Stop("usage", f"{text}; {way}", kind="unknown_price")
        raise Stop("max_cost", f"what was spent has a part of unknown price: {way}", kind="unknown_price")
    if turn.cost >= limit:
        raise Stop("max_cost", f"the limit of {_dollars(limit)} was reached: {_dollars(turn.cost)} were spent")


def _dollars(amount: float) -> str:
    return f"${amount:.4f}".rstrip("0").rstrip(".")
