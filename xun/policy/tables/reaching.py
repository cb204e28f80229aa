"""Options and operands by which a known program works elsewhere than its first words say. A rule must spell them.

In another folder or project, by another configuration, on another server: what `option_names` tells of none of them,
since they are letters or mean something else in other programs.
"""

from __future__ import annotations

from collections.abc import Mapping

from xun.policy.tables.option_forms import completed, exact, short
from xun.policy.tables.programs import word_set

_FOLDER = "works in another folder or project"
_CONFIGURED = "takes another configuration, which may be code"
_PACKAGES = "works in other packages"
_FILES = "works by other files"
_WRITES = "writes other files"
_MAKE = (rf"-[A-Za-z]*C.+|--{short('directory')}=.+", _FOLDER)
_GRADLE = (r"-[pP].+|--project-cache-dir=.+", _FOLDER)
_TSC = (
    r"-p.+|-b|--build|(?i:--(?:tsBuildInfoFile|generateTrace|generateCpuProfile|init)(?:=.*)?)",
    "works in another folder, or writes other files",
)
# What uv takes for a version; of anything else it starts the file of that name.
_VERSION = r"(?:c?python|pypy|graalpy|pyodide|[cp]p|py)?[-@]?(?:[<>=!~]=?)?\d[\w.,<>=!~+*-]*|c?python|pypy|graalpy"
_STARTED = rf"(?:-p=?|--python=)(?!(?:{_VERSION})$)[^=].*"
_STARTS = "starts that as its Python"
_OUT = r"(?:[/~]|\.\./|\.\.$).*"
_BUILD = (rf"-f=?.+|-o.+|--output=.+|--build-context=.+|-|{_OUT}", "builds from another file, or writes elsewhere")

# Of what builds for browsers: the folder that it writes to, and mostly empties first.
EMPTIED = (
    r"(?i:--(?:out-?dir|output-?(?:dir|path|clean)|out|dist-?dir|dest(?:ination)?|empty-?out-?dir)(?:=.*)?)|-[od]=.+"
)

REACHING: Mapping[str, tuple[str, str]] = {
    "cargo clean": (r"--target-dir=.*", "removes another folder"),
    "cargo": (r"-C.+|--target=.*\.json", _FOLDER),
    "npm": (rf"--?//.*|-w.*|--{short('workspaces')}(?:=.*)?|--ws(?:=.*)?|--include-workspace-root", _PACKAGES),
    "lerna": (r"--scope.*", _PACKAGES),
    "make": _MAKE, "gmake": _MAKE,
    "ninja": (r"-C.+|-t.*", _FOLDER),
    "meson": (r"-C.+", _FOLDER),
    "go": (r"-C.+|--?C=.+|(?:[/~]|\.\./).*", _FOLDER),
    "mvn": (r"-P.+", "builds by another profile"),
    "terraform": (r"--?var-file=.*", _FILES), "terraform apply": (r"[^-].*|--?var-file=.*", _FILES),
    "fly": (r"-a.+", "acts for another app"), "flyctl": (r"-a.+", "acts for another app"),
    "heroku": (r"-[ar].+", "acts for another app"),
    "gradle": _GRADLE, "gradlew": _GRADLE,
    "tsc": _TSC, "tsgo": _TSC,
    "storybook": (rf"-c.+|--config-dir=.*|{EMPTIED}", _CONFIGURED), "lint-staged": (r"-[cd].+|--diff=.*", _CONFIGURED),
    "pdm": (r"-p.+", _FOLDER), "cmake": (r"--(?:preset|open|workflow)=.*|-S=?(?!=?\.?$).+", _FOLDER),
    "uv python": (rf"{_STARTED}|\.{{0,2}}/.*", _STARTS),
    "pyright": (r"-p.+", _FOLDER),
    "swift": (r"-C.+", _FOLDER),
    "poetry": (r"-[CP].+", _FOLDER),
    "composer": (r"-d.+", _FOLDER),
    "just": (r"-d.+", _FOLDER),
    "ctest": (r"--preset=.*", _FOLDER),
    "dotnet": (
        r".*\.(?:cs|fs|vb|ms?build)?proj|.*\.slnx?|.*\.dll|-s=.+|[-/]{1,2}(?:t|target|bl|binaryLogger)[:=].*",
        _FOLDER,
    ),
    "docker build": _BUILD, "docker buildx": _BUILD,
    "docker": (r"-H.+|--host=.+|-c=.+", "asks another server"),
    "golangci-lint": (r"-c.+", _CONFIGURED), "hadolint": (r"-c.+", _CONFIGURED), "phpstan": (r"-c.+", _CONFIGURED),
    "psalm": (r"-c.+", _CONFIGURED), "phpcs": (r"--standard=.*|-d.+", _CONFIGURED),
    "flake8": (completed("", "config append-config"), _CONFIGURED),
    "clang-format": (r"--?style=file:.*", _CONFIGURED),
    "yq": (r".*\b(?:load\w*|env|strenv|envsubst|system)\b.*", "reads other files, or the environment"),
    "nix": (
        r"(?:github|gitlab|sourcehut|git\+\w+|path|tarball|https?):.*|-f.+|--(?:expr|impure|option|override-input)(?:=.*)?",
        "takes other sources",
    ),
    "helm": (r"-f=?.+|--(?:set[\w-]*|values)=.*", _FILES),
    "gh": (r"-R.+", "reaches another repository"), "glab": (r"-R.+", "reaches another repository"),
    "open": (r"-[A-Za-z]*[ab].*|--args", "opens it with another program"),
    "http.server": (r"-d.+|-b.+|--bind=.*", "serves other folders, or others"),
    "protoc": (r"--(?!cpp|java|python|pyi|csharp|php|ruby|objc|kotlin|rust)\w+_out=.*", "runs another plugin"),
    "rsync": (exact("", "daemon password-file"), _FILES),
    "aws": (r"--profile=.*", "acts for another account"),
    "pandoc": (r"--data-dir=.*", _FILES),
    "task": (r"-[A-Za-z]*g|-[dt].+|--taskfile=.+", _FOLDER),
    "pytest": (
        exact("", "log-file junit-xml junitxml debug html report-log json-report-file", "--cov-report=(?!term).*"),
        _WRITES,
    ),
    "ruff": (r"-o.+|--output-file=.*|--add-noqa", _WRITES),
    "eslint": (r"-o.+|--output-file=.*|--init|--flag=.*", _WRITES),
    "rspec": (r"-P.+|--(?:pattern|default-path|out)=.*|-o.+", _FILES), "bazel": (r"--config=.*", _CONFIGURED),
    "build": (_OUT, _FOLDER),
} | dict.fromkeys(
    word_set("playwright cypress"), (_OUT, _FOLDER)
) | dict.fromkeys(
    word_set("next nuxt nuxi vite astro webpack rollup esbuild parcel tsup rspack rsbuild ng vitepress "
             "vuepress docusaurus react-scripts vue-cli-service react-router remix gatsby unbuild"),
    (f"{_OUT}|{EMPTIED}", "works in another folder, or empties one"),
) | {
    f"uv {command}": (_STARTED, _STARTS)
    for command in word_set("sync lock venv tree build export pip tool remove version publish init format check")
}  # fmt: skip
