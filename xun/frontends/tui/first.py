"""The first minutes: is this folder trusted, and which model is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from xun.commands.numbers import numbers_of
from xun.config.toml import ConfigError
from xun.errors import XunError
from xun.frontends.text import visible
from xun.frontends.tui.opening import (
    Brought,
    Ears,
    ModelOffer,
    NoModelError,
    OfferedCommand,
    Opened,
    Opener,
    Put,
    Wanted,
)
from xun.frontends.tui.question.choices import Choice, Menu, secret_menu
from xun.frontends.tui.question.own import choice, picked
from xun.policy.decision import Answer
from xun.sessions.locking import SessionBusy
from xun.sessions.record import SessionError
from xun.sessions.store import SessionUnwritable

_CHANGED = "CHANGED since you agreed to it:"
_GRANT_TITLE = "Run this project's own commands without asking?"
_GRANT = (
    "It has these test, build and lint commands. A yes holds in this project alone, and for what is shown: a command"
    " whose text changes asks again. They run code of the project."
)
_GRANTS = Menu(
    (
        Choice("yes, all of them", Answer.pick(0), "a"),
        Choice("only some: type their numbers", Answer.say(""), "s", entry="words"),
        Choice("none: each asks", Answer.pick(2), "n"),
    ),
    2,
    numbered=False,
    digits=1,
)
_STEER = "Whoever wrote them could tell the model what to do."
_ASKED = "Commands and writes are asked about all the same."
_ALLOWS = "What these rules allow runs without asking."
_TRUST = ("trust these files from now on, as they are", "use them this time only", "leave them out")
_KEY = "The key goes to its provider and nowhere else; no log or session has it."
_SHORTEST = 8  # characters of a key
_NAMED = 5  # commands that are named in a line
_AGAIN = ("try again", {})
_NEW = ("start a new session", {"session": None, "fresh": True})
_WAYS: tuple[tuple[type[SessionError], tuple[tuple[str, dict[str, Any]], ...]], ...] = (
    (SessionBusy, (("go on with a copy of it", {"fork": True}), _AGAIN, _NEW)),
    (SessionUnwritable, (("keep this session in memory only", {"kept": False}), _AGAIN)),
    (SessionError, (_NEW, _AGAIN)),
)
_SANDBOX_TITLE = "Run more without asking, in the sandbox?"
_SANDBOX = (
    "Commands run in a sandbox here: they can change this folder alone, but not its .git, and have no network.\n"
    "Those that no rule covers could run in it without asking. What is dangerous, leaves the folder or needs the "
    "network is asked about all the same."
)
_UNASKED = ("yes, in this folder", "no, ask me")
_KEEP = ("only until xun ends", "for good, in the configuration file, which only you can read")


async def ask_trust(opener: Opener, put: Put, say: Callable[[str], None]) -> None:
    """Ask once about the files that this folder brings along, then about its commands and what may run in the sandbox.

    Raises `XunError` where a yes cannot be kept.
    """
    files = await asyncio.to_thread(opener.untrusted)
    if files:
        question = (
            "This folder brings files that would steer xun:\n"
            + "\n".join(_brought(file) for file in files)
            + f"\n{_STEER} {_ALLOWS if any(file.allows for file in files) else _ASKED}"
        )
        title = f"Trust {visible(opener.shown_folder)}?"
        index = picked(await put(choice("trust", question, _TRUST, title=title, default=2)))
        if index not in (0, 1):
            return
        await asyncio.to_thread(partial(opener.trust, keep=index == 0))
    offered = await ask_grant(opener, put, say)
    if files or offered:
        await ask_sandbox(opener, put)


def _brought(file: Brought) -> str:
    head = f"  {visible(file.name)}" + (f"  {_CHANGED}" if file.changed else "")
    return "\n".join([head, *(f"    {visible(line)}" for line in file.says)])


async def ask_sandbox(opener: Opener, put: Put) -> None:
    """Offer to run commands with soft reasons alone unasked in the sandbox, in this folder. Esc asks again next time.

    Raises `XunError` where the answer cannot be kept.
    """
    if not await asyncio.to_thread(opener.offers_sandbox):
        return
    index = picked(await put(choice("sandbox", _SANDBOX, _UNASKED, title=_SANDBOX_TITLE, default=1)))
    if index is not None:
        await asyncio.to_thread(partial(opener.use_sandbox, unasked=index == 0))


async def ask_grant(opener: Opener, put: Put, say: Callable[[str], None]) -> bool:
    """Offer the project's own commands as one grant: False where there are none.

    Raises `XunError` where the answer cannot be kept.
    """
    offers = await asyncio.to_thread(opener.offered)
    if not offers:
        return False
    shown = "\n".join(_offered(number, offer) for number, offer in enumerate(offers, 1))
    ask = choice("grant", f"{_GRANT}\n{shown}", (), title=_GRANT_TITLE)
    wrong = ""
    while True:
        answer = await put(ask, _grants_again(wrong) if wrong else _GRANTS)
        if wrong and not answer.yes:
            wrong = ""  # back from the line to the answers
        elif answer.text is None:
            break
        elif numbers := numbers_of(answer.text.replace(",", " ").split(), len(offers)):
            await _grant(opener, offers, [number - 1 for number in numbers], say)
            return True
        else:
            wrong = f"{visible(answer.text)}: type numbers from 1 to {len(offers)}, with blanks between them"
    if answer.yes:
        await _grant(opener, offers, range(len(offers)) if answer.choice == 0 else (), say)
    return True


def _grants_again(wrong: str) -> Menu:
    """The line for numbers, open again, under what was `wrong` with those that were typed."""
    every, some, none = _GRANTS.choices
    return replace(_GRANTS, choices=(every, replace(some, label=wrong), none), default=1, at_once=True)


async def _grant(
    opener: Opener, offers: Sequence[OfferedCommand], chosen: Collection[int], say: Callable[[str], None]
) -> None:
    """Keep the yes to those of `offers` that are `chosen`, by index, and say what it is to."""
    await asyncio.to_thread(opener.grant, chosen)
    commands = [visible(offers[index].command) for index in chosen]
    if commands:
        names = ", ".join(commands[:_NAMED])
        more = f" and {len(commands) - _NAMED} more" if len(commands) > _NAMED else ""
        say(f"without asking from now on, in this project: {names}{more} (/policy project changes that)")


def _offered(number: int, offer: OfferedCommand) -> str:
    where = f"  in {visible(offer.folder)}" if offer.folder else ""
    head = f"{number:3} {visible(offer.command)}{where}" + (f"  {_CHANGED}" if offer.changed else "")
    return "\n".join([head, *(f"      {visible(line)}" for line in offer.runs)])


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
    if isinstance(error, ConfigError) or isinstance(error.__cause__, ConfigError):
        return (_AGAIN,)  # a file has to be mended first, whatever session it is
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
        elif await ask_key(offer, opener, put, say):
            return ModelOffer(offer.label)


def _no_key(text: str) -> str:
    """Why `text` cannot be a key, "" where it can: what was meant for the prompt is none."""
    if text.startswith(("/", "!")):
        return f"it begins with {text[0]}"
    if any(char.isspace() for char in text):
        return "it has blanks in it"
    return f"it has fewer than {_SHORTEST} characters" if len(text) < _SHORTEST else ""


async def ask_key(offer: ModelOffer, opener: Opener, put: Put, say: Callable[[str], None]) -> bool:
    """Ask for a key of `offer` and for how long to keep it. False when the person goes back, or it is none."""
    ask = choice("key", _KEY, (), title=offer.label)
    while True:
        answer = await put(ask, secret_menu("paste or type the key"))
        if not answer.text:
            return False
        if not _no_key(answer.text):
            break
        say(f"this is no key: {_no_key(answer.text)}; Esc goes back")
    index = picked(await put(choice("keep", "How long is it to be used?", _KEEP, title=offer.label)))
    if index is None:
        say("the key was dropped, and is used nowhere")
        return False
    try:
        say(opener.use_key(offer.key_of, answer.text, keep=index == 1))
    except XunError as error:
        say(str(error))
        return False
    return True
