"""JSON for request bodies: safe text, names and ids that every server accepts, and files as OpenAI takes them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from xun.messages import Document, Media

# Gemini wants a letter or "_" first.
_TOOL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}\Z")
_FIRST = re.compile(r"[a-zA-Z_]")
# Chat Completions takes 40 characters, the others 64.
_CALL_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}\Z")
_ODD = re.compile(r"[^a-zA-Z0-9_-]")
_ENCODED = re.compile(r".*__x[0-9a-f]{16}\Z")
_KEPT = 64 - len("__x") - 16


def dump(value: Any) -> bytes:
    """`value` as compact JSON in UTF-8. Lone surrogates become U+FFFD: no server accepts them."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def sent_name(name: str) -> str:
    """The name of a tool as every server accepts it: 1 to 64 of the letters A-Z, a-z, digits, "_" and "-", of which the
    first is a letter or "_".

    Such a name stays as it is. Any other, and one that looks like the answer of this function, keeps what it can and
    gets a hash of the whole, so that different names stay different.
    """
    if _TOOL_NAME.match(name) and not _ENCODED.match(name):
        return name
    kept = _ODD.sub("_", name) if _FIRST.match(name) else f"_{_ODD.sub('_', name)}"
    return f"{kept[:_KEPT]}__x{_hash(name)[:16]}"


def own_names(tools: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """From the name a tool is sent under to its own, for the tools of a request where the two differ."""
    names = [tool["name"] for tool in tools]
    return {sent: name for name in names if (sent := sent_name(name)) != name}


def sent_id(call_id: str) -> str:
    """The id of a call as every wire accepts it, the same for the same id."""
    return call_id if _CALL_ID.match(call_id) else f"call_{_hash(call_id)[:24]}"


def data_url(file: Media) -> str:
    """A file as a URL that holds it."""
    return f"data:{file.media_type};base64,{file.data}"


def file_name(document: Document) -> str:
    """The name of a document where a server wants one."""
    return document.name or "document.pdf"


def prefix_key(*parts: str | bytes) -> str:
    """A key under which a server may keep the prompt that begins with `parts`: it says nothing about them."""
    return hashlib.sha256(b"\0".join(p if isinstance(p, bytes) else dump(p) for p in parts)).hexdigest()[:32]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
