"""Every setting, with its default and its meaning.

What a file or a variable may say is exactly what stands here.
"""

# Without the future import of annotations: pydantic would compile each of them once more at start-up.
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, create_model, field_validator
from pydantic.fields import FieldInfo

from xun.policy.decision import Mode
from xun.providers.services import main_services

Text = Annotated[str, Field(min_length=1, max_length=500)]
Count = Annotated[int, Field(ge=1)]
Dollars = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Section(BaseModel):
    """Strict: a number in quotes or a yes for a number is a mistake that its author wants to hear about."""

    model_config = ConfigDict(frozen=True, defer_build=True, strict=True, extra="forbid", populate_by_name=True)


class LimitSettings(_Section):
    max_steps: Count | None = Field(50, description="Model replies in one turn.")
    max_tool_calls: Count | None = Field(None, description="Tool calls in one turn; none by default.")
    max_time: Seconds | None = Field(None, description="Seconds one turn may take; none by default.")
    max_cost: Dollars | None = Field(None, description="Dollars one turn may cost; none by default.")
    max_tokens: Count | None = Field(None, description="Tokens, sent and received, of one turn; none by default.")


class RetrySettings(_Section):
    attempts: Count = Field(4, description="Tries of one model call that fails for a passing reason, the first too.")
    backoff: Seconds = Field(0.5, description="Seconds before the second try; doubled for each later one.")
    max_backoff: Seconds = Field(30.0, description="Longest such wait in seconds.")
    max_wait: Seconds = Field(120.0, description="Longest wait in seconds that a server may ask for.")
    call_timeout: Seconds | None = Field(
        None, description="Seconds one try may take; unset, ten minutes or more by the length of the reply."
    )
    switch_after: Count = Field(1, description="Failures in a row after which the next of the fallbacks is asked.")
    cooldown: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(
        0.0, description="Seconds for which the model that failed so often is then asked last."
    )


class CompactionSettings(_Section):
    enabled: bool = Field(True, description="Compact the conversation by itself when it has grown too long.")
    threshold: float = Field(0.8, gt=0, le=1, description="Part of the context window that may be filled before that.")
    keep_tokens: Count = Field(20_000, description="Tokens of the latest steps to keep as they are.")
    max_context_tokens: Count | None = Field(
        150_000, description="Tokens of context to stay below, whatever the window."
    )


class SessionSettings(_Section):
    """Nothing is ever deleted unless one of the two limits is set, and what is deleted is said."""

    save: bool = Field(True, description="Keep sessions on disk.")
    max_age_days: Count | None = Field(None, description="Delete sessions unused for so many days.")
    max_megabytes: Count | None = Field(None, description="Delete the oldest sessions above this total size.")


class RiskSettings(_Section):
    model: Text | None = Field(None, description="PROVIDER/NAME of the risk assessor; the same model when unset.")


class ProviderSettings(_Section):
    api_key: SecretStr | None = Field(None, description="The key. A variable is a better place for it.")
    base_url: Text | None = Field(None, description="Where requests go, with or without /v1 at its end.")
    model: Text | None = Field(None, description="The model used when none is named.")

    @field_validator("api_key")
    @classmethod
    def _usable_key(cls, value: SecretStr | None) -> SecretStr | None:
        key = _bare(value.get_secret_value() if value is not None else "")
        if not key:
            return None
        # Only the kind of mistake is told: an error line must not hold a part of the key.
        if re.search(r"\s", key):
            raise ValueError("has a blank or a line break inside the key; copy it again")
        if not key.isascii() or not key.isprintable():
            raise ValueError("has a character that no key has, such as a long dash; copy it again")
        return SecretStr(key)

    @field_validator("base_url")
    @classmethod
    def _usable_url(cls, value: str | None) -> str | None:
        url = _bare(value or "")
        if not url:
            return None
        if re.search(r"\s", url):
            raise ValueError("has a blank inside the address")
        if not re.match(r"https?://[^/?#]", url):
            raise ValueError("must start with http:// or https://, then a host")
        return url


class VersionedSettings(ProviderSettings):
    api_version: Text | None = Field(None, description="The version of the service's API.")


class HostSettings(ProviderSettings):
    base_url: Text | None = Field(None, description="Where it is: an address, a host, or a host and a port.")

    @field_validator("base_url")
    @classmethod
    def _usable_url(cls, value: str | None) -> str | None:
        place = _bare(value or "")
        if re.search(r"\s", place):
            raise ValueError("has a blank inside the address")
        return place or None


def _bare(text: str) -> str:
    """`text` without the blanks, line ends and quotes that copying and files of variables leave around it."""
    text = text.strip()
    quoted = len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1].strip() if quoted else text


def _provider_fields() -> dict[str, Any]:
    """A table for each service that xun knows, under its prefix."""
    fields: dict[str, Any] = {}
    for service in main_services():
        kind = VersionedSettings if service.version_variable else HostSettings if service.port else ProviderSettings
        fields[service.prefix.replace("-", "_")] = (kind, Field(kind(), alias=service.prefix))
    return fields


if TYPE_CHECKING:

    class Providers(_Section):
        """What a person says about each provider. Its fields are made from `xun.providers.services`."""

        def __getattr__(self, name: str) -> ProviderSettings: ...
else:
    Providers = create_model("Providers", __base__=_Section, **_provider_fields())


class Settings(_Section):
    """What is in force. Rules are not here: they live in `policy.toml`, which has a format of its own."""

    model: Text | None = Field(None, description="PROVIDER/NAME; the first provider with a key when unset.")
    # Lists become tuples, so that a frozen object is frozen all through.
    fallbacks: Annotated[tuple[Text, ...], Field(strict=False)] = Field(
        (), description="Models as PROVIDER/NAME, asked in their order where the model fails for a passing reason."
    )
    effort: Literal["none", "low", "medium", "high"] | None = Field(None, description="Thinking effort.")
    mode: Mode = Field("manual", description="What is done without asking: manual, accept-edits, plan or auto.")
    tools: Annotated[tuple[Text, ...], Field(strict=False)] | None = Field(
        None, description="Tool groups; those that a coding session needs when unset."
    )
    load_project_instructions: bool = Field(True, description="Read AGENTS.md of trusted folders.")
    transport: Literal["http", "sdk"] = Field("http", description="xun's own HTTP, or the provider's SDK.")
    idle_timeout: Seconds = Field(120.0, description="Seconds without a byte after which a model call is given up.")
    limits: LimitSettings = LimitSettings()
    risk: RiskSettings = RiskSettings()
    retry: RetrySettings = RetrySettings()
    compaction: CompactionSettings = CompactionSettings()
    sessions: SessionSettings = SessionSettings()
    providers: Providers = Providers()


# Where keys go, what is kept and what is asked is the person's to say: no project file may, in a trusted folder either.
USER_ONLY = ("providers", "transport", "sessions", "mode", "risk")


@cache
def leaves() -> dict[str, FieldInfo]:
    """Every setting by its dotted key, as a file spells it, in the order of the model."""
    return dict(_leaves(Settings, ""))


def _leaves(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, info in model.model_fields.items():
        key = prefix + (info.alias or name)
        if (section := section_of(info)) is not None:
            yield from _leaves(section, f"{key}.")
        else:
            yield key, info


def section_of(info: FieldInfo) -> type[BaseModel] | None:
    """The model of a field that is a table, else None."""
    kind = info.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def value_at(settings: Settings, key: str) -> object:
    """The value of the dotted `key`. Raises `AttributeError` for an unknown one."""
    value: object = settings
    for part in key.split("."):
        value = getattr(value, part.replace("-", "_"))
    return value
