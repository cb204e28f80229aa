"""A repository as the commands of the corpora expect one."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import subprocess
import tarfile
from pathlib import Path

FILES = {
    "README.md": "# x\n\nspecial_offer --output foo TODO\n",
    "src/app.py": "import os\n\n\ndef main() -> None:\n    foo = 'bar'\n",
    "src/x.txt": "foo\nbar\n",
    "x.py": "x = 1\n",
    "eval.py": "print(1)\n",
    "sudo.txt": "no\n",
    "tests/x.py": "def test_a_and_not() -> None:\n    assert True\n",
    "tests/test_x.py": "def test_one() -> None:\n    assert True\n",
    "docs/naïve.md": "café\n",
    "docs/日本.txt": "é\n",
    "sub/a.txt": "a\n",
    "a/b": "1\n2\n",
    "dir with spaces/notes.txt": "note\n",
    "with blanks": "b\n",
    "data.json": '{"items": [{"name": "a"}]}\n',
    "x.json": "{}\n",
    "data.csv": "a,b\n1,2\n",
    "nums.txt": "3\n1\n2\n",
}


def repository(top: Path) -> Path:
    """Make one in `top`: three commits, and a change that is not committed."""
    for name, text in FILES.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    _pack(top)
    _git(top, "init", "-q")
    for turn in range(3):
        (top / "README.md").write_text(FILES["README.md"] + f"turn {turn}\n")
        _git(top, "add", "-A")
        _git(top, "commit", "-qm", f"turn {turn}")
    (top / "src" / "app.py").write_text(FILES["src/app.py"] + "# changed\n")
    return top


def _pack(top: Path) -> None:
    """Archives, compressed files and a program, for those that read such."""
    with tarfile.open(top / "a.tgz", "w:gz") as archive:
        archive.add(top / "src", "src")
    with tarfile.open(top / "a.txz", "w:xz") as archive:
        archive.add(top / "src", "src")
    for name, pack in {"f.gz": gzip.compress, "f.bz2": bz2.compress, "f.xz": lzma.compress}.items():
        (top / name).write_bytes(pack(b"x\n"))
    program = shutil.which("true")
    assert program is not None
    for name in ("x", "x.o", "x.so"):
        shutil.copyfile(program, top / name)


def _git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"]
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)
