"""What is said about the sandbox: which kind commands run in here, and why there is none."""

from __future__ import annotations

from xun.exec.sandbox.find import find, works
from xun.exec.sandbox.wanted import VARIABLE, wanted
from xun.policy.rules import Settings

_NAMES = {"bwrap": "bubblewrap", "landlock": "Landlock and seccomp", "seatbelt": "Seatbelt"}
_LESS = (
    "Less than with bubblewrap: they see /tmp and other processes of yours, nothing new can be made at the top of the\n"
    "workspace, git's own files are put back only afterwards, and no SSH agent is reached."
)
_HELP = "On Linux bubblewrap is the usual one: install the package bubblewrap; in a container, allow user namespaces."


def describe_sandbox(settings: Settings) -> str:
    """What `/policy sandbox` and `xun policy sandbox` print."""
    if settings.sandbox == "off":
        return 'No sandbox: the policy says sandbox = "off". Commands may do what you may.'
    if settings.sandbox != "required" and not wanted():
        return f"No sandbox: {VARIABLE} is off. Commands may do what you may."
    kind = find()
    unasked = "those with soft reasons alone unasked" if settings.auto_allow_sandboxed else ""
    if kind is not None:
        granted = "; ".join(filter(None, (f"Commands run in a sandbox: {_NAMES[kind]}", unasked)))
        told = f"{granted}.\nThey change the workspace alone, and have no network unless a rule or you said yes to it."
        return f"{told}\n{_LESS}" if kind == "landlock" else told
    tried = ", ".join(name for one, name in _NAMES.items() if not works(one))
    must = ' The policy says sandbox = "required": no command is run.' if settings.sandbox == "required" else ""
    return f"No sandbox works here (tried: {tried}).{must}\n{_HELP}"
