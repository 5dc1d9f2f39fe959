"""The Plot in plain Python: the specification that every solution is judged by.

Owns the state, the moves and what is legal, on real cards. Two decks: a reserve of 13
cards squared, face up, whose top plays to foundations only; a base card that starts the
first foundation; twelve piles of one card; the rest is the stock, dealt one at a time
onto the waste, once. Foundations build up regardless of suit, round the corner. Until
the first holds every rank (phase 1) no other may start; from then on (phase 2) all may.
Pile tops go one at a time to foundations or onto piles, which build down regardless of
suit, round the corner. Spaces are filled from the waste alone, in phase 1 by a card of
the base rank alone. (Playing straight from the stock would win the same deals: deal the
card to the waste and play it from there.)

The number of ranks, piles and reserve cards is free, so that reduced games can be
searched exhaustively. No search, no numba.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from solvers.cards import RANK_LETTERS, RANKS, SUITS, Card, Rank, format_card, rank_of
from solvers.errors import IllegalMoveError, InvalidDealError
from solvers.profiles import option

#: Where cards lie: piles are 0..11, then these.
Place: TypeAlias = int
PILES = 12
WASTE, RESERVE, FOUNDATION, STOCK = 12, 13, 14, 15

DECKS = 2
DECK_SIZE = DECKS * RANKS * SUITS
RESERVE_SIZE = 13
STOCK_SIZE = DECK_SIZE - RESERVE_SIZE - 1 - PILES


@dataclass(frozen=True, slots=True)
class Profile:
    """A rules profile: how one kind of frontend plays The Plot."""

    name: str
    base_isolation: str = option(
        "phase1",
        choices=("phase1", "none", "always"),
        help="when a base-rank card in the tableau neither builds nor is built upon",
    )
    initial_waste: int = option(
        0, low=0, high=1, help="stock cards that lie on the waste before the first move"
    )


PROFILES = {
    "classic": Profile("classic"),
    "pysol": Profile("pysol", base_isolation="none", initial_waste=1),
}


class State(NamedTuple):
    """A position.

    base         rank of the card that started the first foundation
    reserve      its top, the playable card, is last
    foundations  cards out by rank (index rank - 1); suits never matter
    piles        deepest card first; an empty pile is a space
    stock        next card first
    waste        its top, the playable card, is last
    """

    base: Rank
    reserve: tuple[Card, ...]
    foundations: tuple[int, ...]
    piles: tuple[tuple[Card, ...], ...]
    stock: tuple[Card, ...]
    waste: tuple[Card, ...]


class Move(NamedTuple):
    """One card from `source` to `target`; from the stock to the waste is a draw."""

    source: Place
    target: Place

    def __str__(self) -> str:
        """Write the move in standard notation: `draw`, `w>3`, `w>f`, `5>2`, `5>f`, `r>f`.

        A move that no text of the notation means is written by its numbers.
        """
        if self == DRAW:
            return "draw"
        source = _SOURCE_NAMES.get(self.source)
        target = _TARGET_NAMES.get(self.target)
        return f"{source}>{target}" if source and target else f"{self.source}>{self.target}"


DRAW = Move(STOCK, WASTE)
_PILE_NAMES = {place: str(place + 1) for place in range(PILES)}
_SOURCE_NAMES = {**_PILE_NAMES, WASTE: "w", RESERVE: "r"}
_TARGET_NAMES = {**_PILE_NAMES, FOUNDATION: "f"}


def deal(
    deck: Sequence[Card], *, ranks: int = RANKS, reserve: int = RESERVE_SIZE, piles: int = PILES
) -> State:
    """Lay out a deck: the reserve bottom to top, the base card, the piles, the stock.

    deck  cards in deal order; 104 in the full game
    """
    cards = tuple(deck)
    base = rank_of(cards[reserve])
    tableau = cards[reserve + 1 : reserve + 1 + piles]
    return State(
        base=base,
        reserve=cards[:reserve],
        foundations=tuple(int(rank == base) for rank in range(1, ranks + 1)),
        piles=tuple((card,) for card in tableau),
        stock=cards[reserve + 1 + piles :],
        waste=(),
    )


def is_fresh(state: State) -> bool:
    """Tell whether nothing has moved since the deal but the stock's first card."""
    return (
        len(state.waste) <= 1
        and sum(state.foundations) == 1
        and all(len(pile) == 1 for pile in state.piles)
    )


def deck_of(state: State) -> list[Card] | None:
    """Return a deck that `deal` lays out as this state, or None for a position in mid-game.

    The base card lies on its foundation without a suit; it gets the one that is left.
    """
    if state.waste or not is_fresh(state):
        return None
    piles = [pile[0] for pile in state.piles]
    counts = Counter((*state.reserve, *piles, *state.stock))
    of_base = range((state.base - 1) * SUITS, state.base * SUITS)
    base = [card for card in of_base for _ in range(DECKS - counts[card])]
    deck = [*state.reserve, *base, *piles, *state.stock]
    return deck if len(deck) == DECK_SIZE and deal(deck) == state else None


def start(state: State, profile: Profile) -> State:
    """Return the state from which a player first moves.

    Under `initial_waste` a deal's first stock card is turned. No position of that profile
    but the deal itself is fresh with an empty waste, so others stay as they are.
    """
    if profile.initial_waste and state.stock and not state.waste and is_fresh(state):
        return _draw(state)
    return state


def relative(rank: Rank, state: State) -> int:
    """Return how far a rank is above the base rank, round the corner: 0..ranks - 1."""
    return (rank - state.base) % len(state.foundations)


def cards_out(state: State, above_base: int) -> int:
    """Return how many cards of a relative rank are on the foundations."""
    return state.foundations[(state.base - 1 + above_base) % len(state.foundations)]


def in_phase_one(state: State) -> bool:
    """Tell whether the first foundation still lacks cards."""
    return cards_out(state, len(state.foundations) - 1) == 0


def is_won(state: State, profile: Profile) -> bool:
    """Tell whether every card is on the foundations: so the game ends under every profile."""
    return not (state.reserve or state.stock or state.waste or any(state.piles))


def _fits_foundation(card: Card, state: State) -> bool:
    """Tell whether some foundation takes a card.

    Foundations are told apart by their height alone. A rank above the base needs one that
    ends on the rank below, that is more cards out of that rank; the base rank starts a new
    one, which phase 1 forbids.
    """
    above = relative(rank_of(card), state)
    if above == 0:
        return not in_phase_one(state)
    return cards_out(state, above) < cards_out(state, above - 1)


def _is_isolated(card: Card, state: State, profile: Profile) -> bool:
    """Tell whether a card may neither be built on a pile nor be built upon."""
    if rank_of(card) != state.base or profile.base_isolation == "none":
        return False
    return profile.base_isolation == "always" or in_phase_one(state)


def _fits_pile(card: Card, pile: tuple[Card, ...], state: State, profile: Profile) -> bool:
    """Tell whether a card may be built on a pile that is not a space."""
    below = pile[-1]
    return (
        relative(rank_of(below), state)
        == (relative(rank_of(card), state) + 1) % len(state.foundations)
        and not _is_isolated(card, state, profile)
        and not _is_isolated(below, state, profile)
    )


def _fits_space(card: Card, state: State) -> bool:
    """Tell whether a waste card may fill a space."""
    return rank_of(card) == state.base or not in_phase_one(state)


def _sources(state: State) -> Iterator[tuple[Place, Card]]:
    """Yield every playable card and its place: piles, waste, reserve."""
    for place, pile in enumerate(state.piles):
        if pile:
            yield place, pile[-1]
    if state.waste:
        yield WASTE, state.waste[-1]
    if state.reserve:
        yield RESERVE, state.reserve[-1]


def legal_moves(state: State, profile: Profile) -> list[Move]:
    """Return every legal move: to foundations, onto piles, into a space, the draw.

    Spaces are interchangeable, so only the leftmost is listed; `apply` accepts any.
    """
    sources = list(_sources(state))
    moves = [Move(place, FOUNDATION) for place, card in sources if _fits_foundation(card, state)]
    moves += [
        Move(place, target)
        for place, card in sources
        if place != RESERVE
        for target, pile in enumerate(state.piles)
        if pile and target != place and _fits_pile(card, pile, state, profile)
    ]
    if () in state.piles and state.waste and _fits_space(state.waste[-1], state):
        moves.append(Move(WASTE, state.piles.index(())))
    if state.stock:
        moves.append(DRAW)
    return moves


def target_kind(state: State, move: Move) -> str:
    """Return what kind of place a move goes to: foundation, pile, space or waste."""
    if move == DRAW:
        return "waste"
    if move.target == FOUNDATION:
        return "foundation"
    return "pile" if state.piles[move.target] else "space"


def _refusal(state: State, move: Move, profile: Profile) -> str | None:
    """Return why a move is illegal, or None."""
    if move == DRAW:
        return None if state.stock else "the stock is empty"
    card = dict(_sources(state)).get(move.source)
    if card is None:
        return "there is no card to play"
    name = format_card(card)
    if move.target == FOUNDATION:
        return None if _fits_foundation(card, state) else f"no foundation takes {name} now"
    if move.source == RESERVE:
        return "the reserve plays to the foundations only"
    if not 0 <= move.target < len(state.piles):
        return f"there is no such pile; there are 1..{len(state.piles)}"
    pile = state.piles[move.target]
    if move.target == move.source:
        return "a pile cannot be built on itself"
    if pile:
        fits = _fits_pile(card, pile, state, profile)
        return None if fits else f"{name} does not build on {format_card(pile[-1])} now"
    if move.source != WASTE:
        return "a space is filled from the waste only"
    base = RANK_LETTERS[state.base - 1]
    return (
        None
        if _fits_space(card, state)
        else f"until the first foundation is full a space takes a {base} only"
    )


def _draw(state: State) -> State:
    """Return the state after the next stock card is turned onto the waste."""
    return state._replace(stock=state.stock[1:], waste=(*state.waste, state.stock[0]))


def apply(state: State, move: Move, profile: Profile) -> State:
    """Return the state after a move; raises IllegalMoveError when the rules refuse it.

    Any two numbers are a safe input.
    """
    reason = _refusal(state, move, profile)
    if reason is not None:
        raise IllegalMoveError(reason, move=str(move))
    if move == DRAW:
        return _draw(state)
    card = dict(_sources(state))[move.source]
    piles = list(state.piles)
    if move.source == WASTE:
        state = state._replace(waste=state.waste[:-1])
    elif move.source == RESERVE:
        state = state._replace(reserve=state.reserve[:-1])
    else:
        piles[move.source] = piles[move.source][:-1]
    if move.target == FOUNDATION:
        out = list(state.foundations)
        out[rank_of(card) - 1] += 1
        state = state._replace(foundations=tuple(out))
    else:
        piles[move.target] = (*piles[move.target], card)
    return state._replace(piles=tuple(piles))


def check_position(state: State, profile: Profile) -> None:
    """Raise InvalidDealError with every fault of a position of the full game."""
    everywhere = (*state.reserve, *state.stock, *state.waste, *(c for p in state.piles for c in p))
    counts = Counter(everywhere)
    duplicated = sorted(card for card, count in counts.items() if count > DECKS)
    faults = [
        f"{format_card(card)} occurs {counts[card]} times; there are 2" for card in duplicated
    ]
    by_rank = Counter(rank_of(card) for card in everywhere)
    for rank, out in enumerate(state.foundations, 1):
        total = by_rank[rank] + out
        if total != DECKS * SUITS:
            faults.append(
                f"rank {RANK_LETTERS[rank - 1]} occurs {total} times with the foundations; "
                f"there are {DECKS * SUITS}"
            )
    faults += _shape_faults(state)
    faults += _foundation_faults(state)
    faults += _pile_faults(state, profile)
    if faults:
        raise InvalidDealError(faults, duplicated=duplicated)


def _shape_faults(state: State) -> list[str]:
    """List the places that hold more cards than a deal gives them."""
    faults = []
    if len(state.piles) != PILES:
        faults.append(f"there are {len(state.piles)} piles; valid is {PILES}")
    if len(state.reserve) > RESERVE_SIZE:
        faults.append(f"the reserve holds {len(state.reserve)} cards; valid is 0..{RESERVE_SIZE}")
    turned = len(state.stock) + len(state.waste)
    if turned > STOCK_SIZE:
        faults.append(f"stock and waste hold {turned} cards; valid is 0..{STOCK_SIZE}")
    return faults


def _foundation_faults(state: State) -> list[str]:
    """List what foundations built up from the base rank, one at first, cannot show."""
    out = [cards_out(state, above) for above in range(len(state.foundations))]
    names = [RANK_LETTERS[(state.base - 1 + above) % RANKS] for above in range(RANKS)]
    faults = [
        f"the foundations hold {out[above]} of rank {names[above]} on {out[above - 1]} "
        f"of rank {names[above - 1]}"
        for above in range(1, len(out))
        if out[above] > out[above - 1]
    ]
    if out[0] < 1:
        faults.append(f"no foundation has its base, a {names[0]}")
    if out[-1] == 0 and out[0] > 1:
        faults.append(f"{out[0]} foundations are started before the first is full")
    return faults


def _pile_faults(state: State, profile: Profile) -> list[str]:
    """List the piles that are not runs, and base cards built where they are isolated."""
    faults = []
    for number, pile in enumerate(state.piles, 1):
        for below, card in itertools.pairwise(pile):
            if (rank_of(below) - rank_of(card)) % len(state.foundations) != 1:
                faults.append(f"pile {number}: {format_card(card)} lies on {format_card(below)}")
            elif _is_isolated(card, state, profile) or _is_isolated(below, state, profile):
                faults.append(
                    f"pile {number}: {format_card(card)} lies on {format_card(below)}, "
                    f"but base-rank cards are isolated"
                )
    return faults
