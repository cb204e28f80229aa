"""What the environment says about the sandbox."""

from __future__ import annotations

import pytest

from tests.e2e.support import xun
from xun.exec.sandbox.find import find
from xun.exec.sandbox.wanted import wanted
from xun.result import XunError


@pytest.mark.parametrize("name", ["bubblewrap", "Off", "none", "bwrap,landlock", " bwrap"])
def test_a_name_that_is_none_is_a_mistake_and_never_means_no_sandbox(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XUN_SANDBOX", name)
    for ask in (find, wanted):
        with pytest.raises(XunError, match=r"XUN_SANDBOX is .*it can be bwrap, landlock, seatbelt or off"):
            ask()


def test_the_program_says_so_in_one_line_and_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUN_SANDBOX", "bubblewrap")
    for words in (["policy", "sandbox"], ["run", "--model", "scripted:none.json", "go"]):
        done = xun(*words)
        assert done.code not in (0, None) and done.err.count("\n") == 1 and "XUN_SANDBOX" in done.err, done
