"""docker: the subcommands that tell about containers and images, and change and follow nothing.

Each is a question to the daemon that the person's own configuration names; nothing of the workspace is read for it.
`docker compose` is not among them: it loads the compose file, which may fetch others from addresses made of what stands
in `.env`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from xun.policy.commands.spec import Judge, Parsed, Refused, Table
from xun.policy.text.words import Arg

_NAME = re.compile(r"[A-Za-z0-9][\w./:@-]{0,255}")
# Fields of a container that hold neither its environment nor its command line.
_FIELD = re.compile(
    r"\{\{ ?(?:json )?\.(?:Id|Name|Created|Image|RestartCount|Platform|Driver|Mounts|State(?:\.[A-Za-z.]+)?"
    r"|NetworkSettings(?:\.[A-Za-z.]+)?|HostConfig\.(?:NetworkMode|PortBindings|RestartPolicy)) ?\}\}"
)


def _name(arg: Arg) -> None:
    if arg.glob or not _NAME.fullmatch(arg.text):
        raise Refused("operand", f"{arg.text} is not the plain name of a container or image", flag=arg.text)


def _field(arg: Arg) -> None:
    if "{{" in _FIELD.sub("", arg.text):
        raise Refused("operand", "this format may show the environment of a container")


_CHECKS = {"name": _name, "field": _field}
_LIST = Table(
    flags="aqls",
    valued={"f": "text", "n": "number"},
    long="all quiet latest size no-trunc filter=text last=number format=text",
    most=0,
)
_IMAGES = Table(
    flags="aq",
    valued={"f": "text"},
    long="all quiet digests no-trunc filter=text format=text",
    operands="name",
    most=1,
    checks=_CHECKS,
)
_LOGS = Table(
    flags="t",
    valued={"n": "text"},
    long="timestamps details tail=text since=text until=text",
    operands="name",
    most=1,
    checks=_CHECKS,
)
_NAMES = Table(flags="q", long="quiet filter=text format=text no-trunc", most=0)


def _needs_format(parsed: Parsed) -> None:
    if not parsed.has("f", "format"):
        raise Refused("operand", "it shows the environment of a container: name the fields with --format")


_INSPECT = Table(
    valued={"f": "field"}, long="format=field type=text", operands="name", checks=_CHECKS, then=_needs_format
)
_STATS = Table(
    flags="a",
    long="all no-stream no-trunc format=text",
    operands="name",
    checks=_CHECKS,
    then=lambda parsed: None if parsed.has("no-stream") else _endless(),
)


def _endless() -> None:
    raise Refused("flag", "it goes on until it is stopped: add --no-stream")


_TOP = Table(operands="name", most=1, checks=_CHECKS)
_PORT = replace(_TOP, most=2)

# By the words behind `docker`.
DOCKER: dict[str, Judge] = {
    "ps": _LIST, "container ls": _LIST, "images": _IMAGES, "image ls": _IMAGES, "logs": _LOGS, "container logs": _LOGS,
    "inspect": _INSPECT, "container inspect": _INSPECT, "stats": _STATS, "top": _TOP, "port": _PORT,
    "volume ls": _NAMES, "network ls": _NAMES, "version": Table(valued={"f": "text"}, long="format=text", most=0),
}  # fmt: skip
