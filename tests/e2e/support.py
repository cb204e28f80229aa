"""Real `xun` processes before a real model server: what the end-to-end tests share."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tests.wire.recorded import Recorded
from tests.wire.server import ModelServer, Script
from tests.wire.streams import Call, Say
from tests.wire.validators import STRICT

XUN = Path(sys.executable).with_name("xun")
KEY = "test-key-123-e2e"
LONG = 60.0  # seconds nothing here ever takes, on a busy machine either


@dataclass(frozen=True)
class Wire:
    """How a run reaches the fake server: the model to name, and the variables that lead there."""

    model: str
    variables: str

    @property
    def name(self) -> str:
        """The wire, as the fake server calls it."""
        return "openai-responses" if self.variables == "OPENAI" else self.model.partition("/")[0]

    def env(self, url: str) -> dict[str, str]:
        address = {"GEMINI": "GOOGLE_GEMINI_BASE_URL"}.get(self.variables, f"{self.variables}_BASE_URL")
        return {address: url, f"{self.variables}_API_KEY": KEY, "XUN_MODEL": self.model}


ANTHROPIC = Wire("anthropic/claude-test", "ANTHROPIC")
CHAT = Wire("openai-chat/m", "XUN_OPENAI")
OPENAI = Wire("openai/m", "OPENAI")
GEMINI = Wire("gemini/gemini-test", "GEMINI")
WIRES = (ANTHROPIC, CHAT, OPENAI, GEMINI)
BOTH = (ANTHROPIC, CHAT)


def by_model(wire: object) -> str:
    """The id of a parametrised test."""
    return wire.model.partition("/")[0] if isinstance(wire, Wire) else str(wire)


@dataclass(frozen=True)
class Done:
    """How a run ended. `seconds` is wall time."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def result(self) -> dict[str, Any]:
        """The one JSON object of `--output json`."""
        line, end = self.out.split("\n")
        assert end == ""
        return json.loads(line)

    @property
    def events(self) -> list[dict[str, Any]]:
        """Every line of `--output stream-json`."""
        return [json.loads(line) for line in self.out.split("\n")[:-1]]


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a run: that of the test, the Python of the tests first, quick retries."""
    return {
        **os.environ,
        "PATH": f"{XUN.parent}{os.pathsep}{os.environ['PATH']}",
        "XUN_RETRY_BACKOFF": "0.01",
        **(extra or {}),
    }


def start(
    *words: str, env: Mapping[str, str] | None = None, first: str = "", program: str = "", **how: Any
) -> subprocess.Popen[bytes]:
    """Start `xun WORDS` in a session of its own: it has no terminal to ask on. `first` is shell text before it.

    `program` is started in the place of xun.
    """
    how.setdefault("stdin", subprocess.DEVNULL)
    how.setdefault("stdout", subprocess.PIPE)
    how.setdefault("stderr", subprocess.PIPE)
    run = program or str(XUN)
    command = ["/bin/sh", "-c", f'{first}\nexec "$0" "$@"', run, *words] if first else [run, *words]
    process = subprocess.Popen(command, env=environment(env), start_new_session=True, **how)
    return cast("subprocess.Popen[bytes]", process)


def finish(process: subprocess.Popen[bytes], began: float, stdin: bytes | None = None) -> Done:
    """Wait for the end of `process`, however it comes, for at most `LONG` seconds."""
    try:
        out, err = process.communicate(stdin, timeout=LONG)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Done(process.returncode, (out or b"").decode(), (err or b"").decode(), time.monotonic() - began)


def xun(*words: str, env: Mapping[str, str] | None = None, stdin: Any = subprocess.DEVNULL, **how: Any) -> Done:
    """Run `xun WORDS` to its end. `stdin` is what `Popen` takes, or bytes to come from a pipe."""
    given = stdin if isinstance(stdin, bytes) else None
    began = time.monotonic()
    return finish(start(*words, env=env, stdin=stdin if given is None else subprocess.PIPE, **how), began, given)


class Model(ModelServer):
    """A model server that refuses whatever a real one refuses, with `xun run` pointed at it."""

    def __init__(self, *script: Script, wire: Wire = ANTHROPIC, validators: Sequence[Any] = STRICT) -> None:
        super().__init__(script, validators=validators)
        self.wire = wire

    @property
    def env(self) -> dict[str, str]:
        return self.wire.env(self.url)

    def run(self, *words: str, env: Mapping[str, str] | None = None, **how: Any) -> Done:
        """`xun run WORDS` to its end."""
        return xun("run", *words, env={**self.env, **(env or {})}, **how)

    def start(self, *words: str, env: Mapping[str, str] | None = None, **how: Any) -> subprocess.Popen[bytes]:
        return start("run", *words, env={**self.env, **(env or {})}, **how)


def use(tool: str, /, **arguments: Any) -> Call:
    return Call(tool, arguments)


def calls(*items: Call, **how: Any) -> Say:
    return Say(calls=items, **how)


def bash(command: str, **arguments: Any) -> Say:
    """A reply that runs one command."""
    return calls(use("bash", command=command, **arguments))


def results(request: Recorded) -> list[str]:
    """The results that the last step's calls got, as the request carries them."""
    found: list[str] = []
    if request.wire == "openai-responses":
        items = request.body["input"]
        after = max(place for place, item in enumerate(items) if item["type"] == "function_call")
        return [item["output"] for item in items[after:] if item["type"] == "function_call_output"]
    messages = request.history
    if request.wire == "gemini":
        last = next(message for message in reversed(messages) if "functionResponse" in message["parts"][0])
        answers = [part["functionResponse"]["response"] for part in last["parts"]]
        return [text for answer in answers for text in answer.values()]
    if request.is_anthropic:
        return [block["content"] for block in messages[-1]["content"] if block["type"] == "tool_result"]
    for message in reversed(messages):
        if message["role"] != "tool":
            if found or message["role"] != "user":
                break
            continue
        found.insert(0, message["content"])
    return found


_MARKER = re.compile(rb',"cache_control":\{[^{}]*\}')


def check_prefixes(requests: Sequence[Recorded]) -> None:
    """Each request begins with the whole of the last one, byte for byte, cache markers aside."""
    bodies = [_MARKER.sub(b"", request.raw) for request in requests]
    for before, after in itertools.pairwise(bodies):
        assert before.endswith(b"]}")
        assert after.startswith(before[:-2])
        assert len(after) > len(before)


_KILLED = 1 << signal.SIGKILL - 1


def _dying(status: str) -> bool:
    """Whether a process whose `/proc/PID/status` that is has ended, or was killed and only has not come to it."""
    told = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    return told["State"][0] in "ZX" or bool((int(told["SigPnd"], 16) | int(told["ShdPnd"], 16)) & _KILLED)


def left_running() -> dict[int, str]:
    """The processes that this test's runs have started and that are still there: pids and command lines."""
    home = f"HOME={os.environ['HOME']}\0".encode()
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            status = (entry / "status").read_text(errors="replace")
            if not _dying(status) and home in (entry / "environ").read_bytes() + b"\0":
                found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ").strip()
    return found


def end_left_running() -> None:
    """End what a run left behind that was itself killed."""
    for pid in left_running():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_for(what: Callable[[], Any], why: str, seconds: float = LONG) -> Any:
    """Wait until `what()` is true, and return it."""
    until = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < until, f"waited {seconds:g} s for {why}"
        time.sleep(0.01)
    return found


def sessions() -> list[Path]:
    """The session files, the oldest first."""
    return sorted((Path(os.environ["XUN_HOME"]) / "state" / "sessions").glob("*.jsonl"))


def records(path: Path) -> list[dict[str, Any]]:
    """Every line of a session file, each of which must be JSON."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def git(*words: str) -> str:
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def write(files: Mapping[str, str | bytes], folder: Path | None = None) -> None:
    for name, content in files.items():
        path = (folder or Path.cwd()) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def commit(files: Mapping[str, str | bytes]) -> None:
    """A repository in the current folder, with `files` committed."""
    git("init", "-q", "-b", "main")
    write(files)
    git("add", "-A")
    git("commit", "-q", "-m", "start")


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def told(items: Iterable[str]) -> str:
    return "\n".join(items)
