"""The first minutes: is this folder trusted, and which model is there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from xun.frontends.text import visible
from xun.frontends.tui.opening import ModelOffer, Opener, choice, picked
from xun.policy.decision import Answer, Ask

Put = Callable[[Ask], Awaitable[Answer]]
_TRUST = ("trust these files from now on, as they are", "use them this time only", "leave them out")


async def ask_trust(opener: Opener, put: Put) -> None:
    """Ask once about the files that this folder brings along. Raises `XunError` where a yes cannot be kept."""
    files = opener.untrusted()
    if not files:
        return
    names = "\n".join(f"  {visible(name)}" for name in files)
    question = (
        f"This folder brings files that would steer xun:\n{names}\n"
        "Whoever wrote them could tell the model what to do. Commands and writes are asked about all the same."
    )
    index = picked(
        await put(choice("trust", question, _TRUST, title=f"Trust {visible(str(opener.folder))}?", default=2))
    )
    if index in (0, 1):
        opener.trust(keep=index == 0)


async def ask_model(opener: Opener, put: Put, say: Callable[[str], None]) -> ModelOffer | None:
    """Let the person choose among the models that can be used here. None when they decline."""
    offers = await opener.offers()
    while True:
        question = "xun needs a model. Keys are read from the environment or the configuration file."
        index = picked(await put(choice("model", question, _labels(offers), title="Which model?")))
        if index is None:
            return None
        offer = offers[index]
        if offer.name:
            return offer
        say(offer.hint)


def _labels(offers: Sequence[ModelOffer]) -> list[str]:
    return [offer.label for offer in offers]
