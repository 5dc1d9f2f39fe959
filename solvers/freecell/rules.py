"""The rules of FreeCell in plain Python: the specification, and the judge of solutions.

Owns profiles, states, moves and what may be done. Knows nothing of text (but for naming
a move in an error), arrays or search. Everything here works for any number of columns up
to eight and for decks of fewer ranks, so that reduced games can be exhausted by tests.

How many cells there are is the profile's to say, whatever a state holds: cells that a state does
not have are empty ones, and cells that only the state has are not there. A card in one of those,
which no legal position has, may leave it, and none may follow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from solvers.cards import (
    CLUBS,
    DECK_SIZE,
    DIAMONDS,
    HEARTS,
    RANKS,
    SPADES,
    SUIT_LETTERS,
    SUITS,
    Card,
    card_of,
    format_card,
    is_red,
    rank_of,
    suit_of,
)
from solvers.errors import IllegalMoveError, InvalidDealError, NotationError
from solvers.profiles import option
from solvers.reading import card_names

#: A place: columns 0..7, cells 8..14, then the four foundations as one place.
Place: TypeAlias = int

MAX_COLUMNS = 8
MAX_CELLS = 7
FIRST_CELL = MAX_COLUMNS
FOUNDATION = FIRST_CELL + MAX_CELLS
#: The name of each place in standard notation; cells end at g so that `h` stays home.
PLACE_NAMES = "12345678abcdefgh"

NO_CARD = -1

_OPPOSITE_SUITS = {
    CLUBS: (DIAMONDS, HEARTS),
    DIAMONDS: (CLUBS, SPADES),
    HEARTS: (CLUBS, SPADES),
    SPADES: (DIAMONDS, HEARTS),
}


@dataclass(frozen=True, slots=True)
class Profile:
    """The rules of one kind of frontend.

    The capacity onto a card, with f empty cells and e empty columns, is (f+1) * 2^e under
    supermove `power`, (f+1) * (e+1) under `linear`, 1 under `single`. An empty target
    column does not help itself: e counts one less.
    """

    name: str
    cells: int = option(4, low=0, high=MAX_CELLS, help="number of freecells")
    build: str = option(
        "alternate", choices=("alternate", "suit"), help="columns build down by colour or suit"
    )
    supermove: str = option(
        "power", choices=("power", "linear", "single"), help="how many cards move as one"
    )
    autoplay: str = option(
        "none",
        choices=("none", "safe", "max"),
        help="what goes to the foundations by itself after each move",
    )
    autoplay_on_deal: bool = option(
        True,
        choices=(False, True),
        help="autoplay happens on the deal, too, before the first move",
    )

    def __post_init__(self) -> None:
        """Raise NotationError for what no search here decides."""
        if self.autoplay == "max" and not self.autoplay_on_deal:
            raise NotationError(
                "autoplay is max and autoplay_on_deal is no; with max valid is autoplay_on_deal=yes"
            )


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("classic"),
        Profile("linear", supermove="linear"),
        Profile("safe-auto", autoplay="safe", autoplay_on_deal=False),
        Profile("max-auto", autoplay="max"),
        Profile("bakers", build="suit"),
    )
}


class State(NamedTuple):
    """A position; immutable.

    columns      cards of each column, deepest first
    cells        card in each cell, NO_CARD in an empty one
    foundations  rank of the top card of clubs, diamonds, hearts, spades; 0 when empty
    """

    columns: tuple[tuple[Card, ...], ...]
    cells: tuple[Card, ...]
    foundations: tuple[int, ...]


class Move(NamedTuple):
    """A move of one card, or of a run of cards between columns as one.

    count  0: the only count possible (onto a card), or one card. n > 1 is needed only for moves
           to an empty column. `legal_moves` writes 0 wherever it says the same.
    """

    source: Place
    target: Place
    count: int = 0  # type: ignore[assignment]  # hides tuple.count, which no move needs

    def __str__(self) -> str:
        """Write the move in standard notation, such as `5a` or `26v3`."""
        count = f"v{self.count}" if self.count else ""
        return _place_name(self.source) + _place_name(self.target) + count


def _place_name(place: Place) -> str:
    """Name a place, also one that does not exist."""
    return PLACE_NAMES[place] if 0 <= place <= FOUNDATION else f"({place})"


def deal(deck: Sequence[Card], columns: int = MAX_COLUMNS, cells: int = 4) -> State:
    """Lay out a deck row by row, the first card at the top of column 1."""
    return State(
        tuple(tuple(deck[column::columns]) for column in range(columns)),
        (NO_CARD,) * cells,
        (0,) * SUITS,
    )


def deck_of(state: State) -> list[Card] | None:
    """Return the deck that `deal` lays out as this state, or None for a position in mid-game."""
    rows = max(map(len, state.columns))
    deck = [column[row] for row in range(rows) for column in state.columns if row < len(column)]
    fresh = len(deck) == DECK_SIZE and deal(deck, cells=len(state.cells)) == state
    return deck if fresh else None


def start(state: State, profile: Profile) -> State:
    """Return the state from which a player first moves.

    The state gets as many cells as the profile has, and forced autoplay is done once, unless the
    profile lets it wait for the first move.
    Raises InvalidDealError when a card lies in a cell that the profile does not have.
    """
    if fault := _cell_fault(state, profile):
        raise InvalidDealError([fault])
    state = with_cells(state, profile)
    return autoplay(state, profile) if profile.autoplay_on_deal else state


def with_cells(state: State, profile: Profile) -> State:
    """Return a state with the profile's cells, and those past them that hold a card."""
    cells = state.cells
    if len(cells) == profile.cells:
        return state
    while len(cells) > profile.cells and cells[-1] == NO_CARD:
        cells = cells[:-1]
    return state._replace(cells=cells + (NO_CARD,) * (profile.cells - len(cells)))


def is_won(state: State, profile: Profile) -> bool:
    """Tell whether no card is left in columns and cells."""
    return not any(state.columns) and all(card == NO_CARD for card in state.cells)


def fits_on(card: Card, below: Card, profile: Profile) -> bool:
    """Tell whether `card` may be built on `below` in a column."""
    if rank_of(card) + 1 != rank_of(below):
        return False
    if profile.build == "suit":
        return suit_of(card) == suit_of(below)
    return is_red(card) != is_red(below)


def fits_home(card: Card, foundations: Sequence[int]) -> bool:
    """Tell whether `card` is the next of its foundation."""
    return foundations[suit_of(card)] + 1 == rank_of(card)


def run_length(column: Sequence[Card], profile: Profile) -> int:
    """Return how many cards at the end of a column are built on one another."""
    length = min(len(column), 1)
    while length < len(column) and fits_on(column[-length], column[-length - 1], profile):
        length += 1
    return length


def capacity(state: State, profile: Profile, *, empty_target: bool) -> int:
    """Return how many cards may move as one: onto a card, or to an empty column.

    To an empty column it is 0 when there is none.

    >>> deck = range(52)
    >>> capacity(deal(deck), PROFILES["classic"], empty_target=False)
    5
    """
    free = profile.cells - sum(card != NO_CARD for card in state.cells[: profile.cells])
    helpers = state.columns.count(())
    if empty_target:
        if not helpers:
            return 0
        helpers -= 1
    if profile.supermove == "power":
        return (free + 1) * 2**helpers
    if profile.supermove == "linear":
        return (free + 1) * (helpers + 1)
    return 1


def _goes_by_itself(card: Card, foundations: Sequence[int], profile: Profile) -> bool:
    """Tell whether the profile's autoplay takes a card that lies free.

    `safe` is the frontends' rule, and the same under both ways of building: aces and twos
    always, any other card once both foundations of the other colour have come to one rank
    below it.
    """
    if not fits_home(card, foundations):
        return False
    rank = rank_of(card)
    return (
        profile.autoplay == "max"
        or rank <= 2
        or all(foundations[suit] >= rank - 1 for suit in _OPPOSITE_SUITS[suit_of(card)])
    )


def autoplay(state: State, profile: Profile) -> State:
    """Return the state after the foundation moves that the profile makes by itself.

    Their order does not matter: a card that may go stays free to go.
    """
    if profile.autoplay == "none":
        return state
    columns, cells, foundations = list(state.columns), list(state.cells), list(state.foundations)
    going = True
    while going:
        going = False
        for index, column in enumerate(columns):
            if column and _goes_by_itself(column[-1], foundations, profile):
                foundations[suit_of(column[-1])] += 1
                columns[index] = column[:-1]
                going = True
        for index, card in enumerate(cells):
            if card != NO_CARD and _goes_by_itself(card, foundations, profile):
                foundations[suit_of(card)] += 1
                cells[index] = NO_CARD
                going = True
    return State(tuple(columns), tuple(cells), tuple(foundations))


def legal_moves(state: State, profile: Profile) -> list[Move]:
    """Return every legal move: to the foundation, onto a card, to a cell, to an empty column.

    Within a kind by source, target and count. Empty cells are interchangeable, and so are
    empty columns: only the leftmost of each is a target here, while `apply` takes any.
    Moving a whole column to an empty one is legal and therefore listed.
    """
    state = with_cells(state, profile)
    sources = list(_sources(state))
    room = capacity(state, profile, empty_target=False)
    to_foundation = [
        Move(place, FOUNDATION) for place, card in sources if fits_home(card, state.foundations)
    ]
    onto_card = [
        Move(place, target)
        for place, _ in sources
        for target, column in enumerate(state.columns)
        if column and place != target and 0 < _fitting(state, place, target, profile) <= room
    ]
    to_cell = []
    cells = state.cells[: profile.cells]
    if NO_CARD in cells:
        cell = FIRST_CELL + cells.index(NO_CARD)
        to_cell = [Move(place, cell) for place, _ in sources if place < FIRST_CELL]
    to_empty = []
    if () in state.columns:
        empty = state.columns.index(())
        room = capacity(state, profile, empty_target=True)
        for place, _ in sources:
            to_empty.append(Move(place, empty))
            if place < FIRST_CELL:
                longest = min(room, run_length(state.columns[place], profile))
                to_empty += [Move(place, empty, count) for count in range(2, longest + 1)]
    return to_foundation + onto_card + to_cell + to_empty


def target_kind(state: State, move: Move) -> str:
    """Name what a move's target is: `foundation`, `column`, `cell` or `empty column`."""
    if move.target == FOUNDATION:
        return "foundation"
    if move.target >= FIRST_CELL:
        return "cell"
    return "column" if state.columns[move.target] else "empty column"


def longest_movable(state: State, profile: Profile) -> list[int]:
    """Return for each column how many of its last cards may move as one onto some card."""
    room = capacity(state, profile, empty_target=False)
    return [min(run_length(column, profile), room) for column in state.columns]


def finishes_by_itself(state: State, profile: Profile) -> bool:
    """Tell whether sending home whatever fits, again and again, wins: no decision is left."""
    return is_won(autoplay(state, replace(profile, autoplay="max", autoplay_on_deal=True)), profile)


def _sources(state: State) -> Iterator[tuple[Place, Card]]:
    """Yield each place that a card can leave, with that card."""
    for place, column in enumerate(state.columns):
        if column:
            yield place, column[-1]
    for place, card in enumerate(state.cells, FIRST_CELL):
        if card != NO_CARD:
            yield place, card


def _fitting(state: State, source: Place, target: Place, profile: Profile) -> int:
    """Return how many cards of a source fit onto the card that ends a column, or 0.

    Ranks in a run fall one by one, so only one of its cards can follow that card.
    """
    below = state.columns[target][-1]
    if source >= FIRST_CELL:
        return int(fits_on(state.cells[source - FIRST_CELL], below, profile))
    column = state.columns[source]
    count = rank_of(below) - rank_of(column[-1])
    if not 1 <= count <= len(column) or not fits_on(column[-count], below, profile):
        return 0
    return count if count == 1 or count <= run_length(column, profile) else 0


def cards_moved(state: State, move: Move, profile: Profile) -> int:
    """Return how many cards a move takes; raises IllegalMoveError as `apply`."""
    count = _judge(with_cells(state, profile), move, profile)
    if isinstance(count, str):
        raise IllegalMoveError(count, move=str(move))
    return count


def apply(state: State, move: Move, profile: Profile) -> State:
    """Return the state after a move and then the autoplay that the profile forces.

    Raises IllegalMoveError, saying why, when the rules refuse the move.
    """
    count = cards_moved(state, move, profile)
    state = with_cells(state, profile)
    source, target = move.source, move.target
    columns, cells, foundations = list(state.columns), state.cells, state.foundations
    moved: tuple[Card, ...]
    if source < FIRST_CELL:
        moved = columns[source][-count:]
        columns[source] = columns[source][:-count]
    else:
        moved = (cells[source - FIRST_CELL],)
        cells = _replaced(cells, source - FIRST_CELL, NO_CARD)
    if target < FIRST_CELL:
        columns[target] += moved
    elif target < FOUNDATION:
        cells = _replaced(cells, target - FIRST_CELL, moved[0])
    else:
        suit = suit_of(moved[0])
        foundations = _replaced(foundations, suit, foundations[suit] + 1)
    after = autoplay(State(tuple(columns), cells, foundations), profile)
    return with_cells(after, profile)


def _replaced(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    """Return a tuple with one element replaced."""
    return (*values[:index], value, *values[index + 1 :])


def _judge(state: State, move: Move, profile: Profile) -> int | str:
    """Return how many cards a move takes when it is legal, and the reason when it is not."""
    source, target, asked = move
    if not 0 <= source <= FOUNDATION or not 0 <= target <= FOUNDATION or asked < 0:
        return "there is no such place or count"
    if source == target:
        return "source and target are the same place"
    if source == FOUNDATION:
        return "foundations do not give cards back"
    if source < FIRST_CELL:
        if source >= len(state.columns) or not state.columns[source]:
            return f"column {_place_name(source)} has no card"
        card = state.columns[source][-1]
    else:
        cell = source - FIRST_CELL
        if cell >= len(state.cells) or state.cells[cell] == NO_CARD:
            return f"cell {_place_name(source)} has no card"
        card = state.cells[cell]
    if asked > 1 and (source >= FIRST_CELL or target >= FIRST_CELL):
        return "only between columns does more than one card move"
    if target < FIRST_CELL:
        return _judge_to_column(state, move, profile)
    if target == FOUNDATION:
        return _judge_home(state, card)
    return _judge_to_cell(state, move, profile)


def _judge_to_column(state: State, move: Move, profile: Profile) -> int | str:
    """Judge a move to a column; its source holds a card."""
    source, target, asked = move
    if target >= len(state.columns):
        return f"there is no column {_place_name(target)}"
    empty = not state.columns[target]
    if empty:
        count = asked or 1
        if count > 1 and count > run_length(state.columns[source], profile):
            return f"the last {count} cards of column {_place_name(source)} are not a run"
    else:
        count = _fitting(state, source, target, profile)
        below = format_card(state.columns[target][-1])
        if not count:
            return f"nothing there fits on {below}"
        if asked not in (0, count):
            return f"it takes a count of {count} to fit on {below}"
    if count > 1:
        room = capacity(state, profile, empty_target=empty)
        if count > room:
            return f"it would move {count} cards as one, and the capacity is {room}"
    return count


def _judge_home(state: State, card: Card) -> int | str:
    """Judge a move of a card to the foundation."""
    if fits_home(card, state.foundations):
        return 1
    suit = suit_of(card)
    top = state.foundations[suit]
    held = format_card(card_of(top, suit)) if top else "empty"
    return f"{format_card(card)} does not fit on the foundation of {SUIT_LETTERS[suit]}, {held}"


def _judge_to_cell(state: State, move: Move, profile: Profile) -> int | str:
    """Judge a move to a cell."""
    if move.source >= FIRST_CELL:
        return "a card in a cell goes to a column or to the foundation"
    cell = move.target - FIRST_CELL
    if cell >= profile.cells:
        return f"there is no cell {_place_name(move.target)}"
    held = state.cells[cell]
    if held != NO_CARD:
        return f"cell {_place_name(move.target)} holds {format_card(held)}"
    return 1


def _cell_fault(state: State, profile: Profile) -> str:
    """Say which cards lie in cells that the profile does not have, or nothing."""
    beyond = [card for card in state.cells[profile.cells :] if card != NO_CARD]
    cells = f"{profile.cells} cell{'' if profile.cells == 1 else 's'}"
    return f"beyond the profile's {cells}: {card_names(beyond)}" if beyond else ""


def check_position(state: State, profile: Profile, ranks: int = RANKS) -> None:
    """Raise InvalidDealError with every fault unless the cards are a partition of the deck.

    ranks  of the deck; 13, but for reduced games
    """
    faults = []
    home = [
        card_of(rank, suit)
        for suit, top in enumerate(state.foundations)
        for rank in range(1, top + 1)
    ]
    in_play = [card for column in state.columns for card in column]
    in_play += [card for card in state.cells if card != NO_CARD]
    everywhere = {*in_play, *home}
    deck = range(ranks * SUITS)
    missing = [card for card in deck if card not in everywhere]
    foreign = sorted(card for card in everywhere if card not in deck)
    repeated = sorted(card for card, count in Counter(in_play).items() if count > 1)
    home_too = sorted(set(home) & set(in_play))
    if len(state.columns) > MAX_COLUMNS:
        faults.append(f"there are {len(state.columns)} columns; at most {MAX_COLUMNS} are valid")
    if fault := _cell_fault(state, profile):
        faults.append(fault)
    if missing:
        faults.append(f"missing: {card_names(missing)}")
    if repeated:
        faults.append(f"more than once: {card_names(repeated)}")
    if home_too:
        faults.append(f"on a foundation and elsewhere too: {card_names(home_too)}")
    if foreign:
        faults.append(f"not in this deck: {card_names(foreign)}")
    if faults:
        duplicated = sorted({*repeated, *home_too})
        raise InvalidDealError(faults, missing=missing, duplicated=duplicated)
