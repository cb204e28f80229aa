"""`/policy` on the running agent's own lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.support import call
from tests.commands.support import Bench, write
from xun import Answer, Ask, Policy, Rule
from xun.commands.policy import path_entries
from xun.events import Asked

pytestmark = pytest.mark.anyio

SUBCOMMANDS = """\
Subcommands:
  cmd_allowlist                   The commands that run without asking.
  cmd_allowlist_add <command>     Allow what begins with these words; quote several.
  cmd_allowlist_remove <command>  Ask again for what begins with these words.
  path_allowlist                  The paths that are written without asking.
  path_allowlist_add <path>       Allow writes to a file, or to a folder with all below it.
  path_allowlist_remove <path>    Ask again before writing there.
  grants [remove NUMBER]          What you have allowed, and until when.
  project [all|none|NUMBERS]      The project's own commands; grant them.
  save [user|project]             Keep this session's grants in a policy file.
  mode [NAME]                     Show, choose or set the mode.
  why [ID]                        The last decisions, or one of them explained.
  sandbox                         What commands run in here, and what that keeps from them."""


def listed(text: str) -> list[str]:
    """The entries of a list: one indented line each."""
    title, *entries = text.split("\n")
    assert title in ("Command Allowlist:", "Write Allowlist:")
    assert all(entry.startswith("  ") and entry.strip() == entry[2:] for entry in entries)
    return [entry[2:] for entry in entries]


@pytest.mark.spec("X-POL-01")
async def test_command_prefixes_are_listed_added_and_removed() -> None:
    async with Bench() as bench:
        before = listed(await bench.text("/policy cmd_allowlist"))
        assert before == sorted(before) and {"cat", "git status", "git diff", "python -m pytest"} <= set(before)
        assert await bench.text('/policy cmd_allowlist_add "npm test"') == ""
        assert await bench.text("/policy cmd_allowlist_add make") == ""
        assert await bench.text("""/policy cmd_allowlist_add 'git commit -m "a b"'""") == ""
        after = listed(await bench.text("/policy cmd_allowlist"))
        assert after == sorted([*before, "npm test", "make", 'git commit -m "a b"'])
        assert bench.agent.state["__builtin_tool_policy"].commands == ["npm test", "make", 'git commit -m "a b"']
        assert await bench.text("/policy cmd_allowlist_remove 'npm  \"test\"'") == ""
        assert await bench.text("/policy cmd_allowlist_remove 'never there'") == ""
        assert await bench.text("/policy cmd_allowlist_remove python") == ""
        assert bench.agent.gate.allowlists.commands == ["make", 'git commit -m "a b"']


@pytest.mark.spec("X-POL-01")
async def test_paths_are_listed_from_the_workspace_added_and_removed(work: Path) -> None:
    write(work / "src" / "deep" / "a.py", "")
    async with Bench() as bench:
        for path in ("src", "src/deep/a.py", "new.txt", str(work / "src" / "deep")):
            assert await bench.text(f"/policy path_allowlist_add {path}") == ""
        expected = ["new.txt", "src/", "src/deep/", "src/deep/a.py"]
        assert listed(await bench.text("/policy path_allowlist")) == expected
        assert bench.agent.gate.allowlists.write_paths[0] == str(work / "src")
        for path in ("src/", "./src/deep/../deep", "absent"):
            assert await bench.text(f"/policy path_allowlist_remove {path}") == ""
        assert listed(await bench.text("/policy path_allowlist")) == ["new.txt", "src/deep/a.py"]
        assert await bench.text("/policy path_allowlist_add .") == ""
        assert "./" in listed(await bench.text("/policy path_allowlist"))


@pytest.mark.spec("X-POL-01")
async def test_a_folder_that_is_still_to_be_made_keeps_its_slash_and_covers_what_is_made_below(work: Path) -> None:
    steps = [call("write_file", path="my dir/deep/a.txt", content="new"), {"text": "ok"}]
    async with Bench(steps, "fs") as bench:
        await bench.text("/policy path_allowlist_add 'my dir/'")
        await bench.text("/policy path_allowlist_add 'my dir'")
        assert listed(await bench.text("/policy path_allowlist")) == ["my dir/"]
        assert bench.agent.gate.allowlists.copy().folders == {str(work / "my dir")}
        await bench.agent.run("go")
        assert (work / "my dir" / "deep" / "a.txt").read_text() == "new" and bench.heard.of(Asked) == []
        await bench.text("/policy path_allowlist_remove 'my dir'")
        await bench.text("/policy path_allowlist_add 'my dir/deep/a.txt/'")
        assert listed(await bench.text("/policy path_allowlist")) == ["my dir/deep/a.txt"]


async def test_paths_are_taken_from_the_workspace_not_from_the_current_folder(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "src").mkdir()
    (tmp_path / "elsewhere" / "src").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere")
    async with Bench(workspace=work) as bench:
        await bench.text("/policy path_allowlist_add src")
        assert bench.agent.gate.allowlists.write_paths == [str(work / "src")]


@pytest.mark.spec("X-POL-02")
async def test_another_agent_is_not_affected() -> None:
    async with Bench() as one, Bench() as other:
        await one.text('/policy cmd_allowlist_add "npm test"')
        await one.text("/policy cmd_allowlist_remove cat")
        await one.text("/policy path_allowlist_add src")
        assert "cat" not in listed(await one.text("/policy cmd_allowlist"))
        assert "cat" in listed(await other.text("/policy cmd_allowlist"))
        assert "npm test" not in listed(await other.text("/policy cmd_allowlist"))
        assert await other.text("/policy path_allowlist") == "Write Allowlist:"


async def test_the_texts_of_the_reference() -> None:
    async with Bench() as bench:
        assert await bench.error("/policy") == f"policy: a subcommand is required\n{SUBCOMMANDS}"
        assert await bench.error("/policy nothing here") == "Unknown subcommand: nothing"
        explained = await bench.text("/policy -h")
        assert "Usage: policy <subcommand> [arguments]" in explained and SUBCOMMANDS in explained
        for usage in ("cmd_allowlist_add <command>", "cmd_allowlist_remove <command>",
                      "path_allowlist_add <path>", "path_allowlist_remove <path>"):  # fmt: skip
            name = usage.split()[0]
            for arguments in ("", " two words"):
                assert await bench.error(f"/policy {name}{arguments}") == f"Usage: policy {usage}"
            assert f"Usage: policy {usage}" in await bench.text(f"/policy {name} --help")
        for name in ("cmd_allowlist", "path_allowlist"):
            assert await bench.error(f"/policy {name} x") == f"Usage: policy {name}"


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("git", "name the git command too"),
        ("python", "python runs any program"),
        ("bash -c ls", "bash runs the code that is given to it"),
        ("sudo ls", "sudo runs commands with other rights"),
        ("xargs", "xargs runs whatever is given to it"),
        ("a; b", "would never match"),
        ("ls > x", "would never match"),
        ("ls *", "would never match"),
        ("echo $(x)", "would never match"),
        ("", "empty"),
    ],
)
async def test_an_entry_that_would_never_match_or_allow_anything_is_refused(entry: str, reason: str) -> None:
    async with Bench() as bench:
        before = await bench.text("/policy cmd_allowlist")
        error = await bench.error(f'/policy cmd_allowlist_add "{entry}"'.replace("$", "\\$"))
        assert reason in error and "\n" not in error
        assert await bench.text("/policy cmd_allowlist") == before


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/", "holds the workspace"),
        ("..", "holds the workspace"),
        ("../other", "is outside the workspace"),
        ("~/notes", "is outside the workspace"),
        ("link", "is outside the workspace"),
        (".git/hooks", "is run or trusted later"),
        (".xun", "is run or trusted later"),
        ("/dev/sda", "leads into /proc, /sys or /dev"),
        ("/sys/x", "leads into /proc, /sys or /dev"),
        ("''", "path is empty"),
    ],
)
async def test_a_path_where_writes_always_ask_is_refused(path: str, reason: str, work: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (work / "link").symlink_to(tmp_path / "other")
    async with Bench() as bench:
        error = await bench.error(f"/policy path_allowlist_add {path}")
        assert "\n" not in error and reason in error
        assert bench.agent.gate.allowlists.write_paths == []


async def test_changes_hold_at_once_while_a_turn_runs(work: Path) -> None:
    """The running turn's next call is judged by the lists as they are then."""
    asked: list[str] = []

    async def on_ask(ask: Ask) -> Answer:
        asked.append(str(getattr(ask.action, "command", "")))
        for line in ("cmd_allowlist_add 'touch b'", "cmd_allowlist_remove 'git status'"):
            assert (await bench.run(f"/policy {line}")).error == ""
        return Answer.once()

    steps = [call("bash", command=line) for line in ("git status", "touch a", "touch b", "git status")]
    bench = Bench([*steps, {"text": "ok"}], "cmd", on_ask=on_ask)
    async with bench:
        assert (await bench.agent.run("go")).ok
    assert asked == ["touch a", "git status"]
    assert (work / "b").exists()


async def test_a_removed_path_is_asked_about_again(work: Path) -> None:
    write(work / "a.txt", "old")

    def on_ask(_ask: Ask) -> Answer:
        return Answer.no()

    steps = [call("read_file", path="a.txt"), call("write_file", path="a.txt", content="new"), {"text": "ok"}]
    bench = Bench([*steps, *steps], "fs", on_ask=on_ask)
    async with bench:
        await bench.text("/policy path_allowlist_add a.txt")
        await bench.agent.run("go")
        assert (work / "a.txt").read_text() == "new" and bench.heard.of(Asked) == []
        write(work / "a.txt", "old")
        await bench.text("/policy path_allowlist_remove a.txt")
        await bench.agent.run("again")
    assert (work / "a.txt").read_text() == "old" and len(bench.heard.of(Asked)) == 1


async def test_rules_that_the_agent_was_started_with_are_shown_and_removed(work: Path) -> None:
    rules = [
        Rule(effect="allow", kind="write", pattern=pattern) for pattern in ("docs", "src/**/*.py", str(work / "x"))
    ]
    (work / "docs").mkdir()
    policy = Policy(commands=["npm test"], rules=rules)
    async with Bench(policy=policy) as bench:
        assert listed(await bench.text("/policy path_allowlist")) == ["docs/", "src/**/*.py", "x"]
        assert "npm test" in listed(await bench.text("/policy cmd_allowlist"))
        for line in ("cmd_allowlist_remove 'npm test'", "path_allowlist_remove docs", "path_allowlist_remove x"):
            await bench.text(f"/policy {line}")
        assert path_entries(bench.agent.gate) == ["src/**/*.py"]
        assert "npm test" not in listed(await bench.text("/policy cmd_allowlist"))
    assert next(rule.pattern for rule in policy.rules if rule.kind == "command") == "npm test", "a copy was changed"


async def test_names_with_blanks_and_marks_are_taken_as_they_are(work: Path) -> None:
    (work / "a b").mkdir()
    async with Bench() as bench:
        await bench.text("/policy path_allowlist_add 'a b'")
        await bench.text("/policy path_allowlist_add 'x[1].txt'")
        assert listed(await bench.text("/policy path_allowlist")) == ["a b/", "x[1].txt"]
        assert bench.completions("/policy path_allowlist_remove ") == ["'a b/'", "'x[1].txt'"]
