"""Judging one path that an action touches, by the facts about it: where it is, what it names, which rules cover it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

from xun.policy.commands.spec import Mode, Use
from xun.policy.decision import Effect, Reason
from xun.policy.facts import Facts, PathFact
from xun.policy.judge.guard import Guard, guard_of, hidden_at
from xun.policy.paths import (
    covers_new,
    hook,
    lies_below,
    matches,
    may_be_secret,
    special,
    tool,
    within,
    within_any,
)
from xun.policy.rules import Policy, Rule, RuleKind
from xun.policy.script.names import HIDDEN
from xun.policy.text.words import STAR, Arg

# What may stand before the name in a pathspec of git: `:(icase)x`, `:!x`, `:/x`.
_PATHSPEC_MAGIC = re.compile(r"^[!/^]*(?:\([^()]*\))?")
# Whoever writes below these changes the system, and other people's programs.
_SYSTEM = (
    "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot", "/opt", "/root", "/var/lib", "/var/spool",
    "/var/www", "/Library", "/System",
)  # fmt: skip
# Where programs stand that somebody installed, and what is no file.
_INSTALLED = ("/nix", "/snap", "/run", "/dev", "/proc", "/gnu", "/home/linuxbrew")
# A name that, taken apart, leaves a path or an option by itself.
_HIDES = re.compile(r"[\s'\"\\](?:[-/~.+@]|$)")
# They only tell about the machine, and end.
_TELLS = re.compile(
    r"/proc(?:/(?:meminfo|cpuinfo|loadavg|version|uptime|stat|filesystems|swaps|vmstat|diskstats))?|/dev|/sys"
)
_ASIDE = re.compile(r"/(?:private/)?(?:var/)?tmp/")
_STREAMS = re.compile(r"/dev/(?:null|zero|random|urandom|tty|stdin|stdout|stderr|fd/.*|shm/.*|pts/.*)")


@dataclass(frozen=True, slots=True)
class Places:
    """The paths of one action, judged against facts and rules.

    With `spares`, no deny rule binds a path that a grant covers.
    """

    facts: Facts
    policy: Policy
    grants: Sequence[Rule] = ()
    spares: bool = False
    guard: Guard = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "guard", guard_of(self.facts))

    def denied(self, kind: Mode | str, key: str) -> Rule | None:
        """The deny rule on reading or writing that covers the path at `key`, as spelled or as resolved."""
        of_kind: RuleKind = "write" if kind == "write" else "read"
        rules = self.policy.own(of_kind, "deny")
        if not rules:
            return None
        paths = [path for path in self.names(key) if not (self.spares and self.grant(of_kind, path))]
        for rule in rules:
            if rule.in_force(self.facts.at) and any(matches(rule.pattern, path, self.facts.roots) for path in paths):
                return rule
        return None

    def denied_below(self, *folders: str, kind: Literal["read", "write"] = "read") -> Rule | None:
        """The deny rule on reading or writing that may cover something in one of these resolved folders."""
        for rule in self.policy.own(kind, "deny"):
            if rule.in_force(self.facts.at) and any(_may_hold(one, rule.pattern, self.facts.roots) for one in folders):
                return rule
        return None

    def denied_new(self, folder: str) -> Rule | None:
        """The deny rule on writing that covers whatever comes to stand in a resolved folder."""
        for rule in self.policy.own("write", "deny"):
            if rule.in_force(self.facts.at) and covers_new(rule.pattern, folder, self.facts.roots):
                return rule
        return None

    def denied_in_folder(self, key: str) -> Rule | None:
        """The deny rule on writing that covers whatever is in the folder at `key`, such as `tests/**` of `tests`."""
        fact = self.facts.paths.get(key)
        return self.denied_new(fact.real) if fact is not None and fact.kind == "folder" and not Arg(key).glob else None

    def denied_in(self, key: str) -> Rule | None:
        """The deny rule on reading that may cover something in the folder at `key`, or in one that it matches."""
        fact = self.facts.paths.get(key)
        if fact is None or fact.kind != "folder":
            return None
        return self.denied_below(*(fact.matches or ()) if Arg(key).glob else (fact.real,))

    def names(self, key: str) -> list[str]:
        """Every path that `key` stands for: as spelled, resolved, and what a pattern matches."""
        fact = self.facts.paths.get(key)
        if fact is not None and fact.real == key and not fact.matches:
            return [key]
        spelled = posixpath.normpath(key)
        if fact is None:
            return [spelled]
        return list(dict.fromkeys((spelled, fact.real, *(fact.matches or ()))))

    def problem(self, use: Use, key: str) -> Reason | None:
        """Why a reader may not touch the path at `key` unasked, or None."""
        fact = self.facts.paths.get(key)
        shown = use.arg.text
        if fact is None:
            return Reason(code="no-facts", text=f"{shown} could not be looked up", hard=True)
        if use.mode in ("tree", "links", "searched", "compared"):
            return self.through(use, key)
        if use.mode in ("named", "listed"):
            return self.handed(use, key)
        if use.mode == "git" and may_be_secret(_PATHSPEC_MAGIC.sub("", shown.rpartition(":")[2])):
            return Reason(code="secret", text=f"{shown} names a file that holds secrets", hard=True)
        if use.mode in ("git", "gitname") and ":" in shown and not (fact.exists or shown.startswith("/")):
            return None
        if reason := _misread(use.arg, fact):
            return reason
        if endless := self._endless(use, key, fact):
            return endless
        if use.mode in ("read", "git", "exec") and self.is_secret(use, key):
            return Reason(code="secret", text=f"{shown} names a file that holds secrets", hard=True)
        if fact.unclear:
            return Reason(code="folder", text=f"where {shown} leads depends on how links are followed")
        if fact.matches is None:
            return Reason(code="glob", text=f"{shown} matches too many files to look at")
        if outside := next((path for path in (fact.real, *fact.matches) if not self.readable(path, use.mode)), None):
            # What is looked at elsewhere may be settled by a model; what is run there may not.
            hard = use.mode == "exec"
            return Reason(code="outside", text=f"{shown} is outside the workspace ({outside})", hard=hard)
        return None

    def _endless(self, use: Use, key: str, fact: PathFact) -> Reason | None:
        if fact.kind == "other" and fact.real != "/dev/null" and use.mode in ("read", "exec"):
            text = f"{use.arg.text} leads to a pipe or device, which may never end"
            return Reason(code="special-file", text=text, hard=True)
        if any(special(path) and not _TELLS.fullmatch(path) for path in self.names(key)):
            return Reason(code="special-file", text=f"{use.arg.text} leads into /proc, /sys or /dev", hard=True)
        return None

    def through(self, use: Use, key: str) -> Reason | None:
        """Why the files of the folder at `key` may not all be read unasked, or None."""
        found = (self.facts.searches if use.mode == "searched" else self.facts.trees).get(key, ())
        shown = use.arg.text
        if found is None:
            return _too_many(shown)
        fact = self.facts.paths[key]
        tops = sorted((fact.real, *(fact.matches or ())), key=len, reverse=True)
        for path, real in found:
            if use.mode == "searched" and not real:
                if path.endswith("/"):
                    continue
                text = f"what a search of {shown} passes over says a pipe or device, which may never end"
                return Reason(code="special-file", text=text, hard=True)
            top = next((one for one in tops if within(path, one)), "")
            if _passed_over(path[len(top) :], use) or (path != real and use.mode in ("tree", "compared")):
                continue
            if self.holds_secret(path) or self.holds_secret(real):
                name = ".git" if real in self.facts.holding else posixpath.basename(path)
                text = f"{path}, in {shown}, holds secrets: name other paths, or leave {name} out"
                return Reason(code="secret", text=text, hard=True)
            if not self.readable(real.rstrip("/"), "read"):
                return Reason(code="outside", text=f"{path}, in {shown}, leads out of the workspace ({real})")
            if real.endswith("/"):
                text = f"{path}, in {shown}, leads to a folder of which nobody has looked what is in it"
                return Reason(code="links", text=text)
        return None

    def handed(self, use: Use, key: str) -> Reason | None:
        """Why the names of what is in the folder at `key` may not be handed on unasked, or None."""
        found = self.facts.trees.get(key, ())
        shown = use.arg.text
        if found is None:
            return _too_many(shown)
        if use.mode == "named" and self.is_secret(use, key):
            return Reason(code="secret", text=f"{shown} names a file that holds secrets", hard=True)
        top = self.facts.paths[key].real.rstrip("/")
        back = tuple(path for path, real in self.facts.searches.get(key) or () if not real)
        for path, real in found:
            inside = path[len(top) :]
            # What an ignore file brings back is not passed over for being hidden.
            returns = back and f"{path.rstrip('/')}/".startswith(back)
            if _passed_over(inside, use._replace(skip=tuple(set(use.skip) - {*HIDDEN})) if returns else use):
                continue
            if use.odd and re.search(use.odd, inside):
                text = f"{path}, in {shown}, has a name that would be taken for something else"
                return Reason(code="names", text=text, hard=_HIDES.search(inside) is not None)
            if path.endswith("/") or (path != real and not use.links):
                continue
            if not real and use.mode == "named":
                text = f"{path}, in {shown}, is a pipe or device, which may never end"
                return Reason(code="special-file", text=text, hard=True)
            if use.mode == "named" and (self.holds_secret(path) or self.holds_secret(real)):
                return Reason(code="secret", text=f"{path}, in {shown}, holds secrets", hard=True)
            if real and not self.readable(real, "read"):
                return Reason(code="outside", text=f"{path}, in {shown}, leads out of the workspace ({real})")
        return None

    def goes_along(self, key: str) -> Iterator[Reason]:
        """The hard reasons against moving or removing what stands at `key`, for what would go with it."""
        held = self.facts.kept.get(key, ())
        top = posixpath.normpath(self.facts.paths[key].real if key in self.facts.paths else key)
        if kept := next((one for one, real in held or () if self.guard.goes(one, real, top)), None):
            text = f"{kept} would go with it, which is run or trusted later"
            yield Reason(code="protected", text=text, hard=True)
        if held is None:
            text = "it holds too many files to tell whether something in it is run later or denied by a rule"
            yield Reason(code="too-many", text=text, hard=True)

    def denied_along(self, key: str) -> Rule | None:
        """The deny rule that covers something in what is moved or removed: it would no longer find it."""
        held = [name for names in self.facts.kept.get(key) or () for name in names]
        fact = self.facts.paths.get(key)
        names = fact.matches if Arg(key).glob and fact and fact.matches is not None else self.names(key)
        for rule in (*self.policy.own("write", "deny"), *self.policy.own("read", "deny")):
            below = any(lies_below(rule.pattern, name, self.facts.roots) for name in names)
            inside = any(matches(rule.pattern, one, self.facts.roots) for one in held)
            if rule.in_force(self.facts.at) and (below or inside):
                return rule
        return None

    def readable(self, path: str, mode: Mode) -> bool:
        if path == "/dev/null" or within_any(path, self.facts.roots):
            return True
        if mode == "exec":
            return False
        if self.facts.temp and within(path, self.facts.temp):
            return True
        return self.rule("read", path, "allow") is not None or self.grant("read", path) is not None

    def is_secret(self, use: Use, key: str) -> bool:
        fact = self.facts.paths.get(key)
        if fact and use.arg.glob and not fact.matches and may_be_secret(use.arg.text):
            return True
        # The name of a folder counts where it says so of all that is in it: `token/` is source code, `.ssh/` is not.
        below = "/-" if fact and fact.kind == "folder" and not use.arg.glob else ""
        return any(self.holds_secret(path + below) for path in self.names(key))

    def holds_secret(self, path: str) -> bool:
        """Does the name of a path say that it holds secrets, or what was found in it?"""
        return path in self.facts.holding or self.guard.secret(path)

    def inside(self, path: str) -> str:
        """`path` without the root it is in: the names above a workspace say nothing about what is in it."""
        return self.guard.inside(path)

    def is_protected(self, key: str) -> bool:
        programs = self.facts.programs
        return any(self.guard.protected(path) or within_any(path, programs) for path in self.names(key))

    def change(self, key: str, shown: str, *, sandboxed: bool = False) -> Iterator[Reason]:
        """The reasons against changing the path at `key`: hard, but for what a command, `sandboxed`, puts aside."""
        fact = self.facts.paths.get(key)
        names = self.names(key)
        if fact is None:
            yield Reason(code="no-facts", text=f"{shown} could not be looked up", hard=True)
        elif self.facts.temp and all(within(path, self.facts.temp) for path in (fact.real, *(fact.matches or ()))):
            return
        elif any(special(path) for path in names):
            yield Reason(code="special-file", text=f"{shown} leads into /proc, /sys or /dev", hard=True)
        elif self.is_protected(key) or any(tool(self.inside(path)) for path in names) or ("$" in shown and hook(shown)):
            yield Reason(code="protected", text=f"{shown} is run or trusted later: it is protected", hard=True)
        elif outside := [path for path in (fact.real, *(fact.matches or ())) if not within_any(path, self.facts.roots)]:
            # A file put aside there harms nothing, and in a sandbox the folder is the agent's own.
            aside = sandboxed and _ASIDE.match(shown) and _ASIDE.match(fact.real) and fact.kind in ("missing", "file")
            text = f"{shown} is outside the workspace ({outside[0]})"
            yield Reason(code="outside", text=text, hard=not aside or Arg(key).glob or fact.links > 1)

    def exposes(self, key: str, shown: str, *, runs: bool) -> Reason | None:
        """The hard reason against leaving the path at `key` to a program that may write to it.

        `runs` says that the program may run it as well: then a folder of programs says nothing.
        """
        names = [path for path in self.names(key) if not (self.facts.temp and within(path, self.facts.temp))]
        if any(map(self.guard.protected, names)) or (not runs and self.is_protected(key)):
            return Reason(code="protected", text=f"it may write {shown}, which is run or trusted later", hard=True)
        outside = [path for path in names if not within_any(path, self.facts.roots)]
        if any(special(path) and not _STREAMS.fullmatch(path) for path in outside):
            return Reason(code="special-file", text=f"{shown} leads into /proc, /sys or /dev", hard=True)
        if found := next((path for path in outside if self.of_system(path)), None):
            return Reason(code="outside", text=f"it may write {shown}, outside the workspace ({found})", hard=True)
        return None

    def of_system(self, path: str) -> bool:
        """Is it the root folder, a folder of the system, or one of the hidden files in the home folder?"""
        home = next((one for one in self.facts.homes or (self.facts.home,) if one and within(path, one)), "")
        if home:
            return hidden_at(home, path)
        return path == "/" or within_any(path, _SYSTEM)

    def foreign(self, key: str) -> str | None:
        """Where `key` leads that is not of the workspace, the system or what is installed, also in an environment."""
        ours = (*self.facts.roots, *_INSTALLED, *([self.facts.temp] if self.facts.temp else []))
        beyond = (path for path in self.names(key) if not within_any(path, ours) and not self.of_system(path))
        return next((path for path in beyond if not tool(path)), None)

    def holds_root(self, key: str) -> bool:
        """Is what stands at `key` a root of the workspace, or a folder above one?"""
        fact = self.facts.paths.get(key)
        if fact is None:
            return False
        # A bare `*` is all there is; of another pattern it is what it matches.
        some = Arg(key).glob and key.rpartition("/")[2] != STAR
        places = fact.matches if some and fact.matches is not None else (fact.real,)
        return any(within(root, place) for root in self.facts.roots for place in places)

    def rule(self, kind: RuleKind, path: str, *effects: Effect) -> Rule | None:
        """The first rule in force of one's own that covers the resolved `path`."""
        for rule in self.policy.own(kind, *effects):
            if rule.in_force(self.facts.at) and matches(rule.pattern, path, self.facts.roots):
                return rule
        return None

    def grant(self, kind: RuleKind, path: str) -> Rule | None:
        for rule in self.grants:
            covers = rule.kind == kind and rule.effect == "allow" and rule.in_force(self.facts.at)
            if covers and matches(rule.pattern, path, self.facts.roots):
                return rule
        return None


def _too_many(shown: str) -> Reason:
    return Reason(code="too-many", text=f"{shown} holds too many files to tell what is among them", hard=True)


def _passed_over(inside: str, use: Use) -> bool:
    """Is the path of a file, or of a folder with a slash behind it, none whose name is handed on?"""
    *folders, name = inside.strip("/").split("/")
    if any(fnmatchcase(folder, pattern[:-1]) for pattern in use.skip if pattern.endswith("/") for folder in folders):
        return True
    if inside.endswith("/"):
        return False  # its name begins the names of all that is in it
    if use.only and not any(_picks(pattern, inside, name) for pattern in use.only):
        return True
    return any(fnmatchcase(name, pattern) for pattern in use.skip)


def _picks(pattern: str, path: str, name: str) -> bool:
    """Does a pattern that something is limited to pick out a path? `FOLDER/**` does what is below such a folder."""
    below = pattern.removesuffix("/**")
    return f"/{below}/" in f"/{path.lstrip('/')}" if below != pattern else fnmatchcase(name, pattern)


def _misread(arg: Arg, fact: PathFact) -> Reason | None:
    """Does a pattern give a name that is taken for something else?"""
    if fact.option and arg.leading_glob:
        return Reason(code="glob", text=f"{arg.text} matches a name that would be taken for an option")
    if fact.odd and arg.form == "split":
        return Reason(code="glob", text=f"{arg.text} matches a name that would be split: quote the variable")
    return None


def _may_hold(folder: str, pattern: str, roots: Sequence[str]) -> bool:
    """May a path in `folder` be one that the pattern of a rule covers?"""
    fixed = re.split(r"[*?\[]", pattern, maxsplit=1)[0]
    if fixed == pattern:
        return lies_below(pattern, folder, roots)
    start = posixpath.dirname(fixed)
    starts = [start] if start.startswith("/") else [posixpath.normpath(posixpath.join(root, start)) for root in roots]
    return any(within(one, folder) or within(folder, one) for one in starts)
