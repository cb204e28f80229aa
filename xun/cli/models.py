"""`xun models`: what can be used here, with what is known about it, and what it would take to use more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from xun.cli.exits import fail
from xun.config.load import load
from xun.config.paths import current_folder, find_paths
from xun.config.trust import trust_of
from xun.frontends.text import json_line, visible
from xun.result import XunError
from xun.run_plan import GivenKeys

if TYPE_CHECKING:
    from xun.run_models import Offer

_WIDEST = 50  # columns for names: one that is longer pushes the rest of its line


def models_command(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Also those of services that are not set up.")] = False,
) -> None:
    """The models that can be used here, of services that are set up and of local servers that answer.

    The first one is taken where none is named. No service is asked anything, and no key is shown.
    """
    from xun.run_models import every_offer, missing_services, use_models, without_model

    paths, given = find_paths(), GivenKeys()
    try:
        config = load(paths, trust=trust_of(current_folder(), paths))
        notes = [*config.warnings, *use_models(paths)]
        offers = every_offer(config, given, missing=every)
        notes += without_model(config, given)
        lacking = ", ".join(f"{way.name} ({way.variable})" for way in missing_services(config, given))
    except XunError as error:
        raise typer.Exit(fail(str(error))) from None
    width = min(_WIDEST, max((len(offer.name) for offer in offers), default=0))
    for offer in offers:
        print(json_line(_data(offer)) if as_json else visible(_line(offer, width)))
    if not any(offer.ready for offer in offers):
        notes.append(
            "no model can be used here yet: set one of these variables, start a local server, or try --model demo"
        )
    for note in (*notes, *([f"not set up: {lacking}"] if lacking else ())):
        fail(note)


def _line(offer: Offer, width: int) -> str:
    from xun.run_models import about

    taken = "; taken where none is named" if offer.taken else ""
    return f"{offer.name:{width}}  {about(offer.info)}  {offer.at}{taken}"


def _data(offer: Offer) -> dict[str, object]:
    info = offer.info
    return {
        "model": offer.name,
        "at": offer.at,
        "ready": offer.ready,
        "taken": offer.taken,
        "context_window": info.context_window,
        "max_output_tokens": info.max_output_tokens,
        "capabilities": sorted(info.capabilities),
        "input_price": info.input_price,
        "output_price": info.output_price,
        "cache_read_price": info.cache_read_price,
        "cache_write_price": info.cache_write_price,
    }
