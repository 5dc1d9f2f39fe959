"""`winnable serve`: each answer is the command's own, and nothing that comes in ends it."""

import io
import json
import os
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli import requests, serving
from cli.requests import ASKS
from cli.serving import Server

DOCS = Path(__file__).parents[2] / "docs"
#: 5511255899 is lost, and its proof takes ten seconds and nine million positions.
LONG = {"do": "check", "game": "freecell", "number": 5511255899, "memory": 4000}
#: Deal 484 after a move that loses it is in docs/rules.md; this line is of 617.
PLAYED = "82 1a"


def answered(*requests):
    """Let a server in this process answer; return its answers in the order of their ids."""
    out = io.BytesIO()
    lines = b"".join(
        request if isinstance(request, bytes) else json.dumps(request).encode() + b"\n"
        for request in requests
    )
    Server(out, at_once=4).serve(io.BytesIO(lines))
    found = [json.loads(line) for line in out.getvalue().splitlines()]
    return sorted(found, key=lambda record: str(record["id"]))


def records(result):
    return [json.loads(line) for line in result.lines]


@pytest.fixture(scope="module")
def pool(run, tmp_path_factory):
    out = tmp_path_factory.mktemp("serve") / "pool.json"
    assert run("pool", "build", "freecell", "1-40", "--out", out, "--solutions").code == 0
    return str(out)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"do": "check", "number": 617}, ["check", "617"]),
        ({"do": "check", "number": "11982"}, ["check", "11982"]),
        ({"do": "check", "number": 7, "after": PLAYED}, None),
        (
            {"do": "check", "number": 5, "profile": "classic,cells=1", "max_nodes": 50},
            ["check", "5", "--profile", "classic,cells=1", "--max-nodes", "50"],
        ),
        ({"do": "check", "number": 5, "method": "dfs"}, ["check", "5", "--method", "dfs"]),
        ({"do": "solve", "number": 617}, ["solve", "617"]),
        ({"do": "solve", "number": 617, "expand": True}, ["solve", "617", "--expand"]),
        (
            {"do": "solve", "number": 9, "short": True, "effort": 1},
            ["solve", "9", "--short", "--effort", "1"],
        ),
        ({"do": "hint", "number": 617, "all": True}, ["hint", "617", "--all"]),
        (
            {"do": "hint", "number": 617, "after": PLAYED.split(), "history": True},
            ["hint", "617", "--after", PLAYED, "--history"],
        ),
        (
            {"do": "hint", "number": 1941, "profile": "safe-auto"},
            ["hint", "1941", "--profile", "safe-auto"],
        ),
        ({"do": "grade", "number": 617, "cells": True}, ["grade", "617", "--cells"]),
        ({"do": "deal", "number": 617}, ["deal", "617"]),
        (
            {"do": "deal", "number": "12345678901234567890", "numbering": "pysol"},
            ["deal", "12345678901234567890", "--numbering", "pysol"],
        ),
    ],
)
def test_answers_are_the_commands_own(run, request_, words):
    (answer,) = answered({"id": 1, "game": "freecell", **request_})
    assert answer.pop("id") == 1
    if words is None:
        assert answer["error"]["type"] == "IllegalMoveError"
        return
    (expected,) = records(run(words[0], "freecell", *words[1:], "--json"))
    assert answer == expected


def test_boards_are_read_as_anywhere(run, tmp_path):
    text = run("deal", "freecell", 617).out
    path = tmp_path / "board.txt"
    path.write_text(text)
    (position,) = [record["position"] for record in records(run("deal", "freecell", 617, "--json"))]
    for do, words in (("check", []), ("grade", []), ("replay", ["--moves", "-"])):
        (expected,) = records(
            run(do, "freecell", "--board", path, "--json", *words, stdin="82 1a 2b")
        )
        more = {"moves": "82 1a 2b"} if do == "replay" else {}
        for board in (text, position, json.dumps(position)):
            request = {"id": "x", "do": do, "game": "freecell", "board": board, **more}
            (answer,) = answered(request)
            assert answer == {"id": "x", **expected, "name": "board"}


def test_other_games_and_fewest_moves(run):
    requests = [
        {"id": 1, "do": "solve", "game": "pyramid", "number": 2, "optimal": True},
        {"id": 2, "do": "hint", "game": "plot", "number": "103", "profile": "pysol"},
    ]
    fewest, lost = answered(*requests)
    (expected,) = records(run("solve", "pyramid", 2, "--optimal", "--json"))
    assert fewest == {"id": 1, **expected}
    (expected,) = records(run("hint", "plot", 103, "--profile", "pysol", "--json"))
    assert lost == {"id": 2, **expected}


def test_picking(run, pool):
    (answer,) = answered({"id": 1, "do": "pick", "pool": pool, "tier": "easy", "seed": 7})
    (expected,) = records(run("pool", "pick", pool, "--tier", "easy", "--seed", "7", "--json"))
    assert answer == {"id": 1, **expected}
    ask = {"id": 1, "do": "pick", "pool": pool, "tier": "random", "date": "2026-12-24"}
    words = ("pool", "pick", pool, "--tier", "random", "--date", "2026-12-24", "--json")
    (expected,) = records(run(*words))
    assert answered(ask) == [{"id": 1, **expected}]
    (other,) = answered({**ask, "not": [expected["number"]]})
    assert other["number"] != expected["number"]


@pytest.mark.parametrize(
    ("request_", "kind", "says"),
    [
        ({}, "NotationError", "do is missing; valid is check, "),
        ({"do": "chek"}, "UnknownNameError", "did you mean 'check'?"),
        ({"do": "check"}, "NotationError", "game is missing; valid is freecell, pyramid, plot"),
        ({"do": "check", "game": "frecell"}, "UnknownNameError", "did you mean 'freecell'?"),
        ({"do": "check", "game": "freecell"}, "NotationError", "give either number or board"),
        ({"do": "deal", "game": "freecell", "number": 0}, "InvalidNumberError", "out of range"),
        ({"do": "deal", "game": "freecell", "number": 1.5}, "InvalidNumberError", "not a whole"),
        ({"do": "deal", "game": "freecell", "number": True}, "InvalidNumberError", "not a whole"),
        ({"do": "deal", "game": "plot", "number": "x"}, "NotationError", "is not a deal number"),
        (
            {"do": "deal", "game": "plot", "number": 1, "numbr": 1},
            "NotationError",
            "unknown key 'numbr', did you mean 'number'?",
        ),
        (
            {"do": "check", "game": "freecell", "number": 1, "max_nodes": "5"},
            "NotationError",
            "max_nodes is '\"5\"'; valid is a whole number 1..",
        ),
        (
            {"do": "check", "game": "freecell", "number": 1, "max_seconds": 0},
            "NotationError",
            "max_seconds is '0'; valid is a number of seconds above 0",
        ),
        (
            {"do": "solve", "game": "freecell", "number": 1, "short": 1},
            "NotationError",
            "short is '1'; valid is true or false",
        ),
        (
            {"do": "solve", "game": "freecell", "number": 1, "optimal": True},
            "NotationError",
            "optimal is not offered for freecell",
        ),
        (
            {"do": "solve", "game": "pyramid", "number": 1, "short": True},
            "NotationError",
            "short is not offered for pyramid",
        ),
        (
            {"do": "hint", "game": "freecell", "number": 1, "history": True},
            "NotationError",
            "history is about moves that were played",
        ),
        (
            {"do": "check", "game": "freecell", "board": "4C"},
            "NotationError",
            "the board has 1 of 8 columns",
        ),
        (
            {"do": "check", "game": "pyramid", "board": {"columns": []}},
            "NotationError",
            "this looks like FreeCell, not Pyramid",
        ),
        ({"do": "pick", "pool": "no.json", "tier": "easy"}, "NotationError", "either seed or"),
        (
            {"do": "pick", "pool": "no.json", "tier": "easy", "seed": 1},
            "PoolFormatError",
            "no.json: cannot be read",
        ),
        ({"do": "cancel"}, "NotationError", "cancels is missing"),
        ({"do": "cancel", "cancel": 1}, "NotationError", "did you mean 'cancels'?"),
        ({"id": [1], "do": "check"}, "NotationError", "id is not a text"),
    ],
)
def test_a_bad_request_is_an_error_object_and_never_an_end(request_, kind, says):
    good = {"id": 2, "do": "deal", "game": "freecell", "number": 5}
    bad, fine = answered({"id": 1, **request_}, good)
    if isinstance(request_.get("id"), list):
        fine, bad = sorted((bad, fine), key=lambda record: "error" in record)
    assert bad["error"]["type"] == kind
    assert says in bad["error"]["message"]
    assert "\n" not in bad["error"]["message"]
    assert (fine["id"], fine["number"]) == (2, 5)


def test_a_line_that_is_too_long_is_not_kept(monkeypatch):
    monkeypatch.setattr(serving, "LARGEST_REQUEST", 1000)
    good = {"id": 2, "do": "deal", "game": "freecell", "number": 5}
    for long in (b'{"id": 1, "x": "' + b"x" * 5000 + b'"}\n', b"y" * 1001 + b"\n"):
        fine, refused = answered(long, good, b"\n", b"  \n")
        assert refused["id"] is None
        assert "a request has at most" in refused["error"]["message"]
        assert fine["number"] == 5


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=60), st.text(max_size=60)), max_size=6))
def test_any_lines_are_answered_one_by_one(texts):
    lines = [text if isinstance(text, bytes) else text.encode() for text in texts]
    lines = [line.replace(b"\n", b"") + b"\n" for line in lines]
    expected = sum(1 for line in lines if line.strip())
    assert len(answered(*lines)) == expected


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["do", "game", "number", "board", "after", "moves", "all", "tier", "pool"]),
        st.one_of(
            st.sampled_from([*ASKS, "freecell", "pyramid", "plot"]),
            st.integers(-3, 99),
            st.booleans(),
            st.none(),
            st.text(max_size=8),
            st.lists(st.text(max_size=3), max_size=3),
        ),
    )
)
def test_any_request_has_an_answer(request_):
    (answer,) = answered({"id": "q", "max_nodes": 2000, "memory": 16, **request_})
    assert answer["id"] == "q"
    if "error" in answer:
        assert answer["error"]["type"] != "InternalError", answer


@contextmanager
def server(*options):
    """A server as a process of its own, with its streams."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "cli.main", "serve", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
        env={**os.environ},
    )

    def ask(**request):
        process.stdin.write(json.dumps(request) + "\n")

    def read():
        return json.loads(process.stdout.readline())

    try:
        yield process, ask, read
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):
                stream.close()


def test_no_request_waits_for_a_long_one_and_that_one_can_be_cancelled():
    with server() as (process, ask, read):
        for name in ("long", "longer"):
            ask(id=name, **LONG)
        for number in range(1, 6):
            ask(id=number, do="hint", game="freecell", number=number)
        assert sorted(read()["id"] for _ in range(5)) == [1, 2, 3, 4, 5]
        ask(id="end", do="cancel", cancels="long")
        assert read() == {"id": "end", "cancelled": 1}
        ended = read()
        assert (ended["id"], ended["error"]["type"]) == ("long", "CancelledError")
        ask(id="end", do="cancel", cancels="longer")
        found = [read(), read()]
        assert {record["id"] for record in found} == {"end", "longer"}
        ask(id="none", do="cancel", cancels="longer")
        assert read() == {"id": "none", "cancelled": 0}
        process.stdin.close()
        assert process.wait(30) == 0


def test_at_the_end_of_its_input_everything_is_answered_first():
    with server("--at-once", "1") as (process, ask, read):
        for number in range(20):
            ask(id=number, do="check", game="pyramid", number=number + 1)
        process.stdin.close()
        assert sorted(read()["id"] for _ in range(20)) == list(range(20))
        assert process.wait(30) == 0
        assert process.stderr.read() == ""


def test_nobody_reads_the_answers():
    with server() as (process, ask, read):
        ask(id=1, do="deal", game="freecell", number=1)
        assert read()["id"] == 1
        process.stdout.close()
        ask(id=2, do="deal", game="freecell", number=2)
        assert process.wait(30) == 0


def test_a_program_in_another_language(tmp_path):
    page = (DOCS / "serve.md").read_text("utf-8")
    script = page.split("```js\n")[1].split("```")[0]
    path = tmp_path / "ask.mjs"
    command = json.dumps([sys.executable, "-P", "-m", "cli.main", "serve"])
    path.write_text(script.replace('["winnable", "serve"]', command))
    done = subprocess.run(
        ["node", str(path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    shown = page.split("```js\n")[1].split("```text\n")[1].split("```")[0]
    assert done.stdout == shown


def test_every_key_is_in_the_document(monkeypatch):
    page = (DOCS / "serve.md").read_text("utf-8")
    asked = set()
    take = requests.Keys._take

    def spy(self, name):
        asked.add(name)
        return take(self, name)

    monkeypatch.setattr(requests.Keys, "_take", spy)
    for do in ASKS:
        answered({"id": 1, "do": do, "game": "freecell", "number": 5, "moves": "1a", "pool": "x"})
    assert len(asked) > 20
    for name in asked:
        assert f"`{name}`" in page, name
