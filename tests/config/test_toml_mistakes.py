"""Every mistake in TOML is told by its line, in words that say what to write instead."""

from __future__ import annotations

import re

import pytest

from xun.config.toml import ConfigError, parse

RULE = '[[rule]]\neffect = "allow"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[settings]\nrisk = "off"\n\n[settings]\n',
            "4: [settings] was given before; put all its keys below the first",
        ),
        ('[rule]\nread = "a"\n[rule]\n', "3: rule was given before, in another way; write each as [[rule]]"),
        ('[rule]\nread = "a"\n[[rule]]\n', "3: rule was given before, in another way; write each as [[rule]]"),
        ('[[rule]]\nread = "a"\n[rule]\n', "3: rule was given before, in another way; write each as [[rule]]"),
        ('rule = [{read = "a"}]\n[[rule]]\n', "2: rule was given before, in another way; write each as [[rule]]"),
        (
            'settings = {risk = "off"}\nsettings.loops = "ask"\n',
            "2: settings was given whole on an earlier line, which nothing is added to; write its keys below one [settings]",
        ),
        ("settings = 3\n[settings]\n", "2: settings was given before, in another way; keep one of the two"),
        ('[settings]\nrisk = "off"\nrisk = "on"\n', "3: risk was given before; keep one of the two lines"),
        ('settings = {risk = "on", risk = "off"}\n', "1: risk was given before; keep one of the two"),
        ("[settings]\nauto_allow_sandboxed = True\n", "2: True is written true"),
        ("a = FALSE # no\n", "1: FALSE is written false"),
        ("[[rule]]\neffect = allow\n", "2: allow is no value; text stands in quotes"),
        ("a =\n", "1: there is no value behind the ="),
        (f'{RULE}command = "npm test\n', "3: the quotes are not closed; a text ends on its line"),
        ("a = 'npm test", "1: the quotes are not closed"),
        ('a = """x\n', "1: the quotes are not closed"),
        (f'{RULE}read = "C:\\Users\\me"\n', "3: a backslash in double quotes begins an escape; put the text in single"),
        ('a = "\\d+"\n', "1: a backslash in double quotes begins an escape"),
        ('[[rule]\neffect = "allow"\n', "1: the name of the table is not closed; end it with ]]"),
        ("[settings\n", "1: the name of the table is not closed; end it with ]"),
        ('[[rule]]\neffect "allow"\n', "2: there is no = behind the key; write KEY = VALUE"),
        ('effect = "allow" command = "x"\n', "1: something stands behind the value; write one key a line"),
        ("- effect: allow\n", "1: there is no = behind the key"),
        ("{}\n", "1: this is no line of a TOML file; write KEY = VALUE, [table], or # before a comment"),
        ('match = ["a", "b"\n', "1: the list is not closed; end it with ]"),
        ("a = {b = 1 c = 2}\n", "1: the braces are not closed"),
        ("until = 2027-02-31T18:00:00Z\n", "1: there is no such time; write 2027-01-31T18:00:00Z"),
    ],
)
def test_a_mistake_is_told_by_its_line_and_what_to_write(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "p.toml")
    line, _, what = said.partition(": ")
    place, _, told = str(caught.value).partition(": not valid TOML")
    assert place == f"p.toml:{line}"
    assert re.sub(r"^ at column \d+", "", told).startswith(f": {what}")
    assert "\n" not in told
