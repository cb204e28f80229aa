"""Commands whose whole purpose is to print a password, token or key: what they show is secret, whatever its file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xun.policy.tables.programs import base_name
from xun.policy.text.words import Arg

# By program: its words with a blank between, from the first one behind its name on.
_PRINT: Mapping[str, re.Pattern[str]] = {
    name: re.compile(words, re.DOTALL)
    for name, words in {
        "gh": r"auth (?:token|status .*(?:-t|--show-token)\b)|auth git-credential .*",
        "glab": r"auth (?:status .*(?:-t|--show-token)|token)|config get .*token.*",
        "git": r"(?:-[Cc] \S+ |-\S+ )*credential(?:-[\w-]+)? (?:\S+ )*(?:fill|get)\b.*",
        "pass": r"(?!(?:ls|list|find|search|git|help|version|insert|generate|edit|rm|mv|cp|init|--\w+)\b)\S.*",
        "gopass": r"(?:show|cat|otp|export|env)\b.*|-\w+ \S+",
        "op": r"(?:read|inject|item get|document get|signin|run)\b.*",
        "bw": r"(?:get|export|list items|unlock)\b.*",
        "lpass": r"(?:show|export)\b.*",
        "keepassxc-cli": r"(?:show|export|clip)\b.*",
        "secret-tool": r"(?:lookup|search)\b.*",
        "security": r"(?:find-(?:generic|internet)-password|export|dump-keychain)\b.*",
        "gcloud": r".*(?:print-(?:access|identity|refresh)-token|secrets versions access|config config-helper).*",
        "aws": r".*(?:get-secret-value|configure (?:get \S*(?:secret|token|key)\S*|export-credentials)|"
        r"eks get-token|ecr get-login|create-access-key|get-password-data|"
        r"get-(?:session-token|login-password|authorization-token|federation-token)|assume-role\S*|"
        r"--with-decryption).*",
        "az": r".*(?:acr credential|--expose-token|show-connection-string|connection-string (?:show|list)|"
        r"credential (?:show|reset)|keys? (?:show|renew)|list-publishing-\S+|get-access-token|"
        r"keyvault secret (?:show|download)|keys list|list-keys|credential list).*",
        "kubectl": r".*\bget (?:\S+ )*?(?:secrets?\b(?:[/ ]|$)|\S*,secrets?\b).*(?:-o|--output|--template)\W?\S.*"
        r"|.*config view .*--raw.*|.*create token\b.*",
        "oc": r"whoami (?:-t|--show-token)|.*extract secret.*|.*\bget secrets?\b.*(?:-o|--output).*",
        "vault": r"(?:kv get|read|print token|token create|unwrap|login)\b.*",
        "gpg": r".*(?:--export-secret-(?:sub)?keys|--decrypt|-d\b).*",
        "gpg2": r".*(?:--export-secret-(?:sub)?keys|--decrypt|-d\b).*",
        "sops": r"(?:-d|--decrypt|decrypt|exec-env|exec-file)\b.*",
        "age": r"(?:.* )?(?:-d|--decrypt)\b.*",
        "ansible-vault": r"(?:view|decrypt)\b.*",
        "npm": r"(?:config|c) (?:get \S*(?:_auth|_password|token)\S*)|token list.*|get \S*(?:_auth|_password)\S*",
        "heroku": r"auth:token.*|config(?::get)?\b.*|(?:pg|redis):credentials.*",
        **dict.fromkeys(
            ("fly", "flyctl"), r"(?:.* )?(?:auth token|tokens? (?:create|deploy|attenuate)|ssh issue|config env)\b.*"
        ),
        "databricks": r"(?:.* )?(?:auth (?:token|env)|tokens? create|secrets get-secret)\b.*",
        "infisical": r"(?:.* )?(?:secrets|export|run|token|user get)\b.*",
        "pulumi": r".*--show-secrets.*|config get\b.*|env (?:open|get|run)\b.*",
        "railway": r"(?:variables?|vars|run|shell)\b.*",
        "vercel": r"env (?:pull|run)\b.*|pull\b.*",
        "netlify": r"env:(?:get|list|clone)\b.*",
        **dict.fromkeys(
            ("docker", "podman"),
            r"(?:.* )?secret inspect\b.*--showsecret.*"
            r"|compose (?:.* )?(?:config|convert)\b(?!.* (?:--services|--images|--volumes|--profiles|-q|--quiet)\b).*",
        ),
        **dict.fromkeys(
            ("docker-compose", "podman-compose"),
            r"(?:.* )?(?:config|convert)\b(?!.* (?:--services|--images|--volumes|--profiles|-q|--quiet)\b).*",
        ),
        **dict.fromkeys(
            ("dotenv", "dotenvx"), r"(?:.* )?(?:list|get|decrypt)\b.*|(?:.* )?run (?:.* )?(?:env|printenv)\b.*"
        ),
        **dict.fromkeys(("foreman", "honcho", "nf"), r"(?:.* )?(?:run (?:.* )?(?:env|printenv|export|set)|export)\b.*"),
        "supabase": r"(?:status|projects api-keys|secrets list)\b.*",
        "firebase": r"(?:functions:secrets:access|functions:config:get|login:ci)\b.*",
        "doctl": r"(?:.* )?(?:registry docker-config|kubeconfig show)\b.*",
        "yarn": r"config get \S*(?:[aA]uth|[tT]oken|[pP]assword)\S*.*",
        "poetry": r"config (?:http-basic|pypi-token)\S*",
        "composer": r"config (?:.* )?(?:-l|--list|github-oauth\S*|http-basic\S*|gitlab-token\S*)\b.*",
        "aws-vault": r"(?:exec|export)\b.*",
        "keyring": r"get\b.*",
        "rbw": r"(?:get|code)\b.*",
        "envchain": r"\S+ (?:env|printenv)\b.*",
        "teller": r"(?:env|show|export|run|sh)\b.*",
        "conjur": r"variable get\b.*",
        "akeyless": r"get-(?:dynamic-|rotated-)?secret-value\b.*",
        "cf": r"env\b.*",
        "eb": r"printenv\b.*",
        "eas": r"env:(?:pull|get|list|exec)\b.*",
        "doppler": r"secrets\b.*|run\b.*",
        "terraform": r"output\b.*(?:-json|-raw).*|state pull.*",
        "docker-credential-helper": r"get.*",
        "skate": r"get\b.*",
        "chamber": r"(?:read|export|env)\b.*",
    }.items()
}

_MOST = 500  # characters of words that are looked at: some of these take long on more


def prints_secret(args: Sequence[Arg]) -> bool:
    """Is a password, token or key what a command is there to print?"""
    name = base_name(args[0].text)
    if name.startswith(("git-credential-", "docker-credential-")):
        return any(arg.text == "get" for arg in args[1:])
    words = _PRINT.get(name)
    return words is not None and words.fullmatch(" ".join(arg.text for arg in args[1:])[:_MOST]) is not None
