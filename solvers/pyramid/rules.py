"""The rules of Pyramid in plain Python: the specification and the judge.

Owns profiles, states, moves and what is legal. Knows no text and no search.

The pyramid has seven rows; the card at column c of row r is covered by those at columns
c and c + 1 of row r + 1. Cards leave in pairs whose ranks add up to 13, kings alone.
The stock is drawn one card at a time to the waste; when it is empty the waste is turned
over (a reset), so that the cards come in the same order again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from solvers.cards import DECK_SIZE, KING, RANK_LETTERS, Card, format_card, rank_of
from solvers.errors import IllegalMoveError, InvalidDealError
from solvers.profiles import option

ROWS = 7
PYRAMID_SIZE = ROWS * (ROWS + 1) // 2
STOCK_SIZE = DECK_SIZE - PYRAMID_SIZE
NO_CARD = -1
PAIR_SUM = 13

#: Redeal counts are a byte in packed states; no deal needs as many.
MAX_REDEALS = 99

#: The row of each place 0..27, apex first.
ROW_OF = tuple(row for row in range(ROWS) for _ in range(row + 1))

#: The two places whose cards cover each place's card; none for the lowest row.
COVERS: tuple[tuple[int, ...], ...] = tuple(
    (place + row + 1, place + row + 2) if row < ROWS - 1 else () for place, row in enumerate(ROW_OF)
)


@dataclass(frozen=True, slots=True)
class Profile:
    """One frontend's rules; `redeals` None is unlimited."""

    name: str
    redeals: int | None = option(
        None, low=0, high=MAX_REDEALS, unlimited=True, help="how often the waste is turned over"
    )
    cover_pairs: bool = option(
        True,
        choices=(False, True),
        help="a card may pair with the card that it alone still covers",
    )
    stock_top: bool = option(
        False,
        choices=(False, True),
        help="the top of the stock is face up, playable, and may pair with the waste top",
    )
    goal: str = option(
        "pyramid",
        choices=("pyramid", "all"),
        help="what must be gone: the pyramid, or all cards",
    )


PROFILES = {
    "classic": Profile("classic"),
    "microsoft": Profile("microsoft", redeals=2, cover_pairs=False, stock_top=True),
    "pysol": Profile("pysol", redeals=2, cover_pairs=False, stock_top=True, goal="all"),
    "single-pass": Profile("single-pass", redeals=0, cover_pairs=False),
}
DEFAULT_PROFILE = "classic"


class State(NamedTuple):
    """A position.

    pyramid       28 places, apex first, row by row; NO_CARD where the card is gone
    stock         next card first
    waste         top card last
    redeals_used  resets so far
    """

    pyramid: tuple[Card, ...]
    stock: tuple[Card, ...]
    waste: tuple[Card, ...] = ()
    redeals_used: int = 0


class Move(NamedTuple):
    """A draw, a reset, or the removal of a king (`second` is NO_CARD) or of a pair."""

    first: int
    second: int = NO_CARD

    def __str__(self) -> str:
        """Write the move in standard notation: `draw`, `reset`, `KH`, `9H 4C`."""
        if self == DRAW:
            return "draw"
        if self == RESET:
            return "reset"
        # A move from a foreign program may hold numbers that are not cards.
        numbers = self[:1] if self.second == NO_CARD else self
        return " ".join(format_card(n) if is_card(n) else f"?{n}" for n in numbers)


DRAW = Move(DECK_SIZE)
RESET = Move(DECK_SIZE + 1)


def pair(one: Card, other: Card) -> Move:
    """Return the removal of a pair in its canonical order, the higher card first."""
    return Move(max(one, other), min(one, other))


def canonical(move: Move) -> Move:
    """Return a move as `legal_moves` lists it: a pair in its canonical order."""
    return move if NO_CARD in move else pair(*move)


def is_card(number: int) -> bool:
    """Tell whether a number is a card."""
    return 0 <= number < DECK_SIZE


def deal(deck: Sequence[Card]) -> State:
    """Lay out 52 cards: the pyramid apex first, row by row, then the stock."""
    return State(tuple(deck[:PYRAMID_SIZE]), tuple(deck[PYRAMID_SIZE:]))


def deck_of(state: State) -> list[Card] | None:
    """Return the deck that `deal` lays out as this state, or None for a position in mid-game."""
    deck = [*state.pyramid, *state.stock]
    fresh = NO_CARD not in deck and len(deck) == DECK_SIZE and deal(deck) == state
    return deck if fresh else None


def is_won(state: State, profile: Profile) -> bool:
    """Tell whether the pyramid, or under the goal `all` everything, is gone."""
    if any(card != NO_CARD for card in state.pyramid):
        return False
    return profile.goal == "pyramid" or not (state.stock or state.waste)


def cover_of(pyramid: Sequence[Card], place: int) -> tuple[int, ...]:
    """Return the places whose cards still cover a place."""
    return tuple(cover for cover in COVERS[place] if pyramid[cover] != NO_CARD)


def exposed_places(state: State) -> list[int]:
    """Return the places of the pyramid's uncovered cards, apex first."""
    return [
        place
        for place, card in enumerate(state.pyramid)
        if card != NO_CARD and not cover_of(state.pyramid, place)
    ]


def _playable_tops(state: State, profile: Profile) -> list[Card]:
    """Return the waste top and, where the profile has it face up, the stock top."""
    tops = list(state.waste[-1:])
    if profile.stock_top:
        tops += state.stock[:1]
    return tops


def _adds_up(one: Card, other: Card) -> bool:
    """Tell whether two cards make a pair."""
    return rank_of(one) + rank_of(other) == PAIR_SUM


def removals(state: State, profile: Profile) -> list[Move]:
    """Return every legal removal: kings, then pairs; pyramid before waste before stock."""
    exposed = exposed_places(state)
    free = [state.pyramid[place] for place in exposed]
    tops = _playable_tops(state, profile)
    moves = [Move(card) for card in free + tops if rank_of(card) == KING]
    playable = free + tops
    for index, one in enumerate(playable):
        moves += [pair(one, other) for other in playable[index + 1 :] if _adds_up(one, other)]
    if profile.cover_pairs:
        for place, card in enumerate(state.pyramid):
            covers = cover_of(state.pyramid, place) if card != NO_CARD else ()
            if len(covers) == 1 and covers[0] in exposed:
                cover = state.pyramid[covers[0]]
                if _adds_up(card, cover):
                    moves.append(pair(card, cover))
    return moves


def may_reset(state: State, profile: Profile) -> bool:
    """Tell whether the waste may be turned over."""
    left = profile.redeals is None or state.redeals_used < profile.redeals
    return not state.stock and bool(state.waste) and left


def legal_moves(state: State, profile: Profile) -> list[Move]:
    """Return every legal move: removals, then the draw or the reset; none when won."""
    if is_won(state, profile):
        return []
    moves = removals(state, profile)
    if state.stock:
        moves.append(DRAW)
    if may_reset(state, profile):
        moves.append(RESET)
    return moves


def target_kind(state: State, move: Move) -> str:
    """Name what a move's cards go to: `foundation` for removals, `waste` or `stock`."""
    return {DRAW: "waste", RESET: "stock"}.get(move, "foundation")


def _refusal(state: State, move: Move, profile: Profile) -> str:
    """Say why a move is not legal; `move` is known not to be, and may hold any numbers."""
    if is_won(state, profile):
        return "the game is won"
    if move == DRAW:
        if state.waste:
            return "the stock is empty; reset turns the waste over"
        return "stock and waste are empty"
    if move == RESET:
        if state.stock:
            return "the stock is not empty"
        if not state.waste:
            return "the waste is empty"
        return f"all redeals are used ({profile.redeals})"
    cards = move[:1] if move.second == NO_CARD else move
    for number in cards:
        if not is_card(number):
            return f"{number} is not a card"
    for card in cards:
        if card in state.pyramid:
            covers = cover_of(state.pyramid, state.pyramid.index(card))
            covering = [state.pyramid[place] for place in covers]
            if covering and not (
                profile.cover_pairs and covering == [c for c in cards if c != card]
            ):
                names = " and ".join(format_card(cover) for cover in covering)
                return f"{format_card(card)} is covered by {names}"
        elif card not in _playable_tops(state, profile):
            return f"{format_card(card)} is not playable"
    if len(cards) == 1:
        return f"{format_card(cards[0])} is not a king and needs a partner"
    return f"{move} do not add up to {PAIR_SUM}"


def apply(state: State, move: Move, profile: Profile) -> State:
    """Return the state after a legal move; a pair is taken in either order.

    Raises IllegalMoveError saying why the rules refuse the move.
    """
    move = canonical(move)
    if move not in legal_moves(state, profile):
        raise IllegalMoveError(_refusal(state, move, profile), move=str(move))
    if move == DRAW:
        return state._replace(stock=state.stock[1:], waste=(*state.waste, state.stock[0]))
    if move == RESET:
        return state._replace(stock=state.waste, waste=(), redeals_used=state.redeals_used + 1)
    return state._replace(
        pyramid=tuple(NO_CARD if card in move else card for card in state.pyramid),
        stock=tuple(card for card in state.stock if card not in move),
        waste=tuple(card for card in state.waste if card not in move),
    )


def start(state: State, profile: Profile) -> State:
    """Return the state from which a player moves: Pyramid plays nothing by itself."""
    return state


def check_position(state: State, profile: Profile) -> None:
    """Raise InvalidDealError, with every fault, for a position that no deal can lead to.

    The missing cards must have left in pairs or as kings, no gap may lie under a card
    that is still there, and no more cards may have left the stock than had partners.
    """
    cards = [card for card in state.pyramid if card != NO_CARD]
    cards += [*state.stock, *state.waste]
    counts = Counter(cards)
    duplicated = sorted(card for card, count in counts.items() if count > 1)
    missing = [card for card in range(DECK_SIZE) if card not in counts]
    faults = []
    if duplicated:
        faults.append("duplicated: " + " ".join(format_card(card) for card in duplicated))
    faults += _unpaired(missing)
    faults += [
        f"the place of row {ROW_OF[place] + 1} under "
        f"{' and '.join(format_card(state.pyramid[cover]) for cover in covers)} is empty"
        for place, card in enumerate(state.pyramid)
        if card == NO_CARD and (covers := cover_of(state.pyramid, place))
    ]
    faults += _stock_faults(state, profile, missing)
    if faults:
        raise InvalidDealError(faults, missing=missing, duplicated=duplicated)


def _unpaired(missing: Sequence[Card]) -> list[str]:
    """Return a fault for each rank of which more cards are gone than of its partner."""
    gone = Counter(rank_of(card) for card in missing)
    faults = []
    for rank in range(1, KING):
        partner = PAIR_SUM - rank
        if gone[rank] > gone[partner]:
            names = " ".join(format_card(card) for card in missing if rank_of(card) == rank)
            faults.append(
                f"missing: {names}, but {gone[partner]} of rank {RANK_LETTERS[partner - 1]} "
                "to pair with"
            )
    return faults


def _stock_faults(state: State, profile: Profile, missing: Sequence[Card]) -> list[str]:
    """Return the faults of stock, waste and redeals."""
    faults = []
    left = len(state.stock) + len(state.waste)
    from_stock = STOCK_SIZE - left
    if from_stock < 0:
        faults.append(f"stock and waste hold {left} cards; they start with {STOCK_SIZE}")
    from_pyramid = state.pyramid.count(NO_CARD)
    kings = sum(rank_of(card) == KING for card in missing)
    kings_from_stock = min(kings, max(from_stock, 0))
    if not profile.stock_top and (
        from_stock - kings_from_stock > from_pyramid - (kings - kings_from_stock)
    ):
        faults.append(
            f"{from_stock} cards have left stock and waste, but only {from_pyramid} the pyramid"
        )
    if state.redeals_used < 0 or state.redeals_used > MAX_REDEALS:
        faults.append(f"redeals_used is {state.redeals_used}; valid is 0..{MAX_REDEALS}")
    elif profile.redeals is not None and state.redeals_used > profile.redeals:
        faults.append(f"redeals_used is {state.redeals_used}; the profile has {profile.redeals}")
    return faults
