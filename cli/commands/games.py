"""`winnable games`: what there is to ask about; also the text of `--version`."""

from __future__ import annotations

from typing import Any

import click

from cli.options import json_option
from cli.output import json_line, json_number, print_lines
from cli.parsing import Command
from dealgen.numbering import (
    DEFAULT_NUMBERING,
    Numbering,
    default_numbering,
    numberings_for,
)
from solvers import games
from solvers.games import AnyGame
from solvers.graders import Scale
from solvers.profiles import format_value, options_of, valid_values


@click.command("games", cls=Command)
@json_option
def command(as_json: bool) -> None:
    """List games, rules, numberings and graders.

    \b
    Examples:
      winnable games
      winnable games --json
    """
    for name in games.NAMES:
        game = games.load(name)
        print_lines([json_line(_record(game))] if as_json else _lines(game))


def version_text() -> str:
    """Name the program and everything of it that others store."""
    from importlib.metadata import version

    from dealgen.formats import POOL_FORMAT_VERSION, STORE_FORMAT

    graders = ", ".join(games.load(name).grader.name for name in games.NAMES)
    return (
        f"winnable {version('winnable')}\n"
        f"graders: {graders}\n"
        f"store format: {STORE_FORMAT}\n"
        f"pool format: {POOL_FORMAT_VERSION}"
    )


def _values(profile: Any) -> dict[str, Any]:
    """Return a profile's options by name, numbers as such and all else as options spell it."""
    values = {field.name: getattr(profile, field.name) for field in options_of(profile)}
    # A bool is an int to Python.
    return {
        name: value if type(value) is int else format_value(value) for name, value in values.items()
    }


def _record(game: AnyGame) -> dict[str, Any]:
    """Return all of a game's facts, ready for JSON."""
    fields = options_of(game.profiles[game.default_profile])
    return {
        "game": game.name,
        "title": game.title,
        "deck_size": game.deck_size,
        "default_profile": game.default_profile,
        "profiles": {name: _values(profile) for name, profile in game.profiles.items()},
        "options": {
            field.name: {"valid": valid_values(field), "help": field.metadata["help"]}
            for field in fields
        },
        "numberings": [
            {
                "name": numbering.name,
                "first": json_number(numbering, numbering.first),
                "last": json_number(numbering, numbering.last),
                "describes": numbering.describes_for(game.name),
            }
            for numbering in numberings_for(game.name)
        ],
        "default_numberings": {name: default_numbering(game, name).name for name in game.profiles},
        "methods": list(game.methods),
        "default_limits": {
            "max_nodes": game.default_limits.max_nodes,
            "memory_mib": game.default_limits.memory_mib,
        },
        "grader": {
            "name": game.grader.name,
            "unit": "tries",
            "scales": {
                name: {
                    "easy_below": scale.easy_below / 1000,
                    "hard_from": scale.hard_from / 1000,
                    "calibrated_on": scale.range,
                }
                for name, scale in game.grader.scales.items()
            },
        },
    }


def _lines(game: AnyGame) -> list[str]:
    """Write a game's facts for people."""
    profiles = [
        (
            name + (" (default)" if name == game.default_profile else ""),
            " ".join(f"{key}={value}" for key, value in _values(profile).items())
            + _numbers(default_numbering(game, name)),
        )
        for name, profile in game.profiles.items()
    ]
    options = [
        (f"{field.name}={valid_values(field)}", field.metadata["help"])
        for field in options_of(game.profiles[game.default_profile])
    ]
    numberings = [
        (
            f"{numbering.name} {numbering.first}..{numbering.last}",
            numbering.describes_for(game.name),
        )
        for numbering in numberings_for(game.name)
    ]
    limits = game.default_limits
    return [
        f"{game.name}: {game.title}",
        *_table("profiles", profiles),
        *_table("options", options),
        *_table("numberings", numberings),
        f"  methods: {', '.join(game.methods)}",
        f"  limits: --max-nodes {limits.max_nodes} --memory {limits.memory_mib}",
        *_table(
            f"grader {game.grader.name}, effort in tries",
            [(name, _scale(scale)) for name, scale in game.grader.scales.items()],
        ),
        "",
    ]


def _numbers(numbering: Numbering) -> str:
    """Name the numbering that goes with a profile, unless it is everybody's."""
    return "" if numbering.name == DEFAULT_NUMBERING else f" numbering={numbering.name} (default)"


def _table(title: str, rows: list[tuple[str, str]]) -> list[str]:
    """Write rows of two columns under a title."""
    width = max(len(left) for left, _ in rows)
    return [f"  {title}:", *(f"    {left:<{width}}  {right}" for left, right in rows)]


def _scale(scale: Scale) -> str:
    """Write a profile's scale."""
    return (
        f"easy below {scale.easy_below / 1000}, hard from {scale.hard_from / 1000}; "
        f"calibrated on {scale.range}"
    )
