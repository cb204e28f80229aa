"""Names of files and folders that hold secrets: keys, tokens, passwords, histories of shells. All are folded names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from xun.policy.tables.programs import word_set

NAMES = word_set(
    ".env .envrc .envrc.local .netrc _netrc .pgpass .my.cnf .mylogin.cnf .npmrc .pypirc .git-credentials .gitcookies "
    ".htpasswd .vault_pass .vault-token .ansible_vault_pass vault_pass.txt credentials credentials.csv "
    "application_default_credentials.json .secrets shadow shadow- gshadow gshadow- sudoers master.key .terraformrc "
    "terraform.rc .dockercfg .dockerconfigjson .s3cfg .boto .wgetrc .curlrc .msmtprc .fetchmailrc .mbsyncrc "
    ".offlineimaprc .databrickscfg .databricks.cfg kubeconfig kubeconfig.yaml kubeconfig.yml .dev.vars .rclone.conf "
    "rclone.conf secring.gpg wg0.conf gcp.json sa.json logins.json key3.db key4.db cookies cookies.sqlite "
    "wallet.dat wp-config.php "
)
SUFFIXES = (
    ".pem", ".key", ".p12", ".pfx", ".p8", ".pk8", ".keystore", ".jks", ".kdbx", ".kdb", ".ppk", ".env", ".asc.key",
    ".tfstate", ".tfvars", ".kubeconfig", ".ovpn",
)  # fmt: skip
PREFIXES = (".env.", ".env-", ".env_", ".dev.vars.")
_DATA = r"\.(?:txt|json|toml|ya?ml|ini|env|csv|conf|cfg|properties)"
_KEY = (
    r"(?:(?:api|private|access|deploy|signing|encryption|rsa|dsa|ecdsa|ed25519)[_-]?keys?"
    r"|vault[_-]?pass(?:word)?)"
)
_BEARER = r"(?:access|auth|api|bearer|refresh|bot|github|gitlab|npm|slack|vault)"
_SHAPES = re.compile(
    # Keys of accounts of services, as their consoles name them.
    r"(?:[\w.-]*[._-])?service[_-]?account(?:[._-]?keys?)?\.json|(?:[\w.-]+-)?firebase-adminsdk(?:-[\w.-]+)?\.json"
    r"|client_secrets?(?:[_-][\w.-]+)?\.json|(?:google|gcp|gcloud|aws|azure)[_-](?:credentials|key|sa)\.json"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-][\w.-]*(?<!pub))?"
    # What people call a file with secrets. A bare word that names something else, too, does not count.
    r"|\.?" + _KEY + r"(?:" + _DATA + r")?|\.(?:secrets?|passwords?|credentials?)(?:" + _DATA + r")?"
    r"|(?:[\w.-]+[._-])?(?:secrets?|passwords?|credentials?|" + _KEY + r")" + _DATA + r"|ssh_host_(?:[a-z0-9]+_)?key"
    r"|\.tokens?|\.?token\.(?:txt|json)|tokens\.txt|\.?" + _BEARER + r"[_-]?tokens?(?:\.(?:txt|json))?"
    r"|env\.(?:prod(?:uction)?|stag(?:e|ing)|local|secrets?)|appsettings\.(?:prod(?:uction)?|stag(?:e|ing)|secrets?)\.json"
    # What shells and consoles keep of what was typed.
    r"|\.[\w-]+_history"
)  # fmt: skip
FOLDERS = word_set(".ssh .gnupg .aws .azure .kube .password-store .secrets .terraform.d .mozilla .env.d .envs .snowsql")
PAIRS = frozenset(
    {(".docker", "config.json"), (".config", "gcloud"), (".config", "gh"), (".config", "op"), (".config", "hub"),
     (".config", "google-chrome"), (".config", "chromium"), ("share", "keyrings"), (".m2", "settings.xml"),
     (".composer", "auth.json"), ("library", "keychains"), (".dbt", "profiles.yml"),
     (".codex", "auth.json"), ("opencode", "auth.json")}
)  # fmt: skip
_SAMPLE = re.compile(
    r"\.env[._-](?:example|sample|template|dist|defaults?|tmpl)"
    r"|(?:.*[._-])?(?:example|sample|template|dist)[._-]?(?:\.(?:env|tfvars)|\.dev\.vars)"
    r"|.*[._-](?:example|sample|template|dist)"
    r"|(?:.*[._-])?(?:example|sample|template|dummy|fake)" + _DATA
)  # fmt: skip
# What an editor or a careful person leaves beside a file.
_COPY = re.compile(r"(?:~|[._-](?:bak|backup|old|orig|save|copy|swp|swo)|\.\d{1,2})$")
# Some piece of each name, or of its folders, that `secret` knows, by first letters: a name is looked at once a letter.
HINT = re.compile(
    r"a(?:ccount|pi.?key|ppsettings|uth\.|ws|zure|ccess.?key)|boto|c(?:omposer|hrom|onfig|ookies|red|urlrc)"
    r"|d(?:atabricks|ev\.vars|eploy.?key|bt|ocker|sa)|e(?:cdsa|d25519|ncryption|nv)"
    r"|f(?:irebase|etchmail)|g(?:cloud|cp[_.-]|h(?<!\wgh)\b|itcookies|nupg)"
    r"|h(?:istory|tpasswd|ub(?<!\whub)\b)|id_[rde]|key(?:chains|rings|\d\.db)|kube|logins\.|m(?:bsync|ozilla|smtp)"
    r"|n(?:etrc|pmrc)|o(?:fflineimap|p(?<!\wop)\b|vpn)|p(?:assword|gpass|rivate|ypirc)"
    r"|r(?:clone|sa)|s(?:3cfg|a\.json|ecret|ecring|ettings|hadow|igning|nowsql|sh|udoers)|t(?:erra|f(?:state|vars)|oken)"
    r"|vault|w(?:allet|g0|getrc|p-config)|\.(?:cnf|jks|kdbx?|key|keystore|p12|p8|pem|pfx|pk8|ppk)"
)  # fmt: skip
# One of a kind: what a pattern that picks something out may match.
EXAMPLES = (
    ".env", ".env.local", ".env.production", ".envrc", ".netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials",
    "id_rsa", "id_ed25519", "id_ecdsa", "credentials", "x.pem", "x.key", "x.p12", "x.p8", ".ssh", ".aws",
    ".bash_history", "x.tfstate", "x.tfvars", ".dev.vars", ".secrets", "kubeconfig", ".dockerconfigjson",
    ".env~", "server.key.bak",
)  # fmt: skip


def in_folder(parts: Sequence[str]) -> bool:
    """Do the folded `parts` of a path lead into, or to, a folder in which everything usually is secret?"""
    return not (FOLDERS.isdisjoint(parts) and PAIRS.isdisjoint(pairwise(parts)))


def named(name: str) -> bool:
    """Is a file of this folded name one that usually holds secrets, or a copy of one, and no sample of one?"""
    original = _original(name)
    return not _SAMPLE.fullmatch(original) and any(map(_known, {name, original}))


def _original(name: str) -> str:
    """The name of the file that one of this name is a copy of, also of a copy of a copy: `.x.swp`, `x.bak~`, `#x#`."""
    if len(name) > 2 and name[0] == name[-1] == "#":
        return _original(name[1:-1])
    if name.startswith(".#"):
        return _original(name[2:])
    while match := _COPY.search(name):
        name = name[: match.start()]
        if match[0] in (".swp", ".swo") and name.startswith("."):
            name = name[1:]
    return name


def _known(name: str) -> bool:
    if name in NAMES or name.startswith(PREFIXES) or name.endswith(SUFFIXES):
        return True
    return _SHAPES.fullmatch(name) is not None
