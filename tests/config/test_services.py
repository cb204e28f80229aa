"""Settings of services: made from the one table, so that a service is never half known."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.wire.server import ModelServer
from tests.wire.streams import Say
from xun.config.load import load
from xun.config.paths import find_paths
from xun.config.toml import ConfigError
from xun.config.variables import variables
from xun.providers.services import Service, main_services

KEY = "a-key-0123456789"
each = pytest.mark.parametrize("service", main_services(), ids=lambda service: service.prefix)


@each
def test_each_variable_of_a_service_is_a_setting_of_its_own(service: Service) -> None:
    values = {name: f"http://{name.lower()}" for name in service.settings.values()}
    config = load(find_paths(), environ=values)
    rows = {key: (value, str(source)) for key, value, source in config.rows()}
    for item, variable in service.settings.items():
        shown = "***" if item == "api_key" else values[variable]
        assert rows[f"providers.{service.prefix}.{item}"] == (shown, variable)
        assert variables()[variable] == f"providers.{service.prefix}.{item}"
    assert config.provider(service.prefix).api_key is not None
    assert config.warnings == ()


@each
def test_its_settings_stand_in_a_file_under_its_prefix_and_its_key_is_masked(service: Service) -> None:
    file = find_paths().config_file
    file.parent.mkdir(parents=True)
    lines = [f'{item} = "{KEY if item == "api_key" else "http://h"}"' for item in service.settings]
    file.write_text("\n".join([f"[providers.{service.prefix}]", *lines]))
    config = load(find_paths(), environ={})
    rows = {key: value for key, value, _ in config.rows()}
    assert rows[f"providers.{service.prefix}.api_key"] == "***"
    assert KEY not in str(rows)
    assert config.redactor({})(f"it is {KEY}") == "it is ***"


def test_only_where_a_host_is_enough_may_an_address_be_one() -> None:
    bare = {"OLLAMA_HOST": "0.0.0.0:80", "OPENROUTER_BASE_URL": "0.0.0.0:80"}
    config = load(find_paths(), environ=bare)
    assert config.provider("ollama").base_url == "0.0.0.0:80"
    with pytest.raises(ConfigError, match=r"^OPENROUTER_BASE_URL: must start with http"):
        config.provider("openrouter")
    with pytest.raises(ConfigError, match=r"^OLLAMA_HOST: has a blank"):
        load(find_paths(), environ={"OLLAMA_HOST": "a b"}).provider("ollama")


NEW = """
import json, sys
from xun.providers import services
from xun.providers.services import Service
row = Service("cloudy", "Cloudy", "openai-chat", "/chat/completions", "CLOUDY_KEY", "CLOUDY_URL", "CLOUDY_MODEL",
              url=sys.argv[1] + "/v1", sdk="openai")
services.SERVICES = (row, *services.SERVICES)

import os
os.environ |= {"CLOUDY_KEY": "k-0123456789", "CLOUDY_MODEL": "nine"}
from xun import Agent
from xun.cli.app import run
from xun.commands.model import KEYED
from xun.config.variables import variables
with Agent("cloudy/nine") as agent:
    output = agent.instruct("hi").execute().unwrap()
code = run(["run", "hello"])
run(["models"])
print(json.dumps([output, code, "cloudy" in KEYED, variables()["CLOUDY_URL"]]))
"""


def test_a_new_service_is_one_row_and_is_known_everywhere() -> None:
    with ModelServer([Say("one"), Say("two")]) as server:
        done = subprocess.run([sys.executable, "-c", NEW, server.url], capture_output=True, text=True, check=False)
    *lines, last = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert json.loads(last) == ["one", 0, True, "providers.cloudy.base_url"]
    assert lines[0] == "two"
    assert lines[1].startswith("cloudy/nine ") and lines[1].endswith("Cloudy; taken where none is named")
    assert [sent.headers["authorization"] for sent in server.requests] == ["Bearer k-0123456789"] * 2
