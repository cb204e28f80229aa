"""xun's own files, and the hidden files of a home folder that is the workspace: for every tool, word and mode."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from xun.config.paths import Paths, find_paths
from xun.gate.gather import gather
from xun.gate.own import own_files
from xun.policy.action import Action, Read, Run, Write
from xun.policy.decide import decide
from xun.policy.decision import Decision, Mode
from xun.policy.facts import Own
from xun.policy.reading import ReadFilter
from xun.policy.rules import Policy, Rule

KEY = "sk-of-the-person"
LOOSE = [
    Rule(effect="allow", kind="command", pattern=name)
    for name in ("cp", "mv", "tee", "touch", "rm", "install", "ln", "grep", "tar", "sed -i", "python x.py")
] + [Rule(effect="allow", kind="write", pattern="."), Rule(effect="allow", kind="read", pattern="/")]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with xun's files in it, under names of which none is known elsewhere."""
    home = tmp_path / "home"
    own = home / "keep"
    (own / "state" / "sessions").mkdir(parents=True)
    (home / "src").mkdir()
    (home / "src" / "a.py").write_text("a = 1\n")
    (own / "config.toml").write_text(f'api_key = "{KEY}"\n')
    (own / "policy.toml").write_text("")
    (own / "state" / "trust.json").write_text("{}")
    (own / "state" / "sessions" / "1.jsonl").write_text("{}\n")
    return home


def own_of(home: Path) -> Own:
    paths = find_paths({"XUN_HOME": str(home / "keep")})
    return own_files(paths.own, paths.plain)


def judged(action: Action, root: Path, home: Path, own: Own, mode: Mode = "manual") -> Decision:
    policy = Policy(rules=LOOSE)
    denied: list[str] = []
    return decide(action, gather(action, roots=[root], temp=None, home=home, denied=denied, own=own), policy, (), mode)


def run(command: str, home: Path, *, root: Path | None = None, mode: Mode = "manual") -> Decision:
    action = Run(command=command, cwd=str(root or home))
    return judged(action, root or home, home, own_of(home), mode)


@pytest.mark.parametrize("where", ["inside", "outside"])
@pytest.mark.parametrize("mode", ["manual", "accept-edits", "auto"])
@pytest.mark.parametrize(
    "name", ["policy.toml", "config.toml", "new.toml", "state/trust.json", "state/made/x", "commands/x.md"]
)
def test_no_tool_writes_what_is_xuns_own(home: Path, name: str, mode: Mode, where: str) -> None:
    root = home if where == "inside" else home / "src"
    for op in ("create", "overwrite", "edit", "delete", "move"):
        decision = judged(Write(path=str(home / "keep" / name), op=op), root, home, own_of(home), mode)
        assert decision.hard, (op, decision)


@pytest.mark.parametrize("name", ["config.toml", "config.toml~", "state/trust.json", "state/sessions/1.jsonl"])
def test_no_tool_reads_what_may_hold_a_key_or_a_conversation(home: Path, name: str) -> None:
    for root in (home, home / "src"):
        assert judged(Read(path=str(home / "keep" / name)), root, home, own_of(home)).hard


def test_the_policy_file_may_be_read(home: Path) -> None:
    assert judged(Read(path=str(home / "keep" / "policy.toml")), home, home, own_of(home)).effect == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "cat keep/config.toml", "head keep/*.toml", "grep -r api_key .", "grep -rn key keep", "rg key", "rg key keep",
        "find . -name '*.toml' | xargs cat", "cp keep/config.toml src/x", "tar cf a.tar keep", "cp -r keep k2",
        "touch keep/policy.toml", "echo x > keep/policy.toml", "tee keep/new.toml", "rm keep/policy.toml",
        "mv keep k2", "rm -rf keep", "sed -i s/ask/allow/ keep/policy.toml", "cp src/a.py keep/policy.toml",
        "ln -s x keep/commands", "cd keep && tee policy.toml", "install src/a.py keep", "diff keep/config.toml src/a.py",
        "cat ~/keep/config.toml", "python x.py --output keep/policy.toml", "mv src/a.py keep/state/trust.json",
    ],
)  # fmt: skip
@pytest.mark.parametrize("inside", [True, False])
def test_no_word_of_a_command_reaches_it(home: Path, command: str, inside: bool) -> None:
    if not inside:
        if command.startswith(("find", "rg key", "grep -r api")) or " ." in command:
            return
        command = command if "~" in command else command.replace("keep", "../keep")
    decision = run(command, home, root=home if inside else home / "src")
    assert decision.hard, decision


@pytest.mark.parametrize(
    "command", ["cat src/a.py", "cat keep/policy.toml", "ls keep", "grep -r a src", "touch src/b.py", "rg a src"]
)
def test_what_is_not_xuns_own_is_no_harder_for_that(home: Path, command: str) -> None:
    assert run(command, home).effect == "allow"


def test_a_search_leaves_out_what_may_hold_a_key(home: Path) -> None:
    own = own_of(home)
    kept = ReadFilter(Policy(rules=LOOSE), (), roots=[str(home)], at=datetime.now(UTC), own=own)
    assert kept.effect(str(home / "keep" / "config.toml")) == "ask"
    assert kept.effect(str(home / "keep" / "state" / "sessions" / "1.jsonl")) == "ask"
    assert kept.effect(str(home / "src" / "a.py")) == "allow"


def test_a_link_to_it_leads_to_it(home: Path) -> None:
    (home / "src" / "link").symlink_to(home / "keep" / "config.toml")
    assert run("cat src/link", home).hard
    assert judged(Write(path=str(home / "src" / "link")), home / "src", home, own_of(home)).hard


def test_where_a_policy_file_is_a_link_what_it_leads_to_is_kept(home: Path) -> None:
    dotfiles = home / "dotfiles"
    dotfiles.mkdir()
    (home / "keep" / "policy.toml").rename(dotfiles / "rules.toml")
    (home / "keep" / "policy.toml").symlink_to(dotfiles / "rules.toml")
    assert judged(Write(path=str(dotfiles / "rules.toml")), dotfiles, home, own_of(home)).hard


def test_a_folder_of_xun_that_holds_the_workspace_keeps_its_parts(home: Path) -> None:
    root = home / "keep"
    own = own_of(home)
    (root / "project").mkdir()
    assert judged(Write(path=str(root / "policy.toml"), op="create"), root, home, own).hard
    assert judged(Write(path=str(root / "state" / "made" / "x"), op="create"), root, home, own).hard
    assert judged(Write(path=str(root / "project" / "a.py"), op="create"), root, home, own).effect == "allow"
    assert run("cat config.toml", home, root=root).hard


HIDDEN = (".bashrc", ".profile", ".local/bin/ls", ".cargo/bin/x", ".emacs.d/init.el", ".nvm/nvm.sh", ".aws/config",
          ".docker/cli-plugins/x", ".gradle/init.gradle", ".config/any/thing", ".new")  # fmt: skip


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize("above", [False, True])
def test_what_is_hidden_in_a_home_folder_of_the_workspace_is_hard_to_write(home: Path, name: str, above: bool) -> None:
    root = home.parent if above else home
    for mode in ("manual", "accept-edits", "auto"):
        assert judged(Write(path=str(home / name), op="create"), root, home, Own(), mode).hard
    for command in (f"touch {home}/{name}", f"cp src/a.py {home}/{name}", f"echo x > {home}/{name}"):
        assert judged(Run(command=command, cwd=str(home)), root, home, Own()).hard, command
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    top = home / Path(name).parts[0]
    assert judged(Run(command=f"mv {top} {home}/src/x", cwd=str(home)), root, home, Own()).hard
    if above:
        assert judged(Run(command="mv home h2", cwd=str(root)), root, home, Own()).hard
        assert judged(Write(path=str(home), op="move"), root, home, Own()).hard


def test_a_home_folder_that_is_a_link_is_known_by_both_names(home: Path, tmp_path: Path) -> None:
    link = tmp_path / "me"
    link.symlink_to(home)
    assert judged(Write(path=str(home / ".new"), op="create"), home, link, Own()).hard


def test_caches_and_what_is_hidden_elsewhere_are_as_before(home: Path) -> None:
    for name in (".cache/pip/x", "src/.hidden", ".cache/y"):
        assert judged(Write(path=str(home / name), op="create"), home, home, Own()).effect == "allow"
    dotfiles = home / ".dotfiles"
    dotfiles.mkdir()
    assert judged(Write(path=str(dotfiles / "x"), op="create"), dotfiles, home, Own()).effect == "allow"


def test_own_files_names_what_xun_writes_itself(tmp_path: Path) -> None:
    paths = Paths(config=tmp_path / "c", state=tmp_path / "s", cache=tmp_path / "k")
    own = own_files(paths.own, paths.plain)
    for path in (paths.config_file, paths.policy_file, paths.trust_file, paths.sessions, paths.made):
        assert str(path) in own.kept
    assert str(paths.cache) not in own.kept


def test_another_name_of_a_secret_file_is_one_too(home: Path) -> None:
    (home / "deep" / "er").mkdir(parents=True)
    (home / "deep" / "er" / ".env").write_text("KEY=1\n")
    (home / "src" / "plain").hardlink_to(home / "deep" / "er" / ".env")
    (home / "src" / "b.py").hardlink_to(home / "src" / "a.py")
    (home / "src" / "key").hardlink_to(home / "keep" / "config.toml")
    own = own_of(home)
    for name in ("plain", "key"):
        assert judged(Read(path=str(home / "src" / name)), home, home, own).hard
        assert run(f"cat src/{name}", home).hard and run(f"cp src/{name} x", home).hard
    assert judged(Read(path=str(home / "src" / "b.py")), home, home, own).effect == "allow"
    assert run("cat src/b.py", home).effect == "allow"
