"""Which word of a command says what it does: the one behind the program's own options, and no other.

A word that stands anywhere else, as the value of an option or a name of tests, tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xun.policy.tables.programs import base_name, git_command_at, word_set

# Options before that word which take no value, of any program that has them.
_FLAGS = word_set(
    "-q --quiet -v -vv --verbose -s --silent -y --yes --no-progress --no-color --no-input --no-interaction -n "
    "--no-ansi --offline --frozen --locked --no-cache --no-cache-dir --debug -d --disable-pip-version-check "
    "--isolated --require-virtualenv -r --recursive --no-plugins --no-config --no-workspaces --global -g "
    "--non-interactive --preview --native-tls --no-python-downloads"
)
_OF_NPM = word_set(
    "-C --prefix -w --workspace --registry --userconfig --cache --loglevel --otp --tag --dir --filter -F --cwd "
    "--reporter --store-dir --config"
)
# And those that take the next word, by program: a flag of one is an option with a value of another.
_VALUED: Mapping[str, frozenset[str]] = (
    dict.fromkeys(("npm", "bun"), _OF_NPM)
    | dict.fromkeys(("pnpm", "yarn"), _OF_NPM - {"-w"})
    | dict.fromkeys(
        ("pip", "pip3"),
        word_set("--log --proxy --retries --timeout --exists-action --trusted-host --cert --client-cert --cache-dir "
                 "--python --keyring-provider"),
    )
    | dict.fromkeys(
        ("docker", "podman"), word_set("-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey")
    )
    | {
        "uv": word_set("--directory --project --config-file --cache-dir --color --allow-insecure-host --python -p"),
        "poetry": word_set("-C --directory -P --project"),
        "cargo": word_set("-C --config --color -Z --manifest-path"),
        "go": word_set("-C"),
        "composer": word_set("-d --working-dir"),
        "gh": word_set("-R --repo"),
        "glab": word_set("-R --repo"),
        "helm": word_set("--kube-context --kubeconfig -n --namespace"),
        "svn": word_set("--username --password --config-dir --config-option"),
        "hg": word_set("-R --repository --cwd --config --encoding --color --pager"),
        "jj": word_set("-R --repository --config --config-file --color --at-op"),
    }
)  # fmt: skip
# Stands before the word that tells, and names only where that counts.
_THROUGH: Mapping[str, frozenset[str]] = {"yarn": word_set("workspace"), "composer": word_set("global")}
GH_USES_GIT = frozenset(
    (first, second)
    for first, seconds in {
        "pr": "checkout create merge",
        "mr": "checkout create merge",
        "repo": "clone fork sync create",
        "gist": "clone",
    }.items()
    for second in seconds.split()
)
"""What gh has git do here, which starts hooks as git does."""
_PYTHON_FLAGS = re.compile(r"-[IEsSBuqOPbvx]+")
_PIP = word_set("pip twine")


def subcommand(words: Sequence[str]) -> tuple[str, ...]:
    """The plain words that say what a command does, up to two; none where an option before them is not known.

    `words` begin with the program.
    """
    name = base_name(words[0])
    at = 1 + git_command_at(words[1:]) if name == "git" else _behind_options(name, words)
    if at >= len(words):
        return ()
    if words[at] in _THROUGH.get(name, ()):
        return subcommand([name, *words[at + (1 if name == "composer" else 2) :]])
    second = next((word for word in words[at + 1 :] if not word.startswith("-")), None)
    return (words[at],) if second is None else (words[at], second)


def _behind_options(name: str, words: Sequence[str]) -> int:
    """Where the first word behind the program's own options stands; the end where one of them is not known."""
    valued = _VALUED.get(name, frozenset())
    at = 1
    while at < len(words) and words[at].startswith(("-", "+")):
        word = words[at]
        if word in valued:
            at += 2
        elif word in _FLAGS or "=" in word or word.startswith("+"):
            at += 1
        else:
            return len(words)
    return at


def as_module(words: Sequence[str]) -> Sequence[str]:
    """`python -m pip …` as the command that it is; any other one as it stands."""
    if not base_name(words[0]).startswith(("python", "pypy")):
        return words
    at = 1
    while at < len(words) and _PYTHON_FLAGS.fullmatch(words[at]):
        at += 1
    told = at + 1 < len(words) and words[at] == "-m" and words[at + 1] in _PIP
    return words[at + 1 :] if told else words
