"""The floor for the screen: a Textual app with a scrolling log and a text area, and no more.

`python -m bench.bare_app BASE_URL`. Enter asks the model and writes its answer to the log as it comes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from textual.app import App, ComposeResult
from textual.events import Key
from textual.widgets import Log, TextArea

READY = "bare and ready"


class Area(TextArea):
    def __init__(self, ask: Callable[[], Coroutine[Any, Any, None]]) -> None:
        super().__init__()
        self._ask = ask

    async def _on_key(self, event: Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.clear()
            self.app.run_worker(self._ask())


class Bare(App[None]):
    CSS = """
    Log { height: 1fr; }
    Area { height: 5; }
    """

    def __init__(self, base: str) -> None:
        super().__init__()
        self._base = base

    def compose(self) -> ComposeResult:
        yield Log()
        yield Area(self.ask)

    def on_mount(self) -> None:
        self.query_one(Log).write_line(READY)
        self.query_one(Area).focus()

    async def ask(self) -> None:
        import httpx2

        log = self.query_one(Log)
        body = {"model": "bench", "max_tokens": 8192, "stream": True, "messages": [{"role": "user", "content": "go"}]}
        async with httpx2.AsyncClient() as client, client.stream("POST", f"{self._base}/v1/messages", json=body) as got:
            async for line in got.aiter_lines():
                if line.startswith("data: "):
                    data = json.loads(line[6:])
                    if data["type"] == "content_block_delta":
                        log.write(data["delta"]["text"])


if __name__ == "__main__":
    Bare(sys.argv[1]).run()
