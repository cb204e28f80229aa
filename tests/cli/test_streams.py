"""Standard streams that are closed, full or in another encoding: real processes, as a shell starts them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import XUN, Done, script, shell

FULL = "No space left on device"
NO_OUTPUT = "xun: standard output could not be written: "
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def model() -> str:
    """A scripted model with an answer beyond ASCII, and the session of one run with it."""
    name = script("é")
    assert shell(f"xun run --model {name} hi").code == 0
    return name


PRINTING = [
    "--version",
    "--help",
    "run --help",
    "policy check ls",
    "policy check --json 'rm -rf /'",
    "policy check --stdin",
    "config show",
    "config show --json",
    "config path",
    "config path --all",
]
OF_A_RUN = [
    "sessions list",
    "sessions list --json",
    "sessions show 2",
    "sessions show --json 2",
    "run --model scripted:script.json hi",
    "run --model scripted:script.json --output json hi",
    "run --model scripted:script.json --output stream-json hi",
]


def told_once(words: str) -> None:
    for closed, why in ((">/dev/full", FULL), (">&-", "it is closed")):
        done = shell(f"xun {words} {closed}", stdin=b'"ls"\n')
        assert (done.code, done.err) == (1, f"{NO_OUTPUT}{why}\n"), (words, closed)


@pytest.mark.parametrize("words", PRINTING)
def test_output_that_cannot_be_written_is_told_once_and_is_a_failure(words: str) -> None:
    told_once(words)


def test_an_answer_or_a_session_that_cannot_be_written_is_told_once(model: str) -> None:
    for words in OF_A_RUN:
        told_once(words)


@pytest.mark.parametrize(
    ("words", "code"),
    [("--version", 0), ("config path", 0), ("policy check 'sudo ls'", 3), ("run --model scripted:script.json hi", 0),
     ("run --nonsense --output json", 2)],
)  # fmt: skip
def test_a_closed_standard_error_changes_nothing(words: str, code: int) -> None:
    script("hello")
    done = shell(f"xun {words} 2>&-")
    assert done.code == code and done.out


def test_with_nothing_open_it_works_in_silence(model: str) -> None:
    done = shell("xun run --model scripted:script.json hi <&- >&- 2>&-")
    assert (done.code, done.out, done.err) == (1, b"", "")


def test_no_file_takes_the_place_of_a_closed_stream(model: str, work: Path) -> None:
    """The session and the log would be opened as descriptors 0 to 2, and what is printed written into them."""
    done = shell("xun run --model scripted:script.json hi <&- >&- 2>&-", env={"XUN_LOG": str(work / "log")})
    assert done.code == 1
    kept = max((Path(os.environ["XUN_HOME"]) / "state" / "sessions").iterdir(), key=os.path.getmtime)
    for line in kept.read_text().splitlines():
        json.loads(line)
    assert all(line[:2] == "20" for line in (work / "log").read_text().splitlines())


def test_a_usage_error_stays_one_where_its_object_cannot_be_written() -> None:
    done = shell("xun run --nonsense --output json >/dev/full")
    first, second = done.err.splitlines()
    assert done.code == 2 and first == NO_OUTPUT + FULL and "--nonsense" in second


def test_a_reader_who_has_seen_enough_is_no_news(model: str) -> None:
    """As after `| head -1`: a list that was cut off on purpose."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([XUN, "sessions", "list"], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_pipe_that_does_not_block_is_waited_for(work: Path) -> None:
    text = "x" * 300_000
    (work / "long.json").write_text(json.dumps([{"text": text}]))
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with subprocess.Popen(
        [XUN, "run", "--model", "scripted:long.json", "hi"], stdin=subprocess.DEVNULL, stdout=writer
    ) as run:
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            assert pipe.read() == f"{text}\n".encode()
    assert run.returncode == 0


# Encodings.


def prompt_of(done: Done) -> str:
    return next(json.loads(line)["prompt"] for line in done.out.splitlines() if b'"turn_started"' in line)


@pytest.mark.parametrize("env", [{}, ASCII, {"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}], ids=str)
def test_a_prompt_reaches_the_model_whatever_the_locale(env: dict[str, str], model: str) -> None:
    how = "--model scripted:script.json --output stream-json"
    done = shell(f'xun run {how} "$@"', "naïve 中文 🙂", env=env)
    assert done.code == 0 and prompt_of(done) == "naïve 中文 🙂"
    assert json.loads(done.out.splitlines()[-1])["output"] == "é"


def test_bytes_of_a_prompt_that_are_no_text_are_shown_as_such(model: str) -> None:
    how = "--model scripted:script.json --output stream-json"
    for env in ({}, ASCII):
        assert prompt_of(shell(f'xun run {how} "$@"', b"a \xff z", env=env)) == "a \ufffd z"


@pytest.mark.parametrize("env", [{}, ASCII, {"PYTHONIOENCODING": "latin-1"}], ids=str)
def test_output_is_utf_8_whatever_the_locale(env: dict[str, str], model: str, work: Path) -> None:
    (work / "dossié").mkdir()
    done = shell("xun run --model scripted:script.json --cwd dossié hi", env=env)
    assert (done.code, done.out) == (0, "é\n".encode())
    refused = shell('xun run --model scripted:script.json --cwd "$@" hi', "où", env=env)
    assert (refused.code, refused.err) == (2, "xun: --cwd où: there is no such folder\n")


LINE_ENDS = "a\u2028b\u2029c\u0085d\u009b31me\x1cf\x0cg"


def lines_of(out: bytes) -> list[Any]:
    """As a reader has it that takes every line end of Unicode for one."""
    return [json.loads(line) for line in out.decode().splitlines()]


@pytest.mark.parametrize("output", ["json", "stream-json"])
def test_json_is_one_line_for_every_reader(output: str, work: Path) -> None:
    (work / "odd.json").write_text(json.dumps([{"text": LINE_ENDS}]))
    done = shell(f'xun run --model scripted:odd.json --output {output} "$@"', LINE_ENDS)
    assert done.code == 0 and b"\xc2\x9b" not in done.out
    items = lines_of(done.out)
    assert items[-1]["output"] == LINE_ENDS
    assert output == "json" or items[0]["prompt"] == LINE_ENDS


def test_a_failure_and_a_decision_are_one_line_too() -> None:
    failed = shell('xun run --output json --model "$@" hi', f"nobody/{LINE_ENDS}")
    [result] = lines_of(failed.out)
    assert failed.code == 2 and result["stop_reason"] == "usage"
    [decision] = lines_of(shell('xun policy check --json "$@"', f"echo {LINE_ENDS}").out)
    assert decision["command"] == f"echo {LINE_ENDS}"
    [answer] = lines_of(shell("xun policy check --stdin", stdin=json.dumps(f"ls {LINE_ENDS}").encode()).out)
    assert answer["command"] == f"ls {LINE_ENDS}"


def test_half_a_character_loses_no_event(work: Path) -> None:
    (work / "odd.json").write_text('[{"text": "half \\ud83d"}]')
    done = shell("xun run --model scripted:odd.json --output stream-json hi")
    items = lines_of(done.out)
    assert [item["seq"] for item in items[:-1]] == list(range(1, len(items)))
    assert items[-2]["type"] == "turn_ended" and items[-1]["output"] == "half \ufffd"
