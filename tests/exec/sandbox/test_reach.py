"""What a command in the sandbox can reach of the rest: the network, sockets, other processes, the kernel."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import termios
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.exec.sandbox.ground import Ground, refused
from xun.exec.run import Completed

pytestmark = pytest.mark.anyio


@contextmanager
def listening(family: int, address: object, kind: int = socket.SOCK_STREAM) -> Generator[socket.socket]:
    with socket.socket(family, kind) as server:
        server.bind(address)  # ty: ignore[invalid-argument-type]
        if kind == socket.SOCK_STREAM:
            server.listen()
        server.settimeout(0.05)
        yield server


def stranger() -> subprocess.Popen[bytes]:
    """A process of the same user that is none of xun's."""
    return subprocess.Popen(["sleep", "300"], env={"KEY": "sk-very-secret"})


def connected(server: socket.socket) -> bool:
    try:
        if server.type == socket.SOCK_STREAM:
            server.accept()[0].close()
        else:
            server.recv(10)
    except TimeoutError:
        return False
    return True


# The network


async def test_tcp_and_udp_reach_nothing_that_was_not_granted(ground: Ground) -> None:
    with (
        listening(socket.AF_INET, ("127.0.0.1", 0)) as tcp,
        listening(socket.AF_INET, ("127.0.0.1", 0), socket.SOCK_DGRAM) as udp,
    ):
        tcp_port, udp_port = tcp.getsockname()[1], udp.getsockname()[1]
        attack = f"echo x > /dev/tcp/127.0.0.1/{tcp_port}; echo x > /dev/udp/127.0.0.1/{udp_port}"
        await ground.run(attack)
        assert not connected(tcp) and not connected(udp)
        await ground.granted(network=True).run(attack)
        assert connected(tcp) and connected(udp)


async def test_a_command_reaches_what_it_has_started_itself(bubble: Ground) -> None:
    code = (
        "import socket\nserver = socket.create_server(('127.0.0.1', 0))\n"
        "client = socket.create_connection(server.getsockname())\nprint('met')"
    )
    assert (await bubble.python(code)).stdout == "met\n"


@pytest.mark.parametrize("family", ["AF_VSOCK", "AF_PACKET", "AF_ALG"])
async def test_kinds_of_sockets_that_no_namespace_holds_cannot_be_made(ground: Ground, family: str) -> None:
    done = await ground.python(f"import socket; socket.socket(socket.{family}, socket.SOCK_RAW)")
    assert refused(done), done.stderr


# Sockets of the machine


@pytest.mark.parametrize("network", [False, True])
async def test_no_socket_of_another_program_is_reached(ground: Ground, place: Path, network: bool) -> None:
    """As those of Docker, of an SSH agent, of tmux: in a folder, or with an abstract name."""
    name = f"xun-test-{os.getpid()}"
    short = Path("/tmp", name)
    with listening(socket.AF_UNIX, str(short)) as one, listening(socket.AF_UNIX, str(place / "s")) as two:
        try:
            for path in (short, place / "s"):
                done = await ground.granted(network=network).python(
                    f"import socket; socket.socket(socket.AF_UNIX).connect({str(path)!r})"
                )
                assert done.returncode != 0
            assert not connected(one) and not connected(two)
        finally:
            short.unlink()


async def test_no_abstract_socket_is_reached_without_network(ground: Ground) -> None:
    name = f"\0xun-test-{os.getpid()}"
    with listening(socket.AF_UNIX, name) as server:
        done = await ground.python(f"import socket; socket.socket(socket.AF_UNIX).connect({name!r})")
        assert done.returncode != 0 and not connected(server)


# Other processes


async def test_no_other_process_is_seen_signalled_or_read(ground: Ground) -> None:
    with stranger() as other:
        try:
            attacks = (
                f"kill -9 {other.pid}; kill -9 -1; cat /proc/{other.pid}/environ /proc/{os.getpid()}/environ; "
                f"head -c 10 /proc/{os.getpid()}/mem; ls /proc/{other.pid}/root/ && cat /proc/{other.pid}/root/etc/hostname"
            )
            done = await ground.run(attacks)
            assert "very-secret" not in done.stdout + done.stderr
            assert other.poll() is None
            traced = await ground.python(
                f"import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nprint(libc.ptrace(16, {other.pid}, 0, 0))"
            )
            assert traced.stdout == "-1\n"
        finally:
            other.kill()


async def test_the_environment_of_xun_is_not_readable(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this process too, and of all above it: the keys are in there."""
    done = await ground.run("grep -laz PATH /proc/[0-9]*/environ | xargs -r -n1 dirname | sort")
    own = await ground.run("echo /proc/$$")
    if ground.profile.kind == "bwrap":
        assert len(done.stdout.split()) <= 6, done.stdout
    assert f"/proc/{os.getpid()}" not in done.stdout.split()
    assert own.stdout.startswith("/proc/")


ESCAPING = """
import os, sys, time
def orphan():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            nothing = os.open("/dev/null", os.O_RDWR)
            for number in (0, 1, 2):
                os.dup2(nothing, number)
            os.execve("/bin/sleep", ["sleep", SECONDS], {})
        os._exit(0)
    os.wait()
orphan()
print("made", flush=True)
time.sleep(WAITING)
"""
"""Leaves a process that has no parent, group, session, environment or output of the command's."""


def escaping(seconds: str, waiting: float) -> str:
    return ESCAPING.replace("SECONDS", repr(seconds)).replace("WAITING", str(waiting))


async def test_what_has_left_its_parent_session_and_environment_is_found_all_the_same(ground: Ground) -> None:
    seconds = f"35{ground.profile.kind == 'bwrap':d}{os.getpid() % 10000}"
    done = await ground.python(escaping(seconds, 0))
    assert done.ok and done.stdout == "made\n" and done.stopped and not done.background
    assert not sleeping(seconds)
    late = await ground.python(escaping(seconds, 300), timeout=1.5)
    assert late.timed_out and not sleeping(seconds)
    staying = ground.granted(background=True)
    left = await staying.python(escaping(seconds, 0))
    assert left.ok and left.background and sleeping(seconds)
    await ground.registry.shutdown(grace=0.1)
    assert not sleeping(seconds)


async def test_what_was_left_running_is_told_of_where_protected_files_came_to_be(ground: Ground) -> None:
    (ground.root / "sub").mkdir()
    staying = ground.granted(background=True)
    flag = ground.profile.tmp / "flag"
    await staying.run(
        "(until [ -e $TMPDIR/flag ]; do sleep 0.05; done; mkdir sub/.vscode; sleep 300) >/dev/null 2>&1 &"
    )
    flag.touch()
    await until((ground.root / "sub" / ".vscode").exists)
    done = await ground.run("echo next")
    assert done.appeared == (ground.root / "sub" / ".vscode",)
    assert (await ground.run("echo next")).appeared == ()


async def test_a_command_ends_with_the_status_it_has(ground: Ground) -> None:
    assert (await ground.run("exit 7")).returncode == 7
    killed = await ground.run("kill -USR1 $$; sleep 1")
    assert killed.signal == "SIGUSR1" or killed.returncode == 128 + 10
    assert (await ground.run("yes | head -1")).stdout == "y\n"
    assert (await ground.run("trap")).stdout == ""


async def test_no_other_process_is_limited_or_slowed_down(ground: Ground) -> None:
    with stranger() as other:
        try:
            code = (
                "import os, resource\n"
                f"for attack in (lambda: resource.prlimit({other.pid}, resource.RLIMIT_NOFILE, (3, 3)),\n"
                f"               lambda: os.setpriority(os.PRIO_PROCESS, {other.pid}, 19),\n"
                "               lambda: os.setpriority(os.PRIO_USER, 0, 19)):\n"
                "    try: attack()\n"
                "    except OSError as error: print('refused')\n"
                "os.nice(1); resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))\n"
                "print(resource.getrlimit(resource.RLIMIT_NOFILE))"
            )
            done = await ground.python(code)
            limits = Path(f"/proc/{other.pid}/limits").read_text()
            assert " 3 " not in next(line for line in limits.splitlines() if line.startswith("Max open files"))
            assert os.getpriority(os.PRIO_PROCESS, other.pid) == os.getpriority(os.PRIO_PROCESS, 0)
            assert done.stdout.endswith("(50, 50)\n"), done.stderr
            assert ground.profile.kind == "bwrap" or done.stdout.count("refused") == 3
        finally:
            other.kill()


async def test_no_terminal_of_a_person_can_be_read(ground: Ground) -> None:
    import pty

    main, typed = pty.openpty()
    try:
        name = os.ttyname(typed)
        done = await ground.run(f"head -c1 {name}; head -c1 /proc/self/root{name}; head -c1 /dev/tty; ls /dev/vcs*")
        assert done.returncode != 0 and done.stdout == ""
        assert "Permission denied" in done.stderr or "No such" in done.stderr
    finally:
        os.close(main)
        os.close(typed)


SURVIVORS = [
    "sleep 3{n}",
    "setsid sleep 3{n} & sleep 300",
    "(setsid sleep 3{n} &) & sleep 300",
    "trap '' TERM HUP INT; sleep 3{n} & sleep 300; sleep 300",
    "nohup setsid env -i sleep 3{n} >/dev/null 2>&1 & disown; sleep 300",
]


@pytest.mark.parametrize("number", range(len(SURVIVORS)))
async def test_nothing_survives_a_cancel(ground: Ground, number: int) -> None:
    """Nor does it by `env -i`, which takes the mark away that finds what is left without a sandbox."""
    seconds = f"3{ground.profile.kind == 'bwrap':d}{number}{os.getpid() % 10000}"
    task = asyncio.create_task(ground.run(SURVIVORS[number].replace("3{n}", seconds), timeout=60))
    await until(lambda: sleeping(seconds))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not sleeping(seconds))


async def until(condition: object) -> None:
    assert callable(condition)
    for _ in range(300):
        if condition():
            return
        await asyncio.sleep(0.02)
    pytest.fail("what was waited for did not come")


def sleeping(seconds: str) -> bool:
    found = subprocess.run(["pgrep", "-f", f"^sleep {seconds}$"], capture_output=True, check=False)
    return found.returncode == 0


async def test_a_background_child_goes_on_and_ends_with_the_session(ground: Ground) -> None:
    seconds = f"32{os.getpid() % 10000}"
    done = await ground.granted(background=True).run(f"sleep {seconds} & echo started")
    assert done.stdout == "started\n" and done.background
    assert sleeping(seconds)
    await ground.registry.shutdown(grace=0.1)
    assert not sleeping(seconds)


async def test_a_time_out_ends_all_of_it(ground: Ground) -> None:
    seconds = f"33{os.getpid() % 10000}"
    done = await ground.run(f"setsid sleep {seconds} & sleep 100", timeout=0.5)
    assert done.timed_out and not sleeping(seconds)


# The kernel


KERNEL = [
    "mount -t tmpfs none /mnt",
    "mount -o remount,rw /",
    "mount -o remount,bind,rw {root}/.git",
    "umount {root}/.git",
    "umount -l /",
    "unshare -U true",
    "unshare -Ur mount -t tmpfs none /mnt",
    "unshare -m true",
    "unshare -n true",
    "nsenter -t 1 -m true",
    "chroot / true",
    "mknod dev b 8 0",
    "dmesg",
    "sysctl -w kernel.core_pattern=x",
    "swapoff -a && cat nothing",
]


@pytest.mark.parametrize("command", KERNEL)
async def test_the_file_system_and_the_kernel_cannot_be_rearranged(ground: Ground, command: str) -> None:
    (ground.root / ".git").mkdir()
    (ground.root / ".git" / "HEAD").touch()
    assert (await ground.run(command.format(root=ground.root))).returncode != 0


CALLS = {
    "keyctl": "libc.syscall(250, 0, -3, 0, 0, 0)",
    "add_key": "libc.syscall(248, b'user', b'a', b'b', 1, -3)",
    "bpf": "libc.syscall(321, 0, 0, 0)",
    "io_uring_setup": "libc.syscall(425, 1, ctypes.create_string_buffer(200))",
    "userfaultfd": "libc.syscall(323, 0)",
    "perf_event_open": "libc.syscall(298, ctypes.create_string_buffer(200), 0, -1, -1, 0)",
    "clone into a new namespace": "libc.syscall(56, 0x10000011, 0, 0, 0, 0)",
    "clone3": "libc.syscall(435, ctypes.create_string_buffer(88), 88)",
    "fsopen": "libc.syscall(430, b'tmpfs', 0)",
    "open_by_handle_at": "libc.syscall(304, 3, ctypes.create_string_buffer(200), 0)",
    "a 32-bit number": "libc.syscall(0x40000000 + 39)",
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="these are numbers of x86_64")
@pytest.mark.parametrize("call", CALLS)
async def test_system_calls_that_lead_out_are_refused(ground: Ground, call: str) -> None:
    code = (
        "import ctypes, errno\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"print({CALLS[call]}, errno.errorcode[ctypes.get_errno()])"
    )
    done = await ground.python(code)
    assert done.stdout in ("-1 EPERM\n", "-1 ENOSYS\n"), done.stderr


async def test_threads_and_processes_still_work(ground: Ground) -> None:
    """Where `clone3` is refused, libraries take `clone`."""
    code = (
        "import threading, subprocess, multiprocessing as m\n"
        "t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\n"
        "print(subprocess.run(['echo', 'child'], capture_output=True).stdout)\n"
    )
    assert (await ground.python(code)).stdout == "thread\nb'child\\n'\n"


async def test_no_key_can_be_typed_into_a_terminal(ground: Ground) -> None:
    """TIOCSTI, on the terminal itself and on any other: refused whatever it is called on."""
    code = (
        "import fcntl, os, pty, termios\n"
        "_, slave = pty.openpty()\n"
        "for number in (termios.TIOCSTI, 0x541C):\n"
        "    try: fcntl.ioctl(slave, number, b'x')\n"
        "    except OSError as error: print(error.errno)\n"
        "try: os.open('/dev/tty', os.O_RDWR)\n"
        "except OSError as error: print('no terminal')\n"
    )
    done: Completed = await ground.python(code)
    if done.returncode != 0 and ground.profile.kind == "landlock":
        assert "pty" in done.stderr or "OSError" in done.stderr
        return
    assert done.stdout == "1\n1\nno terminal\n", done.stderr
    assert termios.TIOCSTI == 0x5412


async def test_a_fork_bomb_is_bounded(bubble: Ground) -> None:
    """In a namespace, and for root by a control group."""
    if os.geteuid() == 0 and not os.access("/sys/fs/cgroup", os.W_OK):
        pytest.skip("root is bounded by control groups alone, and there are none to be made here")
    code = (
        "import os, time, signal\n"
        "made = 0\n"
        "try:\n"
        "    while made < 5000:\n"
        "        if os.fork() == 0:\n"
        "            signal.pause()\n"
        "        made += 1\n"
        "except OSError as error:\n"
        "    print('bounded', made < 2000, error.errno, flush=True)\n"
        "os.killpg(0, 9) if made >= 5000 else None\n"
    )
    done = await bubble.python(f"{code}\nos._exit(0)", timeout=60)
    assert done.stdout == "bounded True 11\n", done
    await bubble.registry.shutdown(grace=0.1)


async def test_no_file_grows_without_end(ground: Ground) -> None:
    done = await ground.run("mkdir -p src; ulimit -f; ulimit -c; truncate -s 200G $TMPDIR/big")
    assert done.returncode != 0
    assert int(done.stdout.split()[0]) <= (64 << 30) // 512
    assert done.stdout.split()[1] == "0"


async def test_it_has_no_capabilities_and_gets_none(ground: Ground) -> None:
    done = await ground.run("grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status")
    values = dict(line.split(":\t") for line in done.stdout.splitlines())
    assert values.pop("NoNewPrivs") == "1" and values.pop("Seccomp") == "2"
    if ground.profile.kind == "bwrap" or os.geteuid() == 0:
        assert set(values.values()) == {"0000000000000000"}, values
