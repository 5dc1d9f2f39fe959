"""Positions of any game from text: the game's own, or JSON, which starts with a brace.

Owns the strict reading of JSON; what it means is the game's notation.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from solvers.errors import NotationError, check_size, quoted

if TYPE_CHECKING:
    from solvers.games import AnyGame


def read_position(game: AnyGame, text: str, profile: Any) -> Any:
    """Read a deal or a position in mid-game, as text or as JSON; return a State.

    JSON is the position, or an object that holds it as `position`, as `winnable deal` writes it.

    Raises NotationError for a text that is not a position (what, where, and what would be valid) or
    is longer than 64 Ki characters, and InvalidDealError for a position that the profile's rules
    cannot lead to (its faults).
    """
    check_size(text, "a board or a position")
    text = text.removeprefix("\ufeff")  # a byte order mark
    if not text.lstrip().startswith("{"):
        return game.parse_board(text, profile)
    data = decode_json(text)
    if isinstance(data, dict) and "position" in data:
        data = data["position"]
    return game.position_from_json(data, profile)


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
