"""What the documents show is what happens: Python examples, and commands with their output."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.program import program

DOCS = Path(__file__).parents[2] / "docs"
#: `...` stands for anything, such as node counts, which may change with every version.
OPTIONS = doctest.ELLIPSIS
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def test_the_python_examples_run() -> None:
    result = doctest.testfile(str(DOCS / "python.md"), module_relative=False, optionflags=OPTIONS)
    assert result.attempted > 30
    assert result.failed == 0


def test_a_grade_rebuilt_from_its_page_is_the_graders() -> None:
    result = doctest.testfile(str(DOCS / "grading.md"), module_relative=False, optionflags=OPTIONS)
    assert result.attempted > 15
    assert result.failed == 0


PACKAGES = ("winnable", "solvers", "dealgen", "cli")
WITH_EXAMPLES = [
    path
    for package in PACKAGES
    for path in sorted((DOCS.parent / package).rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_in_docstrings_run(path: Path) -> None:
    name = ".".join(path.relative_to(DOCS.parent).with_suffix("").parts)
    result = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert result.attempted > 0
    assert result.failed == 0


def shown_commands(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page, after `$ winnable`, each with the output below it."""
    commands = []
    for block in BLOCK.findall((DOCS / page).read_text("utf-8")):
        for part in block.split("$ winnable ")[1:]:
            command, _, output = part.partition("\n")
            commands.append((command, output))
    return commands


RULES = shown_commands("rules.md")
assert len(RULES) > 5


@pytest.mark.parametrize(("command", "output"), RULES, ids=[command for command, _ in RULES])
def test_the_commands_of_the_rules_print_what_is_shown(command: str, output: str) -> None:
    ask, _, board = command.partition(" < ")
    text = (DOCS / board).read_text("utf-8") if board else None
    result = CliRunner().invoke(program, ask.split(), input=text)
    shown = result.stdout + result.stderr
    checker = doctest.OutputChecker()
    assert checker.check_output(output, shown, OPTIONS), shown
