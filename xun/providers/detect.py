"""What there is to work with on this machine: providers whose variables are set, and local model servers."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xun.providers import models
from xun.providers.base import ProviderError
from xun.providers.endpoints import read_base_url
from xun.providers.errors import clean
from xun.providers.services import SERVICES, main_service

if TYPE_CHECKING:
    import httpx2

TIMEOUT = 0.3
SERVERS_VARIABLE = "XUN_LOCAL_SERVERS"
_OLLAMA = "Ollama"
USUAL_SERVERS = (
    (_OLLAMA, "http://127.0.0.1:11434"),
    ("LM Studio", "http://127.0.0.1:1234"),
    ("llama.cpp", "http://127.0.0.1:8080"),
    ("vLLM", "http://127.0.0.1:8000"),
)

_PREFIXES = {_OLLAMA: "ollama"}
_OWNERS = {"library": _OLLAMA, "organization_owner": "LM Studio", "llamacpp": "llama.cpp", "vllm": "vLLM"}
_OFF = ("off", "no", "false", "0")
_NO_CHAT = ("embed", "rerank", "whisper", "bge-")
_MAX_BYTES = 1024 * 1024
_MAX_MODELS = 200
_STARTING = 2.0  # seconds in which a busy machine starts a thread and loads an HTTP client


@dataclass(frozen=True, slots=True)
class Found:
    """A way to a model. `provider` is the prefix of --model, and `models` are names to put after it, the default first.

    `name` is what to call it, `variable` the one that is set, `base_url` where a local server answers, with its
    version segment.
    """

    name: str
    provider: str
    models: tuple[str, ...] = ()
    variable: str = ""
    base_url: str = ""

    @property
    def model(self) -> str | None:
        """The default as `PROVIDER/NAME`, or None where no model is known."""
        return f"{self.provider}/{self.models[0]}" if self.models else None


def configured(env: Mapping[str, str], wanted: Mapping[str, str] | None = None) -> list[Found]:
    """The providers that `env` has a key or an address for, in the order they are tried. Nothing is sent.

    `wanted` are models to take, by prefix, where they are not the usual ones.
    """
    found: list[Found] = []
    for service in SERVICES:
        if service.tried and service.is_set_up(env):
            said = env.get(service.model_variable, "").strip() or (wanted or {}).get(service.prefix)
            chosen = said or models.default_model(service.prefix)
            found.append(Found(service.label, service.prefix, (chosen,) if chosen else (), service.variable))
    return found


def servers_of(env: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    """Where to look: XUN_LOCAL_SERVERS, which lists http addresses or says "off", or else the usual ports.

    Ollama is where OLLAMA_HOST says.
    """
    text = env.get(SERVERS_VARIABLE, "").strip()
    if not text:
        return [(name, _address(env) if name == _OLLAMA else url) for name, url in USUAL_SERVERS]
    if text.lower() in _OFF:
        return ()
    addresses = [address.strip().rstrip("/").removesuffix("/v1") for address in text.split(",")]
    return [("local server", address) for address in addresses if address.startswith("http://")]


def _address(env: Mapping[str, str]) -> str:
    """Where Ollama is. What cannot be used is told when somebody wants it, not here."""
    service = main_service("ollama")
    assert service is not None
    usual = service.url
    try:
        address = read_base_url(env, service.url_variable, usual, service.port)
    except ProviderError:
        address = usual
    return (address if address.startswith("http://") else usual).removesuffix("/v1")


async def local_servers(
    timeout: float = TIMEOUT,
    servers: Sequence[tuple[str, str]] = USUAL_SERVERS,
) -> list[Found]:
    """The servers of `servers`, names and addresses, that list a model within `timeout` seconds, in that order.

    All are asked at once. Models that cannot hold a conversation, by their names, are left out. Never raises.
    """
    import httpx2

    if not servers:
        return []
    # Neither a proxy nor certificates are needed here, and the latter take long to load.
    plain = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    async with httpx2.AsyncClient(trust_env=False, verify=plain, timeout=timeout) as client:
        answers = await asyncio.gather(*(_ask(client, name, url, timeout) for name, url in servers))
    return [found for found in answers if found is not None]


def local_servers_now(env: Mapping[str, str], timeout: float = TIMEOUT) -> list[Found]:
    """The same for synchronous code, also on the thread of a running loop: blocks for little more than `timeout`."""
    servers = servers_of(env)
    if not servers:
        return []
    found: list[Found] = []
    thread = threading.Thread(
        target=lambda: found.extend(asyncio.run(local_servers(timeout, servers))), name="xun-detect", daemon=True
    )
    thread.start()
    # The name of a host may take longer to look up, and nothing can interrupt that.
    thread.join(timeout + _STARTING)
    return list(found)


async def _ask(client: httpx2.AsyncClient, name: str, url: str, seconds: float) -> Found | None:
    try:
        async with asyncio.timeout(seconds), client.stream("GET", f"{url}/v1/models") as response:
            if response.status_code != 200:
                return None
            body = b""
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > _MAX_BYTES:
                    return None
        listed = json.loads(body)["data"]
        names = [model["id"] for model in listed if isinstance(model["id"], str)]
        owner = _OWNERS.get(str(listed[0].get("owned_by")), name) if listed else name
    except Exception:  # noqa: BLE001 - whatever else listens there is not a model server
        return None
    usable = tuple(model for model in names if _can_chat(model))[:_MAX_MODELS]
    return (
        Found(owner, "ollama" if owner == _OLLAMA else "openai-chat", usable, base_url=f"{url}/v1") if usable else None
    )


def _can_chat(model: Any) -> bool:
    return model == clean(model) != "" and not any(part in model.lower() for part in _NO_CHAT)
