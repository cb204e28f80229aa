"""Other names of secret files: a file with more than one name may be one of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from xun.gate import inside
from xun.gate.listing import Budget
from xun.policy.facts import PathFact
from xun.policy.judge.guard import Guard

_MOST = 20_000  # entries that are looked through for the secrets of a workspace


def names_of_secrets(facts: Iterable[PathFact], guard: Guard) -> Iterator[str]:
    """The resolved paths of those files with several names, one of which is that of a secret in the workspace.

    The disk is looked through only where there is such a file at all.
    """
    several = [fact.real for fact in facts if fact.links > 1 and not guard.secret(fact.real)]
    secrets = _identities(guard) if several else set()
    yield from (path for path in several if _identity(path) in secrets)


def _identities(guard: Guard) -> set[tuple[int, int] | None]:
    roots: Sequence[str] = guard.roots
    found = [real for root in roots for _, real in inside.tree(root, roots, Budget(_MOST, roots)) or ()]
    own = [path for path in guard.own if guard.own_secret(path)]
    return {_identity(path) for path in (*filter(guard.secret, found), *own)} - {None}


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - names may hold any bytes
    except OSError:
        return None
    return status.st_dev, status.st_ino
