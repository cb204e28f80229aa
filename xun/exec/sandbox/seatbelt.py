"""Seatbelt, the sandbox of macOS, by `sandbox-exec`. Written from its documentation: no test here runs it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from xun.exec.sandbox.profile import Profile
from xun.exec.sandbox.repository import Repository, folders_of
from xun.exec.sandbox.scan import inside, protected_entries, standing

PROGRAM = "/usr/bin/sandbox-exec"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/tty", "/dev/dtracehelper")


def argv_of(profile: Profile, repositories: Sequence[Repository], always: Iterable[str]) -> list[str]:
    """`sandbox-exec` with the rules for `profile`, to put in front of a command."""
    return [PROGRAM, "-p", rules_of(profile, repositories, tuple(always))]


def probe() -> list[str]:
    return [PROGRAM, "-p", "(version 1)(allow default)(deny file-write*)", "/bin/sh", "-c", "exit 0"]


def rules_of(profile: Profile, repositories: Sequence[Repository], always: tuple[str, ...]) -> str:
    """The rules: of two that fit, the later one counts."""
    folders = folders_of(repositories)
    always_kept = (root / name for root in profile.roots for name in always)
    kept = [path for path in (*protected_entries(profile), *always_kept) if not profile.opens(path)]
    if not profile.git:
        kept += [folder for folder in folders if inside(folder, profile.roots)]
    there = [path for path in profile.writable if path.exists() or path not in profile.folders]
    opened = [*profile.open_folders, *there, *standing(profile.folders), *(folders if profile.git else ())]
    kept += [path for one in repositories for path in (*one.kept(), *one.missing)] if profile.git else []
    kept += profile.programs
    lines = [
        "(version 1)",
        "(allow default)",
        "(deny file-write*)",
        *(f"(allow file-write* (literal {_text(path)}))" for path in map(Path, _DEVICES)),
        *(f"(allow file-write* (subpath {_text(path)}))" for path in opened),
        *(f"(deny file-write* (subpath {_text(path)}))" for path in kept),
        *(f"(deny file-read* file-write* (subpath {_text(path)}))" for path in profile.hidden),
    ]
    if profile.cache is not None:
        lines.append(f"(allow file-read* file-write* (subpath {_text(profile.cache)}))")
    if not profile.network:
        lines.append("(deny network*)")
    lines += ["(deny process-info* (target others))", "(deny signal (target others))", "(deny mach-task-name)"]
    return "\n".join(lines)


def _text(path: Path) -> str:
    escaped = os.fspath(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
