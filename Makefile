# `make run` opens the bench, `make test` proves it; both set up what they need in .venv first.
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test test-engines lint benchmarks screenshots clean
.DEFAULT_GOAL := run

$(READY): pyproject.toml
	@test -x $(BIN)/python || python3 -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# Some samples fail or stay unmeasured on purpose (1 and 3); that is no error of this target.
run: $(READY)
	@$(BIN)/workbench; status=$$?; [ $$status -eq 1 ] || [ $$status -eq 3 ] || exit $$status

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

test: lint
	@$(BIN)/pytest -n auto

# The real agent CLIs, pinned, against an endpoint on this machine; .cache/engines keeps them (over a gigabyte).
test-engines: $(READY)
	@$(BIN)/python -m tests.real_engines

benchmarks: $(READY)
	@$(BIN)/python -m tests.benchmarks

screenshots: $(READY)
	@$(BIN)/python -m tests.screenshots

clean:
	rm -rf $(VENV) build *.egg-info .hypothesis .mypy_cache .ruff_cache .pytest_cache
