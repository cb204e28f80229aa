"""The corpora of commands: what must ask never passes, what only reads is never asked about."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from tests.conftest import require
from tests.policy.judging import HOME, corpus, judge
from xun.gate.check import check_command
from xun.policy.commands import default_commands
from xun.policy.rules import Policy

BY_CLASS: dict[str, list[tuple[str, str]]] = defaultdict(list)
for _class, _expect, _command in corpus():
    BY_CLASS[_class].append((_expect, _command))

# Each of these, behind a command that is allowed, has an effect or hides one.
EFFECTS = [
    " > out", " >> out", " 2> out", " &> out", " >| out", " <> out", " >& out", " | tee out", " |& cat", " | sh", " &",
    " & touch out", "; touch out", " && touch out", " || touch out", "\ntouch out", " $(touch out)", " `touch out`",
    ' "$(touch out)"', " <(touch out)", " >(touch out)", " <<< x", " <<X\nx\nX", " $x", " ${x:=y}", " ${x@P}", " $'a'",
    ' $"a"', " {a,{b,c}}", "; x=1", "; export x=1", "; eval ls", "; ./x", "; { touch out; }",
    "; ! touch out", " \u202e", "\r", "\x00",
]  # fmt: skip
BEFORE = [
    "X=1 ",
    "sudo ",
    "env X=1 ",
    "command -p ",
    "time -o x ",
    "nohup ",
    "xargs -a x ",
    "./",
    "/bin/",
    "exec ",
    "eval ",
    "\\\n",
]


@pytest.mark.spec("X-CMD-01", "X-CMD-03", "X-CMD-04", "X-CMD-05", "X-CMD-06", "X-CMD-07", "X-CMD-08", "X-CMD-10")
@pytest.mark.parametrize("name", sorted(BY_CLASS))
def test_every_case_of_the_class_gets_its_effect(name: str) -> None:
    wrong = [
        (expect, command)
        for expect, command in BY_CLASS[name]
        if (judge(command).effect == "allow") != (expect == "auto")
    ]
    assert wrong == []


def test_there_are_ten_variants_of_every_class() -> None:
    assert len(BY_CLASS) >= 60
    assert [name for name, cases in BY_CLASS.items() if len(cases) < 10] == []


@pytest.mark.spec("X-CMD-10", "X-CMD-11")
@pytest.mark.parametrize("suffix", EFFECTS, ids=repr)
def test_no_allowed_command_passes_with_an_effect_behind_it(suffix: str) -> None:
    allowed = [command for cases in BY_CLASS.values() for expect, command in cases if expect == "auto"]
    # Behind a comment everything is comment, until the line ends.
    open_ended = [c for c in allowed if "#" not in c and not c.endswith("\n")]
    passed = [c for c in open_ended if judge(c + suffix).effect == "allow"]
    assert passed == []


@pytest.mark.parametrize("prefix", BEFORE, ids=repr)
def test_no_allowed_command_passes_with_a_wrapper_before_it(prefix: str) -> None:
    simple = [
        command
        for cases in BY_CLASS.values()
        for expect, command in cases
        if expect == "auto" and command[0].isalpha() and "\\\n" not in command
    ]
    assert [c for c in simple if judge(prefix + c).effect == "allow"] == []


@pytest.mark.parametrize("prefix", ["env ", "timeout 5 ", "nice -n 5 ", "time ", "stdbuf -oL ", "command "])
def test_a_wrapper_that_only_runs_a_command_passes_where_the_command_does(prefix: str) -> None:
    """Commands that change the shell or set variables, and wrappers within four others, are left out: those are shut."""
    differ = [
        command
        for cases in BY_CLASS.values()
        for expect, command in cases
        if command[:1].isalpha()
        and "=" not in command.split()[0]
        and not command.startswith(("cd ", "time ", "env", "command", "builtin", "type"))
        if (judge(prefix + command).effect == "allow") != (expect == "auto")
    ]
    assert differ == []


@pytest.mark.parametrize("name", default_commands())
def test_no_listed_program_takes_an_unknown_option(name: str) -> None:
    program = name.split()[-1]
    prints_anything = program in ("echo", "true", "false", ":", "printf")
    for flag in ("--no-such-option", "--no-such-option=x", "-\u00a5"):
        assert judge(f"{name} {flag}").effect == "ask" or prints_anything, flag


@pytest.mark.parametrize("name", default_commands())
def test_no_listed_program_reads_outside_the_workspace(name: str) -> None:
    only_text = {
        "echo",
        "true",
        "false",
        ":",
        "printf",
        "basename",
        "dirname",
        "tr",
        "which",
        "pgrep",
        "id",
        "ss",
        "expr",
    }
    only_text |= {"git symbolic-ref", "git remote get-url"}
    pattern_first = {"grep", "egrep", "fgrep", "rg", "jq", "sed", "awk", "gawk", "mawk", "nawk"}
    alone = ["/etc/passwd", "../x", "-- /etc/passwd", "/proc/self/environ"]
    # Behind an archive stand names of what is in it.
    behind = () if name == "tar -tf" or name.startswith("unzip ") else ("a /etc/passwd", "a -- ../x")
    for operand in (*alone, *behind, "/etc/*", "-- /etc/*"):
        is_pattern = name.removeprefix("git ") in pattern_first and operand in alone
        assert judge(f"{name} {operand}").effect == "ask" or name in only_text or is_pattern, operand


def test_a_refused_list_lets_nothing_pass_but_what_it_names() -> None:
    bare = Policy(commands=["ls"], defaults=False)
    assert judge("ls -la", bare).effect == "allow"
    assert judge("cat x", bare).effect == "ask"
    assert judge("ls --no-such", bare).effect == "ask"


# --- bash itself as the judge


@pytest.fixture
def workspace(work: Path) -> Path:
    for folder in ("src/a", "tests", "docs", "a/b", "sub", "dir with spaces", "keys"):
        (work / folder).mkdir(parents=True)
    for file in ("README.md", "a.txt", "x", "y", "src/app.py", "src/a.py", "tests/x.py", "docs/naïve.md", "nums.txt"):
        (work / file).write_text("b 2\na 1\n")
    (work / "data.json").write_text('{"items": []}\n')
    env = os.environ | {"GIT_OPTIONAL_LOCKS": "0"}
    for command in ("git init -q", "git add .", "git commit -qm one", "git commit -qm two --allow-empty"):
        subprocess.run(command.split(), cwd=work, check=True, env=env)
    return work


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        info = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path.relative_to(folder))] = (info.st_mode, info.st_size, content)
    return found


def test_what_is_allowed_changes_nothing(workspace: Path, tmp_path: Path) -> None:
    require("bash", shutil.which("bash") is not None)
    skipped = {"pytest", "system_info"}  # they run code of the workspace, or only look at the machine
    commands = [c for name, cases in BY_CLASS.items() for e, c in cases if e == "auto" and name not in skipped]
    before = snapshot(tmp_path)
    env = os.environ | {"GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat", "PAGER": "cat"}
    for command in commands:
        if "sleep" in command or "du -sh" in command:
            continue
        decision = check_command(command, policy=Policy(), cwd=workspace, home=HOME)
        assert decision.effect == "allow" or "git" in command or "xargs" in command, command
        subprocess.run(
            ["bash", "--noprofile", "--norc", "-c", command],
            cwd=workspace, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False,
        )  # fmt: skip
    assert snapshot(tmp_path) == before
