"""Programs that run another one through a command of their own, such as `uv run` and `npm exec`.

An entry that only names such a command would allow anything: what stands behind it is judged as an entry by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xun.policy.tables.programs import INTERPRETERS, SHELLS, base_name, word_set

_CONTAINERS = (
    ("run",), ("exec",), ("compose", "run"), ("compose", "exec"), ("container", "run"), ("container", "exec"),
)  # fmt: skip
# The commands of each program that run what follows them.
RUNNERS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "uv": (("run",), ("tool", "run")),
    "poetry": (("run",),),
    "pdm": (("run",),),
    "rye": (("run",),),
    "pixi": (("run",), ("exec",)),
    "hatch": (("run",), ("env", "run")),
    "pipenv": (("run",),),
    "pipx": (("run",), ("runpip",)),
    "conda": (("run",),),
    "mamba": (("run",),),
    "micromamba": (("run",),),
    "npm": (("exec",), ("x",)),
    "pnpm": (("exec",), ("dlx",)),
    "yarn": (("exec",), ("dlx",), ("node",)),
    "bun": (("x",),),
    "npx": ((),),
    "pnpx": ((),),
    "bunx": ((),),
    "uvx": ((),),
    "coverage": (("run",),),
    "pyenv": (("exec",),),
    "rbenv": (("exec",),),
    "nodenv": (("exec",),),
    "nvm": (("exec",), ("run",)),
    "lerna": (("exec",),),
    "bazel": (("run",),),
    "adb": (("shell",),),
    "dotenvx": (("run",),),
    "bundle": (("exec",),),
    "gem": (("exec",),),
    "composer": (("exec",),),
    "dotnet": (("exec",), ("script",), ("tool", "run"), ("tool", "exec"), ("dnx",)),
    "mise": (("exec",), ("x",)),
    "asdf": (("exec",),),
    "direnv": (("exec",),),
    "docker": _CONTAINERS,
    "podman": _CONTAINERS,
    "docker-compose": (("run",), ("exec",)),
    "kubectl": (("run",), ("exec",), ("debug",)),
    "nix": (("run",), ("shell",), ("develop",)),
    "op": (("run",),),
    "doppler": (("run",),),
    "chamber": (("exec",),),
    "aws-vault": (("exec",),),
    "tox": (("exec",),),
    "opam": (("exec",),),
    "stack": (("exec",), ("runghc",), ("ghc",)),
    "cabal": (("exec",),),
    "rustup": (("run",),),
    "rails": (("runner",),),
    "nerdctl": _CONTAINERS,
    "docker-machine": (("ssh",),),
    "oc": (("exec",), ("rsh",), ("run",), ("debug",)),
    "lxc": (("exec",), ("shell",)),
    "incus": (("exec",), ("shell",)),
    "multipass": (("exec",), ("shell",)),
    "minikube": (("ssh",),),
    "colima": (("ssh",),),
    "vagrant": (("ssh",),),
    "heroku": (("run",), ("ps:exec",)),
    "fly": (("ssh",), ("console",)),
    "flyctl": (("ssh",), ("console",)),
    "gh": (("extension", "exec"), ("codespace", "ssh"), ("cs", "ssh")),
    "gcloud": (("compute", "ssh"),),
    "consul": (("exec",),),
    "salt": ((),),
    "infisical": (("run",),),
    "teller": (("run",),),
    "envchain": ((),),
    "volta": (("run",),),
    "fnm": (("exec",),),
    "jenv": (("exec",),),
    "goenv": (("exec",),),
    "dagger": (("run",),),
    "py-spy": (("record",), ("top",)),
    "memray": (("run",),),
    "kernprof": ((),),
    "torchrun": ((),),
    "accelerate": (("launch",),),
    "distrobox": (("enter",),),
    "toolbox": (("run",),),
    "flatpak": (("run",),),
    "snap": (("run",),),
    "guix": (("shell",), ("environment",)),
    "deno": (("eval",), ("repl",), ("run",)),
    "git": (("bisect", "run"), ("rebase", "--exec"), ("rebase", "-x"), ("submodule", "foreach"), ("filter-branch",)),
}  # fmt: skip
# Of these no word behind says what is run: it is code, the name of an image, or a command for many folders.
_OPAQUE = word_set(
    "docker podman docker-compose kubectl git rails nerdctl docker-machine oc lxc incus multipass minikube colima "
    "vagrant heroku fly flyctl gh gcloud consul salt dagger py-spy memray kernprof torchrun accelerate distrobox "
    "toolbox flatpak snap guix teller"
)
# Of these a plain word is a task of the project rather than a script.
_RUN_TASKS = word_set("bun deno")
# What runs the script that it is given, and nothing else by its plain words.
_SCRIPTED = SHELLS | word_set("python pypy perl ruby node nodejs php lua luajit Rscript julia ts-node tsx")
# What a runner takes for a file of the folder, though no interpreter is named: `uv run x.py`.
_SCRIPT = re.compile(r"[\w.@+-]+\.(?:pyw?|[cm]?js|[cm]?ts|rb|php|pl|sh)")
# A program of a virtual environment: what it is called says what it is, in any folder.
_OF_ENVIRONMENT = re.compile(r"(?:\./)?\.?venv/bin/")
# Modules of Python that run code, or a file, that is given to them.
CODE_MODULES = word_set(
    "timeit pdb code runpy cProfile profile trace asyncio idlelib bdb IPython ptpython bpython ptipython doctest"
)


def runner_end(words: Sequence[str]) -> int:
    """Where what a runner runs begins, whatever options stand between its own words; 0 where it runs nothing."""
    for way in RUNNERS.get(base_name(words[0]), ()):
        at = 1
        for word in way:
            # A word behind an option may be its value.
            while (
                at < len(words) and words[at] != word and (words[at].startswith("-") or words[at - 1].startswith("-"))
            ):
                at += 1
            if at >= len(words) or words[at] != word:
                break
            at += 1
        else:
            return at
    return 0


def runner_length(words: Sequence[str]) -> int:
    """How many first words make a command run what follows them; 0 where they do not."""
    for ways in RUNNERS.get(base_name(words[0]), ()):
        if tuple(words[1 : 1 + len(ways)]) == ways:
            return 1 + len(ways)
    return 0


def names_script(words: Sequence[str]) -> bool:
    """Do the words name a script, or a module, that an interpreter takes from the folder it is started in?"""
    at = next((at for at, word in enumerate(words) if base_name(word) in INTERPRETERS), len(words))
    loose = base_name(words[at]) in _RUN_TASKS if at < len(words) else False
    operands = [word for word in words[at + 1 :] if not word.startswith(("-", "/"))]
    return any("." in word or "/" in word or not loose for word in operands)


def script_length(words: Sequence[str]) -> int:
    """How many first words name the script, or the module, that an interpreter runs; 0 where none do."""
    if base_name(words[0]) not in _SCRIPTED or len(words) < 2:
        return 0
    if words[1] == "-m":
        return 3 if len(words) > 2 and not words[2].startswith("-") else 0
    return 2 if re.fullmatch(r"[\w.][\w./@+-]*", words[1]) and names_script(words[:2]) else 0


def of_folder(words: Sequence[str]) -> bool:
    """Is what the words run a file of the folder that they are in, so that elsewhere it is another one?"""
    if (length := runner_length(words)) and len(words) > length:
        return _SCRIPT.fullmatch(words[length]) is not None or of_folder(words[length:])
    if "/" in words[0] and not words[0].startswith("/"):
        return _OF_ENVIRONMENT.match(words[0]) is None or script_length(words) > 0
    return script_length(words) > 0


def opaque(words: Sequence[str]) -> bool:
    """Does nothing behind the first words of a runner name the program that is run?"""
    name = base_name(words[0])
    return name in _OPAQUE or (name == "deno" and words[1] != "run")
