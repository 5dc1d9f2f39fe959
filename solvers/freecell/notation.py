"""FreeCell as text: boards, positions as JSON, moves and words for them.

Owns what is written, and moves; boards are read by `boards`. What is readable but not a legal
position is refused by `rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from solvers.cards import (
    RANK_LETTERS,
    SUIT_LETTERS,
    Card,
    card_of,
    format_card,
    rank_of,
)
from solvers.errors import InvalidDealError, NotationError, check_size, listed, quoted
from solvers.freecell.boards import Sheet, read_json, read_text
from solvers.freecell.rules import (
    FOUNDATION,
    MAX_COLUMNS,
    NO_CARD,
    PLACE_NAMES,
    Move,
    Profile,
    State,
    apply,
    cards_moved,
    check_position,
    start,
    target_kind,
)
from solvers.reading import (
    move_tokens,
    read_each,
)

_MOVE = re.compile(r"([1-8a-h])([1-8a-h])(?:v([1-9]|1[0-3]|[a-d]))?", re.IGNORECASE | re.ASCII)
_FOUNDATION_RANKS = "0" + RANK_LETTERS
#: The order in which fc-solve prints the foundations.
_FOUNDATION_SUITS = "HCDS"


@lru_cache(maxsize=4096)  # a stored pool has millions of moves and some hundred texts
def parse_move(text: str) -> Move:
    """Read a move in standard notation: `5a`, `26`, `26v3`, `3h`, `a4`, `ah`.

    Columns are 1..8, cells a..g and the foundations h; `v3` is the number of cards that go
    to an empty column, and `va` is `v10` as fc-solve writes it. Whether the move is legal is
    for the rules to say. Raises NotationError for anything else.

    >>> parse_move("26v3")
    Move(source=1, target=5, count=3)
    """
    check_size(text, "a move")
    match = _MOVE.fullmatch(text)
    if match is None or match[1].lower() == match[2].lower():
        raise NotationError(
            f"{quoted(text)} is not a move; a move is where from and where to, of columns 1..8, "
            "cells a..g and foundation h, and v2..v13 for a run to an empty column",
            text=text,
        )
    source, target = (PLACE_NAMES.index(name.lower()) for name in match.group(1, 2))
    count = match[3] or "0"
    return Move(source, target, int(count, 10 if count.isdigit() else 16))


def format_move(move: Move) -> str:
    """Write a move in standard notation.

    >>> format_move(Move(4, 8)), format_move(Move(1, 5, 3))
    ('5a', '26v3')
    """
    return str(move)


def parse_moves(text: str, number: int) -> list[Move]:
    """Read moves between white space or commas on a line; raises NotationError with the place."""
    return read_each(move_tokens(text, number), parse_move)


def format_moves(moves: Iterable[Move]) -> str:
    """Write moves on one line."""
    return " ".join(map(str, moves))


def move_to_json(state: State, move: Move, profile: Profile) -> dict[str, Any]:
    """Return what a legal move is, ready for JSON; places are named as in the notation."""
    return {
        "move": str(move),
        "from": PLACE_NAMES[move.source],
        "to": PLACE_NAMES[move.target],
        "cards": [format_card(card) for card in _moved(state, move, profile)],
        "target": target_kind(state, move),
    }


def describe_move(state: State, move: Move, profile: Profile) -> str:
    """Say in words what a legal move does, and what goes home by itself after it.

    >>> from solvers.freecell.rules import PROFILES
    >>> board = "Foundations: H-K C-K D-Q S-J\\n: KD QS\\n: KS" + 6 * "\\n:"
    >>> state = parse_board(board, PROFILES["classic"])
    >>> describe_move(state, parse_move("1a"), PROFILES["max-auto"])
    'QS from column 1 to cell a; home by themselves: QS, KD, KS'
    """
    cards = _moved(state, move, profile)
    source, target = PLACE_NAMES[move.source], PLACE_NAMES[move.target]
    origin = f"{'column' if move.source < MAX_COLUMNS else 'cell'} {source}"
    goal = {
        "foundation": "to the foundation",
        "cell": f"to cell {target}",
        "empty column": f"to empty column {target}",
    }.get(target_kind(state, move))
    if goal is None:
        goal = f"onto {format_card(state.columns[move.target][-1])} in column {target}"
    said = f"{' '.join(map(format_card, cards))} from {origin} {goal}"
    after = apply(state, move, profile)
    played = cards if move.target == FOUNDATION else ()
    home = [card for card in _home_between(state, after) if card not in played]
    return f"{said}; {_by_itself(home)}" if home else said


def describe_start(state: State, profile: Profile) -> str:
    """Say in words what goes home before the first move, or nothing."""
    home = _home_between(state, start(state, profile))
    return _by_itself(home) if home else ""


def _moved(state: State, move: Move, profile: Profile) -> tuple[Card, ...]:
    """Return the cards that a legal move takes, deepest first."""
    count = cards_moved(state, move, profile)
    if move.source < MAX_COLUMNS:
        return state.columns[move.source][-count:]
    return (state.cells[move.source - MAX_COLUMNS],)


def _home_between(before: State, after: State) -> list[Card]:
    """Return the cards that have come to the foundations, lower ranks first."""
    tops = enumerate(zip(before.foundations, after.foundations, strict=True))
    home = [card_of(rank, suit) for suit, (low, high) in tops for rank in range(low + 1, high + 1)]
    return sorted(home, key=rank_of)


def _by_itself(cards: Sequence[Card]) -> str:
    """Say that cards go home by themselves."""
    who = "by itself" if len(cards) == 1 else "by themselves"
    return f"home {who}: {', '.join(map(format_card, cards))}"


def format_board(state: State) -> str:
    """Write a state in fc-solve's layout, a column a line, with a final newline.

    An untouched deal is its columns alone; any other position begins with the lines
    `Foundations:` and `Freecells:`, and its columns with colons.
    """
    columns = [" ".join(map(format_card, column)) for column in state.columns]
    if all(columns) and not any(state.foundations) and set(state.cells) <= {NO_CARD}:
        return "".join(f"{column}\n" for column in columns)
    ranks = dict(zip(SUIT_LETTERS, state.foundations, strict=True))
    home = [f"{suit}-{_FOUNDATION_RANKS[ranks[suit]]}" for suit in _FOUNDATION_SUITS]
    cells = ["--" if card == NO_CARD else format_card(card) for card in state.cells]
    lines = [["Foundations:", *home], ["Freecells:", *cells]]
    lines += [[":", column] if column else [":"] for column in columns]
    return "".join(" ".join(line) + "\n" for line in lines)


def parse_board(text: str, profile: Profile, layout: str = "auto") -> State:
    """Read a board: a deal, or a position of the profile.

    A column a line, deepest card first, after an optional colon or name. A bare colon, or an empty
    line that another column follows, is an empty column. Lines `Foundations: H-0 C-2 D-0 S-A`
    and `Freecells: 3C -- TD --` are optional; cells that fc-solve printed blank keep their places.
    A deal may also be given row by row, or as its deck on one line. Nothing is guessed.

    layout  `columns` or `rows`; `auto` takes for rows what cannot be columns

    Raises NotationError naming line, column and token, or InvalidDealError with every
    fault unless the cards, with those on the foundations, are exactly the deck.
    """
    return _checked(read_text(text, layout), profile)


def position_to_json(state: State) -> dict[str, Any]:
    """Write a state as the JSON position that `position_from_json` reads."""
    return {
        "columns": [[format_card(card) for card in column] for column in state.columns],
        "cells": [None if card == NO_CARD else format_card(card) for card in state.cells],
        "foundations": dict(zip(SUIT_LETTERS, state.foundations, strict=True)),
    }


def position_from_json(data: Any, profile: Profile, layout: str = "auto") -> State:
    """Read a position from decoded JSON: `columns`, `cells` and `foundations`.

    Columns are lists of cards, deepest first; cells are cards or null; foundations give
    the rank of each suit's top card, 0 to 13. A part left out is empty; of columns, all or none.
    Raises NotationError naming where and what, or InvalidDealError as `parse_board`.
    """
    return _checked(read_json(data, layout), profile)


def _checked(sheet: Sheet, profile: Profile) -> State:
    """Return the state of what was read, filled up to the profile's cells.

    Raises InvalidDealError with every fault, and with the places of cards read twice.
    """
    missing_cells = profile.cells - len(sheet.cells)
    state = State(
        tuple(map(tuple, sheet.columns)),
        (*sheet.cells, *(NO_CARD,) * missing_cells),
        tuple(sheet.foundations),
    )
    try:
        check_position(state, profile)
    except InvalidDealError as error:
        spots = [
            f"{format_card(card)} is at {listed(sheet.places[card], ' and ')}"
            for card in error.duplicated
        ]
        raise InvalidDealError(
            [*error.faults, *spots], missing=error.missing, duplicated=error.duplicated
        ) from None
    # Empty cells past the profile's, as fc-solve may print them, hold nothing.
    return state._replace(cells=state.cells[: profile.cells])
