"""What a move of The Plot is worth to rollouts and searches: weights, features, noise.

Owns every tuned number of the search, and the features they weigh. All integers; 256 points
are one unit. A position's score is the sum of what its moves were worth; it decides what is
tried first and proves nothing.
"""

from __future__ import annotations

import numpy as np

from solvers.jit import inlined
from solvers.plot.layout import ISOLATION_NONE
from solvers.search.bits import shift_right, wrapping_add, wrapping_multiply

#: Places of a phase's weights; those of phase 2 follow those of phase 1.
OUT_CARD = 0  # a card goes to a foundation
WASTE_CARD = 1  # a card lies on the waste
BURIED = 2  # for each lower card under a waste card
ON_NEXT = 3  # a waste card lies on the rank above: they leave in foundation order
ON_PREVIOUS = 4  # a waste card lies on the rank below: they leave in pile order
SPACE = 5  # a pile is empty
DRAWN = 6  # a stock card is turned
RESERVE_CARD = 7  # a reserve card is played
COVER = 8  # a pile's card is covered
LAST_RANK = 9  # the first foundation is completed
COVER_WANTED = 10  # a covered card is of a rank that has none out
COVER_LENGTH = 11  # a covered card, for each card of its pile
SPACE_BASE = 12  # a space takes a base-rank card
SPACE_RANK = 13  # a space takes another card, for each rank above the base
PILE_MOVE = 14  # a lone card moves onto a pile
TAIL_MOVE = 15  # a pile's top moves onto a pile, and the pile stays (searches only)
WEIGHTS = 16

#: 256 points are one unit.
_POINT_BITS = 8
#: Counts by rank are words of four bits a rank, which hold the 8 cards of one: the histogram of a
#: waste, and the cards out in `nodes`.
_COUNT_BITS = 4
_COUNT_MASK = 15
#: The low four bits of each byte, and the lowest bit.
_LOW_HALVES = 0x0F0F0F0F0F0F0F0F
_ONES = 0x0101010101010101

#: Tuned by the cross-entropy method (benchmarks/plot_tune.py) on the share of deals above
#: 2,000,000 that one noiseless rollout wins: .97 under both isolations.
_ISOLATED = (
    *(269, -91, 0, 38, 28, 17, 23, 136, -88, 819, -13, -24, 2, 21, -52, -20),
    *(361, -60, -25, 53, 41, 1, 38, 218, -83, 0, 2, -5, 8, 9, -17, -20),
)
_OPEN = (
    *(286, -95, 2, 39, 25, 15, 26, 141, -110, 726, 14, -29, -4, 19, -70, -20),
    *(349, -57, -27, 66, 39, 3, 37, 254, -124, 6, 23, -13, 5, 22, 9, -20),
)

#: Tuned in the same way on the share of 120 deals above 3,000,000, which rollouts and proofs
#: leave open, that one search of 2,500 nodes wins: from .39 to .55.
_SEARCH = (
    *(271, -117, -10, 33, 47, 12, 15, 165, -87, 848, -5, -1, 0, 31, -61, -20),
    *(359, -51, -23, 60, 24, 0, 30, 282, -100, -5, -8, 11, -17, -8, -30, -33),
)

#: Gumbel noise: round(-256 ln(-ln((i + 1/2) / 256))) for i = 0..255. A literal, so that every
#: machine has the same.
GUMBEL = (
    *(-469, -419, -392, -373, -358, -344, -333, -323, -314, -305, -297, -290),
    *(-283, -276, -270, -264, -258, -253, -247, -242, -237, -232, -227, -223),
    *(-218, -214, -210, -205, -201, -197, -193, -189, -186, -182, -178, -174),
    *(-171, -167, -164, -160, -157, -153, -150, -147, -143, -140, -137, -133),
    *(-130, -127, -124, -121, -118, -115, -112, -109, -106, -103, -100, -97),
    *(-94, -91, -88, -85, -82, -79, -76, -74, -71, -68, -65, -62),
    *(-59, -57, -54, -51, -48, -46, -43, -40, -37, -35, -32, -29),
    *(-26, -24, -21, -18, -15, -13, -10, -7, -5, -2, 1, 4),
    *(6, 9, 12, 14, 17, 20, 23, 25, 28, 31, 34, 36),
    *(39, 42, 45, 47, 50, 53, 56, 58, 61, 64, 67, 70),
    *(72, 75, 78, 81, 84, 87, 90, 92, 95, 98, 101, 104),
    *(107, 110, 113, 116, 119, 122, 125, 128, 131, 134, 137, 140),
    *(143, 146, 149, 152, 156, 159, 162, 165, 168, 172, 175, 178),
    *(182, 185, 188, 192, 195, 198, 202, 205, 209, 212, 216, 220),
    *(223, 227, 230, 234, 238, 242, 246, 249, 253, 257, 261, 265),
    *(269, 273, 277, 282, 286, 290, 294, 299, 303, 308, 312, 317),
    *(321, 326, 331, 336, 340, 345, 350, 356, 361, 366, 371, 377),
    *(382, 388, 394, 399, 405, 411, 418, 424, 430, 437, 443, 450),
    *(457, 464, 472, 479, 487, 495, 503, 511, 520, 529, 538, 547),
    *(557, 567, 577, 588, 599, 611, 623, 636, 649, 663, 678, 693),
    *(710, 728, 746, 767, 788, 812, 838, 867, 900, 937, 980, 1032),
    *(1097, 1184, 1315, 1597),
)


#: All weights, a row a set, phase 1 first: those of rollouts where base-rank cards are isolated in
#: phase 1 and where they are not, and those of searches, whatever is isolated.
SETS = np.array([_ISOLATED, _OPEN, _SEARCH], np.int64)
FOR_ISOLATED, FOR_OPEN, FOR_SEARCHES = range(3)
NOISE = np.array(GUMBEL, np.int64)


@inlined
def set_for(isolation: int) -> int:
    """Return the set of weights that was tuned for a base isolation."""
    return FOR_OPEN if isolation == ISOLATION_NONE else FOR_ISOLATED


@inlined
def next_random(state: int) -> int:
    """Step a linear congruential generator modulo 2^64; its high bits are the random ones.

    Knuth's constants (The Art of Computer Programming, volume 2, section 3.3.4).
    """
    return wrapping_add(wrapping_multiply(state, 6364136223846793005), 1442695040888963407)


@inlined
def noise_at(random: int) -> int:
    """Return the entry of the noise table that a random word means: by its 8 high bits."""
    return shift_right(random, 56)


@inlined
def noise_of(temperature: int, noise: int) -> int:
    """Return what an entry of the noise table adds at a temperature, 256 of which are one unit."""
    return (temperature * noise) >> _POINT_BITS


@inlined
def one_of(rank: int) -> int:
    """Return the counts of one card."""
    return 1 << (_COUNT_BITS * rank)


@inlined
def put_count(count: int, rank: int) -> int:
    """Return the counts of some cards of a rank."""
    return count << (_COUNT_BITS * rank)


@inlined
def count_of(counts: int, rank: int) -> int:
    """Return how many cards of a rank are counted."""
    return shift_right(counts, _COUNT_BITS * rank) & _COUNT_MASK


@inlined
def count_lower(counts: int, rank: int) -> int:
    """Return how many cards below a rank are counted."""
    lower = counts & (one_of(rank) - 1)
    pairs = (lower & _LOW_HALVES) + (shift_right(lower, _COUNT_BITS) & _LOW_HALVES)
    # The highest byte of the product is the sum of all bytes.
    return shift_right(wrapping_multiply(pairs, _ONES), 56)


@inlined
def neighbour_worth(
    lower: int, below: int, rank: int, buried: int, on_next: int, on_previous: int
) -> int:
    """Return what a waste card's place is worth, given three weights.

    lower  int  how many cards under it are of lower rank
    below  int  the rank right under it, -1 for none
    """
    worth = buried * lower
    if below == rank + 1:
        worth += on_next
    elif below >= 0 and below == rank - 1:
        worth += on_previous
    return worth
