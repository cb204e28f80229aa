"""What the model is told of the sandbox behind the result of a command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from xun.exec.run import Completed
from xun.policy.action import Confinement
from xun.tools.cmd_sandbox import notes

PLAIN = Confinement(sandbox="bwrap")


def ended(stderr: str = "", code: int = 1, **how: Any) -> Completed:
    return Completed(stdout="", stderr=stderr, returncode=code, signal=None, seconds=0.1, **how)


@pytest.mark.parametrize(
    "said",
    [
        "touch: cannot touch '/etc/x': Read-only file system",
        "bash: /x: Permission denied",
        "mount: Operation not permitted",
        "curl: (6) Could not resolve host: x.org",
        "ping: connect: Network is unreachable",
        "npm ERR! code EAI_AGAIN",
        "Error: EROFS: read-only file system, open '/x'",
        "fatal: Unable to create '/w/.git/index.lock': Read-only file system",
        "OSError: [Errno 30] Read-only file system: '/x'",
        "requests.exceptions.ConnectionError: Temporary failure in name resolution",
    ],
)
def test_a_failure_that_looks_like_the_sandboxs_says_so_and_what_to_do(said: str) -> None:
    (line,) = notes(ended(said), PLAIN)
    assert "sandbox" in line and "no network" in line and "repository" in line and "unsandboxed=true" in line
    (more,) = notes(ended(said), Confinement(sandbox="bwrap", network=True, git=True))
    assert "no network" not in more and "repository" not in more


@pytest.mark.parametrize("said", ["", "AssertionError: 1 != 2", "make: *** [test] Error 1", "command not found"])
def test_any_other_failure_does_not(said: str) -> None:
    assert notes(ended(said), PLAIN) == []


def test_a_success_does_not_whatever_it_prints() -> None:
    assert notes(ended("warning: Read-only file system", code=0), PLAIN) == []


@pytest.mark.parametrize(
    "said", ["bwrap: Can't mkdir /x: Read-only file system\n", "xun: the sandbox could not be set up: x"]
)
def test_a_sandbox_that_could_not_be_set_up_is_told_as_that(said: str) -> None:
    (line,) = notes(ended(said), PLAIN)
    assert "nothing was run" in line


def test_what_was_moved_away_is_named_also_after_a_success() -> None:
    (line,) = notes(ended(code=0, put_aside=(Path("/w/.envrc"),)), PLAIN)
    assert "/w/.envrc" in line and "moved away" in line


def test_with_landlock_it_says_where_nothing_new_can_be_made() -> None:
    (line,) = notes(ended("mkdir: cannot create directory 'out': Permission denied"), Confinement(sandbox="landlock"))
    assert "at the top of the workspace" in line and "file tools" in line


def test_that_tmp_is_another_one_is_told_where_a_file_of_it_was_not_found() -> None:
    said = ended("cat: /tmp/a.log: No such file or directory")
    (line,) = notes(said, PLAIN, "cat /tmp/a.log")
    assert "/tmp" in line and "its own" in line and "unsandboxed=true" in line
    assert (
        notes(said, PLAIN, "cat a.log") == [] and notes(said, Confinement(sandbox="landlock"), "cat /tmp/a.log") == []
    )


def test_what_was_stopped_and_what_came_to_be_is_told() -> None:
    stopped, appeared = notes(ended(code=0, stopped=(3,), appeared=(Path("/w/.vscode"),)), PLAIN)
    assert "ends with &" in stopped and "/w/.vscode" in appeared and "tell the person" in appeared
