"""What comes out of an archive may be a link: what the same text does below where it is unpacked, a person decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.judging import HOME, rule
from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Settings

INNER = Settings(newlines="split", substitution="inner", loops="inner", wrappers="inner")


@pytest.fixture
def place(work: Path) -> Path:
    for folder in ("src", "out", "vendor/lib"):
        (work / folder).mkdir(parents=True)
    for file in ("README.md", "src/a.py", "a.tar", "a.zip"):
        (work / file).write_text("x\n")
    return work


def judged(command: str, place: Path, settings: Settings) -> Decision:
    unpacking = ("tar", "unzip", "7z", "cpio", "make", "cp", "mv", "rm", "bat")
    policy = Policy(rules=[rule("allow", "command", name) for name in unpacking], settings=settings)
    return check_command(command, policy=policy, cwd=place, home=HOME)


@pytest.mark.parametrize("settings", [Settings(), INNER], ids=["as it is", "all judged"])
@pytest.mark.parametrize(
    "command",
    ["tar xf a.tar && cat link", "tar xf a.tar; cat link", "tar -xzf a.tar && head -5 d/link", "tar xf a.tar && cat README.md",
     "tar --extract --file=a.tar && grep x link", "tar xf a.tar && cat *.txt", "tar xf a.tar && grep -R x .",
     "tar xf a.tar && grep -r x d", "tar xf a.tar -C out && cat out/link", "tar -C out -xf a.tar && cat out/link",
     "tar xf a.tar --directory=out && cat out/link", "tar xf a.tar -C out && cd out && cat link", "cd out && tar xf ../a.tar && cat link",
     "unzip a.zip && cat link", "unzip -q a.zip -d out && cat out/link", "unzip a.zip -dout; cat out/link", "7z x a.7z && cat link",
     "7z x -oout a.7z && cat out/link", "cpio -id < a.cpio; cat link", "cat a.cpio | cpio -idm && cat link", "bsdtar -xf a.zip && cat link",
     "python -m tarfile -e a.tar out && cat out/link", "curl -s http://x/a.tgz | tar xz && cat link", "tar xf a.tar && find . | xargs cat",
     "tar xf a.tar && cp link /tmp/x", "tar xf a.tar && cp README.md link", "tar xf a.tar && echo x > link", "tar xf a.tar && echo x >> d/link",
     "tar xf a.tar && rm -rf d/link", "tar xf a.tar && mv d link", "tar xf a.tar && touch link", "tar xf a.tar && chmod 600 link",
     "tar xf a.tar && bat link", "tar xf a.tar && cat link --unknown", "tar xf a.tar && make -C d", "tar xf a.tar && curl -d @link http://x",
     "bash -c 'tar xf a.tar; cat link'", "timeout 9 tar xf a.tar && cat link", "for i in 1 2; do cat link; tar xf a.tar; done",
     "tar xf a.tar & cat link", "cat link & tar xf a.tar", "(sleep 1; cat link) | tar xf a.tar", "tar xf a.tar && tar xf b.tar -C link",
     "cat link; tar xf a.tar; cat link", "tar xf a.tar && cat ./out/../link", "tar xf a.tar && wc -l < link", "unrar x a.rar out/ && cat out/x",
     "tar -x -o -f a.tar && cat link", "tar xfC a.tar out && cat out/link", "tar -xCout -f a.tar && cat out/link", "tar -xf a.tar --one-top-level && cat a/link",
     "unar -o out a.rar && cat out/link", "tar xf a.tar -C out -C d && cat out/d/link", "tar xf a.tar && rg x",
     "tar xf a.tar && find . -type f | xargs wc -l", "tar xf a.tar -C out && rg x out", "python -m zipfile -e a.zip out && cat out/x",
     "jar xf a.jar && cat link", "dpkg-deb -x a.deb out && cat out/link"],
)  # fmt: skip
def test_what_is_done_with_it_in_the_same_text_is_hard(command: str, settings: Settings, place: Path) -> None:
    decision = judged(command, place, settings)
    assert decision.hard, [reason.text for reason in decision.reasons]


@pytest.mark.parametrize(
    "command",
    ["tar xf a.tar", "tar xf a.tar && ls -la", "tar xf a.tar && ls d && make", "file a.tar && tar xf a.tar", "tar tf a.tar && cat README.md",
     "tar xf a.tar && cd d && make", "tar xf a.tar && rm a.tar", "tar xf a.tar -C out && cat README.md", "tar xf a.tar -C out && grep -r x src",
     "unzip -l a.zip && cat README.md", "unzip -p a.zip x | head", "tar xOf a.tar x | head; cat README.md", "tar cf b.tar src && cat README.md",
     "tar xf a.tar && git status", "tar xf a.tar -C out && rg x src", "tar xf a.tar && find . -type f", "cat README.md && tar xf a.tar", "cat a.tar | tar x",
     "tar xf a.tar -C out && cat vendor/lib/x", "tar xf a.tar && tar xf b.tar", "tar xf a.tar && echo done.", "tar xf a.tar -C out && find src -type f | xargs wc -l",
     "tar xvf a.tar > /dev/null 2>&1", "tar xf a.tar && pwd && mkdir -p build"],
)  # fmt: skip
def test_others_are_not(command: str, place: Path) -> None:
    decision = judged(command, place, INNER)
    assert not decision.hard, [reason.text for reason in decision.reasons]


def test_it_is_said_what_cannot_be_told(place: Path) -> None:
    deciding = judged("tar xf a.tar -C out && cat out/link", place, Settings()).deciding
    assert deciding is not None and deciding.segment == "cat out/link"
    assert (
        deciding.text
        == "what out/link is cannot be told: the same text unpacks an archive there; send it as a command by itself"
    )
