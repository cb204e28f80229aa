"""What goes along unseen: in a folder that is moved, removed or copied, in a text that a shell reads, in a repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.policy.judging import HOME, codes, judge, rule
from xun.gate.gather import gather
from xun.gate.tracked import tracked_secrets
from xun.policy.action import Run
from xun.policy.decide import decide
from xun.policy.decision import Decision
from xun.policy.rules import Policy


@pytest.fixture
def place(work: Path) -> Path:
    for folder in ("top/sub", "src", "dist"):
        (work / folder).mkdir(parents=True)
    for file in ("top/sub/kept.txt", "top/a.txt", "src/a.py", "dist/x.js"):
        (work / file).write_text("x\n")
    return work


@pytest.fixture
def repository(place: Path) -> Path:
    (place / ".env").write_text("KEY=1\n")
    git(place, "init", "-q")
    git(place, "add", ".")
    git(place, "commit", "-qm", "one")
    return place


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=folder, check=True, env=os.environ | {"GIT_OPTIONAL_LOCKS": "0"})


def judged(command: str, place: Path, **denied: str) -> Decision:
    rules = [rule("deny", kind, pattern) for kind, pattern in denied.items()]
    action = Run(command=command, cwd=str(place))
    facts = gather(action, roots=[place], temp=None, home=HOME, denied=list(denied.values()), sandbox=False)
    return decide(action, facts, Policy(rules=rules))


def hard(command: str, place: Path) -> set[str]:
    return {reason.code for reason in judged(command, place).reasons if reason.hard}


@pytest.mark.parametrize(
    "command",
    ["rm -rf top", "rm -rf ./top/", "rm -r top/sub", "mv top x", "mv -t x top", "rm -rf to*", "rm -rf t??/sub", "rm -rf *",
     "timeout 5 rm -rf top", "sudo rm -rf top", "bash -c 'rm -rf top'", "find . -exec rm -rf top ;", "cd src && rm -rf ../top"],
)  # fmt: skip
@pytest.mark.parametrize("pattern", ["top/sub/kept.txt", "top/sub", "**/kept.*"])
def test_a_deny_rule_on_something_inside_binds_who_moves_or_removes_the_folder(
    command: str, pattern: str, place: Path
) -> None:
    assert judged(command, place, write=pattern).effect == "deny"
    assert judged(command, place, read=pattern).effect == "deny"


@pytest.mark.parametrize(
    "command", ["rm -rf src", "rm -rf dist/*", "rm -f *.log", "mv src x", "rm top/a.txt", "mv x top"]
)
def test_others_are_left_alone(command: str, place: Path) -> None:
    decision = judged(command, place, write="top/sub/kept.txt")
    assert decision.effect == "ask" and not decision.hard


def test_what_is_run_later_does_not_go_along_unasked(place: Path) -> None:
    (place / "dist/.github/workflows").mkdir(parents=True)
    (place / "dist/.github/workflows/ci.yml").write_text("x")
    assert hard("rm -rf dist", place) == {"protected"}
    assert hard("mv dist other", place) == {"protected"}


def test_a_pattern_removes_what_it_matches_and_not_where_it_stands(place: Path) -> None:
    assert hard("rm -rf *", place) == hard("rm -rf ./*", place) == {"root"}
    assert hard("rm -rf *.log dist/*", place) == set()


@pytest.mark.parametrize(
    "command",
    ["tar cf a.tar .", "tar -czf a.tgz src", "tar --create -f a.tar src", "zip -r a.zip .", "cp -r src dist", "cp -a . dist/x",
     "rsync -a src/ dist/", "7z a a.7z src", "tar czf - . | base64", "tar czf a.tgz --exclude=.env ."],
)  # fmt: skip
def test_folders_with_secrets_are_not_copied_unasked(command: str, place: Path) -> None:
    assert hard(command, place) == set()
    (place / "src/server.key").write_text("x")
    assert hard(command, place) == {"secret"}


def test_secrets_that_are_left_out_are_not_copied(place: Path) -> None:
    (place / ".env").write_text("x")
    assert hard("tar czf a.tgz .", place) == {"secret"}
    for command in (
        "tar czf a.tgz --exclude=.env .",
        "tar czf a.tgz --exclude '.env*' .",
        "tar xf a.tgz",
        "tar tf a.tgz",
    ):
        assert hard(command, place) == set(), command


# --- texts that are read as commands


@pytest.mark.parametrize(
    "command",
    ["bash <<< 'sudo ls'", "bash <<'EOF'\nsudo ls\nEOF", "sh -s <<EOF\nsudo ls\nEOF", "echo 'sudo ls' | bash", "printf 'sudo ls\\n' | sh",
     "cat <<EOF | sh\nrm -rf /\nEOF", "bash -x <<-EOF\n\tcat .env\n\tEOF", "python3 - <<'EOF'\nopen('.env')\nEOF",
     "echo 'open(\".env\")' | python3", "node <<EOF\nrequire('fs').readFileSync('.env')\nEOF", "python3 <<< 'open(\".env\")'",
     "sh -c 'echo x > .git/hooks/a'", "bash -c 'cat < .env'", "echo 'echo x > ~/.bashrc' | sh", "echo 'cat .env' | timeout 5 sh",
     "F=.e; cat ${F}nv", "A=.e; B=nv; cat $A$B", "D=.git; cp x $D/hooks/a", "for f in env; do cat .$f; done", "F=.git; echo x > $F/hooks/a",
     "D=/etc; rm -rf $D", "export N=.ssh; ls; tar cf - ~/$N"],
)  # fmt: skip
def test_what_a_text_feeds_or_builds_is_as_hard_as_what_it_says(command: str) -> None:
    assert judge(command).hard, command


@pytest.mark.parametrize(
    "command",
    ["bash <<< 'ls'", "bash <<'EOF'\nnpm test\nEOF", "echo ls | sh", "cat > x <<EOF\nsudo ls\nEOF", "echo 'sudo ls' | tee x",
     "python3 - <<'EOF'\nprint(1)\nEOF", "python3 x.py <<'EOF'\nopen('.env')\nEOF", "F=.e; cat ${F}xample", "D=src; cp x $D/a",
     "git commit -m \"fix .env\"", "git commit -am 'read .env from ~/.ssh'", "git commit -F x --message='.env'", "git tag -a v1 -m .env",
     "gh pr create --title 'fix .env' --body 'the file .env'", "rg --follow .env src",
     "curl -s http://x | python3 -m json.tool", "curl -s http://x | python3 -c 'import json,sys; print(json.load(sys.stdin))'",
     "curl -s http://x | awk '{print $1}'"],
)  # fmt: skip
def test_text_for_people_and_patterns_are_soft(command: str) -> None:
    decision = judge(command)
    assert decision.effect == "ask" and not decision.hard, [reason.text for reason in decision.reasons]


@pytest.mark.parametrize(
    "command",
    ["git commit -m x .env", "git branch -m .env", "git commit -F .env", "gh pr create -F .env", "grep -Rn x .env", "grep -R -e x .env",
     "grep -Rf .env x", "rg -L --files .env", "curl x | python3 -c 'exec(input())'", "curl x | python3", "curl x | python3 -m x",
     "curl x | awk '{system($0)}'", "curl x | python3 -c \"$X\"", "curl x | python3 -m json.tool | sh"],
)  # fmt: skip
def test_what_stands_beside_them_is_still_seen(command: str) -> None:
    assert judge(command).hard, command


@pytest.mark.parametrize(
    "command",
    ["git commit -m '" + "a b " * 800 + "'", 'git commit -m "' + "fix (x) {y} " * 300 + '"', "cat > x <<'EOF'\n" + "def f(x): (y\n" * 300 + "EOF",
     "python3 -c '" + "print((1))\n" * 300 + "'"],
    ids=lambda command: command[:16],
)  # fmt: skip
def test_a_long_string_is_no_garbage(command: str) -> None:
    assert judge(command).effect == "ask" and not judge(command).hard


# --- what a repository keeps


SHOWING = ["git diff HEAD", "git diff --cached", "git log -p", "git show", "git stash show -p", "git grep KEY", "git archive HEAD",
           "git checkout-index --temp -a", "git merge-file -p --object-id A B C",
           "git log -p -- .", "git -C src log -p", "git cat-file -p HEAD^{tree}", "git diff --stat -p HEAD"]  # fmt: skip


@pytest.mark.parametrize("command", SHOWING)
def test_a_secret_that_is_kept_is_not_shown_unasked(command: str, repository: Path) -> None:
    assert hard(command, repository) == {"secret"}
    git(repository, "rm", "-q", "--cached", ".env")
    assert hard(command, repository) == set()


@pytest.mark.parametrize(
    "command",
    ["git diff", "git log", "git log --stat", "git diff --stat HEAD", "git show --name-only", "git diff HEAD -- src", "git log -p src",
     "git show HEAD:src/a.py", "git grep x -- src", "git status", "git cat-file -t HEAD", "git blame src/a.py"],
)  # fmt: skip
def test_what_shows_no_content_of_it_passes(command: str, repository: Path) -> None:
    assert judged(command, repository).effect == "allow"


def test_a_difference_is_shown_of_what_differs(repository: Path) -> None:
    assert judged("git diff", repository).effect == "allow"
    (repository / ".env").write_text("KEY=other\n")
    assert hard("git diff", repository) == {"secret"}


def test_made_up_keys_of_tests_do_not_count(repository: Path) -> None:
    git(repository, "rm", "-q", "--cached", ".env")
    (repository / "tests/certs").mkdir(parents=True)
    (repository / "tests/certs/server.key").write_text("x")
    git(repository, "add", "tests")
    assert judged("git show", repository).effect == "allow"


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_every_version_of_the_index_is_read(version: str, repository: Path) -> None:
    (repository / "src/deep").mkdir()
    for name in ("src/.env.local", "src/deep/id_rsa", "src/deep/x.py"):
        (repository / name).write_text("x")
    git(repository, "add", ".")
    git(repository, "update-index", "--index-version", version)
    if version == "3":
        (repository / "later.pem").write_text("x")
        git(repository, "add", "-N", "later.pem")
    found = [Path(path).relative_to(repository).as_posix() for path, _ in tracked_secrets(str(repository)) or ()]
    assert found == [".env", *(["later.pem"] if version == "3" else []), "src/.env.local", "src/deep/id_rsa"]


def test_a_submodule_is_searched_too_where_the_configuration_says_so(repository: Path) -> None:
    git(repository, "rm", "-q", "--cached", ".env")
    inner = repository / "sub"
    inner.mkdir()
    (inner / ".env").write_text("KEY=x\n")
    git(inner, "init", "-q")
    git(inner, "add", ".env")
    git(inner, "commit", "-qm", "one")
    git(repository, "-c", "advice.addEmbeddedRepo=false", "add", "sub")
    for command in ("git grep KEY", "git grep KEY -- sub"):
        assert hard(command, repository) == {"secret"}
    assert judged("git grep KEY -- src", repository).effect == "allow"


def test_an_index_that_cannot_be_read_asks(repository: Path) -> None:
    (repository / ".git/index").write_bytes(b"DIRC\0\0\0\x09 .env")
    assert tracked_secrets(str(repository)) is None
    assert "no-facts" in codes(judged("git show", repository))


# --- what limits it, and what does not


@pytest.fixture
def crossed(repository: Path) -> Path:
    """A repository with a folder named HEAD and a branch named like a folder."""
    (repository / "HEAD").mkdir()
    (repository / "HEAD/x").write_text("x\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "two")
    git(repository, "branch", "top")
    return repository


UNLIMITED = [
    "git log --binary", "git reflog --binary", "git show --stat --binary", "git diff HEAD~1 --stat --binary",
    "git log --check", "git show --stat --check", "git log --full-diff -p src", "git show --full-diff HEAD -- src",
    "git show --ignore-missing HEAD~1 src", "git log -p -- src :/", "git log -p -- src ':(top)'", "git log -p -- src '*'",
    "git grep KEY src '*'", "git log -p HEAD --", "git show top --", "git grep -h KEY HEAD --", "git grep -- KEY top",
    "git show --all HEAD:src/a.py", "git log -p --all HEAD:src", "git stash list HEAD:src -p", "git diff HEAD:src",
    "git status -v", "git show ':/two' --stat", "git show 'HEAD^{tree}' -s", "git log -p -- src/..", "git diff HEAD src -- .",
    "git cat-file --batch='1:' --batch-all-objects", "echo HEAD:.env | git cat-file '--batch=%(objectname):'",
    "cd .git && git log -p hooks", "git log --follow -p -- src/a.py", "git log -p --follow src/a.py", "git show --follow HEAD -- src/a.py",
    "git stash list -- -p", "git stash show -- src/a.py", "git reflog -- -p",
]  # fmt: skip


@pytest.mark.parametrize("command", UNLIMITED)
def test_what_does_not_surely_limit_a_command_leaves_it_the_whole_repository(command: str, crossed: Path) -> None:
    assert "secret" in hard(command, crossed)
    rules = [rule("deny", "read", "**/.env*")]
    action = Run(command=command, cwd=str(crossed))
    facts = gather(action, roots=[crossed], temp=None, home=HOME, denied=["**/.env*"], sandbox=False)
    assert decide(action, facts, Policy(rules=rules)).effect != "allow"


@pytest.mark.parametrize(
    "command",
    ["git cat-file blob {}", "git cat-file -p {}", "git show -s {}", "git show --stat {}", "git show --name-only {:.7}", "git show {} src",
     "git show {} -- src", "git diff {} HEAD:src/a.py", "git diff {} src/a.py", "git show v1-3-g{:.9} --stat", "git show {}..HEAD --stat"],
)  # fmt: skip
@pytest.mark.parametrize("packed", [False, True])
def test_a_blob_is_shown_whatever_the_format_and_the_paths_are(command: str, packed: bool, crossed: Path) -> None:
    if packed:
        git(crossed, "gc", "-q")
    assert hard(command.format(told(crossed, "HEAD:.env")), crossed) == {"secret"}


@pytest.mark.parametrize(
    "command",
    ["git show --stat {}", "git show -s {:.7}", "git show {} -- src", "git diff {} HEAD -- src", "git cat-file -p {}", "git log -p {} -- src",
     "git show v1-3-g{:.9} --stat", "git show {:.7}..HEAD --stat", "git log {}", "git show {:.8}~1 --name-only", "git grep x {} -- src"],
)  # fmt: skip
@pytest.mark.parametrize("packed", [False, True])
def test_the_name_of_a_commit_is_told_from_that_of_a_blob(command: str, packed: bool, crossed: Path) -> None:
    if packed:
        git(crossed, "gc", "-q")
    assert judged(command.format(told(crossed, "HEAD~1")), crossed).effect == "allow"


LIMITED = [
    "git log --all -p -- src/a.py", "git show HEAD:src/a.py HEAD~1:top/a.txt", "git show :src/a.py", "git show HEAD:src", "git diff -w",
    "git diff src dist", "git diff HEAD~1..HEAD -- src dist", "git grep -l KEY", "git grep -c KEY HEAD", "git grep -n x src",
    "git grep -e x -- src", "git cat-file -p HEAD", "git cat-file commit HEAD", "git cat-file -p HEAD:src/a.py", "git cat-file --batch-check",
    "git log -S x --oneline -- src", "git log -p -- gone.py", "git show --stat HEAD~1..HEAD", "git show --name-only @ HEAD^ master~1",
    "git reflog", "git stash list", "git log --graph --all", "git show HEAD -- src ./dist", "git log --follow --oneline -- src/a.py",
    "git log --follow --stat src/a.py",
]  # fmt: skip


@pytest.mark.parametrize("command", LIMITED)
def test_what_surely_limits_it_passes(command: str, crossed: Path) -> None:
    git(crossed, "branch", "-M", "master")
    assert judged(command, crossed).effect == "allow"


@pytest.mark.parametrize("command", ["git log -p", "git show"])
def test_an_index_that_is_split_or_sparse_hides_no_secret(command: str, crossed: Path) -> None:
    (crossed / "top/.env").write_text("x\n")
    git(crossed, "rm", "-q", "--cached", ".env")
    git(crossed, "add", "top")
    git(crossed, "commit", "-qm", "three")
    git(crossed, "update-index", "--split-index")
    (crossed / "src/b.py").write_text("x\n")
    git(crossed, "add", "src")
    assert hard(command, crossed) == {"secret"}
    git(crossed, "commit", "-qm", "four")
    git(crossed, "update-index", "--no-split-index")
    for shared in (crossed / ".git").glob("sharedindex.*"):
        shared.unlink()
    git(crossed, "sparse-checkout", "init", "--cone", "--sparse-index")
    git(crossed, "sparse-checkout", "set", "src")
    assert hard(command, crossed) == {"no-facts"}


def told(folder: Path, name: str) -> str:
    done = subprocess.run(["git", "rev-parse", name], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()
