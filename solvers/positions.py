"""Positions of any game from text: the game's own, or JSON, which starts with a brace.

Owns the strict reading of JSON; what it means is the game's notation.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from solvers.errors import NotationError

if TYPE_CHECKING:
    from solvers.games import AnyGame


def read_position(game: AnyGame, text: str, profile: Any) -> Any:
    """Read a deal or a position in mid-game, as text or as JSON; return a State.

    JSON is the position, or an object that holds it as `position`, as `winnable deal` writes it.

    Raises NotationError for a text that is no position (what, where, and what would be valid) and
    InvalidDealError for one that the profile's rules cannot lead to (every fault).
    """
    text = text.removeprefix("\ufeff")  # a byte order mark
    if not text.lstrip().startswith("{"):
        return game.parse_board(text, profile)
    data = _decode_json(text)
    if isinstance(data, dict) and "position" in data:
        data = data["position"]
    return game.position_from_json(data, profile)


def _decode_json(text: str) -> Any:
    """Decode JSON strictly: raises NotationError, also for a key given twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise NotationError(f"key {twice!r} is given twice in one JSON object", text=twice)
        return found

    try:
        return json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise NotationError(f"no JSON: {error.msg}", text=text, position=where) from None
    except NotationError:
        raise
    except (RecursionError, ValueError):  # nested, or a number longer, than Python reads
        raise NotationError(
            "JSON too deep, or with too long a number, to be a position", text=text
        ) from None
