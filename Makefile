# `make run` opens the bench, `make test` proves it; both set up what they need in .venv first.
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test lint benchmarks screenshots clean
.DEFAULT_GOAL := run

$(READY): pyproject.toml
	@test -x $(BIN)/python || python3 -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

run: $(READY)
	@$(BIN)/workbench

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

test: lint
	@$(BIN)/pytest -n auto

benchmarks: $(READY)
	@$(BIN)/python -m tests.benchmarks

screenshots: $(READY)
	@$(BIN)/python -m tests.screenshots

clean:
	rm -rf $(VENV) build *.egg-info .hypothesis .mypy_cache .ruff_cache .pytest_cache
