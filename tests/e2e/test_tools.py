"""Tools as a model meets them: over the wire, through the policy, on real files and processes."""

from __future__ import annotations

import hashlib
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support import BOTH, Model, Wire, bash, by_model, calls, commit, git, left_running, results, use, write
from tests.wire.recorded import Recorded
from tests.wire.streams import Call, Say

LEAVE = ("--allow-write", ".")


def answers(*steps: Say, words: tuple[str, ...] = LEAVE, code: int = 0) -> list[list[str]]:
    """The results of each step's calls in a run that then ends."""
    with Model(*steps, Say("done")) as model:
        done = model.run("go", *words)
    assert (done.code, model.refusals) == (code, []), done.err
    return [results(request) for request in model.requests[1:]]


# Compound commands.

CHAINED = [
    "git status && touch P1",
    "git log; touch P2",
    "git log | tee P3",
    "git status & touch P4",
    "git status\ntouch P5",
    "git status-x",
    "npm testify",
    "git log > P6",
    "X=1 rm -rf d",
    "/bin/rm -rf d",
    "command rm -rf d",
    "sh -c 'rm -rf d'",
    "git log --output=P7",
    "git -c core.pager='touch P8' log",
]
RULES = ("--allow", "git status", "--allow", "git log", "--allow", "npm test", "--deny", "rm")


@pytest.mark.bug("perm-compound-command")
@pytest.mark.parametrize("wire", BOTH, ids=by_model)
def test_nothing_rides_on_an_allowed_prefix(wire: Wire) -> None:
    commit({"a.txt": "a\n", "d/inner": "x"})
    plain = ["git status", "git log --oneline"]
    steps = [bash(command) for command in CHAINED]
    with Model(*steps, *map(bash, plain), Say("done"), wire=wire) as model:
        done = model.run("go", *RULES, "--output", "json")
    assert (done.code, model.refusals) == (4, [])
    denials = done.result["denials"]
    assert [denial["action"] for denial in denials] == CHAINED
    by = {denial["action"]: denial["by"] for denial in denials}
    assert {by[command] for command in CHAINED if "rm" not in command} == {"nobody"}
    assert all(by[command] == "rule" for command in ("X=1 rm -rf d", "/bin/rm -rf d", "command rm -rf d"))
    assert list(Path().glob("P*")) == [] and Path("d/inner").exists()
    assert all(results(request)[0].startswith("exit code 0") for request in model.requests[-len(plain) :])


@pytest.mark.bug("perm-compound-command")
def test_auto_confirm_does_not_widen_a_deny_rule() -> None:
    commit({"d/inner": "x"})
    with Model(*[bash(command) for command in CHAINED if "rm -rf" in command], Say("done")) as model:
        done = model.run("go", *RULES, "--yes", "--output", "json")
    assert Path("d/inner").exists(), done.err


# The shell.


@pytest.mark.bug("sh-background-holds-pipe")
def test_a_background_child_holds_nothing_up() -> None:
    commands = [
        "sleep 61 & echo started $!",
        "(setsid sh -c 'sleep 61' &) ; echo d",
        "nohup python3 -m http.server 0 --bind 127.0.0.1 & sleep 0.2; echo up",
        "sleep 61 > /dev/null 2>&1 & echo ok",
    ]
    began = time.monotonic()
    found = [result for [result] in answers(*map(bash, commands), words=("--yes",))]
    assert time.monotonic() - began < 10
    for result, said in zip(found, (r"started \d+", "d", "up", "ok"), strict=True):
        assert result.startswith("exit code 0") and re.search(rf"^{said}$", result, re.MULTILINE), result
    assert left_running() == {}


@pytest.mark.bug("sh-stdin-closed")
def test_what_reads_input_finds_its_end() -> None:
    commands = [
        "cat",
        "read -p 'name? ' x; echo got:$x",
        "python3 -c 'input()'",
        "cat - | wc -c",
        "ssh -o StrictHostKeyChecking=ask 127.0.0.1 -p 9 true",
    ]
    began = time.monotonic()
    silent, got, python, count, ssh = (r for [r] in answers(*map(bash, commands), words=("--yes",)))
    assert time.monotonic() - began < 10
    assert silent == "exit code 0\n(no output)"
    assert "got:" in got
    assert python.startswith("exit code 1") and "EOFError" in python
    assert count.endswith("\n0")
    assert ssh.startswith("exit code ") and not ssh.startswith("exit code 0")


@pytest.mark.bug("sh-timeout-kills-tree")
def test_a_timeout_ends_the_whole_tree_and_the_next_call_works() -> None:
    command = "sh -c 'trap \"\" TERM; sleep 98765' & echo before; sleep 98765 | cat; echo never"
    began = time.monotonic()
    [late], [after] = answers(bash(command, timeout=0.5), bash("echo next"), words=("--yes",))
    assert time.monotonic() - began < 6.5
    assert "timed out after 0.5 s" in late and "before" in late and "never" not in late
    assert after == "exit code 0\nnext"


# Search.


@pytest.mark.bug("grep-leading-dash-and-bad-regex")
def test_a_pattern_is_a_pattern() -> None:
    write({"s.txt": "x -> y\ncode -77\nuse --pdf-engine here\nf(a\n", "-dir/t.txt": "inside\n"})
    patterns = ["->", "-77", "--pdf-engine", "f(", "[", "--pre=touch pwned"]
    step = calls(*(use("grep", pattern=pattern) for pattern in patterns), use("grep", pattern="inside", path="-dir"))
    [found] = answers(step)
    for result, line in zip(found[:3], ("x -> y", "code -77", "use --pdf-engine here"), strict=True):
        assert line in result
    for result in found[3:5]:
        assert "no match" not in result.lower()
        assert re.search("invalid|not a valid|regular expression", result), result
    assert "inside" in found[6]
    assert not Path("pwned").exists()


# Files.


@pytest.mark.bug("edit-crlf-bytes")
def test_line_ends_stay() -> None:
    commit({"f.txt": b"alpha\r\nbeta\r\ngamma\r\n", "m.txt": b"a\r\nb\nc\r\n"})
    step = calls(
        use("edit_file", path="f.txt", old="alpha\nbeta", new="alpha\nBETA\nextra"),
        use("edit_file", path="m.txt", old="c", new="C"),
    )
    answers(step)
    assert Path("f.txt").read_bytes() == b"alpha\r\nBETA\r\nextra\r\ngamma\r\n"
    assert Path("m.txt").read_bytes() == b"a\r\nb\nC\r\n"
    assert git("diff", "--numstat").split() == ["2", "1", "f.txt", "1", "1", "m.txt"]
    answers(calls(use("read_file", path="f.txt")), calls(use("write_file", path="f.txt", content="x\ny\n")))
    assert Path("f.txt").read_bytes() == b"x\r\ny\r\n"  # an existing file keeps its line ends


@pytest.mark.bug("edit-latin1-no-corruption")
def test_bytes_of_another_encoding_stay() -> None:
    before = b'nome = "S\xe3o Tom\xe9"\nlimit = 1\n'
    write({"cfg.pas": before})
    [read], [edited] = answers(
        calls(use("read_file", path="cfg.pas")),
        calls(use("edit_file", path="cfg.pas", old="limit = 1", new="limit = 2")),
    )
    assert "limit = 1" in read and "São Tomé" in read
    assert Path("cfg.pas").read_bytes() == before.replace(b"1", b"2"), edited


@pytest.mark.bug("edit-keeps-mode-and-symlink")
def test_mode_and_links_stay() -> None:
    write({"run.sh": "#!/bin/sh\necho one\n", "real/c.ini": "v=1\n"})
    Path("run.sh").chmod(0o750)
    Path("link.ini").symlink_to("real/c.ini")
    steps = [
        calls(
            use("edit_file", path="run.sh", old="one", new="two"),
            use("edit_file", path="link.ini", old="v=1", new="v=2"),
        ),
        calls(use("write_file", path="run.sh", content="#!/bin/sh\necho three\n")),
        calls(use("write_file", path="new.txt", content="new\n")),
    ]
    with Model(*steps, Say("done")) as model:
        assert model.run("go", *LEAVE, first="umask 077").code == 0
    assert Path("run.sh").stat().st_mode & 0o777 == 0o750 and "three" in Path("run.sh").read_text()
    assert Path("link.ini").is_symlink() and Path("real/c.ini").read_text() == "v=2\n"
    assert Path("new.txt").stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir()) == ["link.ini", "new.txt", "real", "run.sh"]  # noqa: PTH208


@pytest.mark.bug("edit-fuzzy-touches-only-match")
def test_a_tolerant_match_touches_only_its_lines() -> None:
    text = "keep\u201cq\u201d   \nreplace me   \nafter\n\ttab \u2014 dash \n"
    write({"a.txt": text})
    answers(calls(use("edit_file", path="a.txt", old="replace me\nafter", new="DONE")))
    assert Path("a.txt").read_text() == "keep\u201cq\u201d   \nDONE\n\ttab \u2014 dash \n"


@pytest.mark.bug("edit-stale-write-refused")
def test_what_the_person_saved_meanwhile_is_not_destroyed() -> None:
    write({"notes.md": "seed\n"})

    def meanwhile(_: Recorded) -> Say:
        with Path("notes.md").open("a") as file:
            file.write("user line\n")
        return calls(use("write_file", path="notes.md", content="seed\nagent line\n"))

    steps: list[Any] = [
        calls(use("read_file", path="notes.md")),
        meanwhile,
        calls(use("edit_file", path="notes.md", old="seed", new="SEED")),
        calls(use("read_file", path="notes.md")),
        calls(use("write_file", path="notes.md", content="SEED\nuser line\nagent line\n")),
        calls(use("write_file", path="notes.md", content="SEED\nuser line\nagent line\nmore\n")),
        Say("done"),
    ]
    with Model(*steps) as model:
        assert model.run("go", *LEAVE).code == 0
    _, [stale], [edited], [read], [written], [again] = (results(request) for request in model.requests[1:])
    assert "changed" in stale and "read" in stale
    assert "SEED" in read and "user line" in read
    assert edited.startswith("Edited")
    assert written.startswith("Wrote") and again.startswith("Wrote"), (written, again)
    assert Path("notes.md").read_text() == "SEED\nuser line\nagent line\nmore\n"


@pytest.mark.bug("read-one-huge-line")
def test_a_huge_file_does_not_fill_the_context() -> None:
    write({"min.js": "a=1;" * 500_000, "big.log": "\n".join(f"row {number}" for number in range(400_000))})
    step = calls(
        use("read_file", path="min.js"),
        use("read_file", path="big.log"),
        use("read_file", path="big.log", offset=399_990),
        use("read_file", path="min.js", offset=5),
    )
    [found] = answers(step)
    assert all(len(result) <= 60_000 for result in found)
    line, head, tail, past = found
    assert re.search(r"[\d,]+ (more )?char", line), line[-300:]
    assert "offset" in head[-300:]
    assert "row 399999" in tail
    assert len(past) < 300


def test_repeating_a_failing_call_is_told_to_the_model() -> None:
    step = calls(use("read_file", path="absent.txt"))
    found = answers(step, step, step)
    assert "Do not repeat it" in found[2][0] and "Do not repeat it" not in found[1][0]


def test_calls_of_one_step_answer_in_their_order() -> None:
    write({f"{name}.txt": name for name in "abc"})
    step = calls(
        use("bash", command="sleep 0.2; echo slow"),
        *(use("read_file", path=f"{name}.txt") for name in "abc"),
        Call("nothing", {}),
    )
    [found] = answers(step)
    assert "slow" in found[0]
    assert all(name in result for name, result in zip("abc", found[1:4], strict=True))
    assert "nothing" in found[4]


def test_the_same_tree_gives_the_same_first_request() -> None:
    with Model(Say("ok"), Say("ok")) as model:
        model.run("hi")
        model.run("hi")
    digests = {hashlib.sha256(request.raw).hexdigest() for request in model.requests}
    assert len(digests) == 1
    assert len(model.requests[0].raw) < 24_000
