"""Run as a program: writes sessions in processes that are killed at random moments, and keeps each as it was then.

`python -m tests.sessions.killed FOLDER ROUNDS SEED`. Each round goes on with the session of the round before.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from tests.sessions import support
from xun.sessions.index import last
from xun.sessions.resume import resume


def work(folder: Path, ready: int, *, sync: bool) -> None:
    if not sync:  # forcing the disk takes most of the time: nearly every kill would fall there
        setattr(os, "fsync", lambda descriptor: None)  # noqa: B010 - the type checker rightly wants the real one
    found = last(folder, folder).entry
    seq = 0
    if found is None:
        writer = support.new(folder)
    else:
        session, writer = resume(found.path)
        seq = session.last_seq
    os.write(ready, b"x")
    number = 0
    while True:
        events = support.stamp(support.turn(number), seq + 1)
        for event in events:
            writer.append(event)
            time.sleep(0.0001)  # keeps the file small, so that reading it back leaves time for more
        seq += len(events)
        number += 1


def main() -> None:
    folder, rounds, chance = Path(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3]))
    live = folder / "live"
    live.mkdir()
    support.store(support.new(live), support.turn(0)[:5])  # builds all that is built on first use; ends amid calls
    for number in range(rounds):
        reader, ready = os.pipe()
        child = os.fork()
        if child == 0:
            work(live, ready, sync=number % 4 == 0)
        if number % 3:  # else it may die while it still resumes
            os.read(reader, 1)
        time.sleep(chance.uniform(0.001, 0.01))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reader)
        os.close(ready)
        shutil.copytree(live, folder / f"round-{number}")


if __name__ == "__main__":
    main()
