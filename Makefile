# Recipes for a checkout. Everything is installed into .venv, once; delete .venv to start over.
PYTHON ?= python3
BIN := .venv/bin
DEMO := runs/demo
PYTEST ?= --numprocesses 2 --dist loadfile
.PHONY: setup demo test lint check bench clean

setup: .venv/stamp

.venv/stamp: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: .venv/stamp
	rm -rf $(DEMO)
	$(BIN)/minchiate train demo --out $(DEMO)
	$(BIN)/minchiate match policy:$(DEMO) random --deals 500 --seed 1
	$(BIN)/minchiate tournament policy:$(DEMO) random greedy heuristic --deals 500 --seed 1 --out $(DEMO)/tournament
	@echo "The run is in $(DEMO), the report in $(DEMO)/tournament/report.html."
	@echo "The curves: $(BIN)/tensorboard --logdir $(DEMO)"

test: .venv/stamp
	$(BIN)/python -m pytest $(PYTEST)

lint: .venv/stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

bench: .venv/stamp
	$(BIN)/minchiate bench

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
