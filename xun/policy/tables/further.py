"""Options and words by which a command does more than its first words say. A rule that spells them covers them.

Each is known by its program, or by that and its command. Of programs that take several tasks or targets in one command,
each is spelled; of those that nobody knows, the words that commonly change, remove or run something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from xun.policy.tables.option_forms import completed, exact
from xun.policy.tables.programs import word_set
from xun.policy.tables.variables import sets

_LISTED = "removes files, or takes their names out of a file"
_OTHER_CONFIG = (r"-c.+|--config=.*", "takes another configuration, which may be code")
_AWAY = r"--(?:[\w-]*index(?:-url)?|find-links|registry|trusted-host)(?:=.*)?|.*(?:://|git\+).*"
_INDEX = rf"-[ifC].*|--(?:config-settings|global-option|build-option)(?:=.*)?|{_AWAY}"
_PIP = (_INDEX, "installs from elsewhere")
_NPM = (rf"{_AWAY}|[\w-]+[/:][\w./#-]+", "installs from elsewhere")
_SENDS = r"-[A-Za-z0-9]*[XfF].+|--(?:method|raw-field|field|input)=.*"
_COMPOSE = (r"-[A-Za-z]*v(?:=.*)?|--volumes(?:=.*)?|--rmi(?:=.*)?|--remove-orphans(?:=.*)?", "removes data")
_NEXT = "does another task too"
# Paths that mean many, or none in particular.
_MANY = r"\.{1,2}(?:/.*)?|:.*|.*/|.*\*.*"
_PUSHES = "rewrites or skips what is checked"
_TERRAFORM = (r"--?(?:auto-approve|destroy)(?:=.*)?", "changes what is there without a question")

FURTHER: Mapping[str, tuple[str, str]] = {
    "git push": (
        completed("fd", "force force-with-lease mirror delete prune no-verify", r"\+.+|:.+"),
        "overwrites or removes what others may use",
    ),
    "git fetch": (completed("f", "force multiple", r"\+.+|--prune-t\w*"), "overwrites branches, or takes from others"),
    "git pull": (completed("f", "force", r"\+.+"), "overwrites branches"),
    "git clean": (completed("xX", "no-dry-run"), "removes what git is told to ignore"),
    "git reset": (completed("", "hard keep merge"), "throws changes away"),
    "git checkout": (
        completed("fBp", "force ours theirs merge patch pathspec-from-file", rf"--|{_MANY}"),
        "throws changes away",
    ),
    "git restore": (completed("W", "worktree pathspec-from-file"), "throws changes away"),
    "git switch": (completed("fC", "force discard-changes force-create"), "throws changes away"),
    "git branch": (completed("DMCf", "force"), "removes or overwrites a branch, merged or not"),
    "git tag": (completed("fd", "force delete"), "removes or overwrites a tag"),
    "git worktree": (completed("f", "force"), "removes what is not committed"),
    "git apply": (completed("", "unsafe-paths directory"), "writes elsewhere"),
    "git rm": (completed("rf", "force pathspec-from-file", r":.*|.*\*.*"), "removes more than a file"),
    "git mv": (completed("f", "force"), "overwrites files"),
    "git commit": (completed("", "amend no-verify pathspec-from-file", "-[aeiopqsvz]*n.*"), _PUSHES),
    "git stash": (completed("a", "all"), "takes away what git is told to ignore"),
    "git gc": (r"--prune.*|--aggressive", "removes what nothing refers to"),
    "git submodule": (completed("f", "force remote"), "throws changes away, or takes other commits"),
    "git am": (completed("", "no-verify"), _PUSHES), "git update-index": (r"--[a-qs-z].*", "changes what git looks at"),
    "git read-tree": (completed("u", "reset"), "throws changes away"),
    "git checkout-index": (completed("f", "force"), "throws changes away"),
    "git add": (completed("f", "force pathspec-from-file"), "adds what git is told to ignore"),
    "tar": (completed("T", "files-from remove-files"), _LISTED), "bsdtar": (completed("T", "files-from"), _LISTED),
    "rsync": (r"--(?:del(?:ete.*)?|files-from|remove-source-files)(?:=.*)?", _LISTED),
    "zip": (r"-[A-Za-z]*[@m].*|--move", "removes files, or takes their names from elsewhere"),
    "gh": (r"merge|close|delete|transfer|archive|rename|lock|revert", "changes what others see"),
    "glab": (r"merge|close|delete|transfer|archive|rename|revoke", "changes what others see"),
    "gh api": (_SENDS, "may change what is there"),
    "glab api": (_SENDS, "may change what is there"),
    "kubectl": (
        r"(?i:(?:.*,)?secrets?(?:[,/.].*)?)|(?:--raw|--server|--token|--as(?:-group)?|--insecure-skip-tls-verify)(?:=.*)?|-s.*|delete",
        "shows secrets, removes what runs or asks another server",
    ),
    "aws": (
        completed("", "endpoint-url delete", r"rm|rb|mv|sync|delete-.*"), "removes what is there, or reaches further"
    ),
    "tox": (completed("excf", "override conf workdir root"), "may run any environment of the project"),
    "nox": (completed("sektfp", "session keywords tags noxfile pythons", "[^-].*"), "may run any session there is"),
    "docker compose": _COMPOSE, "docker-compose": _COMPOSE, "podman compose": _COMPOSE, "podman-compose": _COMPOSE,
    "terraform": _TERRAFORM, "tofu": _TERRAFORM, "terragrunt": _TERRAFORM,
    "npm audit": (r"fix|--fix(?:=.*)?", "changes what is installed"),
    "pnpm audit": (r"--fix(?:=.*)?", "changes what is installed"),
    "cargo": (r"--fix(?:=.*)?", "changes files"),
    "uv pip": (f"uninstall|sync|{_INDEX}", "removes what is installed, or installs from elsewhere"),
    "pip install": _PIP, "pip3 install": _PIP, "uv add": _PIP, "npm install": _NPM, "npm i": _NPM, "npm ci": _NPM,
    "pnpm install": _NPM, "pnpm add": _NPM, "yarn add": _NPM, "yarn install": _NPM,
    "bun add": _NPM, "bun install": _NPM,
    "gem install": (exact("sP", "source clear-sources"), "installs from elsewhere"),
    "cargo install": (exact("", "git path index registry"), "installs from elsewhere"),
    "mypy": (completed("", "install-types config-file"), "installs packages, or takes another configuration"),
    "mocha": (r"--config=.*", _OTHER_CONFIG[1]),
    "prettier": (r"-w|--write|--config=.*", "changes files, or takes another configuration"),
    "rails": (r"(?:\w+:)+\w+", "does that task too"),
    "cmake": (r"--install.*|(?:--target|-t)=?.+", "installs what was built, or makes another target"),
    "systemctl": (completed("HM", "host machine"), "reaches another machine"),
    "ansible-playbook": (completed("i", "inventory"), "takes another inventory, which may be a program"),
    "mise": (r":::", _NEXT), "mix": (r"\+|.+,|,.*", _NEXT), "rebar3": (r".*,.*", _NEXT),
    "nim": (r"-r|--run(?:[:=].*)?", "runs what was built"),
    "deno": (r"-A|-[A-Za-z]*A.*|--allow-.*", "gives the script more rights"),
    "curl": (r".*%output\{.*|--remove-on-error", "writes a file"),
    "prisma": ("reset|--accept-data-loss|--force-reset", "removes data"),
    "vagrant": ("destroy", "removes the machine"),
    "redis-cli": (r"(?i:flush(?:all|db)|shutdown|debug|del|unlink|config|script|module)", "changes what is there"),
    "dpkg": (r"-[irP].*|--(?:install|remove|purge|unpack|configure)(?:=.*)?", "changes what is installed"),
} | dict.fromkeys(
    word_set("jest vitest ava eslint stylelint webpack rollup vite playwright cypress"), _OTHER_CONFIG
)  # fmt: skip

# Of a program that nobody knows, the words behind its name that say that it does something else.
VERBS = re.compile(
    r"(?i)(?:exec|run|ssh|rsh|shell|sh|bash|repl|eval|script|spawn|attach|console|record"
    r"|(?:[\w-]*[-:])?(?:delete|destroy|remove|rm|purge|drop|reset|wipe|prune|uninstall|publish|deploy|release|upload|production|prod|flush|stop|restart|kill|down|downgrade|rollback|revoke))"
)
# Programs that take several tasks or targets, and their options with a value.
_TASKS: Mapping[str, frozenset[str]] = {
    "make": word_set("-C --directory -o -W -j -l -O"), "ninja": word_set("-C -j -k -l -d -w"),
    "gradle": word_set(
        "-x --exclude-task --tests -p --project-dir --console --max-workers --warning-mode --priority -D -P "
        "--configuration-cache-problems --info --test"
    ),
    "mvn": word_set("-pl --projects -P --activate-profiles -T --threads -rf --resume-from -D -l --log-file"),
    "rake": word_set("-j --jobs -N"), "just": word_set("--color --chooser"),
    "task": word_set("-C --concurrency -o --output"),
    "xcodebuild": word_set(
        "-scheme -destination -workspace -project -sdk -configuration -derivedDataPath -target -arch -testPlan -jobs "
        "-resultBundlePath -xcconfig -archivePath -exportPath -exportOptionsPlist -toolchain -enableCodeCoverage "
        "-parallel-testing-enabled -maximum-parallel-testing-workers -clonedSourcePackagesDirPath"
    ),
} | dict.fromkeys(word_set("ant sbt mage lein invoke grunt gulp turbo mill grails"), frozenset())  # fmt: skip
_ALSO = {"gmake": "make", "gradlew": "gradle", "inv": "invoke", "mvnw": "mvn"}


def further_task(name: str, words: Sequence[str], covered: int) -> str:
    """A task or target behind the first `covered` words, where those name one already and not this one; or empty."""
    valued = _TASKS.get(_ALSO.get(name, name))
    if valued is None:
        return ""
    named = dict(_tasks(words, valued))
    spelled = {task for at, task in named.items() if at < covered}
    if not spelled and covered < 2:
        return ""
    return next((task for at, task in named.items() if at >= covered and task not in spelled), "")


def task_at(name: str, words: Sequence[str]) -> int | None:
    """Where the first task or target stands that a command names, 0 for none; None where the program takes none."""
    valued = _TASKS.get(_ALSO.get(name, name))
    return None if valued is None else next((at for at, _ in _tasks(words, valued)), 0)


def _tasks(words: Sequence[str], valued: frozenset[str]) -> Iterator[tuple[int, str]]:
    """The tasks that a command names, by where each stands."""
    for at, word in enumerate(words[1:], 1):
        if not word.startswith("-") and not sets(word) and not word.isdigit() and words[at - 1] not in valued:
            yield at, word


def further_path(words: Sequence[str], covered: int) -> str:
    """A second operand of `git checkout`, which is a file to overwrite, or many of `git restore`; or empty."""
    if " ".join(words[1:2]) == "restore":
        staged = any(_STAGED.fullmatch(word) for word in words)
        return "" if staged else next((word for word in words[covered:] if re.fullmatch(_MANY, word)), "")
    making = {"-b", "--orphan", "-t", "--track"}
    operands = [word for word in words[2:] if not word.startswith("-")]
    if making.intersection(words) or len(operands) < 2:
        return ""
    return operands[1] if words.index(operands[1], 2) >= covered else ""


_STASHING = word_set("push list show")


def further_stash(words: Sequence[str], covered: int) -> str:
    """What `git stash` is told to do beside putting away, where its first `covered` words do not say so; or empty."""
    told = words[2] if words[1:2] == ["stash"] and len(words) > 2 >= covered else "-"
    return "" if told.startswith("-") or told in _STASHING else told


_STAGED = re.compile(completed("S", "staged"))
# What these act on is told by an option or operand: where a rule spells one, what else is acted on, and where.
_PLAYBOOK = re.compile(r".*\.ya?ml")
_BOUND: Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "kubectl": (
        re.compile(r"-[fk].*|--(?:filename|kustomize)(?:=.*)?"),
        re.compile(r"-[fknlR].*|--(?:filename|kustomize|recursive|namespace|context|cluster|kubeconfig|user|selector|all|prune)(?:=.*)?"),
    ),
    "ansible-playbook": (_PLAYBOOK, re.compile(rf"{_PLAYBOOK.pattern}|-[el].*|--(?:extra-vars|limit)(?:=.*)?")),
}  # fmt: skip


def further_target(name: str, words: Sequence[str], covered: int) -> str:
    """What a command acts on, or where, besides what its first `covered` words name; empty where those name nothing."""
    named, more = _BOUND.get(name, (None, None))
    if named is None or more is None or not any(named.fullmatch(word) for word in words[1:covered]):
        return ""
    return next((word for word in words[covered:] if more.fullmatch(word)), "")


# Of these commands the operands name packages: of the last ones a rule without any is one for what the project lists.
_INSTALLING = frozenset(
    [(name, "install") for name in word_set("pip pip3 gem cargo go brew apt apt-get conda pipx")]
    + [(name, "add") for name in word_set("uv poetry cargo yarn pnpm bun npm")]
    + [(name, word) for name in ("pip", "pip3") for word in ("download", "wheel", "uninstall")]
    + [("npm", word) for word in ("link", "pack", "rebuild", "uninstall")]
    + [("go", "get"), ("composer", "require"), ("uv", "pip")]
)
_AS_LISTED = frozenset((name, word) for name in ("npm", "pnpm", "bun") for word in ("install", "i")) | {
    ("npm", word) for word in ("link", "pack", "rebuild")
}


def package_at(words: Sequence[str]) -> int:
    """Where a command that installs names the first package, or list of packages; 0 where it names none."""
    command = tuple(words[:2])
    if command not in _INSTALLING and command not in _AS_LISTED:
        return 0
    first = 3 if command == ("uv", "pip") else 2
    return next((at for at in range(first, len(words)) if not words[at].startswith("-")), 0)


def further_package(words: Sequence[str], covered: int) -> str:
    """A package behind the first `covered` words, where those name one already or need none; or empty."""
    first = package_at(words)
    if not first or (first >= covered and tuple(words[:2]) not in _AS_LISTED):
        return ""
    return next((word for word in words[max(covered, first) :] if not word.startswith("-")), "")
