"""An image that a tool shows the model. No result can hold one: it follows the results of the step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, cast

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import clipped, text
from xun.messages import Image, Media, Message, Text
from xun.result import printable
from xun.toolbox.context import ToolCallContext


class _Sends(Protocol):
    """The part of an agent that this needs."""

    def unfit(self, files: Iterable[Media]) -> str | None: ...


def defer_tool_image(ctx: ToolCallContext[Any], image: Image | bytes, msg: str = "") -> None:
    """Show the model `image`, the bytes of a PNG, JPEG, WebP or GIF file of at most 10 MB, after this step's results.

    It is added as a message of the user, with `msg` in one line; usable from any thread. A tool that needs this to
    be seen says `required_capabilities=["vision"]`. Raises `ConfigurationError` for what is no such image, and where
    the model cannot be sent it.
    """
    if not isinstance(ctx, ToolCallContext):
        raise WrongTypeError(f"ctx must be the ToolCallContext of the call, not {clipped(ctx)}")
    shown = _checked(image)
    if ctx.agent is not None and (problem := cast(_Sends, ctx.agent).unfit([shown])):
        raise ConfigurationError(problem)
    line = " ".join(printable(text("msg", msg)).split())
    said = Text(text=f"[{ctx.tool_name} shows this image{f': {line}' if line else ''}]", note=True)
    ctx.show(Message(role="user", blocks=(shown, said)))


def _checked(image: Image | bytes) -> Image:
    if isinstance(image, Image):
        return image.model_copy(update={"note": True})
    if not isinstance(image, bytes | bytearray):
        raise WrongTypeError(f"image must be an Image or the bytes of a file, not a {type(image).__name__}")
    try:
        return Image.from_bytes(bytes(image), note=True)
    except ConfigurationError as error:
        raise ConfigurationError(f"the image cannot be shown: {error}") from None
