# Everything a developer runs. Each target sets up .venv by itself; `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin
POOL := out/freecell-classic-1-32000.json
STORE := out/freecell.db

.PHONY: help pool test check format lint types imports docs docs-write bench bounds wheel wasm web clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

pool: .venv/ready ## the main job: a vetted pool of FreeCell 1..32000, and its statistics
	mkdir -p out
	$(BIN)/winnable batch freecell 1-32000 --store $(STORE)
	$(BIN)/winnable pool build freecell 1-32000 --store $(STORE) --out $(POOL) --force --quiet
	$(BIN)/winnable pool stats $(POOL)

test: .venv/ready ## the test suite
	$(BIN)/python -m pytest

check: lint types imports test bounds docs bench web wheel ## all that CI runs

# Made anew when the dependencies change; touched only when everything is in.
.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("winnable needs Python 3.11 or newer; if there is one: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,cluster]'
	touch $@

format: .venv/ready ## format the code and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: .venv/ready ## format and lint, checked
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/ready ## mypy, strict for the packages
	$(BIN)/mypy

imports: .venv/ready ## imports point one way
	$(BIN)/lint-imports

docs: .venv/ready ## docs/cli.md is what --help says
	$(BIN)/python docs/make_cli.py --check

docs-write: .venv/ready ## write docs/cli.md
	$(BIN)/python docs/make_cli.py

bench: .venv/ready ## the node signatures equal the recorded ones
	for game in freecell pyramid plot; do $(BIN)/winnable bench $$game --method all || exit 1; done

bounds: .venv/ready ## the kernels once more, with every array and arena access checked
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -m bounds

wheel: .venv/ready ## the built wheel, in a clean environment, from another folder
	$(BIN)/python tests/smoke_wheel.py

wasm: .venv/ready ## the WebAssembly modules in data/web, made anew (needs wasm-ld, package lld)
	$(BIN)/python -m solvers.programs.wasm data/web

web: .venv/ready ## the modules are those of the sources, and answer in Node as Python does
	$(BIN)/python -m solvers.programs.wasm --check data/web
	$(BIN)/python -m pytest tests/web

clean: ## remove what was made, the pools in out/ included
	rm -rf .venv out build dist *.egg-info
