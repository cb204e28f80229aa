"""What the bash grammar (tree-sitter) makes of a text: where its words and operators are, and what it holds besides.

It lists every word, operator and redirection of a text made of the closed set of nodes and tokens alone, to be compared
with the word decoder. What can be seen in any other text is found by `visible`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Literal

from xun.policy.tables.environment import harmless
from xun.policy.tables.programs import word_set
from xun.policy.text.constructs import ASK, Constructs
from xun.policy.text.prescreen import MAX_DEPTH, Problem
from xun.policy.text.quotes import shows_status
from xun.policy.text.visible import Seen, Span, look, spans

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# ("command", spans of its words) | ("operator" | "redirect", its span)
Item = tuple[Literal["command", "operator", "redirect"], tuple[Span, ...]]

_WORDS = word_set("word number string raw_string concatenation simple_expansion expansion brace_expression")
_INSIDE_WORDS = word_set("string_content word number string raw_string simple_expansion")
_CONTAINERS = word_set("program list pipeline subshell redirected_statement compound_statement negated_command")
_TOKENS = word_set("&& || ; | ( ) { } !")
# With loops judged by their parts.
_COMPOUNDS = word_set("if_statement elif_clause else_clause do_group")
_COMPOUND_TOKENS = word_set("for in do done if then elif else fi")
_CONTAINERS_AND_COMPOUNDS = _CONTAINERS | _COMPOUNDS
_TOKENS_OF_ALL = _TOKENS | _COMPOUND_TOKENS
_NESTING = word_set("subshell compound_statement if_statement for_statement do_group")
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_WORDS_AND_SUBSTITUTIONS = _WORDS | _SUBSTITUTIONS
_OPENINGS = frozenset({"$(", "`", "<("})
_TEST_NODES = frozenset({"unary_expression", "binary_expression"})
_VARIABLES = frozenset({"special_variable_name", "variable_name"})

_WHOLE = _CONTAINERS_AND_COMPOUNDS | word_set("command for_statement variable_assignment test_command comment ERROR")
_NO_PATTERN = re.compile(r"[\w./:@+-]+", re.ASCII)  # what the grammar calls a pattern where there may be one
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_PROBE = 2048  # characters by which a long text is told from garbage

_SOFT = {
    "command_substitution": ("substitution", "it runs a command in $(…) or backquotes"),
    "process_substitution": ("process-substitution", "it runs a command in <(…) or >(…)"),
    "simple_expansion": ("expansion", "it expands a variable"),
    "expansion": ("expansion", "it expands a variable"),
    "arithmetic_expansion": ("expansion", "it computes an arithmetic expansion"),
    "heredoc_redirect": ("heredoc", "it feeds a here-document"),
    "herestring_redirect": ("heredoc", "it feeds a here-string"),
    "file_redirect": ("redirect", "it redirects to or from something else than /dev/null"),
    "for_statement": ("compound", "it holds a loop"),
    "c_style_for_statement": ("compound", "it holds a loop"),
    "while_statement": ("compound", "it holds a while or until loop, which always asks: nothing tells when it ends"),
    "if_statement": ("compound", "it holds an if"),
    "case_statement": ("compound", "it holds a case"),
    "compound_statement": ("compound", "it groups commands in braces"),
    "negated_command": ("negation", "it negates the status of a command"),
    "test_command": ("test", "it holds a test that is not judged"),
    "function_definition": ("function", "it defines a function"),
    "variable_assignment": ("assignment", "it sets a variable"),
    "variable_assignments": ("assignment", "it sets a variable"),
    "declaration_command": ("declaration", "it declares variables"),
    "unset_command": ("declaration", "it unsets variables"),
    "ansi_c_string": ("quoting", "it uses $'…' quoting"),
    "translated_string": ("quoting", 'it uses $"…" quoting'),
    "brace_expression": ("brace", "its brace expansion is not a simple one"),
}


@dataclass(slots=True)
class Tree:
    """What the grammar found. Spans are character offsets. `look` finds what can be seen in a text with problems."""

    look: Callable[[], Seen]
    items: list[Item] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def place(item: Item) -> tuple[Span, str, int]:
    """Where an item stands among the others of a text."""
    return item[1][0], item[0], len(item[1])


@lru_cache(maxsize=1)
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def read_tree(text: str, constructs: Constructs = ASK) -> Tree:
    """Parse `text`. Never raises: what is not understood is among the problems.

    Of a long text that begins as no bash at all, only the beginning is read: the grammar takes long over such text.
    """
    # To bash a character beyond ASCII is a part of a word like any other. The grammar's scanner asks the C library
    # about it (isdigit), which for most is undefined: it has crashed. So it sees one that is safe in the place of each.
    text = text if text.isascii() else _BEYOND_ASCII.sub("\xe9", text)
    root = _parser().parse(text[:_PROBE].encode()).root_node
    garbage = len(text) > _PROBE and _misread(root) > _PROBE // 4
    if garbage and (opened := _left_open(text[:_PROBE])) is not None:
        # The cut went through a string or here-document: what stands before that tells.
        garbage = _misread(_parser().parse(text[:opened].encode()).root_node) > _PROBE // 4
    if garbage:
        text = text[:_PROBE]
    elif len(text) > _PROBE:
        root = _parser().parse(text.encode()).root_node
    reader = _Reader(root, text, constructs)
    if garbage or root.has_error:
        # The grammar does not know the operator that opens a file for both.
        both = "<>" in text and not garbage
        reader.problem("syntax", f"it is not complete bash{', or opens a file with <>' if both else ''}", hard=True)
    reader.read(root)
    return reader.tree


_OPENING = re.compile(r"\\.|'[^']*'|\"(?:[^\"\\]|\\.)*\"|(?P<open>['\"]|<<-?[ \t]*['\"]?\w)", re.DOTALL)


def _left_open(text: str) -> int | None:
    """Where the string or here-document begins that `text` leaves open, or may."""
    found = next((match for match in _OPENING.finditer(text) if match["open"]), None)
    return found.start() if found else None


def _misread(root: Node) -> int:
    """How many bytes the grammar could make nothing of."""
    stack, found = [root], 0
    while stack:
        node = stack.pop()
        if node.type == "ERROR":
            # A compound command that the probe cuts off is one error too, with whole commands in it.
            whole = [child for child in node.children if child.type in _WHOLE]
            found += node.end_byte - node.start_byte - sum(child.end_byte - child.start_byte for child in whole)
            stack += whole
        elif node.has_error:
            stack += node.children
    return found


class _Reader:
    def __init__(self, root: Node, text: str, constructs: Constructs) -> None:
        self.span = spans(text)
        self.tree = Tree(partial(look, root, self.span))
        self.inner = constructs.substitution == "inner"
        self.loops = constructs.loops == "inner"
        self.words = _WORDS_AND_SUBSTITUTIONS if self.inner else _WORDS
        self.containers = _CONTAINERS_AND_COMPOUNDS if self.loops else _CONTAINERS
        self.tokens = _TOKENS_OF_ALL if self.loops else _TOKENS
        self.seen: set[str] = set()
        self.items: list[Item] = []
        self.late: list[Span] = []

    def problem(self, code: str, text: str, *, hard: bool = False) -> None:
        if text not in self.seen:
            self.seen.add(text)
            self.tree.problems.append(Problem(code, text, hard))

    # --- the strict reading

    def read(self, root: Node) -> None:
        """List the items."""
        self.part([root], 0)
        self.tree.items.sort(key=place)

    def part(self, nodes: Sequence[Node], depth: int) -> None:
        """List the items of one shell, without recursion: a chain of a thousand `&&` nests a thousand lists."""
        outer = self.items, self.late
        self.items, self.late = [], []
        stack = [(node, depth) for node in nodes]
        while stack:
            node, depth = stack.pop()
            if depth > MAX_DEPTH:
                self.problem("nesting", f"it is nested more than {MAX_DEPTH} deep", hard=True)
            elif node.type in self.containers:
                inner = depth + (node.type in _NESTING)
                stack += [(child, inner) for child in node.children]
            elif node.type == "for_statement" and self.loops:
                stack += [(child, depth + 1) for child in self.loop_head(node, depth)]
            else:
                self.leaf(node, depth)
        self.give_back_words()
        self.tree.items += self.items
        self.items, self.late = outer

    def leaf(self, node: Node, depth: int) -> None:
        kind = node.type
        if kind == "command":
            self.command(node, depth)
        elif kind == "test_command" and node.children[0].type in ("[", "[[" if self.loops else "["):
            self.item("command", *self.test_words(node, depth))
        elif kind in ("variable_assignment", "variable_assignments") and self.inner:
            self.assignments(node, depth)
        elif kind == "file_redirect":
            self.late += self.redirect(node, depth)
        elif not node.is_named and kind in self.tokens:
            self.item("operator", self.span(node))
        elif kind != "comment":
            self.refuse(node)

    def give_back_words(self) -> None:
        """Words that follow a redirection are counted to it by the grammar; they belong to the command before it."""
        items = self.items
        for span in self.late:
            before = [(spans[0], i) for i, (kind, spans) in enumerate(items) if kind == "command" and spans[0] < span]
            if not before:
                self.problem("syntax", "words stand where no command is", hard=True)
                return
            at = max(before)[1]
            items[at] = ("command", tuple(sorted((*items[at][1], span))))

    def command(self, node: Node, depth: int) -> None:
        words: list[Span] = []
        for child in node.children:
            if child.type == "command_name":
                child = child.children[0]
            kind = child.type
            if kind == "file_redirect":
                words += self.redirect(child, depth)
            elif kind == "variable_assignment" and self.aside(child):
                words.append(self.span(child))
            elif kind in self.words:
                if kind != "word" or child.child_count:
                    self.check_word(child, depth)
                words.append(self.span(child))
            else:
                self.refuse(child)
        if words:
            self.item("command", *sorted(words))

    def aside(self, node: Node) -> bool:
        """Does an assignment before a command only change how output looks?"""
        plain = [child.type for child in node.children] in (
            ["variable_name", "="], ["variable_name", "=", "word"], ["variable_name", "=", "number"]
        )  # fmt: skip
        return plain and harmless((node.text or b"").decode(), inner=self.inner)

    def assignments(self, node: Node, depth: int) -> None:
        each = node.children if node.type == "variable_assignments" else [node]
        for child in each:
            if child.type != "variable_assignment":
                self.refuse(child)
                continue
            name, *rest = child.children
            if name.type != "variable_name" or rest[0].type != "=":
                self.refuse(child)
            for value in rest[1:]:
                self.check_word(value, depth)
        self.item("command", *(self.span(child) for child in each))

    def loop_head(self, node: Node, depth: int) -> list[Node]:
        """Note the words of a `for`; returns its other parts."""
        words = [child for child in node.children if child.type in _WORDS_AND_SUBSTITUTIONS]
        for word in words:
            self.check_word(word, depth)
        if words:
            self.item("command", *map(self.span, words))
        rest = [child for child in node.children if child.type not in _WORDS_AND_SUBSTITUTIONS]
        for child in rest:
            if child.type == "variable_name":
                self.item("command", self.span(child))
        return [child for child in rest if child.type != "variable_name"]

    def check_word(self, node: Node, depth: int) -> None:
        """A word may hold literal text, quotes and the few expansions that the decoder judges; no other node."""
        kind = node.type
        if kind in _SUBSTITUTIONS and self.inner:
            self.substitution(node, depth)
            return
        if kind == "simple_expansion":
            if any(child.type not in _VARIABLES for child in node.children[1:]):
                self.refuse(node)
            return
        if kind == "expansion":
            plain = [child.type for child in node.children] == ["${", "variable_name", "}"]
            if not plain and not shows_status(node.text.decode() if node.text else ""):
                self.refuse(node)
            return
        if kind == "brace_expression":
            if any(child.type not in ("{", "}", "..", "number") for child in node.children):
                self.refuse(node)
            return
        if kind not in _INSIDE_WORDS and kind != "concatenation":
            self.refuse(node)
            return
        for child in node.children:
            if child.is_named:
                self.check_word(child, depth)
            elif child.type not in ('"', "$"):
                self.refuse(child)

    def substitution(self, node: Node, depth: int) -> None:
        opening, *body, closing = node.children
        if opening.type not in _OPENINGS or closing.type not in (")", "`"):
            self.refuse(node)
            return
        self.item("operator", self.span(opening))
        self.item("operator", self.span(closing))
        if depth < MAX_DEPTH:
            self.part(body, depth + 1)
        else:
            self.problem("nesting", f"it is nested more than {MAX_DEPTH} deep", hard=True)

    def test_words(self, node: Node, depth: int) -> Iterator[Span]:
        for child in node.children:
            if child.type in _TEST_NODES:
                yield from self.test_words(child, depth)
            elif child.type == "extglob_pattern" and _NO_PATTERN.fullmatch((child.text or b"").decode()):
                yield self.span(child)
            else:
                if child.type in self.words:
                    self.check_word(child, depth)
                elif child.is_named and child.type != "test_operator":
                    self.refuse(child)
                yield self.span(child)

    def redirect(self, node: Node, depth: int) -> list[Span]:
        """Note a redirection; returns the words that the grammar counts to it beyond its target."""
        targets = [child for child in node.children if child.type in self.words]
        others = [child for child in node.children if child.type not in self.words and child.type != "file_descriptor"]
        if len(others) != 1 or others[0].type not in (">", ">&", "&>", "<") or not targets:
            self.refuse(node)
        for target in targets:
            self.check_word(target, depth)
        if not targets:
            return []
        self.item("redirect", (self.span(node)[0], self.span(targets[0])[1]))
        return [self.span(target) for target in targets[1:]]

    def item(self, kind: Literal["command", "operator", "redirect"], *spans: Span) -> None:
        self.items.append((kind, spans))

    def refuse(self, node: Node) -> None:
        if node.type in _SOFT:
            code, said = _SOFT[node.type]
            name = node.child_by_field_name("name") if node.type == "variable_assignment" else None
            self.problem(code, f"{said}: {name.text.decode()}" if name is not None and name.text else said)
        elif node.type == "&":
            self.problem("background", "it starts something in the background (&)")
        elif node.type == "|&":
            self.problem("operator", "|& is not one of the operators that are judged")
        elif node.type == "ERROR" or node.is_missing:
            self.problem("syntax", "it is not complete bash", hard=True)
        else:
            self.problem("construct", f"it holds a construct that is not judged ({node.type.replace('_', ' ')})")
