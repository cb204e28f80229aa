"""Shell text to segments: the simple commands in it, each with its arguments and the folders it may run in.

A text is *clear* when it is made of the closed set of constructs and when two independent readings of it, the grammar's
(`syntax`) and the word decoder's (`words`), agree on every word and operator. Otherwise it has problems, and its
segments are whatever commands can be seen in it: enough for a deny rule, never enough to allow.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from xun.policy.script.flow import Step, follow
from xun.policy.script.folders import Steps, wandered
from xun.policy.text.constructs import ASK, Constructs
from xun.policy.text.decoder import decode, scan
from xun.policy.text.prescreen import MAX_SEGMENTS, Problem, join_lines, screen, strip_end
from xun.policy.text.statements import parse
from xun.policy.text.syntax import Item, Tree, place, read_tree
from xun.policy.text.visible import Span, Visible
from xun.policy.text.words import Arg, Newline, Operator, Redirect, Substitution, Token, Unclear, Word

# How much of a text that is too long to be allowed is still read for deny rules: characters, commands.
MAX_LOOSE = 16 * 1024
MAX_LOOSE_SEGMENTS = 2000
# Problems of a text whose commands may run more than once, or later than they stand.
_REPEATING = frozenset({"compound", "function", "syntax", "disagreement", "nesting"})
# A word that stands for itself.
_BARE = re.compile(r"[A-Za-z0-9_./:=@%+-]+")


@dataclass(frozen=True, slots=True)
class Seg:
    """One simple command. `folders` holds every folder it may run in, as `cd` steps from the first one.

    `pipeline` is shared by the stages of one pipeline (0: none), `inside` lists the segments whose arguments it
    stands in. Both are only known in a text with problems. `reads` are the files that its standard input comes from,
    which are only told in a clear one.
    """

    text: str
    args: tuple[Arg, ...]
    folders: tuple[Steps, ...] = ((),)
    pipeline: int = 0
    inside: tuple[int, ...] = ()
    literal_name: bool = True
    reads: tuple[Arg, ...] = ()
    argv: tuple[str, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "argv", tuple([arg.text for arg in self.args]))


@dataclass(frozen=True, slots=True)
class Script:
    """A shell text as the policy sees it. `redirects` holds (operator, target) of a text with problems.

    `others` are the words of such a text that stand outside all commands.
    """

    segments: tuple[Seg, ...]
    problems: tuple[Problem, ...] = ()
    redirects: tuple[tuple[str, Arg], ...] = ()
    others: tuple[Arg, ...] = ()

    @property
    def clear(self) -> bool:
        return not self.problems

    def starts(self, cwd: str, segment: Seg) -> tuple[str, ...]:
        """The folders that `segment` may run in, when the text starts in `cwd`: joined, not resolved."""
        return tuple([posixpath.join(cwd, *steps) if steps else cwd for steps in segment.folders])

    @property
    def ends(self) -> tuple[Steps, ...]:
        """Every folder that something in it may run in: what stands in no segment may count from any of them."""
        return tuple(dict.fromkeys(steps for segment in self.segments for steps in segment.folders)) or ((),)

    def anywhere(self, cwd: str) -> tuple[str, ...]:
        """The folders of `ends`, when the text starts in `cwd`."""
        return tuple([posixpath.join(cwd, *steps) if steps else cwd for steps in self.ends])


@lru_cache(maxsize=512)
def read_script(command: str, home: str, constructs: Constructs = ASK) -> Script:
    """Read shell text. `home` is what `~` stands for, `constructs` says what is judged by its parts."""
    if problem := screen(command):
        return Script((), (problem,)) if problem.code == "empty" else _unclear(command, home, [problem])
    text = join_lines(strip_end(command))
    if isinstance(text, Problem):
        return _unclear(command, home, [text])
    if text != strip_end(command):
        # Which quotes a joined line stands in is told without looking into substitutions.
        constructs = constructs._replace(substitution="ask")
    tree = read_tree(text, constructs)
    try:
        tokens = scan(text, home, constructs)
    except Unclear as unclear:
        return _opaque(text, home, tree, _merge(tree.problems, unclear.problem))
    if constructs.newlines != "split" and "\n" in text and _has_lines(tokens):
        soft = Problem("newline", "it holds more than one line")
        return _opaque(text, home, tree, [*tree.problems, soft])
    if tree.problems:
        return _opaque(text, home, tree, tree.problems)
    if problem := _disagreement(tree, tokens):
        return _opaque(text, home, tree, [problem])
    try:
        steps = follow(parse(tokens), text, home)
        reads = _reads(tokens, steps)
    except Unclear as unclear:
        return _opaque(text, home, tree, [unclear.problem])
    return Script(
        tuple(
            Seg(text[step.start : step.end], step.args, step.folders, reads=reads.get((step.start, step.end), ()))
            for step in steps
        )
    )


def _reads(tokens: Sequence[Token], steps: Sequence[Step]) -> dict[Span, tuple[Arg, ...]]:
    """The files from which commands read, by the span of each. Raises `Unclear` where another thing reads one."""
    found: dict[Span, tuple[Arg, ...]] = {}
    for redirect, arg in _reading(tokens):
        around = [step for step in steps if step.start <= redirect.start and redirect.end <= step.end]
        if not around:
            raise Unclear("redirect", "it redirects to or from something else than /dev/null")
        inmost = min(around, key=lambda step: step.end - step.start)
        span = (inmost.start, inmost.end)
        found[span] = (*found.get(span, ()), arg)
    return found


def _reading(tokens: Sequence[Token]) -> Iterator[tuple[Redirect, Arg]]:
    for token in tokens:
        if isinstance(token, Redirect) and token.reads is not None:
            yield token, token.reads
        for inner in _inside(token):
            yield from _reading(inner)


def _has_lines(tokens: Sequence[Token]) -> bool:
    return any(isinstance(token, Newline) or any(map(_has_lines, _inside(token))) for token in tokens)


def _inside(token: Token) -> Iterator[Sequence[Token]]:
    """The tokens of the substitutions in a word."""
    for piece in token.pieces if isinstance(token, Word) else ():
        if isinstance(piece, Substitution):
            yield piece.tokens


def _merge(found: Sequence[Problem], more: Problem) -> list[Problem]:
    """The grammar's problems and the decoder's, which often name one construct twice: the grammar's is then enough."""
    if found and (not more.hard or more.code == "syntax"):
        return list(found)
    return [*found, more]


def _unclear(command: str, home: str, problems: list[Problem]) -> Script:
    """Text that is not fit to be judged; its commands are read all the same, for deny rules."""
    text = command[:MAX_LOOSE].encode(errors="replace").decode()
    return _opaque(text, home, read_tree(text), problems)


def _disagreement(tree: Tree, tokens: Sequence[Token]) -> Problem | None:
    """The problem with the decoder's tokens, when they are not the grammar's items or no judgeable number."""
    items = sorted(_items(tokens), key=place)
    if items != tree.items:
        return Problem("disagreement", "two readings of its quoting differ", hard=True)
    commands = sum(kind == "command" for kind, _ in items)
    if not commands:
        return Problem("empty", "there is no command", hard=True)
    if commands > MAX_SEGMENTS:
        return Problem("too-long", f"it holds more than {MAX_SEGMENTS} commands", hard=True)
    return None


def _items(tokens: Sequence[Token]) -> Iterator[Item]:
    """What the decoder found, as the grammar's items: newlines are not among them."""
    words: list[Span] = []
    for token in tokens:
        if isinstance(token, Word):
            words.append((token.start, token.end))
            for piece in token.pieces:
                if isinstance(piece, Substitution):
                    yield "operator", ((piece.start, piece.start + len(piece.opening)),)
                    yield from _items(piece.tokens)
                    yield "operator", ((piece.end - 1, piece.end),)
            continue
        if isinstance(token, Redirect):
            yield "redirect", ((token.start, token.end),)
            continue
        if isinstance(token, Operator):
            yield "operator", ((token.start, token.end),)
        if words:
            yield "command", tuple(words)
        words = []
    if words:
        yield "command", tuple(words)


def _opaque(text: str, home: str, tree: Tree, problems: Sequence[Problem]) -> Script:
    seen = tree.look()
    segments = tuple(_loose(text, home, command) for command in seen.commands[:MAX_LOOSE_SEGMENTS])
    repeats = any(problem.code in _REPEATING for problem in problems)
    folders = wandered((segment.args for segment in segments), text, home, repeats=repeats)
    if folders != ((),):
        segments = tuple(replace(segment, folders=folders) for segment in segments)
    redirects = tuple((operator, _loose_word(text, span, home)[0]) for operator, span in seen.redirects)
    others = tuple(arg for span in seen.others[:MAX_LOOSE_SEGMENTS] for arg in _loose_word(text, span, home))
    return Script(segments, tuple(problems), redirects, others)


def _loose(text: str, home: str, command: Visible) -> Seg:
    args = tuple(arg for span in command.words for arg in _loose_word(text, span, home))
    name_known = command.literal_name and args[0].known
    return Seg(
        text[command.start : command.end], args, ((),), command.pipeline, command.inside, literal_name=name_known
    )


def _loose_word(text: str, span: Span, home: str) -> tuple[Arg, ...]:
    raw = text[span[0] : span[1]]
    if _BARE.fullmatch(raw):
        return (Arg(raw),)
    try:
        return decode(raw, home)
    except Unclear:
        return (Arg(raw.replace("'", "").replace('"', ""), known=False),)
