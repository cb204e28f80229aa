"""Layers, where each value is from, and what is said about mistakes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from xun.config.load import Config, load
from xun.config.paths import find_paths
from xun.config.toml import ConfigError, key_lines
from xun.config.trust import trust_of
from xun.config.variables import variables


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    path = find_paths().config_file
    path.parent.mkdir(parents=True)
    return path


def project(work: Path, text: str) -> Path:
    path = work / ".xun" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def loaded(**how: object) -> Config:
    return load(find_paths(), environ={}, **how)  # ty: ignore[invalid-argument-type] - keywords of load


def problem(path: Path) -> str:
    """What loading says, after checks that hold for every broken file."""
    before = path.read_bytes() if path.is_file() and os.access(path, os.R_OK) else None
    began = time.monotonic()
    with pytest.raises(ConfigError) as caught:
        loaded()
    assert time.monotonic() - began < 2
    lines = str(caught.value).splitlines()
    assert len(lines) <= 5
    assert lines[0].startswith(str(path))
    if before is not None:
        assert path.read_bytes() == before
    return str(caught.value)


# Layers.


def test_defaults_without_any_file() -> None:
    config = loaded()
    assert (config.settings.limits.max_steps, config.settings.model, config.settings.transport) == (
        50,
        None,
        "http",
    )
    assert (config.settings.sessions.max_age_days, config.settings.sessions.max_megabytes) == (None, None)
    assert str(config.source("model")) == "default"
    assert config.warnings == ()


def test_each_layer_goes_over_the_one_before_and_is_remembered(user_file: Path, work: Path) -> None:
    user_file.write_text(
        'model = "a/user"\neffort = "low"\nidle_timeout = 9\n\n[limits]\nmax_steps = 1\nmax_time = 3\n'
    )
    inside = project(work, '# ours\nmodel = "a/project"\neffort = "high"\n[limits]\nmax_steps = 2\n')
    config = load(
        find_paths(),
        trust=trust_of(work, find_paths()).once(),
        environ={"XUN_MODEL": "a/environment", "XUN_LIMITS_MAX_STEPS": "3"},
        flags={"model": "a/flag", "limits.max_steps": None},
    )
    rows = {key: (value, str(source)) for key, value, source in config.rows()}
    assert rows["model"] == ("a/flag", "--model")
    assert rows["limits.max_steps"] == (3, "XUN_LIMITS_MAX_STEPS")
    assert rows["effort"] == ("high", f"{inside}:3")
    assert rows["limits.max_time"] == (3, f"{user_file}:7")
    assert rows["idle_timeout"] == (9, f"{user_file}:3")
    assert rows["retry.attempts"] == (4, "default")


@pytest.mark.parametrize("trusted", [False, True])
def test_a_project_file_counts_only_when_trusted(work: Path, trusted: bool) -> None:
    project(work, 'model = "a/project"\n')
    trust = trust_of(work, find_paths())
    config = loaded(trust=trust.once() if trusted else trust)
    assert config.settings.model == ("a/project" if trusted else None)


def test_no_project_file_says_where_keys_go(work: Path) -> None:
    inside = project(
        work,
        'transport = "sdk"\n[providers.anthropic]\nbase_url = "https://evil.example"\napi_key = "x"\n'
        "[sessions]\nmax_age_days = 1\n",
    )
    config = loaded(trust=trust_of(work, find_paths()).once())
    assert config.settings == loaded().settings
    assert len(config.warnings) == 4
    assert config.warnings[1].startswith(f"{inside}:3: providers.anthropic.base_url is ignored in a project file")


def test_every_kind_of_value_can_come_from_a_variable() -> None:
    config = load(
        find_paths(),
        environ={
            "XUN_TOOLS": "fs, cmd,",
            "XUN_SESSIONS_SAVE": "no",
            "XUN_LOAD_PROJECT_INSTRUCTIONS": "1",
            "XUN_LIMITS_MAX_TIME": "1.5",
            "XUN_RETRY_ATTEMPTS": "2",
            "XUN_EFFORT": "",
            "XUN_OPENAI_MODEL": "llama",
        },
    )
    settings = config.settings
    assert settings.tools == ("fs", "cmd")
    assert (settings.sessions.save, settings.load_project_instructions) == (False, True)
    assert (settings.limits.max_time, settings.retry.attempts, settings.effort) == (1.5, 2, None)
    assert config.provider("openai-chat").model == "llama"


def test_each_variable_sets_a_setting_of_its_own() -> None:
    names = variables()
    assert len(set(names.values())) == len(names)
    assert names["XUN_MODEL"] == "model"
    assert names["XUN_OPENAI_BASE_URL"] == "providers.openai-chat.base_url"


def test_a_flag_that_is_no_setting_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="maxsteps"):
        loaded(flags={"maxsteps": 1})


@pytest.mark.spec("W26")
@pytest.mark.bug("config-key-with-newline")
def test_a_dotenv_file_is_not_read(work: Path) -> None:
    (work / ".env").write_text("ANTHROPIC_API_KEY=test-key-123\r\nANTHROPIC_BASE_URL=https://evil.example\r\n")
    assert load(find_paths()).provider("anthropic") == loaded().provider("anthropic")


# config-broken-file, by its numbers.


@pytest.mark.bug("config-broken-file")
@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b'model = "x"yo\n', 1, "write one key a line"),  # 1
        (b'# my files\npath = "F:\\data"\n', 2, "single quotes"),  # 2
        (b'model = "a/b"\nmodel = "c/d"\n', 2, "model was given before; keep one of the two lines"),  # 3
        (b'providers = ["a"]\n', 1, "providers must be a table: write [providers]"),  # 4
        (b'\neffort = "xhigh2"\n', 2, 'effort must be one of none, low, medium, high; it is "xhigh2"'),  # 5
        (b'model = "a/b"\n# caf\xe9\n', 2, "is not UTF-8 (byte 0xe9); save the file as UTF-8"),  # 12
        (b"[limits]\nmax_steps = true\n", 2, "limits.max_steps must be a whole number; it is true"),
        (b'[limits]\nmax_steps = "50"\n', 2, "limits.max_steps must be a whole number"),
        (b"[limits]\nmax_steps = 0\n", 2, "limits.max_steps must be at least 1; it is 0"),
        (b"idle_timeout = nan\n", 1, "idle_timeout must be a finite number"),
        (b"idle_timeout = -1\n", 1, "idle_timeout must be more than 0"),
        (b"model = 3\n", 1, "model must be text in quotes; it is 3"),
        (b'tools = "fs"\n', 1, "tools must be a list"),
        (b'tools = ["fs", 3]\n', 1, "tools must be text in quotes; it is 3"),
        (b"load_project_instructions = 1\n", 1, "must be true or false"),
        (b'[providers.openai]\nbase_url = "example.org"\n', 2, "must start with http:// or https://"),
        (b'model = """\nnever closed\n', 2, "not valid TOML"),
    ],
)
def test_a_mistake_names_file_line_and_reason(user_file: Path, content: bytes, line: int, said: str) -> None:
    user_file.write_bytes(content)
    text = problem(user_file)
    assert text.startswith(f"{user_file}:{line}: ")
    assert said in text


@pytest.mark.bug("config-broken-file")
def test_a_list_for_a_table_of_a_later_feature_is_a_warning(user_file: Path) -> None:  # 4
    user_file.write_text("mcp_servers = []\n")
    assert loaded().warnings == (f'{user_file}:1: unknown key "mcp_servers" is ignored',)


@pytest.mark.bug("config-broken-file")
@pytest.mark.parametrize(
    ("text", "line", "meant"),
    [
        ('modle = "x"\n', 1, "model"),  # 6
        ("[limits]\n\nmax_step = 3\n", 3, "limits.max_steps"),
        ("max_steps = 3\n", 1, "limits.max_steps"),
        ("[limit]\nmax_steps = 3\n", 1, "limits"),
    ],
)
def test_an_unknown_key_is_a_warning_with_the_nearest_known(user_file: Path, text: str, line: int, meant: str) -> None:
    user_file.write_text(text)
    [warning] = loaded().warnings
    assert warning.startswith(f"{user_file}:{line}: unknown key")
    assert warning.endswith(f"is ignored; did you mean {meant}?")


def test_an_unknown_key_cannot_command_a_terminal(user_file: Path) -> None:
    user_file.write_text('"a\\u001b[2J\\u202e" = 1\n')
    [warning] = loaded().warnings
    assert warning.isascii()
    assert warning.isprintable()


@pytest.mark.bug("config-broken-file")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n# nothing\n",
        b'\xef\xbb\xbfmodel = "a/b"\n',
        b'model = "a/b"\r\n[limits]\r\nmax_steps = 5\r\n',
    ],  # 7, 10, 11
)
def test_empty_byte_order_mark_and_crlf_work(user_file: Path, content: bytes) -> None:  # 7, 10, 11
    user_file.write_bytes(content)
    config = loaded()
    assert config.settings.model == ("a/b" if b"model" in content else None)
    assert config.warnings == ()
    if b"model" in content:
        assert str(config.source("model")) == f"{user_file}:1"


@pytest.mark.bug("config-broken-file")
def test_a_folder_in_place_of_the_file(user_file: Path) -> None:  # 8
    user_file.mkdir()
    assert "is a folder" in problem(user_file)


def test_a_named_pipe_does_not_hold_up_the_start(user_file: Path) -> None:
    os.mkfifo(user_file)
    assert "not a regular file" in problem(user_file)


@pytest.mark.bug("config-broken-file")
def test_a_file_that_may_not_be_read(user_file: Path, tmp_path: Path) -> None:  # 9
    user_file.write_text('model = "a/b"\n')
    user_file.chmod(0)
    said = as_another("read_text", user_file)
    assert said == "config.toml: cannot be read: Permission denied; give yourself the right to\n"


def test_a_file_that_its_owner_made_read_only_stays_as_it_is(user_file: Path) -> None:
    user_file.write_text('model = "a/b"\n')
    user_file.chmod(0o444)
    said = as_another("check_writable", user_file)
    assert said == "config.toml: is read-only, and stays as it is; make it writable first\n"


def as_another(function: str, file: Path) -> str:
    """What a function of `xun.config.toml` says of `file`. Root may do anything, so another user has to try; from
    inside the folder, as its parents are closed."""
    file.parent.chmod(0o711)
    code = (
        "import os, pathlib, xun.config.toml as toml\n"
        "if os.getuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        f"try: toml.{function}(pathlib.Path('{file.name}'))\n"
        "except toml.ConfigError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=file.parent, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    return done.stdout


def test_a_huge_file_is_refused(user_file: Path) -> None:
    user_file.write_bytes(b"# x\n" * 100_000)
    assert "larger than 256 KiB" in problem(user_file)


def test_many_mistakes_are_five_lines(user_file: Path) -> None:
    user_file.write_text(
        "model = 1\neffort = 2\ntransport = 3\nidle_timeout = '4'\ntools = 5\n[limits]\nmax_steps = '6'\n"
    )
    assert problem(user_file).splitlines()[-1] == "and 2 more mistakes"


def test_a_mistake_in_a_variable_names_the_variable() -> None:
    with pytest.raises(ConfigError) as caught:
        load(find_paths(), environ={"XUN_LIMITS_MAX_STEPS": "many", "XUN_EFFORT": "huge"})
    assert caught.value.mistakes == (
        'XUN_EFFORT: must be one of none, low, medium, high; it is "huge"',
        'XUN_LIMITS_MAX_STEPS: must be a whole number; it is "many"',
    )


def test_a_variable_that_is_nearly_a_setting_is_told() -> None:
    config = load(find_paths(), environ={"XUN_LIMIT_MAX_STEPS": "3", "XUN_HOME": "x", "XUN_UNRELATED_THING": "1"})
    assert config.warnings == ("XUN_LIMIT_MAX_STEPS: unknown variable is ignored; did you mean XUN_LIMITS_MAX_STEPS?",)


def test_lines_of_keys_in_every_form_of_toml() -> None:
    text = (
        '# a comment\na = 1\nb = """\na = 2\n[table]\n"""\nc = [\n  1, # ]\n  2,\n]\n"d.e" = { f = 1 }\n'
        'g.h.i = 2\n\n[table."odd name"]\nx = 1\n\n[[list]]\ny = 1\n[[list]]\n\ny = 2\n'
    )
    lines = key_lines(text)
    assert lines["a",] == 2
    assert lines["b",] == 3
    assert lines["c",] == 7
    assert lines["d.e", "f"] == 11
    assert lines["g", "h", "i"] == 12
    assert lines["table", "odd name"] == 14
    assert lines["table", "odd name", "x"] == 15
    assert lines["list",] == lines["list", 0] == 17
    assert lines["list", 0, "y"] == 18
    assert (lines["list", 1], lines["list", 1, "y"]) == (19, 21)


# Keys. config-key-with-newline, W20.


@pytest.mark.bug("config-key-with-newline")
@pytest.mark.parametrize("key", ["test-key-123\n", " test-key-123 ", '"test-key-123"', "\ttest-key-123\r"])
def test_blanks_and_quotes_around_a_key_are_taken_off(key: str) -> None:
    config = load(find_paths(), environ={"ANTHROPIC_API_KEY": key})
    secret = config.provider("anthropic").api_key
    assert secret is not None
    assert secret.get_secret_value() == "test-key-123"


@pytest.mark.bug("config-key-with-newline")
@pytest.mark.parametrize("key", ["test\u2013key-123", "test key-123", "test-\x1bkey-123"])
def test_an_unusable_key_is_one_line_without_the_key(key: str) -> None:
    config = load(find_paths(), environ={"ANTHROPIC_API_KEY": key, "OPENAI_API_KEY": "other-key-123"})
    with pytest.raises(ConfigError) as caught:
        config.provider("anthropic")
    text = str(caught.value)
    assert text.startswith("ANTHROPIC_API_KEY: has ")
    assert "\n" not in text
    assert "key-123" not in text
    assert config.provider("openai").api_key is not None  # a broken key of another provider stops nobody


@pytest.mark.bug("config-key-with-newline")
def test_an_empty_key_is_no_key() -> None:
    assert load(find_paths(), environ={"ANTHROPIC_API_KEY": " "}).provider("anthropic").api_key is None


@pytest.mark.bug("config-key-with-newline")
@pytest.mark.parametrize(
    ("url", "ok"),
    [
        ("https://h/v1/", True),
        ("http://127.0.0.1:1/v1/v1", True),
        ("api.example", False),
        ("http://a b", False),
    ],
)
def test_addresses_are_checked(url: str, ok: bool) -> None:
    config = load(find_paths(), environ={"OPENAI_BASE_URL": url})
    if ok:
        assert config.provider("openai").base_url == url
        return
    with pytest.raises(ConfigError, match=r"^OPENAI_BASE_URL: "):
        config.provider("openai")


@pytest.mark.spec("W20")
def test_keys_are_never_shown(user_file: Path) -> None:
    user_file.write_text('[providers.openai]\napi_key = "file-key-12345"\nbase_url = "http://me:pw123456@h/v1"\n')
    config = load(find_paths(), environ={"ANTHROPIC_API_KEY": "test-key-123", "MY_TOKEN": "tok-12345678"})
    shown = {key: value for key, value, _ in config.rows()}
    assert shown["providers.openai.api_key"] == shown["providers.anthropic.api_key"] == "***"
    assert shown["providers.openai.base_url"] == "http://me:***@h/v1"
    for text in (repr(config), str(config.settings), config.settings.model_dump_json()):
        assert "key-123" not in text
    mask = config.redactor({"MY_TOKEN": "tok-12345678"})
    assert mask("file-key-12345 test-key-123 tok-12345678") == "*** *** ***"


@pytest.mark.bug("config-key-with-newline")
def test_the_environment_goes_before_the_file_for_keys(user_file: Path) -> None:
    user_file.write_text('[providers.openai]\napi_key = "file-key-12345"\n')
    config = load(find_paths(), environ={"OPENAI_API_KEY": "env-key-12345"})
    secret = config.provider("openai").api_key
    assert secret is not None
    assert secret.get_secret_value() == "env-key-12345"
    assert str(config.source("providers.openai.api_key")) == "OPENAI_API_KEY"
