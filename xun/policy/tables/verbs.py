"""Words that say what a command does, and those that only lead to them: how far an offered rule must reach."""

from __future__ import annotations

from collections.abc import Mapping

from xun.policy.tables.programs import word_set

RUN_WORDS = word_set("exec run ssh rsh shell sh eval repl script spawn attach console record")
# Their first word names what they act on, or a group.
SECOND_TELLS = word_set("service rc-service zig flask doctl flyctl fly heroku django-admin alembic oc")
# Of these the first word names a group of commands: of some programs always.
GROUPED = word_set("gh glab aws gcloud az kubectl")
GROUPS = word_set(
    "run compose exec run-script stash remote submodule worktree config image container volume network system "
    "builder buildx context pip tool cache python state workspace workspaces repo plugin registry pkg access "
    "owner token mod work env services nuget local global notes bisect bundle lfs sparse-checkout maintenance "
    "self nextest ef workload sln new user-secrets dev-certs dependency dep dependencies secret service stack "
    "swarm node trust manifest scout model sandbox desktop plugins extensions toolchain target component override "
    "profile team org hook dist-tag reflog svn flow subtree p4 credential annex hooks refs commit-graph multi- "
    "pack-index generate destroy providers metadata source sources"
)
NESTED = word_set("gcloud az")
SELECTING = frozenset({("tox", "-e"), ("nox", "-s"), ("nox", "-e"), ("swift", "package")})
GIT_BY_OPTION = word_set("clean restore checkout switch")
# Of these `run` runs what the project says.
RUN_CHECKS = word_set("golangci-lint vitest pre-commit turbo nx semgrep")
# Words that say what is done, behind which no other does.
VERBS = word_set(
    "test tests build check lint fmt format typecheck compile doc docs bench clean install add remove uninstall "
    "update upgrade sync lock init status list ls show info view log logs diff blame annotate stat search find "
    "get describe version outdated audit why tree up start stop restart reload down pull create new generate "
    "serve dev watch preview validate verify scan analyze analyse query pack package export import convert render "
    "print cat open plan fetch clone commit checkout switch merge rebase reset restore tag branch"
)
# What changes things for others, or for good: a rule spells all of the command.
OUTWARD_ANYWHERE = word_set("publish deploy upload apply delete destroy rollout promote")
OUTWARD: Mapping[str, frozenset[str]] = {
    "git": frozenset(),
    "docker": word_set("push login tag rmi"), "podman": word_set("push login tag rmi"),
    "kubectl": OUTWARD_ANYWHERE | word_set("create replace patch scale set label annotate drain cordon edit rollout"),
    "helm": OUTWARD_ANYWHERE | word_set("install upgrade rollback uninstall push"),
    "systemctl": word_set("start stop restart reload enable disable mask unmask kill isolate"),
    "terraform": OUTWARD_ANYWHERE | word_set("import taint untaint rm mv force-unlock"),
    "gh": OUTWARD_ANYWHERE | word_set("repo workflow secret variable ssh-key gpg-key extension alias auth"),
    "gem": word_set("push yank"),
    "npm": OUTWARD_ANYWHERE | word_set("version"),
}  # fmt: skip
# Their operands, or the first word, say what they do.
SPELLED_WHOLLY = word_set(
    "open xdg-open code chown chgrp chattr setfacl twine ansible-playbook gem cmake sqlite3 convert ffmpeg"
)
BY_MODE = word_set("chmod tar bsdtar")
MAKING = word_set("venv virtualenv")
# Scripts that do what their first word says.
DISPATCHERS = word_set(
    "manage.py artisan console rails rake cake wp drush magento craft spark yii please occ thor cli.py tasks.py "
    "setup.py manage cli.js ace hardhat mach waf fabfile.py"
)
COMPOSE = word_set("docker-compose podman-compose")
HAVE_COMPOSE = word_set("docker podman nerdctl")
COMPOSE_VALUED = word_set(
    "-f --file -p --project-name --profile --env-file --project-directory --ansi --progress --parallel"
)
# Do one thing, whatever their operands: look at files, and say what they found.
CHECKERS = word_set(
    "actionlint ack ag bandit bat batcat black cloc codespell cppcheck cspell eza exa flake8 gitleaks gocyclo "
    "htmlhint jsonlint ktlint loc luacheck markdownlint misspell mypy pycodestyle pydocstyle scc staticcheck tflint "
    "tokei typos vulture write-good yapf zizmor"
)
