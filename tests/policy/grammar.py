"""A grammar of shell lines as agents write them, and of what they might be made to write: reproducible by its seed."""

from __future__ import annotations

import random
from collections.abc import Callable

WORDS = ["a", "src", "README.md", "x.py", "foo-bar", "v1.0", "näive", "日本.txt", "a=b", "HEAD~1", "10", "a:b", "😀"]
PATHS = ["src", "README.md", "a/b", "./x.py", "src/app.py", "'with blanks'", "*.py", "src/*.txt", "docs", '"$HOME"/x']
TEXTS = [
    "TODO",
    "'a b'",
    '"a b"',
    "a\\ b",
    "'it'\\''s'",
    '"say \\"hi\\""',
    "'$(x)'",
    '"100%"',
    "'#no'",
    "é",
    "'`x`'",
    "a''b",
]
# Each is allowed with the paths and texts above, but for those outside the workspace.
READERS = [
    "ls {p}", "ls -la {p} {p}", "cat {p}", "head -n 5 {p}", "tail -20 {p}", "wc -l {p}", "grep -rn {t} src", "echo {t} {t}",
    "grep -c {t} {p}", "sort -u {p}", "uniq -c", "cut -d: -f1 {p}", "printf '%s\\n' {t}", "test -f README.md", "[ -d src ]",
    "pwd", "true", "cd src", "git status --short", "git log --oneline -n 5", "git diff --stat", "git -C src status",
    "git show --stat HEAD", "git branch --show-current", "find . -name {t}", "find src -type f", "sed -n '1,5p' {p}",
    "rg -n {t}", "du -sh {p}", "file {p}", "stat {p}", "diff {p} {p}", "timeout 5 ls {p}", "env ls", "date", "which ls",
    "tr a b", "basename {p}", "git rev-parse HEAD", "jq . x.json", "tree -L 2", "nl {p}", "sleep 1", "cat",
]  # fmt: skip
WRITERS = [
    "rm -rf {p}", "touch {p}", "sed -i s/a/b/ {p}", "sort -o {p} {p}", "find . -delete", "find . -exec rm {{}} \\;",
    "git checkout {p}", "git commit -m {t}", "git branch -D {t}", "tee {p}", "python3 -c {t}", "sh -c {t}", "mv {p} {p}",
    "xargs rm", "sudo ls", "curl {t}", "env X=1 sh", "eval {t}", "git diff --output={p}", "tree -o {p}", "export A={t}",
    "make", "./run.sh", "awk {t}", "rg --pre {t} x", "printf -v x {t}", "git -c core.pager={t} log", "exec ls", "kill 1",
]  # fmt: skip
EXPANSIONS = [
    "$(ls)", '"$(cat x)"', "`pwd`", "$x", "${{x}}", '"$x"', "${{x:-y}}", "${{!x}}", "${{x@P}}", "$((1+1))", "<(ls)", ">(cat)",
    "$'a\\n'", '$"a"', "{{a,{{b,c}}}}", "~root", "$IFS", "{{1..3}}", "$?", '"$(pwd)/x"', "\"$(git log -1 --format='%h')\"",
]  # fmt: skip
SAFE_REDIRECTS = ["2>/dev/null", ">/dev/null", "2>&1", "&>/dev/null", "</dev/null", "> /dev/null", "1>&2"]
REDIRECTS = [">out", ">> out", "2>err", "< x", "<<< a", "&>> all", ">| y", "<> z", "3>&1", "{{fd}}>x", "2>&3", ">&out"]
PREFIXES = ["X=1 ", "PATH=. ", "! ", "sudo ", "nohup ", "time ", "command ", "./", "\\"]


class Lines:
    """Lines of shell text. A tame one holds readers and what the closed set has; a wild one anything."""

    def __init__(self, seed: int, *, inner: bool = False) -> None:
        self.random = random.Random(seed)
        self.inner = inner
        self.wild = False

    def line(self) -> str:
        self.wild = self.random.random() < 0.4
        text = self.chain(0)
        if self.chance(0.08):
            text += self.pick([" # done", ' # it\'s "odd"', "  ", " #", "\n", " # a \\"])
        if self.wild and self.chance(0.1):
            text += self.pick(
                [" &", ";", " |", " &&", "\u202e", "\r", " \\", "'", '"', ")", "}}", "\x1b[1A", " \\\n x"]
            )
        return text

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, options: list[str]) -> str:
        return self.random.choice(options)

    def chain(self, depth: int) -> str:
        parts = [self.pipeline(depth)]
        while self.chance(0.35) and len(parts) < 6:
            joiners = [" && ", "; ", " || ", ";", "&&", " &&\t"]
            joiners += ["\n", " & ", " ;; "] if self.wild else ["\n"] if self.inner else []
            parts += [self.pick(joiners), self.pipeline(depth)]
        return "".join(parts)

    def pipeline(self, depth: int) -> str:
        stages = [self.command(depth) for _ in range(self.random.choice([1, 1, 1, 2, 3]))]
        text = self.pick([" | ", "|", " |& " if self.wild and self.chance(0.2) else " | "]).join(stages)
        return "! " + text if self.chance(0.04) else text

    def command(self, depth: int) -> str:
        if depth < 3 and self.chance(0.12):
            return self.compound(depth + 1)
        text = self.simple()
        for _ in range(2):
            if self.chance(0.15):
                text += " " + self.redirect()
        return text

    def compound(self, depth: int) -> str:
        body = self.chain(depth)
        shapes: list[Callable[[], str]] = [
            lambda: f"({body})",
            lambda: f"{{ {body}; }}",
            lambda: f"( {body} ) 2>/dev/null",
        ]
        if self.inner or self.wild:
            shapes += [
                lambda: f'for f in {self.path()} b; do {body}; cat "$f"; done',
                lambda: f"for i in 1 2 $(seq 3); do echo $i; {body}; done",
                lambda: f"if {body}; then {self.simple()}; else {self.simple()}; fi",
                lambda: f'v=$({body}); echo "$v"',
                lambda: f'echo "got: $({body})"',
            ]
        if self.wild:
            shapes += [
                lambda: f"while {body}; do ls; done",
                lambda: f"case x in a) {body};; esac",
                lambda: f"f() {{ {body}; }}",
                lambda: f"cat <<E\n{body}\nE\n",
                lambda: f"[[ -f x ]] && {body}",
                lambda: f"coproc {body}",
            ]  # fmt: skip
        return self.random.choice(shapes)()

    def simple(self) -> str:
        template = self.pick(WRITERS) if self.wild and self.chance(0.3) else self.pick(READERS)
        while "{p}" in template or "{t}" in template:
            template = template.replace("{p}", self.hidden(self.path()), 1).replace("{t}", self.hidden(self.text()), 1)
        text = template.replace("{{", "{").replace("}}", "}")
        if self.chance(0.05):
            text = text.replace(" ", " \\\n ", 1)
        if self.chance(0.05):
            text = text.replace(" ", self.pick(["  ", "\t", " \t "]), 1)
        if self.wild and self.chance(0.1):
            text = self.pick(PREFIXES) + text
        return text

    def hidden(self, word: str) -> str:
        """Braces of a word, doubled: a template is filled word by word."""
        return word if "{{" in word else word.replace("{", "{{").replace("}", "}}")

    def path(self) -> str:
        return self.expansion() if self.wild and self.chance(0.1) else self.quoted(self.pick(PATHS))

    def text(self) -> str:
        if self.wild and self.chance(0.15):
            return self.expansion()
        return self.pick(TEXTS) if self.chance(0.5) else self.quoted(self.pick(WORDS))

    def expansion(self) -> str:
        return self.pick(["", "", "a", "-"]) + self.pick(EXPANSIONS)

    def quoted(self, word: str) -> str:
        """`word` in another spelling that may mean the same."""
        if any(char in word for char in "'\"$\\*"):
            return word
        return self.random.choice(
            [word, word, word, f"'{word}'", f'"{word}"', f"{word[0]}'{word[1:]}'", f"\\{word}", f'""{word}']
        )

    def redirect(self) -> str:
        return (
            self.pick(REDIRECTS).replace("{{", "{").replace("}}", "}")
            if self.wild and self.chance(0.3)
            else self.pick(SAFE_REDIRECTS)
        )
