"""Lines of play as people and programs write them, with what stands around the moves.

Owns which parts of a text hold moves; what a move is, is the game's notation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from solvers.errors import NotationError, check_size, quoted
from solvers.positions import decode_json
from solvers.reading import lines_of

if TYPE_CHECKING:
    from solvers.games import AnyGame

#: The longest line of The Plot with the board after each move is a tenth of it.
LARGEST_KIB = 1024
#: `12. 26v3  QH from column 2`: a number, moves, and after two spaces what they do.
_NUMBERED = re.compile(r"\s*[0-9]+\.\s+(.*?)(?:\s{2,}.*)?")
#: What fc-solve writes before a single move between boards.
_PREFIX = re.compile(r"\s*Move:\s*")
#: What programs print around moves: our own answers, and fc-solve's rules, boards and counts.
_NO_MOVES = re.compile(
    r"\s*(?:"
    r"#.*|.+ winnable +[0-9]+ nodes\b.*|"
    r"[-=]{3,}|:.*|"
    r"(?:Foundations|Freecells|Iteration|Depth|Stored-States|Scan|Parent Index)\s*:.*|"
    r"This game is solveable\.|Total number of states checked is .*|This scan generated .*"
    r")?\s*",
    re.IGNORECASE,
)


def read_moves(game: AnyGame, text: str) -> list[Any]:
    """Read a line of play; return its moves.

    A text of moves in the game's notation, one or many a line; numbered lines, of which only
    those with a number count; what `winnable solve` and fc-solve print, with what they print
    around it; or JSON, a list of moves or an object that holds it as `moves`.

    Raises NotationError for a text that is not moves (what and where), that has none, or is
    longer than 1,024 Ki characters.
    """
    check_size(text, "a line of moves", LARGEST_KIB)
    text = text.removeprefix("\ufeff")  # a byte order mark
    if text.lstrip().startswith(("{", "[")):
        return _from_json(game, decode_json(text))
    moves = [move for number, line in _lines(text) for move in game.parse_moves(line, number)]
    if not moves:
        raise NotationError("there is no move in it", text=text)
    return moves


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the parts of lines that hold moves, with the lines' numbers."""
    lines = list(lines_of(text))
    numbered = [
        (number, match[1]) for number, line in lines if (match := _NUMBERED.fullmatch(line))
    ]
    if numbered:
        yield from numbered
        return
    for number, line in lines:
        if not _NO_MOVES.fullmatch(line):
            yield number, _PREFIX.sub("", line, count=1)


def _from_json(game: AnyGame, data: Any) -> list[Any]:
    """Read moves from decoded JSON."""
    texts = data.get("moves") if isinstance(data, dict) else data
    if not isinstance(texts, list):
        raise NotationError("JSON of a line is a list of moves, or an object with it as 'moves'")
    moves = []
    for index, text in enumerate(texts):
        where = f"moves[{index}]"
        if not isinstance(text, str):
            raise NotationError(f"{quoted(str(text))} is not a text", position=where)
        try:
            moves.append(game.parse_move(text))
        except NotationError as error:
            raise NotationError(str(error), text=text, position=where) from None
    return moves
