"""Calls that are not what they should be: names, arguments, ids."""

from __future__ import annotations

from tests.tasks.repositories import ASKED, DONE, LOOK, MEND, MENDED, PASSED, SHOP, TEST
from tests.tasks.task import Task, raw, text_of, together, use

_CUT = text_of(MEND)[:40]

TASKS = (
    Task(
        "names of tools in another spelling",
        SHOP,
        [use("readFile", path="price.py"), use("Edit-File", **MEND["calls"][0]["arguments"]), TEST, DONE],
        MENDED,
        ["ok", "ok", "ok"],
        ["return price - percent", PASSED],
        ASKED,
    ),
    Task(
        "a tool that is not there",
        SHOP,
        [use("view_file", path="price.py"), LOOK, use("str_replace", path="price.py"), MEND, TEST, DONE],
        MENDED,
        ["invalid", "ok", "invalid", "ok", "ok"],
        [
            "No tool is named 'view_file'. Did you mean read_file",
            "return price",
            "No tool is named 'str_replace'.",
            PASSED,
        ],
        ASKED,
    ),
    Task(
        "a missing argument",
        SHOP,
        [LOOK, use("edit_file", path="price.py", new="    return 180"), MEND, TEST, DONE],
        MENDED,
        ["ok", "invalid", "ok", "ok"],
        ["Invalid arguments: 'old' is missing.", PASSED],
        ASKED,
    ),
    Task(
        "arguments of the wrong types",
        SHOP,
        [use("read_file", path="price.py", offset="the top"), use("read_file", path=["price.py"]), LOOK, MEND, DONE],
        MENDED,
        ["invalid", "invalid", "ok", "ok"],
        [
            "'offset' must be a valid integer, not a string.",
            "'path' must be a valid string, not an array.",
            "return price",
        ],
        ASKED,
    ),
    Task(
        "an argument that is not one of the tool's",
        SHOP,
        [use("read_file", path="price.py", encoding="utf-8"), LOOK, MEND, DONE],
        MENDED,
        ["invalid", "ok", "ok"],
        ["'encoding' is unknown; the parameters are: path, offset, limit, column.", "return price"],
        ASKED,
    ),
    Task(
        "arguments that are broken JSON",
        SHOP,
        [LOOK, raw("edit_file", _CUT), MEND, TEST, DONE],
        MENDED,
        ["ok", "invalid", "ok", "ok"],
        ["return price", "the call was cut off by the output limit before it was complete, so it was not run", PASSED],
        ASKED,
    ),
    Task(
        "arguments that are a list",
        SHOP,
        [raw("read_file", '["price.py"]'), LOOK, MEND, DONE],
        MENDED,
        ["invalid", "ok", "ok"],
        ["the arguments must be a JSON object, not an array, so the call was not run", "return price"],
        ASKED,
    ),
    Task(
        "a call cut off by the output limit",
        SHOP,
        [
            LOOK,
            raw("write_file", '{"path": "price.py", "content": "def disc', stop_reason="max_tokens"),
            MEND,
            TEST,
            DONE,
        ],
        MENDED,
        ["ok", "invalid", "ok", "ok"],
        ["return price", "the call was cut off by the output limit before it was complete, so it was not run", PASSED],
        ASKED,
    ),
    Task(
        "one id for two calls",
        SHOP,
        [
            {"calls": [{**LOOK["calls"][0], "id": "same"}, {**use("list_dir", path=".")["calls"][0], "id": "same"}]},
            LOOK,
            MEND,
            DONE,
        ],
        MENDED,
        ["invalid", "invalid", "ok", "ok"],
        ["several calls came with the id 'same', so none of them was run", "return price"],
        ASKED,
    ),
    Task(
        "a bad call among good ones",
        SHOP,
        [together(LOOK, use("nonesuch"), use("read_file")), MEND, TEST, DONE],
        MENDED,
        ["invalid", "invalid", "ok", "ok", "ok"],
        ["return price", "No tool is named 'nonesuch'.", "'path' is missing.", PASSED],
        ASKED,
    ),
)
