"""A program on a pseudo-terminal: what it writes and when, and what it costs."""

from __future__ import annotations

import fcntl
import os
import select
import struct
import subprocess
import termios
import threading
import time
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

LONG = 60.0  # seconds that nothing here takes
_TICK = os.sysconf("SC_CLK_TCK")


class Program:
    """Runs `command` in `folder` on a terminal of 80 by 24 cells that does not echo by itself."""

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str], folder: Path) -> None:
        self._master, self._slave = os.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        mode = termios.tcgetattr(self._slave)
        mode[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(self._slave, termios.TCSANOW, mode)
        self._raw = bytearray()
        self._times: list[tuple[int, float]] = []  # how much had been written by when
        self._mark = 0
        self._came = threading.Condition()
        # The first terminal that a session leader opens becomes its controlling one.
        shell = f'exec <>{os.ttyname(self._slave)} >&0 2>&0\nexec "$0" "$@"'
        self.began = time.monotonic()
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", shell, *command],
            env={"TERM": "xterm-256color", "LANG": "C.UTF-8", **env}, cwd=folder, start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._slave)

    def _read(self) -> None:
        while True:
            try:
                select.select([self._master], [], [])
                data = os.read(self._master, 1 << 16)
            except OSError:  # nobody has the other end open
                break
            with self._came:
                self._raw += data
                self._times.append((len(self._raw), time.monotonic()))
                self._came.notify()
        os.close(self._master)

    def send(self, text: str) -> float:
        """Send keys. `seen` looks at what is written from now on. Returns the time."""
        with self._came:
            self._mark = len(self._raw)
        now = time.monotonic()
        os.write(self._master, text.encode())
        return now

    def seen(self, text: str) -> float:
        """The time at which `text` was written, waiting for it."""
        wanted = text.encode()
        end = time.monotonic() + LONG
        with self._came:
            while (at := self._raw.find(wanted, self._mark)) < 0:
                if self._process.poll() is not None or not self._came.wait(max(0.0, end - time.monotonic())):
                    raise SystemExit(f"{self._process.args} did not show {text!r}: {bytes(self._raw[-2000:])!r}")
            return self._times[bisect_right(self._times, (at + len(wanted), 0.0))][1]

    def typed_until_seen(self, letter: str, between: float = 0.01) -> float:
        """Type `letter` again and again, until it is shown: the time of that."""
        while self._process.poll() is None:
            os.write(self._master, letter.encode())
            with self._came:
                if self._came.wait_for(lambda: letter.encode() in self._raw, between):
                    break
        return self.seen(letter)

    def cpu(self) -> float:
        """Seconds of CPU that it has used, to a hundredth."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICK

    def wakes(self) -> int:
        """How often its threads have waited for something and gone on."""
        tasks = Path(f"/proc/{self._process.pid}/task").glob("*/status")
        lines = [line for task in tasks for line in task.read_text().splitlines()]
        return sum(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt"))

    def memory(self) -> float:
        """MB in memory."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024
