"""The first minutes: is this folder trusted, and which model is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from xun.errors import XunError
from xun.frontends.text import visible
from xun.frontends.tui.opening import Ears, ModelOffer, NoModelError, Opened, Opener, Put, Wanted
from xun.frontends.tui.question.choices import secret_menu
from xun.frontends.tui.question.own import choice, picked
from xun.sessions.record import SessionError
from xun.sessions.store import SessionBusy, SessionUnwritable

_TRUST = ("trust these files from now on, as they are", "use them this time only", "leave them out")
_KEY = "The key goes to its provider and nowhere else; no log or session has it."
_AGAIN = ("try again", {})
_NEW = ("start a new session", {"session": None, "fresh": True})
_WAYS: tuple[tuple[type[SessionError], tuple[tuple[str, dict[str, Any]], ...]], ...] = (
    (SessionBusy, (("go on with a copy of it", {"fork": True}), _AGAIN, _NEW)),
    (SessionUnwritable, (("keep this session in memory only", {"kept": False}), _AGAIN)),
    (SessionError, (_NEW, _AGAIN)),
)
_KEEP = ("only until xun ends", "for good, in the configuration file, which only you can read")


async def ask_trust(opener: Opener, put: Put) -> None:
    """Ask once about the files that this folder brings along. Raises `XunError` where a yes cannot be kept."""
    files = await asyncio.to_thread(opener.untrusted)
    if not files:
        return
    names = "\n".join(f"  {visible(name)}" for name in files)
    question = (
        f"This folder brings files that would steer xun:\n{names}\n"
        "Whoever wrote them could tell the model what to do. Commands and writes are asked about all the same."
    )
    title = f"Trust {visible(opener.shown_folder)}?"
    index = picked(await put(choice("trust", question, _TRUST, title=title, default=2)))
    if index in (0, 1):
        opener.trust(keep=index == 0)


async def open_somehow(opener: Opener, wanted: Wanted, ears: Ears, say: Callable[[str], None]) -> Opened | None:
    """An agent as it is wanted, or as the person then says. None when they give it up."""
    while True:
        try:
            return await asyncio.to_thread(opener.open, wanted, ears)
        except NoModelError as error:
            if wanted.model or opener.names_model:
                say(str(error))
            offer = await ask_model(opener, ears.ask, say)
            if offer is None:
                return None
            wanted = replace(wanted, model=offer.name or None, base_url=offer.base_url)
        except XunError as error:
            ways = _ways(error)
            ask = choice("open", str(error), [label for label, _ in ways], title="This cannot be opened")
            index = picked(await ears.ask(ask))
            if index is None:
                return None
            wanted = replace(wanted, **ways[index][1])


def _ways(error: XunError) -> Sequence[tuple[str, dict[str, Any]]]:
    """What can be tried instead, by what is behind `error`."""
    return next((ways for kind, ways in _WAYS if isinstance(error.__cause__, kind)), (_AGAIN, _NEW))


async def ask_model(opener: Opener, put: Put, say: Callable[[str], None]) -> ModelOffer | None:
    """Let the person choose among the models that can be used here. None when they decline."""
    while True:
        offers = await opener.offers()
        labels = [offer.label for offer in offers]
        index = picked(await put(choice("model", "xun needs a model to work with.", labels, title="Which model?")))
        if index is None:
            return None
        offer = offers[index]
        if offer.name:
            return offer
        if offer.hint:
            say(offer.hint)
        elif await _ask_key(offer, opener, put, say):
            return ModelOffer(offer.label)


async def _ask_key(offer: ModelOffer, opener: Opener, put: Put, say: Callable[[str], None]) -> bool:
    """Ask for a key and for how long to keep it. False when the person goes back, or it is none."""
    ask = choice("key", _KEY, (), title=offer.label)
    answer = await put(ask, secret_menu("paste or type the key"))
    if not answer.text:
        return False
    index = picked(await put(choice("keep", "How long is it to be used?", _KEEP, title=offer.label)))
    if index is None:
        return False
    try:
        say(opener.use_key(offer.key_of, answer.text, keep=index == 1))
    except XunError as error:
        say(str(error))
        return False
    return True
