"""Rules profiles as text, on FreeCell's and on one with every kind of option."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest

from solvers.errors import NotationError, UnknownNameError
from solvers.freecell.rules import PROFILES, Profile
from solvers.profiles import (
    format_profile,
    format_value,
    option,
    options_of,
    parse_profile,
    valid_values,
)


@dataclass(frozen=True)
class Sample:
    """A profile with a range that has no end, and a yes or no."""

    name: str
    redeals: int | None = option(None, low=0, unlimited=True, help="resets of the stock")
    pairs: bool = option(True, choices=(True, False), help="covered pairs")


SAMPLES = {sample.name: sample for sample in (Sample("classic"), Sample("strict", 2, False))}


def test_the_profiles_of_freecell() -> None:
    options = {
        name: (profile.cells, profile.build, profile.supermove, profile.autoplay)
        for name, profile in PROFILES.items()
    }
    assert options == {
        "classic": (4, "alternate", "power", "none"),
        "linear": (4, "alternate", "linear", "none"),
        "safe-auto": (4, "alternate", "power", "safe"),
        "max-auto": (4, "alternate", "power", "max"),
        "bakers": (4, "suit", "power", "none"),
    }


@pytest.mark.parametrize("name", PROFILES)
def test_a_name_alone_is_the_profile(name: str) -> None:
    assert parse_profile(name, PROFILES) is PROFILES[name]
    assert format_profile(PROFILES[name], PROFILES) == name


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("classic,cells=3", "classic,cells=3"),
        ("classic,supermove=single,cells=0", "classic,cells=0,supermove=single"),
        ("bakers,cells=7,autoplay=max", "bakers,autoplay=max,cells=7"),
        ("max-auto,cells=2", "max-auto,cells=2"),
        # What does not differ is not written, and equal rules have one spelling.
        ("classic,cells=4", "classic"),
        ("classic,supermove=linear", "linear"),
        ("linear,supermove=power", "classic"),
        ("classic,build=suit", "bakers"),
        ("bakers,build=alternate,autoplay=safe,autoplay_on_deal=no", "safe-auto"),
    ],
)
def test_canonical_spelling(text: str, canonical: str) -> None:
    profile = parse_profile(text, PROFILES)
    assert format_profile(profile, PROFILES) == canonical
    assert parse_profile(canonical, PROFILES) == profile


def test_every_combination_of_options_round_trips() -> None:
    for name, cells, build, supermove, autoplay in itertools.product(
        PROFILES,
        range(8),
        ("alternate", "suit"),
        ("power", "linear", "single"),
        (("none", "yes"), ("none", "no"), ("safe", "yes"), ("safe", "no"), ("max", "yes")),
    ):
        text = f"{name},cells={cells},build={build},supermove={supermove}"
        text += f",autoplay={autoplay[0]},autoplay_on_deal={autoplay[1]}"
        profile = parse_profile(text, PROFILES)
        options = (cells, build, supermove, autoplay[0], autoplay[1] == "yes")
        assert profile == Profile(profile.name, *options)
        assert parse_profile(format_profile(profile, PROFILES), PROFILES) == profile


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("", "there are: classic, linear, safe-auto, max-auto, bakers"),
        ("Clasic", "there are: classic,"),
        (" classic", "there are: classic,"),
        ("classic,decks=2", "there are: cells, build, supermove, autoplay"),
        ("classic,name=x", "there are: cells, build, supermove, autoplay"),
        ("classic,=3", "there are: cells, build, supermove, autoplay"),
    ],
)
def test_unknown_names_list_the_known(text: str, valid: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        parse_profile(text, PROFILES)
    assert valid in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("classic,cells", "'cells' is not an option; write option=value"),
        ("classic,", "'' is not an option; write option=value"),
        ("classic,cells=2,cells=3", "cells is given twice"),
        ("classic,cells=8", "cells is '8'; valid is 0..7"),
        ("classic,cells=-1", "cells is '-1'; valid is 0..7"),
        ("classic,cells=", "cells is ''; valid is 0..7"),
        ("classic,cells=2.0", "cells is '2.0'; valid is 0..7"),
        ("classic,cells=³", "cells is '³'; valid is 0..7"),
        ("classic,cells=3=3", "cells is '3=3'; valid is 0..7"),
        ("classic,cells=" + "9" * 5000, "valid is 0..7"),
        ("classic,build=both", "build is 'both'; valid is alternate|suit"),
        ("classic,autoplay=Saf", "autoplay is 'Saf'; valid is none|safe|max"),
        ("classic,supermove=power ", "supermove is 'power '; valid is power|linear|single"),
    ],
)
def test_bad_options_say_what_is_valid(text: str, message: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_profile(text, PROFILES)
    assert message in str(caught.value)


def test_unlimited_and_yes_or_no() -> None:
    assert parse_profile("classic,redeals=0,pairs=no", SAMPLES) == Sample("classic", 0, False)
    assert parse_profile("strict,redeals=unlimited", SAMPLES) == Sample("strict", None, False)
    assert parse_profile("classic,redeals=2,pairs=no", SAMPLES) is SAMPLES["strict"]
    varied = Sample("strict", None, True)
    assert format_profile(varied, SAMPLES) == "strict,pairs=yes,redeals=unlimited"
    with pytest.raises(NotationError, match=r"redeals is 'none'; valid is 0\.\.\|unlimited"):
        parse_profile("classic,redeals=none", SAMPLES)


def test_options_are_described() -> None:
    assert [valid_values(field) for field in options_of(PROFILES["classic"])] == [
        "0..7",
        "alternate|suit",
        "power|linear|single",
        "none|safe|max",
        "no|yes",
    ]
    assert [valid_values(field) for field in options_of(SAMPLES["classic"])] == [
        "0..|unlimited",
        "yes|no",
    ]
    assert all(field.metadata["help"] for field in options_of(PROFILES["classic"]))
    assert [format_value(value) for value in (None, True, False, 3, "max")] == [
        "unlimited",
        "yes",
        "no",
        "3",
        "max",
    ]
