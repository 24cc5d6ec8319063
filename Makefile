PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
WORKERS ?= 2

.PHONY: run test check bench lock clean

run: $(STAMP)  ## set up, migrate and serve the API and its docs page on SQLite
	@$(BIN)/macao serve

test: $(STAMP)  ## set up and run the tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

check: $(STAMP)  ## lint, format, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)  ## every benchmark, side by side with its peer
	@for b in benchmarks/[a-z]*.py; do echo "== $$b"; $(BIN)/python $$b || exit 1; done

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is %d.%d" % sys.version_info[:2])'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@echo "compiling the analysis ..."
	@$(BIN)/python -m analysis.warm
	@touch $@

lock:  ## resolve again: hashes, and no address of any index
	$(PYTHON) -m pip install --quiet uv
	$(PYTHON) -m uv pip compile pyproject.toml --all-extras --python-version 3.11 --universal --generate-hashes --no-header --no-emit-index-url --output-file requirements.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis
