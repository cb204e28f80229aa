"""No text reaches a Textual widget as a bare string: it would be parsed as markup, and `[/]` would end the program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import xun

SCREEN = Path(xun.__file__).parent / "frontends" / "tui"

# What parses its text: constructors by name, methods by name, and attributes that are set.
WIDGETS = {"Static", "Label", "Button", "Checkbox", "RadioButton", "RadioSet", "OptionList", "Option", "SelectionList",
           "Selection", "Select", "Link", "Collapsible", "Tab", "TabPane", "Tooltip", "Toast", "ListItem"}  # fmt: skip
METHODS = {"update", "add_option", "add_options", "add_row", "add_column", "set_options", "add_tab", "panel_title"}
ATTRIBUTES = {"border_title", "border_subtitle", "tooltip", "label", "content", "renderable", "prompt_text"}
# Arguments that are text to be shown. `Selection(start, end)` of textual.selection has none of them.
SHOWN = {"content", "renderable", "label", "prompt", "title", "message", "text"}


class Lint(ast.NodeVisitor):
    """Collects the lines where a string goes to a widget, or where markup is asked for."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []
        self._strings: list[set[str]] = [set()]
        self._widget_classes: list[bool] = [False]

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
        self._widget_classes.append(bool(bases & WIDGETS))
        self.generic_visit(node)
        self._widget_classes.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        self._strings.append(
            {a.arg for a in arguments if isinstance(a.annotation, ast.Name) and a.annotation.id == "str"}
        )
        self.generic_visit(node)
        self._strings.pop()

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                (self._strings[-1].add if self._is_string(node.value) else self._strings[-1].discard)(target.id)
            elif isinstance(target, ast.Attribute) and target.attr in ATTRIBUTES and self._is_string(node.value):
                self.found.append((node.lineno, f"string as {target.attr}"))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = _name(node.func)
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        if name == "from_markup" or _is(keywords.get("markup"), True):
            self.found.append((node.lineno, "markup"))
        elif name == "notify" and not _is(keywords.get("markup"), False):
            self.found.append((node.lineno, "notify() with markup"))
        if self._takes_text(node.func, name):
            shown = [*node.args, *(value for key, value in keywords.items() if key in SHOWN)]
            if any(self._is_string(value) for value in shown):
                self.found.append((node.lineno, f"string to {name}()"))
        self.generic_visit(node)

    def _takes_text(self, function: ast.expr, name: str) -> bool:
        if isinstance(function, ast.Name):
            return name in WIDGETS
        if name == "__init__":
            return self._widget_classes[-1]
        return name in METHODS or name in WIDGETS

    def _is_string(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=str()) | ast.JoinedStr():
                return True
            case ast.Name(id=name):
                return any(name in names for names in self._strings)
            case ast.BinOp(left=left, right=right):
                return self._is_string(left) or self._is_string(right)
            case ast.IfExp(body=body, orelse=orelse):
                return self._is_string(body) or self._is_string(orelse)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return any(self._is_string(part) for part in parts)
            case ast.Starred(value=value) | ast.NamedExpr(value=value):
                return self._is_string(value)
            case ast.Call(func=ast.Name(id="str" | "repr" | "visible" | "one_line")):
                return True
            case ast.Call(func=ast.Attribute(value=value)):
                return self._is_string(value)  # a method of a string gives a string, as far as screens go
            case _:
                return False


def _name(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _is(node: ast.expr | None, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def faults(source: str) -> list[tuple[int, str]]:
    lint = Lint()
    lint.visit(ast.parse(source))
    return lint.found


def sources() -> Iterator[Path]:
    yield from sorted(SCREEN.rglob("*.py"))


@pytest.mark.bug("tui-markup-in-any-text")
@pytest.mark.parametrize("path", list(sources()), ids=lambda path: str(path.relative_to(SCREEN)))
def test_no_widget_gets_a_bare_string(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "code",
    [
        "Static('x')",
        "Static(f'{x}')",
        "Label('a' + x)",
        "widgets.Button(label='x')",
        "Static(str(x))",
        "Static('x' if y else z)",
        "options.add_option('x')",
        "OptionList('x', y)",
        "OptionList(*['x', y])",
        "Static(', '.join(x))",
        "self.query_one(Static).update(visible(x))",
        "self.border_title = f'{x}'",
        "self.app.notify(x)",
        "self.app.notify(x, markup=True)",
        "Static(plain(x), markup=True)",
        "Content.from_markup('[b]$x[/b]', x=x)",
        "def f(text: str):\n    self.update(text)",
        "def f():\n    text = f'{x}'\n    self.update(text.strip())",
        "class A(Static):\n    def __init__(self):\n        super().__init__('x')",
    ],
)
def test_the_lint_finds(code: str) -> None:
    assert faults(code)


@pytest.mark.parametrize(
    "code",
    [
        "Static(plain('x'))",
        "Static(Content('x'), id='y', markup=False)",
        "self.update(Content('\\n').join(lines))",
        "self.border_title = plain(f'{x}')",
        "self.app.notify(x, markup=False)",
        "known.update({'a': 'b'})",
        "Selection(start, end)",
        "class A(Widget):\n    def __init__(self, name: str):\n        super().__init__(name=name)",
    ],
)
def test_the_lint_lets_pass(code: str) -> None:
    assert not faults(code)
