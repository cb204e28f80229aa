"""git: which subcommands read, with which options, and which global options leave them readers.

Readers still obey the repository's own configuration, which may name programs to run: `xun.gate.repository` looks it
up, and a finding there asks whatever is said here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from xun.policy.commands.builtins import nothing
from xun.policy.commands.git_refs import BRANCH, TAG
from xun.policy.commands.git_settings import config
from xun.policy.commands.git_values import CHECKS, check_format
from xun.policy.commands.spec import Judge, Parsed, Refused, Table, Use, fixed
from xun.policy.tables.programs import word_set
from xun.policy.text.words import Arg

MAX_STEPS = 8  # of `-C`, one after another
_GLOBAL_FLAGS = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"})


# Settings for one call that change no more than how output looks.
_SETTING = re.compile(
    r"(?i:color\.[a-z.]+)=(?:true|false|auto|always|never)|(?i:core\.quotepath)=(?:true|false|on|off)|core\.pager=(?:cat)?"
    r"|pager\.[a-z]+=false|core\.abbrev=\w+|log\.decorate=\w+|diff\.(?:renames|algorithm|context)=\w+"
    r"|advice\.\w+=(?:true|false)"
)


def split_globals(args: Sequence[Arg]) -> tuple[int, list[Use]]:
    """Skip the harmless global options after `git`: how many arguments to the subcommand, and folders entered.

    `args` excludes `git` itself. Raises `Refused` at a global option that may redirect configuration or repository.
    """
    uses: list[Use] = []
    at = 0
    while at < len(args) and args[at].text.startswith("-"):
        text = args[at].text
        if text in _GLOBAL_FLAGS:
            at += 1
        elif (
            text == "-C"
            and at + 1 < len(args)
            and args[at + 1].text
            and not args[at + 1].glob
            and len(uses) < MAX_STEPS
        ):
            uses.append(Use(args[at + 1], "dir"))
            at += 2
        elif text == "-c" and at + 1 < len(args) and _SETTING.fullmatch(args[at + 1].text):
            at += 2
        elif text == "--version" and len(args) == 1:
            return at, uses
        else:
            raise Refused("flag", f"the global option {text} of git is not known to be harmless", flag=text)
    return at, uses


# Output and limits of diffs, shared by diff, show, log and stash show: what shows names and numbers alone, what
# changes how differences are found, and what shows content or how it looks.
_DIFF_FLAGS = "pusRabwWz"
_DIFF_GLUED = "BMCDXU"
_DIFF_VALUED = {"S": "text", "G": "text", "l": "number"}
_DIFF_NAMES = (
    "no-patch raw stat? numstat shortstat compact-summary dirstat? cumulative summary name-only name-status quiet"
)
_DIFF_FINDING = (
    "minimal patience histogram diff-algorithm=text color? no-color color-moved? no-color-moved color-moved-ws=text "
    "no-renames rename-empty full-index abbrev? no-abbrev break-rewrites? find-renames? find-copies? "
    "find-copies-harder diff-filter=text pickaxe-all pickaxe-regex ignore-cr-at-eol ignore-space-at-eol "
    "ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines=text inter-hunk-context=number "
    "exit-code no-ext-diff no-textconv ignore-submodules? src-prefix=text dst-prefix=text no-prefix default-prefix "
    "line-prefix=text ita-invisible-in-index relative no-relative indent-heuristic anchored=text"
)
_DIFF_CONTENT = (
    "patch unified=number patch-with-raw patch-with-stat word-diff? word-diff-regex=text color-words? check "
    "ws-error-highlight=text binary text function-context"
)
_DIFF_LONG = f"{_DIFF_NAMES} {_DIFF_FINDING} {_DIFF_CONTENT}"
# Paths do not limit what is shown, or are passed over as revisions that are missing.
_UNLIMITED_LONG = "full-diff ignore-missing"
UNLIMITED = frozenset({*_UNLIMITED_LONG.split(), "follow"})  # what was copied is followed to where it came from
# Which commits are shown, and how.
_WALK = (
    "max-count=number skip=number since=text after=text until=text before=text author=text committer=text "
    "grep=text grep-reflog=text all-match invert-grep regexp-ignore-case basic-regexp extended-regexp "
    "fixed-strings perl-regexp merges no-merges min-parents=number max-parents=number first-parent not all "
    "branches? tags? remotes? glob=text exclude=text reflog cherry cherry-mark cherry-pick "
    "left-only right-only left-right boundary walk-reflogs merge simplify-merges simplify-by-decoration "
    "full-history dense sparse ancestry-path date-order author-date-order topo-order reverse no-walk? "
    "do-walk pretty? format=format abbrev-commit no-abbrev-commit oneline encoding=text notes? no-notes "
    "relative-date date=pads parents children graph show-linear-break? decorate? no-decorate "
    "decorate-refs=text decorate-refs-exclude=text source follow log-size no-mailmap mailmap "
    "use-mailmap no-use-mailmap clear-decorations no-show-signature"
)
_LOG_LONG = f"{_WALK} {_UNLIMITED_LONG} diff-merges=merges cc dd"
_OF_TREES = "root no-commit-id"
_COMPARED = "cached staged merge-base base ours theirs"


def _names(long: str) -> frozenset[str]:
    return frozenset(re.split(r"[=?]", entry)[0] for entry in long.split())


# By `Parsed` names. What is in neither shows content, tells whether a text stands in it (`-S`, `-G`), or lets something
# else be shown than the operands say.
NAMES_ALONE = _names(_DIFF_NAMES) | {"s", "X", "q"}
NO_CONTENT = (
    NAMES_ALONE
    | _names(f"{_DIFF_FINDING} {_WALK} {_COMPARED} {_OF_TREES}")
    | frozenset("RabwzBMCDlignEFPnrt")
    | {"digits"}
)
# With these, commits and what tags lead to are shown that no operand names.
ENUMERATING = word_set("all branches tags remotes glob reflog walk-reflogs g merge")
GREP_NAMING = word_set("l L c q files-with-matches files-without-match name-only count quiet")


def _values(parsed: Parsed) -> None:
    for name, value in parsed.options:
        if name in ("pretty", "format") and value:
            check_format(value)
        if name == "L" and value:  # START,END:FILE or :FUNCTION:FILE
            parsed.uses.append(Use(Arg(value.pattern.rpartition(":")[2] or "."), "git"))


_DIFF = Table(
    flags=_DIFF_FLAGS,
    glued=_DIFF_GLUED,
    valued=_DIFF_VALUED,
    long=f"{_DIFF_LONG} {_COMPARED}",
    operands="git",
    digits=True,
)
# Of two paths, whatever repository they lie in.
_DIFF_FOUND = replace(_DIFF, long=f"{_DIFF_LONG} no-index", operands="read", most=2)
_LOG = Table(
    flags=_DIFF_FLAGS + "imgcEFPq",
    glued=_DIFF_GLUED,
    valued=_DIFF_VALUED | {"n": "number", "L": "text"},
    long=f"{_DIFF_LONG} {_LOG_LONG}",
    operands="git",
    digits=True,
    checks=CHECKS,
    then=_values,
)
# git drops a `--` of these, and takes what stands behind it for options of `git log` or `git diff`.
_LOG_HANDED = replace(_LOG, ends=False)
_DIFF_HANDED = replace(_DIFF, ends=False)
_DIFF_TREE = replace(
    _LOG, flags=_DIFF_FLAGS + "rtmcv", long=f"{_DIFF_LONG} {_OF_TREES} pretty? format=format oneline cc"
)
_DIFF_INDEX = Table(
    flags=_DIFF_FLAGS + "m",
    glued=_DIFF_GLUED,
    valued=_DIFF_VALUED,
    long=f"{_DIFF_LONG} cached merge-base",
    operands="git",
)
_DIFF_FILES = Table(
    flags=_DIFF_FLAGS + "q0123c",
    glued=_DIFF_GLUED,
    valued=_DIFF_VALUED,
    long=f"{_DIFF_LONG} {_COMPARED} cc",
    operands="git",
)
_STATUS = Table(
    flags="sbvz",
    glued="u",
    long="short branch show-stash no-show-stash porcelain? long verbose untracked-files? ignore-submodules? "
    "ignored? column? no-column ahead-behind no-ahead-behind renames no-renames find-renames?",
    operands="gitname",
)
_BLAME = Table(
    flags="lstbefnpwkc",
    glued="MC",
    valued={"L": "text"},
    long="root show-stats incremental porcelain line-porcelain encoding=text first-parent date=pads "
    "abbrev=number since=text score-debug show-name show-number show-email ignore-rev=text color-lines "
    "color-by-age minimal",
    operands="git",
)
LS_FILES = Table(
    flags="cdmoiskutvfz",
    valued={"x": "text"},
    long="cached deleted modified others ignored stage directory no-empty-directory unmerged killed "
    "exclude=text exclude-standard error-unmatch full-name abbrev? deduplicate eol",
    operands="gitname",
)
_LS_TREE = Table(
    flags="drtlz",
    long="long name-only name-status object-only full-name full-tree abbrev?",
    operands="gitname",
)
_GREP_FILES = Table(
    flags="aIilnhHcLvwEGFPopqWrz",
    valued={"A": "number", "B": "number", "C": "number", "e": "text", "f": "read", "m": "number"},
    long="cached untracked no-index no-exclude-standard exclude-standard text ignore-case max-depth=number recursive "
    "no-recursive word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings "
    "line-number column files-with-matches name-only files-without-match null only-matching count color? "
    "no-color break heading show-function context=number after-context=number before-context=number "
    "function-context max-count=number and or not all-match quiet",
    operands="git",
    digits=True,
)
_GREP = replace(_GREP_FILES, first="text")
_REV_PARSE = Table(
    flags="q",
    long="verify quiet short? abbrev-ref? symbolic symbolic-full-name all branches? tags? remotes? git-dir "
    "absolute-git-dir git-common-dir show-toplevel show-superproject-working-tree show-prefix show-cdup "
    "is-inside-git-dir is-inside-work-tree is-bare-repository is-shallow-repository revs-only no-revs flags "
    "no-flags sq since=text after=text until=text before=text not default=text show-object-format? "
    "show-ref-format local-env-vars",
    operands="gitname",
)
_REV_LIST = Table(
    flags="q",
    valued={"n": "number"},
    long=_LOG_LONG + " objects quiet header timestamp count",
    operands="gitname",
    digits=True,
    checks=CHECKS,
    then=_values,
)
_SHORTLOG = Table(
    flags="nsec",
    glued="w",
    long="numbered summary email committer no-merges merges since=text until=text after=text before=text "
    "author=text all group=format format=format",
    operands="gitname",
    digits=True,
    checks=CHECKS,
)
_DESCRIBE = Table(
    long="all tags contains abbrev=number candidates=number exact-match debug long match=text exclude=text "
    "always first-parent dirty? broken?",
    operands="gitname",
)
_CAT_FILE = Table(
    flags="tspe", long="allow-unknown-type batch? batch-check? batch-all-objects unordered buffer", operands="git"
)
_MERGE_BASE = Table(flags="a", long="all octopus independent is-ancestor fork-point", operands="gitname")
_NAME_REV = Table(long="tags refs=text exclude=text all name-only no-undefined always", operands="gitname")
_SHOW_REF = Table(
    flags="dqs", long="head heads tags branches dereference hash? verify abbrev? quiet exists", operands="gitname"
)
_FOR_EACH_REF = Table(
    long="count=number sort=format format=format color? points-at=text merged? no-merged? contains? "
    "no-contains? ignore-case omit-empty exclude=text",
    operands="gitname",
    checks=CHECKS,
)
_CHECK_IGNORE = Table(flags="qvnz", long="quiet verbose non-matching no-index", operands="gitname")
_COUNT_OBJECTS = Table(flags="vH", long="verbose human-readable", operands="gitname", most=0)


def _symbolic_ref(args: Sequence[Arg]) -> list[Use]:
    """`git symbolic-ref NAME`: a second name would set it."""
    return Table(flags="q", long="quiet short", operands="text", most=1)(args)


def _grep(args: Sequence[Arg]) -> list[Use]:
    parsed = _GREP_FILES.parse(args)
    if parsed.has("untracked") and parsed.has("no-exclude-standard"):
        raise Refused("flag", "it would also search what git is told to ignore", flag="--no-exclude-standard")
    given = parsed.has("e", "f")
    through: list[Use] = []
    if parsed.has("untracked", "no-index", "no-exclude-standard"):
        # It reads folders through, files that git does not keep among them: secrets are seldom kept.
        places = parsed.operands if given else parsed.operands[1:]
        for place in places:
            if place.glob or place.text.startswith(":") or any(mark in place.text for mark in "*?[\\"):
                text = f"which untracked files {place.text} stands for cannot be told"
                raise Refused("operand", text, hard=True)
        through = [Use(place, "tree") for place in places or (Arg("."),)]
    return (_GREP_FILES if given else _GREP)(args) + through


def _diff(args: Sequence[Arg]) -> list[Use]:
    """`git diff`: of two paths that are not both in its work tree, it compares all that is in them."""
    if any(arg.text == "--no-index" for arg in args):
        if len(_DIFF_FOUND.parse(args).operands) != 2:
            raise Refused("operand", "which two paths it compares is not said")
        uses = _DIFF_FOUND(args)
        return [*uses, *(use._replace(mode="tree") for use in uses)]
    operands = _DIFF.parse(args).operands
    two = len(operands) == 2 or any(arg.glob for arg in operands)
    return _DIFF(args) + [Use(arg, "compared") for arg in operands if two]


_CHECK_ATTR = Table(flags="az", long="all cached source=text", operands="gitname")
_SHOW_BRANCH = Table(
    flags="arg",
    long="all remotes current topo-order date-order sparse more=number list merge-base independent no-name sha1-name "
    "topics color? no-color reflog?",
    operands="gitname",
)
_VARIABLES = word_set(
    "GIT_AUTHOR_IDENT GIT_COMMITTER_IDENT GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_DEFAULT_BRANCH GIT_SHELL_PATH "
    "GIT_ATTR_SYSTEM GIT_ATTR_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_GLOBAL"
)
_CHERRY = Table(flags="v", long="verbose abbrev?", operands="gitname", most=3)
_REMOTE = Table(flags="v", long="verbose", operands="text", most=0)
_REMOTE_URL = Table(long="push all", operands="text", most=1)
_APPLY = Table(
    flags="Rv",
    valued={"p": "number", "C": "number"},
    long="check stat numstat summary reverse verbose cached index recount unidiff-zero ignore-whitespace "
    "ignore-space-change inaccurate-eof allow-overlap allow-empty quiet include=text exclude=text directory=text",
)
_FSCK = Table(
    long="unreachable dangling no-dangling root tags cache no-reflogs full no-full strict verbose progress no-progress "
    "connectivity-only name-objects",
    operands="gitname",
)
_NOTES_LIST = Table(operands="gitname", most=1)
_WORKTREE_LIST = Table(flags="vz", long="porcelain verbose", operands="text", most=0)


def _remotes(args: Sequence[Arg]) -> list[Use]:
    """`git remote [-v]`: a word behind it is another command, which changes remotes or asks them."""
    if word := next((arg.text for arg in args if not arg.text.startswith("-")), ""):
        raise Refused("subcommand", f"git remote {word} is not on the allowlist", flag=word)
    return _REMOTE(args)


def _reflog(args: Sequence[Arg]) -> list[Use]:
    """`git reflog [REF]`; its other actions rewrite the log."""
    for arg in args:
        if arg.glob or arg.text in ("expire", "delete", "exists", "drop", "write", "list"):
            raise Refused("operand", f"git reflog {arg.text} is not a reader", flag=arg.text)
    return _LOG_HANDED(args)


# By one or two words after `git`; two words go first.
SUBCOMMANDS: dict[str, Judge] = {
    "status": _STATUS, "diff": _diff, "log": _LOG, "show": _LOG, "whatchanged": _LOG, "blame": _BLAME,
    "ls-files": LS_FILES, "ls-tree": _LS_TREE, "grep": _grep, "rev-parse": _REV_PARSE, "rev-list": _REV_LIST,
    "shortlog": _SHORTLOG, "describe": _DESCRIBE, "cat-file": _CAT_FILE, "merge-base": _MERGE_BASE,
    "name-rev": _NAME_REV, "show-ref": _SHOW_REF, "for-each-ref": _FOR_EACH_REF, "check-ignore": _CHECK_IGNORE,
    "count-objects": _COUNT_OBJECTS, "branch": BRANCH, "tag": TAG, "symbolic-ref": _symbolic_ref,
    "remote": _remotes, "remote get-url": _REMOTE_URL, "stash list": _LOG_HANDED, "stash show": _DIFF_HANDED,
    "worktree list": _WORKTREE_LIST, "diff-tree": _DIFF_TREE, "cherry": _CHERRY, "config": config,
    "reflog": _reflog, "version": nothing, "check-attr": _CHECK_ATTR, "show-branch": _SHOW_BRANCH,
    "diff-index": _DIFF_INDEX, "diff-files": _DIFF_FILES, "var": fixed(*_VARIABLES), "fsck": _FSCK,
    "notes list": _NOTES_LIST,
    **dict.fromkeys(("apply --check", "apply --stat", "apply --numstat", "apply --summary"), _APPLY),
}  # fmt: skip

# Those that may show content, with the tables that tell which words limit it.
SHOWING: Mapping[str, Table] = {
    "diff": _DIFF, "log": _LOG, "show": _LOG, "whatchanged": _LOG, "reflog": _LOG_HANDED, "stash list": _LOG_HANDED,
    "stash show": _DIFF_HANDED, "grep": _GREP_FILES, "cat-file": _CAT_FILE,
    "diff-tree": _DIFF_TREE, "diff-index": _DIFF_INDEX, "diff-files": _DIFF_FILES,
}  # fmt: skip
