"""Help: quick, with an example everywhere, and the same as docs/cli.md."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cli.program import program

ROOT = Path(__file__).parents[2]


def commands(group=program, path=()):
    """Yield the words of every command and group."""
    yield path
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            yield from commands(group.get_command(context, name), (*path, name))


ALL = list(commands())


def test_all_commands_are_there():
    assert {" ".join(path) for path in ALL} == {
        "",
        "deal",
        "check",
        "solve",
        "hint",
        "grade",
        "batch",
        "pool",
        "pool build",
        "pool verify",
        "pool stats",
        "pool pick",
        "bench",
        "games",
    }


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_help_has_an_example_of_its_own_command(run, path):
    result = run(*path, "--help")
    assert result.code == 0
    assert result.err == ""
    examples = result.out.partition("Examples:\n")[2]
    assert examples.splitlines()[0].startswith("    " + " ".join(("winnable", *path)))


def test_the_short_descriptions_are_whole(run):
    assert "..." not in run("--help").out.partition("Commands:")[2]
    assert "..." not in run("pool", "--help").out.partition("Commands:")[2]


def test_version_names_everything_that_others_store(run):
    result = run("--version")
    assert result.code == 0
    first, graders, store, pool = result.lines
    assert first.startswith("winnable ")
    assert "freecell-1" in graders
    assert store == "store format: 1"
    assert pool == "pool format: 1"


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_loads_nothing_heavy(loaded, path):
    assert loaded(*path, "--help") == []


@pytest.mark.parametrize("line", ["--version", "games", "deal freecell 617"])
def test_what_solves_nothing_loads_nothing_heavy(loaded, line):
    assert loaded(*line.split()) == []


def test_docs_are_what_help_says():
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "make_cli.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        ("winnable ch", {"check"}),
        ("winnable pool v", {"verify"}),
        ("winnable check fr", {"freecell"}),
        ("winnable check freecell --numbering m", {"ms"}),
        ("winnable check freecell --method a", {"astar"}),
        ("winnable check freecell --profile cl", {"classic"}),
        ("winnable bench freecell --method a", {"astar", "all"}),
        ("winnable check chess --method a", {"astar"}),
    ],
)
def test_the_shell_completes_names(words, answers):
    assert completions(words) == answers


@pytest.mark.parametrize(
    "words",
    [
        "winnable check freecell --jobs none --me",
        "winnable check freecell --numbering xp --me",
        "winnable check chess 5 --me",
        "winnable check freecell -5 --me",
        "winnable frob --me",
        "winnable pool frob --me",
    ],
)
def test_completing_a_wrong_line_is_no_error(words):
    assert completions(words) <= {"--method", "--memory"}


def completions(words):
    """Return what the shell would offer for the last of some words."""
    environment = {
        "_WINNABLE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    result = CliRunner(env=environment).invoke(program)
    assert result.exit_code == 0
    assert result.stderr == ""
    return {line.partition(",")[2] for line in result.stdout.splitlines() if line}


def test_every_json_key_is_documented(run, tmp_path):
    pool, store = tmp_path / "pool.json", tmp_path / "deals.db"
    page = (ROOT / "docs" / "cli.md").read_text("utf-8").partition("## JSON")[2].partition("## ")[0]
    for words in (
        ["check", "freecell", "617"],
        ["solve", "freecell", "617", "--expand"],
        ["solve", "pyramid", "2"],
        ["hint", "freecell", "617"],
        ["grade", "freecell", "617"],
        ["deal", "freecell", "617", "--format", "json"],
        ["batch", "freecell", "1-20", "--store", store],
        ["pool", "build", "freecell", "1-20", "--store", store, "--out", pool],
        ["pool", "stats", pool],
        ["pool", "pick", pool, "--tier", "easy", "--seed", "1"],
        ["pool", "verify", pool],
        ["bench", "pyramid"],
        ["games"],
    ):
        flags = [] if words[0] == "deal" else ["--json"]
        for line in run(*words, *flags).lines:
            for key in json.loads(line):
                assert f"`{key}`" in page, (words, key)
