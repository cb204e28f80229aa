"""Two other readers of shell text, to compare with: shfmt, run on many lines at a time, and bashlex.

What each sees of a line is a set of constructs and the commands, as far as their words are literal.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bashlex
import bashlex.errors

SHFMT = Path(sys.executable).parent / "shfmt"
# A word with an expansion, a pattern, a brace or a tilde: its text is not compared.
OPEN = None
Words = list[str | None]
_LIVE = re.compile(r"(?<!\\)[*?{}~]|(?<!\\)\[.")


@dataclass(slots=True)
class View:
    constructs: set[str] = field(default_factory=set)
    commands: list[Words] = field(default_factory=list)


# --- shfmt


def views_of_shfmt(lines: Sequence[str]) -> list[View | None]:
    """What shfmt sees of each line; None where it can make nothing of it."""
    tree = _parse("\n".join(lines))
    if tree is None:
        if len(lines) == 1:
            return [None]
        half = len(lines) // 2
        return [*views_of_shfmt(lines[:half]), *views_of_shfmt(lines[half:])]
    views: list[View | None] = []
    statements, at = list(tree.get("Stmts", [])), 0
    for line in lines:
        view = View()
        end = at + len(line.encode())
        while statements and statements[0]["Pos"]["Offset"] <= end:
            statement = statements.pop(0)
            if statement["End"]["Offset"] > end + 1:
                view.constructs.add("crosses lines")
            _statement(statement, view)
        views.append(view)
        at = end + 1
    return views


def _parse(text: str) -> dict[str, Any] | None:
    done = subprocess.run([SHFMT, "-ln", "bash", "--to-json"], input=text.encode(), capture_output=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def _statement(node: dict[str, Any], view: View) -> None:
    view.constructs |= {name for name in ("Background", "Coprocess", "Disown") if node.get(name)}
    for redirect in node.get("Redirs", []):
        target, operator = _word(redirect.get("Word", {}), view), redirect["Op"]
        if not (
            (operator in (">", "<", "&>") and target == "/dev/null") or (operator == ">&" and target in ("1", "2"))
        ):
            view.constructs.add(f"redirect {operator}")
    command = node.get("Cmd")
    if command:
        _command(command, view)


def _command(node: dict[str, Any], view: View) -> None:
    match node["Type"]:
        case "CallExpr":
            if node.get("Assigns"):
                view.constructs.add("assignment" if not node.get("Args") else "environment")
                for assign in node["Assigns"]:
                    _word(assign.get("Value", {}), view)
            if words := node.get("Args"):
                found: Words = []
                view.commands.append(found)
                found += [_word(word, view) for word in words]
        case "BinaryCmd":
            view.constructs |= set() if node["Op"] in ("&&", "||", "|") else {f"operator {node['Op']}"}
            _statement(node["X"], view)
            _statement(node["Y"], view)
        case "Subshell" | "Block":
            _statements(node.get("Stmts", []), view)
        case "ForClause" if node["Loop"]["Type"] == "WordIter" and not node.get("Select"):
            view.constructs.add("loop")
            for word in node["Loop"].get("Items", []):
                _word(word, view)
            _statements(node.get("Do", []), view)
        case "IfClause":
            view.constructs.add("if")
            _branches(node, view)
        case "TimeClause":
            _statement(node["Stmt"], view)
        case other:
            view.constructs.add(other)


def _branches(node: dict[str, Any], view: View) -> None:
    _statements([*node.get("Cond", []), *node.get("Then", [])], view)
    if node.get("Else"):
        _branches(node["Else"], view)


def _statements(nodes: Sequence[dict[str, Any]], view: View) -> None:
    for node in nodes:
        _statement(node, view)


def _word(node: dict[str, Any], view: View) -> str | None:
    return _parts(node.get("Parts", []), view, quoted=False)


def _parts(parts: Sequence[dict[str, Any]], view: View, *, quoted: bool) -> str | None:
    out: list[str | None] = []
    for part in parts:
        match part["Type"]:
            case "Lit" if quoted:
                out.append(re.sub(r'\\([$`"\\])', r"\1", part["Value"]))
            case "Lit":
                out.append(
                    OPEN if _LIVE.search(part["Value"]) else re.sub(r"\\(.)", r"\1", part["Value"], flags=re.DOTALL)
                )
            case "SglQuoted" if not part.get("Dollar"):
                out.append(part.get("Value", ""))
            case "DblQuoted" if not part.get("Dollar"):
                out.append(_parts(part.get("Parts", []), view, quoted=True))
            case "ParamExp" if set(part) <= {"Type", "Pos", "End", "Dollar", "Short", "Param", "Rbrace"}:
                name = part["Param"]["Value"]
                view.constructs |= set() if name in ("?", "HOME") else {"variable"}
                out.append(OPEN)
            case "CmdSubst" | "ProcSubst" as kind:
                view.constructs.add(kind if part.get("Op", "<(") == "<(" else ">(")
                _statements(part.get("Stmts", []), view)
                out.append(OPEN)
            case other:
                view.constructs.add(f"{other} in a word")
                out.append(OPEN)
    return OPEN if OPEN in out else "".join(part for part in out if part is not None)


# --- bashlex


def view_of_bashlex(line: str) -> View | None:
    """What bashlex sees; None where it cannot read it: it does not know `time`, `[[`, `case` and their like."""
    view = View()
    try:
        trees = bashlex.parse(line)
    except (bashlex.errors.ParsingError, NotImplementedError):
        return None
    for tree in trees:
        _visit(tree, line, view)
    return view


def _visit(node: Any, line: str, view: View) -> None:
    if look := _LOOKS.get(node.kind):
        look(node, line, view)
    elif node.kind not in _PLAIN_KINDS:
        view.constructs.add(node.kind)
    inner = [node.command] if node.kind.endswith("substitution") else []
    for child in [*inner, *getattr(node, "parts", []), *getattr(node, "list", [])]:
        _visit(child, line, view)


def _simple(node: Any, line: str, view: View) -> None:
    words = [part for part in node.parts if part.kind == "word"]
    if any(part.kind == "assignment" for part in node.parts):
        view.constructs.add("environment" if words else "assignment")
    if words:
        view.commands.append([_bare(word, line) for word in words])


def _bare(word: Any, line: str) -> str | None:
    raw = line[slice(*word.pos)]
    # It leaves quotes in a word that holds several, one of them escaped: 'it'\\''s'.
    return OPEN if word.parts or _LIVE.search(word.word) or ("\\" in raw and ("'" in raw or '"' in raw)) else word.word


def _redirect(node: Any, line: str, view: View) -> None:
    target = node.output if isinstance(node.output, int) else getattr(node.output, "word", "")
    plain = (node.type in (">", "<", "&>") and target == "/dev/null") or (node.type == ">&" and target in (1, 2))
    view.constructs |= set() if plain else {f"redirect {node.type}"}


def _operator(node: Any, line: str, view: View) -> None:
    view.constructs |= {"Background"} if node.op == "&" else set()


def _parameter(node: Any, line: str, view: View) -> None:
    view.constructs |= set() if node.value in ("?", "HOME") else {"variable"}


_LOOKS: dict[str, Callable[[Any, str, View], None]] = {
    "command": _simple,
    "redirect": _redirect,
    "operator": _operator,
    "parameter": _parameter,
    "commandsubstitution": lambda node, line, view: view.constructs.add("CmdSubst"),
    "processsubstitution": lambda node, line, view: view.constructs.add("ProcSubst"),
    "for": lambda node, line, view: view.constructs.add("loop"),
}
_PLAIN_KINDS = {"list", "pipeline", "pipe", "compound", "reservedword", "tilde", "word"}
