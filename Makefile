# Each target sets up what it needs in environments of its own (.venv*); the commands also work by hand.
# Only Python 3.11+ with pip, and make, are expected of the machine.
PYTHON ?= python3
PIP = -m pip install --quiet --disable-pip-version-check
BIN = $(if $(filter Windows_NT,$(OS)),Scripts,bin)
RUN = .venv/$(BIN)/python

.PHONY: demo test fuzz check lint types oldest bare nightly wheel bench spark docs dist clean

demo: .venv/ready  ## choose a model by MAP@10 on scikit-learn's own "See Also" links
	$(RUN) examples/see_also.py

test: .venv/ready  ## the whole test suite, README included
	$(RUN) -m pytest --cov --cov-report=term --cov-fail-under=100

fuzz: .venv/ready  ## random values against plain loops, hostile arguments: FUZZ_SECONDS=600 make fuzz
	PYTHONPATH=tests:tests/fuzz $(RUN) tests/fuzz/fuzz_loop.py $${FUZZ_SECONDS:-300}

check: lint types oldest wheel  ## what CI does beside the tests

lint: .venv/ready
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check

types: .venv/ready
	$(RUN) -m mypy

oldest: .venv-oldest/ready  ## the tests on the lowest supported versions
	.venv-oldest/$(BIN)/python -m pytest

bare: .venv-bare/ready  ## the tests without the optional packages, for Pythons that those have no wheels for
	.venv-bare/$(BIN)/python -m pytest

nightly: .venv-bare/ready  ## the tests on what scikit-learn, numpy and scipy will be; NIGHTLY_INDEX has their nightly wheels
	.venv-bare/$(BIN)/python $(PIP) --pre --upgrade $(if $(NIGHTLY_INDEX),--extra-index-url $(NIGHTLY_INDEX)) \
		numpy scipy scikit-learn
	.venv-bare/$(BIN)/python -m pytest

docs: .venv/docs  ## the site, in docs/_build/html; a warning is an error
	rm -rf docs/_build docs/api/generated docs/api/backreferences docs/gallery
	cd docs && OMP_NUM_THREADS=1 ../$(RUN) -m sphinx -b html -W --keep-going --quiet . _build/html
	@echo "docs/_build/html/index.html"

dist: .venv/ready  ## what a release uploads, with the tests of the unpacked archive
	rm -rf dist
	$(RUN) -m build --outdir dist
	$(RUN) -m twine check --strict dist/*
	mkdir dist/unpacked && tar -xzf dist/*.tar.gz --strip-components=1 -C dist/unpacked
	cd dist/unpacked && PYTHONPATH=. ../../$(RUN) -m pytest -p no:cacheprovider --ignore=tests/test_examples.py
	rm -rf dist/unpacked

wheel: .venv/ready  ## the built wheel alone, in a clean environment
	rm -rf dist .venv-wheel
	$(RUN) -m build --wheel --outdir dist
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/$(BIN)/python $(PIP) dist/*.whl
	cd dist && ../.venv-wheel/$(BIN)/python ../examples/digits_map3.py

bench: .venv/ready  ## times, and the tables of benchmarks/README.md
	$(RUN) -m pytest benchmarks --benchmark-columns=min,median --benchmark-group-by=group
	$(RUN) benchmarks/peers.py
	$(RUN) benchmarks/growth.py

spark: .venv/ready  ## RankingAccumulator on a local Spark session, a million rows; needs Java 17
	$(RUN) $(PIP) --editable '.[spark]'
	$(RUN) examples/spark_accumulator.py

clean:
	rm -rf .venv .venv-bare .venv-oldest .venv-wheel dist docs/_build docs/api/generated docs/api/backreferences docs/gallery

# An environment is made anew when its requirements change.
.venv/ready: pyproject.toml
	rm -rf .venv
	$(PYTHON) -m venv .venv
	$(RUN) $(PIP) --editable '.[dev]'
	touch $@

.venv-bare/ready: pyproject.toml
	rm -rf .venv-bare
	$(PYTHON) -m venv .venv-bare
	.venv-bare/$(BIN)/python $(PIP) --editable '.[test]'
	touch $@

.venv/docs: .venv/ready
	$(RUN) $(PIP) --editable '.[docs]'
	touch $@

.venv-oldest/ready: pyproject.toml
	rm -rf .venv-oldest
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/$(BIN)/python $(PIP) --editable '.[test]' \
		numpy==2.0.0 scipy==1.13.0 scikit-learn==1.6.0 pandas==2.2.2
	touch $@
