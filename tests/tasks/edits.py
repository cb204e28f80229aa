"""Changes to files that would do harm, or nothing: unread, outdated, ambiguous, misremembered, elsewhere."""

from __future__ import annotations

from tests.tasks.repositories import ASKED, DONE, FIXED, LOOK, MEND, MENDED, PASSED, PRICE, RIGHT, SHOP, TEST, WRONG
from tests.tasks.task import Task, edit, read, run, say, together, use

_CONFIG = "[web]\nport = 80\n\n[admin]\nport = 80\n"
_WINDOWS = "first = 1\r\nsecond = 2\r\nthird = 3\r\n"

TASKS = (
    Task(
        "an edit of a file that was not read",
        SHOP,
        [edit("price.py", "return price*percent", "return price"), LOOK, MEND, TEST, DONE],
        MENDED,
        ["error", "ok", "ok", "ok"],
        ["old was not found", WRONG, PASSED],
        ASKED,
    ),
    Task(
        "a file overwritten unseen",
        SHOP,
        [use("write_file", path="price.py", content="def discounted(): ...\n"), LOOK, MEND, TEST, DONE],
        MENDED,
        ["error", "ok", "ok", "ok"],
        ["exists and you have not read it", WRONG, PASSED],
        ASKED,
    ),
    Task(
        "a file rewritten as it was, not as it is",
        {**SHOP, "theirs.py": PRICE.replace("The price", "The amount")},
        [
            LOOK,
            run("cp theirs.py price.py"),
            use("write_file", path="price.py", content=FIXED),
            LOOK,
            MEND,
            TEST,
            DONE,
        ],
        {"price.py": FIXED.replace("The price", "The amount")},
        ["ok", "ok", "error", "ok", "ok", "ok"],
        ["The price less", "changed since you read it: read it again", "The amount less", PASSED],
        ASKED,
        allow=("cp theirs.py price.py", "python3 -m unittest"),
    ),
    Task(
        "a passage that is there twice",
        {"site.ini": _CONFIG},
        [
            read("site.ini"),
            edit("site.ini", "port = 80", "port = 8080"),
            edit("site.ini", "[admin]\nport = 80", "[admin]\nport = 8080"),
            say("Done: the admin pages listen on 8080."),
        ],
        {"site.ini": "[web]\nport = 80\n\n[admin]\nport = 8080\n"},
        ["ok", "error", "ok"],
        ["old matches 2 places, at lines 2, 5"],
        ("Let the admin pages listen on 8080.",),
    ),
    Task(
        "a passage as it is remembered, not as it is",
        SHOP,
        [LOOK, edit("price.py", "\treturn price - percent", f"\t{RIGHT.strip()}"), MEND, TEST, DONE],
        MENDED,
        ["ok", "error", "ok", "ok"],
        [WRONG, "first differs at line 3, character 1 (U+0020 in the file, U+0009 in old)", PASSED],
        ASKED,
    ),
    Task(
        "two edits of one file at once, and one of them twice",
        {"a.py": "x = 1\ny = 2\n"},
        [
            read("a.py"),
            together(
                edit("a.py", "x = 1", "x = 10"), edit("a.py", "y = 2", "y = 20"), edit("a.py", "x = 1\n", "x = 9\n")
            ),
            say("Done."),
        ],
        {"a.py": "x = 10\ny = 20\n"},
        ["ok", "ok", "ok", "error"],
        ["1\tx = 1"],
        ("Multiply both by ten.",),
    ),
    Task(
        "new lines for a file with other line ends",
        {"settings.py": _WINDOWS},
        [read("settings.py"), edit("settings.py", "second = 2\n", "second = 2\nextra = 4\n"), say("Done.")],
        {"settings.py": _WINDOWS.replace("second = 2\r\n", "second = 2\r\nextra = 4\r\n")},
        ["ok", "ok"],
        ["second = 2"],
        ("Add extra = 4 below second.",),
    ),
    Task(
        "paths of another machine, and outside",
        SHOP,
        [
            read("/workspace/repo/price.py"),
            use("write_file", path="../notes.txt", content="found it\n"),
            LOOK,
            MEND,
            TEST,
            DONE,
        ],
        MENDED,
        ["error", "error", "ok", "ok", "ok"],
        ["is not within the agent's workspace", "is not within the agent's workspace", WRONG, PASSED],
        ASKED,
    ),
)
