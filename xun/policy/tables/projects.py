"""Commands whose plain operands are projects, targets or steps: one behind those that a rule spells is another one.

A build tool takes the folder of a project as an operand, and loads the configuration that lies there, which is code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xun.policy.tables.programs import base_name, word_set

_VITE = word_set(
    "--mode -m --base --ssr --sourcemap --minify --target -f --filter -d --debug --manifest --port --host --open -l "
    "--logLevel --assetsDir --assetsInlineLimit --configLoader"
)
_NEXT = word_set("-p --port -H --hostname --profile --keepAliveTimeout")
_NX = word_set(
    "-p --projects --exclude --parallel --maxParallel --base --head --files -c --configuration --output-style "
    "--outputStyle --nxBail --nxIgnoreCycles --graph"
)
_UV = word_set(
    "-o --out-dir -p --python --package -C --config-setting --index --default-index --index-url --extra-index-url -f "
    "--find-links -b --build-constraint --exclude-newer --cache-dir --color"
)
_CMAKE = word_set(
    "-B -S -G -D -A -T -U -C -j --parallel --build --config --target -t --install --preset --prefix -L --log-level"
)
_BUILDS = word_set("build dev serve start preview generate prepare typecheck optimize export")
# By program, or by that and its command: the options whose value is the next word.
_OPERANDS: Mapping[str, frozenset[str]] = {
    **{f"vite {word}": _VITE for word in _BUILDS},
    **{f"{name} {word}": _NEXT for name in ("next", "nuxt", "nuxi") for word in _BUILDS},
    **{
        f"{name} {word}": word_set("--port --host --base -p --mode --locale")
        for name in ("vitepress", "vuepress", "docusaurus", "react-router", "remix", "slidev")
        for word in _BUILDS
    },
    "nx run-many": _NX, "nx affected": _NX,
    "cmake": _CMAKE,
    "uv build": _UV,
    "packer build": word_set("-var -var-file"), "packer validate": word_set("-var -var-file"),
    "packer init": frozenset(),
    "meson setup": word_set(
        "-D --prefix --buildtype --backend --wrap-mode --warnlevel --default-library --optimization"
    ),
    "zig build": word_set("-p --prefix -j"),
    "opam install": word_set("-j --jobs --switch"),
    **dict.fromkeys(
        [f"pm2 {word}" for word in ("start", "restart", "reload", "stop", "delete")],
        word_set("-n --name -i --instances"),
    ),
}  # fmt: skip
# Scripts by these names mostly call one of those: their words behind go to it.
_BUILDING = re.compile(rf"(?:{'|'.join(sorted(_BUILDS))})(?:[:_-].*)?")
_RUN = word_set("run run-script rum urn")


def further_project(name: str, words: Sequence[str], covered: int) -> str:
    """The operand behind the first `covered` words that is another project, target or step; or empty."""
    valued = _OPERANDS.get(name, _OPERANDS.get(" ".join((name, *words[1:2]))))
    if valued is None:
        return ""
    if name in _OPERANDS and covered < 2:
        return ""  # a rule for the name alone speaks of any of them
    return _operand(words, max(covered, 2), valued)


def handed_project(words: Sequence[str], covered: int) -> str:
    """The operand that a script by the name of a build is handed, and which most of its tools take for a project."""
    at = 2 if " ".join(words[1:2]) in _RUN else 1
    if not _BUILDING.fullmatch(" ".join(words[at : at + 1])):
        return ""
    start = words.index("--") + 1 if "--" in words else len(words) if base_name(words[0]) == "npm" else at + 1
    return _operand(words, max(covered, start), _VITE | _NEXT)


def _operand(words: Sequence[str], start: int, valued: frozenset[str]) -> str:
    return next(
        (
            words[at]
            for at in range(start, len(words))
            if words[at] and not words[at].startswith("-") and words[at - 1] not in valued
        ),
        "",
    )
