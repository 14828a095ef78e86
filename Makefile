# Everything a fresh machine needs: `make try`, then `make test`. Nothing has to be installed by hand but Python >= 3.11 and git.

PYTHON ?= python3
VENV   := .venv
SHELL  := /bin/bash
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DEV    := $(VENV)/.dev
QUESTION ?= how is a lock taken by one writer

.PHONY: help try test test-newest test-oldest lock test-mcp-inspector test-web screenshots bench-page stress stress-tests hostile soak crash train-sample check format bench bench-quality bench-fit bench-blind bench-spans bench-against bench-speed bench-manager bench-vectors bench-postings bench-worst bench-scale bench-grep bench-definitions bench-calls bench-structure bench-watch bench-mcp bench-push bench-stores bench-serve clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# Everything is installed from a lock: every version, every hash. `make lock` writes them anew from pyproject.toml.
RUN_LOCK   := requirements/run.txt
TEST_LOCK  := requirements/test.txt
BENCH_LOCK := requirements/bench.txt
INSTALL    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

$(READY): pyproject.toml $(RUN_LOCK)
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@echo "setting up (first time takes a minute) ..."
	@$(INSTALL) --require-hashes -r $(RUN_LOCK)
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $(READY)

# Whatever tests need beside it: real databases, linters, other people's clients.
$(DEV): $(READY) $(TEST_LOCK)
	@echo "setting up what the tests need (first time takes a minute) ..."
	@$(INSTALL) --require-hashes -r $(TEST_LOCK)
	@touch $(DEV)

# Bytecode is written even where Python is told not to: starting fast is a feature here.
.PHONY: installed ready
installed: $(READY)
	@$(BIN)/python -m compileall -q src

ready: installed $(DEV)

try: installed  ## set up, index this repository, answer a question
	@$(BIN)/scova index .
	@echo
	@echo '$$ scova search "$(QUESTION)" . -k 3'
	@$(BIN)/scova search "$(QUESTION)" . -k 3
	@echo
	@echo "Now try your own: $(BIN)/scova search \"QUESTION\" PATH"

test: ready  ## set up, check, run all tests
	@$(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory tests
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory test-mcp-inspector; else echo "no npm here: the MCP inspector is left out"; fi

.PHONY: tests
tests: ready $(VENV)/.web $(VENV)/.locales
	@TEST_LOCK=$(TEST_LOCK) PYTHONHASHSEED=$${PYTHONHASHSEED:-0} $(BIN)/python -m pytest -n 3 --dist loadfile

# Newer and older versions than the lock's, each in an environment of its own. The other tools stay as in the lock.
test-newest:  ## run all tests with the newest versions that the bounds admit (before each release)
	@$(MAKE) --no-print-directory test-resolved RESOLUTION=highest VENV=.venv-newest

test-oldest:  ## run all tests with the lowest versions that the bounds admit (before each release)
	@$(MAKE) --no-print-directory test-resolved RESOLUTION=lowest-direct VENV=.venv-oldest

RESOLVE  = $(LOCKING)/bin/uv pip compile --quiet --custom-compile-command 'make lock' pyproject.toml
RESOLVED = build/locks/$(RESOLUTION).txt
EVERYWHERE = --universal --python-version 3.11
VERSIONS = grep -o '^[a-z0-9_-]*==[^ ]*'

.PHONY: test-resolved
test-resolved: $(LOCKING)
	@rm -rf $(VENV) && mkdir -p build/locks && cp $(TEST_LOCK) $(RESOLVED)
	@$(RESOLVE) --all-extras --resolution $(RESOLUTION) --output-file build/locks/bounds-$(RESOLUTION).txt --upgrade
	@$(RESOLVE) --all-extras --group build --group dev --generate-hashes --constraints build/locks/bounds-$(RESOLUTION).txt --output-file $(RESOLVED)
	@echo "other versions than the lock's (<):"
	@diff <($(VERSIONS) $(TEST_LOCK)) <($(VERSIONS) $(RESOLVED)) | grep '^[<>]' || echo none
	@$(MAKE) --no-print-directory tests VENV=$(VENV) RUN_LOCK=$(RESOLVED) TEST_LOCK=$(RESOLVED)

# The tool that reads pyproject.toml and writes locks; its own version is in the lock that tests use.
LOCKING := .venv-lock
$(LOCKING):
	@$(PYTHON) -m venv $@
	@$(LOCKING)/bin/python -m pip install --quiet --disable-pip-version-check "$$(grep -o '^uv==[^ ]*' $(TEST_LOCK) || echo uv)"

lock: $(LOCKING)  ## write requirements/*.txt from pyproject.toml; versions stay as they are where the bounds allow (UPGRADE=--upgrade: take the newest)
	@mkdir -p requirements
	@$(RESOLVE) $(EVERYWHERE) --generate-hashes $(UPGRADE) --all-extras --group build --group dev --output-file $(TEST_LOCK)
	@$(RESOLVE) $(EVERYWHERE) --generate-hashes --constraints $(TEST_LOCK) --group build --output-file $(RUN_LOCK)
	@$(RESOLVE) $(EVERYWHERE) --generate-hashes --constraints $(TEST_LOCK) --group build --extra postgres --output-file requirements/image.txt
	@$(RESOLVE) $(EVERYWHERE) --generate-hashes --constraints $(TEST_LOCK) --all-extras --group build --group dev --group bench --output-file $(BENCH_LOCK)

# A client that is not ours, and a Node that is new enough for it: as the lock file says, beside the environment.
$(VENV)/inspector/.ready: tests/inspector/package.json tests/inspector/package-lock.json | $(DEV)
	@mkdir -p $(@D)
	@cp tests/inspector/package.json tests/inspector/package-lock.json tests/inspector/.npmrc $(@D)
	@cd $(@D) && npm install --no-save --loglevel=error
	@touch $@

test-mcp-inspector: ready $(VENV)/inspector/.ready  ## drive the MCP server with the MCP inspector (needs npm; a minute)
	@INSPECTOR=1 $(BIN)/python -m pytest tests/inspector

# The system's Chromium, installed by name where it is missing and that is possible.
$(VENV)/.web: $(DEV)
	@command -v chromium >/dev/null || (test "$$(id -u)" = 0 && command -v apt-get >/dev/null && (apt-get install -y --no-install-recommends chromium >/dev/null 2>&1 || (apt-get update >/dev/null 2>&1 && apt-get install -y --no-install-recommends chromium >/dev/null 2>&1))) || echo "no Chromium here: \`make test\` leaves out tests of the page that need one"
	@touch $@

# What locales are made of, installed by name where it is missing and that is possible; tests make the locales themselves.
$(VENV)/.locales: $(DEV)
	@test -d /usr/share/i18n/charmaps || (test "$$(id -u)" = 0 && command -v apt-get >/dev/null && (apt-get install -y --no-install-recommends locales >/dev/null 2>&1 || (apt-get update >/dev/null 2>&1 && apt-get install -y --no-install-recommends locales >/dev/null 2>&1))) || echo "no tables of locales here: \`make test\` leaves out tests of shells that are not UTF-8"
	@touch $@

# Who checks that everyone can use the page; only tests use it.
$(VENV)/axe/.ready: tests/web/package.json tests/web/package-lock.json | $(DEV)
	@mkdir -p $(@D)
	@cp tests/web/package.json tests/web/package-lock.json tests/web/.npmrc $(@D)
	@cd $(@D) && npm install --no-save --loglevel=error
	@touch $@

test-web: ready $(VENV)/.web $(VENV)/axe/.ready  ## the page in a real Chromium, all of it (needs npm and Chromium; minutes; `make test` takes a sample)
	@WEB=1 $(BIN)/python -m pytest tests/web

screenshots: ready $(VENV)/.web  ## pictures of the page for the documentation, anew
	@PYTHONPATH=tests $(BIN)/python tests/web/screenshots.py

bench-page: ready $(VENV)/.web  ## the page in a real Chromium: from the last key to the first result, and what it weighs
	@$(BIN)/python bench/page/run.py

stress: ready  ## many processes on one index for minutes: edits, branch switches, kills; every answer held against the truth
	@$(BIN)/python tests/stress/run.py

# PARTS: properties, races, suite. The first two, in 45 minutes, when none is named.
stress-tests: ready $(VENV)/.web  ## other seeds, another order, a busy machine (45 minutes): make stress-tests [SEED=n] [PARTS="properties races suite"] [ROUNDS=n]
	@TEST_LOCK=$(TEST_LOCK) $(BIN)/python tests/stress/suite.py $(PARTS) $(if $(SEED),--seed $(SEED)) $(if $(ROUNDS),--rounds $(ROUNDS))

soak: ready  ## everything at once for an hour (MINUTES=5 for five): what grows, slows down or is left behind
	@$(BIN)/python tests/soak/run.py --minutes $(or $(MINUTES),60)

crash: ready  ## die at every step, lose power, break every file, fill the disk (minutes; `make test` takes a sample)
	@CRASH=all $(BIN)/python -m pytest -n 2 --dist load tests/crash

hostile: ready  ## 300 repositories that mean harm, and 300 questions of every kind with what each costs (an hour; `make test` takes a sample)
	@HOSTILE=all $(BIN)/python -m pytest -n 2 --dist load tests/hostile --timeout 3000

train-sample: ready  ## the whole way of training on a small sample, without downloads (half a minute)
	@PYTHON=$(BIN)/python training/sample.sh $(or $(FOLDER),build/train-sample)

check: ready  ## format, lint, types, architecture
	@$(BIN)/ruff format --check --quiet . || (echo "run: make format"; exit 1)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache | tail -n 3
	@$(BIN)/python tests/architecture/bare_reads.py

format: ready  ## format the code
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --fix --quiet .

# Benchmarks need trees that are not part of this project: see bench/README.md.
BENCH    ?= bench/work
EVALUATE ?= ../shared/bench/evaluate.py
LABELS   ?= $(dir $(EVALUATE))annotations
TREE     ?= .
MIRRORS  ?= $(BENCH)/mirrors

$(VENV)/.bench: $(DEV) $(BENCH_LOCK)
	@$(INSTALL) --require-hashes -r $(BENCH_LOCK)
	@touch $@

bench: bench-quality bench-blind bench-spans bench-speed bench-manager bench-vectors bench-postings bench-scale bench-grep bench-definitions bench-calls bench-structure bench-watch bench-mcp bench-push bench-stores bench-serve  ## every benchmark (bench/README.md says what each needs)

bench-quality: ready $(VENV)/.bench  ## NDCG@10 of scova on the benchmark, an ablation of every signal, how well "nothing relevant" is judged, and what abbreviations give
	@BENCH_ROOT=$(BENCH) $(BIN)/python $(EVALUATE) --cmd '$(BIN)/python bench/quality/adapter.py'
	@BENCH_ROOT=$(BENCH) $(BIN)/python bench/quality/ablation.py --evaluate $(EVALUATE)
	@BENCH_ROOT=$(BENCH) $(BIN)/python bench/quality/relevance.py --evaluate $(EVALUATE)
	@BENCH_ROOT=$(BENCH) $(BIN)/python bench/quality/abbreviated.py --evaluate $(EVALUATE)

bench-fit: ready $(VENV)/.bench  ## the ranking's weights fitted on some repositories and scored on others (ten minutes)
	@BENCH_ROOT=$(BENCH) $(BIN)/python bench/quality/fit.py --evaluate $(EVALUATE)

bench-blind: ready $(VENV)/.bench  ## NDCG@10 on questions of readers who had no search tool at hand: make bench-blind MIRRORS=DIR
	@mkdir -p $(VENV)/blind && $(BIN)/python bench/quality/blind.py $(MIRRORS) $(VENV)/blind
	@BENCH_ROOT=$(VENV)/blind $(BIN)/python $(EVALUATE) --cmd '$(BIN)/python bench/quality/adapter.py'

bench-against: ready  ## speed beside an earlier commit, taking turns: make bench-against COMMIT=REV TREE=DIR (or several in quotes)
	@$(BIN)/python bench/speed/against.py $(COMMIT) $(TREE)

bench-spans: ready $(VENV)/.bench  ## answers as spans of whole repositories, beside grep and semble: make bench-spans MIRRORS=DIR
	@$(BIN)/python bench/quality/spans/run.py $(MIRRORS)

bench-speed: ready $(VENV)/.bench  ## speed beside semble and ripgrep
	@$(BIN)/python bench/speed/compare.py $(BENCH) $(LABELS)

bench-worst: ready  ## the worst questions beside a plain one, in CPU time: make bench-worst TREE=DIR (COMMIT=REV: and at an earlier commit)
	@$(BIN)/python bench/speed/worst.py $(TREE) $(if $(COMMIT),--against $(COMMIT))

bench-manager: ready  ## load, reload and change detection at 1K, 10K and 100K chunks
	@$(BIN)/python bench/manager/run.py

bench-postings: ready $(VENV)/.bench  ## the text index beside tantivy
	@$(BIN)/python bench/speed/postings.py $(BENCH) --questions $(LABELS)

bench-vectors: ready  ## vectors compared one by one and through a graph, 10K to 1M, and the first query after a change: make bench-vectors TREE=DIR
	@$(BIN)/python bench/vectors/run.py $(TREE)

bench-scale: ready  ## one large tree in one go: make bench-scale TREE=DIR
	@$(BIN)/python bench/scale/run.py $(TREE)

# Five trees of the benchmark, and one large tree.
GREP_TREES ?= $(addprefix $(BENCH)/repos/,flask telescope.nvim axios messagepack-csharp redis)

bench-grep: ready  ## grep beside ripgrep: the same matches (500 patterns, five trees), and how fast: make bench-grep TREE=DIR
	@$(BIN)/python bench/grep/equal.py $(GREP_TREES)
	@$(BIN)/python bench/grep/speed.py $(TREE)

bench-definitions: ready  ## definitions beside universal-ctags (apt-get install universal-ctags)
	@$(BIN)/python bench/structure/definitions.py $(BENCH)/repos

bench-calls: ready  ## call graph beside jedi, recorded calls and the TypeScript compiler (needs node and npm)
	@$(BIN)/python bench/structure/oracles/make.py $(BENCH)/repos $(BENCH)/oracles
	@$(BIN)/python bench/structure/calls.py $(BENCH)/repos $(BENCH)/oracles

bench-watch: ready  ## a watcher on a large tree: save to found, work of an update, memory: make bench-watch TREE=DIR
	@$(BIN)/python bench/watch/run.py $(TREE)

bench-mcp: ready  ## the MCP server as a client meets it: start, calls, memory: make bench-mcp TREE=DIR
	@$(BIN)/python bench/mcp/run.py $(TREE)

bench-stores: ready  ## PostgreSQL beside SQLite as the store: make bench-stores TREE=DIR
	@$(BIN)/python bench/stores/run.py $(TREE)

bench-serve: ready  ## two servers under 32 clients, embedded and on PostgreSQL: make bench-serve TREE=DIR
	@$(BIN)/python bench/serve/load.py $(TREE)
	@$(BIN)/python bench/serve/load.py $(TREE) --store postgres

bench-push: ready  ## 10,000 small files pushed to a server: first, unchanged, three changes; memory of both
	@$(BIN)/python bench/push/run.py

bench-structure: ready  ## def, callers and outline in a loaded process: make bench-structure TREE=DIR
	@$(BIN)/python bench/structure/speed.py $(TREE)

clean:  ## remove everything that was set up or built
	rm -rf $(VENV) .venv-newest .venv-oldest .venv-lock build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
