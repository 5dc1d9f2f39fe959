# Everything a developer runs. Each target sets up .venv by itself.
PYTHON ?= python3
BIN := .venv/bin
POOL := out/freecell-classic-1-32000.json
STORE := out/freecell.db

.PHONY: pool test check format lint types imports docs bench bounds wheel clean

# The main job: a vetted pool of a real range, and its statistics.
pool: .venv/ready
	mkdir -p out
	$(BIN)/winnable batch freecell 1-32000 --store $(STORE)
	$(BIN)/winnable pool build freecell 1-32000 --store $(STORE) --out $(POOL) --force
	$(BIN)/winnable pool stats $(POOL)

test: .venv/ready
	$(BIN)/python -m pytest

# All that CI runs.
check: lint types imports test bounds docs bench wheel

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "winnable needs Python 3.11 or newer; try make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,cluster]'
	touch $@

format: .venv/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/ready
	$(BIN)/mypy

imports: .venv/ready
	$(BIN)/lint-imports

# The command reference equals what --help says.
docs: .venv/ready
	$(BIN)/python docs/make_cli.py --check

# The node signature equals the recorded one.
bench: .venv/ready
	$(BIN)/winnable bench freecell

# The kernels once more, with every array and arena access checked.
bounds: .venv/ready
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -m bounds

# The built wheel, in a clean environment, from another folder.
wheel: .venv/ready
	$(BIN)/python tests/smoke_wheel.py

clean:
	rm -rf .venv out build dist *.egg-info
