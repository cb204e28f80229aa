"""What stands in a word for a variable or a command, as far as the text itself tells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from xun.policy.text.outputs import folder_itself, plain_output
from xun.policy.text.statements import Chain
from xun.policy.text.words import FIRST_PIECE, HOLE, Arg, Form, Piece, Substitution, Unclear, Word

# Text that the shell neither splits nor takes for a pattern where it stands without quotes.
_WHOLE = re.compile(r"[^\s*?\[\]\\\ue000-\uf8ff]+")
_ACTIVE = re.compile(r"[\s*?\[\]\\\ue000-\uf8ff]")
_QUOTED = re.compile(r"[\s*?\[\]\\]")
# A name with a dot before a pattern may be that of the folder above.
_DOTTED = re.compile(r"(?:^|/)\.[^/]*[\ue000-\ue003]")
_STREAM = "/dev/fd/63"
MAX_VALUE = 4096
"""Characters that values may add to one word. A variable that is set to itself twice over doubles each time."""
_MAX_UNKNOWN = 16  # texts that only a run tells in one variable
_RANK: tuple[Form, ...] = ("", "each", "place", "split", "word", "words")


class Value(NamedTuple):
    """What a variable holds, as the argument that it would be in double quotes.

    `plain` says that its text, whatever it is, holds no pattern and no more than words. Of the names that a pattern
    matches, `folder` is where these were looked for.
    """

    arg: Arg
    plain: bool = False
    folder: tuple[str, ...] | None = None

    def seen_from(self, folder: tuple[str, ...]) -> Value:
        """In another folder nothing tells what the names are."""
        return self if self.folder in (None, folder) else self._replace(folder=None)


_UNKNOWN = Arg(HOLE, known=False, form="word")


def output(chain: Chain, text: str, folder: Sequence[str]) -> Value:
    """What a command in `text` puts out that runs in `folder`."""
    if folder_itself(chain, text):
        return here(folder)
    return Value(_UNKNOWN, plain_output(chain, text))


def here(folder: Sequence[str]) -> Value:
    """The path of `folder` itself."""
    # The folder that all began in is the person's; what the text enters may have any name.
    return Value(Arg(".", known=False, form="place"), plain=all(map(_WHOLE.fullmatch, folder)))


def looped(args: Sequence[Arg], folder: tuple[str, ...]) -> list[Value]:
    """The values that a loop over `args`, in `folder`, gives its variable."""
    found: list[Value] = []
    for arg in args:
        match arg.form:
            case "stream":
                raise Unclear("process-substitution", "it runs a command in <(…) or >(…)")
            case "words":
                found.append(Value(_UNKNOWN, plain=True))
            case "" if arg.glob:
                found.append(Value(Arg(arg.pattern, form="each"), folder=folder))
            case _:
                found.append(Value(_kept(arg)))
    return found


def assigned(word: Word, values: Sequence[Value | None]) -> Value:
    """The value that an assignment gives its variable."""
    arg = argument(word.args[0], word, values)
    if arg.pattern.count(HOLE) > _MAX_UNKNOWN:
        raise Unclear("expansion", "it puts more into a variable than is looked at")
    plain = all(value and (value.plain or _WHOLE.fullmatch(value.arg.pattern)) for value in values)
    rest = "".join(char for char in word.args[0].pattern if not 0 <= ord(char) - FIRST_PIECE < len(values))
    return Value(_kept(arg), plain and not arg.known and not _ACTIVE.search(rest))


def _kept(arg: Arg) -> Arg:
    """The folder may be another one when a variable is used: it is no place then."""
    return _UNKNOWN if arg.form == "place" else arg


def argument(arg: Arg, word: Word, values: Sequence[Value | None]) -> Arg:
    """`arg` of `word` with the values of its pieces. Raises `Unclear` where it may become more than is judged."""
    out: list[str] = []
    rank = added = 0
    for at, char in enumerate(arg.pattern):
        index = ord(char) - FIRST_PIECE
        if not 0 <= index < len(values):
            out.append(char)
            continue
        piece, value = word.pieces[index], values[index]
        if isinstance(piece, Substitution) and piece.opening == "<(":
            return Arg(_STREAM, known=False, form="stream")
        if value is None:
            raise Unclear("expansion", "it expands a variable")
        put = value.arg if piece.quoted or word.assigns else _unquoted(piece, value)
        if put.form == "place" and (at > 0 or arg.pattern[1:2] not in ("", "/")):
            put = _UNKNOWN
        combined = put.form in ("each", "split") and len(arg.pattern) > 1
        if combined and (put.form == "split" or _DOTTED.search(put.pattern)):
            raise Unclear("expansion", "what its pattern leads to cannot be told")
        added += len(put.pattern)
        if added > MAX_VALUE:
            raise Unclear("expansion", "what its variables stand for is longer than is looked at")
        out.append(put.pattern)
        if _RANK[rank] == "place" and put.form in ("word", "words"):
            out[0] = HOLE  # a folder with more behind it than can be told
        rank = max(rank, _RANK.index(put.form))
    form = _RANK[rank]
    return Arg("".join(out), known=form in ("", "each"), form=form)


def _unquoted(piece: Piece, value: Value) -> Arg:
    """What stands for a piece without quotes: the shell splits it, and takes its patterns for names of files."""
    if value.arg.form == "" and _WHOLE.fullmatch(value.arg.pattern):
        return value.arg
    if value.arg.form == "each" and value.folder is not None and not _QUOTED.search(value.arg.pattern):
        return Arg(value.arg.pattern, known=False, form="split")
    if value.plain:
        return Arg(HOLE, known=False, form="words")
    if isinstance(piece, Substitution):
        raise Unclear("substitution", "the words that a command in $(…) puts out may be anything: quote it")
    raise Unclear("expansion", f"${piece.name} may become several words: quote it")
