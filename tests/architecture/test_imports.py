"""Who may import whom, and what start-up may load."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import xun

ROOT = Path(xun.__file__).parent

# A layer may import itself, `xun.errors`, what stands beside it here, and nothing else of xun. "a.b" names one module
# of a layer.
MAY_IMPORT = {
    "cli": {"setup", "run_plan", "run_models", "run_place", "run_policy", "frontends", "commands", "config", "sessions", "policy", "gate",
            "providers.registry", "providers.base", "providers.detect", "providers.services", "exec", "agent", "events", "messages", "result", "demo", "__init__"},
    "frontends": {"agent", "commands", "config", "sessions", "workspace", "events", "messages", "policy.action",
                  "policy.decision", "policy.card", "result", "asides", "__init__"},
    "commands": {"agent", "sessions", "config", "gate", "policy", "toolbox", "workspace", "providers.registry",
                 "providers.services", "events", "messages", "result", "asides"},
    "agent": {"toolbox", "gate", "policy", "providers.base", "exec", "workspace", "sessions.store", "extend.hooks",
              "extend.payloads", "extend.middleware",
              "events", "messages", "media", "result", "registry", "worker", "given", "whole", "bounds", "asides", "call_ids", "strict_json"},
    "gate": {"policy", "events", "exec", "workspace", "worker", "bounds", "whole"},
    "tools": {"toolbox", "exec", "workspace", "policy.action", "messages", "result", "given"},
    "toolbox": {"messages", "media", "result", "strict_json", "policy.action", "registry", "worker", "given"},
    "extend": {"toolbox", "events", "messages", "result", "worker", "given", "whole"},
    "policy": {"result", "given"},
    "sessions": {"events", "messages", "workspace", "result", "asides", "__init__"},
    "config": {"policy", "result", "providers.services"},
    "providers": {"messages", "media", "result", "call_ids", "strict_json", "worker", "given"},
    "exec": {"workspace", "result"},
    "workspace": {"result"},
    "events": {"messages", "result", "policy.action", "policy.decision"},
    "messages": {"result", "media", "given"},
    "media": set(),
    "asides": {"messages"},
    "call_ids": {"messages"},
    "strict_json": set(),
    "result": {"strict_json"},
    "errors": set(),
    "registry": set(),
    "worker": {"bounds"},
    "given": set(),
    "bounds": set(),
    "whole": {"messages", "result", "strict_json"},
    "demo": {"result"},
    "run_plan": {"config", "result"},
    "run_models": {"run_plan", "config", "providers", "result"},
    "run_policy": {"run_plan", "config", "policy", "result"},
    "run_place": {"run_plan", "config", "sessions", "demo", "result", "__init__"},
    "__main__": {"cli", "__init__"},
}  # fmt: skip
MAY_IMPORT["__init__"] = set(MAY_IMPORT)  # it names them for type checkers, and loads none of them
MAY_IMPORT["setup"] = set(MAY_IMPORT) | {"setup"}
# How a shell text is judged, from below: each folder of `xun/policy` may import those before it.
POLICY_FLOORS = ["tables", "text", "commands", "script", "reach", "judge"]
SCREEN_LIBRARIES = {"textual", "rich", "prompt_toolkit", "typer"}


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(ROOT.rglob("*.py")):
        if "demo_repo" not in path.parts:
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"), path


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=lambda value: str(value)[-40:])
def test_imports_follow_the_layers(name: str, path: Path) -> None:
    layer = name.split(".")[0]
    allowed = MAY_IMPORT[layer] | {"errors"}
    for imported in imports_of(path):
        if not imported.startswith("xun"):
            continue
        target = imported.removeprefix("xun").removeprefix(".") or "__init__"
        if target.split(".")[0] not in MAY_IMPORT:
            target = "__init__"  # a name taken from the package itself
        top = target.split(".")[0]
        assert (
            top == layer
            or top in allowed
            or any(
                target == one or target.startswith(f"{one}.") or one.startswith(f"{target}.")
                for one in allowed
                if "." in one
            )
        ), f"xun.{name} must not import xun.{target}"


@pytest.mark.parametrize(
    ("name", "path"),
    [(name, path) for name, path in modules() if name.startswith("policy.")],
    ids=lambda value: str(value)[-40:],
)
def test_the_policy_is_built_floor_by_floor(name: str, path: Path) -> None:
    floor = name.split(".")[1]
    if floor not in POLICY_FLOORS:
        return
    above = POLICY_FLOORS[POLICY_FLOORS.index(floor) + 1 :]
    found = [one for one in imports_of(path) if one.startswith(tuple(f"xun.policy.{other}" for other in above))]
    assert not found, f"xun.{name} must not import {found}"


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=lambda value: str(value)[-40:])
def test_screen_libraries_stay_in_the_front_ends(name: str, path: Path) -> None:
    if name.split(".")[0] in ("frontends", "cli"):
        return
    found = {imported.split(".")[0] for imported in imports_of(path)} & SCREEN_LIBRARIES
    assert not found, f"xun.{name} imports {found}"


def modules_loaded_by(code: str) -> set[str]:
    script = f"{code}\nimport json, sys; print('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def loaded_by(code: str) -> set[str]:
    return {name.split(".")[0] for name in modules_loaded_by(code)}


@pytest.mark.spec("W23", "W35")
def test_importing_xun_loads_nothing_heavy() -> None:
    assert not loaded_by("import xun") & {
        "pydantic",
        "textual",
        "httpx2",
        "anthropic",
        "openai",
        "asyncio",
        "typer",
    }


@pytest.mark.spec("H-PRV-08", "W35")
def test_a_run_loads_no_screen_and_no_sdk(work: Path) -> None:
    script = work / "script.json"
    script.write_text(json.dumps([{"calls": [{"tool": "bash", "arguments": {"command": "true"}}]}, {"text": "ok"}]))
    code = f"from xun.cli.app import run\nassert run(['run', '--model', 'scripted:{script}', 'go']) == 0"
    heavy = {"textual", "rich", "prompt_toolkit", "anthropic", "openai", "mcp", "genai_prices", "tomlkit"}
    assert not loaded_by(code) & heavy


def test_what_judges_and_runs_commands_is_loaded_with_the_first_command(work: Path) -> None:
    """Not before the first request: a person waits for it."""
    script = work / "script.json"
    calls = [{"tool": "bash", "arguments": {"command": "true"}}]
    late = {"xun.policy.script.shell", "xun.policy.commands", "xun.policy.decide", "xun.gate.gather", "tree_sitter"}
    late |= {"xun.exec.run", "xun.exec.sandbox.enter", "xun.sessions.resume", "xun.sessions.index"}
    late |= {"xun.policy.reach.uncovered", "xun.policy.tables.variables", "xun.policy.tables.environment"}
    code = f"from xun.cli.app import run\nassert run(['run', '--model', 'scripted:{script}', 'go']) == 0"
    script.write_text(json.dumps([{"text": "ok"}]))
    assert modules_loaded_by(code) & late == set()
    script.write_text(json.dumps([{"calls": calls}, {"text": "ok"}]))
    assert {"xun.policy.script.shell", "tree_sitter", "xun.exec.run"} <= modules_loaded_by(code)


def test_versions_agree() -> None:
    import tomllib

    project = tomllib.loads((ROOT.parent / "pyproject.toml").read_text())["project"]
    assert project["version"] == xun.__version__
