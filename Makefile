# Two commands to start with: `make run` and `make test`. Each does its own set-up in .venv, and
# repeats it only when pyproject.toml or constraints.txt change. `make help` lists the rest.

.DEFAULT_GOAL := help
.PHONY: help run test check bench clean warmup

VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt

# The main job, on an example that ships with the source.
MAIN_JOB := $(BIN)/miai solve examples/corner.sgf

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | column -t -s '|' 2>/dev/null \
	    || sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1: \2/p' Makefile

run: $(VENV)/.runtime warmup  ## set up, then run the main job on an example
	@$(MAIN_JOB)

test: $(VENV)/.everything warmup  ## set up, then run the whole test suite (ARGS='-k ko' to choose)
	@$(BIN)/python -m pytest -n auto $(ARGS)

check: $(VENV)/.everything  ## ruff, mypy and the import-graph test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q tests/test_import_graph.py

bench: $(VENV)/.everything warmup  ## every benchmark in turn; results in benchmarks/results/
	@status=0; for bench in benchmarks/bench_*.py; do \
	    [ -e "$$bench" ] || continue; \
	    $(BIN)/python $$bench || { echo "$$bench: failed, or a floor was missed" >&2; status=1; }; \
	done; exit $$status

clean:  ## remove the environment, the caches and the results
	@rm -rf $(VENV) build dist benchmarks/results .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

warmup: | $(VENV)/.runtime
	@$(BIN)/miai warmup

# The environment, in three steps; each leaves a stamp, so that it is done once.

$(VENV)/.made:
	@for python in python3 python3.14 python3.13 python3.12 python3.11 none; do \
	    $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
	done; \
	if [ $$python = none ]; then echo "miai needs Python 3.11 or newer, and none is on the PATH." >&2; exit 1; fi; \
	echo "Making a virtual environment in $(VENV) ($$($$python --version)) ..."; \
	$$python -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.made pyproject.toml constraints.txt
	@echo "Installing miai and what it needs to run ..."
	@$(PIP_INSTALL) -e .
	@touch $@

$(VENV)/.everything: $(VENV)/.runtime
	@echo "Installing what training and tests need (torch among them: a minute or two) ..."
	@$(PIP_INSTALL) -e '.[train,cluster,dev]'
	@touch $@
