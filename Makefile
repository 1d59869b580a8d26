# Everything a clone needs: the environment in .venv, the output in data/ (both ignored by git).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Another output folder: make run HOME_DIR=data/nta; without it, what the settings say (data).
HOME_OPTION := $(if $(HOME_DIR),--home $(HOME_DIR))

.PHONY: help run ui test lint types tests test-fast kb-local docs lock benchmark clean

help: ## What there is to make
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name what; do \
		printf '  make %-12s %s\n' "$$name" "$$what"; done

run: $(VENV)/.installed ## The whole chain on the bundled sample, no network and no AWS
	$(BIN)/python -m rag_assets run $(HOME_OPTION) $(ARGS)

ui: $(VENV)/.installed ## The same project in the Dagster UI, http://127.0.0.1:3000
	$(BIN)/python -m rag_assets ui $(HOME_OPTION) $(ARGS)

test: lint types tests ## Lint, types and all tests

lint: $(VENV)/.installed-dev ## Format, lint rules and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache --no-logo

types: $(VENV)/.installed-dev ## Types, strict
	$(BIN)/mypy

tests: $(VENV)/.installed-dev ## All tests, on both cores: make tests ARGS=rag_assets_tests/corpus
	$(BIN)/pytest -n 2 $(ARGS)

test-fast: $(VENV)/.installed-dev ## Tests without the slow ones: the loop while editing
	$(BIN)/pytest -n 2 --fast -q $(ARGS)

kb-local: $(VENV)/.installed-dev ## S3 and a Knowledge Base on this machine (an emulation), to try the chain without an account
	$(BIN)/python -m emulation $(ARGS)

benchmark: $(VENV)/.installed-dev ## Time and memory of preparing a corpus: make benchmark ARGS="--site DIR"
	$(BIN)/python -m benchmarks.prepare $(ARGS)

docs: $(VENV)/.installed ## The tables of settings and sources in docs/, made from the code
	$(BIN)/python -m rag_assets.cli.option_tables

lock: $(VENV)/.installed-dev ## Write the lock files anew after a change of pyproject.toml
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean: ## Remove the environment; what was fetched and made stays in data/
	rm -rf $(VENV)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "rag_assets needs Python 3.11 or newer: make run PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.lock | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@
