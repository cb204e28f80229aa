"""A script that runs scripts of other packages is pinned with theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.config.project.test_search import put
from xun.config.paths import find_paths
from xun.config.project import workspaces
from xun.config.project.command import ProjectCommand
from xun.config.project.grants import ProjectGrants
from xun.config.project.search import search


def package(workspaces: Any = None, **scripts: str) -> dict[str, Any]:
    return {"scripts": scripts, **({} if workspaces is None else {"workspaces": workspaces})}


def the_test(folder: Path, top: Path | None = None) -> ProjectCommand:
    [command] = search(folder, top or folder).commands
    return command


SPACES = ["packages/*"]
# What lies in the root beside package.json is in the second place; the package that is changed is packages/a.
PINNED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "npm": (package(SPACES, test="npm run unit --workspaces"), {}),
    "npm, in short": (package(SPACES, test="npm run unit -ws"), {}),
    "one of npm": (package(SPACES, test="npm run unit -w a"), {}),
    "one of npm, as one word": (package(SPACES, test="npm run unit --workspace=a"), {}),
    "yarn": (package({"packages": SPACES}, test="yarn workspaces run unit"), {"yarn.lock": ""}),
    "yarn, each": (package(SPACES, test="yarn workspaces foreach -A run unit"), {"yarn.lock": ""}),
    "one of yarn": (package(SPACES, test="yarn workspace a unit"), {"yarn.lock": ""}),
    "pnpm": (package(test="pnpm -r unit"), {"pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n"}),
    "pnpm, filtered": (package(test="pnpm --filter a unit"), {"pnpm-workspace.yaml": "packages: ['packages/*']\n"}),
    "at any depth": (package(test="pnpm -r unit"), {"pnpm-workspace.yaml": "packages:\n- \"**\"\n- '!x'\n"}),
    "some of some": (package(["pack{ages,s}/[a-c]"], test="npm run unit --workspaces"), {}),
    "turbo": (package(SPACES, test="turbo run unit"), {"turbo.json": {}}),
    "lerna": (package(test="lerna run unit"), {"lerna.json": {"packages": SPACES}}),
    "in the folder": (package(test="cd packages/a && npm run unit"), {}),
    "in the folder, in a shell of its own": (package(test='(cd "packages/a" && npm run unit)'), {}),
    "by npm in the folder": (package(test="npm --prefix packages/a run unit"), {}),
    "by yarn in the folder": (package(test="yarn --cwd=packages/a unit"), {"yarn.lock": ""}),
    "by pnpm in the folder": (package(test="pnpm -C packages/a unit"), {"pnpm-lock.yaml": ""}),
    "below the package": (package(test="cd packages/a/src && npm run unit"), {}),
    "by way of another script": (package(SPACES, test="npm run all", all="npm run unit --workspaces"), {}),
    "by way of another package": (package(test="npm --prefix packages/b run unit"), {}),
}


@pytest.fixture
def monorepo(work: Path) -> Path:
    put(
        work,
        {
            "packages/a/package.json": package(unit="jest", prepare="sh build.sh"),
            "packages/b/package.json": package(unit="npm --prefix ../a run unit"),
            "packages/a/src/x": "", "packages/a/build.sh": "x", "packages/none/x": "",
            "packages/node_modules/package.json": package(unit="other"),
        },
    )  # fmt: skip
    return work


@pytest.mark.parametrize("name", PINNED)
def test_the_scripts_of_the_packages_are_pinned(name: str, monorepo: Path) -> None:
    root, more = PINNED[name]
    put(monorepo, {"package.json": root, **more})
    before = the_test(monorepo)
    for change in (
        {"packages/a/package.json": package(unit="curl x | sh", prepare="sh build.sh")},
        {"packages/a/package.json": package(unit="jest", prepare="sh build.sh", preunit="curl x | sh")},
        {"packages/a/build.sh": "curl x | sh"},
        {"packages/a/.npmrc": "script-shell=./evil"},
    ):
        kept = {path: path.read_text() for one in change if (path := monorepo / one).exists()}
        put(monorepo, change)
        assert the_test(monorepo).pin != before.pin, change
        for one in change:
            (monorepo / one).unlink()
        for path, text in kept.items():
            path.write_text(text)
    assert the_test(monorepo).pin == before.pin


def test_the_grant_lapses_and_says_what_the_package_runs_now(monorepo: Path) -> None:
    put(monorepo, {"package.json": package(SPACES, test="npm run unit --workspaces")})
    grants = ProjectGrants(monorepo, find_paths())
    grants.decide([one for one, _ in grants.show() if one.command == "npm test"], [])
    assert the_test(monorepo).runs[1] == "packages/a: unit: jest"
    put(monorepo, {"packages/a/package.json": package(unit="curl x | sh")})
    [lapsed, _] = ProjectGrants(monorepo, find_paths()).standing("npm test")
    assert lapsed.lapsed is not None and "packages/a: unit: curl x | sh" in lapsed.lapsed


def test_other_data_of_a_package_is_not_pinned(monorepo: Path) -> None:
    put(monorepo, {"package.json": package(SPACES, test="npm run unit --workspaces")})
    before = the_test(monorepo)
    data = json.loads((monorepo / "packages/a/package.json").read_text())
    put(monorepo, {"packages/a/package.json": {**data, "version": "2", "dependencies": {"x": "1"}}})
    assert the_test(monorepo).pin == before.pin


def test_a_package_of_a_workspace_is_pinned_with_the_others_where_it_runs_them(monorepo: Path) -> None:
    put(monorepo, {"package.json": package(SPACES)})
    for text, same in (("pnpm -r unit", False), ("jest", True)):
        put(monorepo, {"packages/b/package.json": package(test=text), "packages/a/package.json": package(unit="x")})
        before = the_test(monorepo / "packages" / "b", monorepo)
        put(monorepo, {"packages/a/package.json": package(unit="y")})
        assert (the_test(monorepo / "packages" / "b", monorepo).pin == before.pin) is same


def test_a_package_that_comes_between_is_seen(monorepo: Path) -> None:
    put(monorepo, {"package.json": package(test="cd packages/a/src && npm run unit")})
    before = the_test(monorepo)
    put(monorepo, {"packages/a/src/package.json": package(unit="curl x | sh")})
    assert the_test(monorepo).pin != before.pin


NOT_TOLD = [
    "cd $DIR && npm run unit", "npm --prefix=$X run unit", 'cd "a b" && npm run unit', "cd .. && npm run unit",
    "for d in a b; do (cd `x`; npm test); done", "cd && npm test", "cd out && npm test",
]  # fmt: skip


@pytest.mark.parametrize("text", NOT_TOLD)
def test_what_cannot_be_told_is_not_offered_and_the_rest_is(text: str, monorepo: Path, tmp_path: Path) -> None:
    put(tmp_path, {"package.json": package(unit="x"), "outside/package.json": package(test="x")})
    (monorepo / "out").symlink_to(tmp_path / "outside")
    put(monorepo, {"package.json": package(test=text, lint="eslint .")})
    found = search(monorepo, monorepo)
    assert [one.command for one in found.commands] == ["npm run lint"]
    assert found.why_not("npm test")


def test_there_is_an_end_to_the_packages(monorepo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monorepo, {"package.json": package(SPACES, test="npm run unit --workspaces", lint="eslint .")})
    monkeypatch.setattr(workspaces, "_MOST_PACKAGES", 1)
    found = search(monorepo, monorepo)
    assert [one.command for one in found.commands] == ["npm run lint"]
    assert found.why_not("npm test") == "its scripts may run in more than 1 packages"
    monkeypatch.setattr(workspaces, "_MOST_FOLDERS", 3)
    why = search(monorepo, monorepo).why_not("npm test")
    assert why == "its workspace is looked for in more than 3 folders"
