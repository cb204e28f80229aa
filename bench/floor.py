"""The floor: a bare httpx2 loop that sends the same requests and runs the same processes, and does nothing else.

Run as `python -m bench.floor BASE_URL [PREFIX...]`, where PREFIX stands before each command, as a sandbox does.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import httpx2


async def main(base: str, *prefix: str) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    async with httpx2.AsyncClient() as client:
        while True:
            body = {"model": "bench", "max_tokens": 8192, "stream": True, "messages": messages}
            block: dict[str, Any] = {}
            async with client.stream("POST", f"{base}/v1/messages", json=body) as response:
                async for line in response.aiter_lines():
                    if line.startswith("data: "):
                        data = json.loads(line[6:])
                        if data["type"] == "content_block_start":
                            block = data["content_block"]
                        elif data["type"] == "content_block_delta" and block["type"] == "tool_use":
                            block["input"] = json.loads(data["delta"]["partial_json"])
            if block["type"] != "tool_use":
                return
            process = await asyncio.create_subprocess_exec(
                *prefix, "bash", "--noprofile", "--norc", "-c", block["input"]["command"],
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )  # fmt: skip
            await process.communicate()
            messages.append({"role": "assistant", "content": [block]})
            result = {
                "type": "tool_result",
                "tool_use_id": block["id"],
                "content": f"exit code {process.returncode}",
            }
            messages.append({"role": "user", "content": [result]})


asyncio.run(main(*sys.argv[1:]))
