from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.conftest import fuzzed
from xun.frontends.tui.transcript.answer import Block, Open
from xun.frontends.tui.transcript.book import blocks_of
from xun.frontends.tui.transcript.item import Item, Notice, Prompt, Thinking
from xun.frontends.tui.transcript.line import joined
from xun.frontends.tui.transcript.wrap import MEASURE, clean, wrap_all

WORDS = ("words that go on " * 30).strip()
PROSE = st.text(alphabet="abcd  \n\t\r日🙂é\u0301\u200b[/]", max_size=160)


def rows(text: str, width: int = 40) -> list[str]:
    return [line.text for line in Block(text, gap=False).render(width)]


@given(PROSE, st.lists(st.integers(0, 9), max_size=30), st.integers(min_value=10, max_value=40))
@settings(max_examples=fuzzed(150))
def test_an_open_block_fed_in_pieces_looks_like_the_whole(text: str, sizes: list[int], width: int) -> None:
    block = Open(gap=False)
    block.body(width)
    rest = text
    for size in sizes:
        block.add(rest[:size])
        rest = rest[size:]
    block.add(rest)
    whole = Open(text, gap=False)
    assert block.render(width) == whole.render(width)
    shown = text.removesuffix("\r")  # half of a line end may be waiting for the other
    lines = wrap_all(clean(shown), "text", width, first=(("  ", ""),))
    while len(lines) > 1 and not lines[-1].content:
        lines.pop()
    assert [line.text.rstrip() for line in block.render(width)] == [line.text.rstrip() for line in lines]


def test_open_code_is_not_wrapped_between_words_and_hides_its_fence() -> None:
    block = Open("```py\nlong line of code\n    x", gap=False)
    assert [line.text for line in block.render(16)] == ["  ┌ py", "  │ long line of", "  │  code", "  │     x"]


@pytest.mark.parametrize(
    "said",
    ["\u26a0\ufe0f", "\U0001f469\u200d\U0001f469\u200d\U0001f467", "1\ufe0f\u20e3", "nb\xa0sp", "narrow\u202fsp"],
)
@pytest.mark.parametrize("form", ["{}", "- {}", "## {}", "| {} |\n|--|\n| x |", "**{}**", "`{}`", "[{}](http://x)"])
def test_emoji_and_the_blanks_of_typesetting_stay_what_they_are(said: str, form: str) -> None:
    assert said in "\n".join(rows(form.format(said)))


def test_characters_that_mislead_are_shown_however_they_are_written() -> None:
    assert rows("a\u202eb c&#8238;d e&#x200b;f") == ["  a\\u202eb c\\u202ed e\\u200bf"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**b** *i* `c` ~~s~~", ["  b i c s"]),
        ("one\ntwo", ["  one", "  two"]),
        ("[text](http://x/y)", ["  text (http://x/y)"]),
        ("<http://x/y>", ["  http://x/y"]),
        ("[http://x](http://x)", ["  http://x"]),
        ("[good.example](http://bad.example)", ["  good.example (http://bad.example)"]),
        ("![alt](img.png)", ["  ![alt](img.png)"]),
        ("a <b>bold</b> <script>x</script>", ["  a <b>bold</b> <script>x</script>"]),
        ("<div>\nblock\n</div>", ["  <div>", "  block", "  </div>"]),
        ("[ref]: http://x/y", ["  [ref]: http://x/y"]),
        ("[/] [/some/path] a[/x]b [bold]x [red]", ["  [/] [/some/path] a[/x]b [bold]x [red]"]),
        ("&lt; &#27;[31m", ["  < \ufffd[31m"]),
        ("a\x1b[31m \u202e \u200b", ["  a␛[31m \\u202e \\u200b"]),
        ("# Head", ["  Head"]),
        ("- a\n- b", ["  • a", "  • b"]),
        ("- a\n\n  b", ["  • a", "    ", "    b"]),
        ("3. a\n   - b", ["  3. a", "     • b"]),
        ("-", ["  • "]),
        ("> a\n> > b", ["  ▌ a", "  ▌ ▌ b"]),
        ("---", ["  " + "─" * 36]),
        ("```py\nx = 1\n\ny\n```", ["  ┌ py", "  │ x = 1", "  │ ", "  │ y"]),
        ("~~~ c++ title=[x]\nint x;\n~~~", ["  ┌ c++", "  │ int x;"]),
        ("```\x1b[31m\u202e x\ny\n```", ["  ┌ ␛[31m\\u202e", "  │ y"]),
        ("- ```py\n  x = 1\n  ```\n  and", ["  • ┌ py", "    │ x = 1", "    and"]),
        ("    x = 1", ["  │ x = 1"]),
        ("```\nunclosed", ["  │ unclosed"]),
        ("| a | b |\n|:-:|--:|\n| longer | 1 |", ["    a    │ b", "  ───────┼──", "  longer │ 1"]),
        ("", ["  "]),
    ],
)
def test_markdown(text: str, expected: list[str]) -> None:
    assert rows(text) == expected


@given(
    st.lists(st.sampled_from(["> ", ">", "- ", "* ", "7. ", "123456789) "]), max_size=120),
    st.integers(min_value=20, max_value=120),
)
@settings(max_examples=fuzzed(60))
def test_text_is_shown_however_deep_it_is(marks: list[str], width: int) -> None:
    shown = rows("".join(marks) + "deep words\nthat go on", width)
    assert " ".join(" ".join(shown).replace("▌", " ").split()).endswith("deep words that go on")
    assert all(cell_len(row) <= width for row in shown)


@pytest.mark.parametrize("mark", ["-", "1.", "> -"])
@pytest.mark.parametrize("width", [20, 80])
def test_every_level_of_a_deep_list_is_shown(mark: str, width: int) -> None:
    text = "\n".join("   " * depth + f"{mark} item{depth} [/]" for depth in range(60))
    shown = " ".join(row for block in blocks_of(text) for row in (line.text for line in block.render(width)))
    found = re.findall(r"item\d+", shown.replace("▌", ""))
    assert found == [f"item{depth}" for depth in range(60)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. a\n1. b\n1. c", ["1. a", "2. b", "3. c"]),
        ("5. a\n9. b\n\n1. c", ["5. a", "6. b", "7. c"]),
        ("1. a\n   1. x\n   1. y\n1. b", ["1. a", "1. x", "2. y", "2. b"]),
        ("1. a\n1) b\n1) c", ["1. a", "1) b", "2) c"]),
        ("1. a\n\nbetween\n\n1. b\n1. c", ["1. a", "between", "1. b", "2. c"]),
        ("1. a\n- b\n1. c", ["1. a", "• b", "1. c"]),
        ("8. a\n8. b\n8. c", ["8. a", "9. b", "10. c"]),
        ("1. a\n***\n1. b", ["1. a", "─" * 36, "1. b"]),
    ],
)
def test_a_numbered_list_counts_on_from_its_first_number(text: str, expected: list[str]) -> None:
    lines = [line.text.strip() for block in blocks_of(text) for line in block.render(40)]
    assert [line for line in lines if line] == expected


def test_a_table_too_wide_for_the_screen_wraps_its_cells_or_is_shown_as_written() -> None:
    text = "| name | what it does |\n|---|---|\n| x | something that takes many words to say |"
    assert all(len(row) <= 32 for row in rows(text, 32))
    assert "many words" in " ".join(rows(text, 32))
    many = "|" + "a|" * 30 + "\n|" + "-|" * 30
    assert rows(many, 40)[0].startswith("  |a|a|")


def test_code_is_coloured_where_the_language_is_known() -> None:
    _, line = Block("```python\ndef f(): return 1\n```", gap=False).render(60)
    styles = dict(line.pieces)
    assert styles["def"] == "code keyword"
    _, line = Block("```nosuchlanguage\ndef f()\n```", gap=False).render(60)
    assert ("def f()", "code") in line.pieces


def test_copying_gives_code_without_its_bar_and_prose_unwrapped() -> None:
    text = "word " * 30
    assert joined(Block(text, gap=False).render(30)) == text.strip()
    code = "```\n" + "x" * 100 + "\n    y\n```"
    assert joined(Block(code, gap=False).render(30)) == "x" * 100 + "\n    y"


def test_copying_keeps_the_marks_of_lists_and_no_margin() -> None:
    text = "1. first\n2. do this, which is rather long\n   - within\n\n> said"
    lines = [line for block in blocks_of(text) for line in block.body(24)]
    assert joined(lines) == "1. first\n2. do this, which is rather long\n   • within\nsaid"


def test_the_language_of_code_is_told_and_never_copied() -> None:
    text = "before\n\n```python\nx = 1\n```\n\nafter"
    lines = [line for block in blocks_of(text) for line in block.body(40)]
    assert "  ┌ python" in [line.text for line in lines]
    assert joined(lines) == "before\nx = 1\nafter"
    assert joined(Block("```python\nx = 1\n```", gap=False).render(40)) == "x = 1"


@pytest.mark.parametrize("language", ["x" * 300, "\u65e5" * 300])
def test_a_language_takes_one_row_whatever_it_says(language: str) -> None:
    lines = Block(f"```{language}\nx = 1\n```", gap=False).body(40)
    assert len(lines) == 2 and lines[0].text.endswith("…") and cell_len(lines[0].text) <= 40


@pytest.mark.parametrize(
    "text",
    [
        WORDS,
        f"# {WORDS}",
        f"- {WORDS}\n  - {WORDS}",
        f"> {WORDS}",
        f"1. {WORDS}\n\n   {WORDS}",
        "---",
        f"{WORDS}\n" * 60,
    ],
    ids=["paragraph", "heading", "list", "quote", "numbers", "rule", "unparsed"],
)
def test_prose_keeps_its_measure_on_a_wide_terminal(text: str) -> None:
    shown = rows(text, 200)
    assert MEASURE - 12 < max(map(len, shown)) <= MEASURE
    assert shown == rows(text, MEASURE)
    assert [line.text for line in Open(text, gap=False).body(200)] == [
        line.text for line in Open(text, gap=False).body(MEASURE)
    ]


def test_code_and_tables_take_the_width_that_there_is() -> None:
    code = "x" * 180
    assert rows(f"```\n{code}\n```", 200) == [f"  │ {code}"]
    assert [line.text for line in Open(f"```\n{code}", gap=False).body(200)] == [f"  │ {code}"]
    table = f"| a | b |\n|---|---|\n| {'y ' * 40}| {'z ' * 40}|"
    assert len(rows(table, 200)) == 3
    assert all(len(row) > MEASURE for row in rows(table, 200)[1:])


@pytest.mark.parametrize("item", [Prompt(WORDS), Notice(WORDS), Notice(WORDS, "error")])
def test_what_a_person_and_xun_say_keeps_the_measure_too(item: Item) -> None:
    assert max(len(line.text) for line in item.render(200)) <= MEASURE
    assert item.text.endswith(WORDS)


def test_a_thought_is_as_long_live_as_it_is_from_the_session() -> None:
    live, text = Thinking(), "\nfirst\n\nsecond\n\n"
    for char in text:
        live.add(char)
    live.finish()
    assert live.render(60) == Thinking(text, done=True).render(60)


@pytest.mark.parametrize("item", [Block(WORDS, gap=True), Prompt(WORDS), Thinking(WORDS, done=True)])
def test_the_height_of_prose_is_estimated_at_its_measure(item: Item) -> None:
    item.toggle(folded=False)
    assert item.estimate(200) == item.estimate(MEASURE)
    assert abs(item.estimate(200) - len(item.render(200))) <= 2


@pytest.mark.parametrize("text", ["[" * 20_000, "*a " * 9_000, "> " * 9_000, "`" * 9_999, "|" * 9_999, "x" * 100_000,
                                  "- " * 5_000, "a\n" * 20_000, "<" * 20_000, "![" * 9_000, "~" * 9_999])  # fmt: skip
def test_hostile_blocks_are_shown_whole_or_as_written(text: str) -> None:
    lines = Block(text, gap=True).render(80)
    assert all(len(line.text) <= 80 + 60 for line in lines)
    assert len(lines) < 25_000
