"""Which files a run may load, going by their names."""

from __future__ import annotations

import posixpath
import re
from typing import Literal

from xun.policy.paths import fold
from xun.policy.tables.programs import word_set

Loader = Literal["python", "any", "git"]
"""What a command loads: what Python does in a run of tests, whatever its program makes of the workspace, or what
configures the repositories that git speaks with.
"""

_PYTHON = (".py", ".pyi", ".pyc", ".pyw", ".pyx", ".pth", ".so", ".pyd", ".dll", ".dylib", ".ini", ".toml", ".cfg")
_TEXT = (".md", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc")
_DATA = (
    ".csv", ".tsv", ".log", ".diff", ".patch", ".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico",
    ".tif", ".tiff", ".avif", ".mp3", ".mp4", ".wav", ".ogg", ".flac", ".webm", ".mov", ".woff", ".woff2", ".ttf",
    ".otf", ".eot", ".parquet", ".geojson", ".po", ".pot",
)  # fmt: skip
_PLAIN_NAMES = word_set(
    "license copying notice authors contributors changelog readme codeowners .gitignore .editorconfig"
)
# Text by its name, and read by a program all the same: build files, dependencies, what pytest takes for doctests.
_READ_TEXT = re.compile(
    r"test.*\.txt|.*requirements.*\.txt|constraints.*\.txt|entry_points\.txt|cmakelists\.txt|conanfile\.txt"
    r"|meson_options\.txt|runtime\.txt"
)
# Loaded by every run, whatever it is told to run.
_ALWAYS_LOADED = word_set(
    "conftest.py setup.py noxfile.py tasks.py __init__.py makefile gnumakefile justfile rakefile gruntfile.js "
    "gulpfile.js package.json build.rs build.gradle pom.xml mix.exs cmakelists.txt"
)
_CONFIGURATION = re.compile(r".*\.(?:ini|toml|cfg|pth|mk)|.*(?:config|rc)\.[cm]?[jt]s|\..*rc(?:\.\w+)?")


def always_loaded(path: str) -> bool:
    """Is it loaded by every run of its kind? Such files are named first."""
    name = fold(posixpath.basename(path))
    return name in _ALWAYS_LOADED or _CONFIGURATION.fullmatch(name) is not None


def is_text(path: str) -> bool:
    """Is the file text, which is code only where a configuration makes it that, as doctests do?"""
    name = fold(posixpath.basename(path))
    return name.endswith(_TEXT) and not _READ_TEXT.fullmatch(name)


def loadable(path: str, loader: Loader = "any", *, doctests: bool = False) -> bool:
    """May a run load the file at `path`, going by its name? `doctests` says that tests in text are run here."""
    name = fold(posixpath.basename(path))
    if loader == "git":
        return False  # which these are their names do not tell
    if is_text(path):
        return doctests
    if name.endswith(_TEXT):
        return True
    if loader == "python":
        return name.endswith(_PYTHON)
    return not name.endswith(_DATA) and name not in _PLAIN_NAMES
