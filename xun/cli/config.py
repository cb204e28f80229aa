"""`xun config`: what is in force, and from which file, line or variable."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from xun.cli.exits import fail
from xun.config.load import Config, load
from xun.config.paths import Paths, current_folder, find_paths
from xun.config.show import lines
from xun.config.trust import Trust, trust_of
from xun.frontends.text import json_line, visible
from xun.result import XunError

_Json = Annotated[bool, typer.Option("--json", help="One JSON object.")]


def build() -> typer.Typer:
    """The commands of `xun config`."""
    app = typer.Typer(
        help="The settings in force and the files they come from.",
        no_args_is_help=True,
        rich_markup_mode=None,
        epilog="Example: xun config show",
    )
    app.command("show", epilog="Example: xun config show --json")(_show)
    app.command("path", epilog="Example: $EDITOR $(xun config path)")(_path)
    return app


def _show(as_json: _Json = False) -> None:
    """Every setting with its value and where that came from. Keys are never shown."""
    paths = find_paths()
    try:
        trust = trust_of(current_folder(), paths)
        config = load(paths, trust=trust)
    except XunError as error:
        raise typer.Exit(fail(str(error))) from None
    if as_json:
        print(json_line(_data(config, trust, paths)))
    else:
        for line in lines(config.rows()):
            print(visible(line))
    for line in (*config.warnings, *trust.notices()):
        fail(line)


def _path(
    every: Annotated[bool, typer.Option("--all", help="The folders of state and caches too.")] = False,
) -> None:
    """Where the person's configuration file is, or would be."""
    paths = find_paths()
    if not every:
        typer.echo(os.fsencode(paths.config_file))  # as it is: a script or an editor opens it
        return
    for name, path in (
        ("config", paths.config_file),
        ("policy", paths.policy_file),
        ("sessions", paths.sessions),
        ("state", paths.state),
        ("cache", paths.cache),
    ):
        print(visible(f"{name:9} {path}"))


def _data(config: Config, trust: Trust, paths: Paths) -> dict[str, object]:
    return {
        "file": str(paths.config_file),
        "settings": {
            key: {"value": value, "layer": source.layer, "source": str(source)} for key, value, source in config.rows()
        },
        "trust": {"state": trust.state, "not_loaded": [str(file.path) for file in trust.pending]},
        "warnings": list(config.warnings),
    }
