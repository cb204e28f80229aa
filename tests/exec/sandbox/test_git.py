"""What a hook that a command wrote can do in the sandbox of `git commit`: nothing that git obeys afterwards."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.exec.sandbox.ground import Ground, git, listed, repository, snapshot
from xun.exec.sandbox.profile import Git

pytestmark = pytest.mark.anyio
COMMIT = "git commit -q --allow-empty -m x"


def hooked(top: Path, script: str, hooks: Path | None = None) -> None:
    """A repository whose hook runs a script of the workspace, as many do."""
    hook = (hooks or top / ".git" / "hooks") / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexec sh check.sh\n")
    hook.chmod(0o755)
    (top / "check.sh").write_text(f"{script}\nexit 0\n")


def committing(ground: Ground, *folders: Path, **more: object) -> Ground:
    return ground.granted(git=replace(Git(folders), **more))


def evil(folder: Path, place: Path) -> None:
    """A folder of git's whose configuration runs something."""
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    git(folder, "config", "core.bare", "false")
    git(folder, "config", "core.fsmonitor", f"touch {place}/ran; false")


def count(top: Path) -> int:
    done = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=top, capture_output=True, text=True, check=True)
    return int(done.stdout)


async def test_the_common_folder_stays_the_one_it_is(ground: Ground, place: Path) -> None:
    repository(ground.root)
    evil(ground.root / "evil", place)
    hooked(ground.root, "echo ../evil > .git/commondir; sleep 0.01")
    await committing(ground).run(COMMIT)
    assert not (ground.root / ".git" / "commondir").exists()
    git(ground.root, "status")
    assert not (place / "ran").exists()


async def test_a_git_file_goes_on_naming_the_same_folder(ground: Ground, place: Path) -> None:
    repository(ground.outside)
    git(ground.outside, "worktree", "add", "-q", str(ground.root / "tree"))
    tree = ground.root / "tree"
    evil(tree / "evil", place)
    before = (tree / ".git").read_text()
    hooked(tree, "echo gitdir: evil > .git; rm .git; echo gitdir: evil > .git", ground.outside / ".git" / "hooks")
    inner = committing(ground.granted(roots=(tree,)))
    done = await inner.run(COMMIT, cwd=tree)
    assert (tree / ".git").read_text() == before
    assert done.ok or done.stderr
    assert count(tree) == 2


async def test_no_other_repository_is_opened(ground: Ground) -> None:
    for folder in (ground.root, ground.root / "sub"):
        folder.mkdir(exist_ok=True)
        repository(folder)
    before = snapshot(ground.root / "sub" / ".git")
    hooked(ground.root, "git config --file sub/.git/config core.fsmonitor evil; echo x > sub/.git/hooks/post-checkout")
    await committing(ground).run(COMMIT)
    assert snapshot(ground.root / "sub" / ".git") == before and count(ground.root) == 2


async def test_the_repository_that_git_works_in_is_the_one_that_is_kept(ground: Ground) -> None:
    proj = ground.root / "proj"
    proj.mkdir()
    repository(proj)
    before = (proj / ".git" / "config").read_bytes()
    hooked(proj, "echo evil >> .git/config; echo x > .git/hooks/post-checkout")
    await committing(ground, proj).run(f"cd proj && {COMMIT}")
    assert (proj / ".git" / "config").read_bytes() == before
    assert not (proj / ".git" / "hooks" / "post-checkout").exists() and count(proj) == 2


async def test_what_belongs_to_submodules_is_kept_however_they_are_called(ground: Ground, place: Path) -> None:
    repository(ground.root)
    module = ground.root / ".git" / "modules" / "vendor" / "lib"
    evil(module, place)
    before = snapshot(module)
    script = (
        "cd .git/modules/vendor/lib; echo evil >> config; echo x > hooks/post-checkout; echo x > config.worktree;"
        "cd ..; mv lib l2; mkdir lib; cp -r l2/. lib; echo evil >> lib/config"
    )
    hooked(ground.root, script)
    for nested in (False, True):
        await committing(ground, nested=nested).run(COMMIT)
        assert {name: now for name, now in snapshot(module).items() if now != before.get(name)} == {}, nested


async def test_no_configuration_is_made_that_was_not_there(ground: Ground) -> None:
    repository(ground.outside)
    git(ground.outside, "config", "extensions.worktreeConfig", "true")
    git(ground.outside, "worktree", "add", "-q", str(ground.root / "tree"))
    tree = ground.root / "tree"
    hooked(
        tree, "git config --file $(git rev-parse --git-dir)/config.worktree a.b c", ground.outside / ".git" / "hooks"
    )
    await committing(ground).run(COMMIT, cwd=tree)
    assert not list((ground.outside / ".git").rglob("config.worktree")) and count(tree) == 2


async def test_a_commit_changes_nothing_else_that_is_run_or_trusted_later(ground: Ground) -> None:
    repository(ground.root)
    (ground.root / "sub").mkdir()
    (ground.root / "AGENTS.md").write_text("good")
    (ground.root / ".git" / "info").mkdir(exist_ok=True)
    (ground.root / ".git" / "info" / "attributes").write_text("good")
    hooked(
        ground.root,
        "echo evil > AGENTS.md; mkdir sub/.vscode; echo evil > .git/info/attributes; mkdir -p .git/rebase-merge;"
        "echo 'exec evil' > .git/rebase-merge/git-rebase-todo; for i in $(seq 50); do echo > .git/x$i; done",
    )
    done = await committing(ground).run(COMMIT)
    assert (ground.root / "AGENTS.md").read_text() == "good" and not (ground.root / "sub" / ".vscode").exists()
    assert (ground.root / ".git" / "info" / "attributes").read_text() == "good"
    assert not (ground.root / ".git" / "rebase-merge").exists() and not (ground.root / ".git" / "x1").exists()
    assert done.put_aside and count(ground.root) == 2


# What still works


async def test_a_branch_brings_the_protected_files_that_it_keeps_and_no_others(bubble: Ground) -> None:
    from xun.gate.tracked import keeps

    repository(bubble.root)
    git(bubble.root, "checkout", "-qb", "other")
    (bubble.root / "AGENTS.md").write_text("of the branch")
    git(bubble.root, "add", "AGENTS.md")
    git(bubble.root, "commit", "-qm", "two")
    git(bubble.root, "checkout", "-q", "-")
    (bubble.root / ".git" / "hooks" / "post-checkout").write_text(
        "#!/bin/sh\nmkdir .vscode; echo x > .vscode/tasks.json\n"
    )
    (bubble.root / ".git" / "hooks" / "post-checkout").chmod(0o755)
    there = committing(bubble, checks_out=keeps)
    done = await there.run("git checkout -q other")
    assert (bubble.root / "AGENTS.md").read_text() == "of the branch", done.stderr
    assert done.put_aside == (bubble.root / ".vscode",)
    await there.run("git checkout -q -")
    assert not (bubble.root / "AGENTS.md").exists()


async def test_a_rebase_stops_and_goes_on(bubble: Ground) -> None:
    repository(bubble.root)
    (bubble.root / "file").write_text("two\n")
    git(bubble.root, "commit", "-qam", "two")
    git(bubble.root, "checkout", "-qb", "other", "HEAD~")
    (bubble.root / "file").write_text("three\n")
    git(bubble.root, "commit", "-qam", "three")
    there = committing(bubble, steps=True)
    assert not (await there.run("git rebase -q -")).ok
    done = await there.run("echo both > file && git add file && git rebase --continue")
    assert done.ok and count(bubble.root) == 3, done.stderr


async def test_a_repository_is_cloned_where_that_is_granted(bubble: Ground) -> None:
    repository(bubble.outside)
    done = await committing(bubble, nested=True).run(f"git clone -q {bubble.outside} sub")
    assert done.ok and count(bubble.root / "sub") == 1
    refused = await committing(bubble).run(f"git clone -q {bubble.outside} two")
    assert "two" not in listed(bubble.root) or not (bubble.root / "two" / ".git").exists(), refused


async def test_a_worktree_is_committed_to_with_what_git_does_in_it(bubble: Ground) -> None:
    repository(bubble.root)
    git(bubble.root, "worktree", "add", "-q", "tree")
    inner = committing(bubble, bubble.root / "tree")
    done = await inner.run(
        "cd tree && echo x > file && git stash -q && git stash pop -q && git commit -qam two && git tag t"
    )
    assert done.ok and count(bubble.root / "tree") == 2, done.stderr
