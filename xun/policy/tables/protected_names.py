"""Names of what something runs or trusts later: hooks, start-up files, workflows, settings of tools. All are folded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from xun.policy.tables.programs import word_set

# Folders below which everything is protected, and files that are, wherever they stand.
FOLDERS = word_set(
    ".git .xun .ssh .gnupg .husky .vscode .idea .zed .fleet .devcontainer .claude .cursor .codex .gemini "
    ".overcommit .tekton .semaphore .azure-pipelines .vs .mise "
    ".windsurf .roo .continue .clinerules .copilot .circleci .buildkite .woodpecker .forgejo .gitea .gitlab "
    ".direnv .nvim .vim .hg .jj git~1 .kiro .amazonq .junie .opencode .qwen .trae .augment .amp "
    "launchagents launchdaemons autostart .githooks .mvn "
    ".vibe .crush .agents .agent .factory .goose .cline .kilocode .warp .aiassistant .openhands .replit .idx "
    ".run .builds .teamcity"
)
PAIRS = frozenset(
    {
        (".github", name)
        for name in (
            "workflows",
            "actions",
            "copilot-instructions.md",
            "dependabot.yml",
            "codeowners",
            "instructions",
            "prompts",
            "chatmodes",
            "agents",
            "hooks",
            "copilot",
        )
    }
    | {(".cargo", "config.toml"), (".cargo", "config"), (".svn", "hooks"), (".yarn", "releases"), (".yarn", "plugins")}
    | {
        (".config", name)
        for name in (
            "fish",
            "git",
            "systemd",
            "autostart",
            "nvim",
            "pip",
            "environment.d",
            "mise",
            "direnv",
            "lefthook.yml",
            "lefthook.yaml",
            "hk.pkl",
        )
    }
)
# Whoever moves `.github` moves the workflows in it.
NAMES = frozenset(first for first, _ in PAIRS) | word_set(
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin "
    ".zlogout .kshrc .cshrc .tcshrc .login .inputrc .pam_environment .xprofile .xinitrc .xsession "
    "config.fish .envrc .gitconfig .gitmodules .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pythonrc.py "
    "sitecustomize.py usercustomize.py pip.conf .ripgreprc .wgetrc .curlrc .gitlab-ci.yml .travis.yml "
    ".drone.yml .appveyor.yml appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile "
    "cloudbuild.yaml .pre-commit-config.yaml .pre-commit-hooks.yaml lefthook.yml lefthook.yaml .lefthook.yml "
    ".vimrc .gvimrc .exrc .nvimrc .emacs .dir-locals.el agents.md agents.override.md claude.md "
    "claude.local.md gemini.md .cursorrules .windsurfrules .clinerules .goosehints .mcp.json mcp.json "
    ".aider.conf.yml copilot-instructions.md rust-toolchain.toml rust-toolchain .tool-versions crontab "
    "authorized_keys known_hosts .gdbinit .lldbinit .pdbrc .pdbrc.py .irbrc .pryrc .rprofile .renviron .ghci .octaverc "
    ".tmux.conf .screenrc .psqlrc .sqliterc .mailcap .xsessionrc .bazelrc .condarc .ackrc .aider.model.settings.yml "
    "opencode.json qwen.md .rooignore .rules .mise.toml mise.toml .rtx.toml .nvim.lua .lvimrc .huskyrc .huskyrc.json "
    ".woodpecker.yml .woodpecker.yaml devbox.json .devcontainer.json .cirrus.yml .overcommit.yml .lintstagedrc "
    ".lintstagedrc.json .lintstagedrc.js .lintstagedrc.cjs .lintstagedrc.mjs .lintstagedrc.yml .lintstagedrc.yaml "
    ".gitconfig.local .envrc.local .pythonrc .iex.exs .ideavimrc .in .out .autoenv.zsh startup.jl .pnp.cjs "
    ".pnp.loader.mjs .pnpmfile.mjs bunfig.toml crush.json .crush.json crush.md warp.md .kilocoderules replit.md "
    ".replit replit.nix "
    ".gitlab-ci.yaml .gitpod.yml .gitpod.dockerfile .build.yml buildspec.yml buildspec.yaml codefresh.yml bitrise.yml "
    "wercker.yml .scrutinizer.yml cloudbuild.yml cloudbuild.json "
    "docker-compose.override.yml docker-compose.override.yaml compose.override.yml compose.override.yaml "
    ".pre-commit-config.yml .pre-commit-hooks.yml prek.toml hk.pkl .hk.pkl "
    "ansible.cfg .local.vimrc .direnvrc .xonshrc init.gradle"
)
# Tools that take their configuration under many names.
SHAPES = re.compile(
    r"\.?(?:lefthook(?:-local)?)\.(?:ya?ml|toml|jsonc?)|\.?(?:mise|rtx)(?:\.[\w-]+)*\.toml"
    r"|\.?(?:simple-git-hooks|huskyrc|lintstagedrc|lint-staged\.config)(?:\.(?:jsonc?|[cm]?js|[cm]?ts|ya?ml))?"
)
# What git runs of the folder of its hooks, which often only a run tells.
HOOKS = word_set(
    "applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-merge post-receive "
    "post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive "
    "prepare-commit-msg proc-receive push-to-checkout reference-transaction sendemail-validate update"
)
# The programs of a project's own environment, which package managers write and everybody runs.
TOOLS = frozenset({("node_modules", ".bin"), ("venv", "bin"), (".venv", "bin"), (".venv", "scripts")})
SUFFIXES = (".pth", ".code-workspace")


def named(parts: Sequence[str]) -> bool:
    """Do the folded `parts` of a path lead to, or into, what something runs or trusts later?"""
    if not (FOLDERS.isdisjoint(parts) and PAIRS.isdisjoint(pairwise(parts))):
        return True
    name = parts[-1]
    return name in NAMES or name.endswith(SUFFIXES) or SHAPES.fullmatch(name) is not None


@lru_cache(maxsize=1)
def spelled() -> tuple[str, ...]:
    """What is known by its whole name, in a folder, as it is usually written."""
    pairs = (f"{folder}/{name}" for folder, name in sorted(PAIRS))
    names = (written for name in sorted(FOLDERS | NAMES) for written in _spellings(name))
    return (*dict.fromkeys(names), "LaunchAgents", "LaunchDaemons", *pairs)


def _spellings(name: str) -> tuple[str, ...]:
    """`agents.md`, `Agents.md`, `AGENTS.md` and `AGENTS.MD`, and `.Rprofile`."""
    stem, dot, rest = name.partition(".")
    hidden = f".{rest.capitalize()}" if not stem else name.capitalize()
    return (name, hidden, f"{stem.upper()}{dot}{rest}", name.upper())
