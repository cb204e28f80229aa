"""Finding something to work with: variables that are set, and model servers on loopback."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.providers.support import KEY, collect, final, request
from tests.wire.server import ModelServer
from tests.wire.streams import Say
from xun.providers.base import ProviderError
from xun.providers.detect import (
    USUAL_SERVERS,
    Found,
    configured,
    local_servers,
    local_servers_now,
    servers_of,
)
from xun.providers.models import default_model
from xun.providers.registry import resolve

LISTED = {"object": "list", "data": [{"id": "qwen3:8b", "object": "model", "created": 1, "owned_by": "library"}]}


@contextmanager
def serving(answer: Any, *, status: int = 200) -> Generator[str]:
    """A server that gives `answer`, JSON or bytes, to every GET; None never answers."""
    stop = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if answer is None:
                stop.wait(10)
                return
            known = self.path == "/v1/models"
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status if known else 404)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
            """Silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            stop.set()
            server.shutdown()
            thread.join()


def closed_port() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_what_is_configured_comes_in_the_order_it_is_tried() -> None:
    env = {
        "XUN_OPENAI_BASE_URL": "http://localhost:1",
        "XUN_OPENAI_MODEL": "m",
        "OPENAI_API_KEY": KEY,
        "ANTHROPIC_API_KEY": KEY,
    }
    assert [(found.name, found.variable, found.model) for found in configured(env)] == [
        ("Anthropic", "ANTHROPIC_API_KEY", f"anthropic/{default_model('anthropic')}"),
        ("OpenAI", "OPENAI_API_KEY", f"openai/{default_model('openai')}"),
        ("OpenAI-compatible server", "XUN_OPENAI_BASE_URL", "openai-chat/m"),
    ]
    assert KEY not in repr(configured(env))
    assert configured({"OPENAI_API_KEY": " \n", "XUN_OPENAI_MODEL": "m"}) == []
    assert configured({"XUN_OPENAI_BASE_URL": "http://localhost:1"})[0].model is None


@pytest.mark.anyio
async def test_servers_that_list_models_are_found_in_order_and_the_rest_is_passed_over() -> None:
    vllm = {"data": [{"id": "meta/llama", "owned_by": "vllm"}, {"id": "nomic-embed-text", "owned_by": "vllm"}]}
    with ExitStack() as stack:
        urls = [
            stack.enter_context(serving(answer, status=status))
            for answer, status in [
                (LISTED, 200), (b"<html>hello</html>", 200), ({"data": []}, 200), ({"data": "no"}, 200),
                (LISTED, 401), ({"data": [{"id": 3}]}, 200), (vllm, 200), ({"data": [{"id": "a\x1b[31m"}]}, 200),
                (b" " * 2_000_000, 200), ({"data": [{"id": "own"}]}, 200),
            ]
        ]  # fmt: skip
        found = await local_servers(5, [("here", url) for url in (*urls, closed_port())])
    assert found == [
        Found("Ollama", "ollama", ("qwen3:8b",), base_url=f"{urls[0]}/v1"),
        Found("vLLM", "openai-chat", ("meta/llama",), base_url=f"{urls[6]}/v1"),
        Found("here", "openai-chat", ("own",), base_url=f"{urls[9]}/v1"),
    ]


@pytest.mark.anyio
async def test_a_server_that_does_not_answer_costs_no_more_than_the_timeout() -> None:
    with serving(None) as silent, serving(LISTED) as quick:
        found = await asyncio.wait_for(local_servers(0.2, [("a", silent), ("b", quick)]), 5)
    assert [server.base_url for server in found] == [f"{quick}/v1"]


@pytest.mark.anyio
async def test_synchronous_code_may_ask_on_the_thread_of_a_loop() -> None:
    with serving(LISTED) as url:
        (found,) = local_servers_now({"XUN_LOCAL_SERVERS": url}, 5)
    assert found.model == "ollama/qwen3:8b"


@pytest.mark.anyio
async def test_a_proxy_of_the_environment_is_not_asked_for_local_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(LISTED) as url, ModelServer([]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert len(await local_servers(5, [("x", url)])) == 1
        assert proxy.connections == 0


@pytest.mark.parametrize(
    ("text", "servers"),
    [
        ("", list(USUAL_SERVERS)),
        (" ", list(USUAL_SERVERS)),
        ("off", ()),
        ("No", ()),
        (
            "http://127.0.0.1:1/v1/, http://box:2,ftp://x",
            [("local server", "http://127.0.0.1:1"), ("local server", "http://box:2")],
        ),
    ],
)
def test_where_to_look_can_be_set(text: str, servers: Any) -> None:
    assert servers_of({"XUN_LOCAL_SERVERS": text}) == servers


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1:9", "http://127.0.0.1:9"),
        ("http://box:2/", "http://box:2"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("https://far.example", "http://127.0.0.1:11434"),  # it is asked in clear text, so only what is near
        ("http://u:p@box", "http://127.0.0.1:11434"),
    ],
)
def test_ollama_is_looked_for_where_its_own_variable_says(host: str, address: str) -> None:
    assert servers_of({"OLLAMA_HOST": host}) == [("Ollama", address), *USUAL_SERVERS[1:]]
    assert servers_of({"OLLAMA_HOST": host, "XUN_LOCAL_SERVERS": "off"}) == ()


@pytest.mark.anyio
async def test_without_anything_set_a_local_server_that_answers_is_used() -> None:
    def say(sent: Any) -> Say:
        return Say(f"{sent.path} {sent.body['model']} {sent.headers.get('authorization')}")

    with ModelServer([say] * 3, models=["qwen3:8b"]) as server:
        env = {"XUN_LOCAL_SERVERS": server.url, "XUN_OPENAI_API_KEY": "of-another-server", "OLLAMA_API_KEY": "too"}
        # A session names the model it was held with: it is found again.
        for name in (None, "ollama/qwen3:8b", "openai-chat/qwen3:8b"):
            provider, info = resolve(name, env=env)
            assert (info.provider, info.name) == ((name or "ollama/").partition("/")[0], "qwen3:8b")
            message = final(await collect(provider, request(model=info.name)))
            assert message.text == "/v1/chat/completions qwen3:8b None"
            await provider.aclose()


def test_a_model_that_no_local_server_has_still_needs_a_key() -> None:
    with serving(LISTED) as url, pytest.raises(ProviderError, match="set OPENAI_API_KEY"):
        resolve("openai-chat/other", env={"XUN_LOCAL_SERVERS": url})


def test_with_a_key_nothing_is_asked_and_nothing_loaded() -> None:
    code = (
        "import sys; from xun.providers.registry import resolve;"
        "print(resolve(None, env={'OPENAI_API_KEY': 'k', 'XUN_LOCAL_SERVERS': sys.argv[1]})[1].provider);"
        "print('httpx2' in sys.modules)"
    )
    with ModelServer([]) as server:
        done = subprocess.run(
            [sys.executable, "-c", code, server.url],
            capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        assert server.connections == 0
    assert done.stdout.split() == ["openai", "False"]
