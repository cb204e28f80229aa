"""Code that the agent made, about to be run: one question that names it, in this session and in later ones."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.conftest import require
from tests.e2e.screen import Screen
from tests.e2e.support import Done, Model, bash, calls, results, use, wait_for, xun
from tests.wire.streams import Say
from xun.exec.sandbox.find import find

PYTEST = bash("python -m pytest -q")
CODE = "open('ran', 'a').write('x')\n"
ASKED = "it would run code that the agent made or changed without a person's yes: conftest.py"


def create(path: str = "conftest.py", content: str = CODE) -> Say:
    return calls(use("write_file", path=path, content=content))


def ran(work: Path) -> int:
    """How often the code has been run."""
    return len((work / "ran").read_text()) if (work / "ran").exists() else 0


def denied(done: Done) -> list[str]:
    """What was refused, for want of a person."""
    return [reason for denial in done.result["denials"] for reason in denial["reasons"]]


def kept() -> list[Path]:
    folder = Path(os.environ["XUN_HOME"]) / "state" / "made"
    return sorted(folder.glob("*.json")) if folder.exists() else []


def run(model: Model, *words: str) -> Done:
    return model.run(*words, "--output", "json", "go")


@pytest.mark.spec("W05")
def test_it_asks_once_naming_the_file_and_again_when_that_is_made_anew(work: Path) -> None:
    again = bash("rm conftest.py"), create(content=CODE.replace("x", "y"))
    script = create(), PYTEST, PYTEST, Say("half"), *again, PYTEST, Say("done")
    with Model(*script) as model, Screen(model=model, width=140, height=40) as screen:
        screen.opened()
        screen.send("test it")
        shown = screen.until("number or letter answers")
        assert "conftest.py" in shown and "python -m pytest -q" in shown
        assert ran(work) == 0
        screen.type("1")
        screen.until("half")
        assert ran(work) == 2
        screen.send("once more")
        screen.until(lambda text: "rm conftest.py" in text and "number or letter answers" in text)
        screen.type("1")
        screen.until(lambda text: "agent made" in text and "number or letter answers" in text)
        assert ran(work) == 2
        screen.type("1")
        screen.until("done")
        assert ran(work) == 3


@pytest.mark.spec("W05")
def test_without_a_person_it_is_refused_and_the_model_is_told_why(work: Path) -> None:
    with Model(create(), PYTEST, Say("ok")) as model:
        done = run(model)
        [answer] = results(model.requests[2])
    assert denied(done) == [ASKED] and ASKED in answer
    assert ran(work) == 0


@pytest.mark.parametrize("words", [("--allow-write", "."), ("--mode", "accept-edits"), ("--yes",)], ids=" ".join)
def test_a_persons_yes_to_writing_and_auto_confirm_let_it_run(work: Path, words: tuple[str, ...]) -> None:
    with Model(create(), PYTEST, Say("ok")) as model:
        done = run(model, *words)
    assert done.result["denials"] == [] and ran(work) == 1
    # Auto-confirm took the default: that was no person's yes, and is none in a later session.
    assert bool(kept()) is (words == ("--yes",))


@pytest.mark.spec("W05")
@pytest.mark.parametrize("words", [(), ("--continue",), ("--continue", "--fork")], ids=["new", "continued", "forked"])
def test_a_later_session_asks_for_what_an_earlier_one_made(work: Path, words: tuple[str, ...]) -> None:
    with Model(create(), Say("made"), PYTEST, Say("ok")) as model:
        assert run(model).result["denials"] == []
        done = run(model, *words)
    assert denied(done) == [ASKED] and ran(work) == 0


def test_a_killed_session_has_kept_it_and_asks_when_it_is_continued(work: Path) -> None:
    with Model(create(), bash("tail -f conftest.py | head -n 9"), PYTEST, Say("ok")) as model:
        process = model.start("--allow", "tail -f conftest.py", "go")
        wait_for(lambda: (work / "conftest.py").exists() and len(model.requests) > 1, "the file")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        done = run(model, "--continue")
    assert denied(done) == [ASKED] and ran(work) == 0


@pytest.mark.spec("W05")
@pytest.mark.parametrize(
    ("command", "name", "content"),
    [
        ("make test", "Makefile", "test:\n\ttouch ran\n"),
        ("npm test", "package.json", '{"scripts": {"test": "touch ran"}}\n'),
    ],
)
def test_a_granted_build_asks_for_the_file_that_says_what_it_does(
    work: Path, command: str, name: str, content: str
) -> None:
    with Model(create(name, content), bash(command), Say("ok")) as model:
        done = run(model, "--allow", command)
    assert denied(done) == [ASKED.replace("conftest.py", name)]
    assert not (work / "ran").exists()


def test_in_the_sandbox_it_runs_unasked_and_confined(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XUN_SANDBOX")
    require("a sandbox", find() is not None)
    outside, inside = tmp_path / "outside", work / "out"
    inside.mkdir()
    code = (
        f"try:\n    open({str(outside)!r}, 'w')\nexcept OSError:\n    pass\n"
        "open('out/Makefile', 'w').write('test:\\n\\ttouch ran\\n')\n"
    )
    build = bash("make -C out test")
    with Model(create(content=code), PYTEST, Say("ok"), build, Say("ok")) as model:
        done = model.run("--output", "stream-json", "go")
        decided = [event for event in done.events if event["type"] == "decided"]
        assert all(event["allowed"] and event["by"] == "rule" for event in decided)
        assert decided[-1]["decision"]["confinement"] is not None
        assert (inside / "Makefile").exists() and not outside.exists()
        # What that code made is code of the agent's too, and nobody knows its name.
        monkeypatch.setenv("XUN_SANDBOX", "off")
        later = run(model, "--allow", "make -C out test")
    assert denied(later) == [f"{ASKED}, and maybe others"] and not (inside / "ran").exists()


def test_a_check_of_the_policy_says_what_would_be_asked(work: Path) -> None:
    assert xun("policy", "check", "pytest").code == 0
    with Model(create(), Say("ok")) as model:
        run(model)
    done = xun("policy", "check", "pytest")
    assert done.code == 3 and ASKED in done.out and f"    {work / 'conftest.py'}\n" in done.out
    assert xun("policy", "check", "ls").code == 0


def test_why_explains_it_later(work: Path) -> None:
    with Model(create(), PYTEST, Say("all done")) as model, Screen(model=model, width=140, height=40) as screen:
        screen.opened()
        screen.send("test it")
        screen.until("number or letter answers")
        screen.type("1")
        screen.until("all done")
        screen.send("/policy why 4")
        shown = screen.until("no person has said yes to it")
        assert str(work / "conftest.py") in shown.replace("\n", "")
        screen.send("/exit")
        assert screen.end() == 0
