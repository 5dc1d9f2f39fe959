"""FreeCell's effort, the measurement behind the grade `freecell-1`.

Owns how much search work a deal asks: the geometric mean of the nodes of REPEATS short
best-first searches, disturbed by seeds that are a hash of the deck, each capped at CAP nodes
and then counted as CAP. One search's count is noise; the mean of many is not.

Frozen: weights, noise, seeds, cap and arithmetic, integers throughout. Another measurement is
another grader. Thresholds are in `game`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.freecell import schedule
from solvers.freecell.block import drop, quick_arena
from solvers.freecell.kernel import deal
from solvers.freecell.layout import (
    PACKED_SIZE,
    POWER,
    RULE_CELLS,
    RULE_SUIT_BUILD,
    RULE_SUPERMOVE,
    RULES_SIZE,
)
from solvers.freecell.records import (
    QUICK_STATES,
    get_expanded,
    get_node_cap,
    get_state_cap,
    get_state_pool,
    nodes_for,
    set_config,
    set_room,
    set_rules,
    set_seed,
    state_at,
)
from solvers.freecell.search import run, start
from solvers.freecell.search_state import load_state
from solvers.jit import Local, entry, kernel
from solvers.search.bits import hash_deck, mix, wrapping_add
from solvers.search.status import WON

REPEATS = 16
CAP = 200
_NOISE = 31

#: Weights as of grader `freecell-1`.
_WEIGHTS = schedule.Weights(
    depth=18,
    home=-3,
    base=18,
    covered=28,
    covered_more=2,
    spread=2,
    lowest=15,
    accept=7,
    soon=3,
    cell=(40, 51, 63, 78, 90, 90, 90),
    empty=(37, 41, 39, 20, 20, 20, 20, 20),
    cover=(10, 10, 10, 10),
    bad=(10, 9, 8, 7, 6, 5, 4, 3, 2, 0, 0, 0, 0),
    cell_rank=(-3, -3, -3, -2, -2, -1, -1, -1, 0, 0, 1, 1, 2),
)
_CONFIG = schedule.configure(schedule.Stage(_WEIGHTS, CAP, noise=_NOISE))

# 65536 * log2(n) for n = 1..201, rounded. A literal: logarithms differ between machines.
# fmt: off
_LOG2 = np.array(
    [
        0, 65536, 103872, 131072, 152170, 169408, 183983, 196608, 207744, 217706, 226717,
        234944, 242512, 249519, 256042, 262144, 267876, 273280, 278392, 283242, 287855, 292253,
        296456, 300480, 304340, 308048, 311616, 315055, 318373, 321578, 324678, 327680, 330589,
        333412, 336153, 338816, 341407, 343928, 346384, 348778, 351113, 353391, 355616, 357789,
        359914, 361992, 364026, 366016, 367966, 369876, 371748, 373584, 375385, 377152, 378887,
        380591, 382264, 383909, 385525, 387114, 388677, 390214, 391727, 393216, 394682, 396125,
        397547, 398948, 400328, 401689, 403030, 404352, 405656, 406943, 408212, 409464, 410700,
        411920, 413125, 414314, 415488, 416649, 417795, 418927, 420046, 421152, 422245, 423325,
        424394, 425450, 426495, 427528, 428550, 429562, 430562, 431552, 432532, 433502, 434462,
        435412, 436353, 437284, 438206, 439120, 440025, 440921, 441809, 442688, 443560, 444423,
        445279, 446127, 446967, 447800, 448626, 449445, 450256, 451061, 451859, 452650, 453435,
        454213, 454985, 455750, 456510, 457263, 458010, 458752, 459488, 460218, 460942, 461661,
        462375, 463083, 463786, 464484, 465177, 465864, 466547, 467225, 467898, 468566, 469229,
        469888, 470543, 471192, 471838, 472479, 473115, 473748, 474376, 475000, 475620, 476236,
        476848, 477456, 478060, 478661, 479257, 479850, 480439, 481024, 481606, 482185, 482759,
        483331, 483898, 484463, 485024, 485582, 486136, 486688, 487236, 487781, 488323, 488861,
        489397, 489930, 490459, 490986, 491510, 492031, 492549, 493064, 493577, 494086, 494593,
        495098, 495599, 496098, 496594, 497088, 497579, 498068, 498554, 499038, 499519, 499998,
        500474, 500948, 501419,
    ],
    np.int64,
)
# fmt: on


_new_packed, _new_rules = Local(np.uint8, PACKED_SIZE), Local(np.int64, RULES_SIZE)


@kernel
def _thousandths(mean_log: int) -> int:
    """Return 1000 * 2^(mean_log / 65536), between table entries by straight lines.

    mean_log  int64  0.._LOG2[CAP - 1]
    """
    number = 1
    while number < CAP and _LOG2[number] <= mean_log:
        number += 1
    low, high = _LOG2[number - 1], _LOG2[number]
    return 1000 * number + (1000 * (mean_log - low)) // (high - low)


@kernel
def measure(arena: int, decks: Any, rules: Any, first: int, count: int, efforts: Any) -> None:
    """Measure decks by the searches `first`..`first + count - 1` of the endless seeded series.

    arena    int64              address, with room for QUICK_STATES
    decks    uint8[n, 52]
    rules    int64[RULES_SIZE]  the profile's
    first    int64              other than 0 only to study the noise
    count    int64
    efforts  int64[n]           out: thousandths of a node, 1000..200000

    Of the profile, cells and building count; supermoves and autoplay do not, so that one deal has
    one effort under all rules of moving.
    """
    packed, searched = _new_packed(), _new_rules()
    searched[RULE_CELLS], searched[RULE_SUIT_BUILD] = rules[RULE_CELLS], rules[RULE_SUIT_BUILD]
    searched[RULE_SUPERMOVE] = POWER
    set_rules(arena, searched)
    set_config(arena, _CONFIG)
    state = state_at(get_state_pool(arena), 0)
    for row in range(len(decks)):
        seed = hash_deck(decks[row])
        deal(decks[row], searched, packed)
        total = 0
        for search in range(first, first + count):
            set_seed(arena, mix(wrapping_add(seed, search)))
            load_state(arena, state, packed)
            start(arena)
            status = run(arena, CAP)
            used = max(get_expanded(arena), 1) if status == WON else CAP
            total += _LOG2[used - 1]
        efforts[row] = _thousandths(total // count)


@entry("i64, u8[:,:], i64[:], i64, i64, i64[:]")
def measure_decks(
    session: int, decks: Any, rules: Any, first: int, parts: int, efforts: Any
) -> None:
    """Measure the effort of each deck; drops the position that the session has taken up.

    session  a block that is prepared; efforts do not depend on its memory
    decks    uint8[n, 52]
    rules    int64[RULES_SIZE]  the profile's
    first    the number of the first try of the seeded series
    parts    by which what is enough is divided
    efforts  int64[n]           out: thousandths of a node, 1000..200000
    """
    drop(session)
    arena = quick_arena(session)
    nodes, states = get_node_cap(arena), get_state_cap(arena)
    set_room(arena, nodes_for(QUICK_STATES), QUICK_STATES)
    measure(arena, decks, rules, first, REPEATS // parts, efforts)
    set_room(arena, nodes, states)
