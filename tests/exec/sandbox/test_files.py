"""What a command in the sandbox can write and read, and what stays as it was whatever it tries."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import pytest

from tests.exec.sandbox.ground import Ground, git, listed, refused, repository, snapshot
from xun.exec.sandbox.profile import Git

pytestmark = pytest.mark.anyio


async def test_the_workspace_can_be_written(ground: Ground) -> None:
    (ground.root / "src").mkdir()
    (ground.root / "old").write_text("old")
    done = await ground.run("echo new > old && echo a > src/new && mkdir -p src/deep && rm old || true; cat src/new")
    assert done.stdout == "a\n"
    assert (ground.root / "src" / "new").read_text() == "a\n"


async def test_new_files_at_the_top_can_be_made(bubble: Ground) -> None:
    done = await bubble.run("touch made && mkdir dist && mv made dist/")
    assert done.ok and (bubble.root / "dist" / "made").exists()


async def test_the_temporary_folder_and_the_cache_can_be_written(ground: Ground) -> None:
    done = await ground.run('echo a > "$TMPDIR/a" && mkdir -p "$GOCACHE" && echo b > "$GOCACHE/b"')
    assert done.ok, done.stderr
    assert (ground.profile.tmp / "a").read_text() == "a\n"
    again = await ground.run('cat "$TMPDIR/a" "$GOCACHE/b"')
    assert again.stdout == "a\nb\n"


OUTSIDE = [
    "echo x > {outside}/made",
    "echo x > {outside}/kept",
    "echo x >> {outside}/kept",
    "rm {outside}/kept",
    "mv {outside}/kept {outside}/gone",
    "mv {outside}/kept src/kept",
    "ln -s {outside} src/link && echo x > src/link/made",
    "ln -s {outside}/kept src/link && echo x > src/link",
    "echo x > /proc/self/root{outside}/made",
    "cd {outside} && echo x > made",
    "echo x > /proc/self/cwd/../../outside/made",
    "ln {outside}/kept src/hard && echo x > src/hard",
    "cp --no-preserve=all /etc/hostname {outside}/made",
    "mkdir {outside}/folder",
    "mkfifo {outside}/pipe",
    "chmod 777 {outside}/kept",
    "touch -d 2001-01-01 {outside}/kept",
    "truncate -s 0 {outside}/kept",
    "echo x > /etc/xun-made",
    "echo x > /usr/xun-made",
    "echo x > /dev/xun-made && cat {outside}/nothing",
    "echo x > /sys/kernel/uevent_helper",
    "echo x > /proc/sys/kernel/core_pattern",
    "echo h > /proc/sysrq-trigger",
]


@pytest.mark.parametrize("command", OUTSIDE)
async def test_nothing_outside_can_be_changed(ground: Ground, command: str) -> None:
    (ground.root / "src").mkdir()
    before = snapshot(ground.outside)
    modified = (ground.outside / "kept").stat()
    pattern = Path("/proc/sys/kernel/core_pattern").read_bytes()
    done = await ground.run(command.format(outside=ground.outside))
    # No rule of Landlock is about modes and times.
    assert done.returncode != 0 or (ground.profile.kind == "landlock" and command.startswith(("chmod", "touch")))
    assert snapshot(ground.outside) == before
    after = (ground.outside / "kept").stat()
    if done.returncode != 0:
        assert (after.st_mode, after.st_mtime) == (modified.st_mode, modified.st_mtime)
    assert Path("/proc/sys/kernel/core_pattern").read_bytes() == pattern
    assert not any(Path(folder, "xun-made").exists() for folder in ("/etc", "/usr", "/dev"))


async def test_a_link_in_the_workspace_that_leads_outside_widens_nothing(ground: Ground) -> None:
    (ground.root / "out").symlink_to(ground.outside)
    (ground.root / ".vscode").symlink_to(ground.outside)
    done = await ground.run("echo x > out/made; echo x > .vscode/made")
    assert done.returncode != 0
    assert listed(ground.outside) == ["kept"]


PROTECTED = [
    "echo x > .git/hooks/pre-commit",
    "echo x >> .git/config",
    "git config core.fsmonitor ./evil",
    "mv .git .git2",
    "mv .git/hooks .git/old",
    "rm -rf .git/hooks",
    "rm -rf .git",
    "mkdir .xun",
    "mkdir .xun && echo x > .xun/config.toml",
    "mkdir new && mv new .xun",
    "ln -s src .xun",
    "echo x > .envrc.old; echo x > .vscode/tasks.json",
    "mv .vscode old",
    "echo x > .github/workflows/ci.yml",
    "rm -rf .github",
    "echo x > sub/.git/config",
    "echo x > sub/.git/hooks/post-checkout",
    "chmod +x .git/hooks/sample",
]


@pytest.mark.parametrize("command", PROTECTED)
async def test_what_is_run_or_trusted_later_stays_as_it_is(ground: Ground, command: str) -> None:
    _protect(ground.root)
    watched = [".git", ".vscode", ".github", ".xun", "sub/.git"]
    before = {name: snapshot(ground.root / name) for name in watched}
    modes = [path.stat().st_mode for path in (ground.root / ".git" / "hooks").iterdir()]
    await ground.run(command)
    assert {name: snapshot(ground.root / name) for name in watched} == before
    assert not os.path.lexists(ground.root / ".xun")
    if ground.profile.kind == "bwrap":  # no rule of Landlock is about modes
        assert [path.stat().st_mode for path in (ground.root / ".git" / "hooks").iterdir()] == modes


def _protect(root: Path) -> None:
    repository(root)
    (root / ".git" / "hooks").mkdir(exist_ok=True)
    (root / ".git" / "hooks" / "sample").write_text("#!/bin/sh\n")
    for folder in (".vscode", ".github/workflows", "src", "sub"):
        (root / folder).mkdir(parents=True)
    (root / ".vscode" / "tasks.json").write_text("{}")
    (root / ".github" / "workflows" / "ci.yml").write_text("on: push")
    repository(root / "sub")


@pytest.fixture
def no_repository_above(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ground may lie in the repository of these tests, where no `.git` may be masked."""
    monkeypatch.setattr("xun.exec.sandbox.bwrap.above_is_repository", lambda _: False)


@pytest.mark.parametrize("name", [".xun", ".git"])
async def test_what_is_not_there_yet_cannot_be_made_and_nothing_is_left_of_the_mask(
    bubble: Ground, name: str, no_repository_above: None
) -> None:
    done = await bubble.run(f"mkdir {name}; echo x > {name}/config.toml; ls -A")
    assert "config.toml" not in listed(bubble.root)
    assert refused(await bubble.run(f"echo x > {name}/config.toml"))
    assert name in done.stdout
    assert listed(bubble.root) == []


async def test_a_mask_stays_while_another_command_needs_it(bubble: Ground, no_repository_above: None) -> None:
    first = await bubble.granted(background=True).run("sleep 300 & echo started")
    assert first.background
    second = await bubble.run("mkdir .xun; echo second")
    assert second.stdout == "second\n"
    assert listed(bubble.root) == [".git", ".xun"]
    await bubble.registry.shutdown(grace=0.1)
    assert listed(bubble.root) == []


async def test_what_a_command_makes_of_other_protected_files_is_put_aside(bubble: Ground) -> None:
    (bubble.root / "sub").mkdir()
    done = await bubble.run(
        "echo x > .envrc; mkdir .vscode; echo y > .vscode/tasks.json; echo z > sub/.npmrc; echo a > b"
    )
    assert sorted(done.put_aside) == [bubble.root / ".envrc", bubble.root / ".vscode", bubble.root / "sub" / ".npmrc"]
    assert listed(bubble.root) == ["b", "sub"]
    kept = [path for path in bubble.profile.aside.rglob("*") if path.is_file()]
    assert sorted(path.read_text() for path in kept) == ["x\n", "y\n", "z\n"]


async def test_a_named_path_can_be_written_and_what_lies_beside_it_not(ground: Ground) -> None:
    target, beside = ground.outside / "bin", ground.outside / "lib"
    target.mkdir()
    beside.mkdir()
    named = ground.granted(writable=(target / "tool",))
    done = await named.run(f"echo x > {target}/tool; echo y > {beside}/made; echo z > {ground.outside}/made")
    assert (target / "tool").read_text() == "x\n"
    assert done.returncode != 0 and not (beside / "made").exists() and not (ground.outside / "made").exists()


async def test_a_named_file_that_is_protected_can_be_written_alone(ground: Ground) -> None:
    _protect(ground.root)
    workflow = ground.root / ".github" / "workflows" / "ci.yml"
    named = ground.granted(writable=(workflow,))
    await named.run("echo new > .github/workflows/ci.yml; echo x > .github/workflows/other.yml; echo x > .git/config")
    assert workflow.read_text() == "new\n"
    assert listed(workflow.parent) == ["ci.yml"]
    assert "[core]" in (ground.root / ".git" / "config").read_text()


async def test_a_folder_that_is_opened_for_a_new_file_keeps_what_is_protected_in_it(ground: Ground) -> None:
    (ground.outside / ".bashrc").write_text("kept")
    named = ground.granted(writable=(ground.outside / "new",), folders=(ground.outside / "new",))
    await named.run(f"echo x > {ground.outside}/new; echo x > {ground.outside}/.bashrc")
    assert (ground.outside / ".bashrc").read_text() == "kept"


# git


async def test_git_can_commit_where_it_is_granted_and_its_hooks_and_configuration_stay(ground: Ground) -> None:
    repository(ground.root)
    hooks = ground.root / ".git" / "hooks"
    config = (ground.root / ".git" / "config").read_bytes()
    before = snapshot(hooks)
    granted = ground.granted(git=Git())
    done = await granted.run("echo two > file && git add file && git commit -qm two && git log --oneline | wc -l")
    assert done.stdout.strip() == "2", done.stderr
    for attack in ("echo x > .git/hooks/pre-commit", "echo x >> .git/config", "git config a.b c",
                   "mv .git/config .git/old", "mv .git old; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit"):  # fmt: skip
        attacked = await granted.run(attack)
        assert attacked.returncode != 0 or attacked.put_aside, attack
        assert (ground.root / ".git" / "config").read_bytes() == config
        assert snapshot(hooks) == before


async def test_git_reads_where_it_is_not_granted(ground: Ground) -> None:
    repository(ground.root)
    done = await ground.run("git status --short && git log --oneline | wc -l; git commit --allow-empty -qm no")
    assert done.stdout.strip() == "1"
    assert refused(done)


async def test_git_commits_in_a_worktree_whose_repository_lies_elsewhere(bubble: Ground) -> None:
    repository(bubble.outside)
    git(bubble.outside, "worktree", "add", "-q", str(bubble.root / "tree"))
    tree = bubble.root / "tree"
    refusal = await bubble.run("git commit --allow-empty -qm no", cwd=tree)
    assert refused(refusal)
    granted = bubble.granted(git=Git())
    done = await granted.run("echo two > file && git commit -qam two", cwd=tree)
    assert done.ok, done.stderr
    attack = await granted.run(f"echo x > {bubble.outside}/.git/hooks/pre-commit", cwd=tree)
    assert attack.returncode != 0 and not (bubble.outside / ".git" / "hooks" / "pre-commit").exists()


# What cannot be read


async def test_what_is_hidden_cannot_be_read(ground: Ground) -> None:
    keys = ground.outside / "xun"
    keys.mkdir()
    (keys / "config.toml").write_text("api_key = 'sk-very-secret'")
    lone = ground.outside / "netrc"
    lone.write_text("sk-very-secret")
    hidden = ground.granted(hidden=(keys, lone))
    done = await hidden.run(
        f"cat {keys}/config.toml {lone} /proc/self/root{keys}/config.toml; cp {lone} copy; ln {lone} hard; cat copy hard;"
        f" tail {ground.outside}/*/* {ground.outside}/*; echo x > {keys}/config.toml; mv {keys} moved; cat moved/*"
    )
    assert "very-secret" not in done.stdout + done.stderr
    assert (keys / "config.toml").read_text().startswith("api_key")
    assert "kept" in (await hidden.run(f"cat {ground.outside}/kept")).stdout


# What a person said yes to


async def test_a_file_that_may_be_made_opens_nothing_beside_it(ground: Ground) -> None:
    (ground.outside / ".ssh").mkdir()
    target = ground.outside / "out.txt"
    named = ground.granted(writable=(target,), hidden=(ground.outside / ".ssh",))
    done = await named.run(f"echo data > {target}; echo x > {ground.outside}/other; mkdir {ground.outside}/bin")
    assert target.read_text() == "data\n" and done.returncode != 0
    assert listed(ground.outside) == [".ssh", "kept", "out.txt"]


async def test_one_that_nothing_was_written_to_is_not_left_behind(ground: Ground) -> None:
    target, empty = ground.outside / "out.txt", ground.outside / "empty"
    await ground.granted(writable=(target, empty)).run(f": > {empty}; cat {target}")
    assert listed(ground.outside) == ["empty", "kept"]


async def test_a_file_in_tmp_is_the_persons_and_nothing_else_of_it(ground: Ground) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        there, beside = Path(folder, "log"), Path(folder, "beside")
        for path in (there, beside):
            path.write_text(path.name)
        made = Path(folder, "made")
        shown = ground.granted(readable=(there,), writable=(made,))
        done = await shown.run(f"cat {there}; echo x > {there}; echo y > {made}; echo z > {folder}/more; cat {beside}")
        assert done.stdout.startswith("log") and there.read_text() == "log" and made.read_text() == "y\n"
        assert not Path(folder, "more").exists()
        assert ground.profile.kind == "landlock" or "beside" not in done.stdout


async def test_no_socket_is_shown_with_a_folder_in_tmp(bubble: Ground) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/socket")
        server.listen()
        attack = f"import socket; socket.socket(socket.AF_UNIX).connect('{folder}/socket')"
        for how in ({"readable": (Path(folder),)}, {"writable": (Path(folder),)}):
            assert (await bubble.granted(**how).python(attack)).returncode != 0
        reached = bubble.granted(reached=(Path(folder, "socket"),), network=True)
        assert (await reached.python(attack)).ok


async def test_what_may_be_moved_is_not_put_aside(bubble: Ground) -> None:
    for name in ("proj", "two", "into"):
        (bubble.root / name).mkdir()
    _protect(bubble.root / "proj")
    _protect(bubble.root / "two")
    moved = bubble.granted(writable=(bubble.root / "proj", bubble.root / "p2"))
    done = await moved.run("mv proj p2 && mv p2/.vscode into/ && mv two away")
    assert done.put_aside == () and (bubble.root / "p2" / ".git" / "HEAD").exists()
    assert (bubble.root / "into" / ".vscode").exists()
    assert listed(bubble.root / "two") and not (bubble.root / "away").exists()


async def test_the_root_folder_as_a_workspace_keeps_its_devices_and_a_tmp_of_its_own(bubble: Ground) -> None:
    whole = bubble.granted(roots=(Path("/"),), hidden=(bubble.outside,))
    name = f"xun-test-{os.getpid()}"
    done = await whole.run(
        f"echo x > /dev/null && touch /tmp/{name}; ls /proc | grep -c '^[0-9]'; cat {bubble.outside}/kept"
    )
    assert int(done.stdout.split()[0]) < 8 and "kept" not in done.stdout.replace("kept:", "")
    assert not Path("/tmp", name).exists() and (bubble.profile.tmp / name).exists()


async def test_npm_hears_nothing_of_the_setting_that_is_pnpms(ground: Ground) -> None:
    assert (await ground.run("env | grep -c store_dir")).stdout == "0\n"
    assert (await ground.run("true pnpm; env | grep -c store_dir")).stdout == "1\n"
    (ground.root / "pnpm-lock.yaml").touch()
    assert (await ground.run("env | grep -c store_dir")).stdout == "1\n"
