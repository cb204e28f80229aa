"""Kinds of programs that matter to a policy beyond their options: which run others, reach out, or destroy.

Names are the last part of the path they are called by.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache


def word_set(text: str) -> frozenset[str]:
    """The words of `text`: a table of names, written as it is read."""
    return frozenset(text.split())


# Run their arguments, or text, as another command.
WRAPPERS = word_set(
    "command builtin exec env nice nohup timeout time stdbuf setsid ionice chrt taskset xargs parallel watch "
    "strace ltrace busybox toybox flock chroot unshare nsenter script expect unbuffer entr find fd eval "
    "source . trap sudo doas su pkexec run0 gosu setpriv runuser ssh corepack coproc "
    "rlwrap caffeinate systemd-run firejail bwrap sem gdb lldb valgrind perf nix-shell fakeroot fakechroot setarch "
    "arch linux32 linux64 i386 x86_64 proot tmux screen dbus-run-session xvfb-run catchsegv prlimit numactl "
    "hyperfine watchexec nodemon reptyr dtach abduco tsocks torsocks proxychains proxychains4 "
    "cross-env cross-env-shell dotenv dotenv-cli env-cmd ccache sccache distcc tini dumb-init chronic faketime "
    "runcon sg newgrp cpulimit chpst softlimit daemon catatonit sshpass mpirun mpiexec srun pssh parallel-ssh rush fab "
    "setlock envdir rr cgexec cpuset crictl schroot systemd-nspawn "
    "eatmydata su-exec concurrently npm-run-all run-p run-s xterm gnome-terminal konsole alacritty kitty wezterm foot "
    "ansible ld.so start-stop-daemon daemonize nsjail capsh unbuffer ts-node-dev wait-on start-server-and-test"
)
SHELLS = word_set("sh bash dash zsh ksh mksh fish csh tcsh ash rbash pwsh nu xonsh elvish yash osh ysh")
INTERPRETERS = SHELLS | word_set(
    "python python2 python3 pypy pypy3 perl ruby node nodejs deno bun php lua luajit tclsh wish Rscript "
    "julia osascript groovy scala ghci runghc guile racket sbcl ocaml elixir erl iex irb awk gawk mawk nawk "
    "ipython ipython3 jshell ts-node tsx powershell vim vi nvim view ex ed emacs emacsclient "
    "m4 gnuplot sqlite3 psql mysql R clojure clj bb octave mongosh mongo duckdb dc hy jython qjs raku janet swipl "
    "gprolog execlineb zx scsh kotlin crystal gforth pike gjs maxima scilab sage"
)
# What they are given says what they run.
RUNS_OTHERS = WRAPPERS | INTERPRETERS
PRIVILEGED = word_set("sudo sudoedit doas su pkexec run0 gosu runuser setpriv machinectl")
FETCHERS = word_set("curl wget wget2 fetch aria2c http https xh lynx w3m nc ncat netcat socat ftp tftp sftp scp")
EVALUATORS = frozenset({"eval", "source", ".", "exec"}) | INTERPRETERS
# Take what comes to them for text alone: it says neither what they do nor which files they read.
FILTERS = word_set(
    "cat head tail wc nl cut tr sort uniq paste column fold fmt expand unexpand tac rev od xxd hexdump md5sum sha1sum "
    "sha256sum sha512sum b2sum cksum base64 grep egrep fgrep rg sed awk gawk mawk nawk jq"
)
# Change or remove what their operands name.
DESTROYERS = word_set("rm rmdir unlink shred truncate wipe srm")
CHANGERS = word_set("mv cp ln install rsync tee touch mkdir mkfifo mknod chmod chown chgrp chattr setfacl")
STATE = word_set(
    "export declare typeset local readonly unset alias unalias set shopt enable hash umask ulimit read "
    "mapfile readarray getopts bind complete compgen compopt cd pushd popd dirs let shift printenv history "
    "fc jobs fg bg wait kill"
)
# Stop the machine, or wipe a disk.
MACHINE = word_set("reboot shutdown halt poweroff mkfs fdisk sfdisk parted wipefs")
ENDERS = MACHINE | word_set("kill pkill killall dd") | DESTROYERS
# Variables that a call may set: they change how output looks and nothing that is run.
HARMLESS_VARIABLES = word_set("NO_COLOR FORCE_COLOR CLICOLOR CI COLUMNS LINES PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE")
# Their first word says what they do: on its own the name would cover too much.
MANY = word_set(
    "git npm pnpm yarn cargo go docker podman kubectl helm uv pip pip3 poetry gh glab aws gcloud az "
    "terraform brew apt apt-get systemctl make just rake task tox nox bundle rails dotnet gradle mvn mix composer conda"
)

# Their own name is all that says what they do: what follows are files.
TAKE_OPERANDS = CHANGERS | word_set(
    "jest vitest mocha ava cypress eslint prettier stylelint tsc mypy pyright flake8 pylint black isort gcc g++ cc c++ "
    "clang clang++ rustc javac rspec phpunit rubocop cmake ctest ninja man unzip zip tar bsdtar gzip gunzip xz unxz "
    "zstd patch pandoc split csplit sort diff pytest gofmt goimports rustfmt shfmt clang-format shellcheck yamllint "
    "hadolint sed awk open xdg-open less more bat code sqlite3 ffmpeg convert"
)
# Beside those, what people run through other programs.
BUILDERS = word_set(
    "playwright webpack vite rollup esbuild next nuxt ruff java meson golangci-lint pre-commit turbo nx semgrep"
)
SERVERS = word_set("gunicorn uvicorn flask celery")
# What some table here tells of.
KNOWN = RUNS_OTHERS | PRIVILEGED | FETCHERS | ENDERS | CHANGERS | STATE | MANY | TAKE_OPERANDS | BUILDERS

_GIT_VALUED = word_set("-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env")
_VERSIONED = re.compile(
    r"(python|perl|ruby|lua|php|node|pypy|tclsh|wish|guile|julia|bash|ksh|octave|erl|scala)-?[0-9][0-9.]*"
    r"|(mkfs)\..*|(ld)[\w.-]*\.so[\d.]*"
)


@lru_cache(maxsize=2048)
def base_name(program: str) -> str:
    """The name a program is known by: the last part of its path, without a version number behind it."""
    name = program.rpartition("/")[2]
    versioned = _VERSIONED.fullmatch(name)
    if versioned is None:
        return name
    return "ld.so" if versioned[3] else versioned[1] or versioned[2]


def git_options(words: Sequence[str]) -> list[Sequence[str]]:
    """Those of the words behind `git` that are its own options, each with its value."""
    found: list[Sequence[str]] = []
    at = 0
    while at < len(words) and words[at].startswith("-"):
        end = at + (2 if words[at] in _GIT_VALUED else 1)
        found.append(words[at:end])
        at = end
    return found


def git_command_at(words: Sequence[str]) -> int:
    """How many of the words behind `git` are its own options and their values: the next one says what it does."""
    return sum(map(len, git_options(words)))
