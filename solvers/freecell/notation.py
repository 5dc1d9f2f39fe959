"""FreeCell as text: boards in fc-solve's layout, positions as JSON, moves and words for them.

Owns what is read and written. What is readable but not a legal position is refused by `rules`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from solvers.cards import (
    RANK_LETTERS,
    RANKS,
    SUIT_LETTERS,
    SUITS,
    Card,
    card_of,
    format_card,
    parse_card,
    rank_of,
    suit_of,
)
from solvers.errors import InvalidDealError, NotationError, check_size, listed, quoted
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
    json_cards,
    json_count,
    json_list,
    json_object,
    lines_of,
    move_tokens,
    place_in_line,
    read_card,
    read_each,
    tokens_of,
)

_MOVE = re.compile(r"([1-8a-h])([1-8a-h])(?:v([1-9]|1[0-3]|[a-d]))?", re.IGNORECASE | re.ASCII)
_TOKEN = re.compile(r"\S+")
_COLON = re.compile(r"\s*:")
#: What may stand before a colon, in fc-solve's spellings.
_HEADING = re.compile(r"\s*(?:(foundations?|founds?)|(freecells?|fc))\s*:", re.IGNORECASE)
_NO_CARD_TOKENS = ("--", "-", "*")
#: fc-solve prints a cell as four characters, all blank when the cell is empty.
_CELL_WIDTH = 4
_FOUNDATION_RANKS = "0" + RANK_LETTERS
#: The order in which fc-solve prints the foundations.
_FOUNDATION_SUITS = "HCDS"
_JSON_KEYS = ("columns", "cells", "foundations")
#: Where each card was read, for errors.
_Places: TypeAlias = dict[Card, list[str]]


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
    >>> state = parse_board("Foundations: H-K C-K D-Q S-J\\n: KD QS\\n: KS\\n", PROFILES["classic"])
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


def parse_board(text: str, profile: Profile) -> State:
    """Read a board in fc-solve's layout: a deal, or a position of the profile.

    A column a line, deepest card first, after an optional colon. A bare colon, or an empty
    line that another column follows, is an empty column. Lines `Foundations: H-0 C-2 D-0 S-A`
    and `Freecells: 3C -- TD --` are optional; with one, columns left out at the end are empty,
    and cells that fc-solve printed blank keep their places. Nothing is guessed.

    Raises NotationError naming line, column and token, or InvalidDealError with every
    fault unless the cards, with those on the foundations, are exactly the deck.
    """
    if not text.strip():
        raise NotationError(
            "the board is empty; it has 8 lines, each a column with its deepest card first"
        )
    board = _BoardReader()
    for number, line in lines_of(text):
        board.read_line(line, number)
    state = _checked(
        board.columns, board.cells or (), board.foundations or (0,) * SUITS, board.places, profile
    )
    is_deal = board.cells is None and board.foundations is None
    if is_deal and len(board.columns) < MAX_COLUMNS:
        # A deck on one line would be a game of one column: not what anybody means.
        raise NotationError(
            f"the board has {len(board.columns)} of {MAX_COLUMNS} columns; each is a line, and an "
            "empty one a bare ':'"
        )
    return state


class _BoardReader:
    """Collects a board line by line.

    places  where each card was read, for errors
    """

    def __init__(self) -> None:
        self.columns: list[list[Card]] = []
        self.cells: list[Card] | None = None
        self.foundations: list[int] | None = None
        self.places: _Places = defaultdict(list)
        self._blank_lines = 0

    def read_line(self, line: str, number: int) -> None:
        """Read one line; raises NotationError."""
        heading = _HEADING.match(line)
        if heading:
            known = self.foundations if heading[1] else self.cells
            if known is not None:
                text = heading[0].strip()
                raise NotationError(
                    f"a second line {text!r}",
                    text=text,
                    position=place_in_line(number, heading.start()),
                )
            if heading[1]:
                self._read_foundations(line, number, heading.end())
            else:
                self._read_cells(line, number, heading.end())
        elif line.strip():
            self._read_column(line, number)
        else:
            self._blank_lines += 1

    def _read_column(self, line: str, number: int) -> None:
        """Read a column, after the empty columns that blank lines before it are."""
        self.columns += [[] for _ in range(min(self._blank_lines, MAX_COLUMNS))]
        self._blank_lines = 0
        colon = _COLON.match(line)
        begin = colon.end() if colon else 0
        if len(self.columns) >= MAX_COLUMNS:
            text = line.strip()
            raise NotationError(
                f"{quoted(text)} is one column too many; there are {MAX_COLUMNS}, and an empty "
                "line before a column counts as one",
                text=text,
                position=place_in_line(number, 0),
            )
        self.columns.append([self._read_card(*token) for token in tokens_of(line, number, begin)])

    def _read_card(self, text: str, where: str) -> Card:
        """Read a card, and note where."""
        card = read_card(text, where)
        self.places[card].append(where)
        return card

    def _read_cells(self, line: str, number: int, begin: int) -> None:
        """Read cells: cards and dashes in order, or as fc-solve prints them, by place."""
        tokens = list(_TOKEN.finditer(line, begin))
        ends = [token.end() - begin for token in tokens]
        by_place = all(end % _CELL_WIDTH == 0 for end in ends) and not any(
            token[0] in _NO_CARD_TOKENS for token in tokens
        )
        places = [end // _CELL_WIDTH - 1 for end in ends] if by_place else range(len(tokens))
        self.cells = [NO_CARD] * (max(places, default=-1) + 1)
        for place, token in zip(places, tokens, strict=True):
            if token[0] not in _NO_CARD_TOKENS:
                where = place_in_line(number, token.start())
                self.cells[place] = self._read_card(token[0], where)

    def _read_foundations(self, line: str, number: int, begin: int) -> None:
        """Read foundations such as `H-0 C-2 D-A S-T`; a suit left out has none."""
        tops: dict[int, int] = {}
        for token, where in tokens_of(line, number, begin):
            suit_text, hyphen, rank_text = token.partition("-")
            try:
                ace = parse_card(f"A{suit_text}")
                rank = 0 if rank_text == "0" else rank_of(parse_card(f"{rank_text}{suit_text}"))
            except NotationError:
                hyphen = ""
            if not hyphen or suit_of(ace) in tops:
                raise NotationError(
                    f"{quoted(token)} is not a foundation, or a second one of its suit; "
                    "one is a suit C D H S, a hyphen and a rank 0 A 2 3 4 5 6 7 8 9 T J Q K",
                    text=token,
                    position=where,
                )
            tops[suit_of(ace)] = rank
        self.foundations = [tops.get(suit, 0) for suit in range(SUITS)]


def position_to_json(state: State) -> dict[str, Any]:
    """Write a state as the JSON position that `position_from_json` reads."""
    return {
        "columns": [[format_card(card) for card in column] for column in state.columns],
        "cells": [None if card == NO_CARD else format_card(card) for card in state.cells],
        "foundations": dict(zip(SUIT_LETTERS, state.foundations, strict=True)),
    }


def position_from_json(data: Any, profile: Profile) -> State:
    """Read a position from decoded JSON: `columns`, `cells` and `foundations`.

    Columns are lists of cards, deepest first; cells are cards or null; foundations give
    the rank of each suit's top card, 0 to 13. Columns, cells and foundations left out are
    empty. Raises NotationError naming where and what, or InvalidDealError as `parse_board`.
    """
    given = json_object(data, _JSON_KEYS, "a FreeCell position")
    places: _Places = defaultdict(list)

    def cards_of(values: Any, name: str, gap: Card | None = None) -> list[Card]:
        """Read a list of cards, and note where each is."""
        cards = json_cards(values, name, gap)
        for index, card in enumerate(cards):
            places[card].append(f"{name}[{index}]")
        return cards

    columns = [
        cards_of(values, f"columns[{index}]")
        for index, values in enumerate(json_list(given.get("columns", []), "columns"))
    ]
    cells = cards_of(given.get("cells", []), "cells", NO_CARD)
    foundations = _json_foundations(given.get("foundations", {}))
    return _checked(columns, cells, foundations, places, profile)


def _json_foundations(value: Any) -> list[int]:
    """Read the foundations' ranks."""
    if not isinstance(value, dict) or not set(value) <= set(SUIT_LETTERS):
        raise NotationError("valid is an object with the suits C D H S", position="foundations")
    for suit, rank in value.items():
        json_count(rank, 0, RANKS, f"foundations.{suit}")
    return [value.get(suit, 0) for suit in SUIT_LETTERS]


def _checked(
    columns: Sequence[Sequence[Card]],
    cells: Sequence[Card],
    foundations: Sequence[int],
    places: _Places,
    profile: Profile,
) -> State:
    """Return the state of what was read, filled up to the profile's columns and cells.

    Raises InvalidDealError with every fault, and with the places of cards read twice.
    """
    missing_cells = profile.cells - len(cells)
    state = State(
        tuple(map(tuple, columns)) + ((),) * (MAX_COLUMNS - len(columns)),
        (*cells, *(NO_CARD,) * missing_cells),
        tuple(foundations),
    )
    try:
        check_position(state, profile)
    except InvalidDealError as error:
        spots = [
            f"{format_card(card)} is at {listed(places[card], ' and ')}"
            for card in error.duplicated
        ]
        raise InvalidDealError(
            [*error.faults, *spots], missing=error.missing, duplicated=error.duplicated
        ) from None
    # Empty cells past the profile's, as fc-solve may print them, hold nothing.
    return state._replace(cells=state.cells[: profile.cells])
