"""What the agent makes without a person's yes is remembered, and asks once before it is run."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import agent_of, call, calls, check_guarantees
from tests.gate.standing import Standing
from xun import Answer, Ask, Policy
from xun.config.made_file import MadeStore
from xun.events import Asked, Decided, Notice
from xun.gate import made as made_module
from xun.gate.gather import gather
from xun.gate.made import MadeFiles
from xun.gate.unseen import concerns, follow, look
from xun.policy.action import Run, Write
from xun.policy.decide import decide
from xun.policy.decision import Assessment, Mode
from xun.policy.facts import Made
from xun.policy.rules import Rule, Settings

pytestmark = pytest.mark.anyio

CODE = "print('made')\n"
PYTEST = call("bash", command="python -m pytest -q --co")
DONE = {"text": "ok"}


def create(path: str, content: str = CODE) -> dict[str, Any]:
    return call("write_file", path=path, content=content)


class Person:
    """Says yes, or what is given, and keeps the questions."""

    def __init__(self, answer: Answer | None = None) -> None:
        self.asked: list[Ask] = []
        self.answer = answer or Answer.once()

    def __call__(self, ask: Ask) -> Answer:
        self.asked.append(ask)
        return self.answer

    @property
    def made(self) -> list[list[str]]:
        """The names of the files in each question about what the agent made."""
        return [[Path(path).name for path in ask.decision.made] for ask in self.asked if ask.decision.made]


async def turn(*steps: Any, person: Person | None = None, made: MadeFiles | None = None, **how: Any) -> Any:
    """Run `steps` with the tools for files and commands; returns what was heard."""
    person = person or Person()
    agent, _, heard = agent_of([*steps, DONE], "fs", "cmd", on_ask=person, **how)
    async with agent:
        if made is not None:
            agent.gate.made = made
        await agent.run("go")
    check_guarantees(heard, agent)
    return heard


@pytest.mark.spec("W05")
async def test_new_code_asks_once_and_is_known_after_a_yes(work: Path) -> None:
    person = Person()
    heard = await turn(create("conftest.py"), PYTEST, PYTEST, person=person)
    assert person.made == [["conftest.py"]] and len(person.asked) == 1
    told = [event for event in heard.of(Decided) if event.decision.made]
    assert [(event.allowed, event.by) for event in told] == [(True, "person")]
    assert told[0].decision.made == (str(work / "conftest.py"),)


async def test_with_no_it_is_not_run_and_asks_again(work: Path) -> None:
    person = Person(Answer.no("look at it first"))
    await turn(create("conftest.py", "open('ran', 'w')\n"), PYTEST, PYTEST, person=person)
    assert person.made == [["conftest.py"]] * 2 and not (work / "ran").exists()


async def test_what_has_not_been_made_costs_no_look(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_module, "open_regular", None)
    heard = await turn(PYTEST, call("bash", command="ls"), made=MadeFiles())
    assert not heard.of(Asked)


async def test_code_made_again_after_a_yes_asks_again() -> None:
    person = Person()
    again = call("bash", command="rm conftest.py"), create("conftest.py", "print('other')\n")
    await turn(create("conftest.py"), PYTEST, *again, PYTEST, PYTEST, person=person)
    assert person.made == [["conftest.py"]] * 2


WRITE_RULE = Rule(effect="allow", kind="write", pattern=".", source="policy.toml:1")


@pytest.mark.parametrize(
    "how",
    [{"policy": Policy(write_paths=["."])}, {"policy": Policy(rules=[WRITE_RULE])}, {"mode": "accept-edits"}],
    ids=["path grant", "rule", "accept-edits"],
)
async def test_a_persons_rule_on_writing_is_a_yes(how: dict[str, Any]) -> None:
    person = Person()
    await turn(create("conftest.py"), PYTEST, person=person, **how)
    assert person.asked == []


async def test_a_persons_yes_to_a_change_is_one_to_what_stands_there_then() -> None:
    person = Person()
    edit = call("edit_file", path="conftest.py", old="made", new="changed")
    await turn(create("conftest.py"), edit, PYTEST, person=person)
    assert [ask.action.kind for ask in person.asked] == ["write"]


async def test_a_yes_to_a_change_that_fails_is_none(work: Path) -> None:
    standing = Standing(work, answer=Answer.once())
    path = str(work / "conftest.py")
    await standing.check(Write(path=path, op="create"))
    Path(path).write_text(CODE)
    verdict = await standing.check(Write(path=path, op="overwrite"))
    assert verdict.approved == (path,)
    assert (await standing.check(Run(command="pytest", cwd=str(work)))).decisions[0].made == (path,)


class Yes:
    """An assessor that lets everything pass."""

    available = True

    async def assess(self, _decision: Any, _facts: Any) -> Assessment:
        return Assessment(verdict="allow", reason="harmless")


@pytest.mark.parametrize(
    ("mode", "action", "target"),
    [
        ("auto", Write(path="{}/old.py", op="overwrite"), "old.py"),
        ("manual", Run(command="cp notes.txt conftest.py", cwd="{}"), "conftest.py"),
        ("manual", Run(command="cat notes.txt > conftest.py", cwd="{}"), "conftest.py"),
        ("manual", Run(command="mv notes.txt sub", cwd="{}"), "sub/notes.txt"),
    ],
    ids=["write", "copy", "redirection", "move"],
)
async def test_the_assessors_yes_is_not_a_persons(work: Path, mode: Mode, action: Any, target: str) -> None:
    (work / "sub").mkdir()
    (work / "old.py").write_text("was here\n")
    (work / "notes.txt").write_text(CODE)
    field = "path" if isinstance(action, Write) else "cwd"
    action = action.model_copy(update={field: getattr(action, field).format(work)})
    standing = Standing(
        work, assessor=Yes(), mode=mode, answer=Answer.once(), policy=Policy(commands=[f"python {target}"])
    )
    verdict = await standing.check(action)
    assert (verdict.allowed, verdict.by) == (True, "risk")
    (work / target).write_text(CODE)
    verdict = await standing.check(Run(command=f"python {target}", cwd=str(work)))
    assert (verdict.by, verdict.decisions[0].made) == ("person", (str(work / target),))


async def test_the_assessor_cannot_settle_it_and_auto_confirm_takes_the_default(work: Path) -> None:
    (work / "conftest.py").write_text(CODE)
    for how, by in (({"assessor": Yes(), "mode": "auto"}, "nobody"), ({"auto_confirm": True}, "auto")):
        standing = Standing(work, person=False, **how)  # ty: ignore[invalid-argument-type] - one of two shapes
        await standing.check(Write(path=str(work / "new.py"), op="create"))
        (work / "new.py").write_text(CODE)
        for _ in range(2):
            verdict = await standing.check(Run(command="pytest", cwd=str(work)))
            assert (verdict.by, verdict.allowed) == (by, by == "auto")
            assert verdict.decisions[0].made == (str(work / "new.py"),)
        (work / "new.py").unlink()


@pytest.mark.parametrize("change", ["deleted", "put back", "changed by the person"])
async def test_what_the_person_does_to_a_file_meanwhile(work: Path, change: str) -> None:
    standing = Standing(work, assessor=Yes(), mode="auto", answer=Answer.once())
    path = work / "helper.py"
    path.write_text("was here\n")
    await standing.check(Write(path=str(path), op="overwrite"))
    path.write_text(CODE)
    if change == "deleted":
        path.unlink()
    else:
        path.write_text("was here\n" if change == "put back" else f"{CODE}# and this\n")
    verdict = await standing.check(Run(command="pytest", cwd=str(work)))
    # What the agent wrote may still stand in what the person has changed: it is asked about.
    assert bool(verdict.decisions[0].made) is (change == "changed by the person")


async def test_a_yes_is_to_the_content_that_stood_there_when_it_was_asked(work: Path) -> None:
    path = work / "conftest.py"

    class Slow(Standing):
        async def _ask(self, ask: Ask) -> Answer:
            path.write_text("print('another')\n")
            return await super()._ask(ask)

    standing = Slow(work, answer=Answer.once())
    await standing.check(Write(path=str(path), op="create"))
    path.write_text(CODE)
    for _ in range(2):
        verdict = await standing.check(Run(command="pytest", cwd=str(work)))
        assert verdict.by == "person" and verdict.decisions[0].made
    assert (await standing.check(Run(command="pytest", cwd=str(work)))).by == "rule"


async def test_moving_a_folder_takes_along_what_is_known_of_it(work: Path) -> None:
    person = Person()
    moved = call("move", src="a", dst="b")
    await turn(create("a/conftest.py"), moved, PYTEST, person=person)
    assert person.made == [["conftest.py"]]
    assert person.asked[-1].decision.made == (str(work / "b" / "conftest.py"),)


async def test_who_says_yes_to_a_new_name_has_seen_it(work: Path) -> None:
    person = Person()
    await turn(create("notes.txt"), call("move", src="notes.txt", dst="conftest.py"), PYTEST, person=person)
    assert [ask.action.kind for ask in person.asked] == ["write"]


async def test_a_move_on_the_assessors_word_is_none(work: Path) -> None:
    standing = Standing(work, assessor=Yes(), mode="auto", answer=Answer.once())
    (work / "notes.txt").write_text(CODE)
    moved = Write(path=str(work / "notes.txt"), op="move"), Write(path=str(work / "conftest.py"), op="create")
    assert (await standing.check(*moved)).by == "risk"
    (work / "notes.txt").rename(work / "conftest.py")
    verdict = await standing.check(Run(command="pytest", cwd=str(work)))
    assert verdict.decisions[0].made == (str(work / "conftest.py"),)


@pytest.mark.parametrize(
    ("command", "target"),
    [
        ("cp notes.txt conftest.py", "conftest.py"),
        ("mv helper.py sub/", "sub/helper.py"),
        ("cp -r kept sub", "sub/kept/conftest.py"),
        ("mv kept other", "other/conftest.py"),
        ("cd sub && ln ../notes.txt conftest.py", "sub/conftest.py"),
        ("git mv notes.txt conftest.py", "conftest.py"),
    ],
)
async def test_a_grant_to_copy_is_no_yes_to_what_is_copied(work: Path, command: str, target: str) -> None:
    (work / "sub").mkdir()
    policy = Policy(commands=["cp", "mv", "ln", "git mv", "bash run.sh"])
    standing = Standing(work, answer=Answer.once(), policy=policy)
    for name in ("notes.txt", "helper.py", "kept/conftest.py"):
        await standing.check(Write(path=str(work / name), op="create"))
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text(CODE)
    assert (await standing.check(Run(command=command, cwd=str(work)))).by == "rule"
    (work / target).parent.mkdir(exist_ok=True)
    (work / target).write_text(CODE)
    verdict = await standing.check(Run(command="bash run.sh", cwd=str(work)))
    assert str(work / target) in verdict.decisions[0].made


async def test_copying_what_the_person_knows_leaves_nothing_to_ask(work: Path) -> None:
    (work / "notes.txt").write_text(CODE)
    standing = Standing(work, policy=Policy(commands=["cp"]))
    await standing.check(Run(command="cp notes.txt conftest.py", cwd=str(work)))
    (work / "conftest.py").write_text(CODE)
    assert (await standing.check(Run(command="pytest", cwd=str(work)))).by == "rule"


async def test_a_folder_that_is_a_link_is_the_folder_it_leads_to(work: Path) -> None:
    (work / "real").mkdir()
    (work / "link").symlink_to("real")
    person = Person()
    await turn(create("link/conftest.py"), PYTEST, person=person)
    assert person.asked[0].decision.made == (str(work / "real" / "conftest.py"),)


async def test_files_in_the_temporary_folder_count_where_they_are_named(work: Path) -> None:
    standing = Standing(work, answer=Answer.once(), policy=Policy(commands=["python -m pytest"]))
    path = standing.gate.workspace.temp_dir() / "test_it.py"
    await standing.check(Write(path=str(path), op="create"))
    path.write_text("def test_it():\n    pass\n")
    verdict = await standing.check(Run(command=f"python -m pytest {path}", cwd=str(work)))
    assert verdict.decisions[0].made == (str(path),)
    standing.gate.workspace.close()


@pytest.mark.parametrize("configured", [False, True])
async def test_text_counts_where_the_configuration_speaks_of_doctests(work: Path, configured: bool) -> None:
    (work / "pytest.ini").write_text("[pytest]\naddopts = --doctest-glob='*.md'\n" if configured else "[pytest]\n")
    person = Person()
    await turn(create("docs/a.md", ">>> 1\n1\n"), PYTEST, person=person)
    assert person.made == ([["a.md"]] if configured else [])


@pytest.mark.spec("W05")
@pytest.mark.parametrize(("command", "name"), [("make test", "Makefile"), ("npm test", "package.json")])
async def test_granted_builds_ask_for_what_they_would_run(work: Path, command: str, name: str) -> None:
    standing = Standing(work, answer=Answer.once(), policy=Policy(commands=[command]))
    assert (await standing.check(Run(command=command, cwd=str(work)))).by == "rule"
    await standing.check(Write(path=str(work / name), op="create"))
    (work / name).write_text("{}\n")
    assert (await standing.check(Run(command=command, cwd=str(work)))).decisions[0].made == (str(work / name),)
    assert (await standing.check(Run(command=command, cwd=str(work)))).by == "rule"


def git(*words: str) -> None:
    subprocess.run(["git", *words], check=True)


@pytest.mark.parametrize("place", [".git/hooks", ".githooks"])
async def test_a_commit_asks_where_hooks_would_run(work: Path, place: str) -> None:
    git("init", "-q")
    standing = Standing(work, answer=Answer.once(), policy=Policy(commands=["git commit", "git add"]))
    await standing.check(Write(path=str(work / "eslint.config.js"), op="create"))
    (work / "eslint.config.js").write_text("export default []\n")
    commit, add = (Run(command=command, cwd=str(work)) for command in ("git commit -m x", "git add -A"))
    assert (await standing.check(commit)).by == "rule"  # git's own samples are no hooks
    if place == ".githooks":
        git("config", "core.hooksPath", place)
        assert (await standing.check(commit)).by == "rule"
    (work / place).mkdir(exist_ok=True)
    (work / place / "pre-commit").write_text("#!/bin/sh\nnpx lint-staged\n")
    assert (await standing.check(add)).by == "rule"
    assert (await standing.check(commit)).decisions[0].made == (str(work / "eslint.config.js"),)
    assert (await standing.check(commit)).by == "rule"


async def test_the_calls_of_one_step_are_followed_too() -> None:
    person = Person()
    both = calls(("write_file", {"path": "conftest.py", "content": CODE}), ("bash", {"command": "pytest --co -q"}))
    await turn(both, person=person)
    assert person.made == [["conftest.py"]]


@pytest.mark.parametrize(
    ("rules", "made", "unknown"),
    [
        ({"commands": ["make test"]}, False, False),
        ({"commands": ["make test"]}, True, True),
        ({"settings": Settings(auto_allow_sandboxed=True)}, False, True),
    ],
    ids=["known code", "code of the agent's", "a command nobody allowed"],
)
async def test_what_ran_unasked_in_the_sandbox_may_have_changed_any_file(
    work: Path, rules: dict[str, Any], made: bool, unknown: bool
) -> None:
    files, policy = MadeFiles(), Policy(**rules)
    if made:
        files.add([str(work / "Makefile")])
        (work / "Makefile").write_text("test:\n")
    action = Run(command="make test", cwd=str(work))
    facts = gather(action, roots=[work], temp=None, home=work, sandbox=False)
    facts = facts.model_copy(
        update={"sandbox": "bwrap", "made": look(action, facts, files, policy.settings.constructs)}
    )
    decision = decide(action, facts, policy)
    assert decision.effect == "allow" and decision.confinement is not None
    assert concerns([(decision, facts)], policy)
    follow([(decision, facts)], "rule", files, policy)
    found = files.look([str(work)])
    assert found.lost is unknown
    files.approve_read(found.files, lost=True)
    assert files.look([str(work)]) == Made()


# What is kept


def kept(work: Path, folder: Path) -> MadeFiles:
    return MadeFiles(MadeStore(folder, work), (str(work),))


async def test_a_later_session_asks_and_its_yes_counts_for_all(work: Path, tmp_path: Path) -> None:
    person = Person()
    await turn(create("conftest.py"), made=kept(work, tmp_path / "made"))
    await turn(PYTEST, person=person, made=kept(work, tmp_path / "made"))
    await turn(PYTEST, person=person, made=kept(work, tmp_path / "made"))
    assert person.made == [["conftest.py"]] and len(person.asked) == 1
    assert list((tmp_path / "made").iterdir()) == []


async def test_it_is_kept_before_it_is_written(work: Path, tmp_path: Path) -> None:
    standing = Standing(work)
    standing.gate.made = kept(work, tmp_path / "made")
    await standing.check(Write(path=str(work / "conftest.py"), op="create"))
    [file] = (tmp_path / "made").iterdir()
    assert str(work / "conftest.py") in file.read_text()


async def test_where_nothing_can_be_kept_it_counts_for_the_session_and_is_told_once(work: Path, tmp_path: Path) -> None:
    (tmp_path / "made").write_text("a file in the way")
    person = Person()
    heard = await turn(
        create("conftest.py"), create("b.py"), PYTEST, PYTEST, person=person, made=kept(work, tmp_path / "made")
    )
    assert person.made == [["conftest.py", "b.py"]]
    [notice] = heard.of(Notice)
    assert notice.text.startswith("what the agent makes is remembered for this session alone: ")


async def test_names_that_differ_in_case_are_two_files_where_the_disk_says_so(work: Path) -> None:
    files = MadeFiles()
    one, two = str(work / "Conftest.py"), str(work / "conftest.py")
    files.add([one, two])
    Path(one).write_text(CODE)
    if Path(two).exists():
        files.approve([two])
        assert not files.holds(one)
    else:
        Path(two).write_text(CODE)
        files.approve([two])
        assert files.holds(one) and not files.holds(two)


async def test_what_is_too_large_to_read_asks_each_time(work: Path) -> None:
    files = MadeFiles(limit=10)
    path = str(work / "a.py")
    files.add([path])
    Path(path).write_text("x" * 11)
    for _ in range(2):
        assert files.look([str(work)]).files == ((path, ""),)
        files.approve_read([(path, "")])
