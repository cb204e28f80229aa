"""Ways out that were found once: by links and renames in what xun itself uses, and by what mounts do not hold."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.exec.sandbox.ground import Ground, git, listed, repository, snapshot
from xun.exec.sandbox.carriers import carry

pytestmark = pytest.mark.anyio


async def test_the_folder_that_stands_for_tmp_cannot_be_swapped_for_another(ground: Ground) -> None:
    """By a link in its place, the next command would have any folder as its writable /tmp."""
    temp = ground.profile.temp
    attack = f"cd {temp} && mv tmp old; ln -s {ground.outside} tmp; rm -rf tmp; ln -s {ground.outside} tmp; ls -l"
    await ground.run(attack)
    assert not (ground.profile.tmp).is_symlink() and ground.profile.tmp.is_dir()
    done = await ground.run('cat "$TMPDIR/kept"; echo x > "$TMPDIR/made"; echo y > /tmp/kept')
    assert "kept" not in done.stdout
    assert listed(ground.outside) == ["kept"] and (ground.outside / "kept").read_text() == "kept"


async def test_what_xun_itself_keeps_beside_it_can_be_read_and_not_written(ground: Ground) -> None:
    assert ground.profile.temp is not None
    whole = ground.profile.temp / "result.txt"
    whole.write_text("the whole")
    done = await ground.run(f"cat {whole}; echo x > {whole}; rm {whole}; ln -s {ground.outside}/kept {whole}2")
    assert done.stdout == "the whole" and done.returncode != 0
    assert listed(ground.profile.temp) == ["result.txt", "tmp"] and whole.read_text() == "the whole"


async def test_what_is_moved_aside_lands_where_no_command_could_put_a_link(ground: Ground) -> None:
    (ground.root / "sub").mkdir()
    cache = ground.profile.cache
    for name in ("put-aside", "aside"):
        await ground.run(
            f"rm -rf {cache}/{name}; ln -s {ground.outside} {cache}/{name}; ln -s {ground.outside} sub/{name}"
        )
    done = await ground.run("mkdir sub/.vscode; echo evil > sub/.vscode/tasks.json")
    assert done.put_aside == (ground.root / "sub" / ".vscode",)
    assert listed(ground.outside) == ["kept"]
    assert [path.read_text() for path in ground.profile.aside.rglob("tasks.json")] == ["evil\n"]


async def test_a_link_where_it_would_be_moved_to_keeps_it_where_it_is(ground: Ground) -> None:
    (ground.root / "sub").mkdir()
    ground.profile.aside.symlink_to(ground.outside)
    await ground.run("echo evil > sub/.envrc")
    assert listed(ground.outside) == ["kept"]


def test_nothing_is_mounted_on_a_link_that_was_put_into_the_tmp_of_commands(place: Path) -> None:
    tmp, target = place / "tmp", place / "target"
    tmp.mkdir()
    target.mkdir()
    (tmp / "xun-a").symlink_to(target)
    (tmp / "file").symlink_to(target / "made")
    carry(tmp, (Path("/tmp"),), (Path("/tmp/xun-a/b/c"), Path("/tmp/file")))
    assert listed(target) == []
    assert (tmp / "file").is_file() and not (tmp / "xun-a").is_symlink()


async def test_renaming_the_folder_above_replaces_nothing_that_is_kept_in_it(ground: Ground) -> None:
    proj = ground.root / "proj"
    proj.mkdir()
    repository(proj)
    (proj / ".vscode").mkdir()
    (proj / ".vscode" / "tasks.json").write_text("{}")
    before = snapshot(proj / ".git"), snapshot(proj / ".vscode")
    await ground.run(
        "mv proj p2; mkdir proj; cp -r p2/. proj/; rm -rf proj; git config --file proj/.git/config core.fsmonitor evil;"
        "echo evil > proj/.vscode/tasks.json"
    )
    assert (snapshot(proj / ".git"), snapshot(proj / ".vscode")) == before
    assert not (ground.root / "p2" / ".git").exists()


async def test_a_link_among_what_is_protected_is_put_back(ground: Ground) -> None:
    (ground.root / "docs").mkdir()
    (ground.root / "docs" / "guide.md").write_text("good")
    (ground.root / "CLAUDE.md").symlink_to("docs/guide.md")
    (ground.root / "docs" / "GEMINI.md").symlink_to("missing.md")
    shutil.copytree(ground.outside, real := ground.outside.parent / "real-git")
    (real / "HEAD").touch()
    (ground.root / ".git").symlink_to(real)
    await ground.run(
        "rm CLAUDE.md; echo evil > CLAUDE.md; rm .git; mkdir .git; echo evil > .git/config; echo evil > docs/guide.md;"
        "echo evil > docs/missing.md; rm docs/GEMINI.md; echo evil > docs/GEMINI.md"
    )
    assert (ground.root / "CLAUDE.md").readlink() == Path("docs/guide.md")
    assert (ground.root / "CLAUDE.md").read_text() == "good"
    assert (ground.root / ".git").readlink() == real and listed(real) == ["HEAD", "kept"]
    assert (ground.root / "docs" / "GEMINI.md").is_symlink() and not (ground.root / "docs" / "missing.md").exists()


async def test_a_second_name_of_a_protected_file_changes_nothing_in_it(ground: Ground) -> None:
    (ground.root / "docs").mkdir()
    (ground.root / "AGENTS.md").write_text("good")
    os.link(ground.root / "AGENTS.md", ground.root / "docs" / "agents.txt")
    await ground.run("echo evil > docs/agents.txt")
    assert (ground.root / "AGENTS.md").read_text() == "good"


@pytest.mark.parametrize("where", [".", "sub"])
async def test_no_number_of_files_takes_the_protection_away(
    ground: Ground, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xun.exec.sandbox.scan.MOST", 300)
    monkeypatch.setattr("xun.exec.sandbox.scan.WIDE", 100)
    folder = ground.root / where
    for name in (".vscode", ".xun"):
        (folder / name).mkdir(parents=True)
        (folder / name / "file").write_text("good")
    (folder / "AGENTS.md").write_text("good")
    for number in range(400):
        (folder / f"file-{number}").touch()
    await ground.run(
        f"cd {where}; echo evil > .vscode/file; echo evil > .xun/file; echo evil > AGENTS.md; mv .vscode gone;"
        "mkdir .cursor; echo evil > .cursor/mcp.json; rm AGENTS.md"
    )
    assert [(folder / name / "file").read_text() for name in (".vscode", ".xun")] == ["good", "good"]
    assert (folder / "AGENTS.md").read_text() == "good" and not (folder / ".cursor").exists()


async def test_of_very_many_protected_files_none_stays_changed(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xun.exec.sandbox.scan.MOUNTED", 5)
    for number in range(20):
        folder = ground.root / f"part-{number}"
        (folder / ".vscode").mkdir(parents=True)
        (folder / ".vscode" / "tasks.json").write_text("good")
        (folder / "AGENTS.md").write_text("good")
    (ground.root / "AGENTS.md").write_text("good")
    before = snapshot(ground.root)
    await ground.run(
        "echo evil > AGENTS.md; for part in part-*; do echo evil > $part/AGENTS.md; echo evil > $part/.vscode/tasks.json; done;"
        "mv part-3 moved; rm part-4/AGENTS.md; mkdir part-4/AGENTS.md; ln -sf /etc/passwd part-5/AGENTS.md"
    )
    assert snapshot(ground.root) == before


async def test_one_command_that_makes_too_many_files_hides_nothing_among_them(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xun.exec.sandbox.scan.MOST", 300)
    monkeypatch.setattr("xun.exec.sandbox.scan.WIDE", 100)
    (ground.root / "sub").mkdir()
    await ground.run("for i in $(seq 400); do : > f$i; : > sub/f$i; done; for d in . sub; do mkdir $d/.vscode; done")
    assert not (ground.root / ".vscode").exists() and not (ground.root / "sub" / ".vscode").exists()
    assert (ground.root / "sub" / "f1").exists()


async def test_in_a_folder_of_a_repository_no_mask_changes_what_tools_see(bubble: Ground) -> None:
    repository(bubble.root)
    (bubble.root / ".gitignore").write_text("*.log\n")
    part = bubble.root / "packages"
    part.mkdir()
    (part / "a.log").touch()
    (part / "a.txt").touch()
    inner = bubble.granted(roots=(part,))
    done = await inner.run("git status --short --ignored .; ls -A; mkdir .git; echo x > .git/config", cwd=part)
    assert "!! packages/a.log" in done.stdout.replace("!! a.log", "!! packages/a.log") and ".git" not in done.stdout
    assert done.put_aside == (part / ".git",)


async def test_a_workspace_that_is_the_home_folder_keeps_what_is_hidden_in_it(bubble: Ground) -> None:
    """Its folders above can be renamed, but for what carries a mount."""
    keys = bubble.root / "config" / "xun"
    keys.mkdir(parents=True)
    (keys / "policy.toml").write_text("good")
    cache = bubble.root / "cache" / "xun"
    cache.mkdir(parents=True)
    inner = bubble.granted(hidden=(keys,), cache=cache)
    await inner.run(
        f"mv config c2; mkdir -p config/xun; echo evil > config/xun/policy.toml; rm -rf cache; mv cache c3; ln -s {bubble.outside} cache"
    )
    await inner.run("echo evil > $GOCACHE/../kept")
    assert (keys / "policy.toml").read_text() == "good" and not (bubble.root / "cache").is_symlink()
    assert (bubble.outside / "kept").read_text() == "kept"


async def test_git_of_the_person_runs_nothing_of_a_folder_that_was_moved(bubble: Ground, place: Path) -> None:
    (bubble.root / "proj").mkdir()
    repository(bubble.root / "proj")
    await bubble.run(
        f"mv proj p2; mkdir proj; cp -r p2/. proj/; git config --file proj/.git/config core.fsmonitor 'touch {place}/ran'"
    )
    git(bubble.root / "proj", "status")
    assert not (place / "ran").exists()


# Programs


async def test_what_is_run_by_its_name_cannot_be_replaced(ground: Ground) -> None:
    folder = ground.root / ".venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "tool").write_text("#!/bin/sh\necho good\n")
    (folder / "tool").chmod(0o755)
    (ground.root / "src").mkdir()
    kept = ground.granted(programs=(folder,))
    await kept.run(
        "echo evil > .venv/bin/git; echo evil > .venv/bin/tool; mv .venv old; mv .venv/bin .venv/b2; mkdir -p .venv/bin;"
        "echo evil > .venv/bin/git; rm .venv/bin/tool; echo fine > src/x"
    )
    assert listed(folder) == ["tool"] and "good" in (folder / "tool").read_text()
    assert (ground.root / "src" / "x").exists()


async def test_the_launcher_in_a_workspace_is_not_read_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever works on xun with xun could change what runs before a command is confined."""
    from xun.exec.sandbox import landlock

    argv, descriptors = landlock.launch(landlock.probe_plan())
    try:
        assert all(str(Path(landlock.__file__).parent) not in word for word in argv)
        assert not Path(argv[0]).is_symlink()
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


async def test_a_command_that_would_stop_the_first_process_of_its_sandbox_ends_all_the_same(bubble: Ground) -> None:
    attack = "import ctypes; libc = ctypes.CDLL(None); print(libc.ptrace(16, 1, 0, 0), libc.ptrace(0x4206, 1, 0, 0))"
    done = await bubble.run(f"python3 -c '{attack}'")
    assert done.stdout.split() == ["-1", "-1"]
