"""Rules, modes and the assessor as a person meets them: files on disk, options, exit codes."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support import (
    ANTHROPIC,
    LONG,
    WIRES,
    Done,
    Model,
    Wire,
    bash,
    by_model,
    calls,
    lines,
    results,
    use,
    write,
    xun,
)
from tests.e2e.terminal import Terminal
from tests.wire.recorded import Recorded
from tests.wire.streams import Say

JUDGE = b"You judge one action"


def policy_path() -> Path:
    return Path(os.environ["XUN_HOME"]) / "policy.toml"


def policy(text: str) -> None:
    policy_path().write_text(text)


def verdict(word: str) -> Say:
    return Say(json.dumps({"verdict": word, "reason": "because"}))


def check(*words: str) -> tuple[int, dict[str, Any]]:
    done = xun("policy", "check", "--json", *words)
    return done.code, json.loads(done.out)


RULES = """\
[settings]
risk = "off"

[[rule]]
effect = "allow"
command = "touch"
match = ["touch x"]

[[rule]]
effect = "deny"
read = "**/*.secret"
reason = "not for models"
"""


def test_the_persons_rules_hold_in_a_run(work: Path) -> None:
    policy(RULES)
    write({"a.secret": "hidden\n"})
    reply = calls(use("bash", command="touch made"), use("read_file", path="a.secret"))
    with Model(reply, Say("done")) as model:
        done = model.run("--output", "json", "go")
    assert done.code == 0 and (work / "made").exists()
    assert "not for models" in results(model.requests[1])[1]
    [denial] = done.result["denials"]
    assert (denial["by"], denial["rule"]) == ("rule", f"{policy_path()}:9")


def test_they_hold_in_a_check_and_name_their_line() -> None:
    policy(RULES)
    code, decision = check("touch x")
    assert (code, decision["effect"], decision["segments"][0]["rule"]) == (0, "allow", f"{policy_path()}:4")
    code, decision = check("cat a.secret")
    assert (code, decision["segments"][0]["rule"]) == (4, f"{policy_path()}:9")


@pytest.mark.parametrize("words", [("run", "--model", "demo", "go"), ("policy", "check", "ls")], ids=" ".join)
def test_a_mistake_stops_everything_before_it_begins(words: tuple[str, ...]) -> None:
    policy('[[rule]]\neffect = "deny"\ncommnd = "rm"\n')
    done = xun(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err == f'xun: {policy_path()}:3: unknown key "commnd"; did you mean command?\n'


def test_rules_for_one_run_stand_beside_the_persons(work: Path) -> None:
    policy(RULES)
    write({"more.toml": '[[rule]]\neffect = "deny"\ncommand = "touch made"\n[settings]\nnewlines = "split"\n'})
    assert check("touch made")[0] == 0
    assert check("--policy", "more.toml", "touch made")[0] == 4
    assert check("--policy", "more.toml", "ls\ntouch x")[0] == 0
    with Model(bash("touch made"), Say("ok")) as model:
        assert model.run("--policy", "more.toml", "go").code == 0
    assert not (work / "made").exists()


CHECKED = [
    ("ls", "manual", 0),
    ("ls", "plan", 0),
    ("pytest", "manual", 0),
    ("pytest", "plan", 4),
    ("rm x", "accept-edits", 3),
    ("rm x", "plan", 4),
    ("sudo ls", "auto", 3),
]


@pytest.mark.parametrize(("command", "mode", "code"), CHECKED)
def test_a_check_in_a_mode(command: str, mode: str, code: int) -> None:
    found, decision = check("--mode", mode, command)
    assert found == code
    if mode == "plan" and code == 4:
        assert [reason["code"] for reason in decision["reasons"]] == ["mode"]
        assert decision["segments"][-1]["rule"] == "mode plan"


EDIT = calls(use("read_file", path="a.txt")), calls(use("edit_file", path="a.txt", old="one", new="two"))


def edited(model: Model, *words: str, env: dict[str, str] | None = None) -> Done:
    write({"a.txt": "one\n"})
    return model.run(*words, "--output", "json", "go", env=env)


@pytest.mark.parametrize("wire", [ANTHROPIC, WIRES[1]], ids=by_model)
@pytest.mark.parametrize(
    ("how", "env", "text", "code"),
    [
        ((), {}, "one\n", 4),
        (("--mode", "accept-edits"), {}, "two\n", 0),
        ((), {"XUN_MODE": "accept-edits"}, "two\n", 0),
        (("--mode", "manual"), {"XUN_MODE": "accept-edits"}, "one\n", 4),
        (("--mode", "plan"), {}, "one\n", 0),
    ],
)
def test_a_mode_says_whether_a_file_is_edited_unasked(
    how: tuple[str, ...], env: dict[str, str], text: str, code: int, wire: Wire, work: Path
) -> None:
    with Model(*EDIT, Say("done"), wire=wire) as model:
        done = edited(model, *how, env=env)
    assert (done.code, (work / "a.txt").read_text()) == (code, text)
    assert (b"Plan mode is on" in model.requests[0].raw) == ("plan" in how)


@pytest.mark.parametrize("setting", ['mode = "auto"', '[risk]\nmodel = "anthropic/weak"'])
def test_a_project_cannot_loosen_what_is_asked(setting: str, work: Path) -> None:
    write({".xun/config.toml": setting + "\n"})
    with Model(Say("hi")) as model:
        done = model.run("--trust", "go")
    assert done.code == 0 and "is ignored in a project file" in done.err


def test_the_mode_may_stand_in_the_persons_file(work: Path) -> None:
    (policy_path().parent / "config.toml").write_text('mode = "accept-edits"\n')
    with Model(*EDIT, Say("done")) as model:
        assert edited(model).code == 0
    assert (work / "a.txt").read_text() == "two\n"


@pytest.mark.parametrize("wire", WIRES, ids=by_model)
@pytest.mark.parametrize(("word", "code", "made"), [("allow", 0, True), ("unsure", 4, False), ("reject", 4, False)])
def test_where_nobody_can_be_asked_the_assessor_is(word: str, code: int, made: bool, wire: Wire, work: Path) -> None:
    policy("")
    with Model(bash("touch made"), verdict(word), Say("done"), wire=wire) as model:
        done = model.run("--output", "json", "go")
    assert (done.code, (work / "made").exists()) == (code, made)
    assert [JUDGE in request.raw for request in model.requests] == [False, True, False]
    assert done.result["usage"]["output_tokens"] == 60
    assert [denial["by"] for denial in done.result["denials"]] == ([] if made else ["nobody"])


@pytest.mark.parametrize(("word", "said"), [("allow", "allowed by the risk assessor"), ("reject", "refused by nobody")])
def test_what_the_assessor_did_is_shown(word: str, said: str) -> None:
    policy("")
    with Model(bash("touch made"), verdict(word), bash("pwd"), Say("done")) as model:
        done = model.run("--ignore-denials", "go")
    assert done.code == 0
    [line] = [line for line in lines(done.err) if said in line]
    assert "touch made" in line and "because" in line
    assert "exit code" in done.err.partition(said)[2]  # and the front end goes on


@pytest.mark.parametrize("answer", ["allow", "person"])
def test_on_a_terminal_the_first_answer_wins(answer: str, work: Path) -> None:
    """The question appears while the assessor takes its time; its yes takes the question away again."""
    policy("")
    settle = threading.Event()

    def assess(_request: Recorded) -> Say:
        settle.wait(LONG)
        return verdict("allow")

    with Model(bash("touch made"), assess, Say("done")) as model, Terminal(model, "go") as terminal:
        assert "touch made" in terminal.until("\n> ")
        if answer == "person":
            terminal.enter("n\n")
            terminal.until("refused by you")
        settle.set()
        code, out = terminal.end()
        assert (code, out) == (0, "done\n")
        assert ("allowed by the risk assessor" in terminal.screen) == (answer == "allow")
        assert terminal.settings_now() == terminal.settings
    assert (work / "made").exists() == (answer == "allow")


@pytest.mark.parametrize(("word", "marked"), [("unsure", "yes, once"), ("reject", "no (a reason")])
def test_its_word_is_shown_with_the_question_and_moves_the_default(word: str, marked: str) -> None:
    policy("")
    with Model(bash("touch made"), verdict(word), Say("done")) as model, Terminal(model, "go") as terminal:
        shown = terminal.until("\n> ")
        [default] = [line for line in shown.splitlines() if line.endswith("[Enter]")]
        assert marked in default and "because" in shown
        terminal.enter("\n")
        assert terminal.end() == (0, "done\n")
    assert Path("made").exists() == (word == "unsure")


def test_another_model_may_assess() -> None:
    policy("")

    def assess(request: Recorded) -> Say:
        assert request.body["model"] == "claude-small"
        return verdict("allow")

    with Model(bash("touch made"), assess, Say("done")) as model:
        done = model.run("go", env={"XUN_RISK_MODEL": "anthropic/claude-small"})
    assert done.code == 0


def test_the_assessors_part_is_in_the_events() -> None:
    policy("")
    with Model(bash("touch made"), verdict("allow"), Say("done")) as model:
        done = model.run("--output", "stream-json", "go")
    [decided] = [e for e in done.events if e["type"] == "decided" and e["by"] == "risk"]
    assert decided["assessment"] == {"verdict": "allow", "reason": "because", "looked": False, "failed": False}
    assert not any(event["type"] == "asked" for event in done.events)


def test_no_model_is_asked_by_a_check() -> None:
    policy("")
    with Model() as model:
        done = xun("policy", "check", "touch x", env=model.env)
    assert done.code == 3 and model.requests == []
    assert len(lines(done.err)) == 0
