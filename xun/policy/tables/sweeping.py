"""Options by which a known program changes or removes more than its first words say. A rule must spell them.

Those that say so by their long names are in `option_names`; these are letters, words and modes.
"""

from __future__ import annotations

from collections.abc import Mapping

from xun.policy.tables.option_forms import exact

_FILES = "changes files"
_WRITES = (r"-[A-Za-z]*w", _FILES)
_CORRECTS = (r"-[A-Za-z]*[aAx]", _FILES)
_REMOVES = "removes what runs, what is used, or data"
_RIGHTS = r"[ugoa]*[+=][rwxX]*[st].*|0*[1-7]\d{3}|[0-7]{0,2}[2367]|[ugoa]*[oa][ugoa]*[+=].*w.*"

SWEEPING: Mapping[str, tuple[str, str]] = {
    "docker rm": (exact("fvl", "volumes"), _REMOVES),
    "docker rmi": (exact("f"), _REMOVES),
    "docker compose": (r"rm|-[A-Za-z]*V|--renew-anon-volumes", _REMOVES),
    "shfmt": _WRITES, "goimports": _WRITES,
    "clang-format": (r"-i", _FILES), "yapf": (r"-[A-Za-z]*i", _FILES), "autopep8": (r"-[A-Za-z]*i", _FILES),
    "yq": (r"-[A-Za-z]*[is].*|--split-exp=.*", _FILES),
    "codespell": _WRITES, "buf": _WRITES, "golines": _WRITES, "ktlint": (r"-[A-Za-z]*F", _FILES),
    "markdownlint": (r"-[A-Za-z]*f", _FILES), "markdownlint-cli2": (r"-[A-Za-z]*f", _FILES),
    "rubocop": _CORRECTS, "standardrb": _CORRECTS,
    "psalm": (r"--alter", _FILES),
    "chmod": (rf"-[A-Za-z]*R.*|--recursive|--reference=.*|{_RIGHTS}", "reaches more files, or gives more rights"),
    "chown": (r"-[A-Za-z]*R.*|--recursive|--reference=.*|--from=.*", "reaches more files"),
    "manage.py": (
        r"zero|flush|--fake[\w-]*|--run-syncdb|--(?:settings|pythonpath|testrunner|database)(?:=.*)?",
        "removes data, or works with other settings",
    ),
    "artisan": (
        r".*:(?:fresh|reset|refresh|wipe|rollback)|--seed|--(?:env|database|path|realpath|configuration|class)(?:=.*)?",
        "removes data, or works with another configuration",
    ),
    "nx": (r"(?:-t|--targets?)=.+|--all", "does other tasks"),
    "go": (r"--?(?:modcache|fuzzcache|cache)", _REMOVES),
    "gh pr": (r"-d|--(?:delete|edit)-(?:last|branch)", "changes what others see"),
    "venv": (r"--clear|--upgrade", "removes what is there"),
    "docker system": (exact("af", "all volumes"), _REMOVES),
    "uv version": (r"--bump=.*|\d.*", "changes the version"),
}  # fmt: skip
