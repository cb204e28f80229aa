"""`xun policy`: what the rules say of a command, running nothing and asking no model; the rules, and changing them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, BinaryIO

import typer

from xun.cli import exits, policy_change, policy_list, policy_sandbox, policy_trust
from xun.cli.options import Allow, Deny, Folder, ModeName, PolicyFiles, policy_folder
from xun.commands.why import card_line
from xun.config.made_file import MadeStore
from xun.config.paths import find_paths
from xun.config.policy_file import policy_files
from xun.config.project.grants import ProjectGrants
from xun.config.trust import trust_of
from xun.frontends.text import json_line, visible
from xun.gate.check import check_command, decision_json
from xun.gate.made import MadeFiles
from xun.gate.own import own_files
from xun.policy.card import card
from xun.policy.decision import Decision
from xun.result import XunError
from xun.run_policy import policy_of_flags

LONGEST = 1024 * 1024  # bytes of one line of standard input
_CODES = {"allow": 0, "ask": 3, "deny": 4}
_KINDS = {"list": "a list", "dict": "an object", "int": "a number", "float": "a number", "bool": "true or false"}


def build() -> typer.Typer:
    """The commands of `xun policy`."""
    app = typer.Typer(
        help="What xun may do, and why.",
        no_args_is_help=True,
        rich_markup_mode=None,
        epilog='Example: xun policy check "git diff && ls"',
    )
    app.command("check", epilog='Example: xun policy check --json "git diff --output=x"')(_check)
    app.command("list", epilog="Example: xun policy list --effect deny, xun policy list npm")(policy_list.list_rules)
    app.command("add", epilog='Example: xun policy add allow command "npm test" --match "npm test -- --ci"')(
        policy_change.add
    )
    app.command("remove", epilog='Example: xun policy remove "npm test", xun policy remove policy.toml:12')(
        policy_change.remove
    )
    app.command("sandbox", epilog="Example: xun policy sandbox")(policy_sandbox.sandbox)
    app.command("distrust", epilog="Example: xun policy distrust --cwd ~/src/project")(policy_trust.take_back)
    return app


def _check(
    command: Annotated[str | None, typer.Argument(help="The shell command, quoted as one argument.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    stdin: Annotated[bool, typer.Option("--stdin", help="JSON strings in, JSON decisions out, one a line.")] = False,
    cwd: Folder = None,
    allow: Allow = None,
    deny: Deny = None,
    policy: PolicyFiles = None,
    mode: ModeName = None,
) -> int:
    """The decision for a shell command, with its parts and reasons. Exit: 0 allow, 3 ask, 4 deny, 2 usage."""
    if stdin == (command is not None):
        return exits.fail("give either one command, quoted as one argument, or --stdin")
    try:
        folder = policy_folder(cwd)
        paths = find_paths()
        trust = trust_of(folder, paths)
        files = policy_files(paths, policy or (), trust)
        rules = policy_of_flags(allow or (), (), deny or (), folder, files).copy(
            ProjectGrants(folder, paths).standing()
        )
        made = MadeFiles(MadeStore(paths.made, folder))
        own = own_files(paths.own, paths.plain)
        judge = partial(check_command, policy=rules, cwd=folder, mode=mode or "manual", made=made, own=own)
        for line in trust.of_policy().notices():
            exits.fail(line, exits.OK)
        if command is None:
            return _check_lines(judge)
        decision = judge(command)
    except XunError as error:
        return exits.fail(str(error))
    if as_json:
        print(json_line(decision_json(decision)))
    else:
        print("\n".join(_lines(decision)))
    return _CODES[decision.effect]


def _check_lines(judge: Callable[[str], Decision]) -> int:
    """One answer for each line, in order. A line that is no JSON string is answered too, and remembered."""
    code = exits.OK
    try:
        for line in _lines_of(sys.stdin.buffer):
            try:
                answer = decision_json(judge(_command(line)))
            except ValueError as error:
                answer, code = {"error": str(error)}, exits.USAGE
            sys.stdout.write(json_line(answer) + "\n")
            sys.stdout.flush()
    except OSError as error:
        return exits.fail(f"standard input could not be read: {error.strerror}")
    return code


def _lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of `stream`; of one that is too long a part that is too long as well."""
    while line := stream.readline(LONGEST + 1):
        rest = line
        while len(rest) > LONGEST and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST + 1)
        yield line


def _command(line: bytes) -> str:
    """The JSON string in `line`. Raises `ValueError`, whose text says why it is none."""
    if len(line) > LONGEST:
        raise ValueError(f"the line is longer than {LONGEST // 2**20} MiB")
    try:
        command = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not a JSON string: {error if line.strip() else 'the line is empty'}") from error
    if not isinstance(command, str):
        raise ValueError(f"not a JSON string: it is {_KINDS.get(type(command).__name__, 'null')}")
    return command


def _lines(decision: Decision) -> list[str]:
    return [decision.effect, *(visible(card_line(row)) for row in card(decision, folder=False) if row.kind != "action")]
