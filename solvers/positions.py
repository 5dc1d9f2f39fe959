"""Positions of any game from text: the game's own, or JSON, which starts with a bracket.

Owns the strict reading of JSON; what it means is the game's notation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from solvers import games
from solvers.errors import NotationError, UnknownNameError, WinnableError, check_size, quoted

if TYPE_CHECKING:
    from solvers.games import AnyGame


def read_position(game: AnyGame, text: str, profile: Any, layout: str = "auto") -> Any:
    """Read a deal or a position in mid-game, as text or as JSON; return a State.

    JSON is the position, or an object that holds it as `position`, as `winnable deal` writes it.

    layout  how a board lies on its lines, one of the game's `board_layouts`

    Raises NotationError for a text that is not a position (what, where, and what would be valid) or
    is longer than 64 Ki characters, InvalidDealError for a position that the profile's rules
    cannot lead to (its faults), and UnknownNameError for a layout.
    """
    if layout not in game.board_layouts:
        raise UnknownNameError("board layout", layout, game.board_layouts)
    check_size(text, "a board or a position")
    text = text.removeprefix("\ufeff")  # a byte order mark
    begin = text.lstrip()
    if begin.startswith(("<svg", "<?xml")):
        raise NotationError(
            "is a picture, which is not read; valid is any other format of 'winnable deal'"
        )
    if not begin.startswith(("{", "[")):
        shape = _shape_of(text)
        for other in map(games.load, games.NAMES):
            if other.board_shape == shape != game.board_shape:
                raise NotationError(
                    f"this looks like {other.title}, not {game.title}: its lines have "
                    f"{' '.join(map(str, shape))} cards"
                )
        with _told_of_another_game(game, text):
            return game.parse_board(text, profile, layout)
    return position_from_json(game, decode_json(text), profile, layout)


def position_from_json(game: AnyGame, data: Any, profile: Any, layout: str = "auto") -> Any:
    """Read a decoded JSON position, or an object that holds one as `position`; return a State.

    Raises as `read_position`.
    """
    if isinstance(data, dict) and "position" in data:
        data = data["position"]
    with _told_of_another_game(game, data):
        return game.position_from_json(data, profile, layout)


@contextmanager
def _told_of_another_game(game: AnyGame, given: Any) -> Iterator[None]:
    """Say of a position that cannot be read which other game's it looks like."""
    try:
        yield
    except WinnableError as error:
        for other in map(games.load, games.NAMES):
            if other.name != game.name and _looks_like(given, other):
                raise NotationError(
                    f"this looks like {other.title}, not {game.title}: {error}"
                ) from error
        raise


def _looks_like(given: Any, game: AnyGame) -> bool:
    """Tell whether a text or decoded JSON is made like a position of a game."""
    if isinstance(given, dict):
        return any(key in given for key in game.position_marks)
    text = given.lower() if isinstance(given, str) else ""
    titled = text.lstrip().startswith(f"{game.title.lower()} ")
    return titled or any(f"{mark}:" in text for mark in game.position_marks)


def _shape_of(text: str) -> tuple[int, ...]:
    """Return how many words each line of a text has, but for blank ones."""
    return tuple(len(line.split()) for line in text.splitlines() if line.strip())


def decode_json(text: str) -> Any:
    """Decode JSON strictly: raises NotationError, also for a key given twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise NotationError(
                    f"key {quoted(key)} is given twice in one JSON object", text=key
                )
            found[key] = value
        return found

    try:
        return json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise NotationError(f"not JSON: {error.msg}", text=text, position=where) from None
    except NotationError:
        raise
    except (RecursionError, ValueError):  # nested, or a number longer, than Python reads
        raise NotationError(
            "JSON too deep, or with too long a number, to be read", text=text
        ) from None
