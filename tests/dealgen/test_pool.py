import base64
import copy
import hashlib
import json
import time
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from fake_game import EASY_LIMITS, LIMITS, PROFILES, FakeGame, task_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy_numberings import Huge, Twice

import dealgen
from dealgen.batch import run_batch
from dealgen.codec import decode_numbers, encode_numbers
from dealgen.cover import Cover
from dealgen.grade import Cuts
from dealgen.numbering import NUMBERINGS, numbering_of
from dealgen.pool import (
    Tier,
    check_output,
    lopsided,
    pool_bytes,
    sealed,
    stats,
    write_pool,
)
from dealgen.pool_build import build_pool
from dealgen.pool_merge import merge_pools
from dealgen.pool_read import read_pool
from dealgen.pool_use import lookup, pick, pick_for, shuffled, spread, subset
from dealgen.pool_verify import verify_pool
from dealgen.store import Store
from solvers.cards import format_card
from solvers.errors import (
    InvalidNumberError,
    PoolFormatError,
    SolutionRejectedError,
    StoreError,
    UnknownNameError,
    WinnableError,
)
from solvers.outcome import Limits

MS = numbering_of("ms")
PLAIN = PROFILES["plain"]
RESOURCES = Path(dealgen.__file__).parent / "resources"
SCHEMA = json.loads((RESOURCES / "pool.schema.json").read_text())


def facts(number):
    return FakeGame().facts(MS.stream(number, 52), PLAIN)


def build(first=1, last=200, *, batch_limits=LIMITS, par=None, solutions=False, **what):
    progress, cuts = what.pop("on_progress", None), what.pop("cuts", None)
    task = task_of(**what)
    with Store.in_memory() as store:
        run_batch(replace(task, limits=batch_limits), store, [(first, last)])
        return build_pool(
            task,
            store,
            Cover.of([(first, last)]),
            cuts=cuts,
            par=par,
            solutions=solutions,
            on_progress=progress,
        )


@pytest.fixture(scope="module")
def pool():
    return build(batch_limits=EASY_LIMITS)


@pytest.fixture(scope="module")
def full():
    return build(par="optimal", solutions=True)


def verify(pool, game=None, *, limits=LIMITS, measure=False, **options):
    return verify_pool(pool, game or FakeGame(), limits=limits, measure=measure, **options)


# Building.


def test_every_number_stands_where_its_facts_put_it(pool):
    expected = {name: [] for name in ("easy", "normal", "hard", "unwinnable", "undecided")}
    for number in range(1, 201):
        known = facts(number)
        if known.nodes > EASY_LIMITS.max_nodes or known.memory_mib > EASY_LIMITS.memory_mib:
            expected["undecided"].append(number)
        elif not known.winnable:
            expected["unwinnable"].append(number)
        else:
            expected[("easy", "normal", "hard")[known.effort // 1000]].append(number)
    assert all(expected.values())
    for name in ("easy", "normal", "hard"):
        assert pool.tiers[name].numbers.tolist() == expected[name]
        assert pool.tiers[name].par is None
        assert pool.tiers[name].solutions is None
    assert pool.unwinnable.tolist() == expected["unwinnable"]
    assert pool.undecided.tolist() == expected["undecided"]
    assert pool.duplicates.tolist() == []
    assert pool.counts == {
        "winnable": sum(len(expected[name]) for name in ("easy", "normal", "hard")),
        "unwinnable": len(expected["unwinnable"]),
        "undecided": len(expected["undecided"]),
    }


def test_par_and_solutions_stand_beside_their_numbers(full):
    for tier in full.tiers.values():
        assert len(tier.par) == len(tier.solutions) == len(tier.numbers) > 0
        for number, par, solution in zip(
            tier.numbers.tolist(), tier.par.tolist(), tier.solutions, strict=True
        ):
            known = facts(number)
            assert par == known.par
            cards = MS.stream(number, 52)[: known.length]
            assert solution == ",".join(format_card(card) for card in cards)


def test_the_same_answers_make_the_same_bytes():
    expected = pool_bytes(build(par="optimal", solutions=True))
    assert pool_bytes(build(par="optimal", solutions=True, jobs=3)) == expected
    easy = task_of(limits=EASY_LIMITS)
    with Store.in_memory() as store:
        run_batch(easy, store, [(150, 250)], grade=False)
        run_batch(task_of(jobs=2), store, [(1, 200)], chunk_size=7)
        again = build_pool(easy, store, Cover.of([(1, 200)]), par="optimal", solutions=True)
    # Solutions were found again although these limits alone are too small for some deals.
    assert pool_bytes(again) == expected


@pytest.fixture
def twice(monkeypatch):
    """A numbering whose numbers above 60 deal the boards of 1..60 again, registered."""
    numbering = Twice()
    monkeypatch.setitem(NUMBERINGS, "twice", numbering)
    return numbering


def test_of_equal_boards_only_the_lowest_number_is_in_a_tier(twice):
    pool = build(numbering=twice)
    winnable = [n for n in range(1, 201) if facts(1 + (n - 1) % Twice.PERIOD).winnable]
    kept = [number for number in winnable if number <= Twice.PERIOD]
    assert 40 < len(kept) < len(winnable) // 2
    assert np.sort(np.concatenate([t.numbers for t in pool.tiers.values()])).tolist() == kept
    assert pool.duplicates.tolist() == [n for n in winnable if n > Twice.PERIOD]
    assert pool.counts["winnable"] == len(winnable)
    assert verify(pool) == []


def test_duplicates_are_what_the_numbering_deals_twice(twice):
    number, wrong = moved(build(numbering=twice), "duplicates", "easy")
    assert verify(wrong) == [f"the same board as a lower number of the tiers: {number}"]
    # What `twice` deals twice, `ms` does not.
    (problem, *_) = verify(sealed(replace(build(numbering=twice), numbering="ms")))
    assert problem.startswith(f"listed as a duplicate and is not one: {number}, ")


def test_a_pool_of_numbers_beyond_64_bits(monkeypatch, tmp_path):
    huge = Huge()
    monkeypatch.setitem(NUMBERINGS, "huge", huge)
    last = 2**64 + 60
    task = task_of(numbering=huge)
    covers = Cover.of([(1, 40), (last - 40, last)])
    with Store.in_memory() as store:
        run_batch(task, store, covers.ranges)
        pool = build_pool(task, store, covers, par="optimal", solutions=True)
    assert verify(pool, measure=True) == []
    path = tmp_path / "pool.json"
    write_pool(pool, path)
    again = read_pool(path)
    assert pool_bytes(again) == pool_bytes(pool)
    assert again.covers == covers
    winnable = [number for tier in again.tiers.values() for number in tier.numbers.tolist()]
    assert any(number > 2**63 for number in winnable)
    number = max(winnable)
    assert lookup(again, number).solution
    assert pick(again, "random", 5) == covers[spread(5) % covers.size]


def test_numbers_that_a_pool_cannot_hold_are_refused():
    with Store.in_memory() as store:
        with pytest.raises(WinnableError, match="a pool answers for one deal at least"):
            build_pool(task_of(), store, Cover.of([]))
        with pytest.raises(InvalidNumberError, match="out of range"):
            build_pool(task_of(), store, Cover.of([(0, 5)]))


def test_an_incomplete_store_makes_no_pool():
    task = task_of()
    with Store.in_memory() as store:
        run_batch(task, store, [(1, 190)], grade=False)
        with pytest.raises(StoreError, match=r"lacks 10 deals of 1\.\.200"):
            build_pool(task, store, Cover.of([(1, 200)]))
        with pytest.raises(StoreError, match=r"lacks the effort of \d+ winnable deals of 1\.\.190"):
            build_pool(task, store, Cover.of([(1, 190)]))


def test_a_solution_that_the_rules_refuse_is_never_exported():
    game = FakeGame()
    with Store.in_memory() as store:
        run_batch(task_of(game), store, [(1, 50)])
        game.refuses = lambda deck: True
        with pytest.raises(SolutionRejectedError, match=r"fake deal \d+: move 1"):
            build_pool(task_of(game), store, Cover.of([(1, 50)]), solutions=True)


def test_a_solution_that_is_not_found_again_is_named():
    class Forgetful(FakeGame):
        def solve_many(self, decks, profile, limits, *, want_lines, method="fast"):
            if want_lines and len(decks) > 1:
                limits = Limits(1, 1)
            return super().solve_many(decks, profile, limits, want_lines=want_lines)

    with pytest.raises(StoreError, match=r"has deal \d+ as winnable, but no solution is found"):
        build(game=Forgetful(), solutions=True)


def test_progress_counts_every_deal():
    seen = []
    pool = build(par="optimal", on_progress=lambda done, total: seen.append((done, total)))
    total = sum(len(tier.numbers) for tier in pool.tiers.values())
    assert seen[-1] == (total, total)


def efforts_of(numbers):
    return [facts(number).effort for number in numbers.tolist()]


@pytest.mark.parametrize("names", [("easy", "normal", "hard"), tuple("12345")])
def test_a_range_divides_itself(tmp_path, names):
    pool = build(cuts=names)
    assert list(pool.tiers) == list(pool.cuts.tiers) == list(names)
    sizes = [len(tier.numbers) for tier in pool.tiers.values()]
    # Few efforts of the fake game are alike, so the tiers differ by hardly a deal.
    assert max(sizes) - min(sizes) <= 2
    efforts = [efforts_of(tier.numbers) for tier in pool.tiers.values()]
    for easier, harder, cut in zip(efforts, efforts[1:], pool.cuts.cuts, strict=False):
        assert max(easier) < cut <= min(harder)
    assert pool_bytes(build(cuts=names, jobs=2)) == pool_bytes(pool)
    path = tmp_path / "pool.json"
    write_pool(pool, path)
    jsonschema.validate(json.loads(path.read_text()), SCHEMA)
    again = read_pool(path)
    assert verify(again, measure=True) == []
    assert list(again.tiers) == list(names)
    last = names[-1]
    number = pick(again, last, 7)
    assert number in again.tiers[last].numbers
    assert lookup(again, number).tier == last
    assert list(stats(again)["tiers"]) == list(names)
    assert stats(again)["grader"]["cuts"] == [cut / 1000 for cut in pool.cuts.cuts]
    with pytest.raises(UnknownNameError, match=f"there are: {', '.join(names)}, random"):
        pick(again, "brutal", 1)


def test_chosen_cuts_are_recorded_and_checked():
    pool = build(cuts=Cuts(("low", "high"), (700,), None))
    assert max(efforts_of(pool.tiers["low"].numbers)) < 700
    assert min(efforts_of(pool.tiers["high"].numbers)) >= 700
    assert load(pool)["grader"] == {
        "name": "fake-1",
        "tiers": ["low", "high"],
        "cuts": [700],
        "calibrated_on": None,
    }
    wrong = sealed(replace(pool, cuts=replace(pool.cuts, cuts=(900,))))
    (problem,) = verify(wrong, measure=True)
    assert problem.startswith("in tier high, measured as low: ")


def test_a_profile_without_a_scale_needs_to_be_told_its_tiers():
    with pytest.raises(WinnableError) as caught:
        build(1, 20, profile=PROFILES["bare"])
    assert str(caught.value) == (
        "fake-1 has no tiers for profile bare; give --tiers thirds, --tiers 5, or --easy-below "
        "and --hard-from"
    )
    assert build(1, 20, profile=PROFILES["bare"], cuts=("a", "b")).profile == "bare"


def test_nothing_divides_a_range_without_a_winnable_deal():
    lost = next(number for number in range(1, 200) if not facts(number).winnable)
    with pytest.raises(WinnableError, match=f"no deal of {lost} is winnable"):
        build(lost, lost, cuts=("a", "b"))
    assert build(lost, lost).counts["winnable"] == 0


def test_tiers_are_lopsided_above_one_to_five(pool):
    def with_sizes(**sizes):
        return replace(pool, tiers={name: Tier(np.arange(size)) for name, size in sizes.items()})

    assert lopsided(with_sizes(easy=2, normal=5, hard=10)) is None
    assert lopsided(with_sizes(easy=2, normal=5, hard=11)) == (
        "the tiers are lopsided: easy has 2 deals, hard 11"
    )
    assert lopsided(with_sizes(easy=3, normal=0, hard=3)) == (
        "the tiers are lopsided: normal has no deals, easy 3"
    )


# The file.


def load(pool):
    return json.loads(pool_bytes(pool))


def spelled(content):
    """A file with the right hash for any content, written from the format's text alone."""
    rest = {key: value for key, value in content.items() if key != "sha256"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    sha256 = hashlib.sha256(canonical.encode()).hexdigest()
    return json.dumps({**rest, "sha256": sha256}, ensure_ascii=False).encode()


def test_files_fit_the_schema(pool, full):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for each in (pool, full, build(11, 11), build(numbering=Twice())):
        jsonschema.validate(load(each), SCHEMA)
    for name in (None, "tiers", "sha256"):
        broken = load(pool)
        broken[name or "format"] = "x"
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, SCHEMA)


def test_the_fields_say_what_the_design_promises(pool):
    content = load(pool)
    assert content["format"] == "winnable-pool"
    assert content["format_version"] == 2
    assert [content[key] for key in ("game", "profile", "numbering")] == ["fake", "plain", "ms"]
    assert decode_numbers(content["covers"]).tolist() == [1, 201]
    assert content["grader"] == {
        "name": "fake-1",
        "tiers": ["easy", "normal", "hard"],
        "cuts": [1000, 2000],
        "calibrated_on": "1..1000",
    }
    assert content["tiers"]["random"] == {"vetted": False}
    assert content["limits"] == {
        "max_nodes": LIMITS.max_nodes,
        "memory_mib": LIMITS.memory_mib,
        "max_seconds": None,
    }
    assert content["par_kind"] is None
    assert len(content["solver_versions"]) == 1


def test_the_hash_is_over_the_canonical_content(pool):
    assert json.loads(spelled(load(pool)))["sha256"] == pool.sha256
    data = pool_bytes(pool)
    assert data.endswith(b"}\n")
    assert b" " not in data
    assert data == json.dumps(load(pool), sort_keys=True, separators=(",", ":")).encode() + b"\n"


def test_the_numbers_are_decoded_by_the_formats_text_alone(pool):
    text = load(pool)["tiers"]["easy"]["numbers"]
    numbers, number, shift, delta = [], 0, 0, 0
    for byte in base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)):
        delta |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            number += delta
            numbers.append(number)
            shift = delta = 0
    assert numbers == pool.tiers["easy"].numbers.tolist()


def test_written_and_read_again(tmp_path, pool, full):
    for each in (pool, full):
        path = tmp_path / "pool.json"
        write_pool(each, path, force=True)
        again = read_pool(path)
        assert pool_bytes(again) == path.read_bytes() == pool_bytes(each)
        assert (again.sha256, again.digest) == (each.sha256, each.sha256)
    assert [file.name for file in tmp_path.iterdir()] == ["pool.json"]


def test_any_spelling_of_the_same_json_is_the_same_pool(tmp_path, full):
    path = tmp_path / "pool.json"
    path.write_text(json.dumps(load(full), indent=2).replace("\n", "\r\n"))
    assert verify(read_pool(path)) == []


def test_an_existing_file_is_replaced_only_by_force(tmp_path, pool):
    path = tmp_path / "pool.json"
    path.write_text("mine")
    with pytest.raises(WinnableError, match="exists already"):
        write_pool(pool, path)
    assert path.read_text() == "mine"
    write_pool(pool, path, force=True)
    assert path.read_bytes() == pool_bytes(pool)


def test_places_where_no_pool_can_be(tmp_path, pool):
    (tmp_path / "file").touch()
    for place, fault in (
        (tmp_path, "not a regular file"),
        ("/dev/null", "not a regular file"),
        (tmp_path / "none" / "pool.json", "is not a folder"),
        (tmp_path / "file" / "pool.json", "is not a folder"),
    ):
        for attempt in (check_output, lambda path, force: write_pool(pool, path, force=force)):
            with pytest.raises(WinnableError, match=fault):
                attempt(place, force=True)
    with pytest.raises(WinnableError, match="cannot be written"):
        write_pool(pool, "/proc/pool.json")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_failed_write_leaves_the_old_file(tmp_path, pool, monkeypatch):
    path = tmp_path / "pool.json"
    path.write_text("old")

    def full_disk(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(WinnableError, match="cannot be written: No space left on device"):
        write_pool(pool, path, force=True)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["pool.json"]


def test_a_link_is_followed(tmp_path, pool):
    (tmp_path / "link.json").symlink_to(tmp_path / "pool.json")
    write_pool(pool, tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "pool.json").read_bytes() == pool_bytes(pool)


# Files that are not pools.


def changed(content, name, value):
    """A copy with the field of a dotted name set, or removed for `...`."""
    result = copy.deepcopy(content)
    *above, last = name.split(".")
    place = result
    for key in above:
        place = place[key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return result


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("format", "other", "format is 'other'"),
        ("format_version", 3, "format_version is 3; this program reads 1..2"),
        ("format_version", 1.0, "format_version must be a whole number"),
        ("format_version", True, "format_version must be a whole number"),
        ("game", ..., "game is missing"),
        ("profile", 5, "profile must be a text"),
        ("covers", 5, "covers must be a text"),
        ("covers", "AQ", "covers must hold pairs of boundaries"),
        ("covers", "AQ==", "covers: number list"),
        ("limits", ..., "limits is missing"),
        ("limits.max_nodes", 0, "limits: max_nodes is 0"),
        ("limits.memory_mib", "64", "limits.memory_mib must be a whole number"),
        ("limits.max_seconds", "1", "limits.max_seconds must be a whole number"),
        ("limits.max_seconds", 0, "limits: max_seconds is 0"),
        ("par_kind", "best", "par_kind must be 'optimal', 'found' or null"),
        ("counts.undecided", ..., "counts.undecided is missing"),
        ("grader.cuts", None, "grader.cuts must be a list"),
        ("grader.cuts", [1, 2.5], "grader.cuts must hold whole numbers"),
        ("grader.cuts", [2, 1], "grader.cuts must ascend, and be one less than grader.tiers"),
        ("grader.cuts", [1], "grader.cuts must ascend, and be one less than grader.tiers"),
        ("grader.tiers", [], "grader.tiers must hold different names"),
        ("grader.tiers", ["easy", "random"], "grader.tiers must hold different names, none of"),
        ("grader.tiers", ["a", "a"], "grader.tiers must hold different names"),
        ("grader.tiers", ["x" * 41], "grader.tiers must hold names of 1..40 characters"),
        ("grader.calibrated_on", 5, "grader.calibrated_on must be a text"),
        ("solver_versions", "1", "solver_versions must be a list"),
        ("solver_versions", [1], "solver_versions must hold texts"),
        ("tiers.hard", ..., "tiers.hard is missing"),
        (
            "tiers.easy.numbers",
            "A",
            "tiers.easy.numbers: number list 'A' is not unpadded base64url",
        ),
        ("tiers.easy.par", [1, None], "tiers.easy.par must hold whole numbers"),
        ("tiers.easy.solutions", [["5a"]], "tiers.easy.solutions must hold texts"),
        ("tiers.random", ..., "tiers.random is missing"),
        ("unwinnable", None, "unwinnable must be a text"),
        ("sha256", ..., "sha256 is missing"),
        ("note", "\ud800", "half a surrogate pair"),
    ],
)
def test_a_wrong_field_is_named(tmp_path, pool, name, value, fault):
    path = tmp_path / "pool.json"
    path.write_text(json.dumps(changed(load(pool), name, value)))
    with pytest.raises(PoolFormatError) as caught:
        read_pool(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "line 1: is not a pool: not JSON from column 1 on"),
        (b"[]", "its JSON is not an object"),
        (b"{}", "format is missing"),
        (b"\xff\xfe{", "byte 1 is not UTF-8"),
        (b'\xef\xbb\xbf{"format": 1}', "is not a pool: not JSON"),
        (b'{"format": NaN}', "NaN is not JSON"),
        (b'{"format": 1, "format": 2}', "key 'format' is given twice"),
        (b'{"a":' * 100_000, "nested too deep"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number of thousands of digits"),
        (b'{\n"format": "winnable-pool",\n', "line 3: is not a pool: not JSON"),
    ],
)
def test_bytes_that_are_not_a_pool(tmp_path, data, fault):
    path = tmp_path / "pool.json"
    path.write_bytes(data)
    with pytest.raises(PoolFormatError) as caught:
        read_pool(path)
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_pool_nested_at_any_depth_is_read_or_refused_in_one_line(tmp_path, pool):
    # Reading and hashing need different shares of the stack: each may be the first to run out.
    path = tmp_path / "pool.json"
    content = pool_bytes(pool).rstrip(b"}\n")
    seen = []
    for depth in [*range(1, 1000, 111), *range(700, 1050)]:
        path.write_bytes(content + b',"note":' + b"[" * depth + b"]" * depth + b"}")
        try:
            seen.append(read_pool(path).sha256)
        except PoolFormatError as error:
            seen.append(str(error))
    assert set(seen) == {pool.sha256, f"{path}: is not a pool: its JSON is nested too deep"}


def as_format_1(pool):
    """The file that earlier versions wrote, from the text of that format alone."""
    content = load(pool)
    for key in ("covers", "limits", "par_kind"):
        del content[key]
    covered = {"first": pool.covers.first, "last": pool.covers.last}
    content["format_version"], content["range"] = 1, covered
    content["tiers"]["random"] = {**covered, "vetted": False}
    return content


def test_pools_of_format_1_are_read(tmp_path, full):
    path = tmp_path / "pool.json"
    path.write_bytes(spelled(as_format_1(full)))
    pool = read_pool(path)
    assert (pool.covers, pool.limits, pool.par_kind) == (full.covers, None, None)
    assert verify(pool, measure=True) == []
    assert lookup(pool, 7) == lookup(full, 7)
    assert [pick(pool, "easy", seed) for seed in range(9)] == [
        pick(full, "easy", seed) for seed in range(9)
    ]
    # What is made of it is of the format of today.
    assert load(subset(pool, ["easy"]))["format_version"] == 2


@pytest.mark.parametrize(
    ("first", "last", "fault"),
    [
        (0, 2**63 - 1, "range 0..9223372036854775807 has more than 2^63-1 numbers"),
        (201, 200, "range 201..200 is empty"),
        (-1, 200, "range.first must be a whole number"),
        (1, 10**30, "range.last must be a whole number"),
        ("1", 200, "range.first must be a whole number"),
    ],
)
def test_a_wrong_range_of_format_1_is_named(tmp_path, pool, first, last, fault):
    path = tmp_path / "pool.json"
    content = as_format_1(pool)
    content["range"] = {"first": first, "last": last}
    path.write_bytes(spelled(content))
    with pytest.raises(PoolFormatError) as caught:
        read_pool(path)
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"), [("vetted", True), ("vetted", 0), ("first", 2), ("last", 201)]
)
def test_the_random_tier_of_format_1_is_the_range(tmp_path, pool, name, value):
    path = tmp_path / "pool.json"
    content = as_format_1(pool)
    content["tiers"]["random"][name] = value
    path.write_bytes(spelled(content))
    assert verify(read_pool(path)) == ["tiers.random is not 1..200 with vetted false"]


def test_a_pool_may_claim_very_many_numbers(tmp_path, pool):
    path = tmp_path / "pool.json"
    write_pool(sealed(replace(pool, covers=Cover(((1, 2**69),)))), path)
    largest = read_pool(path)
    assert pick(largest, "random", 0) == 1 + spread(0)
    assert stats(largest)["last"] == stats(largest)["deals"] == 2**69
    assert verify(largest) == [f"deal number {2**69} is out of range; ms has 1..8589934591"]


@pytest.mark.parametrize("where", ["front", "back"])
def test_many_keys_and_one_twice_is_found_at_once(tmp_path, where):
    path = tmp_path / "pool.json"
    keys = [f"key {number}" for number in range(200_000)]
    keys.insert(0 if where == "front" else len(keys) - 1, keys[-1])
    path.write_text("{" + ",".join(f'"{key}":0' for key in keys) + "}")
    begin = time.process_time()
    with pytest.raises(PoolFormatError, match="key 'key 199999' is given twice"):
        read_pool(path)
    # 200,000 keys counted one by one took minutes.
    assert time.process_time() - begin < 10


def test_errors_quote_no_more_than_a_line_of_a_file(tmp_path, pool):
    path = tmp_path / "pool.json"
    for text in (
        json.dumps(changed(load(pool), "format", "x" * 100_000)),
        json.dumps(changed(load(pool), "unwinnable", "x" * 100_001)),
        '{"KEY": 1, "KEY": 2}'.replace("KEY", "k" * 100_000),
    ):
        path.write_text(text)
        with pytest.raises(PoolFormatError) as caught:
            read_pool(path)
        assert len(str(caught.value)) < len(str(path)) + 150


def test_a_truncated_pool_is_not_a_pool(tmp_path, pool):
    data = pool_bytes(pool)
    path = tmp_path / "pool.json"
    for size in (1, len(data) // 2, len(data) - 2):
        path.write_bytes(data[:size])
        with pytest.raises(PoolFormatError, match="is not a pool: not JSON"):
            read_pool(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(PoolFormatError, match="cannot be read: No such file"):
        read_pool(tmp_path / "pool.json")
    with pytest.raises(PoolFormatError, match="cannot be read: Is a directory"):
        read_pool(tmp_path)


# Verifying.


def test_a_right_pool_has_no_problems(pool, full):
    for each in (pool, full):
        for options in ({}, {"jobs": 2}, {"rules": True}, {"measure": True}):
            assert verify(each, **options) == []


def with_tier(pool, name, **changes):
    tiers = {**pool.tiers, name: replace(pool.tiers[name], **changes)}
    return sealed(replace(pool, tiers=tiers))


def moved(pool, source, target):
    """A pool whose first number of one list stands in another, counts adjusted."""
    content = load(pool)
    tiers = content["tiers"]
    lists = {
        name: decode_numbers(tiers[name]["numbers"] if name in tiers else content[name]).tolist()
        for name in ("easy", "normal", "hard", "unwinnable", "undecided", "duplicates")
    }
    number = lists[source].pop(0)
    lists[target] = sorted([*lists[target], number])
    changes = {name: np.array(lists[name], np.int64) for name in lists}
    counts = {
        "winnable": sum(len(lists[name]) for name in ("easy", "normal", "hard", "duplicates")),
        "unwinnable": len(lists["unwinnable"]),
        "undecided": len(lists["undecided"]),
    }
    wrong = replace(
        pool,
        tiers={name: Tier(changes.pop(name)) for name in ("easy", "normal", "hard")},
        counts=counts,
        **changes,
    )
    return number, sealed(wrong)


@pytest.mark.parametrize(
    ("source", "target", "problem"),
    [
        ("unwinnable", "easy", "listed as winnable and proved unwinnable"),
        ("hard", "unwinnable", "listed as unwinnable and won"),
        ("hard", "duplicates", "listed as a duplicate and is not one"),
    ],
)
def test_a_number_in_the_wrong_list_is_found(pool, source, target, problem):
    number, wrong = moved(pool, source, target)
    assert verify(wrong) == [f"{problem}: {number}"]


def test_a_number_in_the_wrong_tier_is_found_by_measuring(pool):
    number, wrong = moved(pool, "easy", "hard")
    assert verify(wrong) == []
    problem = f"in tier hard, measured as easy: {number}"
    assert verify(wrong, measure=True) == [problem]
    # That is what is done unless it is asked not to.
    assert verify_pool(wrong, FakeGame(), limits=LIMITS) == [problem]


def test_what_is_not_decided_within_the_limits_is_said(pool):
    number, wrong = moved(pool, "undecided", "easy")
    problems = verify(wrong, limits=EASY_LIMITS)
    assert problems == [f"no solution found within the limits: {number}"]
    everything = verify_pool(pool, FakeGame(), limits=Limits(1, 1))
    assert [problem.split(":")[0] for problem in everything] == [
        "no solution found within the limits",
        "not proved unwinnable within the limits",
    ]
    # Eight are named and the rest counted.
    assert everything[0].count(",") == 7
    assert everything[0].endswith(" more")


def test_problems_quote_no_more_than_a_line_of_a_pool(full):
    long = "x" * 100_000
    easy = full.tiers["easy"]
    for wrong in (
        replace(full, game=long),
        replace(full, profile=long),
        replace(full, profile="plain,cells=" + long),
        replace(full, numbering=long),
        replace(full, grader=long),
        replace(full, sha256=long),
        with_tier(full, "easy", solutions=(long, *easy.solutions[1:])),
    ):
        problems = verify(wrong, measure=True, rules=True)
        assert problems
        assert max(map(len, problems)) < 500


def test_undecided_numbers_claim_nothing(pool):
    _, wrong = moved(pool, "easy", "undecided")
    assert verify(wrong) == []


def test_lists_that_are_not_the_range_are_found(pool):
    easy = pool.tiers["easy"].numbers
    problems = verify(with_tier(pool, "easy", numbers=easy[1:]))
    claimed = pool.counts["winnable"]
    assert problems == [
        "1 numbers of the range are in no list",
        f"counts.winnable is {claimed}; the lists hold {claimed - 1}",
    ]
    stray = with_tier(pool, "easy", numbers=np.append(easy, 201))
    assert "outside the range: 201" in verify(stray)
    twice = sealed(replace(pool, unwinnable=np.unique([*pool.unwinnable, easy[0]])))
    assert f"in more than one list: {easy[0]}" in verify(twice)


def test_wrong_names_are_found_before_anything_is_solved(pool):
    for change, problem in (
        ({"game": "other"}, "game is 'other'; checked as fake"),
        ({"profile": "odd"}, "unknown profile 'odd'; there are: plain, bare"),
        ({"profile": "plain,cells=9"}, "profile 'plain,cells=9': cells is '9'; valid is 0..7"),
        ({"numbering": "odd"}, "unknown numbering 'odd'; there are: ms, pysol"),
        ({"covers": Cover(((0, 5),))}, "deal number 0 is out of range; ms has 1..8589934591"),
        ({"covers": Cover(())}, "a pool answers for one deal at least"),
    ):
        game = FakeGame()
        assert verify(sealed(replace(pool, **change)), game) == [problem]
        assert game.solved == 0


@pytest.mark.parametrize("value", [True, 0, None])
def test_the_random_tier_is_never_vetted(tmp_path, pool, value):
    content = load(pool)
    content["tiers"]["random"]["vetted"] = value
    path = tmp_path / "pool.json"
    path.write_bytes(spelled(content))
    assert verify(read_pool(path)) == ["tiers.random is not with vetted false"]


def test_a_pool_names_the_solver_of_its_answers(pool):
    wrong = sealed(replace(pool, solver_versions=()))
    assert verify(wrong) == ["solver_versions names none"]
    assert verify(sealed(replace(pool, solver_versions=("0.1", "0.2")))) == []
    for versions in (("0.2", "0.1"), ("0.1", "0.1"), ("0.1", "0.3", "0.2")):
        wrong = sealed(replace(pool, solver_versions=versions))
        assert verify(wrong) == ["solver_versions are not ascending, each once"]


def test_a_device_that_never_ends_is_not_a_pool(monkeypatch):
    monkeypatch.setattr("dealgen.pool_read._LARGEST_STREAM", 1 << 20)
    with pytest.raises(PoolFormatError, match="is not a file, and gives more than 1 MiB"):
        read_pool("/dev/zero")


def test_a_profile_has_one_spelling(pool):
    wrong = sealed(replace(pool, profile="plain,cells=4"))
    assert verify(wrong) == ["profile 'plain,cells=4' is spelled 'plain'"]


def test_tiers_are_what_the_graders_thresholds_say(pool):
    wrong = sealed(replace(pool, cuts=replace(pool.cuts, cuts=(1500, 2000))))
    assert verify(wrong) == ["grader fake-1 has other cuts of 1..1000"]
    older = sealed(replace(pool, grader="fake-0"))
    assert verify(older) == []
    assert verify(older, measure=True) == [
        "grades not checked: 'fake-0' gave them; this program has fake-1"
    ]


def test_a_wrong_hash_is_said_and_the_deals_are_checked_all_the_same(tmp_path, pool):
    number, wrong = moved(pool, "unwinnable", "easy")
    path = tmp_path / "pool.json"
    path.write_bytes(pool_bytes(replace(wrong, sha256=pool.sha256)))
    problems = verify(read_pool(path))
    assert problems == [
        f"sha256 is '{pool.sha256}'; that of the content is {wrong.sha256}",
        f"listed as winnable and proved unwinnable: {number}",
    ]


def test_wrong_solutions_are_found_by_the_kernel_and_by_the_rules(full):
    easy = full.tiers["easy"]
    first, second, third, *rest = easy.solutions
    lines = (first.rpartition(",")[0], second + ",AS", third.replace(",", ";"), *rest)
    wrong = with_tier(full, "easy", solutions=lines)
    a, b, c = easy.numbers[:3].tolist()
    length = len(first.split(","))
    problems = verify(wrong)
    assert problems[0].startswith(f"tier easy, solution unreadable: {c} (")
    assert problems[1] == f"tier easy, solution does not win: {a}, {b}, {c}"
    assert len(problems) == 2
    refused = verify(wrong, rules=True)[2]
    assert refused.startswith(
        f"tier easy, solution refused by the rules: {a} (not won after {length - 1} moves), {b} ("
    )


def test_rules_find_what_the_kernel_lets_pass(pool, full):
    game = FakeGame()
    game.refuses = lambda deck: True
    assert verify(pool, game) == verify(full, game) == []
    (problem,) = verify(pool, game, rules=True)
    assert problem.startswith("solution refused by the rules: ")
    assert [p.split(":")[0] for p in verify(full, game, rules=True)] == [
        f"tier {name}, solution refused by the rules" for name in ("easy", "normal", "hard")
    ]


def test_arrays_must_be_parallel(full):
    easy = full.tiers["easy"]
    wrong = with_tier(full, "easy", solutions=easy.solutions[1:], par=np.append(easy.par, 5))
    count = len(easy.numbers)
    assert verify(wrong) == [
        f"tier easy has {count} numbers and {count + 1} par",
        f"tier easy has {count} numbers and {count - 1} solutions",
    ]


def test_pars_are_measured_again(full):
    easy = full.tiers["easy"]
    par = easy.par.copy()
    par[3] += 1
    wrong = with_tier(full, "easy", par=par)
    assert verify(wrong) == []
    number = easy.numbers[3]
    assert verify(wrong, measure=True) == [
        f"tier easy, solution not of par length: {number} ({easy.par[3]} moves, par {par[3]})",
        f"tier easy, par: {number} (claimed {par[3]}, found {easy.par[3]})",
    ]


def test_verifying_reports_progress_to_the_end(pool, full):
    for each in (pool, full):
        seen = []
        verify(each, measure=True, on_progress=lambda done, total, s=seen: s.append((done, total)))
        assert seen[-1][0] == seen[-1][1]
        assert seen == sorted(seen)


# Any damage is a format error or a problem, never another exception.


def judged(path, game=None):
    """Read and verify; return the problems, or None for a format error."""
    try:
        damaged = read_pool(path)
    except PoolFormatError:
        return None
    stats(damaged)
    return verify_pool(damaged, FakeGame(), limits=LIMITS, rules=True, measure=True)


@pytest.fixture(scope="module")
def small():
    return build(1, 40, par="optimal", solutions=True)


FUZZ = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@FUZZ
@given(
    place=st.integers(0, 10_000),
    removed=st.integers(0, 40),
    inserted=st.one_of(
        st.binary(max_size=4), st.text('{}[]",:0123456789abAZ_-\\u', max_size=4).map(str.encode)
    ),
)
def test_damaged_bytes(tmp_path, small, place, removed, inserted):
    data = pool_bytes(small)
    place %= len(data)
    damaged = data[:place] + inserted + data[place + removed :]
    path = tmp_path / "pool.json"
    path.write_bytes(damaged)
    problems = judged(path)
    if problems == []:
        assert json.loads(damaged) == json.loads(data)


def paths_of(value, path=()):
    """Every place in decoded JSON."""
    yield path
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths_of(item, (*path, key))


json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**65), 2**65),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=6),
        st.lists(st.integers(0, 60), unique=True, max_size=5).map(
            lambda numbers: encode_numbers(np.array(sorted(numbers), np.int64))
        ),
        st.sampled_from(["", "plain,cells=3", "bare", "ms", "fake", "AS,KD"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


@FUZZ
@given(data=st.data(), honest_hash=st.booleans())
def test_damaged_content(tmp_path, small, data, honest_hash):
    content = load(small)
    place = data.draw(st.sampled_from(list(paths_of(content))[1:]))
    parent = content
    for key in place[:-1]:
        parent = parent[key]
    before = copy.deepcopy(parent)
    if data.draw(st.booleans()):
        parent[place[-1]] = data.draw(json_values)
    else:
        del parent[place[-1]]
    path = tmp_path / "pool.json"
    path.write_bytes(spelled(content) if honest_hash else json.dumps(content).encode())
    problems = judged(path)
    if problems == [] and not honest_hash:
        assert parent == before


# Using.


def test_statistics(pool, full):
    facts_of = stats(full)
    assert facts_of["first"], facts_of["last"] == (1, 200)
    assert facts_of["solutions"] is True
    assert stats(pool)["solutions"] is False
    assert stats(pool)["tiers"]["easy"]["par"] is None
    easy = full.tiers["easy"]
    known = sorted(par for par in easy.par.tolist() if par)
    assert facts_of["tiers"]["easy"] == {
        "count": len(easy.numbers),
        "share": round(len(easy.numbers) / full.counts["winnable"], 4),
        "par": {"min": known[0], "median": known[(len(known) - 1) // 2], "max": known[-1]},
    }
    assert json.loads(json.dumps(facts_of)) == facts_of


def test_statistics_of_a_pool_without_winnable_deals():
    number = next(number for number in range(1, 100) if not facts(number).winnable)
    empty = build(number, number)
    assert stats(empty)["tiers"]["easy"] == {"count": 0, "share": 0.0, "par": None}
    assert verify(empty) == []


TIERS = ("easy", "normal", "hard", "random")


@pytest.mark.parametrize("tier", TIERS)
def test_every_deal_of_a_tier_is_picked_alike_often(pool, tier):
    numbers = range(1, 201) if tier == "random" else pool.tiers[tier].numbers.tolist()
    counts = dict.fromkeys(numbers, 0)
    rounds = 40 * len(numbers)
    for seed in range(rounds):
        counts[pick(pool, tier, seed)] += 1
    # Mean 40; a fair draw leaves 15..75 about once in a million.
    assert min(counts.values()) > 15
    assert max(counts.values()) < 75


def test_a_pick_is_always_the_same_and_never_the_excluded(pool):
    for tier in TIERS:
        for seed in (0, 1, 2**32, 2**53 - 1):
            number = pick(pool, tier, seed)
            assert pick(pool, tier, seed) == number
            other = pick(pool, tier, seed, exclude=[number])
            assert other != number
            # A number outside the tier excludes nothing.
            assert pick(pool, tier, seed, exclude=[10**9]) == number
    easy = set(pool.tiers["easy"].numbers.tolist())
    out = min(easy)
    assert {pick(pool, "easy", seed, exclude=[out]) for seed in range(3000)} == easy - {out}


def test_picks_that_cannot_be(pool):
    with pytest.raises(UnknownNameError, match="unknown tier 'medium'; there are: easy, normal"):
        pick(pool, "medium", 1)
    for seed in (-1, 2**53):
        with pytest.raises(InvalidNumberError, match=f"seed is {seed}"):
            pick(pool, "easy", seed)
    lone = build(11, 11)
    (tier,) = (name for name in ("easy", "normal", "hard") if len(lone.tiers[name].numbers))
    assert pick(lone, tier, 5) == 11
    with pytest.raises(
        WinnableError, match=f"tier {tier} of the pool has no deals but those excluded$"
    ):
        pick(lone, tier, 5, exclude=[11])
    empty = next(name for name in ("easy", "normal", "hard") if name != tier)
    with pytest.raises(WinnableError, match=f"tier {empty} of the pool has no deals$"):
        pick(lone, empty, 5)


def test_the_seed_is_spread_as_the_format_says():
    def murmur3_finaliser(h):
        # Austin Appleby's fmix32 of MurmurHash3 (public domain), as published.
        h ^= h >> 16
        h = (h * 0x85EBCA6B) & 0xFFFFFFFF
        h ^= h >> 13
        h = (h * 0xC2B2AE35) & 0xFFFFFFFF
        return h ^ (h >> 16)

    for seed in (0, 1, 617, 2**32 - 1, 2**32, 2**53 - 1):
        low, high = seed & 0xFFFFFFFF, seed >> 32
        first = murmur3_finaliser(low ^ murmur3_finaliser(high ^ 0x9E3779B9))
        second = murmur3_finaliser(first ^ 0x85EBCA6B)
        assert spread(seed) == (first << 21) + (second >> 11)
        assert 0 <= spread(seed) < 2**53


# The document.

DOCUMENT = Path(__file__).parents[2] / "docs" / "pool-format.md"


def rows_of(heading):
    """The cells of the last table of a section."""
    section = DOCUMENT.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip(" `") for cell in row.strip("|").split("|")] for row in rows[2:]]


def test_the_documents_lists_are_coded_as_it_says():
    rows = rows_of("Lists of numbers")
    assert len(rows) == 7
    for numbers, data, text in rows:
        values = [] if numbers == "none" else [int(number) for number in numbers.split()]
        assert encode_numbers(np.array(values, np.int64)) == text
        assert decode_numbers(text).tolist() == values
        assert base64.urlsafe_b64encode(bytes.fromhex(data)).decode().rstrip("=") == text


def test_the_documents_seeds_are_spread_as_it_says():
    rows = rows_of("Picking a deal")
    assert len(rows) == 5
    for seed, value in rows:
        assert spread(int(seed)) == int(value)


def test_the_documents_days_are_shuffled_as_it_says(full):
    rows = rows_of("The deal of a day")
    assert len(rows) == 6
    for day, deals, index in rows:
        pool = replace(full, covers=Cover(((0, int(deals) - 1),)))
        assert pick_for(pool, "random", date.fromisoformat(day)) == int(index)


def test_the_document_and_the_schema_name_every_field(full):
    text = DOCUMENT.read_text()
    content = load(full)
    names = [*content, *content["tiers"], *content["tiers"]["easy"], *content["grader"]]
    for name in [*names, *content["counts"], *content["limits"], "vetted"]:
        assert f"`{name}`" in text or f'"{name}"' in text
    assert set(content) == set(SCHEMA["properties"]) == set(SCHEMA["required"])


# Days, parts, and pools of pools.


@given(st.integers(1, 700), st.integers(0, 2**32 - 1))
def test_shuffling_is_one_to_one(size, key):
    assert sorted(shuffled(place, size, key) for place in range(size)) == list(range(size))


def test_shuffling_reaches_as_far_as_32_bits():
    places = [shuffled(place, 2**32, 7) for place in (0, 1, 2**31, 2**32 - 1)]
    assert len(set(places)) == 4
    assert all(0 <= place < 2**32 for place in places)


def test_no_deal_comes_again_before_its_tier_is_used_up(pool):
    numbers = pool.tiers["easy"].numbers.tolist()
    day = date(2000, 1, 1)
    rounds = [
        [pick_for(pool, "easy", day + timedelta(turn * len(numbers) + place)) for place in range(n)]
        for turn, n in enumerate([len(numbers)] * 3)
    ]
    assert all(sorted(each) == numbers for each in rounds)
    assert len({tuple(each) for each in rounds}) == 3
    for excluded in (numbers[0], numbers[-1]):
        left = [
            pick_for(pool, "easy", day + timedelta(place), [excluded])
            for place in range(len(numbers) - 1)
        ]
        assert sorted(left) == sorted(set(numbers) - {excluded})
    with pytest.raises(InvalidNumberError, match="the day is 1999-12-31; valid is 2000-01-01"):
        pick_for(pool, "easy", date(1999, 12, 31))
    many = replace(pool, covers=Cover(((1, 2**33),)))
    with pytest.raises(WinnableError, match="more than 2\\^32 deals"):
        pick_for(many, "random", day)


def test_a_subset_answers_for_its_deals_alone(full):
    part = subset(full, ["easy", "hard"], 5, seed=3)
    assert verify(part, measure=True) == []
    assert {name: len(tier.numbers) for name, tier in part.tiers.items()} == {
        "easy": 5,
        "normal": 0,
        "hard": 5,
    }
    assert list(part.covers) == sorted(
        number for tier in part.tiers.values() for number in tier.numbers.tolist()
    )
    for number in part.covers:
        assert lookup(part, number) == lookup(full, number)
    assert (part.limits, part.par_kind) == (full.limits, "optimal")
    assert pool_bytes(subset(full, ["hard", "easy"], 5, seed=3)) == pool_bytes(part)
    assert subset(full, ["easy", "hard"], 5, seed=4).covers != part.covers
    everything = subset(full)
    assert {name: tier.numbers.tolist() for name, tier in everything.tiers.items()} == {
        name: tier.numbers.tolist() for name, tier in full.tiers.items()
    }
    outside = next(number for number in range(1, 201) if number not in part.covers)
    with pytest.raises(InvalidNumberError, match=f"does not answer for deal {outside}; it has"):
        lookup(part, outside)
    with pytest.raises(WinnableError, match=r"tier easy of the pool has \d+ deals, fewer than 900"):
        subset(full, ["easy"], 900)
    with pytest.raises(UnknownNameError, match="did you mean 'easy'"):
        subset(full, ["esay"], 1)
    own = replace(full, cuts=replace(full.cuts, calibrated_on="its own range"))
    assert subset(own, ["easy"], 1).cuts.calibrated_on is None


def test_pools_merged_are_the_pool_of_all_their_numbers(twice):
    whole = build(1, 150, par="optimal", solutions=True, numbering=twice)
    # Boards of 61..120 are those of 1..60 again.
    parts = [
        build(first, last, par="optimal", solutions=True, numbering=twice)
        for first, last in ((1, 50), (41, 120), (121, 150))
    ]
    merged = merge_pools(parts, FakeGame())
    assert pool_bytes(merged) == pool_bytes(whole)
    assert pool_bytes(merge_pools(parts[::-1], FakeGame())) == pool_bytes(whole)
    assert verify(merged, measure=True) == []


def test_an_undecided_deal_takes_the_answer_of_another_pool(pool):
    better = build()
    merged = merge_pools([pool, better], FakeGame())
    assert merged.counts == better.counts
    assert len(pool.undecided) > len(merged.undecided)
    assert merged.limits == better.limits
    unknown = replace(pool, limits=None)
    assert merge_pools([unknown, better], FakeGame()).limits is None
    # Pars stay where all have them, and are found ones when one of them is.
    full = build(par="optimal")
    assert merge_pools([full, better], FakeGame()).par_kind is None
    found = replace(full, par_kind="found")
    assert merge_pools([full, found], FakeGame()).par_kind == "found"
    assert merge_pools([full, full], FakeGame()).par_kind == "optimal"


def test_pools_that_disagree_are_not_merged(full):
    def refused(other, says):
        with pytest.raises(WinnableError, match=says):
            merge_pools([full, other], FakeGame())

    refused(replace(full, game="other"), "different games: fake and other")
    refused(replace(full, grader="fake-2"), "different graders: fake-1 and fake-2")
    refused(replace(full, numbering="pysol"), "different numberings: ms and pysol")
    refused(replace(full, cuts=replace(full.cuts, cuts=(1, 2))), "are cut elsewhere")
    number, other = moved(full, "easy", "hard")
    refused(other, f"disagree on deal {number}: easy and hard")
    number, other = moved(full, "unwinnable", "easy")
    refused(other, f"disagree on deal {number}: unwinnable and winnable")
    easy = full.tiers["easy"]
    other = with_tier(full, "easy", par=easy.par + 1)
    refused(other, f"disagree on deal {easy.numbers[0]}: par ")
