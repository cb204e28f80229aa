"""The sandbox of a user without rights, as most are: the whole way, in a process of its own."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.exec.sandbox.ground import KINDS, unprivileged
from xun.exec.sandbox.profile import Kind

_DRIVER = """
import asyncio, json, os, sys
from pathlib import Path
from xun.exec.env import child_env
from xun.exec.run import run_bash
from xun.exec.sandbox.find import works
from xun.exec.sandbox.profile import Profile
from xun.policy.paths import protected

kind, place, commands = sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3])
profile = Profile(kind=kind, roots=(place / "project",), tmp=place / "temp" / "tmp", temp=place / "temp",
                  aside=place / "aside", cache=place / "cache", protected=protected)

async def main():
    if not works(kind):
        return None
    found = []
    for command in commands:
        done = await run_bash(command, cwd=place / "project", env=child_env(), timeout=60, profile=profile)
        found.append([done.returncode, done.stdout, done.stderr])
    return found

print(json.dumps(asyncio.run(main())))
"""


def drive(kind: Kind, place: Path, commands: list[str]) -> list[tuple[int, str, str]]:
    """Run commands in the sandbox of a user without rights, in a workspace that is its own."""
    words = unprivileged()
    for folder in ("project", "project/.git/hooks", "temp"):
        (place / folder).mkdir(parents=True)
    (place / "project" / ".git" / "HEAD").write_text("ref: refs/heads/main")
    (place / "outside").mkdir(mode=0o777)
    (place / "outside").chmod(0o777)
    for path in (place, *place.rglob("*")):
        os.chown(path, 65534, 65534)
    env = {**os.environ, "HOME": str(place)}
    done = subprocess.run(
        [*words, "-c", _DRIVER, kind, str(place), json.dumps(commands)],
        capture_output=True, text=True, env=env, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    if found is None:
        pytest.skip(f"{kind} does not work without rights on this machine")
    return [tuple(one) for one in found]


@pytest.mark.parametrize("kind", KINDS)
def test_a_user_without_rights_is_confined_as_well(kind: Kind, place: Path) -> None:
    done = drive(
        kind,
        place,
        [
            "mkdir -p $TMPDIR/a && echo fine",
            f"echo x > {place}/outside/made",
            "echo x > .git/hooks/pre-commit",
            "mkdir .xun",
            "exec 3<>/dev/tcp/127.0.0.1/22",
            "unshare -Ur true",
            "mount -t tmpfs none /mnt",
            f"kill -0 {os.getpid()} || cat /proc/{os.getppid()}/environ",
            "grep -q '^CapBnd:.0000000000000000' /proc/self/status && echo none",
        ],
    )
    assert done[0][:2] == (0, "fine\n"), done[0]
    assert all(code != 0 for code, _, _ in done[1:8]), done
    assert not list((place / "outside").iterdir())
    assert sorted(path.name for path in (place / "project").iterdir()) == [".git"]


def test_a_fork_bomb_of_a_user_without_rights_is_bounded(place: Path) -> None:
    python = unprivileged()[-1]
    code = (
        "import os, signal\nmade = 0\ntry:\n    while made < 5000:\n        if os.fork() == 0: signal.pause()\n"
        "        made += 1\nexcept OSError as error:\n    print(made < 1024, error.errno, flush=True)\nos.killpg(0, 9)"
    )
    (done,) = drive("bwrap", place, [f"{python} -S -c {shlex.quote(code)}"])
    assert done[1] == "True 11\n", done


@pytest.mark.parametrize("kind", KINDS)
def test_sockets_in_folders_of_other_users_are_no_obstacle(kind: Kind, place: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="xun-") as private, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{private}/socket")
        listening.listen()
        (done,) = drive(kind, place, ["echo fine"])
    assert done[:2] == (0, "fine\n"), done
