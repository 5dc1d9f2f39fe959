"""The layers of the table of passes, as its description has them."""

from __future__ import annotations

import pytest

from solvers.pyramid import passes

#: Five stock cards, of which three are passed: the first, the second, the third.
STOCK, PASSED = 5, 3


@pytest.mark.parametrize(
    ("waste", "layer"),
    [
        ([0, 1, 2], passes.ON_0),
        ([0, 2], passes.ON_1),
        ([2], passes.ON_2),
        ([0, 1], passes.OFF_1),
        ([0], passes.OFF_2),
        ([], passes.OFF_3),
    ],
)
def test_layers_of_the_first_pass(waste: list[int], layer: int) -> None:
    stock = sum(1 << index for index in [*waste, *range(PASSED, STOCK)])
    drawn = max(waste, default=-1) + 1
    assert passes.layer_of.function(stock, drawn, PASSED, STOCK) == layer


@pytest.mark.parametrize(("waste", "layer"), [([0, 2], passes.ON), ([0, 1], passes.OFF)])
def test_layers_of_later_passes(waste: list[int], layer: int) -> None:
    """A card that is still to come is gone, so this is not the first pass."""
    stock = sum(1 << index for index in [*waste, PASSED])
    assert passes.layer_of.function(stock, waste[-1] + 1, PASSED, STOCK) == layer
