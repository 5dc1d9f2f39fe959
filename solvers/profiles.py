"""Rules profiles as text: `classic`, `classic,cells=3`.

Owns the reading, checking and canonical spelling of profiles for every game; the
profiles themselves are frozen dataclasses in each game's `rules`, with a field
`name` and one field an option, declared by `option`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from solvers.errors import NotationError, check_size, known_name, quoted

P = TypeVar("P")


def option(
    default: Any,
    *,
    choices: tuple[Any, ...] = (),
    low: int | None = None,
    high: int | None = None,
    unlimited: bool = False,
    help: str,
) -> Any:
    """Declare one option of a profile dataclass.

    choices    the values it may have (strings or booleans), or
    low, high  the range of a whole number, ends included; high None is unbounded
    unlimited  whether `unlimited` (None) is allowed beside the range
    help       one phrase for `winnable games`
    """
    return dataclasses.field(
        default=default,
        metadata={
            "choices": choices,
            "low": low,
            "high": high,
            "unlimited": unlimited,
            "help": help,
        },
    )


def options_of(profile: Any) -> tuple[dataclasses.Field[Any], ...]:
    """Return the option fields of a profile (all fields but `name`)."""
    return tuple(field for field in dataclasses.fields(profile) if field.name != "name")


def valid_values(field: dataclasses.Field[Any]) -> str:
    """Describe what an option may be, such as `0..7` or `none|safe|max`."""
    if field.metadata["choices"]:
        return "|".join(format_value(choice) for choice in field.metadata["choices"])
    high = field.metadata["high"]
    text = f"{field.metadata['low']}.." + ("" if high is None else str(high))
    return text + ("|unlimited" if field.metadata["unlimited"] else "")


def format_value(value: Any) -> str:
    """Write an option's value: `yes`, `no`, `unlimited`, a word or a number."""
    if value is None:
        return "unlimited"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _parse_value(field: dataclasses.Field[Any], text: str, whole: str) -> Any:
    """Read one option's value or raise NotationError saying what is valid."""
    for choice in field.metadata["choices"]:
        if format_value(choice) == text.lower():
            return choice
    if field.metadata["unlimited"] and text.lower() == "unlimited":
        return None
    low, high = field.metadata["low"], field.metadata["high"]
    # ASCII only: int() would also take other scripts' digits, signs and underscores.
    if low is not None and text.isascii() and text.isdigit() and len(text) <= 9:
        value = int(text)
        if value >= low and (high is None or value <= high):
            return value
    raise NotationError(
        f"profile {quoted(whole)}: {field.name} is {quoted(text)}; valid is {valid_values(field)}",
        text=text,
    )


def parse_profile(text: str, profiles: Mapping[str, P]) -> P:
    """Read a profile: a name, then options that differ from it, `name,option=value,...`.

    Names and values may be in any case.

    Returns the named profile itself when nothing differs, so that equal rules have one
    spelling. Raises UnknownNameError for an unknown profile or option and NotationError
    for an option that is not `option=value`, is given twice or has an invalid value.
    """
    check_size(text, "a profile")
    name, *parts = text.split(",")
    _refuse_bare_options(text, profiles)
    base: Any = profiles[known_name("profile", name, profiles)]
    fields = {field.name: field for field in options_of(base)}
    values: dict[str, Any] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals:
            raise NotationError(
                f"profile {quoted(text)}: {quoted(part)} is not an option; write option=value",
                text=part,
            )
        key = known_name("profile option", key, fields)
        if key in values:
            raise NotationError(f"profile {quoted(text)}: {key} is given twice", text=part)
        values[key] = _parse_value(fields[key], value, text)
    varied = dataclasses.replace(base, **values)
    for known in profiles.values():
        if dataclasses.replace(varied, name=known.name) == known:  # type: ignore[attr-defined]
            return known
    return varied


def _refuse_bare_options(text: str, profiles: Mapping[str, Any]) -> None:
    """Raise NotationError, with what is meant, for options without a profile before them."""
    default = next(iter(profiles))
    key = text.partition("=")[0].lower()
    if "=" in text and key in {field.name for field in options_of(profiles[default])}:
        raise NotationError(
            f"profile {quoted(text)} begins with an option, did you mean "
            f"{quoted(f'{default},{text}')}?",
            text=text,
        )


def format_profile(profile: Any, profiles: Mapping[str, Any]) -> str:
    """Write a profile canonically: its name, then what differs from the named one, sorted."""
    base = profiles[profile.name]
    differing = sorted(
        f"{field.name}={format_value(getattr(profile, field.name))}"
        for field in options_of(profile)
        if getattr(profile, field.name) != getattr(base, field.name)
    )
    return ",".join([profile.name, *differing])
