"""The player behind the grade `pyramid-1`, written from its description, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence

from oracles.pyramid_naive import LYING_ON, Options

WORD = 1 << 64


def mix(value: int) -> int:
    """Return SplitMix64's finaliser of 64 bits."""
    value ^= value >> 30
    value = value * 0xBF58476D1CE4E5B9 % WORD
    value ^= value >> 27
    value = value * 0x94D049BB133111EB % WORD
    return value ^ value >> 31


def seed_of(deck: Sequence[int], playout: int) -> int:
    """Return where the generator begins in a playout; cards are 4 (rank - 1) + suit."""
    value = len(deck)
    for card in deck:
        value = mix((value + card + 1) * 0x9E3779B97F4A7C15 % WORD)
    return mix((value + playout) % WORD)


def wins(deck: Sequence[int], playout: int, options: Options) -> bool:
    """Play a deal once; tell whether the player wins."""
    ranks = [card // 4 + 1 for card in deck]
    pyramid = dict(enumerate(ranks[:28]))
    stock, waste = list(ranks[28:]), list[int]()
    x = seed_of(deck, playout)
    resets = turned = 0
    while True:
        free = [p for p in sorted(pyramid) if not any(q in pyramid for q in LYING_ON[p])]
        kings = [p for p in free if pyramid[p] == 13]
        if kings:
            for place in kings:
                del pyramid[place]
            turned = 0
            continue
        if not pyramid and not (options.clear_all and (stock or waste)):
            return True
        if waste and waste[-1] == 13:
            waste.pop()
            turned = 0
            continue
        if options.stock_top and stock and stock[0] == 13:
            stock.pop(0)
            turned = 0
            continue
        choices = removals(pyramid, free, stock, waste, options)
        may_go_on = bool(stock) or (
            bool(waste) and (options.resets is None or resets < options.resets)
        )
        count = len(choices) + may_go_on
        if count == 0:
            return False
        pick = 0
        if count > 1:
            x = (x * 6364136223846793005 + 1442695040888963407) % WORD
            pick = (x >> 32) * count >> 32
        if pick == len(choices):
            if stock:
                waste.append(stock.pop(0))
                continue
            turned += 1
            if turned == 3:
                return False
            resets += 1
            stock, waste = waste, []
            continue
        turned = 0
        for source in choices[pick]:
            if source == "waste":
                waste.pop()
            elif source == "stock":
                stock.pop(0)
            else:
                del pyramid[int(source)]


def removals(
    pyramid: dict[int, int], free: list[int], stock: list[int], waste: list[int], options: Options
) -> list[tuple[int | str, ...]]:
    """Return what may leave together, in the order of the description."""
    found: list[tuple[int | str, ...]] = []
    for low in range(1, 7):
        found += [
            (one, other)
            for one in free
            for other in free
            if pyramid[one] == low and pyramid[other] == 13 - low
        ]
    if options.cover_pairs:
        for place in sorted(pyramid):
            on_it = [other for other in LYING_ON[place] if other in pyramid]
            if len(on_it) == 1 and on_it[0] in free and pyramid[place] + pyramid[on_it[0]] == 13:
                found.append((place, on_it[0]))
    if waste:
        found += [(place, "waste") for place in free if pyramid[place] + waste[-1] == 13]
    if options.stock_top and stock:
        found += [(place, "stock") for place in free if pyramid[place] + stock[0] == 13]
        if waste and waste[-1] + stock[0] == 13:
            found.append(("waste", "stock"))
    return found
