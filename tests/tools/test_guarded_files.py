"""What reading a file would not show unasked, no other tool shows either: not grep, glob, list_dir, edit_file, nor errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import agent_of, calls
from tests.conftest import require
from tests.tools.host import Host
from xun import Answer, Ask, Policy, Rule
from xun.policy.action import Read, Write
from xun.tools import search_find
from xun.tools.edit import EditError
from xun.tools.fs_read import list_dir, read_file
from xun.tools.fs_write import edit_file
from xun.tools.search import glob, grep
from xun.tools.search_ripgrep import find_ripgrep
from xun.workspace.files import FileError

pytestmark = pytest.mark.anyio
FILES = {
    ".env": "SECRET=1\n", ".ssh/id_rsa": "SECRET=2\n", ".ssh/config": "SECRET=3\n", "sub/a": "SECRET=4\n",
    "docs/d": "SECRET=5\n", "src/a.py": "SECRET = env()\n", "src/.env.example": "SECRET=\n",
}  # fmt: skip
ONE = "[1 file was not searched, because of secrets or by a rule; give such a file as path to ask for it]"


def many(count: int) -> str:
    return f"[{count} files were not searched, because of secrets or by a rule; give such a file as path to ask for it]"


def rules(*lines: tuple[str, str]) -> Policy:
    return Policy(
        rules=[Rule.model_validate({"effect": what, "kind": "read", "pattern": path}) for what, path in lines]
    )


@pytest.fixture(params=["ripgrep", "own"], autouse=True)
def engine(request: pytest.FixtureRequest, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "own":
        monkeypatch.setattr(search_find, "find_ripgrep", lambda workspace: None)
    else:
        require("rg", find_ripgrep(Host(work).workspace) is not None)
    for name, content in FILES.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(content)


async def results(
    *items: tuple[str, dict[str, Any]], policy: Policy | None = None, on_ask: Callable[[Ask], Answer] | None = None
) -> list[str]:
    """What the model of a real agent is told of its calls."""
    agent, _, _ = agent_of([*map(calls, items), {"text": "done"}], "fs", "search", policy=policy, on_ask=on_ask)
    async with agent:
        result = await agent.run("go")
    return [answer.content for message in result.messages for answer in message.results]


async def test_grep_leaves_out_what_holds_secrets_and_says_so() -> None:
    (told,) = await results(("grep", {"pattern": "SECRET"}))
    assert told.split("\n") == [
        "docs/d:1:SECRET=5", "src/.env.example:1:SECRET=", "src/a.py:1:SECRET = env()", "sub/a:1:SECRET=4", many(3),
    ]  # fmt: skip


@pytest.mark.parametrize("pattern", [".env", "**/.env", "{.env,x}", ".e*"])
async def test_a_glob_does_not_name_a_file(pattern: str) -> None:
    (told,) = await results(("grep", {"pattern": "SECRET", "glob": pattern}))
    shown = ["src/.env.example:1:SECRET="] if pattern == ".e*" else []
    assert [line for line in told.split("\n") if "SECRET=" in line] == shown
    assert told.endswith(ONE)


@pytest.mark.parametrize("pattern", ["SECRET=1", "SECRET=[0-3]", "SECRET=9", "^S", "x^"])
async def test_what_is_said_does_not_depend_on_what_they_hold(work: Path, pattern: str) -> None:
    """Else each call would be an answer to a question about the secret."""
    before = await Host(work).ok(grep, pattern=pattern)
    for name in (".env", ".ssh/id_rsa", ".ssh/config"):
        (work / name).write_text("something else\n")
    assert await Host(work).ok(grep, pattern=pattern) == before
    assert many(3) in before


async def test_naming_the_path_asks_and_a_yes_shows_it() -> None:
    named = [("grep", {"pattern": "SECRET", "path": path}) for path in (".env", ".ssh", ".ssh/id_rsa")]
    assert [told.split(":")[0] for told in await results(*named)] == ["Permission denied"] * 3
    asked: list[Ask] = []

    def yes(ask: Ask) -> Answer:
        asked.append(ask)
        return Answer.once()

    assert await results(*named, on_ask=yes) == [
        ".env:1:SECRET=1", "config:1:SECRET=3\nid_rsa:1:SECRET=2", "id_rsa:1:SECRET=2",
    ]  # fmt: skip
    assert len(asked) == 3


async def test_a_yes_for_a_folder_is_none_for_what_a_rule_denies_in_it() -> None:
    (told,) = await results(
        ("grep", {"pattern": "SECRET", "path": ".ssh"}),
        policy=rules(("deny", "**/id_*")),
        on_ask=lambda _: Answer.once(),
    )
    assert told == f"config:1:SECRET=3\n{ONE}"


async def test_rules_on_reading_bind_every_tool_alike() -> None:
    policy = rules(("deny", "**/.env*"), ("deny", "sub/**"), ("ask", "docs/**"))
    found, files, top, sub, docs = await results(
        ("grep", {"pattern": "SECRET"}), ("glob", {"pattern": "*"}), ("list_dir", {}), ("list_dir", {"path": "sub"}),
        ("grep", {"pattern": "SECRET", "path": "docs"}), policy=policy,
    )  # fmt: skip
    assert found == f"src/a.py:1:SECRET = env()\n{many(6)}"
    unlisted = "[3 names are not listed: a rule denies reading what they name]"
    assert files.split("\n") == [".ssh/config", ".ssh/id_rsa", "docs/d", "src/a.py", unlisted]
    assert (
        ".env" not in top
        and ".ssh/" in top
        and top.endswith("\n[1 name is not listed: a rule denies reading what they name]")
    )
    assert sub.endswith("sub:\n[1 name is not listed: a rule denies reading what they name]")
    assert docs.startswith("No matches") and docs.endswith(ONE)


async def test_a_folder_that_a_rule_asks_about_is_searched_with_a_yes() -> None:
    policy, call = rules(("ask", "docs")), ("grep", {"pattern": "SECRET", "path": "docs"})
    assert (await results(call, policy=policy))[0].startswith("Permission denied")
    assert await results(call, policy=policy, on_ask=lambda _: Answer.once()) == ["d:1:SECRET=5"]
    whole = ("grep", {"pattern": "SECRET=5"})
    assert (await results(whole, policy=policy))[0].endswith(many(4))
    # A yes for the session is a grant, which counts for the search of everything too.
    first, then = await results(call, whole, policy=policy, on_ask=lambda _: Answer.session())
    assert (first, then) == ("d:1:SECRET=5", f"docs/d:1:SECRET=5\n{many(3)}")


async def test_a_link_does_not_show_the_name_it_hides(work: Path) -> None:
    (work / "link").symlink_to("sub/a")
    told = await Host(work, rules(("deny", "sub/**"))).ok(list_dir)
    assert "\nlink" not in told and "[1 name is not listed" in told


async def test_no_other_path_is_suggested_that_a_rule_hides(work: Path) -> None:
    (work / "sub" / "ab").touch()
    assert f"did you mean {work}/sub/ab" in await Host(work).error(read_file, path="sub/abc")
    policy = rules(("deny", "sub/ab"))
    for function, arguments in ((read_file, {}), (grep, {"pattern": "x"}), (glob, {"pattern": "x"}), (list_dir, {})):
        told = await Host(work, policy).error(function, path="sub/abc", **arguments)
        assert "does not exist" in told and "sub/ab " not in f"{told} ".replace("sub/abc", ""), function


async def test_editing_says_nothing_of_the_contents_before_reading_is_decided(work: Path) -> None:
    host = Host(work, rules(("deny", "sub/**")))
    for path in (".env", "sub/a", ".ssh/missing"):
        for old in ("SECRET", "S3CRET=1", "nothing like it", "SECRET=1", ""):
            told = host.told(edit_file, path=path, old=old, new="x")
            assert told == (Read(path=f"{work}/{path}"), Write(path=f"{work}/{path}", op="edit"))
    with pytest.raises((EditError, FileError)):
        host.told(edit_file, path="src/a.py", old="S3CRET", new="x")
    edit = {"path": ".env", "old": "SECRET=2", "new": "x"}
    (told,) = await results(("edit_file", edit), policy=Policy(write_paths=["."]))
    assert told.startswith("Permission denied") and "SECRET" not in told
    (told,) = await results(("edit_file", edit | {"old": "SECRET=1"}), on_ask=lambda _: Answer.once())
    assert told.startswith("Edited") and (work / ".env").read_text() == "x\n"
