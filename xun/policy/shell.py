"""Shell text to segments: the simple commands in it, each with its arguments and the folders it may run in.

A text is *clear* when it is made of the closed set of constructs and when two independent readings of it, the grammar's
(`syntax`) and the word decoder's (`words`), agree on every word and operator. Otherwise it has problems, and its
segments are whatever commands can be seen in it: enough for a deny rule, never enough to allow.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from xun.policy.constructs import ASK, Constructs
from xun.policy.prescreen import MAX_SEGMENTS, Problem, join_lines, screen, strip_end
from xun.policy.syntax import Item, Span, Tree, Visible, read_tree
from xun.policy.words import Arg, Newline, Operator, Redirect, Token, Unclear, Word, decode, scan

MAX_FOLDERS = 8
# How much of a text that is too long to be allowed is still read for deny rules: characters, commands.
MAX_LOOSE = 16 * 1024
MAX_LOOSE_SEGMENTS = 2000

# A folder relative to the one a text starts in, as the arguments of the `cd` commands that lead there.
Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seg:
    """One simple command. `folders` holds every folder it may run in, as `cd` steps from the first one.

    `pipeline` is shared by the stages of one pipeline (0: none), `inside` lists the segments whose arguments it
    stands in. Both are only known in a text with problems.
    """

    text: str
    args: tuple[Arg, ...]
    folders: tuple[Steps, ...] = ((),)
    pipeline: int = 0
    inside: tuple[int, ...] = ()
    literal_name: bool = True

    @property
    def argv(self) -> tuple[str, ...]:
        return tuple(arg.text for arg in self.args)


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
        return tuple(posixpath.join(cwd, *steps) for steps in segment.folders)


@lru_cache(maxsize=512)
def read_script(command: str, home: str, constructs: Constructs = ASK) -> Script:
    """Read shell text. `home` is what `~` stands for, `constructs` says what is judged by its parts."""
    if problem := screen(command):
        return Script((), (problem,)) if problem.code == "empty" else _unclear(command, home, [problem])
    text = join_lines(strip_end(command))
    if isinstance(text, Problem):
        return _unclear(command, home, [text])
    tree = read_tree(text)
    try:
        tokens = scan(text, home)
    except Unclear as unclear:
        return _opaque(text, home, tree, _merge(tree.problems, unclear.problem))
    if any(isinstance(token, Newline) for token in tokens):
        if constructs.newlines != "split":
            soft = Problem("newline", "it holds more than one line")
            return _opaque(text, home, tree, [*tree.problems, soft])
        tokens = _split_lines(tokens)
    if tree.problems:
        return _opaque(text, home, tree, tree.problems)
    if problem := _disagreement(tree, tokens):
        return _opaque(text, home, tree, [problem])
    try:
        return Script(_Folders(text, tokens).segments())
    except Unclear as unclear:
        return _opaque(text, home, tree, [unclear.problem])


def _merge(found: Sequence[Problem], more: Problem) -> list[Problem]:
    """The grammar's problems and the decoder's, which often name one construct twice: the grammar's is then enough."""
    if found and (not more.hard or more.code == "syntax"):
        return list(found)
    return [*found, more]


def _unclear(command: str, home: str, problems: list[Problem]) -> Script:
    """Text that is not fit to be judged; its commands are read all the same, for deny rules."""
    text = command[:MAX_LOOSE].encode(errors="replace").decode()
    return _opaque(text, home, read_tree(text), problems)


def _disagreement(tree: Tree, tokens: list[Token]) -> Problem | None:
    """The problem with the decoder's tokens, when they are not the grammar's items or no judgeable number."""
    commands: list[list[Word]] = [[]]
    items: list[Item] = []
    for token in tokens:
        if isinstance(token, Word):
            commands[-1].append(token)
            continue
        if isinstance(token, Redirect):
            items.append(("redirect", ((token.start, token.end),)))
            continue
        if isinstance(token, Operator) and token.start >= 0:
            items.append(("operator", ((token.start, token.end),)))
        commands.append([])
    commands = [words for words in commands if words]
    items += [("command", tuple((word.start, word.end) for word in words)) for words in commands]
    items.sort(key=lambda item: item[1][0])
    if items != tree.items:
        return Problem("disagreement", "two readings of its quoting differ", hard=True)
    if not commands:
        return Problem("empty", "there is no command", hard=True)
    if len(commands) > MAX_SEGMENTS:
        return Problem("too-long", f"it holds more than {MAX_SEGMENTS} commands", hard=True)
    return None


def _split_lines(tokens: list[Token]) -> list[Token]:
    """Newlines as `;` (placed at -1, for the grammar does not list them), or as nothing beside another operator."""
    out: list[Token] = []
    for index, token in enumerate(tokens):
        if not isinstance(token, Newline):
            out.append(token)
            continue
        following = next((t for t in tokens[index + 1 :] if not isinstance(t, Newline)), None)
        joins = not out or (isinstance(out[-1], Operator) and out[-1].text != ")")
        closes = isinstance(following, Operator) and following.text == ")"
        if following is not None and not joins and not closes:
            out.append(Operator(-1, -1, ";"))
    return out


class _Folders:
    """Follows `cd` through a clear text: which folders may each command run in?

    A command that may succeed or fail leaves two sets of folders, and `&&`, `||` and `;` choose between them. A
    subshell or a stage of a pipeline leaves the folder as it was.
    """

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = [token for token in tokens if not isinstance(token, Newline)]
        self.at = 0
        self.found: list[Seg] = []
        self.depth = 0

    def segments(self) -> tuple[Seg, ...]:
        self.sequence(((),))
        if self.at != len(self.tokens):
            raise Unclear("syntax", "a parenthesis is closed that was not opened", hard=True)
        return tuple(self.found)

    def operator(self) -> str:
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        return token.text if isinstance(token, Operator) else ""

    def sequence(self, start: tuple[Steps, ...]) -> None:
        succeeded, failed = start, ()
        joined = ";"
        while self.at < len(self.tokens) and self.operator() != ")":
            if joined == "&&":
                after, otherwise = self.pipeline(succeeded)
                succeeded, failed = after, _union(failed, otherwise)
            elif joined == "||":
                after, otherwise = self.pipeline(failed)
                succeeded, failed = _union(succeeded, after), otherwise
            else:
                succeeded, failed = self.pipeline(_union(succeeded, failed))
            joined = self.operator()
            if joined not in ("&&", "||", ";"):
                return
            self.at += 1

    def pipeline(self, start: tuple[Steps, ...]) -> tuple[tuple[Steps, ...], tuple[Steps, ...]]:
        succeeded, failed = self.element(start)
        if self.operator() != "|":
            return succeeded, failed
        while self.operator() == "|":
            self.at += 1
            self.element(start)
        return start, start

    def element(self, start: tuple[Steps, ...]) -> tuple[tuple[Steps, ...], tuple[Steps, ...]]:
        if self.operator() == "(":
            self.at += 1
            self.sequence(start)
            if self.operator() != ")":
                raise Unclear("syntax", "a parenthesis is not closed", hard=True)
            self.at += 1
            while self.at < len(self.tokens) and isinstance(self.tokens[self.at], Redirect):
                self.at += 1
            return start, start
        words: list[Word] = []
        first = self.at
        while self.at < len(self.tokens) and not isinstance(token := self.tokens[self.at], Operator):
            if isinstance(token, Word):
                words.append(token)
            self.at += 1
        if not words:
            raise Unclear("syntax", "a command is missing", hard=True)
        text = self.text[self.tokens[first].start : self.tokens[self.at - 1].end]
        args = tuple(arg for word in words for arg in word.args)
        self.found.append(Seg(text, args, start))
        if args[0].text == "cd" and len(args) == 2 and args[1].text:
            return _entered(start, args[1].text), start
        return start, start


def _entered(folders: tuple[Steps, ...], step: str) -> tuple[Steps, ...]:
    return tuple((step,) if step.startswith("/") else (*folder, step) for folder in folders)


def _union(one: tuple[Steps, ...], other: tuple[Steps, ...]) -> tuple[Steps, ...]:
    both = tuple(dict.fromkeys((*one, *other)))
    if len(both) > MAX_FOLDERS:
        raise Unclear("folder", "it may run in too many folders to follow", hard=True)
    return both


def _opaque(text: str, home: str, tree: Tree, problems: Sequence[Problem]) -> Script:
    segments = tuple(_loose(text, home, command) for command in tree.commands[:MAX_LOOSE_SEGMENTS])
    redirects = tuple((operator, _loose_word(text, span, home)[0]) for operator, span in tree.redirects)
    others = tuple(arg for span in tree.others[:MAX_LOOSE_SEGMENTS] for arg in _loose_word(text, span, home))
    return Script(segments, tuple(problems), redirects, others)


def _loose(text: str, home: str, command: Visible) -> Seg:
    args = tuple(arg for span in command.words for arg in _loose_word(text, span, home))
    name_known = command.literal_name and args[0].known
    return Seg(
        text[command.start : command.end], args, ((),), command.pipeline, command.inside, literal_name=name_known
    )


def _loose_word(text: str, span: Span, home: str) -> tuple[Arg, ...]:
    raw = text[span[0] : span[1]]
    try:
        return decode(raw, home)
    except Unclear:
        return (Arg(raw.replace("'", "").replace('"', ""), known=False),)
