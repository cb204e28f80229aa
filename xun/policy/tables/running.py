"""Options and words by which a program that is named otherwise runs what is given to it, or loads it as code.

No rule of a few words covers them. Each is known by its program, or by that and its command. `completed` is for
programs that take an abbreviated name, `exact` for others.
"""

from __future__ import annotations

from collections.abc import Mapping

from xun.policy.tables.option_forms import completed, exact, leading_out, other_than, short
from xun.policy.tables.programs import word_set

_STRATEGIES = "ours theirs recursive ort resolve octopus subtree"
_STRATEGY = other_than(f"--{short('strategy')}=", _STRATEGIES)
_BY_LETTER = other_than(r"-[a-ln-zA-LN-WYZ]*?s", _STRATEGIES)
_COMPILER = (
    r"-wrapper|-ccc-.*|--?config(?:-\w+)?(?:=.*)?|-fmodule-map-file=.*|-B.+|--?specs(?:=.*)?|-f(?:pass-)?plugin.*|-Xclang|-Xlinker|-plugin.*|-load|-fuse-ld=.*|--ld-path=.*|@.*"
    r"|-Wl,(?:.*,)?(?:-|@).*(?:plugin|dynamic-linker|rpath|@).*"
)
_PRINTING = (
    "default verbose dot basic tap tap-flat spec min list line progress nyan summary silent json stylish compact unix"
)
_HOOKED = (
    r"(?i:--?(?:global-?(?:setup|teardown)|setup-?files(?:-?after-?env)?|test-?runner|runner|transform|resolver|require|preset"
    r"|snapshot-?(?:serializers|resolver|formatter|environment)|watch-?plugins|module-?name-?mapper|projects"
    r"|root-?dir|roots|import|loader|node-?options?|plugin|prefix|.*exec-?argv|.*exec-?path|setup)(?:=.*)?)"
    f"|{other_than(r'(?i:--?reporters?)=', _PRINTING)}"
    "|" + other_than(r"(?i:--?(?:test-?)?env(?:ironment)?)=", "node jsdom happy-dom edge-runtime")
)  # fmt: skip
_JEST = _HOOKED + r"|-r.*|\{.*|--config=\{.*|--filter(?:=.*)?"
# Behind the name of a script nobody knows which program takes them.
PASSED = _HOOKED + r"|--rulesdir(?:=.*)?|-c=?.*\.(?:[cm]?[jt]s|json|ya?ml|toml|cfg|ini)|--config=\{.*|-r=?\.{0,2}/.*"
_LOADS = (
    r"--(?:plugin|plugin-search-dir|rulesdir|resolve-plugins-relative-to|node-option|require|import|loader|parser)"
    "(?:=.*)?"
)
_LINTER = f"{_LOADS}|" + other_than(
    r"-f|--format(?:ter)?=", f"{_PRINTING} html checkstyle junit visualstudio jslint-xml string"
)
_GRADLE = (
    completed("Ibcg", "init-script build-file settings-file include-build gradle-user-home")
    + "|"
    + leading_out("-p|--project-dir")
)
_MAKE = completed("EfI", "eval file makefile include-dir") + "|" + leading_out(f"-C|--{short('directory')}")
_CODE = r"\.{0,2}/.*|.*\.(?:lua|py|rb|js|so)"
_RSPEC = completed("rIO", "require options", rf"-r.*|(?:-f|--{short('format')})=?(?:{_CODE})")
_DOCKER_BUILD = r"--(?:frontend|ssh|secret|allow|security-opt)(?:=.*)?"
_PYTEST = exact(
    "",
    "rootdir confcutdir basetemp config-file inifile pdbcls tx rsyncdir px ds dc pyargs pastebin docker-compose",
    r"-[vqxslh]*p=?(?!no:)[^=].*|-c.+|(?:-o|--override-ini=)=?(?!log_cli|xfail_strict|junit)[^=].*"
    r"|@.*|(?:-[vqxslh]*W|--pythonwarnings=)=?.*:[^:]*\..*",
)
_NPM = (
    "call shell script-shell prefix node-options userconfig globalconfig git viewer editor scripts-prepend-node-path "
    "onload-script init-module"
)
_OUTSIDE = r"|(?:/|~|\.\./).*"
_VITEST = (
    "|"
    + other_than(r"(?i:--pool)=", "forks threads vmForks vmThreads")
    + "|"
    + other_than(r"(?i:--coverage\.provider)=", "v8 istanbul")
    + r"|(?i:--(?:workspace|sequence\.sequencer|coverage\.custom-?provider-?module|typecheck\.(?:checker|tsconfig)"
    r"|browser\.[\w.-]+|diff|alias[\w.]*|server\.[\w.-]+|deps\.[\w.-]+|api[\w.]*|snapshot-?serializers|benchmark\.[\w.]+|merge-?reports|resolve-?snapshot-?path)(?:=.*)?)"
)
_MOCHA = (
    r"|--(?:file|package|ui|opts|node-option|spec|extension|experimental-[\w-]+|loader|env-file|inspect[\w-]*)(?:=.*)?"
    r"|-[un]=?(?!bdd$|tdd$|qunit$|exports$)[^=].*|" + other_than("-[A-Za-z]*R", _PRINTING) + _OUTSIDE
)
_JEST_MORE = (
    r"|(?i:--?(?:test-?sequencer|prettier-?path|test-?results-?processor|dependency-?extractor|haste[\w-]*|globals|module-?(?:paths"
    r"|directories)|coverage-?provider|test-?location.*)(?:=.*)?)" + _OUTSIDE
)

_APT = r"-[oc].*|--(?:option|config-file)(?:=.*)?"  # among its settings are commands

RUNNING: Mapping[str, str] = {
    "git rebase": completed("x", "exec", f"{_STRATEGY}|{_BY_LETTER}"),
    "git merge": f"{_STRATEGY}|{_BY_LETTER}",
    "git cherry-pick": _STRATEGY, "git revert": _STRATEGY,
    "git difftool": completed("xt", "extcmd tool"),
    "git mergetool": completed("t", "tool"),
    "git grep": completed("O", "open-files-in-pager"),
    "git fetch": completed("", "upload-pack"),
    "git pull": completed("", "upload-pack", f"{_STRATEGY}|{_BY_LETTER}"),
    "git ls-remote": completed("", "upload-pack exec"),
    "git clone": completed("uc", "upload-pack config template"),
    "git init": completed("", "template"),
    "git push": completed("", "receive-pack exec"),
    "git archive": completed("", "exec remote"),
    "git send-email": completed("", "smtp-server sendmail-cmd to-cmd cc-cmd header-cmd"),
    "git submodule": "foreach",
    "tar": completed(
        "IF", "checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script"
    ),
    "make": _MAKE, "gmake": _MAKE,
    "rsync": completed("e", "rsh rsync-path", r"-M.*|--remote-option(?:=.*)?"),
    "just": completed("cfE", "command shell shell-arg justfile dotenv-path dotenv-filename", "--set") + "|"
    + leading_out("-d|--working-directory"),
    "rake": completed("epErRf", "execute execute-print execute-continue require rakelibdir rakefile libdir"),
    "ghc": r"-e.*|-pgm.*|-opt.*|-F|--run.*|--interactive|-fplugin.*",
    "zip": completed("", "unzip-command", r"-[A-Za-z]*TT.*"),
    "scp": completed("SoFD"),
    "sort": completed("", "compress-program"),
    "split": completed("", "filter"),
    "go": r"--?(?:exec|toolexec|vettool|overlay|modfile)(?:=.*)?|.*-extld.*|" + leading_out("-C"),
    "go tool": r"--?tools(?:=.*)?",
    "go env": r"--?[wu](?:=.*)?",
    "cargo": exact("C", "config", "-Z.*") + "|" + leading_out("--manifest-path"),
    "cargo rustc": r"-C=?(?:linker|link-arg).*",
    "cargo nextest": exact(
        "", "config-file tool-config-file user-config-file archive-file extract-to cargo-metadata binaries-metadata"
    ),
    "rustc": r"(?:-C=?|--codegen=)(?:linker|link-arg|link-self).*|-Z.*|@.*|--(?:sysroot|extern)=.*",
    "svn": completed("", "diff-cmd diff3-cmd editor-cmd config-option config-dir", "ext::.*"),
    "hg": completed("", "config config-file ssh remotecmd tool cwd repository", "-R.*|-e.*|-t.*"),
    "jj": exact("R", "config config-toml config-file tool repository"),
    "stack": exact("", "exec stack-yaml with-gcc ghc-options docker nix stack-root"),
    "cabal": r"-w.*|--with-.*|--\w+-(?:options?|location).*|--(?:project|config)-file.*|--project-dir.*",
    "zig": r"--(?:test-cmd|test-cmd-bin|build-file|build-runner|zig-lib-dir|libc|sysroot)(?:=.*)?|-fuse-ld.*",
    "protoc": r"--plugin(?:=.*)?|@.*",
    "clang-tidy": r"--?(?:load|config-file|extra-arg|extra-arg-before|vfsoverlay)(?:=.*)?",
    "openssl": r"-(?:engine|provider|provider-path|config|propquery)(?:=.*)?",
    "bat": exact("", "pager"), "batcat": exact("", "pager"), "ag": exact("", "pager"),
    "ack": completed("", "pager ackrc"),
    "actionlint": r"--?(?:shellcheck|pyflakes|config-file)(?:=.*)?",
    "flake8": completed("", "enable-extensions"),
    "meson": completed("", "wrapper gdb gdb-path native-file cross-file"),
    "phpstan": r"-a.*|--autoload-file(?:=.*)?", "psalm": exact("", "plugin bootstrap"),
    "phpcs": exact("", "bootstrap runtime-set"),
    "git instaweb": completed("dbm", "httpd browser module-path"),
    "git svn": completed("", "authors-prog config-dir"),
    "npm": rf"-[cC].*|-{{1,2}}(?:{'|'.join(map(short, _NPM.split()))})(?:=.*)?",
    "pnpm": completed(
        "cC", "script-shell shell-mode dir prefix node-options userconfig", r"--config\.(?:script|shell|node).*"
    ),
    "yarn": exact("", "script-shell cwd use-yarnrc node-options"),
    "bun": exact("", "preload require import cwd eval shell", "-r.*"),
    "mvn": completed(
        "", "file settings global-settings toolchains global-toolchains",
        r"-f(?!ae$|n$|f$).*|-[st].*|-g(?:s|t|l).*"
        r"|-D(?:exec\.|maven\.(?!test\.)|jvm|argLine|java\.|javax|.*[Aa]gent|.*[Ee]xecutable).*|-D[^=]*=.*[/\s].*"
        r"|exec:.*|(?:.*:)?(?:exec|antrun|groovy|gmavenplus)[\w-]*:.*",
    ),
    "gradle": _GRADLE, "gradlew": _GRADLE,
    "mix": r"-[er].*|--(?:eval|rpc-eval|require|cmd|dot-formatter)(?:=.*)?",
    "cmake": r"-[EPC].*|--toolchain(?:=.*)?"
    r"|-D\w*(?:LAUNCHER|TOOLCHAIN_FILE|_COMMAND|_RULE_|_INCLUDES?(?:_|\b)|PROJECT_INCLUDE|_COMPILER|_LINKER).*",
    "ctest": r"-[SDMT].*|-SP.*|--(?:build-|test-command|script|dashboard)[\w-]*(?:=.*)?",
    "man": completed("PHC", "pager html config-file preprocessor gxditview"),
    "ninja": "-f.*|" + leading_out("-C"), "less": completed("ok", "lesskey log-file", r"\+.*"), "more": r"\+.*",
    "java": r"-XX:(?:On\w*Error|Flags|VMOptionsFile).*|-(?:javaagent|agent(?:lib|path)|Xrun|Xboot).*|@.*",
    "javac": r"-J.*|--?processor.*|-Xplugin.*|@.*", "javadoc": r"-J.*|-doclet.*|-taglet.*|@.*",
    "pandoc": completed(
        "FLd", "filter lua-filter pdf-engine pdf-engine-opt defaults",
        r"(?:-[tfrw]|--(?:to|from|read|write))=?.*\.lua.*",
    ),
    "helm": r"--post-renderer(?:-args)?(?:=.*)?|--kubeconfig(?:=.*)?",
    "mypy": completed("", "python-executable"),
    "pylint": completed("", "init-hook load-plugins rcfile"),
    "pyright": completed("", "pythonpath venvpath"),
    "pytest": _PYTEST, "py.test": _PYTEST,
    "sphinx-build": completed("cD", "conf-dir define", "@.*"),
    "mkdocs": completed("f", "config-file"),
    "pre-commit": completed("c", "config"),
    "phpunit": exact("dc", "bootstrap configuration extension loader printer testdox-html include-path prepend"),
    "ant": r"-(?:f|file|buildfile|lib|logger|listener|inputhandler|propertyfile|find|s)(?:=.*)?|-D.*=.*[/\s].*",
    "sbt": r"-(?:J|D).*|--?(?:sbt-jar|sbt-launch-jar|java-home|script|sbt-dir|ivy|addPluginSbtFile).*|@.*|eval.*",
    "bazel": r"--(?:run_under|shell_executable|bazelrc|home_rc|workspace_rc|override_\w+|host_jvm_\w+|server_javabase"
    r"|action_env|test_env|define|extra_toolchains|crosstool_top|workspace_status_command|aspects|remote_\w+|bes_\w+|registry"
    r"|host_action_env|repo_env|credential_helper|plugin)"
    r"(?:=.*)?",
    "dotnet": r"--test-adapter-path(?:=.*)?|.*TestAdaptersPaths.*|[-/]{1,2}rsp:.*|--?property=.*"
    r"|@.*|[-/]{1,2}(?:l|logger):.*,.*"
    r"|[-/]{1,2}(?:p|property):(?!(?:Configuration|Platform|Version|WarningLevel|TreatWarningsAsErrors|NoWarn"
    r"|Deterministic|CollectCoverage|TargetFramework|RuntimeIdentifier)=[\w.,;-]*$).*",
    "swift": r"-X(?:swiftc|linker|cc|cxx|clang-linker|build-tool).*|--(?:toolchain|sdk|swift-sdks-path|destination)"
    "(?:=.*)?|" + leading_out("--package-path|-C|--chdir"),
    "uv": leading_out("--project|--directory|--config-file"), "poetry": leading_out("-C|-P|--project|--directory"),
    "bundle": leading_out("--gemfile"), "composer": leading_out("-d|--working-dir"),
    "pip": completed("", "python"), "apt": _APT, "apt-get": _APT, "aptitude": _APT,
    "wget": completed("e", "use-askpass config execute"),
    "curl": completed("K", "config"),
    "tox": exact("", "runner discover"), "rspec": _RSPEC + r"|--drb.*" + _OUTSIDE, "cdk": r"-a.*|--app(?:=.*)?",
    "rubocop": _RSPEC + "|" + completed("c", "config plugin"),
    "jest": _JEST + _JEST_MORE, "vitest": _JEST + _VITEST, "mocha": _JEST + _MOCHA, "ava": _JEST,
    "eslint": _LINTER, "prettier": _LOADS, "stylelint": _LINTER + r"|--custom-(?:formatter|syntax)(?:=.*)?",
    "webpack": _LOADS,
    "rollup": _LOADS + "|-p.*",
    "docker build": _DOCKER_BUILD, "docker buildx": _DOCKER_BUILD,
    "kubectl": r"--kubeconfig(?:=.*)?",
    "ansible-playbook": completed(
        "eM",
        "extra-vars module-path vault-password-file vault-id ssh-common-args ssh-extra-args scp-extra-args "
        "sftp-extra-args become-password-file connection-password-file connection become-method",
    ),
    "redis-cli": r"--eval(?:=.*)?|-x|eval|EVAL",
} | dict.fromkeys(word_set("gcc g++ cc c++ clang clang++"), _COMPILER)  # fmt: skip

# Of a program that nobody knows: what gives it code, or a command, as others spell it.
GIVING = (
    r"-[a-zA-Z]{0,2}[ceE]|-x|-[ceE].*\s.*"
    r"|--(?:eval|evaluate|exec|execute|expr|expression|command|cmd|code|run|init-hook|script)(?:=.*)?"
)
