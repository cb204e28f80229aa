"""Policy files of the person and of the project, and the project's own commands, with the real program."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support import Done, Model, bash, calls, commit, results, use, write, xun
from tests.wire.streams import Say
from xun.config.paths import find_paths
from xun.config.project.grants import ProjectGrants
from xun.config.trust import trust, trust_of

PROJECT = """\
[[rule]]
effect = "deny"
command = "touch denied"

[[rule]]
effect = "allow"
command = "touch allowed"

[settings]
newlines = "split"
"""
MAKEFILE = "test:\n\techo made > made\n"


def agree() -> None:
    trust(trust_of(Path.cwd(), find_paths()).pending, find_paths())


def grant(*names: str) -> None:
    """Let these commands of the project run, as a person does on the screen."""
    grants = ProjectGrants(Path.cwd(), find_paths())
    found = [command for command, _ in grants.found()]
    grants.decide([one for one in found if one.command in names], [one for one in found if one.command not in names])


def check(command: str, *words: str) -> str:
    return json.loads(xun("policy", "check", "--json", *words, command).out)["effect"]


def listed(*words: str) -> dict[str, Any]:
    return json.loads(xun("policy", "list", "--json", *words).out)


def policy(*words: str) -> Done:
    return xun("policy", *words)


def test_a_projects_rules_count_once_they_are_agreed_to_and_not_after_a_change() -> None:
    commit({".xun/policy.toml": PROJECT})
    path = Path(".xun/policy.toml")
    both = ("--allow", "touch")
    assert check("touch denied", *both) == "allow"
    agree()
    assert check("touch denied", *both) == "deny"
    assert check("touch allowed") == "allow"
    assert check("touch allowed", "--deny", "touch") == "deny"
    assert check("touch allowed\nls") == "ask"  # the setting that would loosen is ignored
    path.write_text(PROJECT.replace("touch denied", "touch other"))
    assert check("touch denied", *both) == "allow"
    assert check("touch allowed") == "ask"


def test_a_run_names_what_it_does_not_load_and_what_to_do() -> None:
    commit({".xun/policy.toml": PROJECT})
    script = (bash("touch allowed"), Say("done"))
    with Model(*script, *script, *script) as model:
        untrusted = model.run("go")
        trusted = model.run("--trust", "go")
        agree()
        Path(".xun/policy.toml").write_text(PROJECT + "# changed\n")
        changed = model.run("go", "--quiet")
    assert (untrusted.code, trusted.code, changed.code) == (4, 0, 4)
    assert "not trusted: .xun/policy.toml" in untrusted.err and "--trust" in untrusted.err
    assert "policy.toml:10: newlines" in trusted.err and "ignored" in trusted.err
    assert "changed since you trusted it: .xun/policy.toml" in changed.err and "--trust" in changed.err


def test_a_mistake_in_an_agreed_file_stops_before_anything_is_sent() -> None:
    commit({".xun/policy.toml": '[[rule]]\neffect = "perhaps"\ntool = "x"\n'})
    agree()
    with Model() as model:
        done = model.run("go")
        assert model.requests == []
    assert done.code == 2 and ".xun/policy.toml:2: effect" in done.err


def test_a_granted_command_runs_until_what_it_runs_changes() -> None:
    commit({"Makefile": MAKEFILE})
    change = use("edit_file", path="Makefile", old="echo made", new="echo evil")
    with Model(bash("make test"), Say("a"), calls(change), bash("make test"), Say("b")) as model:
        grant("make test")
        first = model.run("go")
        assert Path("made").read_text() == "made\n"
        second = model.run("go", "--mode", "accept-edits")
    assert (first.code, second.code) == (0, 4)
    assert Path("made").read_text() == "made\n"
    told = json.dumps(results(model.requests[-1]))
    assert "its text changed since it was granted: was `" in told and "echo evil" in told


def test_the_order_of_one_step_makes_no_gap() -> None:
    """A change and the command in one step: the command is judged after the change."""
    commit({"Makefile": MAKEFILE})
    grant("make test")
    change = use("edit_file", path="Makefile", old="echo made", new="echo evil")
    with Model(calls(change, use("bash", command="make test")), Say("b")) as model:
        done = model.run("go", "--mode", "accept-edits")
    assert done.code == 4 and not Path("made").exists()


def test_trust_for_a_run_grants_no_command_and_names_them() -> None:
    commit({"Makefile": MAKEFILE, "AGENTS.md": "x"})
    with Model(bash("make test"), Say("a")) as model:
        done = model.run("--trust", "go")
    assert done.code == 4 and not Path("made").exists()
    assert "this project's own commands ask: make test" in done.err


def test_a_plan_runs_no_granted_command() -> None:
    commit({"Makefile": MAKEFILE})
    grant("make test")
    with Model(bash("make test"), Say("a")) as model:
        model.run("go", "--mode", "plan")
    assert not Path("made").exists()


def test_every_rule_in_force_is_listed_with_where_it_is_from() -> None:
    commit({".xun/policy.toml": PROJECT, "Makefile": MAKEFILE})
    agree()
    grant("make test")
    mine = find_paths().policy_file
    mine.write_text('[settings]\nrisk = "off"\n[[rule]]\neffect = "ask"\nread = "*.key"\nreason = "why"\n')
    write({"extra.toml": '[[rule]]\neffect = "deny"\nhost = "a.example"\nuntil = 2100-01-01T00:00:00Z\n'})
    found = listed("--allow", "npm test", "--allow-write", "src", "--deny", "rm", "--policy", "extra.toml",
                   "--mode", "accept-edits")  # fmt: skip
    rows = {(row["effect"], row["kind"], row["pattern"]): row for row in found["rules"]}
    here = str(Path.cwd())
    expected = {
        ("deny", "command", "rm"): "--deny", ("allow", "command", "npm test"): "--allow",
        ("allow", "write", f"{here}/src"): "--allow-write", ("deny", "host", "a.example"): "extra.toml:1",
        ("ask", "read", "*.key"): f"{mine}:3", ("deny", "command", "touch denied"): f"{here}/.xun/policy.toml:1",
        ("allow", "write", "."): "mode accept-edits", ("allow", "command", "make test"): "the project's command",
        ("allow", "command", "cat"): "default list",
    }  # fmt: skip
    assert {key: rows[key]["source"] for key in expected} == expected
    assert rows["allow", "command", "make test"]["folder"] == here
    assert rows["deny", "host", "a.example"]["until"] == "2100-01-01T00:00:00+00:00"
    settings = {row["name"]: (row["value"], row["source"]) for row in found["settings"]}
    assert settings["risk"] == ("off", f"{mine}:2") and settings["newlines"] == ("ask", "default")
    assert found["mode"] == {"value": "accept-edits", "source": "--mode"}
    assert [line.partition(": ")[0] for line in found["not_loaded"]] == [f"{here}/.xun/policy.toml:10"]


def test_the_list_can_be_narrowed() -> None:
    find_paths().policy_file.write_text('[[rule]]\neffect = "deny"\nread = "*.key"\n')
    assert [row["pattern"] for row in listed("--effect", "deny")["rules"]] == ["*.key"]
    assert all("git" in row["pattern"] for row in listed("git")["rules"])
    assert [row["kind"] for row in listed("--kind", "read")["rules"]] == ["read"]
    assert [row["pattern"] for row in listed("--source", "policy.toml")["rules"]] == ["*.key"]
    text = policy("list", "--effect", "deny").out
    assert text == f"deny   read     *.key  ({find_paths().policy_file}:1)\n"
    settings = policy("list").out.partition("\nmode ")[2].splitlines()
    assert 'risk = "on"  (default)' in settings and "auto_allow_sandboxed = false  (default)" in settings
    assert policy("list", "no such thing").out == "no such rule is in force\n"
    assert policy("list", "--policy", "missing.toml").code == 2


def test_a_rule_is_added_and_taken_out_again() -> None:
    mine = find_paths().policy_file
    before = "# mine\n"
    mine.write_text(before)
    done = policy("add", "allow", "command", "make it", "--reason", "why not", "--match", "make it -k")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        f"added to {mine}:3: allow command make it\n"
        "  newly permits: commands whose first words are `make it`, unless what follows works in another folder or "
        "project; or runs, changes or reaches more than these say\n"
    )
    assert check("make it -k") == "allow"
    again = policy("add", "command", "make it")
    assert (again.code, again.out) == (0, f"nothing added: {mine}:3 says so already (allow command make it)\n")
    assert policy("remove", "make it").out == f"removed from {mine}:3: allow command make it\n"
    assert mine.read_text() == before
    assert check("make it -k") == "ask"


ADDED = [
    (("deny", "command", "git push"), "refused from now on"),
    (("ask", "command", "git log"), "asks from now on"),
    (("command", "git log"), "was allowed already (by default list)"),
    (("command", "git push"), "`git push`, unless what follows overwrites or removes what others may use; or runs,"),
    (("command", "git push -f"), "whose first words are `git push -f`, unless what follows runs, changes or reaches"),
    (("command", "python x.py"), "`python x.py`, in the workspace's own folder, unless what follows runs, changes"),
    (("command", "git branch -d"), "whose first words are `git branch -d`, unless what follows is not known to be"),
    (("command", "sed -i"), "`sed -i` alone still gives ask: the script of sed is missing; `xun policy check` judges"),
    (("write", "src/"), "writes there no longer ask"),
    (("read", ".env"), ".env names a file that holds secrets, which only a person settles"),
    (("write", "/srv/x"), "`/srv/x` still gives ask: /srv/x is outside the workspace (/srv/x), which only a person"),
    (("host", "*.example.org"), "fetches from there no longer ask"),
    (("ask", "tool", "web_*"), "the tool asks from now on"),
    (("read", "~/notes", "--until", "2h"), "reading there no longer asks"),
]


@pytest.mark.parametrize(("words", "said"), ADDED)
def test_what_a_new_rule_means_is_said_in_a_word(words: tuple[str, ...], said: str) -> None:
    done = policy("add", *words)
    assert done.code == 0 and said in done.out, done
    assert done.out.count("\n") == 2


REFUSED = [
    (("command", "bash"), "'bash' cannot be allowed"),
    (("command", "git"), "name the git command too"),
    (("command", "sudo x"), "runs commands with other rights"),
    (("command", "a; b"), "would never match"),
    (("command", "ls *"), "would never match"),
    (("write", "/"), "the whole file system"),
    (("write", ".git/hooks"), "writes there always ask"),
    (("write", "/proc/x"), "writes always ask"),
    (
        ("command", "make", "--match", "cmake"),
        'xun: not added: match: "cmake" is not covered by this rule: it gives ask',
    ),
    (("command", "make", "--not-match", "make x"), '"make x" is covered by this rule, and should not be'),
    (("command", "make", "--until", "2001-01-01T00:00:00Z"), "over already"),
    (("command", "make", "--until", "2100-01-01"), "has no zone"),
    (("command", "make", "--until", "soon"), "give a time with its zone"),
    (("comand", "make"), "comand is no kind of rule"),
    (("perhaps", "command", "make"), "effect is"),
    (("command", "npm", "test", "x"), "give a rule"),
    (("command", ""), "give a rule"),
    (("allow", "command"), "give a rule"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_a_rule_that_would_not_do_what_it_says_is_refused_in_one_line(words: tuple[str, ...], said: str) -> None:
    before = find_paths().policy_file.read_bytes()
    done = policy("add", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err and done.err.count("\n") == 1, done.err
    assert find_paths().policy_file.read_bytes() == before


def test_where_a_rule_cannot_be_kept_it_is_said_what_stands_in_the_way(work: Path) -> None:
    mine = find_paths().policy_file
    mine.unlink()
    mine.symlink_to(work / "none" / "x.toml")
    done = policy("add", "command", "make it")
    assert done.err == f"xun: {mine}: cannot be written: there is no folder {work / 'none'}; make it first\n"
    (work / ".xun").write_text("")
    done = policy("add", "command", "make it", "--project")
    assert done.err.endswith(f"cannot be written: {work / '.xun'} is no folder; move away what stands there\n")


def test_a_rule_with_line_breaks_is_shown_on_one_line() -> None:
    pattern = 'a"b\r\n[[rule]]\neffect = "allow"\n'
    shown = 'a"b\\r\\n[[rule]]\\neffect = "allow"\\n'
    added = policy("add", "deny", "write", pattern, "--reason", "one\ntwo")
    assert added.code == 0 and added.out.splitlines()[0].endswith(f": deny write {shown}")
    assert len(added.out.splitlines()) == 2
    [line] = policy("list", "--effect", "deny").out.splitlines()
    assert f"deny   write    {shown}  (" in line and line.endswith("  one two")
    assert listed("--effect", "deny")["rules"][0]["pattern"] == pattern
    again = policy("add", "deny", "write", pattern)
    assert again.out.endswith(f"says so already (deny write {shown})\n") and len(again.out.splitlines()) == 1
    removed = policy("remove", pattern)
    assert removed.out.endswith(f": deny write {shown}\n") and len(removed.out.splitlines()) == 1


def test_exactly_one_rule_is_removed() -> None:
    mine = find_paths().policy_file
    text = '[[rule]]\neffect = "allow"\ncommand = "make"\n\n[[rule]]\neffect = "deny"\ncommand = "make"\n'
    mine.write_text(text)
    both = policy("remove", "make")
    assert both.code == 2 and f"{mine}:1 (allow command), {mine}:5 (deny command)" in both.err
    assert policy("remove", "nothing").code == policy("remove", "policy.toml:2").code == 2
    assert mine.read_text() == text
    assert policy("remove", f"{mine}:5").code == 0
    assert mine.read_text() == '[[rule]]\neffect = "allow"\ncommand = "make"\n'
    assert policy("remove", "make", "--effect", "allow").code == 0
    assert mine.read_text() == ""


def test_the_projects_file_is_changed_in_the_project() -> None:
    commit({"a": "1"})
    here = Path.cwd()
    assert policy("add", "--project", "command", "make it").code == 0
    assert check("make it") == "allow"
    assert policy("remove", "--project", "make it").out.startswith(f"removed from {here}/.xun/policy.toml:3:")
    assert "make it" not in find_paths().policy_file.read_text()
    Path(".xun/policy.toml").write_text(PROJECT)
    assert "once you trust the file" in policy("add", "--project", "command", "make it").out
    assert check("make it") == "ask"


def test_a_check_says_which_rules_of_the_project_it_does_not_know_of() -> None:
    commit({".xun/policy.toml": PROJECT, "AGENTS.md": "x"})
    path = Path(".xun/policy.toml")
    told = xun("policy", "check", "touch allowed")
    assert (told.code, told.err) == (3, "xun: not loaded, as this folder is not trusted: .xun/policy.toml\n")
    agree()
    assert xun("policy", "check", "touch allowed").err == ""
    path.write_text(PROJECT + "\n")
    changed = "xun: not loaded, as changed since you trusted it: .xun/policy.toml\n"
    for words in ((), ("--json",)):
        assert xun("policy", "check", *words, "touch allowed").err == changed
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert xun("policy", "check", "ls").err.startswith("xun: not loaded: .xun/policy.toml is a link that leads out of")


def test_a_rule_that_is_there_already_and_does_not_count_yet_says_so() -> None:
    write({".xun/policy.toml": PROJECT})
    rule = ("add", "--project", "command", "npm test")
    waits = "it counts once you trust the file: xun asks when it opens here\n"
    assert policy(*rule).out.endswith(waits)
    again = policy(*rule).out
    assert again.startswith("nothing added: ") and again.endswith(f"(allow command npm test); {waits}")
    agree()
    assert policy(*rule).out.endswith("says so already (allow command npm test)\n")


def test_lists_and_changes_need_no_terminal_and_no_home() -> None:
    env = {"HOME": "", "XUN_HOME": os.environ["XUN_HOME"]}
    assert xun("policy", "add", "read", "~/x", env=env).code in (0, 2)
    assert xun("policy", "list", env=env).code in (0, 2)
