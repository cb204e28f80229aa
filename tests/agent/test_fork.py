"""Agents in a forked process, where neither the loop's thread nor those of tools came along."""

from __future__ import annotations

import subprocess
import sys

import pytest

_START = """
import os, signal, threading
from xun import Agent, ScriptedProvider

def in_a_child(work):
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a child that hangs is ended, and seen
        try:
            work()
        finally:
            os._exit(3)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def ping() -> str:
    "Ping."
    return "pong"

STEPS = [{"calls": [{"tool": "ping", "arguments": {}}]}, {"text": "done"}]

def new_agent():
    return Agent(ScriptedProvider(STEPS * 2), tools=[ping])

def run(agent):
    return agent.instruct("go").execute().unwrap()
"""

_NEW_AGENT = """
with new_agent() as agent:
    assert run(agent) == "done"  # the loop's thread has been started

def work():
    with new_agent() as agent:
        os._exit(0 if run(agent) == "done" else 1)

print(in_a_child(work))
with new_agent() as agent:
    print(run(agent))
"""

_SAME_AGENT = """
with new_agent() as agent:
    run(agent)
    print(in_a_child(lambda: os._exit(0 if run(agent) == "done" else 1)))
    print(run(agent))
"""

_BUSY_AGENT = """
def fork() -> str:
    "Forks while its turn runs; the child closes the agent that it has inherited, and uses one of its own."
    def work():
        agent.finalize()
        with new_agent() as mine:
            os._exit(0 if run(mine) == "done" else 1)
    return str(in_a_child(work))

agent = Agent(ScriptedProvider([{"calls": [{"tool": "fork", "arguments": {}}]}, {"text": "done"}]), tools=[fork])
with agent:
    done = agent.instruct("go").execute()
    print(agent.messages[2].results[0].content)
    print(done.unwrap())
"""

_MANY_THREADS = """
from xun import worker

release = threading.Event()

def stuck() -> str:
    "Waits."
    release.wait(20)
    return "ended"

worker.MAX_THREADS = 1  # all slots are taken at the time of the fork
agent = Agent(ScriptedProvider([{"calls": [{"tool": "stuck", "arguments": {}}]}, {"text": "done"}]), tools=[stuck])
started = threading.Thread(target=lambda: run(agent.initialize()))
started.start()
while not any(thread.name == "xun-tool-stuck" for thread in threading.enumerate()):
    pass

def work():
    with new_agent() as agent:
        run(agent)
        os._exit(0 if agent.messages[2].results[0].content == "pong" else 1)

print(in_a_child(work))
release.set()
started.join()
print("done")
"""


@pytest.mark.parametrize(
    "case", [_NEW_AGENT, _SAME_AGENT, _BUSY_AGENT, _MANY_THREADS], ids=["new", "same", "busy", "full"]
)
def test_an_agent_works_in_a_forked_child_and_goes_on_in_the_parent(case: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _START + case], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout.split(), done.stderr) == (["0", "done"], "")
