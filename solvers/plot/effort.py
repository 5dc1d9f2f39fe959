"""Effort `plot-2`: how many tries a player who never looks at the stock needs until a win.

Suits never matter. Ranks are counted from the base rank, 0, round the corner to 12. The player
plays by the rules of the profile, and knows what the face-up reserve can still follow:

1. A card may go out when the rules allow it and its rank has not used up its allowance, for
   otherwise the reserve could not be played any more. With no reserve left, eight cards of each
   rank are allowed. For each reserve card, deepest first, the allowance of its rank falls by one;
   then, from rank 1 on, no rank is allowed more than the rank below it. What counts is the
   allowance for the reserve as it is left when the card has gone.
2. Of all moves that there are, one is drawn by lot: each holds as many tickets as its kind has in
   the table below. Where there is one move alone, no number is drawn. Where there is none, the try
   is over; so it is when all cards are out, which is a win.

The tickets are numbered through, kind by kind in the order of the table; moves of a kind by the
rank of the card that moves, then by its pile from the left, then by the pile that it goes to.

    tickets  move
    48       the reserve's top out
    32       a pile's top out
    40       the waste's top out
    11       the waste's top onto a pile
    11       the waste's top into the leftmost space
    8        a pile's only card onto another pile
    13       the next stock card is turned

A pile of more cards than one is not taken apart but by its top going out. Tries are numbered,
seeded and counted as `search.tries` says; the hash is of the ranks in the order of the deal, from
ace 0 to king 12. Everything is frozen: grades depend on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.cards import RANKS, SUITS
from solvers.jit import Local, entry, inlined, kernel
from solvers.plot.block import drop
from solvers.plot.layout import (
    ISOLATION_ALWAYS,
    ISOLATION_NONE,
    RULE_INITIAL_WASTE,
    RULE_ISOLATION,
)
from solvers.plot.rules import DECK_SIZE, DECKS, PILES, RESERVE_SIZE, STOCK_SIZE
from solvers.search.bits import hash_deck, lowest_bit, mix, popcount, wrapping_add
from solvers.search.tries import drawn, go_on, next_number, thousandths

#: Tries of every deal; wins that the player goes on for; tries at which it stops all the same.
LEAST_TRIES, WINS, MOST_TRIES = 288, 8, 8192

_RESERVE_OUT, _PILE_OUT, _WASTE_OUT = 48, 32, 40
_ONTO_PILE, _INTO_SPACE, _ACROSS, _DEAL = 11, 11, 8, 13

_COPIES = DECKS * SUITS
#: The "rank" on top of a space.
_SPACE = RANKS
_FIRST_PILE = RESERVE_SIZE + 1
_FIRST_STOCK = _FIRST_PILE + PILES

_new_ranks = Local(np.uint8, DECK_SIZE)
_new_cards = Local(np.int64, DECK_SIZE)
_new_allowed = Local(np.int64, (RESERVE_SIZE + 1) * RANKS)
_new_out = Local(np.int64, RANKS)
_new_piles = Local(np.int64, RANKS + 1)
_new_lengths = Local(np.int64, PILES)
_new_waste = Local(np.int64, STOCK_SIZE)


@inlined
def _above(rank: int) -> int:
    """Return the rank that is built on a rank on foundations, and holds it in the tableau."""
    return rank + 1 if rank < RANKS - 1 else 0


@kernel
def _allow(cards: Any, allowed: Any) -> None:
    """Write how many cards of each rank may be out, by how many reserve cards are left.

    cards    int64[DECK_SIZE]                   ranks above the base rank, in the order of the deal
    allowed  int64[(RESERVE_SIZE + 1) * RANKS]  out
    """
    for rank in range(RANKS):
        allowed[rank] = _COPIES
    for left in range(1, RESERVE_SIZE + 1):
        row = RANKS * left
        for rank in range(RANKS):
            allowed[row + rank] = allowed[row - RANKS + rank]
        allowed[row + cards[left - 1]] -= 1
        for rank in range(1, RANKS):
            allowed[row + rank] = min(allowed[row + rank], allowed[row + rank - 1])


@inlined
def _goes(out: Any, allowed: Any, left: int, rank: int) -> bool:
    """Tell whether a card may go out that leaves so many cards in the reserve."""
    if out[rank] >= allowed[RANKS * left + rank]:
        return False
    return out[RANKS - 1] > 0 if rank == 0 else out[rank] < out[rank - 1]


@kernel
def _all_going(out: Any, allowed: Any, left: int) -> int:
    """Return the mask of the ranks that may go out from piles and waste."""
    going = 0
    for rank in range(RANKS):
        going |= (1 if _goes(out, allowed, left, rank) else 0) << rank
    return going


@inlined
def _going_after(going: int, out: Any, allowed: Any, left: int, rank: int) -> int:
    """Return the mask when a card of a rank has gone out, not from the reserve."""
    above = _above(rank)
    going &= ~(1 << rank | 1 << above)
    going |= (1 if _goes(out, allowed, left, rank) else 0) << rank
    return going | (1 if _goes(out, allowed, left, above) else 0) << above


@inlined
def _present(piles: Any, present: int, rank: int) -> int:
    """Return the mask of the ranks on top of piles, with that of one rank noted anew."""
    return present & ~(1 << rank) | (1 if piles[rank] != 0 else 0) << rank


@inlined
def _put(piles: Any, lengths: Any, pile: int, before: int, rank: int, length: int) -> None:
    """Note that a pile's top was one rank and is another."""
    piles[before] &= ~(1 << pile)
    piles[rank] |= 1 << pile
    lengths[pile] = length


@inlined
def _nth(mask: int, n: int) -> int:
    """Return the place of the n-th set bit of a mask, from 0."""
    for _turn in range(n):
        mask &= mask - 1
    return lowest_bit(mask)


@kernel
def _wins(cards: Any, allowed: Any, rules: Any, x: int) -> int:
    """Play a deal once; return 1 for a win and 0 otherwise.

    cards    int64[DECK_SIZE]                   ranks above the base rank, in the order of the deal
    allowed  int64[(RESERVE_SIZE + 1) * RANKS]  as `_allow` writes it
    x        int64                              the dice's state
    """
    out, piles, lengths, waste = _new_out(), _new_piles(), _new_lengths(), _new_waste()
    for rank in range(RANKS):
        out[rank] = piles[rank] = 0
    piles[_SPACE] = 0
    out[0] = 1
    alone = 0
    for pile in range(PILES):
        piles[cards[_FIRST_PILE + pile]] |= 1 << pile
        lengths[pile] = 1
        alone |= 1 << pile
    left, turned, held = RESERVE_SIZE, _FIRST_STOCK, 0
    if rules[RULE_INITIAL_WASTE] != 0:
        waste[0] = cards[turned]
        turned += 1
        held = 1
    to_go = DECK_SIZE - 1
    isolation = rules[RULE_ISOLATION]
    going = _all_going(out, allowed, left)
    present = 0
    for rank in range(RANKS):
        present = _present(piles, present, rank)
    while to_go > 0:
        first_phase = out[RANKS - 1] == 0
        isolated = isolation == ISOLATION_ALWAYS or (isolation != ISOLATION_NONE and first_phase)
        # 1. Count the moves of each kind.
        kept = cards[left - 1] if left > 0 else 0
        reserve_out = 1 if left > 0 and _goes(out, allowed, left - 1, kept) else 0
        outs = across = 0
        ranks = going & present
        while ranks != 0:
            outs += popcount(piles[lowest_bit(ranks)])
            ranks &= ranks - 1
        # Ranks on top of piles that another pile's top holds; neither is the base rank's when
        # that is isolated.
        movers = present & (present >> 1 | (present & 1) << RANKS - 1)
        if isolated:
            movers &= (1 << RANKS - 1) - 2
        ranks = movers
        while ranks != 0:
            rank = lowest_bit(ranks)
            ranks &= ranks - 1
            across += popcount(piles[rank] & alone) * popcount(piles[_above(rank)])
        top = waste[held - 1] if held > 0 else 0
        waste_out = onto = into = 0
        if held > 0:
            waste_out = going >> top & 1
            above = _above(top)
            if not (isolated and (top == 0 or above == 0)):
                onto = popcount(piles[above])
            if piles[_SPACE] != 0 and (top == 0 or not first_phase):
                into = 1
        deals = 1 if turned < DECK_SIZE else 0
        # 2. Draw one of them.
        moves = reserve_out + outs + waste_out + onto + into + across + deals
        if moves == 0:
            return 0
        ticket = 0
        if moves > 1:
            x = next_number(x)
            ticket = drawn(
                x,
                reserve_out * _RESERVE_OUT
                + outs * _PILE_OUT
                + waste_out * _WASTE_OUT
                + onto * _ONTO_PILE
                + into * _INTO_SPACE
                + across * _ACROSS
                + deals * _DEAL,
            )
        # 3. Make it.
        if ticket < reserve_out * _RESERVE_OUT:
            left -= 1
            out[kept] += 1
            going = _all_going(out, allowed, left)
            to_go -= 1
            continue
        ticket -= reserve_out * _RESERVE_OUT
        if ticket < outs * _PILE_OUT:
            place = ticket // _PILE_OUT
            ranks = going & present
            while place >= popcount(piles[lowest_bit(ranks)]):
                place -= popcount(piles[lowest_bit(ranks)])
                ranks &= ranks - 1
            rank = lowest_bit(ranks)
            pile = _nth(piles[rank], place)
            length = lengths[pile] - 1
            _put(piles, lengths, pile, rank, _above(rank) if length > 0 else _SPACE, length)
            if length == 1:
                alone |= 1 << pile
            elif length == 0:
                alone &= ~(1 << pile)
            present = _present(piles, present, rank)
            if length > 0:
                present |= 1 << _above(rank)
            out[rank] += 1
            going = _going_after(going, out, allowed, left, rank)
            to_go -= 1
            continue
        ticket -= outs * _PILE_OUT
        if ticket < waste_out * _WASTE_OUT:
            held -= 1
            out[top] += 1
            going = _going_after(going, out, allowed, left, top)
            to_go -= 1
            continue
        ticket -= waste_out * _WASTE_OUT
        if ticket < onto * _ONTO_PILE:
            above = _above(top)
            pile = _nth(piles[above], ticket // _ONTO_PILE)
            _put(piles, lengths, pile, above, top, lengths[pile] + 1)
            alone &= ~(1 << pile)
            present = _present(piles, present, above) | 1 << top
            held -= 1
            continue
        ticket -= onto * _ONTO_PILE
        if ticket < into * _INTO_SPACE:
            pile = lowest_bit(piles[_SPACE])
            _put(piles, lengths, pile, _SPACE, top, 1)
            alone |= 1 << pile
            present |= 1 << top
            held -= 1
            continue
        ticket -= into * _INTO_SPACE
        if ticket < across * _ACROSS:
            place = ticket // _ACROSS
            count = 0
            while place >= count:
                place -= count
                rank = lowest_bit(movers)
                movers &= movers - 1
                lone, above = piles[rank] & alone, _above(rank)
                width = popcount(piles[above])
                count = popcount(lone) * width
            source, target = _nth(lone, place // width), _nth(piles[above], place % width)
            _put(piles, lengths, source, rank, _SPACE, 0)
            _put(piles, lengths, target, above, rank, lengths[target] + 1)
            alone &= ~(1 << source | 1 << target)
            present = _present(piles, _present(piles, present, rank) | 1 << rank, above)
            continue
        waste[held] = cards[turned]
        held += 1
        turned += 1
    return 1


@entry("i64, u8[:,:], i64[:], i64, i64, i64[:]")
def measure_decks(
    session: int, decks: Any, rules: Any, first: int, parts: int, efforts: Any
) -> None:
    """Measure the effort of each deck; drops the position that the session has taken up.

    session  a block that is prepared; efforts do not depend on its memory
    decks    uint8[n, DECK_SIZE]
    rules    int64[RULES_SIZE]    the profile's
    first    the number of the first try
    parts    by which WINS and MOST_TRIES are divided
    efforts  int64[n]             out: thousandths of a try, at least 1000
    """
    drop(session)
    ranks, cards, allowed = _new_ranks(), _new_cards(), _new_allowed()
    least, enough, most = LEAST_TRIES // parts, WINS // parts, MOST_TRIES // parts
    for row in range(len(decks)):
        for place in range(DECK_SIZE):
            ranks[place] = decks[row, place] // SUITS
        base = np.int64(ranks[RESERVE_SIZE])
        for place in range(DECK_SIZE):
            rank = np.int64(ranks[place]) - base
            cards[place] = rank if rank >= 0 else rank + RANKS
        _allow(cards, allowed)
        seed = hash_deck(ranks)
        tries = wins = 0
        while go_on(tries, wins, least, enough, most):
            wins += _wins(cards, allowed, rules, mix(wrapping_add(seed, first + tries)))
            tries += 1
        efforts[row] = thousandths(tries, wins, least, enough)
