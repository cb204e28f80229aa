"""Keys and base URLs as people set them: cleaned, or refused in one line that never shows the key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit, urlunsplit

from xun.providers.base import ModelConfigurationError

_NOT_PLAIN = "{} must be a plain URL: no user, no query, no fragment"
_VERSION = re.compile(r"v\d+(?:(?:alpha|beta)\d*)?\Z")


def read_key(env: Mapping[str, str], variable: str) -> str | None:
    """The key in `variable` without blanks, line ends and quotes around it; None where it is unset or empty.

    Raises `ProviderError` (kind "config") for one that no HTTP header can carry.
    """
    return clean_key(env.get(variable), variable)


def clean_key(text: str | None, variable: str) -> str | None:
    """The same of a key that somebody gives; `variable` is what to call it."""
    key = (text or "").strip()
    if len(key) >= 2 and key[0] == key[-1] and key[0] in "\"'":
        key = key[1:-1].strip()
    if not key:
        return None
    if not key.isascii():
        raise ModelConfigurationError("config", f"{variable} has a character that is not ASCII: copy it again")
    if not key.isprintable() or " " in key:
        raise ModelConfigurationError("config", f"{variable} has a blank or control character inside: copy it again")
    return key


def read_base_url(
    env: Mapping[str, str], variable: str, default: str = "", port: int | None = None, *, version: str = "v1"
) -> str:
    """The base URL in `variable` or `default`, as far as its version segment, without a slash at its end.

    `version` is added where there is no version segment; the path of the endpoint itself may be there and is left
    out. With `port`, the variable may also hold a bare host, which listens there unless it says another. Raises
    `ProviderError` (kind "config") for what is not an http or https URL.
    """
    text = bare(env.get(variable, "")) or default
    url = read_address(_with_scheme(text, port) if port is not None else text, variable)
    if url.query:
        raise ModelConfigurationError("config", _NOT_PLAIN.format(variable))
    segments = [segment for segment in url.path.split("/") if segment]
    for ending in (["chat", "completions"], ["messages"], ["responses"]):
        if segments[-len(ending) :] == ending:
            segments = segments[: -len(ending)]
    versions = [segment for segment in segments if _VERSION.match(segment)]
    if len(versions) > len(set(versions)):
        raise ModelConfigurationError("config", f"{variable} has the segment /{versions[0]} twice")
    if not versions:
        segments.append(version)
    return urlunsplit((url.scheme, url.netloc, "/" + "/".join(segments), "", ""))


def read_address(text: str, variable: str) -> SplitResult:
    """`text` in its parts. Raises `ProviderError` (kind "config") where it is no plain http or https URL."""
    try:
        url = urlsplit(text)
        host, _ = url.hostname, url.port
    except ValueError:
        url, host = urlsplit(""), None
    if any(c.isspace() or not c.isprintable() for c in text):
        raise ModelConfigurationError("config", f"{variable} has a blank or control character inside")
    if url.scheme not in ("http", "https") or not host:
        raise ModelConfigurationError("config", f"{variable} must be a URL like https://host/v1")
    if url.username is not None or url.fragment:
        raise ModelConfigurationError("config", _NOT_PLAIN.format(variable))
    return url


def bare(text: str) -> str:
    """`text` without the blanks, line ends and quotes that copying leaves around it."""
    return text.strip().strip("\"'").strip()


def _with_scheme(text: str, port: int) -> str:
    """A host, or a host and a port, as the URL of what listens there. What listens everywhere is on this machine."""
    if "://" in text:
        return text
    place, slash, path = text.partition("/")
    host, colon, given = place.rpartition(":") if not place.endswith("]") else (place, "", "")
    host, given = (host, given) if colon else (place, "")
    here = host in ("", "0.0.0.0", "[::]")  # noqa: S104 - nothing is bound to it
    return f"http://{'127.0.0.1' if here else host}:{given or port}{slash}{path}"


def is_official(base_url: str, own_url: str) -> bool:
    """Whether `base_url` has the host of `own_url`, the service's own; False where that is empty."""
    return bool(own_url) and urlsplit(base_url).hostname == urlsplit(own_url).hostname
