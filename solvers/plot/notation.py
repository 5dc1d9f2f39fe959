"""The Plot as text: boards, JSON positions and moves.

Owns reading and writing; what is legal is `rules`' business.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from solvers.cards import RANK_LETTERS, RANKS, Card, Rank, format_card
from solvers.errors import InvalidDealError, NotationError, check_size, quoted
from solvers.plot.rules import (
    DECK_SIZE,
    DECKS,
    DRAW,
    FOUNDATION,
    PILES,
    RESERVE,
    RESERVE_SIZE,
    STOCK,
    WASTE,
    Move,
    Profile,
    State,
    check_position,
    deal,
    deck_of,
    start,
    target_kind,
)
from solvers.plot.tables import Tokens, is_table, take_apart
from solvers.reading import (
    board_lines,
    card_names,
    json_cards,
    json_count,
    json_list,
    json_object,
    move_tokens,
    place_in_line,
    read_card,
    read_each,
    tokens_of,
)

#: Cards in a line of what is written.
_LINE = 13
_POSITION = "a position of The Plot"
_KEYS = ("base", "reserve", "foundations", "piles", "stock", "waste")
#: What a position as text is made of, beside a colon before each pile.
_HEADINGS = ("base", "foundations", "reserve", "stock", "waste")
_TOKEN = re.compile(r"[^\s:,]*:|[^\s:,]+")
_COUNT = re.compile(r"[0-9]{1,3}")


def parse_board(text: str, profile: Profile) -> State:
    """Read a deal, 104 cards in `ms` deal order, or a position under headings.

    A deal is the reserve bottom to top, the base card, piles 1..12, the stock; a text with
    a colon in it is a position, as `format_board` writes it. White space is free. Raises
    NotationError for a token that is not a card, naming its line and column, and
    InvalidDealError listing every fault.
    """
    if not text.strip():
        raise NotationError(f"no cards; a deal of The Plot has {DECK_SIZE}")
    lines = list(board_lines(text))
    if is_table(lines):
        parts, piles = take_apart(lines)
        # The first foundation is the one that the base card began.
        first = parts.get("foundations", [])[:1]
        parts["base"] = [(token.partition("-")[0], where) for token, where in first]
        return _state_of(parts, piles, profile)
    if any(":" in line for _, line in lines):
        return _parse_position(lines, profile)
    deck = [
        read_card(token, where)
        for number, line in lines
        for token, where in tokens_of(line, number)
    ]
    check_deck(deck)
    return deal(deck)


def check_deck(deck: Sequence[Card]) -> None:
    """Raise InvalidDealError unless the cards are two whole decks."""
    counts = Counter(deck)
    missing = [card for card in range(DECK_SIZE // DECKS) for _ in range(DECKS - counts[card])]
    duplicated = sorted(card for card, count in counts.items() if count > DECKS)
    faults = []
    if len(deck) != DECK_SIZE:
        faults.append(f"the board has {len(deck)} cards; a deal of The Plot has {DECK_SIZE}")
    if missing:
        faults.append(f"missing: {card_names(missing)}")
    if duplicated:
        faults.append(f"more than twice: {card_names(duplicated)}")
    if faults:
        raise InvalidDealError(faults, missing=missing, duplicated=duplicated)


def _parse_position(lines: Iterable[tuple[int, str]], profile: Profile) -> State:
    """Read a position: headings with what belongs to them, and a colon before each pile."""
    parts: dict[str, Tokens] = {}
    piles: list[Tokens] = []
    part: Tokens | None = None
    for number, line in lines:
        for match in _TOKEN.finditer(line):
            token, where = match[0], place_in_line(number, match.start())
            name = token[:-1].lower()
            if token == ":":
                part = []
                piles.append(part)
            elif token.endswith(":") and name in _HEADINGS and name not in parts:
                part = parts[name] = []
            elif token.endswith(":") or part is None:
                headings = ", ".join(f"{heading.capitalize()}:" for heading in _HEADINGS)
                raise NotationError(
                    f"{quoted(token)} is not a heading of a position, or is given twice; there are "
                    f"{headings} and a colon before each pile",
                    text=token,
                    position=where,
                )
            else:
                part.append((token, where))
    return _state_of(parts, piles, profile)


def _state_of(parts: Mapping[str, Tokens], piles: Sequence[Tokens], profile: Profile) -> State:
    """Read what stands under each heading and on each pile; return a legal position."""
    base = parts.get("base", [])
    if len(base) != 1:
        raise NotationError("a position has one rank after Base:, such as Base: 7")

    def cards(tokens: Sequence[tuple[str, str]]) -> tuple[Card, ...]:
        return tuple(read_card(token, where) for token, where in tokens)

    state = State(
        base=_parse_rank(*base[0]),
        reserve=cards(parts.get("reserve", ())),
        foundations=_parse_foundation_tokens(parts.get("foundations", ())),
        piles=tuple(map(cards, piles)),
        stock=cards(parts.get("stock", ())),
        waste=cards(parts.get("waste", ())),
    )
    check_position(state, profile)
    return state


def _parse_foundation_tokens(tokens: Sequence[tuple[str, str]]) -> tuple[int, ...]:
    """Read the cards out by rank, written as `7-3`; ranks left out have none."""
    out: dict[Rank, int] = {}
    for token, where in tokens:
        text, _, count = token.partition("-")
        rank = _parse_rank(text, where)
        if rank in out or not _COUNT.fullmatch(count):
            raise NotationError(
                f"{quoted(token)} is not a foundation, or its rank is given twice; a foundation "
                "is a rank, a hyphen and the cards out, such as 7-3",
                text=token,
                position=where,
            )
        out[rank] = int(count)
    return tuple(out.get(rank, 0) for rank in range(1, RANKS + 1))


def format_board(state: State) -> str:
    """Write a deal or a position as `parse_board` reads it.

    A deal is its cards alone, in lines: reserve, base card, piles, stock.
    """
    deck = deck_of(state)
    if deck is not None:
        piles_at = RESERVE_SIZE + 1
        stock_at = piles_at + PILES
        rows = [deck[:RESERVE_SIZE], deck[RESERVE_SIZE:piles_at], deck[piles_at:stock_at]]
        rows += [deck[first : first + _LINE] for first in range(stock_at, DECK_SIZE, _LINE)]
        return "".join(f"{_names(row)}\n" for row in rows)
    out = [f"{RANK_LETTERS[rank]}-{count}" for rank, count in enumerate(state.foundations) if count]
    lines = [
        f"Base: {RANK_LETTERS[state.base - 1]}",
        f"Foundations: {' '.join(out)}",
        f"Reserve: {_names(state.reserve)}",
        *(f": {_names(pile)}" for pile in state.piles),
        *_wrapped("Stock:", state.stock),
        *_wrapped("Waste:", state.waste),
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _names(cards: Iterable[Card]) -> str:
    """Write cards one after another."""
    return " ".join(map(format_card, cards))


def _wrapped(heading: str, cards: Sequence[Card]) -> list[str]:
    """Write cards in lines, the first one after its heading."""
    starts = range(0, max(len(cards), 1), _LINE)
    lines = [_names(cards[first : first + _LINE]) for first in starts]
    return [f"{heading} {lines[0]}", *lines[1:]]


def position_to_json(state: State) -> dict[str, Any]:
    """Write a position as the JSON object that `position_from_json` reads."""
    return {
        "base": RANK_LETTERS[state.base - 1],
        "reserve": [format_card(card) for card in state.reserve],
        "foundations": {
            RANK_LETTERS[rank]: out for rank, out in enumerate(state.foundations) if out
        },
        "piles": [[format_card(card) for card in pile] for pile in state.piles],
        "stock": [format_card(card) for card in state.stock],
        "waste": [format_card(card) for card in state.waste],
    }


def position_from_json(data: Any, profile: Profile) -> State:
    """Read a position: base, reserve, foundations (cards out by rank), piles, stock, waste.

    Raises NotationError for JSON of another form and InvalidDealError listing every fault
    of cards that are not a position of the profile.
    """
    data = json_object(data, _KEYS, _POSITION)
    missing = [key for key in _KEYS if key not in data]
    if missing:
        raise NotationError(
            f"missing key {', '.join(missing)}; the keys of {_POSITION} are {', '.join(_KEYS)}"
        )
    state = State(
        base=_parse_rank(data["base"], "base"),
        reserve=tuple(json_cards(data["reserve"], "reserve")),
        foundations=_parse_foundations(data["foundations"]),
        piles=tuple(
            tuple(json_cards(pile, f"piles[{index}]"))
            for index, pile in enumerate(json_list(data["piles"], "piles"))
        ),
        stock=tuple(json_cards(data["stock"], "stock")),
        waste=tuple(json_cards(data["waste"], "waste")),
    )
    check_position(state, profile)
    return state


def _parse_rank(data: Any, where: str) -> Rank:
    """Read a rank: one of A 2 .. T J Q K, any case, or 10."""
    if isinstance(data, str):
        letter = "T" if data == "10" else data.upper()
        if len(letter) == 1 and letter in RANK_LETTERS:
            return RANK_LETTERS.index(letter) + 1
    raise NotationError(
        f"{quoted(str(data))} is not a rank; valid is one of {' '.join(RANK_LETTERS)}",
        text=str(data),
        position=where,
    )


def _parse_foundations(data: Any) -> tuple[int, ...]:
    """Read the cards out by rank; ranks left out have none."""
    if not isinstance(data, dict):
        raise NotationError("valid is an object of rank: cards out", position="foundations")
    out: dict[Rank, int] = {}
    for text, count in data.items():
        rank = _parse_rank(text, "foundations")
        if rank in out:
            raise NotationError(
                f"rank {RANK_LETTERS[rank - 1]} is given twice", text=text, position="foundations"
            )
        out[rank] = json_count(count, 0, DECK_SIZE, f"foundations, {text}")
    return tuple(out.get(rank, 0) for rank in range(1, RANKS + 1))


def format_move(move: Move) -> str:
    """Write a move: `draw`, `w>3`, `w>f`, `5>2`, `5>f` or `r>f`, piles from 1."""
    return str(move)


def parse_move(text: str) -> Move:
    """Read a move as `format_move` writes it, any case; raises NotationError.

    >>> parse_move("w>3")
    Move(source=12, target=2)
    """
    check_size(text, "a move")
    words = text.strip().lower()
    if words == "draw":
        return DRAW
    source, arrow, target = words.partition(">")
    from_place = WASTE if source == "w" else RESERVE if source == "r" else _parse_pile(source)
    to_place = FOUNDATION if target == "f" else _parse_pile(target)
    if not arrow or from_place is None or to_place is None:
        raise NotationError(
            f"{quoted(text)} is not a move; moves are draw, w>3, w>f, 5>2, 5>f and r>f, "
            f"piles 1..{PILES}",
            text=text,
        )
    return Move(from_place, to_place)


def parse_moves(text: str, number: int) -> list[Move]:
    """Read moves between white space or commas on a line; raises NotationError with the place."""
    return read_each(move_tokens(text, number), parse_move)


def format_moves(moves: Iterable[Move]) -> str:
    """Write moves on one line."""
    return " ".join(map(str, moves))


def move_to_json(state: State, move: Move, profile: Profile) -> dict[str, Any]:
    """Return what a legal move is, ready for JSON.

    Places are named as in the notation: piles `1` to `12`, `w`, `r` and `f`; `stock` is the
    stock.
    """
    source, _, target = str(move).partition(">")
    if move == DRAW:
        source, target = "stock", "w"
    return {
        "move": str(move),
        "from": source,
        "to": target,
        "cards": [format_card(_moved(state, move))],
        "target": target_kind(state, move),
    }


def describe_move(state: State, move: Move, profile: Profile) -> str:
    """Say in words what a legal move does."""
    places = {WASTE: "the waste", RESERVE: "the reserve", STOCK: "the stock"}
    origin = places.get(move.source, f"pile {move.source + 1}")
    pile = move.target + 1
    kind = target_kind(state, move)
    goal = {
        "waste": "onto the waste",
        "foundation": "to the foundation",
        "space": f"into space {pile}",
    }.get(kind)
    if goal is None:
        goal = f"onto {format_card(state.piles[move.target][-1])} in pile {pile}"
    return f"{format_card(_moved(state, move))} from {origin} {goal}"


def describe_start(state: State, profile: Profile) -> str:
    """Say in words which card is turned before the first move, or nothing."""
    begun = start(state, profile)
    return "" if begun == state else f"turned by itself: {format_card(begun.waste[-1])}"


def _moved(state: State, move: Move) -> Card:
    """Return the card that a legal move takes."""
    if move == DRAW:
        return state.stock[0]
    if move.source == WASTE:
        return state.waste[-1]
    return state.reserve[-1] if move.source == RESERVE else state.piles[move.source][-1]


def _parse_pile(text: str) -> int | None:
    """Read a pile number 1..12 as a place, or return None."""
    if text.isascii() and text.isdigit() and len(text) <= 2 and 1 <= int(text) <= PILES:
        return int(text) - 1
    return None
