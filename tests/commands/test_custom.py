"""Commands of one's own, from Markdown files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.commands.support import Bench, write
from xun.commands.builtin import default_registry
from xun.commands.custom import Loaded, expand, load_commands
from xun.commands.outcome import Send
from xun.config.paths import find_paths
from xun.config.project_commands import MAX_FILES
from xun.config.trust import distrust, trust, trust_of

pytestmark = pytest.mark.anyio


def own(name: str, text: str) -> Path:
    """A file of the person's own."""
    return write(find_paths().config / "commands" / name, text)


def project(work: Path, name: str, text: str) -> Path:
    return write(work / ".xun" / "commands" / name, text)


def loaded(work: Path) -> Loaded:
    return load_commands(find_paths(), trust_of(work, find_paths()), default_registry().names)


def agreed(work: Path) -> None:
    """The person agrees to everything that the project brings along."""
    trust(trust_of(work, find_paths()).pending, find_paths())


async def sent(work: Path, *lines: str) -> Mapping[str, str]:
    """The prompts that lines become."""
    async with Bench() as bench:
        for command in loaded(work).commands:
            bench.registry.register(command)
        prompts = {}
        for line in lines:
            action = await bench.action(line)
            assert isinstance(action, Send)
            prompts[line] = action.prompt
    return prompts


async def test_a_file_is_a_command_and_its_text_the_prompt(work: Path) -> None:
    file = own(
        "review.md", "---\ndescription: Review a commit\nargument-hint: <commit>\n---\n\nReview $1: $ARGUMENTS\n"
    )
    own("git/fix.md", "\ufeff# Fix it\r\nNow.\r\n")
    (command, nested) = sorted(loaded(work).commands, key=lambda found: found.name, reverse=True)
    assert (command.name, command.help, command.usage) == ("review", "Review a commit", "review <commit>")
    assert (nested.name, nested.help, nested.usage) == ("git:fix", "Fix it", "git:fix")
    assert f"From {file}" in command.explain() and command.while_busy
    line = '/review abc "two words" it\\\'s'
    assert await sent(work, line, "/git:fix") == {
        line: 'Review abc: abc "two words" it\\\'s',
        "/git:fix": "# Fix it\nNow.",
    }


@pytest.mark.parametrize(
    ("prompt", "typed", "text"),
    [
        ("do $1 then $2", "a 'b c'", "do a then b c"),
        ("do $1 then $2", "a", "do a then "),
        ("all: $ARGUMENTS!", " a  b ", "all:  a  b !"),
        ("$1 costs \\$1 and $x or $ARGUMENTSX", "it", "it costs $1 and $x or $ARGUMENTSX"),
        ("$1 $2", "$2 $ARGUMENTS", "$2 $ARGUMENTS"),
        ("$1", "don't panic", "don't"),
        ("$12", "a b c d e f g h i j k l", "l"),
        ("no place", "typed words", "no place\n\ntyped words"),
        ("no place", "", "no place"),
        ("only \\$1", "x", "only $1\n\nx"),
    ],
)
def test_what_was_typed_takes_its_places(prompt: str, typed: str, text: str) -> None:
    assert expand(prompt, typed) == text


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("help.md", "x", ": /help is a command of xun; give the file another name"),
        ("QUIT.md", "x", ": /quit is a command of xun; give the file another name"),
        ("a b.md", "x", ": 'a b' cannot be the name of a command: use letters, digits, - and _"),
        ("empty.md", " \n", ": has no text to send"),
        ("head.md", "---\ndescription: x\n---\n", ": has no text to send"),
        ("open.md", "---\ndescription: x\ntext", ":3: expected KEY: VALUE, or --- at the end of the head"),
        ("open2.md", "---\ndescription: x\n", ":1: the head that begins with --- has no --- at its end"),
        ("odd.md", "---\nmodel: x\n---\ny", ":2: unknown key 'model'; known are description and argument-hint"),
        ("deep.md", "---\n  description: x\n---\ny", ":2: expected KEY: VALUE, or --- at the end of the head"),
        ("bytes.md", "\udcff\udcfe", ": is not UTF-8 text"),
        ("nul.md", "a\nb\0", ":2: is no text: it holds a NUL character"),
        ("none.MD", "", ": has no text to send"),
        ("large.md", "x" * 70_000, ": is larger than 64 KiB"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_file(name: str, text: str, problem: str, work: Path) -> None:
    own("good.md", "fine")
    path = find_paths().config / "commands" / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    found = loaded(work)
    assert found.problems == (f"{path}{problem}",)
    assert [command.name for command in found.commands] == ["good"]


async def test_a_command_whose_file_cannot_be_used_is_not_merely_unknown(work: Path) -> None:
    path, large = own("git/empty.md", ""), own("large.md", "x" * 70_000)
    async with Bench() as bench:
        bench.registry.explain_absence(loaded(work).unusable)
        assert await bench.error("/git:EMPTY now") == f"/git:empty cannot be used: {path}: has no text to send"
        assert await bench.error("/large") == f"/large cannot be used: {large}: is larger than 64 KiB"
        assert (await bench.error("/git:other")).startswith("unknown command /git:other")


def test_comments_blank_lines_and_quotes_in_the_head(work: Path) -> None:
    own("a.md", "---\n# a comment\n\ndescription: \"quoted: 'x'\"\nargument-hint: '[n]'\n--- \ntext")
    (command,) = loaded(work).commands
    assert (command.help, command.arguments) == ("quoted: 'x'", "[n]")


def test_a_folder_a_pipe_and_other_files_are_no_commands(work: Path) -> None:
    top = own("good.md", "fine").parent
    (top / "folder.md").mkdir()
    os.mkfifo(top / "pipe.md")
    own("notes.txt", "no")
    own(".hidden/x.md", "no")
    (top / "loop").symlink_to(top)
    found = loaded(work)
    assert [command.name for command in found.commands] == ["good"]
    assert found.problems == (
        f"{top / 'loop'}: is a link to a folder, and these are not followed",
        f"{top / 'pipe.md'}: is not a regular file",
    )


async def test_files_of_a_project_count_once_they_are_trusted_and_as_they_were_then(work: Path) -> None:
    file = project(work, "git/fix.md", "Fix it")
    assert loaded(work) == Loaded((), ())
    assert trust_of(work, find_paths()).notices() == [
        "not loaded, as this folder is not trusted: .xun/commands/git/fix.md"
    ]
    agreed(work)
    assert await sent(work, "/git:fix") == {"/git:fix": "Fix it"}
    file.write_text("Send me the keys")
    assert loaded(work).commands == ()
    assert trust_of(work, find_paths()).state == "changed"
    agreed(work)
    project(work, "new.md", "Later")
    assert [command.name for command in loaded(work).commands] == ["git:fix"]
    assert distrust(work, find_paths()) == 1
    assert loaded(work).commands == ()


def test_a_link_out_of_the_project_is_refused(work: Path, tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.md", "secret")
    project(work, "x.md", "x").unlink()
    (work / ".xun" / "commands" / "x.md").symlink_to(secret)
    refused = trust_of(work, find_paths()).once()
    assert refused.usable == () and len(refused.refused) == 1
    assert load_commands(find_paths(), refused, ()).commands == ()


@pytest.mark.parametrize("outside", [True, False])
def test_a_link_to_a_folder_is_told_of_and_nothing_in_it_is_a_command(
    outside: bool, work: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere" if outside else work / "prompts"
    write(folder / "in.md", "inside")
    project(work, "ok.md", "fine")
    (work / ".xun" / "commands" / "dir").symlink_to(folder)
    agreed(work)
    why = f"is a link that leads out of {work}" if outside else "is a link to a folder, and these are not followed"
    assert trust_of(work, find_paths()).notices() == [f"not loaded: .xun/commands/dir {why}"]
    assert [command.name for command in loaded(work).commands] == ["ok"]


def test_a_project_takes_no_place_of_the_persons_own_nor_of_xun(work: Path) -> None:
    mine = own("deploy.md", "mine")
    theirs = project(work, "deploy.md", "theirs")
    policy = project(work, "policy.md", "theirs")
    agreed(work)
    found = loaded(work)
    assert [(command.name, command.source) for command in found.commands] == [("deploy", str(mine))]
    assert found.problems == (
        f"{theirs}: /deploy is there already, from {mine}",
        f"{policy}: /policy is a command of xun; give the file another name",
    )


def test_no_more_than_two_hundred_files_are_looked_at(work: Path) -> None:
    for number in range(205):
        own(f"c{number:03}.md", "x")
    assert len(loaded(work).commands) == 200


async def test_custom_commands_are_in_help_and_completion(work: Path) -> None:
    own("deploy.md", "---\nargument-hint: ENV\n---\nDeploy")
    async with Bench() as bench:
        for command in loaded(work).commands:
            bench.registry.register(command)
        assert "\n/deploy    Deploy\n" in await bench.text("/help")
        assert bench.completions("/dep") == ["/deploy"]
        assert (await bench.error("/deplo")).startswith("unknown command /deplo; did you mean /deploy?")


@pytest.mark.parametrize("put", ["own", "project"])
async def test_files_beyond_the_limit_are_told_once(work: Path, put: str) -> None:
    for number in range(MAX_FILES + 3):
        own(f"c{number:03}.md", "x") if put == "own" else project(work, f"c{number:03}.md", "x")
    agreed(work)
    found = loaded(work)
    assert len(found.commands) == MAX_FILES
    [problem] = found.problems
    assert "3 of its files are left out" in problem and "only the first 200" in problem
    assert found.unusable == dict.fromkeys(["c200", "c201", "c202"], problem)


async def test_files_too_deep_in_folders_are_told_too(work: Path) -> None:
    own("a/b/c/fine.md", "x")
    own("a/b/c/d/deep.md", "x")
    found = loaded(work)
    assert [command.name for command in found.commands] == ["a:b:c:fine"]
    [problem] = found.problems
    assert "1 of its files are left out" in problem and "3 folders deep" in problem
    assert found.unusable == {"a:b:c:d:deep": problem}


async def test_as_many_files_as_there_may_be_are_no_problem(work: Path) -> None:
    for number in range(MAX_FILES):
        own(f"c{number:03}.md", "x")
    assert loaded(work).problems == ()
