# Everything a fresh machine needs: `make try`, then `make test`. Nothing has to be installed by hand but Python >= 3.11 and git.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
QUESTION ?= how does a refresh find out which files changed

.PHONY: help try test check format bench bench-quality bench-speed bench-scale fuzz clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(READY): pyproject.toml
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@echo "setting up (first time takes a minute) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[progress]' --group dev
	@touch $(READY)

try: $(READY)  ## set up, index this repository, answer a question
	@$(BIN)/scova index .
	@echo
	@echo '$$ scova search "$(QUESTION)" . -k 3'
	@$(BIN)/scova search "$(QUESTION)" . -k 3
	@echo
	@echo "Now try your own: $(BIN)/scova search \"QUESTION\" PATH"

test: $(READY)  ## set up, check, run all tests
	@$(MAKE) --no-print-directory check
	@$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(READY)  ## format, lint, types, architecture
	@$(BIN)/ruff format --check --quiet . || (echo "run: make format"; exit 1)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache | tail -n 3

format: $(READY)  ## format the code
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --fix --quiet .

bench: bench-quality bench-speed bench-scale  ## every benchmark (see bench/README.md for what each needs)

clean:  ## remove everything that was set up or built
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
