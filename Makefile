# Two commands do everything on a fresh machine with git, make and Python 3.11 or newer: `make demo`, `make test`.
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# Many tests wait, most for processes of theirs: more of them run side by side than there are cores.
JOBS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 4)))

.PHONY: help demo test tasks spec check types lint format fuzz bench screenshots lock clean

help:  ## what there is to make
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

$(STAMP): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "xun needs Python 3.11 or newer; none was found on PATH" >&2; exit 1; }
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
		uv pip install --quiet --python $(BIN)/python --require-hashes --compile-bytecode -r requirements.lock && \
		uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .; \
	else \
		$(PYTHON) -m venv $(VENV) && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .; \
	fi
	@$(BIN)/python -m compileall -q xun
	@touch $@

demo: $(STAMP)  ## the main job on the shipped scripted model: a failing test, found and fixed
	@$(BIN)/xun run --model demo --allow-write .

test: $(STAMP) check  ## the whole suite
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

tasks: $(STAMP)  ## small repository tasks with a model that goes wrong in known ways, in seconds
	@$(BIN)/python -m pytest -vv --no-header tests/tasks

spec: $(STAMP)  ## each row of the specification, and what came of it: shown, overruled, later or failed
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m spec -p tests.spec.plugin

check: lint types  ## style and types

lint: $(STAMP)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .

types: $(STAMP)
	@$(BIN)/ty check --quiet

format: $(STAMP)  ## put the code in shape
	@$(BIN)/ruff check --quiet --fix . && $(BIN)/ruff format --quiet .

fuzz: $(STAMP)  ## long random tests of the parser and the decider
	@XUN_FUZZ=1 $(BIN)/python -m pytest -n $(JOBS) -m fuzz

bench: $(STAMP)  ## measure xun against a bare loop and a bare Textual app, in one run: about six minutes
	@$(BIN)/python -m bench

screenshots: $(STAMP)  ## draw the pictures of the README anew
	@$(BIN)/python -m docs.screenshots

lock:  ## bring requirements.lock up to pyproject.toml
	@uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 \
		--group dev --output-file requirements.lock pyproject.toml

clean:
	@rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis dist build
