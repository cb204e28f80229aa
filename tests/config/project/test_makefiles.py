"""What a Makefile takes in is a part of each pin, in whatever way it is written; what cannot be told is not granted."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import require
from xun.config.project.makefiles import _MOST_FILES
from xun.config.project.search import search

TEST = "test:\n\techo ok\n"
FOLLOWED = {
    "include": "include more.mk\n" + TEST,
    "behind a tab": "\tinclude more.mk\n" + TEST,
    "behind blanks and tabs": " \t -include\tmore.mk\n" + TEST,
    "quietly": "-include more.mk\n" + TEST,
    "quietly, the other way": "sinclude more.mk\n" + TEST,
    "over two lines": "include \\\n  more.mk\n" + TEST,
    "with the line ends of Windows": "include \\\r\n  more.mk\r\n" + TEST,
    "behind a line that only seems to go on": "X = a\\\\\ninclude more.mk\n" + TEST,
    "with a comment": "include more.mk # and no more\n" + TEST,
    "in a condition": "ifdef X\n  include more.mk\nendif\n" + TEST,
    "in a definition": "define X\ninclude more.mk\nendef\n$(eval $(X))\n" + TEST,
    "behind the targets": TEST + "\n  include more.mk\n",
    "by way of another": "include first.mk\n" + TEST,
    "in a folder": "test:\n\t@$(MAKE) -C sub test\n",
    "in a folder, as one word": "test:\n\t${MAKE} -sCsub\n",
    "in a folder, at length": "test:\n\tmake --directory=sub -j4\n",
    "in a folder, over two lines": "test:\n\t@set -e; \\\n\t$(MAKE) -C sub\n",
    "behind a mark of a comment": 'test:\n\techo "#"; $(MAKE) -C sub\n',
    "in a folder that it goes to": "test:\n\tcd sub && $(MAKE)\n",
    "another file": "test:\n\t$(MAKE) -f more.mk x\n",
    "another file, at length": "test:\n\t$(MAKE) --file=more.mk\n",
    "by the path of make": "test:\n\t/usr/bin/make -C sub\n",
    "by a variable of the shell": "test:\n\tM=make; $$M -C sub\n",
    "in a folder that a variable names": "D = sub\ntest:\n\tM=make; cd $(D) && $$M\n",
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_is_taken_in_is_pinned(name: str, work: Path) -> None:
    (work / "Makefile").write_text(FOLLOWED[name], newline="")
    (work / "more.mk").write_text("X = 1\n")
    (work / "first.mk").write_text("include more.mk\n")
    (work / "sub").mkdir()
    (work / "sub" / "Makefile").write_text("include more.mk\n")
    (work / "sub" / "more.mk").write_text("X = 1\n")
    [before] = search(work, work).commands
    for changed in (work / "more.mk", work / "sub" / "more.mk"):
        changed.write_text("SHELL = ./evil\n")
    [after] = search(work, work).commands
    assert (before.command, after.command) == ("make test", "make test")
    assert before.pin != after.pin


NOT_TOLD = {
    "a variable": "include $(DIR)/x.mk\n" + TEST,
    "a variable behind a tab": "\tinclude $(X)\n" + TEST,
    "a pattern": "include *.mk\n" + TEST,
    "a home": "include ~/x.mk\n" + TEST,
    "one that is not there": "-include gone.mk\n" + TEST,
    "one that is outside": "include ../x.mk\n" + TEST,
    "an absolute one": "include /etc/x.mk\n" + TEST,
    "make by another name": "M = $(MAKE)\ntest:\n\t$(M) -C $(DIR)\n",
    "make by another name, by its path": "M := /usr/bin/make\ntest:\n\t$(M) -f more\n",
    "make by another name for one target": "test: M = $(MAKE)\ntest:\n\t$(M) -C sub\n",
    "one that make makes": "include more.mk\nmore.mk: x.in\n\tcp x.in more.mk\n" + TEST,
    "one that a pattern makes": "include more.mk\n%.mk: %.in\n\tcp $< $@\n" + TEST,
    "one that a variable makes": "M = more.mk\ninclude more.mk\n$(M): x.in\n\tcp $< $@\n" + TEST,
    "one that make makes each time": "include more.mk\nmore.mk::\n\tcp x.in more.mk\n" + TEST,
    "one that is phony": "include more.mk\n.PHONY: more.mk\nmore.mk:\n\tcp x.in more.mk\n" + TEST,
    "itself": "Makefile: x.in\n\tcp x.in Makefile\n" + TEST,
    "a library": "load x.so\n" + TEST,
    "a made-up line": "$(eval include more.mk)\n" + TEST,
    "a made-up line of a variable": "X = include more.mk\n$(eval $(X))\n" + TEST,
    "a made-up line of a program": "$(eval $(shell cat more.mk))\n" + TEST,
    "a made-up line of a file": "${eval $(file < more.mk)}\n" + TEST,
    "a folder by a variable": "test:\n\t$(MAKE) -C $(DIR)\n",
    "folders one by one": "test:\n\tfor d in a b; do $(MAKE) -C $$d; done\n",
    "a folder by a variable that it goes to": "test:\n\tcd $(DIR) && $(MAKE)\n",
    "more lines": "test:\n\t$(MAKE) --eval='include more.mk'\n",
    "more files": "export MAKEFILES = more.mk\ntest:\n\t$(MAKE) x\n",
    "no end": "".join(f"include {n}.mk\n" for n in range(_MOST_FILES + 1)) + TEST,
}


@pytest.mark.parametrize("name", NOT_TOLD)
def test_what_only_make_can_tell_is_not_offered_and_said(name: str, work: Path) -> None:
    (work / "Makefile").write_text(NOT_TOLD[name])
    (work / "more.mk").write_text("X = 1\n")
    for number in range(_MOST_FILES + 1):
        (work / f"{number}.mk").write_text("")
    found = search(work, work)
    assert found.commands == ()
    assert found.why_not("make test")


def test_a_folder_that_has_no_makefile_yet_is_pinned_as_it_is(work: Path) -> None:
    (work / "Makefile").write_text("test:\n\t$(MAKE) -C sub\n")
    (work / "sub").mkdir()
    [before] = search(work, work).commands
    (work / "sub" / "GNUmakefile").write_text("test:\n\tid\n")
    [after] = search(work, work).commands
    assert before.pin != after.pin


@pytest.mark.parametrize("source", ["Makefile.sh", "more.mk.sh", "SCCS/s.Makefile"])
def test_what_make_makes_a_makefile_from_by_itself_is_pinned(source: str, work: Path) -> None:
    (work / "Makefile").write_text("include more.mk\n" + TEST)
    (work / "more.mk").write_text("X = 1\n")
    [before] = search(work, work).commands
    (work / source).parent.mkdir(exist_ok=True)
    (work / source).write_text("SHELL = ./evil\n")
    [after] = search(work, work).commands
    assert before.pin != after.pin


def test_a_file_that_make_makes_only_where_it_is_missing_is_pinned(work: Path) -> None:
    (work / "Makefile").write_text("-include .env\n$(BIN): x.c\n\tcc x.c\n.env:\n\tcp .env.example .env\n" + TEST)
    (work / ".env").write_text("X = 1\n")
    [before] = search(work, work).commands
    (work / ".env").write_text("SHELL = ./evil\n")
    [after] = search(work, work).commands
    assert before.pin != after.pin


def test_a_make_that_a_recipe_gives_a_setting_is_followed(work: Path) -> None:
    (work / "Makefile").write_text("test:\n\tCI=1 $(MAKE) -C sub\n")
    (work / "sub").mkdir()
    (work / "sub" / "Makefile").write_text("all:\n\techo\n")
    assert [one.command for one in search(work, work).commands] == ["make test"]


def test_folders_that_run_each_other_come_to_an_end(work: Path) -> None:
    (work / "Makefile").write_text("test:\n\t$(MAKE) -C sub\n")
    (work / "sub").mkdir()
    (work / "sub" / "Makefile").write_text("all:\n\t$(MAKE) -C .. test\n")
    assert [one.command for one in search(work, work).commands] == ["make test"]


@pytest.mark.parametrize("text", ["\tinclude more.mk\n", " \tsinclude \\\n more.mk\n", "X = a\\\\\ninclude more.mk\n"])
def test_make_takes_it_as_it_is_taken_here(text: str, work: Path) -> None:
    """What this module reads as an include is one to the program."""
    require("make", shutil.which("make") is not None)
    (work / "Makefile").write_text(text + TEST)
    (work / "more.mk").write_text("$(info taken in)\n")
    done = subprocess.run(["make", "-n", "test"], cwd=work, capture_output=True, text=True, check=True)
    assert "taken in" in done.stdout
