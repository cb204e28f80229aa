"""Settings from the environment: which variable is which setting, and its text as a value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, get_args, get_origin

from xun.config.settings import leaves
from xun.providers.services import main_services

_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"0", "false", "no", "off"})


@cache
def variables() -> dict[str, str]:
    """Every variable and the dotted key it sets. A provider's go by their usual names, the others are
    `XUN_` and the key: XUN_MODEL, XUN_LIMITS_MAX_STEPS."""
    named = {_variable(key): key for key in leaves() if not key.startswith("providers.")}
    return named | _of_providers()


def _of_providers() -> dict[str, str]:
    return {
        variable: f"providers.{service.prefix}.{item}"
        for service in main_services()
        for item, variable in service.settings.items()
    }


def variable_of(key: str) -> str | None:
    """The variable that sets the dotted `key`, or None."""
    return next((name for name, target in variables().items() if target == key), None)


def read_variables(environ: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The values set in `environ` by dotted key, and warnings. A variable that is set to nothing is unset."""
    values: dict[str, Any] = {}
    for name, key in variables().items():
        if text := environ.get(name, "").strip():
            values[key] = value_of(leaves()[key].annotation, text)
    return values, [warning for name in environ if (warning := _misspelt(name))]


def _variable(key: str) -> str:
    return "XUN_" + key.upper().replace(".", "_").replace("-", "_")


def _misspelt(name: str) -> str | None:
    # Only what is nearly a setting: other programs may use the prefix too, and XUN_HOME is no setting.
    if not name.startswith("XUN_") or name in variables() or name in ("XUN_HOME", "XUN_LOG"):
        return None
    from difflib import get_close_matches

    near = get_close_matches(name, variables(), 1, 0.8)
    return f"{name}: unknown variable is ignored; did you mean {near[0]}?" if near else None


def value_of(annotation: Any, text: str) -> Any:
    """`text` as the type that the setting has; left as text where it is not one, for the check to complain about."""
    kinds = _kinds(annotation)
    if bool in kinds:
        return True if text.lower() in _YES else False if text.lower() in _NO else text
    if tuple in kinds:
        return [item.strip() for item in text.split(",") if item.strip()]
    for kind in (int, float):
        if kind in kinds:
            try:
                return kind(text)
            except ValueError:
                continue
    return text


def _kinds(annotation: Any) -> set[Any]:
    origin = get_origin(annotation)
    if origin is tuple:
        return {tuple}
    if not get_args(annotation):
        return {annotation}
    return {kind for part in get_args(annotation) for kind in _kinds(part)}
