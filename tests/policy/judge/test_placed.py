"""The names that come to stand in folders that a command is given, by the rules and for what is run later."""

from __future__ import annotations

from pathlib import Path

import pytest

from xun.gate.gather import gather
from xun.policy.action import Run
from xun.policy.decide import decide
from xun.policy.decision import Decision, Effect
from xun.policy.rules import Policy, Rule

PROGRAMS = (
    "gunzip", "xz", "unzstd", "rename", "sphinx-build", "gh", "kotlinc", "mkdocs", "hugo", "cp", "mv", "ln", "install", "rsync", "scp", "tar", "unzip", "split", "wget", "curl", "patch", "7z", "touch", "mkdir",
    "csplit", "mypy", "git mv", "git apply", "git clone", "git worktree add", "pip install", "docker cp", "kubectl cp",
    "aws s3 cp", "git rm", "chmod", "tsc", "protoc", "mktemp", "go build", "cargo build", "coverage html",
    "git format-patch", "git rm -r", "git rm -rq", "git rm -rn", "git rm --cached -r", "chmod -R",
)  # fmt: skip
OPEN = [Rule(effect="allow", kind="command", pattern=words) for words in PROGRAMS]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    for name in ("run.sh", "src/app.py", "d/AGENTS.md", "d/x.py", "d/.github/workflows/ci.yml", "lib/a/b.py", "a.tar",
                 "tests/old.py", "docs/a.md", "d/mcp.json", "c.patch", "lib/AGENTS/x"):  # fmt: skip
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("x\n")
    return work


def run(command: str, work: Path, *rules: tuple[Effect, str]) -> Decision:
    made = [Rule(effect=effect, kind="write", pattern=pattern) for effect, pattern in rules]
    denied = [pattern for effect, pattern in rules if effect != "allow"]
    action = Run(command=command, cwd=str(work))
    facts = gather(action, roots=[work], temp=None, home=work.parent / "home", denied=denied, sandbox=False)
    return decide(action, facts, Policy(rules=[*OPEN, *made]))


PLACES = [
    "cp run.sh tests", "cp run.sh src/app.py tests/", "cp -t tests run.sh", "cp --target-directory=tests run.sh",
    "install run.sh tests/", "mv run.sh tests", "mv d tests", "ln run.sh tests", "ln -s ../run.sh tests",
    "rsync run.sh tests", "rsync -a d/ tests", "rsync -a d tests/", "cp -r d tests", "cp -r d/. tests", "cp d/* tests",
    "tar xf a.tar -C tests", "tar -x -f a.tar --directory=tests", "unzip a.zip -d tests", "7z x a.7z -otests",
    "split run.sh tests/", "split run.sh tests/x", "csplit -f tests/p run.sh 1", "wget -P tests https://h/x",
    "wget --directory-prefix=tests https://h/x", "curl --output-dir tests -O https://h/x", "git mv run.sh tests",
    "git worktree add tests", "git clone https://h/r tests", "scp h:x tests", "scp -P 22 h:x tests",
    "docker cp c:/x tests", "kubectl cp p:/x tests", "aws s3 cp s3://b/x tests/", "pip install -t tests x",
    "pip install --target=tests x", "cd tests && cp ../run.sh .", "cd src && cp app.py ../tests", "cp -- run.sh tests",
    "sphinx-build docs tests", "gh run download 1 -D tests", "gh release download --dir=tests", "gh repo clone a/b tests",
    "mypy --html-report tests src", "kotlinc -d tests x.kt", "mkdocs build -d tests", "hugo --destination tests",
    "timeout 5 cp run.sh tests", "ln -s ../run.sh tests/", "cd tests && ln -s ../run.sh", "cd tests && tar xf ../a.tar",
]  # fmt: skip


@pytest.mark.parametrize("pattern", ["tests/**", "tests/*", "**/tests/**", "tests", "tests/"])
@pytest.mark.parametrize("command", PLACES)
def test_a_rule_on_a_folder_binds_what_is_put_into_it(work: Path, command: str, pattern: str) -> None:
    decision = run(command, work, ("deny", pattern))
    assert decision.effect == "deny", decision.reasons


@pytest.mark.parametrize(
    "command",
    ["cp run.sh src", "mv run.sh docs", "cp run.sh tests2", "cp -r lib docs", "ls tests", "cat tests/old.py",
     "mypy tests", "sphinx-build tests docs", "gh run download 1 -D docs", "split run.sh docs/x", "cp tests/old.py docs", "rsync -a lib/ docs"],
)  # fmt: skip
def test_what_is_put_elsewhere_is_not_bound(work: Path, command: str) -> None:
    assert run(command, work, ("deny", "tests/**")).effect == "allow"


@pytest.mark.parametrize(
    ("command", "effect"),
    [("cp d/x.py tests", "deny"), ("cp run.sh tests", "allow"), ("cp d/x.py x2.py", "allow"), ("cp d/x.* tests", "deny"),
     ("rsync -a d/ tests", "ask"), ("cp -r d tests", "ask"), ("tar xf a.tar -C tests", "ask"), ("tar xf a.tar", "ask"),
     ("git apply c.patch", "ask"), ("patch -i c.patch", "ask"), ("wget https://h/tests/x.py", "allow"),
     ("cp lib/a/b.py x.py", "allow")],
)  # fmt: skip
def test_a_rule_on_one_name_binds_that_name(work: Path, command: str, effect: Effect) -> None:
    decision = run(command, work, ("deny", "tests/**/x.py"))
    assert decision.effect == effect and (effect != "ask" or decision.hard), decision.reasons


def test_a_rule_on_a_name_at_the_end_of_a_copy_is_no_rule_on_its_source(work: Path) -> None:
    assert run("cp src/app.py src/b.py", work, ("deny", "src/b.py/app.py")).effect == "allow"


PROTECTED = [
    "gunzip docs/AGENTS.md.gz", "xz -d .envrc.xz", "unzstd -f AGENTS.md.zst", "rename README AGENTS README.md", "rename x .envrc docs/x",
    "cp d/AGENTS.md docs", "cp -t . d/AGENTS.md", "cp d/A* .", "install d/AGENTS.md .", "ln -s ../d/AGENTS.md .",
    "cp -r d/. .", "cp -a d/. ./", "cp -r d/.github .", "cp -r d lib", "rsync -a d/ .", "rsync -a d lib",
    "mv d/mcp.json .", "git mv d/AGENTS.md .", "scp h:AGENTS.md .", "wget https://h/AGENTS.md", "curl -O https://h/.envrc",
    "curl -LO 'https://h/AGENTS.md?x=1'", "wget -P docs https://h/x/.npmrc", "docker cp c:/x/AGENTS.md .",
    "mkdir new && cp d/AGENTS.md new", "cd docs && cp ../d/AGENTS.md .", "cp d/AGENTS.md src/app.py docs",
    "cp -r d new",
]  # fmt: skip


@pytest.mark.parametrize("command", PROTECTED)
def test_what_is_run_later_comes_to_no_folder_unasked(work: Path, command: str) -> None:
    decision = run(command, work)
    assert decision.hard, decision.reasons


@pytest.mark.parametrize(
    "command",
    ["gunzip docs/a.md.gz", "gunzip -c AGENTS.md.gz", "cp run.sh docs", "cp -r lib docs", "cp d/AGENTS.md notes.md", "cp d/x.* .", "rsync -a lib/ docs", "cp -r src new",
     "wget https://h/x.tgz", "curl -O https://h/x.py", "ln -s ../src/app.py docs", "git mv run.sh docs"],
)  # fmt: skip
def test_other_files_come_to_folders_as_before(work: Path, command: str) -> None:
    assert run(command, work).effect == "allow"


def test_a_link_of_that_name_is_followed(work: Path) -> None:
    (work / ".git").mkdir()
    (work / "docs" / "run.sh").symlink_to(work / ".git" / "hook")
    assert run("cp run.sh docs", work).hard
    (work / "docs" / "app.py").symlink_to("/etc/app.py")
    assert run("cp src/app.py docs", work).hard


def test_a_link_of_a_protected_name_among_those_of_a_pattern_keeps_its_name(work: Path) -> None:
    (work / "lib" / "AGENTS.md").symlink_to(work / "docs" / "a.md")
    assert run("cp lib/AGENTS.* .", work).hard


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("cp -rT d .", "AGENTS.md"), ("cp -r --no-target-directory d .", ".github"), ("cp -r --no-t d .", "AGENTS.md"),
        ("cd d && cp -r --parents .github/workflows/ci.yml ..", ".github/workflows/ci.yml"),
        ("cp --parents d/AGENTS.md src", "src/d/AGENTS.md"), ("rsync -aR d/./AGENTS.md .", "AGENTS.md"),
        ("rsync -a --relative d/./.github/workflows .", ".github"), ("git rm -rqf .", "workspace itself"),
        ("git rm -r ./", "workspace itself"), ("git rm -r '*'", "workspace itself"), ("git rm -r :/", "workspace itself"),
    ],
)  # fmt: skip
def test_what_is_in_a_folder_is_seen_however_it_comes_to_stand_or_goes(command: str, said: str, work: Path) -> None:
    reasons = run(command, work).reasons
    assert any(reason.hard and said in reason.text for reason in reasons), reasons


@pytest.mark.parametrize(
    "command",
    ["cp -rT lib src", "mv -T lib lib2", "cp --parents src/app.py docs", "rsync -aR d/./x.py docs", "git rm README.md",
     "git rm -r lib", "git rm --cached -r .", "git rm -rn .", "git mv lib lib2", "chmod -R 755 lib"],
)  # fmt: skip
def test_plain_files_come_and_go_quietly(command: str, work: Path) -> None:
    assert run(command, work).effect == "allow"


@pytest.mark.parametrize(
    "command",
    ["cp -rT docs tests", "rsync -aR lib/../tests/old.py .", "git rm -rq tests", "git mv tests t2", "chmod -R 777 tests",
     "chmod 777 -R .", "git format-patch -o tests -1", "tsc --outDir tests", "protoc --python_out=tests x", "mktemp -p tests",
     "go build -o tests/ ./...", "cargo build --target-dir tests", "coverage html -d tests"],
)  # fmt: skip
def test_a_rule_on_all_that_is_in_a_folder_binds_what_is_given_the_folder(command: str, work: Path) -> None:
    assert run(command.replace("tests", "out"), work, ("deny", "tests/**")).effect == "allow" or "chmod" in command
    assert run(command, work, ("deny", "tests/**")).effect != "allow"
    assert run("mkdir -p tests", work, ("deny", "tests/**")).effect == "allow"
