# make demo and make test are all that a newcomer needs: both set up what they stand on, once.

PY := .venv/bin/python
READY := .venv/.ready

.PHONY: help setup model demo test lint types docs bench clean
.DELETE_ON_ERROR:

help:
	@echo "make demo    set up, then run every instrument, small, on the embedded model"
	@echo "make test    set up, then run the tests"
	@echo "make setup   make .venv and fetch the embedded model; PYTHON=... names the Python to use"
	@echo "make lint    style, own words, no local traces, and the floors of the house"
	@echo "make types   mypy"
	@echo "make docs    build docs/_build/html, warnings are errors"
	@echo "make bench   measure the overheads, as ratios; a few minutes on idle cores"
	@echo "make clean   remove what was built, .venv apart"

# Made again when the lock or the package's metadata change.
$(READY): requirements.lock pyproject.toml
	@python=$$(tools/find-python) || exit 1; \
	echo "setup: .venv with $$("$$python" --version); once, a few minutes"; \
	"$$python" -m venv .venv
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps -r requirements.lock
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

# Quick when the weights are there already, so it keeps no mark of its own: the cache may have been emptied.
model: $(READY)
	@.venv/bin/tutorscope models install-embedded

setup: $(READY) model

# Begun anew each time: an older demo may have been made from prompts that have changed since.
demo: $(READY) model
	@rm -rf demo-run
	@.venv/bin/tutorscope demo --out demo-run

# Without the embedded model (no network, say) the tests that need it are skipped, and say so.
test: $(READY)
	@.venv/bin/tutorscope models install-embedded || echo "test: going on without the embedded model"
	@$(PY) -m pytest -q -n 2 --dist loadgroup

lint: $(READY)
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@$(PY) tools/own_words.py
	@$(PY) tools/no_traces.py
	@$(PY) tools/floors.py

types: $(READY)
	@$(PY) -m mypy
	@$(PY) -m mypy tools benchmarks/run.py

docs: $(READY)
	@rm -rf docs/_build docs/reference
	@$(PY) -m sphinx -q -W --keep-going -d docs/_build/doctrees -b html docs docs/_build/html
	@$(PY) tools/loads_nothing.py docs/_build/html

bench: $(READY)
	@$(PY) benchmarks/run.py

clean:
	rm -rf build dist docs/_build docs/reference demo-run .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests tools benchmarks docs -name __pycache__ -prune -exec rm -rf {} +
