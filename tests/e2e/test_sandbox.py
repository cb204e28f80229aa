"""Commands of the real program in a real sandbox: what the model is told, what a rule settles, and what is left behind."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import require
from tests.e2e.support import LONG, Done, Model, bash, results, wait_for, xun
from tests.wire.streams import Say
from xun.exec.sandbox.find import works

KINDS = ("bwrap", "landlock")
RULES = """\
[settings]
risk = "off"

[[rule]]
effect = "allow"
command = "git commit"

[[rule]]
effect = "allow"
command = "./outside.sh"
sandbox = false
"""
AUTO = '[settings]\nrisk = "off"\nauto_allow_sandboxed = true\n'
SECRET = "sk-very-secret-key-of-xun"


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """With a home folder that does not lie in /tmp: that is another one inside."""
    require(request.param, works(request.param))
    monkeypatch.setenv("XUN_SANDBOX", request.param)
    cache = request.config.cache
    assert cache is not None
    home = Path(tempfile.mkdtemp(dir=cache.mkdir("sandbox"))).resolve()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XUN_HOME", str(home / "xun"))
    yield request.param
    shutil.rmtree(home)


def policy(text: str) -> None:
    home = Path(os.environ["XUN_HOME"])
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "policy.toml").write_text(text)


def play(*commands: str, options: tuple[str, ...] = (), **arguments: object) -> tuple[Done, list[str]]:
    """A run in which the model gives these commands, one a step. Gives what it was told of each."""
    with Model(*(bash(command, **arguments) for command in commands), Say("done")) as model:
        done = model.run(*options, "go")
        told = [results(request)[-1] for request in model.requests[1:]]
    return done, told


def script(work: Path, text: str, name: str = "run.sh") -> str:
    (work / name).write_text(text)
    return f"sh {name}"


@pytest.mark.usefixtures("kind")
def test_the_login_of_a_proxy_goes_only_where_the_network_does(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy(AUTO)
    monkeypatch.setenv("FTP_PROXY", "http://me:pw@proxy.invalid:3128")
    script(work, "echo proxy is $FTP_PROXY")
    _, told = play("sh run.sh")
    assert "proxy is http://proxy.invalid:3128" in told[0]


def test_what_has_soft_reasons_alone_runs_unasked_and_confined(kind: str, work: Path) -> None:
    policy(AUTO)
    home = Path(os.environ["XUN_HOME"])
    (home / "config.toml").write_text(f'[providers.anthropic]\napi_key = "{SECRET}"\n')
    (work / "src").mkdir()
    outside = Path.home() / "outside"
    attack = (
        f"echo a > src/made; cat {home}/config.toml {home}/policy.toml; ls {home}/state/sessions/*;"
        f" echo x >> {home}/policy.toml; echo x > {outside}; echo x > .xun/config.toml; mkdir .xun; env"
    )
    done, told = play(script(work, attack))
    assert done.code == 0
    assert (work / "src" / "made").read_text() == "a\n"
    assert SECRET not in "".join(told) and "exit code" in told[0]
    assert (home / "policy.toml").read_text() == AUTO
    assert not outside.exists() and not (work / ".xun").exists()
    assert not list(work.glob(".git"))


def test_without_the_setting_it_asks_and_nobody_is_there(kind: str, work: Path) -> None:
    policy('[settings]\nrisk = "off"\n')
    done, _ = play(script(work, "echo a > made"))
    assert done.code == 4 and not (work / "made").exists()


def test_the_model_is_told_why_it_failed_and_how_to_ask_for_more(kind: str, work: Path) -> None:
    policy(AUTO)
    _, told = play(script(work, "echo x > /etc/xun-made"))
    assert told[0].startswith("exit code 2") or told[0].startswith("exit code 1")
    assert "ran in the sandbox" in told[0] and "unsandboxed=true" in told[0]
    _, plain = play(script(work, "exit 3"))
    assert "sandbox" not in plain[0]


def test_leaving_it_asks_a_person_and_a_yes_leaves_it(kind: str, work: Path) -> None:
    policy(AUTO)
    outside = Path.home() / "outside"
    command = script(work, f"echo x > {outside}")
    refused, _ = play(command, unsandboxed=True)
    assert refused.code == 4 and not outside.exists()
    agreed, told = play(command, options=("--yes",), unsandboxed=True)
    assert agreed.code == 0 and outside.read_text() == "x\n" and told[0].startswith("exit code 0")


def test_a_rule_lets_a_command_leave_it_unasked(kind: str, work: Path) -> None:
    policy(RULES)
    outside = Path.home() / "outside"
    script(work, f"#!/bin/sh\necho x > {outside}\n", "outside.sh")
    (work / "outside.sh").chmod(0o755)
    done, _ = play("./outside.sh")
    assert done.code == 0 and outside.read_text() == "x\n"


def test_git_commits_where_a_rule_allows_that(kind: str, work: Path) -> None:
    policy(RULES)
    for words in (["init", "-q"], ["commit", "--allow-empty", "-qm", "one"]):
        subprocess.run(["git", *words], check=True)
    done, told = play("git commit --allow-empty -qm two")
    assert done.code == 0 and told[0].startswith("exit code 0"), told
    log = subprocess.run(["git", "log", "--format=%s"], capture_output=True, text=True, check=True)
    assert log.stdout.split() == ["two", "one"]


def test_the_temporary_folder_of_one_command_is_that_of_the_next(kind: str, work: Path) -> None:
    policy(AUTO)
    one = script(work, "echo kept > ${TMPDIR:-/tmp}/out")
    _, told = play(one, script(work, "cat $TMPDIR/out", "two.sh"))
    assert "kept" in told[1]


def test_where_one_is_required_and_none_works_nothing_runs(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUN_SANDBOX", "off")
    policy('[settings]\nsandbox = "required"\n')
    _, refused = play("pwd")
    assert "Permission denied" in refused[0] and "requires a sandbox" in refused[0]
    told = xun("policy", "sandbox")
    assert told.code == 1 and "required" in told.out


def test_it_is_told_what_commands_run_in(kind: str) -> None:
    told = xun("policy", "sandbox")
    name = {"bwrap": "bubblewrap", "landlock": "Landlock"}[kind]
    assert told.code == 0 and name in told.out
    checked = xun("policy", "check", "make && curl x.org")
    assert "runs in the sandbox, with network" in checked.out


def test_nothing_is_left_behind_by_a_kill(kind: str, work: Path) -> None:
    """Neither a process nor the folders that kept `.xun` and `.git` from being made."""
    policy(AUTO)
    seconds = f"4{KINDS.index(kind)}{os.getpid() % 10000}"
    command = script(work, f"setsid sleep {seconds} & (setsid env -i sleep {seconds} >/dev/null 2>&1 &) & sleep 300")
    with Model(bash(command), Say("done")) as model:
        process = model.start("go")
        wait_for(lambda: sleeping(seconds), "the command")
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=LONG)
        wait_for(lambda: not sleeping(seconds), "its end")
        wait_for(lambda: [path.name for path in work.iterdir()] == ["run.sh"], "the folders to go")


def sleeping(seconds: str) -> bool:
    found = subprocess.run(["pgrep", "-f", f"^sleep {seconds}$"], capture_output=True, check=False)
    return found.returncode == 0


def test_a_server_that_one_command_leaves_running_is_reached_by_the_next(kind: str, work: Path) -> None:
    """The one has the network since it is left running, the other by its rule."""
    policy('[settings]\nrisk = "off"\n[[rule]]\neffect = "allow"\ncommand = "./client.sh"\nnetwork = true\n')
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = script(work, f"exec {sys.executable} -S -m http.server -b 127.0.0.1 {port} >$TMPDIR/log 2>&1", "server.sh")
    knock = f"for i in $(seq 100); do exec 3<>/dev/tcp/127.0.0.1/{port} && break; sleep 0.1; done 2>/dev/null"
    script(work, f"#!/bin/bash\n{knock}\nprintf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3\nhead -1 <&3\n", "client.sh")
    (work / "client.sh").chmod(0o755)
    _, told = play(f"{server} &", "./client.sh", options=("--yes",))
    assert "still running in the background" in told[0]
    assert "200 OK" in told[1], told


def test_what_a_rule_denies_to_be_read_is_not_read_by_a_program_either(kind: str, work: Path) -> None:
    policy(f'{AUTO}\n[[rule]]\neffect = "deny"\nread = "**/*.secret"\n')
    (work / "sub").mkdir()
    for name in ("a.secret", "sub/b.secret"):
        (work / name).write_text(SECRET)
    (work / "plain").write_text("plain text")
    _, told = play(script(work, "end=secret; cat a.$end sub/b.$end plain"))
    assert "plain text" in told[0] and SECRET not in told[0]


def test_the_logins_of_the_home_folder_are_seen_only_by_the_program_that_they_are_for(kind: str, work: Path) -> None:
    """git speaks with its remote by ssh, which a person's configuration has print the key: nothing else sees that."""
    key = Path.home() / ".ssh" / "id_rsa"
    key.parent.mkdir()
    key.write_text(SECRET)
    rule = '[[rule]]\neffect = "allow"\ncommand = "{}"\nnetwork = true\n'
    policy(f"{AUTO}\n{rule.format('./push.sh')}\n{rule.format('git ls-remote')}")
    look = "name=.ssh; cat ~/$name/id_rsa"
    (work / "push.sh").write_text(f"#!/bin/sh\n{look}\n")
    (work / "push.sh").chmod(0o755)
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "remote", "add", "origin", "ssh://git@127.0.0.1/r"], check=True)
    subprocess.run(["git", "config", "core.sshCommand", f"{look} >&2; false"], check=True)
    _, told = play(look, "./push.sh", "git ls-remote origin")
    assert "No such file" in told[0] or "denied" in told[0]
    assert SECRET not in told[0] and SECRET not in told[1]
    assert SECRET in told[2]


def test_what_a_hook_does_in_a_commit_is_obeyed_by_nothing_afterwards(kind: str, work: Path) -> None:
    """The agent writes the script that the hook runs, and commits by the person's rule: nobody is asked."""
    policy(f"{RULES.replace('[settings]', '[settings]' + chr(10) + 'auto_allow_sandboxed = true')}")
    for words in (["init", "-q"], ["commit", "--allow-empty", "-qm", "one"]):
        subprocess.run(["git", *words], check=True)
    hook = work / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nsh check.sh\nexit 0\n")
    hook.chmod(0o755)
    before = (work / ".git" / "config").read_bytes()
    ran = Path.home() / "ran"
    script(
        work,
        f"git init -q --bare evil; git -C evil config core.fsmonitor 'touch {ran}; false'; git -C evil config core.bare false;"
        f"echo ../evil > .git/commondir; git config core.fsmonitor 'touch {ran}; false'; echo > .git/config.worktree",
        "check.sh",
    )
    _, told = play("git commit --allow-empty -qm two")
    assert told[0].startswith("exit code 0"), told
    assert not (work / ".git" / "commondir").exists() and (work / ".git" / "config").read_bytes() == before
    subprocess.run(["git", "status"], check=True, capture_output=True)
    assert not ran.exists()


def test_no_program_on_path_is_replaced_for_the_next_command(
    kind: str, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bin_folder = work / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
    policy(AUTO)
    plant = "printf '#!/bin/sh\\necho PLANTED\\n' > .venv/bin/date; chmod +x .venv/bin/date; mv .venv old; true"
    _, told = play(script(work, plant), "date")
    assert "PLANTED" not in told[1] and list(bin_folder.iterdir()) == []


def test_where_the_home_folder_is_the_workspace_xuns_own_folders_are_still_its_own(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path.home()
    policy(AUTO)
    monkeypatch.delenv("XUN_HOME")
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    (home / "d").mkdir()
    monkeypatch.chdir(home)
    attack = "mkdir -p .config/xun; echo evil > .config/xun/policy.toml; mv .config c2; mkdir -p .config/xun"
    done, _ = play(script(home, attack), options=("--policy", str(home / "xun" / "policy.toml")))
    assert done.code == 0
    assert not (home / ".config" / "xun" / "policy.toml").exists()


def deny_write(*patterns: str) -> str:
    return AUTO + "".join(f'\n[[rule]]\neffect = "deny"\nwrite = "{pattern}"\n' for pattern in patterns)


def test_a_rule_that_denies_writing_binds_what_a_command_does_unnamed(kind: str, work: Path) -> None:
    policy(deny_write("protected.txt", "tests/**", "a/b/c/deep.txt", "gen/*", "**/*.lock"))
    for name in ("protected.txt", "tests/test_x.py", "a/b/c/deep.txt", "gen/x", "sub/y.lock", "src/free.txt"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("before\n")
    kept = ("protected.txt", "tests/test_x.py", "a/b/c/deep.txt", "gen/x", "sub/y.lock")
    attack = "".join(f"echo evil > {name}; rm -f {name}; mv {name} src/free2.txt;" for name in kept)
    attack += "mkdir tests/new; echo x > tests/by_script; echo x > gen/new; echo x > sub/new.lock; mv tests t2;"
    attack += "mv a/b a/b2; ln protected.txt src/link && echo evil >> src/link; echo after > src/free.txt"
    done, told = play(script(work, attack))
    assert done.code == 0, told
    for name in kept:
        assert (work / name).read_text() == "before\n", name
    for name in ("tests/new", "tests/by_script", "gen/new", "sub/new.lock", "t2"):
        assert not (work / name).exists(), name
    assert (work / "src" / "free.txt").read_text() == "after\n"


def test_what_a_rule_denies_is_not_made_in_a_folder_that_was_not_there(kind: str, work: Path) -> None:
    policy(deny_write("tests/**", "src/never.txt"))
    (work / "src").mkdir()
    done, _ = play(script(work, "mkdir -p tests; echo x > tests/made; echo x > src/never.txt; true"))
    assert done.code == 0
    assert not (work / "tests" / "made").exists() and not (work / "src" / "never.txt").exists()


def test_git_may_not_check_out_what_a_rule_denies(kind: str, work: Path) -> None:
    policy(deny_write(".bashrc") + '\n[[rule]]\neffect = "allow"\ncommand = "git stash"\n')
    (work / ".bashrc").write_text("one\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run(["git", *words], check=True)
    (work / ".bashrc").write_text("two\n")
    play(script(work, "git stash"))
    assert (work / ".bashrc").read_text() == "two\n"


def test_where_the_home_folder_is_the_workspace_what_programs_obey_there_is_kept(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path.home()
    policy(AUTO)
    monkeypatch.chdir(home)
    (home / ".emacs.d").mkdir()
    (home / ".emacs.d" / "init.el").write_text("before\n")
    (home / "plain").write_text("")
    names = (".emacs.d/init.el", ".local/bin/ls", ".nvm/nvm.sh", ".newrc", "xun/policy.toml", "xun/state/trust.json")
    attack = "".join(f"mkdir -p $(dirname {name}); echo evil > {name};" for name in names)
    done, told = play(script(home, f"{attack} mv .emacs.d e2; echo fine > plain; true"))
    assert done.code == 0, told
    assert (home / ".emacs.d" / "init.el").read_text() == "before\n" and (home / "plain").read_text() == "fine\n"
    assert not [name for name in names[1:4] if (home / name).exists()]
    assert (home / "xun" / "policy.toml").read_text() == AUTO and "evil" not in _text(home / "xun/state/trust.json")


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""
