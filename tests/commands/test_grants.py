"""`/policy grants`, `save`, `project` and `mode` on a running agent."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.commands.support import Bench, write
from xun import Policy, Rule
from xun.commands.kept import place
from xun.commands.outcome import Pick
from xun.config.policy_edit import append_rules
from xun.config.policy_file import load_policy, policy_files
from xun.config.project.grants import ProjectGrants
from xun.config.trust import trust, trust_of
from xun.gate.remember import rule_of
from xun.policy.decision import Kept

pytestmark = pytest.mark.anyio


def scripts(work: Path, **texts: str) -> None:
    write(work / "package.json", json.dumps({"scripts": texts}))


def allow(command: str) -> Rule:
    return Rule(effect="allow", kind="command", pattern=command)


async def test_grants_are_listed_with_their_ends_and_taken_back() -> None:
    async with Bench() as bench:
        assert (await bench.text("/policy grants")).startswith("Nothing is granted.")
        await bench.text('/policy cmd_allowlist_add "npm test"')
        await bench.text("/policy path_allowlist_add src/")
        gate = bench.agent.gate
        gate.grants += [
            Rule(effect="allow", kind="host", pattern="a.example", source="session"),
            Rule(effect="allow", kind="tool", pattern="deploy", uses=1),
            Rule(effect="allow", kind="host", pattern="b.example", until=datetime(2100, 1, 1, 18, 30, tzinfo=UTC)),
        ]
        rows = (await bench.text("/policy grants")).splitlines()[1:-1]
        assert [row.split()[:2] for row in rows] == [[str(n), kind] for n, kind in
                enumerate(("command", "write", "host", "tool", "host"), 1)]  # fmt: skip
        assert "ends with the session" in rows[0] and "next use" in rows[3] and "18:30 UTC" in rows[4]
        assert "a.example" in await bench.text("/policy grants remove 3")
        assert [rule.pattern for rule in gate.grants] == ["deploy", "b.example"]
        await bench.text('/policy grants remove "npm test"')
        assert gate.allowlists.commands == []
        assert "is no grant" in await bench.error("/policy grants remove 9")
        assert "is no grant" in await bench.error("/policy grants remove 0")
        await bench.error("/policy grants remove")


async def test_a_yes_for_good_says_where_it_is_kept_and_goes_from_there_too(work: Path) -> None:
    async with Bench() as bench:
        gate, file = bench.agent.gate, bench.paths.policy_file
        append_rules(file, [allow("deploy"), allow("mkdir")])
        gate.policy = Policy(rules=load_policy(file).rules)
        await bench.text("/policy cmd_allowlist_add mkdir")  # as *always* leaves it: in the session, and in the file
        rows = (await bench.text("/policy grants")).splitlines()[1:-1]
        assert [" ".join(row.split()) for row in rows] == [
            f"1 command mkdir kept in {place(f'{file}:7', gate)}",
            f"2 command deploy kept in {place(f'{file}:3', gate)}",
        ]
        said = await bench.text("/policy grants remove 1")
        assert said == f"Taken back: command mkdir, and out of {place(str(file), gate)}. It asks again."
        assert [rule.pattern for rule in load_policy(file).rules] == ["deploy"]
        assert [rule.pattern for rule in gate.policy.own_rules] == ["deploy"] and gate.allowlists.commands == []
        await bench.text("/policy grants remove 1")
        assert load_policy(file).rules == () and gate.policy.own_rules == ()
        assert (await bench.text("/policy grants")).startswith("Nothing is granted.")


async def test_a_yes_for_good_to_a_sub_agent_is_listed_once_and_goes_for_all(work: Path) -> None:
    async with Bench() as bench:
        gate, file = bench.agent.gate, bench.paths.policy_file
        append_rules(file, [allow("mkdir")])
        gate.kept.append(rule_of(Kept(kind="command", pattern="mkdir", scope="user")))  # as the answer leaves it
        [row] = (await bench.text("/policy grants")).splitlines()[1:-1]
        assert " ".join(row.split()) == f"1 command mkdir kept in {place(f'{file}:3', gate)}"
        assert (await bench.text("/policy grants remove mkdir")).endswith("It asks again.")
        assert gate.kept == [] and load_policy(file).rules == ()


async def test_the_rules_of_a_project_are_grants_too_and_taking_one_back_leaves_the_file_agreed_to(work: Path) -> None:
    file = write(work / ".xun" / "policy.toml", '[[rule]]\neffect = "allow"\ncommand = "mkdir"\n')
    async with Bench() as bench:
        assert "kept in .xun/policy.toml:1, which you do not trust" in await bench.text("/policy grants")
        append_rules(file, [Rule(effect="allow", kind="write", pattern="src")], project=work)
        trust(trust_of(work, bench.paths).pending, bench.paths)
        bench.agent.gate.policy = Policy(rules=policy_files(bench.paths, trust=trust_of(work, bench.paths))[1].rules)
        await bench.text("/policy path_allowlist_add src")
        text = await bench.text("/policy grants")
        assert text.count("kept in .xun/policy.toml:") == 2 and "do not trust" not in text
        assert "out of .xun/policy.toml. It asks again." in await bench.text(f"/policy grants remove {work}/src")
        assert [rule.kind for rule in load_policy(file).rules] == ["command"]
        assert [rule.kind for rule in bench.agent.gate.policy.own_rules] == ["command"]
        assert trust_of(work, bench.paths).pending == ()


async def test_taking_one_back_says_what_allows_it_all_the_same() -> None:
    async with Bench() as bench:
        bench.agent.gate.policy = Policy(rules=[Rule(effect="allow", kind="command", pattern="make", source="--allow")])
        await bench.text('/policy cmd_allowlist_add "make test"')
        said = await bench.text("/policy grants remove 1")
        assert said == "Taken back: command make test. It does not ask: --allow allows it too."


async def test_what_cannot_go_from_its_file_is_said_and_stays() -> None:
    async with Bench() as bench:
        file = write(bench.paths.policy_file, 'rule = [{ effect = "allow", command = "mkdir" }]\n')
        await bench.text("/policy cmd_allowlist_add mkdir")
        assert "written inline" in await bench.error("/policy grants remove 1")
        assert bench.agent.gate.allowlists.commands == ["mkdir"]
        file.write_text("[[rule]\n")
        text = await bench.text("/policy grants")
        assert "ends with the session" in text and f"{file}:1: " in text


async def test_what_is_saved_is_said_and_what_cannot_be_kept_too(work: Path) -> None:
    async with Bench() as bench:
        assert "nothing to save" in await bench.text("/policy save")
        await bench.text('/policy cmd_allowlist_add "npm test"')
        await bench.text("/policy path_allowlist_add src/")
        bench.agent.gate.grants.append(Rule(effect="allow", kind="host", pattern="a.example", uses=2))
        text = await bench.text("/policy save")
        assert "  allow command npm test\n" in text and "not saved: host a.example, which ends after 2" in text
        rules = load_policy(bench.paths.policy_file).rules
        assert [(rule.kind, rule.pattern) for rule in rules] == [("command", "npm test"), ("write", f"{work}/src")]
        assert "says all of it already" in await bench.text("/policy save user")


async def test_a_project_gets_paths_of_its_own_and_stays_agreed_to(work: Path) -> None:
    async with Bench() as bench:
        await bench.text('/policy cmd_allowlist_add "npm test"')
        await bench.text("/policy path_allowlist_add src/")
        text = await bench.text("/policy save project")
        assert "  allow write src" in text and "trust" not in text
        found = trust_of(work, bench.paths)
        assert [file.path.name for file in found.usable] == ["policy.toml"]


async def test_a_project_file_that_nobody_agreed_to_is_not_agreed_to_by_adding(work: Path) -> None:
    write(work / ".xun" / "policy.toml", '[[rule]]\neffect = "allow"\ncommand = "make evil"\n')
    async with Bench() as bench:
        await bench.text('/policy cmd_allowlist_add "npm test"')
        assert "counts once you trust the file" in await bench.text("/policy save project")
        assert trust_of(work, bench.paths).usable == ()
        trust(trust_of(work, bench.paths).pending, bench.paths)
        await bench.text("/policy cmd_allowlist_add just")
        assert "counts once" not in await bench.text("/policy save project")
        assert trust_of(work, bench.paths).pending == ()


async def test_the_projects_commands_are_shown_before_they_are_taken(work: Path) -> None:
    scripts(work, test="jest", lint="eslint .")
    async with Bench() as bench:
        bench.context.grants = ProjectGrants(work, bench.paths)
        gate = bench.agent.gate
        gate.standing = bench.context.grants.rules
        text = await bench.text("/policy project all")
        assert "  1 npm test\n      jest" in text and "type it again" in text
        assert bench.context.grants.rules() == ()
        scripts(work, test="rm -rf /", lint="eslint .")  # between the two: what was seen is what is granted
        assert await bench.text("/policy project 1 2") == (
            "These run without asking here, until what they run changes: npm test, npm run lint."
        )
        assert [rule.pattern for rule in bench.context.grants.rules()] == ["npm run lint"]
        assert "  1 npm test  CHANGED since you agreed to it: asks\n      rm -rf /" in await bench.text(
            "/policy project"
        )
        assert "npm run lint" in await bench.text("/policy grants")
        await bench.text('/policy grants remove "npm run lint"')
        assert bench.context.grants.rules() == ()
        assert "numbers from 1 to 2" in await bench.error("/policy project 3")


async def test_the_mode_is_set_here_too() -> None:
    async with Bench() as bench:
        assert isinstance(await bench.action("/policy mode"), Pick)
        assert "auto" in await bench.text("/policy mode auto")
        assert bench.agent.mode == "auto"
        said = "Usage: policy mode [NAME], where NAME is manual, accept-edits, plan or auto"
        assert await bench.error("/policy mode fast") == said
