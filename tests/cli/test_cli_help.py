"""Help: quick, with an example everywhere, and the same as docs/cli.md."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cli.parsing import Command
from cli.program import program
from solvers import games

ROOT = Path(__file__).parents[2]


def commands(group=program, path=()):
    """Yield the words of every command and group."""
    yield path
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            yield from commands(group.get_command(context, name), (*path, name))


ALL = list(commands())
#: Which game is asked about is not known while a line is typed.
METHODS = {method for name in games.NAMES for method in games.load(name).methods}


def test_all_commands_are_there():
    assert {" ".join(path) for path in ALL} == {
        "",
        "deal",
        "check",
        "solve",
        "hint",
        "replay",
        "help",
        "grade",
        "find",
        "batch",
        "store",
        "store info",
        "store check",
        "store merge",
        "store export",
        "pool",
        "pool build",
        "pool verify",
        "pool stats",
        "pool list",
        "pool lookup",
        "pool merge",
        "pool pick",
        "pool subset",
        "bench",
        "warm",
        "build",
        "games",
        "serve",
    }


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_help_has_an_example_of_its_own_command(run, path):
    result = run(*path, "--help")
    assert result.code == 0
    assert result.err == ""
    examples = result.out.partition("Examples:\n")[2]
    assert examples.splitlines()[0].startswith("    " + " ".join(("winnable", *path)))


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_a_negative_number_is_a_bad_number_to_whatever_takes_arguments(run, one_line, path):
    command = program
    for word in path:
        command = command.get_command(click.Context(command), word)
    if any(isinstance(parameter, click.Argument) for parameter in command.params):
        assert one_line(run(*path, "-5")).startswith("winnable: '-5' is ")


def test_the_short_descriptions_are_whole(run):
    assert "..." not in run("--help").out.partition("Commands:")[2]
    assert "..." not in run("pool", "--help").out.partition("Commands:")[2]


@pytest.mark.parametrize("path", [(), ("pool",)])
def test_a_bare_group_lists_its_commands(run, path):
    assert run(*path) == run(*path, "--help")


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_may_be_asked_for_as_a_command(run, path):
    assert run("help", *path) == run(*path, "--help")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("help chek", "unknown command 'chek', did you mean 'check'?; there are: deal, "),
        ("help pool bild", "unknown command 'bild', did you mean 'build'?; there are: build, "),
        ("help check freecell", "winnable check has no commands of its own; see winnable help --h"),
    ],
)
def test_help_on_what_is_not_a_command(run, one_line, words, told):
    assert one_line(run(*words.split())).startswith(f"winnable: {told}")


def test_the_version_has_a_short_option(run):
    assert run("-V") == run("--version")


def test_version_names_everything_that_others_store(run):
    result = run("--version")
    assert result.code == 0
    first, graders, store, pool = result.lines
    assert first.startswith("winnable ")
    assert "freecell-2" in graders
    assert store == "store format: 1"
    assert pool == "pool format: 2"


def test_help_names_no_method_that_a_game_refuses(run):
    for path in ALL:
        text = run(*path, "--help").out
        for method in METHODS - {"fast"}:
            assert method not in text.replace("(", " ").split(), path


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
        ("winnable check freecell --method ", METHODS),
        ("winnable check freecell --profile cl", {"classic"}),
        ("winnable bench freecell --method ", METHODS | {"all"}),
        ("winnable bench freecell --method al", {"all"}),
        ("winnable check chess --method ", METHODS),
        ("winnable replay py", {"pyramid"}),
        ("winnable pool pick p.json --tier ", {"easy", "normal", "hard", "random"}),
        ("winnable help ho", set()),
        ("winnable help he", {"help"}),
        ("winnable check freecell --only un", {"unwinnable", "undecided"}),
    ],
)
def test_the_shell_completes_names(words, answers):
    assert completions(words) == answers


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        ("winnable check freecell --jobs none --me", {"--method", "--memory"}),
        ("winnable check freecell --numbering xp --me", {"--method", "--memory"}),
        ("winnable check freecell --jobs 1 --jobs 2 --me", {"--method", "--memory"}),
        ("winnable check chess 5 --me", {"--method", "--memory"}),
        ("winnable check freecell -5 --me", {"--method", "--memory"}),
        ("winnable frob --me", set()),
        ("winnable pool frob --me", set()),
    ],
)
def test_completing_a_wrong_line_is_no_error(words, answers):
    assert completions(words) == answers


def completions(words):
    """Return what the shell would offer for the last of some words."""
    environment = {
        "_WINNABLE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    result = CliRunner(env=environment).invoke(program)
    assert result.exit_code == 0
    assert result.stderr == ""
    return {line.partition(",")[2] for line in result.stdout.splitlines() if line}


def test_every_json_key_is_documented(run, tmp_path):
    pool, store, moves = (tmp_path / name for name in ("pool.json", "deals.db", "moves.txt"))
    moves.write_text("82\n")
    page = (ROOT / "docs" / "cli.md").read_text("utf-8").partition("## JSON")[2].partition("## ")[0]
    for words in (
        ["check", "freecell", "617"],
        ["solve", "freecell", "617", "--expand"],
        ["solve", "pyramid", "2"],
        ["hint", "freecell", "617", "--after", "82", "--history", "--all"],
        ["replay", "freecell", "617", "--moves", moves],
        ["grade", "freecell", "617"],
        ["deal", "freecell", "617", "--format", "json"],
        ["batch", "freecell", "1-20", "--store", store],
        ["store", "info", store],
        ["store", "export", store],
        ["pool", "build", "freecell", "1-20", "--store", store, "--out", pool],
        ["pool", "stats", pool],
        ["pool", "pick", pool, "--tier", "easy", "--seed", "1"],
        ["pool", "list", pool],
        ["pool", "lookup", pool, "5"],
        ["pool", "verify", pool],
        ["bench", "pyramid"],
        ["games"],
    ):
        flags = [] if words[0] == "deal" else ["--json"]
        lines = run(*words, *flags).lines
        assert lines, words
        for line in lines:
            for key in json.loads(line):
                assert f"`{key}`" in page, (words, key)


# Options given more than once.


def options(kind):
    """Yield the words of every command, with each of its options of a kind."""
    for path in ALL:
        command = program
        for word in path:
            command = command.get_command(click.Context(command), word)
        for parameter in command.params:
            if isinstance(parameter, click.Option) and kind(parameter):
                yield pytest.param(path, parameter.opts[-1], id=" ".join((*path, *parameter.opts)))


def test_every_command_takes_its_options_once():
    for path in ALL:
        command = program
        for word in path:
            command = command.get_command(click.Context(command), word)
        assert isinstance(command, Command | click.Group), path
        if isinstance(command, click.Group):
            assert all(parameter.is_flag for parameter in command.params)


@pytest.mark.parametrize(
    ("path", "option"), list(options(lambda option: not option.is_flag and not option.multiple))
)
def test_an_option_with_a_value_given_twice_is_refused(run, one_line, path, option):
    for again in ([option, "1"], [option, "2"], [f"{option}=2"]):
        words = (*path, option, "1", *again)
        assert one_line(run(*words)) == f"winnable: {option} is given twice; valid is once\n"


@pytest.mark.parametrize(("path", "option"), list(options(lambda option: option.is_flag)))
def test_a_flag_given_twice_is_as_good_as_once(run, path, option):
    once, twice = run(*path, option), run(*path, option, option)
    assert once == twice
    assert "twice" not in once.err


def test_only_verdicts_and_exclusions_count_each_time():
    assert [option.values for option in options(lambda option: option.multiple)] == [
        *((("check",), name) for name in ("--board", "--only")),
        *(((name,), "--board") for name in ("solve", "hint", "replay", "grade")),
        (("pool", "list"), "--tier"),
        (("pool", "pick"), "--not"),
        (("pool", "subset"), "--tier"),
    ]
