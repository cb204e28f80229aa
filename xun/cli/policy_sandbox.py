"""`xun policy sandbox`: what commands run in here."""

from __future__ import annotations

from xun.cli import exits
from xun.cli.options import Folder, PolicyFiles, policy_folder
from xun.config.paths import find_paths
from xun.config.policy_file import policy_files
from xun.config.trust import trust_of
from xun.exec.sandbox.find import find
from xun.gate.sandbox import describe_sandbox
from xun.result import XunError
from xun.run_policy import policy_of_flags


def sandbox(cwd: Folder = None, policy: PolicyFiles = None) -> int:
    """What commands run in here, and what that keeps from them. Exit: 0, 1 where one is required and none works."""
    try:
        folder = policy_folder(cwd)
        paths = find_paths()
        settings = policy_of_flags(
            (), (), (), folder, policy_files(paths, policy or (), trust_of(folder, paths))
        ).settings
        told, missing = describe_sandbox(settings), settings.sandbox == "required" and find() is None
    except XunError as error:
        return exits.fail(str(error))
    print(told)
    return exits.FAILED if missing else exits.OK
