from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import fuzzed
from xun.frontends.tui.transcript.splitter import Block, Splitter, split


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("# Head\ntext", ["# Head", "text"]),
        ("text\n# Head\nmore", ["text", "# Head", "more"]),
        ("Head\n---\ntext", ["Head\n---\ntext"]),
        ("---\ntext", ["---", "text"]),
        ("```py\na\n\nb\n```\nc", ["```py\na\n\nb\n```", "c"]),
        ("text\n```\na\n```", ["text", "```\na\n```"]),
        ("````\n```\n````\nx", ["````\n```\n````", "x"]),
        ("~~~\n```\n~~~", ["~~~\n```\n~~~"]),
        ("``` not `a` fence\nx", ["``` not `a` fence\nx"]),
        ("- a\n- b\n- c", ["- a", "- b", "- c"]),
        ("- a\n  more\n\n  even more\n- b", ["- a\n  more\n\n  even more", "- b"]),
        ("- a\nlazy\n\nnext", ["- a\nlazy", "next"]),
        ("- a\n  - nested\n    - deeper\n- b", ["- a\n  - nested\n    - deeper", "- b"]),
        ("1. a\n2. b", ["1. a", "2. b"]),
        ("see:\n- a", ["see:", "- a"]),
        ("see\n2. no list here", ["see\n2. no list here"]),
        ("- a\n\n  ```\n  code\n\n  more\n  ```\n- b", ["- a\n\n  ```\n  code\n\n  more\n  ```", "- b"]),
        ("- ```\n  code\n- b", ["- ```\n  code", "- b"]),
        ("> a\n> b\nlazy\n\nc", ["> a\n> b\nlazy", "c"]),
        ("> a\n- b", ["> a", "- b"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\nx", ["| a | b |\n|---|---|\n| 1 | 2 |", "x"]),
        ("```\nnever closed", ["```\nnever closed"]),
        ("\n\n\n", []),
        ("", []),
    ],
)
def test_where_blocks_end(text: str, blocks: list[str]) -> None:
    assert [block.text for block in split(text)] == blocks


def test_a_blank_line_before_a_block_is_told() -> None:
    assert split("a\n\n- b\n\n- c\n- d") == [
        Block("a", False),
        Block("- b", True),
        Block("- c", True),
        Block("- d", False),
    ]


LINES = st.lists(
    st.sampled_from(
        ["text", "", "- item", "  inner", "1. one", "```", "~~~", "> q", "# h", "---", "| a |", "\t", "   "]
    ),
    max_size=25,
)


@given(LINES, st.integers(min_value=1, max_value=9))
@settings(max_examples=fuzzed(150))
def test_pieces_are_split_as_the_whole_and_nothing_is_lost(lines: list[str], size: int) -> None:
    text = "\n".join(lines)
    splitter = Splitter()
    blocks: list[Block] = []
    for at in range(0, len(text), size):
        blocks += splitter.feed(text[at : at + size])
        seen = "\n".join([*(block.text for block in blocks), splitter.open_text])
        assert seen.split() == text[: at + size].split()
    assert blocks + splitter.close() == split(text)
