"""Keys do not get into what is written or shown, and ordinary text is left alone."""

from __future__ import annotations

import json

import pytest

from xun.config.redact import Redactor, holds_key, masked_line, redact, secrets_of

KEY = "sk-ant-api03-" + "Ab1_-" * 8


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"key {KEY} rejected", "key sk-*** rejected"),
        (f'{{"a":"\\n{KEY}"}}', '{"a":"\\nsk-***"}'),
        ("Authorization: Bearer abc123def456ghi", "Authorization: Bearer ***"),
        ("authorization: basic dXNlcjpwYXNzd29yZDE=", "authorization: basic ***"),
        ("AIza" + "x" * 35, "AIza***"),
        ("token ghp_" + "a1" * 18, "token ghp_***"),
        ("xoxb-1234567890-abc", "xoxb-***"),
        ("AKIA" + "Z9" * 8, "AKIA***"),
        ("gsk_" + "a1" * 10, "gsk_***"),
        ("xai-" + "a1" * 10, "xai-***"),
        (f"2{KEY}", "2sk-***"),
        (f"x2{KEY}", "x2sk-***"),
        ("2sk-" + "a1" * 24, "2sk-***"),
        ("vgsk_" + "a1" * 10, "vgsk_***"),
        ("-AIza" + "x" * 35, "-AIza***"),
        ("http://me:s3cret@proxy:8080/x", "http://me:***@proxy:8080/x"),
    ],
)
def test_what_looks_like_a_key_is_masked(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "the bearer authentication scheme of a bearer certificate",
        "a risk-averse task-list-for-everyone, disk-space-left-on-device",
        "sk-short",
        "ask-for-everything-in-release-2026-please, task-0123456789abcdef0123456789abcdef",
        "disk-or-tape-and-other-media-of-2026, task-ant-colony-optimisation-2026-07-draft",
        "https://example.org/a:b@c",
        "git@github.com:me/repo.git",
        "basic understanding",
        "AKIAnot",
        "gAAAAABsk-aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text


def test_known_secrets_are_masked_in_plain_text_and_in_json() -> None:
    secret = 'pass"word\\with\ttab'
    mask = Redactor([secret, "short", ""])
    assert mask(f"it is {secret}.") == "it is ***."
    line = mask(json.dumps({"text": f"it is {secret}; short"}, ensure_ascii=False))
    assert json.loads(line) == {"text": "it is ***; short"}


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert Redactor(["abcdefgh", "abcdefghij"])("abcdefghij") == "***"


def test_secrets_are_found_by_the_names_of_variables(tmp_path: object) -> None:
    found = secrets_of(
        {
            "OPENAI_API_KEY": " 'test-key-123' \n",
            "GITHUB_TOKEN": "tok-12345678",
            "DB_PASSWORD": "hunter2hunter2",
            "KEYBOARD_LAYOUT": "dvorak-programmer",
            "API_KEY_FILE": "/run/secrets/api",
            "CREDENTIALS": str(tmp_path),
            "SHORT_KEY": "abc",
            "HOME": "/home/somebody",
        }
    )
    assert found == ("test-key-123", "tok-12345678", "hunter2hunter2")


def test_a_long_text_without_keys_stays_as_it_is() -> None:
    mask = Redactor(["test-key-123"])
    text = "an ordinary line of a source file, with://nothing in it\n" * 20_000
    assert mask(text) == text


@pytest.mark.parametrize("start", ["sk-", "sk-ant-api03-", "gsk_", "xai-", "AIza"])
def test_the_key_of_a_provider_is_told_by_its_shape(start: str) -> None:
    assert holds_key(f"please use {start}{'a1B2c' * 7} for it")
    assert holds_key(f"2{start}{'a1B2c' * 7}")
    assert not holds_key("a risk-averse task-list-for-everyone; xai-1; git@github.com:me/repo.git")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("/config compaction.max_context_tokens=100", "/config compaction.max_context_tokens=100"),
        ("/config providers.openai.api_key=correct horse", "/config providers.openai.api_key=***"),
        ("/config providers.x.API_KEY = short", "/config providers.x.API_KEY = ***"),
        ("/config limits.max_steps=7", "/config limits.max_steps=7"),
        ("/config providers.openai.api_key", "/config providers.openai.api_key"),
        ("what is api_key=x?", "what is api_key=x?"),
        ("use sk-" + "a1" * 10, "use sk-***"),
    ],
)
def test_a_typed_line_is_kept_without_what_is_secret(line: str, shown: str) -> None:
    assert masked_line(line) == shown


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("a key: sk-ant-api", "a key: "),
        ("it is Bearer abc123", "it is "),
        ("it is Bearer  ", "it is "),
        ("all of it. ", "all of it. "),
        ("一二三", "一二三"),
        ("one line of it: -----BEGIN ", "one line of it: "),
        ("no other -----BEGINNING of it ", "no other -----BEGINNING of it "),
        ("", ""),
    ],
)
def test_what_may_become_a_secret_is_not_settled(text: str, settled: str) -> None:
    mask = Redactor(["-----BEGIN KEY-----\nabc def\n-----END KEY-----"])
    assert text[: mask.settled(text)] == settled


def test_no_piece_of_a_key_is_left_wherever_a_text_that_grows_is_cut() -> None:
    text = f"The key is {KEY} and Authorization: Bearer abc123def456ghi works with it, as pass word 12 does. "
    mask = Redactor(["pass word 12"])
    for size in range(len(text)):
        first = text[: mask.settled(text[:size])]
        shown = mask(first) + mask(text[len(first) :])
        assert shown == mask(text), first
