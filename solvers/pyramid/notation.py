"""Pyramid as text and JSON: boards, positions and moves.

Owns the formats; what is legal is `rules`' business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from solvers.cards import DECK_SIZE, KING, Card, format_card, parse_card, rank_of
from solvers.errors import InvalidDealError, NotationError, check_size, quoted
from solvers.pyramid.rules import (
    DRAW,
    MAX_REDEALS,
    NO_CARD,
    PYRAMID_SIZE,
    RESET,
    ROW_OF,
    ROWS,
    STOCK_SIZE,
    Move,
    Profile,
    State,
    check_position,
    pair,
    target_kind,
)
from solvers.reading import (
    board_lines,
    card_names,
    json_cards,
    json_count,
    json_object,
    move_tokens,
    read_card,
    read_each,
    tokens_of,
)

_GAP = "--"
_STOCK_PER_LINE = 12
_LABELS = ("stock:", "waste:", "redeals:")
_KEYS = ("pyramid", "stock", "waste", "redeals_used")


def _check_deck(cards: Sequence[Card]) -> None:
    """Raise InvalidDealError, naming all, unless the cards are one deck."""
    counts = Counter(cards)
    missing = [card for card in range(DECK_SIZE) if card not in counts]
    duplicated = sorted(card for card, count in counts.items() if count > 1)
    faults = []
    if missing:
        faults.append(f"missing: {card_names(missing)}")
    if duplicated:
        faults.append(f"duplicated: {card_names(duplicated)}")
    if faults:
        raise InvalidDealError(faults, missing=missing, duplicated=duplicated)


def parse_board(text: str, profile: Profile) -> State:
    """Read a board: 28 places apex first, row by row, then the stock, first drawn first.

    White space is free. A position in mid-game writes a gap as `--` and may name
    `Stock:`, `Waste:` (top last) and `Redeals:` (used so far), each followed by its
    cards or number.

    Raises NotationError (line, column and token) or InvalidDealError (every fault).
    """
    parts: dict[str, list[int]] = {"pyramid": [], "stock:": [], "waste:": [], "redeals:": []}
    part, named = "pyramid", False
    for number, line in board_lines(text):
        for token, where in tokens_of(line, number):
            if token.lower() in _LABELS:
                part, named = token.lower(), True
                continue
            if part == "pyramid" and len(parts[part]) == PYRAMID_SIZE:
                part = "stock:"
            parts[part].append(_parse_token(token, part, where))
    pyramid, stock, waste, redeals = parts.values()
    if not pyramid and not stock:
        raise NotationError("no cards; a board has 28 pyramid cards and 24 stock cards")
    if len(redeals) > 1:
        raise NotationError("Redeals: takes one number, of the redeals used")
    if NO_CARD not in pyramid and not named:
        _check_deck(pyramid + stock)
    if len(pyramid) != PYRAMID_SIZE:
        raise NotationError(
            f"the pyramid has {len(pyramid)} places; valid is {PYRAMID_SIZE} "
            f"cards, with {_GAP} for one that is gone"
        )
    begun = bool(waste) or NO_CARD in pyramid
    if begun and not redeals and profile.redeals is not None:
        raise NotationError(f"Redeals: is missing; {_redeals_wanted(profile)}")
    state = State(tuple(pyramid), tuple(stock), tuple(waste), redeals[0] if redeals else 0)
    check_position(state, profile)
    return state


def _redeals_wanted(profile: Profile) -> str:
    """Say why a position needs to tell of its redeals."""
    return (
        f"the rules allow {profile.redeals}, so that it matters how many were made: "
        f"0..{profile.redeals}"
    )


def _parse_token(token: str, part: str, where: str) -> int:
    """Read a card, a gap of the pyramid, or the number of redeals."""
    if part == "redeals:":
        # ASCII only: int() would also take other scripts' digits, signs and underscores.
        if token.isascii() and token.isdigit() and len(token) <= 9:
            return int(token)
        raise NotationError(
            f"{quoted(token)} is not a number of redeals; valid is 0..{MAX_REDEALS}",
            text=token,
            position=where,
        )
    if part == "pyramid" and token == _GAP:
        return NO_CARD
    return read_card(token, where)


def format_board(state: State) -> str:
    """Write a board that `parse_board` reads, the pyramid in its shape."""
    lines = []
    place = 0
    for row in range(ROWS):
        cards = state.pyramid[place : place + row + 1]
        place += row + 1
        names = [_GAP if card == NO_CARD else format_card(card) for card in cards]
        lines.append("  " * (ROWS - 1 - row) + "  ".join(names))
    named = NO_CARD in state.pyramid or state.redeals_used > 0 or len(state.stock) < STOCK_SIZE
    lines += _format_cards("Stock:" if named else "", state.stock)
    if named:
        lines += _format_cards("Waste:", state.waste)
        lines.append(f"Redeals: {state.redeals_used}")
    return "\n".join(lines) + "\n"


def _format_cards(label: str, cards: tuple[Card, ...]) -> list[str]:
    """Write cards in lines of twelve, the first one after its label."""
    names = [format_card(card) for card in cards]
    starts = range(0, max(len(names), 1), _STOCK_PER_LINE)
    lines = [" ".join(names[at : at + _STOCK_PER_LINE]) for at in starts]
    if label:
        lines[0] = f"{label} {lines[0]}".rstrip()
    return lines


def position_from_json(data: Any, profile: Profile) -> State:
    """Read a position `{"pyramid": [28 cards or null], "stock", "waste", "redeals_used"}`.

    `waste` may be left out, and where redeals are unlimited `redeals_used`, too.
    Raises NotationError or InvalidDealError.
    """
    given = json_object(data, _KEYS, "a Pyramid position")
    if "redeals_used" not in given and profile.redeals is not None:
        raise NotationError(f"redeals_used is missing; {_redeals_wanted(profile)}")
    found = {"waste": [], "redeals_used": 0, **given}
    for key in ("pyramid", "stock"):
        if key not in found:
            raise NotationError(f"{key} is missing; valid is a list of cards")
    pyramid = json_cards(found["pyramid"], "pyramid", NO_CARD)
    if len(pyramid) != PYRAMID_SIZE:
        raise NotationError(
            f"pyramid has {len(pyramid)} entries; valid is {PYRAMID_SIZE}, null for a gap"
        )
    stock, waste = (json_cards(found[key], key) for key in ("stock", "waste"))
    redeals = json_count(found["redeals_used"], 0, MAX_REDEALS, "redeals_used")
    state = State(tuple(pyramid), tuple(stock), tuple(waste), redeals)
    check_position(state, profile)
    return state


def position_to_json(state: State) -> dict[str, Any]:
    """Write a position as `position_from_json` reads it."""
    return {
        "pyramid": [None if card == NO_CARD else format_card(card) for card in state.pyramid],
        "stock": [format_card(card) for card in state.stock],
        "waste": [format_card(card) for card in state.waste],
        "redeals_used": state.redeals_used,
    }


def parse_move(text: str) -> Move:
    """Read a move: `draw`, `reset`, a king, or two cards with a space or `+` between them.

    Raises NotationError. Whether the cards make a pair is left to the rules.

    >>> parse_move("4c 9h") == parse_move("9H+4C")
    True
    """
    check_size(text, "a move")
    # Of a long text no more than three parts are looked at.
    tokens = text.replace("+", " ", 1).split(maxsplit=2)
    if [token.lower() for token in tokens] == ["draw"]:
        return DRAW
    if [token.lower() for token in tokens] == ["reset"]:
        return RESET
    if not 1 <= len(tokens) <= 2:
        raise NotationError(
            f"{quoted(text)} is not a move; a move is draw, reset, a king, or two cards", text=text
        )
    cards = [parse_card(token) for token in tokens]
    if len(cards) == 1:
        return Move(cards[0])
    if cards[0] == cards[1]:
        raise NotationError(f"{quoted(text)} names one card twice", text=text)
    return pair(cards[0], cards[1])


def format_move(move: Move) -> str:
    """Write a move; the higher card of a pair first.

    >>> format_move(parse_move("4c 9h"))
    '9H 4C'
    """
    return str(move)


def parse_moves(text: str, number: int) -> list[Move]:
    """Read moves on a line: `KS, 9D+4S, draw`, or `KS 9D 4S draw`.

    Between white space a king stands alone and any other card is followed by its partner.
    Raises NotationError with the place.
    """
    moves, tokens = [], move_tokens(text, number)
    for token, where in tokens:
        alone = token.lower() in ("draw", "reset") or "+" in token
        if not alone and rank_of(read_card(token, where)) != KING:
            partner, _ = next(tokens, ("", where))
            token = f"{token} {partner}".rstrip()
            if not partner:
                raise NotationError(
                    f"{quoted(token)} is without a partner; only kings go alone",
                    text=token,
                    position=where,
                )
        moves += read_each([(token, where)], parse_move)
    return moves


def format_moves(moves: Iterable[Move]) -> str:
    """Write moves on one line.

    >>> format_moves(parse_moves("ks 4s 9d draw", 1))
    'KS, 9D+4S, draw'
    """
    return ", ".join(str(move).replace(" ", "+") for move in moves)


def move_to_json(state: State, move: Move, profile: Profile) -> dict[str, Any]:
    """Return what a legal move is, ready for JSON.

    `from` is `pyramid`, `waste` or `stock`, two of them with `+` between where a pair's cards
    lie apart, in the order of `cards`.
    """
    cards = _moved(state, move)
    source = "+".join(dict.fromkeys(_place_of(state, card) for card in cards))
    target = target_kind(state, move)
    return {
        "move": str(move),
        "from": source or "waste",
        "to": target,
        "cards": [format_card(card) for card in cards],
        "target": target,
    }


def describe_move(state: State, move: Move, profile: Profile) -> str:
    """Say in words what a legal move does.

    >>> state = parse_board(" ".join(map(format_card, range(52))), Profile("classic"))
    >>> describe_move(state, DRAW, Profile("classic"))
    '8C from the stock onto the waste'
    """
    if move == RESET:
        return "the waste turned over"
    cards = _moved(state, move)
    if move == DRAW:
        return f"{format_card(cards[0])} from the stock onto the waste"
    return " with ".join(f"{format_card(card)} from {_spoken_place(state, card)}" for card in cards)


def describe_start(state: State, profile: Profile) -> str:
    """Say nothing: no frontend of Pyramid moves by itself."""
    return ""


def _moved(state: State, move: Move) -> list[Card]:
    """Return the cards that a legal move takes; none for a reset, which takes all."""
    if move == RESET:
        return []
    return [state.stock[0]] if move == DRAW else [card for card in move if card != NO_CARD]


def _place_of(state: State, card: Card) -> str:
    """Name the part of the table where a card lies."""
    if card in state.pyramid:
        return "pyramid"
    return "waste" if card in state.waste else "stock"


def _spoken_place(state: State, card: Card) -> str:
    """Say where a card lies."""
    place = _place_of(state, card)
    if place != "pyramid":
        return f"the {place}"
    return f"row {ROW_OF[state.pyramid.index(card)] + 1}"
