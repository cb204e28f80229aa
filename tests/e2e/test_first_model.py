"""Which model a run takes when it names none: one with a key, else a local server that answers."""

from __future__ import annotations

import os
from pathlib import Path

from tests.e2e.support import KEY, xun
from tests.wire.server import ModelServer
from tests.wire.streams import Say
from tests.wire.validators import STRICT


def own_models(text: str) -> Path:
    file = Path(os.environ["XUN_HOME"]) / "models.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_a_local_server_that_answers_is_used_and_found_again_by_its_session() -> None:
    with ModelServer([Say("hi"), Say("still here")], validators=STRICT, models=["nomic-embed", "qwen3:8b"]) as server:
        env = {"XUN_LOCAL_SERVERS": server.url}
        first, again = xun("run", "hello", env=env), xun("run", "--continue", "and?", env=env)
    assert (first.code, first.out) == (0, "hi\n"), first.err
    assert (again.code, again.out) == (0, "still here\n"), again.err
    assert [body["model"] for body in server.bodies] == ["qwen3:8b"] * 2
    assert server.refusals == []


def test_without_any_model_nothing_is_sent_and_what_to_do_is_said() -> None:
    done = xun("run", "hello")
    assert (done.code, done.out) == (2, "")
    assert "set ANTHROPIC_API_KEY" in done.err and "--model demo" in done.err


def test_the_default_of_a_provider_can_be_set_and_a_misspelt_key_is_said() -> None:
    file = own_models('[defaults]\nopenai = "gpt-mine"\n\n[models.openai."gpt-mine"]\ncontxt = 3\n')
    with ModelServer([Say("hi")], validators=STRICT) as server:
        done = xun("run", "hello", env={"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url})
    assert (done.code, done.out) == (0, "hi\n"), done.err
    assert server.bodies[0]["model"] == "gpt-mine"
    assert f'{file}:5: unknown key "contxt" is ignored; did you mean context?' in done.err


def test_a_wrong_value_sends_nothing() -> None:
    file = own_models("[models.openai.x]\ncontext = 'big'\n")
    with ModelServer([]) as server:
        done = xun("run", "hello", env={"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url})
        assert server.requests == []
    assert (done.code, done.out) == (2, "")
    assert f"{file}:2: models.openai.x.context must be a whole number" in done.err
