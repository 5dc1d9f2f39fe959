"""Deal numbers in bulk: the kernel twins of the numberings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.cards import DECK_SIZE
from solvers.errors import InvalidNumberError
from solvers.jit import Local, entry, inlined

#: Bits of a reciprocal. With m = 2^32 // left + 1, left * m exceeds 2^32 by at most left, so
#: that r * m >> 32 is r // left wherever r * left < 2^32; r is at most 2^16, left far less.
_SHIFT = 32


#: Cards of the largest decks: two packs.
_MOST_CARDS = 2 * DECK_SIZE
_words = [Local(np.int64, _MOST_CARDS) for _ in range(6)]
_new_factors, _new_summands, _new_lefts, _new_reciprocals, _new_places, _new_picks = _words
_new_cards = Local(np.uint8, _MOST_CARDS)

#: The Mersenne Twister: words of its state, how far apart two that are mixed lie, and what is
#: mixed in for odd ones. Source: Matsumoto and Nishimura's mt19937ar, which Python's `random` is.
_STATE, _APART, _MATRIX = 624, 397, 0x9908B0DF
_WORD = 0xFFFFFFFF
_new_first_state, _new_state = Local(np.int64, _STATE), Local(np.int64, _STATE)
#: Bits of what the twister gives for one pick.
_DRAWN = 53


@entry("i64[:], i64[:], i64[:], u8[:,:]")
def deal_decks(numbers: Any, unshuffled: Any, order: Any, decks: Any) -> None:
    """Deal numbers into decks by Microsoft's generator.

    The generator's i-th value is linear in its first one, so that all picks of a deal are
    computed side by side before its cards are swapped.

    numbers     int64[n]         valid `ms` numbers; not checked
    unshuffled  int64[size]      the cards in the order in which they are shuffled
    order       int64[size]      card i of a deck is card order[i] of the stream
    decks       uint8[n, size]   out
    Twin: numbering.Microsoft.stream.
    """
    size = len(order)
    factors, summands, lefts = _new_factors(), _new_summands(), _new_lefts()
    reciprocals, places, picks = _new_reciprocals(), _new_places(), _new_picks()
    cards = _new_cards()
    factor, summand = 1, 0
    for index in range(size):
        factor = factor * 214013 & 0xFFFFFFFF
        summand = (summand * 214013 + 2531011) & 0xFFFFFFFF
        # Modulo 2^32 it may be negative, so that products with 32 bits stay within int64.
        factors[index] = factor - (factor >> 31 << 32)
        summands[index] = summand
        lefts[index] = size - index
        reciprocals[index] = (1 << _SHIFT) // (size - index) + 1
        places[order[index]] = index
    for row in range(len(numbers)):
        number = numbers[row]
        # What is kept of a value's upper half, what is set in it, and what is added.
        kept, always, more = 0x7FFF, 0, 0
        if number >= 2**32:
            kept, more = 0xFFFF, 1
        elif number >= 2**31:
            always = 0x8000
        x = number & 0xFFFFFFFF
        for index in range(size):
            high = x * factors[index] + summands[index] >> 16
            r = (high & kept | always) + more
            picks[index] = r - lefts[index] * (r * reciprocals[index] >> _SHIFT)
        for index in range(size):
            cards[index] = unshuffled[index]
        for index in range(size):
            pick = picks[index]
            decks[row, places[index]] = cards[pick]
            cards[pick] = cards[size - index - 1]


@inlined
def _mixed(word: int, factor: int) -> int:
    """Return what one word of the state adds to the next one."""
    return (word ^ word >> 30) * factor


@inlined
def _seed(state: Any, key: Any, length: int) -> None:
    """Seed the twister by a number, as Python does.

    state  int64[_STATE]   in: as the twister's own seed 19650218 leaves it; out
    key    int64[>= length]  the number in words of 32 bits, lowest first
    """
    at, word = 1, 0
    for _ in range(_STATE):
        mixed = state[at] ^ _mixed(state[at - 1], 1664525)
        state[at] = (mixed + key[word] + word) & _WORD
        at += 1
        word += 1
        if at == _STATE:
            state[0] = state[_STATE - 1]
            at = 1
        if word == length:
            word = 0
    for _ in range(_STATE - 1):
        state[at] = ((state[at] ^ _mixed(state[at - 1], 1566083941)) - at) & _WORD
        at += 1
        if at == _STATE:
            state[0] = state[_STATE - 1]
            at = 1
    state[0] = 1 << 31


@inlined
def _word_of(state: Any, index: int) -> int:
    """Return the generator's word `index`; below _STATE - _APART the state need not be renewed."""
    pair = state[index] & 0x80000000 | state[index + 1] & 0x7FFFFFFF
    y = state[index + _APART] ^ pair >> 1 ^ (pair & 1) * _MATRIX
    y ^= y >> 11
    y ^= y << 7 & 0x9D2C5680
    y ^= y << 15 & 0xEFC60000
    return y ^ y >> 18


@inlined
def _pick(drawn: int, left: int) -> int:
    """Return int(drawn / 2^53 * left) as doubles give it: the product is rounded to 53 bits."""
    product = drawn * left
    dropped = 0
    while product >> dropped >= 1 << _DRAWN:
        dropped += 1
    kept = product >> dropped
    if dropped > 0:
        rest, half = product & (1 << dropped) - 1, 1 << dropped - 1
        if rest > half or (rest == half and kept & 1 == 1):
            kept += 1
    return kept >> _DRAWN - dropped


@entry("i64[:,:], i64[:], i64[:], i64[:], u8[:,:]")
def deal_twisted_decks(keys: Any, lengths: Any, unshuffled: Any, order: Any, decks: Any) -> None:
    """Deal numbers into decks by Python's generator.

    A deck takes two words a card, and so few of them that no state is renewed.

    keys        int64[n, words]  numbers in words of 32 bits, lowest first
    lengths     int64[n]         how many words of each are in use, at least 1
    unshuffled  int64[size]      the cards in the order in which they are shuffled
    order       int64[size]      card i of a deck is card order[i] of the stream
    decks       uint8[n, size]   out
    Twin: numbering.PySolFC.stream.
    """
    size = len(order)
    first_state, state = _new_first_state(), _new_state()
    cards, places = _new_cards(), _new_places()
    first_state[0] = 19650218
    for index in range(1, _STATE):
        first_state[index] = (_mixed(first_state[index - 1], 1812433253) + index) & _WORD
    for index in range(size):
        places[order[index]] = index
    for row in range(len(keys)):
        for index in range(_STATE):
            state[index] = first_state[index]
        _seed(state, keys[row], lengths[row])
        for index in range(size):
            cards[index] = unshuffled[index]
        for index in range(size - 1):
            left = size - index
            high, low = _word_of(state, 2 * index) >> 5, _word_of(state, 2 * index + 1) >> 6
            pick = _pick(high << 26 | low, left)
            decks[row, places[index]] = cards[pick]
            cards[pick] = cards[left - 1]
        decks[row, places[size - 1]] = cards[0]


def deal_ms(
    numbers: NDArray[np.int64],
    size: int,
    order: Sequence[int] | None,
    unshuffled: Sequence[int] | None = None,
) -> NDArray[np.uint8]:
    """Return the decks of valid `ms` numbers, `uint8[n, size]`, one kernel call.

    order       which card of the stream each card of the deck is; None for the stream's own order
    unshuffled  the cards in the order in which they are shuffled; None for Microsoft's
    """
    fresh = np.arange(size) % DECK_SIZE if unshuffled is None else np.asarray(unshuffled)
    decks = _new_decks(len(numbers), size)
    deal_decks(numbers, fresh, _places(size, order), decks)
    return decks


def deal_twisted(
    numbers: NDArray[Any], unshuffled: Sequence[int], order: Sequence[int] | None
) -> NDArray[np.uint8]:
    """Return the decks of numbers by Python's generator, `uint8[n, size]`, one kernel call.

    numbers     object[n]    integers from 0 up to 96 bits
    unshuffled  the cards in the order in which they are shuffled
    order       as for `deal_ms`
    """
    words = [(numbers >> 32 * place & _WORD).astype(np.int64) for place in range(3)]
    keys = np.stack(words, axis=1)
    lengths = np.where(keys[:, 2] > 0, 3, np.where(keys[:, 1] > 0, 2, 1))
    decks = _new_decks(len(numbers), len(unshuffled))
    places = _places(len(unshuffled), order)
    deal_twisted_decks(keys, lengths, np.asarray(unshuffled), places, decks)
    return decks


def _new_decks(count: int, size: int) -> NDArray[np.uint8]:
    """Return room for decks; raises InvalidNumberError for more cards than kernels have."""
    if size > _MOST_CARDS:
        raise InvalidNumberError(f"a deck has {size} cards; valid is at most {_MOST_CARDS}")
    return np.empty((count, size), np.uint8)


def _places(size: int, order: Sequence[int] | None) -> NDArray[np.int64]:
    """Return which card of the stream each card of a deck is."""
    return np.arange(size) if order is None else np.asarray(order, np.int64)
