"""Every command that can be seen in a text, inside loops, substitutions and what is not understood too.

Deny rules and hard reasons go by these where a text is not made of the closed set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

# Character offsets.
Span = tuple[int, int]

# Nodes that hold words outside a command, and how such words are shown.
_HOLDERS = frozenset({"variable_assignment", "for_statement", "case_statement", "array"})
_VALUES = frozenset(
    {
        "word", "number", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "brace_expression",
        "command_substitution", "ansi_c_string", "translated_string",
    }
)  # fmt: skip
_NAMES = frozenset({"word", "string", "raw_string", "concatenation", "number"})


@dataclass(slots=True)
class Visible:
    """A command found anywhere in a text: the spans of its words, the one of its name first."""

    start: int
    end: int
    words: list[Span]
    pipeline: int
    inside: tuple[int, ...]
    literal_name: bool = True


def look(root: Node, span: Callable[[Node], Span]) -> Seen:
    """What can be seen below `root`."""
    seen = Seen(span)
    seen.find_commands(root)
    return seen


class Seen:
    """The commands and redirections of a text as they are found, and the words outside all commands: values of
    variables, lists of loops, subjects of cases, here-strings."""

    def __init__(self, span: Callable[[Node], Span]) -> None:
        self.span = span
        self.commands: list[Visible] = []
        self.redirects: list[tuple[str, Span]] = []
        self.others: list[Span] = []
        self.pipelines = 0

    def find_commands(self, root: Node) -> None:
        stack: list[tuple[Node, int, tuple[int, ...]]] = [(root, 0, ())]
        while stack:
            node, pipeline, inside = stack.pop()
            if node.type == "pipeline":
                self.pipelines += 1
                pipeline = self.pipelines
            if node.type in ("command", "declaration_command", "unset_command"):
                inside = self.visible(node, pipeline, inside)
            elif node.type in ("file_redirect", "herestring_redirect", "heredoc_redirect"):
                self.loose_redirect(node)
            elif node.type in _HOLDERS:
                self.others += [self.span(child) for child in node.children if child.type in _VALUES]
            if node.type == "command_substitution":
                pipeline = 0
            stack += [(child, pipeline, inside) for child in reversed(node.children) if child.is_named]

    def visible(self, node: Node, pipeline: int, inside: tuple[int, ...]) -> tuple[int, ...]:
        words: list[Span] = []
        literal = True
        for child in node.children:
            if child.type == "command_name":
                literal = child.children[0].type in _NAMES
            elif child.type in ("file_redirect", "herestring_redirect", "heredoc_redirect", "variable_assignment"):
                continue
            words.append(self.span(child))
        if words:
            self.commands.append(Visible(*self.span(node), words, pipeline, inside, literal))
            return (*inside, len(self.commands) - 1)
        return inside

    def loose_redirect(self, node: Node) -> None:
        operator = next((child.type for child in node.children if not child.is_named), "")
        targets = [child for child in node.children if child.is_named and child.type != "file_descriptor"]
        if targets and node.type == "file_redirect":
            self.redirects.append((operator, self.span(targets[0])))
            if self.commands:  # what follows the target is an argument of the command before it
                self.commands[-1].words += [self.span(target) for target in targets[1:]]
        elif node.type == "herestring_redirect":
            self.others += [self.span(target) for target in targets]


def spans(text: str) -> Callable[[Node], Span]:
    """A function from a node to its span in characters: the grammar counts bytes."""
    if text.isascii():
        return lambda node: (node.start_byte, node.end_byte)
    offsets: list[int] = []
    for index, char in enumerate(text):
        offsets += [index] * len(char.encode())
    offsets.append(len(text))
    return lambda node: (offsets[node.start_byte], offsets[node.end_byte])
