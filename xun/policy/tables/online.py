"""What commands need beyond the workspace, by what their own words say: the network, and whose logins.

The network lets whatever runs send away what it can read. So a command that has it sees the logins of its own program
and no others: what a package runs when it is installed runs with that command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from xun.policy.tables.programs import BUILDERS, FETCHERS, TAKE_OPERANDS, base_name, word_set
from xun.policy.tables.subcommands import as_module, subcommand

# Reach out whatever they are told.
_ALWAYS = FETCHERS | word_set(
    "ssh rsync mosh telnet ping dig host nslookup whois gh glab aws gcloud gsutil az kubectl uvx apt apt-get dnf yum "
    "pacman apk brew fly flyctl heroku vercel netlify ansible ansible-playbook rclone twine"
)
# Fetch what they run, unless it is a tool that projects have installed.
_FETCH_AND_RUN: Mapping[str, tuple[str, ...]] = {
    "npx": (), "bunx": (), "pnpx": (), "npm": ("exec", "x"), "bun": ("x",), "pnpm": ("dlx",), "yarn": ("dlx",),
}  # fmt: skip
_LOCAL = TAKE_OPERANDS | BUILDERS
# But these fetch, or log in, by some of their own commands.
_BY_TOOL: Mapping[str, frozenset[str]] = {
    "playwright": word_set("install install-deps"), "cypress": word_set("install"),
    "nx": word_set("migrate connect login logout add"), "turbo": word_set("login logout link unlink"),
    "ng": word_set("update add"), "storybook": word_set("init upgrade add"), "expo": word_set("install login publish"),
    "puppeteer": word_set("browsers"), "electron-builder": word_set("install-app-deps"),
}  # fmt: skip
_QUIET = word_set("--no --no-install --offline --prefer-offline -y --yes -q --quiet --")
_OF_NODE = (
    "install i ci add update up upgrade outdated audit publish unpublish view info show search create init login "
    "logout whoami ping dist-tag deprecate owner access team token adduser install-test it install-ci-test cit "
    "clean-install in ins rebuild"
)
_PIP = word_set("install download index search wheel")
_CONTAINERS = (
    word_set("pull push build login search") | {"compose pull", "compose build", "buildx build", "image pull"}
    | {"image push", "image build", "manifest inspect"}
)  # fmt: skip
# Reach out for some of what they do: the words that say so, one or two.
_TELLING: Mapping[str, frozenset[str]] = (
    dict.fromkeys(("npm", "pnpm", "bun"), word_set(_OF_NODE))
    | {"yarn": word_set(_OF_NODE) | {"npm"}}
    | dict.fromkeys(("pip", "pip3"), _PIP)
    | dict.fromkeys(("docker", "podman"), _CONTAINERS)
    | dict.fromkeys(("conda", "mamba", "micromamba"), word_set("install create update search") | {"env create"})
    | {
        "git": word_set("fetch pull push clone ls-remote fetch-pack send-pack request-pull send-email")
        | {"remote update", "remote show", "remote prune", "submodule add", "submodule update"}
        | {"remote set-head", "lfs fetch", "lfs pull", "lfs push", "lfs clone", "svn fetch", "svn rebase", "svn clone"},
        "uv": word_set("sync add remove lock publish")
        | {"pip install", "pip sync", "pip compile", "tool install", "tool run", "tool upgrade", "python install"},
        "poetry": word_set("install add remove update lock publish sync") | {"self update", "self add"},
        "pdm": word_set("install add remove update lock publish sync"),
        "pipx": word_set("install upgrade upgrade-all run inject"),
        "cargo": word_set("fetch add install update publish search login owner yank vendor generate-lockfile"),
        "go": word_set("get install") | {"mod download", "mod tidy", "mod vendor"},
        "gem": word_set("install update fetch push outdated"),
        "bundle": word_set("install update add outdated lock"),
        "composer": word_set("install update require create-project outdated"),
        "mix": word_set("deps.get deps.update hex.publish hex.outdated local.hex local.rebar"),
        "terraform": word_set("init plan apply destroy refresh import"),
        "tofu": word_set("init plan apply destroy refresh import"),
        "rustup": word_set("update install") | {"toolchain install", "component add", "target add", "self update"},
        "dotnet": word_set("restore add") | {"tool install", "tool restore", "tool update", "nuget push"},
        "deno": word_set("install add cache publish outdated"),
        "helm": word_set("install upgrade uninstall list ls status history rollback pull push test get search")
        | {"repo add", "repo update", "dependency update", "dependency build", "registry login"},
        "svn": word_set("checkout co update up commit ci"),
        "hg": word_set("pull push clone incoming outgoing"),
        "jj": frozenset({"git fetch", "git push", "git clone"}),
    }
)  # fmt: skip
_ALONE = word_set("yarn bundle")  # which then install
_GOALS = {"mvn": word_set("deploy dependency:resolve dependency:go-offline dependency:get")}
_GOAL_VALUES = word_set("-f --file -s --settings -gs -t -T --threads -pl --projects -P -l -b -D")

_INSTALLS = word_set("install i ci add update up upgrade sync require it install-test cit clean-install create-project")
_INSTALLS_TWO = frozenset({"pip install", "pip sync", "tool install", "tool upgrade", "tool restore"})
_MANAGERS = word_set(
    "npm pnpm yarn bun pip pip3 uv poetry pdm pipx conda mamba cargo go gem bundle composer dotnet deno"
)

# What holds the logins of a program, below the home folder.
_GIT = (".ssh", ".git-credentials", ".config/git/credentials", ".gitcookies", ".netrc", "_netrc")
_PACKAGES = (".netrc", "_netrc", ".pypirc", ".config/pypoetry", ".local/share/uv")
_CLOUDS = (".aws", ".azure", ".config/gcloud")
LOGINS: Mapping[str, tuple[str, ...]] = {
    "git": _GIT,
    "gh": (".config/gh", *_GIT),
    "glab": (".config/glab-cli", *_GIT),
    "ssh": (".ssh",),
    "npm": (".npmrc",),
    "pip": _PACKAGES,
    "cargo": (".cargo/credentials", ".cargo/credentials.toml"),
    "go": (".netrc", "_netrc"),
    "gem": (".gem/credentials", ".bundle"),
    "composer": (".composer/auth.json", ".config/composer"),
    "mvn": (".m2/settings.xml",),
    "docker": (".docker/config.json", ".dockercfg"),
    "kubectl": (".kube",),
    "helm": (".kube", ".config/helm", ".docker/config.json"),
    "aws": (".aws",),
    "gcloud": (".config/gcloud", ".boto"),
    "az": (".azure",),
    "terraform": (".terraform.d", ".terraformrc"),
    "terraform with its clouds": (".terraform.d", ".terraformrc", *_CLOUDS),
    "rclone": (".config/rclone", ".rclone.conf"),
    "curl": (".curlrc", ".netrc", "_netrc"),
    "wget": (".wgetrc", ".netrc"),
    "ftp": (".netrc", "_netrc"),
    "heroku": (".netrc", "_netrc"),
}
"""What is seen of the home folder's secrets with the network, by the name that stands for programs of a kind."""
_KINDS: Mapping[str, str] = {
    name: kind
    for kind, names in {
        "git": "git", "gh": "gh hub", "glab": "glab", "ssh": "ssh scp sftp rsync mosh ansible ansible-playbook",
        "npm": "npm pnpm yarn bun npx bunx pnpx", "pip": "pip pip3 uv uvx poetry pdm pipx twine conda mamba",
        "cargo": "cargo", "go": "go", "gem": "gem bundle", "composer": "composer", "mvn": "mvn",
        "docker": "docker podman", "kubectl": "kubectl", "helm": "helm", "aws": "aws", "gcloud": "gcloud gsutil",
        "az": "az", "terraform": "terraform tofu", "rclone": "rclone", "curl": "curl", "wget": "wget wget2",
        "ftp": "ftp lynx w3m http https xh", "heroku": "heroku", "jj": "jj",
    }.items()
    for name in names.split()
} | {"jj": "git"}  # fmt: skip


def reaches_out(words: Sequence[str]) -> bool:
    """Is it known of a command that it needs the network, by the word that says what it does?"""
    words = as_module(words)
    name = base_name(words[0])
    if name in _ALWAYS:
        return True
    if name in _GOALS:
        return not _GOALS[name].isdisjoint(_goals(words))
    if len(words) == 1:
        return name in _ALONE
    told = subcommand(words)
    ways = _FETCH_AND_RUN.get(name)
    if ways is not None and (not ways or told[:1] in [(way,) for way in ways]):
        return not _runs_local(words[words.index(told[0]) + 1 :] if ways else words[1:])
    return _told(told, _TELLING.get(name, _BY_TOOL.get(name, frozenset())))


def installs(words: Sequence[str]) -> bool:
    """Is it a package manager that is told to install something, which may be programs?"""
    words = as_module(words)
    name = base_name(words[0])
    if name not in _MANAGERS:
        return False
    if len(words) == 1:
        return name in _ALONE
    told = subcommand(words)
    # Of `uv pip` the second word tells: what it adds to a list of names is no program.
    return (told[:1] != ("pip",) and _told(told[:1], _INSTALLS)) or " ".join(told) in _INSTALLS_TWO


def logins_of(words: Sequence[str]) -> frozenset[str]:
    """Whose logins a command needs for what it reaches: names of `LOGINS`, none of a program that is not known."""
    words = as_module(words)
    kind = _KINDS.get(base_name(words[0]))
    if kind == "terraform" and _told(subcommand(words)[:1], word_set("plan apply destroy refresh import")):
        kind = "terraform with its clouds"
    return frozenset() if kind is None else frozenset({kind})


def _told(told: tuple[str, ...], telling: frozenset[str]) -> bool:
    return bool(told) and (told[0] in telling or " ".join(told) in telling)


def _runs_local(words: Sequence[str]) -> bool:
    """Do the words behind `npx` name a tool that a project has installed, without saying where to fetch it?"""
    named = [word for word in words if word not in _QUIET]
    return bool(named) and named[0] in _LOCAL and _BY_TOOL.get(named[0], frozenset()).isdisjoint(named[1:2])


def _goals(words: Sequence[str]) -> list[str]:
    """The goals of Maven: all words that are neither options nor their values."""
    return [word for before, word in pairwise(words) if not word.startswith("-") and before not in _GOAL_VALUES]
