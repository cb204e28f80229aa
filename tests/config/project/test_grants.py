"""What the person lets run of a project's commands: as it was shown, in its folder, until its text changes."""

from __future__ import annotations

import json
from pathlib import Path

from xun.config.paths import find_paths
from xun.config.project.grants import ProjectGrants
from xun.config.trust import distrust, trust, trust_of


def scripts(work: Path, **texts: str) -> None:
    work.mkdir(exist_ok=True)
    (work / "package.json").write_text(json.dumps({"scripts": texts}))


def patterns(grants: ProjectGrants) -> list[str]:
    return [rule.pattern for rule in grants.rules()]


def test_nothing_runs_by_itself_and_all_is_offered_once(work: Path) -> None:
    scripts(work, test="jest", lint="eslint")
    grants = ProjectGrants(work, find_paths())
    assert grants.rules() == ()
    offers = grants.to_offer()
    assert [(offer.command, changed) for offer, changed in offers] == [("npm test", False), ("npm run lint", False)]
    grants.decide([offers[0][0]], [offers[1][0]])
    for one in (grants, ProjectGrants(work, find_paths())):
        assert patterns(one) == ["npm test", "npm run test"]
        assert all(rule.scope is not None and rule.scope.folder == str(work) for rule in one.rules())
        assert one.to_offer() == ()
    assert find_paths().trust_file.stat().st_mode & 0o777 == 0o600


def test_a_command_whose_text_changes_asks_and_is_offered_again_and_the_others_stay(work: Path) -> None:
    scripts(work, test="jest", lint="eslint", build="tsc")
    grants = ProjectGrants(work, find_paths())
    test, lint, build = (offer for offer, _ in grants.to_offer())
    grants.decide([test, lint], [build])
    scripts(work, test="rm -rf /", lint="eslint", build="rm -rf /")
    assert patterns(grants) == ["npm run lint"]
    assert [(offer.runs, changed) for offer, changed in grants.to_offer()] == [(("rm -rf /",), True)]
    scripts(work, test="jest", lint="eslint", build="tsc")
    assert patterns(grants) == ["npm test", "npm run test", "npm run lint"]


def granted(work: Path, **texts: str) -> ProjectGrants:
    scripts(work, **texts)
    grants = ProjectGrants(work, find_paths())
    grants.decide([offer for offer, _ in grants.to_offer()], [])
    return ProjectGrants(work, find_paths())


def lapsed(grants: ProjectGrants) -> dict[str, str]:
    return {rule.pattern: rule.lapsed for rule in grants.standing() if rule.lapsed is not None}


def test_it_is_told_what_changed(work: Path) -> None:
    grants = granted(work, test="jest", lint="eslint")
    assert lapsed(grants) == {} and grants.standing() == grants.rules()
    scripts(work, test="jest --ci && curl x | sh", lint="eslint")
    said = "its text changed since it was granted: was `jest`, is `jest --ci && curl x | sh`"
    assert lapsed(grants) == {"npm test": said, "npm run test": said}
    assert patterns(grants) == ["npm run lint"]


def test_of_a_long_line_the_beginning_is_told(work: Path) -> None:
    grants = granted(work, test="a" * 300)
    scripts(work, test="b" * 300)
    assert lapsed(grants)["npm test"].endswith(f"was `{'a' * 100}…`, is `{'b' * 100}…`")


def test_it_is_told_what_came_and_what_went(work: Path) -> None:
    grants = granted(work, test="jest")
    scripts(work, test="jest", pretest="rm -rf x")
    assert "was nothing, is `" in lapsed(grants)["npm test"] and "rm -rf x" in lapsed(grants)["npm test"]
    scripts(work, lint="eslint")
    assert lapsed(grants) == {"npm test": "it was granted, and the files of the project define it no more"}
    assert patterns(grants) == []


def test_it_is_told_where_only_a_file_that_it_uses_changed(work: Path) -> None:
    grants = granted(work, test="jest")
    (work / ".npmrc").write_text("script-shell=./x\n")
    assert "what it uses changed since it was granted" in lapsed(grants)["npm test"]


def test_what_was_granted_before_texts_were_kept_lapses_too(work: Path) -> None:
    granted(work, test="jest")
    file = find_paths().trust_file
    kept = json.loads(file.read_bytes())
    assert kept.pop("texts") == {str(work): {"npm test": "jest"}}
    file.write_text(json.dumps(kept))
    scripts(work, test="rm -rf /")
    assert lapsed(ProjectGrants(work, find_paths()))["npm test"] == "its text changed since it was granted"
    distrust(work, find_paths())
    assert "texts" not in json.loads(file.read_bytes())


def test_what_is_granted_is_what_was_shown(work: Path) -> None:
    scripts(work, test="jest")
    grants = ProjectGrants(work, find_paths())
    [(shown, _)] = grants.to_offer()
    scripts(work, test="rm -rf /")
    grants.decide([shown], [])
    assert grants.rules() == ()


def test_it_holds_for_that_project_alone(work: Path, tmp_path: Path) -> None:
    for folder in (work, tmp_path / "other", work / "sub"):
        scripts(folder, test="jest")
    grants = ProjectGrants(work, find_paths())
    grants.decide([offer for offer, _ in grants.to_offer() if offer.folder == str(work)], [])
    assert ProjectGrants(tmp_path / "other", find_paths()).rules() == ()
    assert ProjectGrants(work / "sub", find_paths()).rules() == ()
    assert {rule.scope.folder for rule in grants.rules() if rule.scope} == {str(work)}


def test_only_what_a_command_may_be_about_is_looked_at(work: Path) -> None:
    scripts(work, test="jest")
    grants = ProjectGrants(work, find_paths())
    grants.decide([offer for offer, _ in grants.to_offer()], [])
    assert len(grants.rules("cd x && npm test")) == 2
    assert grants.rules("git status") == ()


def test_a_grant_can_be_taken_back_and_trust_with_it(work: Path) -> None:
    scripts(work, test="jest")
    (work / "AGENTS.md").write_text("x")
    paths = find_paths()
    grants = ProjectGrants(work, paths)
    offers = [offer for offer, _ in grants.to_offer()]
    grants.decide(offers, [])
    grants.decide([], offers)
    assert grants.rules() == () and grants.found()[0][1] == "declined"
    grants.decide(offers, [])
    trust(trust_of(work, paths).pending, paths)
    assert distrust(work, paths) == 2
    assert ProjectGrants(work, paths).rules() == ()
    assert trust_of(work, paths).state == "untrusted"


def test_trust_in_files_and_grants_do_not_touch_each_other(work: Path) -> None:
    scripts(work, test="jest")
    (work / "AGENTS.md").write_text("x")
    paths = find_paths()
    trust(trust_of(work, paths).pending, paths)
    grants = ProjectGrants(work, paths)
    grants.decide([offer for offer, _ in grants.to_offer()], [])
    assert trust_of(work, paths).state == "trusted" and patterns(grants)


def test_a_store_that_cannot_be_understood_grants_nothing_and_is_kept_aside(work: Path) -> None:
    scripts(work, test="jest")
    paths = find_paths()
    grants = ProjectGrants(work, paths)
    offers = [offer for offer, _ in grants.to_offer()]
    grants.decide(offers, [])
    for broken in (
        "{",
        '{"version": 1, "files": {}, "commands": 3}',
        '{"version": 1, "files": {}, "commands": {"x": 1}}',
    ):
        paths.trust_file.write_text(broken)
        assert ProjectGrants(work, paths).rules() == ()
    ProjectGrants(work, paths).decide(offers, [])
    assert paths.trust_file.with_name("trust.json.damaged").exists()
    assert patterns(ProjectGrants(work, paths)) == ["npm test", "npm run test"]
