"""Whole courses that go wrong: in circles, ending early, without end, in the wrong form, over a service that fails."""

from __future__ import annotations

from tests.tasks.repositories import ASKED, DONE, LOOK, MEND, MENDED, PASSED, SHOP, TEST
from tests.tasks.task import Task, edit, say, use

_MISS = edit("price.py", "return prize", "return price")
_GO_ON = (*ASKED, "You have not done it yet: go on.")

TASKS = (
    Task(
        "the same failing call again and again",
        SHOP,
        [LOOK, _MISS, _MISS, _MISS, MEND, TEST, DONE],
        MENDED,
        ["ok", "error", "error", "error", "ok", "ok"],
        ["[This very call has now failed 3 times.", PASSED],
        ASKED,
    ),
    Task(
        "the same look again and again",
        SHOP,
        [LOOK, LOOK, LOOK, LOOK, LOOK, MEND, TEST, DONE],
        MENDED,
        ["ok"] * 7,
        ["[5 of your last 5 calls were this one", PASSED],
        ASKED,
    ),
    Task(
        "an end before anything is done",
        SHOP,
        [say("I will look at price.py and put it right."), LOOK, MEND, TEST, DONE],
        MENDED,
        ["ok", "ok", "ok"],
        [PASSED],
        _GO_ON,
        ["end_turn", "end_turn"],
    ),
    Task(
        "a reply that says nothing",
        SHOP,
        [LOOK, say(""), MEND, TEST, DONE],
        MENDED,
        ["ok", "ok", "ok"],
        [PASSED],
        _GO_ON,
        ["error", "end_turn"],
    ),
    Task(
        "an answer that is cut off",
        SHOP,
        [LOOK, MEND, say("I have mended the", stop_reason="max_tokens"), TEST, DONE],
        MENDED,
        ["ok", "ok", "ok"],
        [PASSED],
        (*ASKED, "Go on."),
        ["truncated", "end_turn"],
    ),
    Task(
        "steps without end",
        SHOP,
        [LOOK, use("list_dir", path="."), use("read_file", path="test_price.py"), MEND, TEST, DONE],
        MENDED,
        ["ok"] * 5,
        [PASSED],
        _GO_ON,
        ["max_steps", "end_turn"],
        settings={"limits.max_steps": 3},
    ),
    Task(
        "an answer in the wrong form",
        SHOP,
        [LOOK, MEND, TEST, say("Yes, it passes."), say('```json\n{"passed": "yes"}\n```'), say('{"passed": true}')],
        MENDED,
        ["ok"] * 3,
        [PASSED, "it is not JSON", "Your answer does not fit"],
        ASKED,
        output='{"passed": true}',
        schema={"type": "object", "properties": {"passed": {"type": "boolean"}}, "required": ["passed"]},
    ),
    Task(
        "a service that fails in the middle of a word",
        SHOP,
        [
            LOOK,
            {"text": "I will", "error": {"kind": "overloaded", "message": "busy", "status": 529}},
            {"error": {"kind": "network", "message": "the connection broke"}},
            MEND,
            TEST,
            DONE,
        ],
        MENDED,
        ["ok"] * 3,
        [PASSED],
        ASKED,
        settings={"retry.backoff": 0.001},
    ),
)
