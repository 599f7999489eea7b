# Main targets: `make demo` and `make test`. `make` lists the others.

RANKS ?= 2
BIN := .venv/bin
PREFIX ?= /usr/local
CPP_FILES = $$(git ls-files "*.hpp" "*.cpp" "*.h" "*.c")
# Allows root to start Open MPI; one thread per rank.
export OMPI_ALLOW_RUN_AS_ROOT ?= 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM ?= 1
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-ranks test-mpich test-faults validate-long build install coverage docs tests-build bootstrap bootstrap-test check types format bench bench-compare asan clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: bootstrap ## forecast the waves of typhoon Hinnamnor on 2 ranks (RANKS=n for more)
	$(BIN)/halcyon run examples/hinnamnor/case.yaml -n $(RANKS) --overwrite
	$(BIN)/halcyon view examples/hinnamnor/case.out --no-open

test: tests-build ## run all tests, serially and at 1 to 4 ranks
	tools/test

test-ranks: tests-build ## test whole runs on 1 to 4 ranks, every exchange method on 8 and 16, transforms on 6 and 8 (minutes)
	HALCYON_TEST_EVERY_RANK=1 tools/test --modules spectral run
	tools/test --ranks 8 16 --modules comm halo
	tools/test --ranks 6 8 --modules transform spectral

test-mpich: tests-build ## run the C++ tests with MPICH, without io, and compare bits with Open MPI (minutes)
	@command -v mpicc.mpich >/dev/null && command -v mpiexec.mpich >/dev/null || \
	  { echo "MPICH is missing: apt-get install --no-install-recommends mpich libmpich-dev" >&2; exit 1; }
	cmake --preset mpich -Wno-dev --log-level=WARNING
	cmake --build --preset mpich --target halcyon_tests halcyon_bits
	cmake --build --preset release --target halcyon_bits
	tools/test --mpich

test-faults: bootstrap-test ## test interrupted runs, full disks and damaged files (minutes)
	cmake --preset asan -Wno-dev --log-level=WARNING
	cmake --build --preset asan --target halcyon_tests
	$(BIN)/python -m pytest tests/faults

validate-long: bootstrap ## run the long validation cases (about an hour)
	$(BIN)/halcyon validate atmosphere --long
	$(BIN)/halcyon validate spectral --long

build: bootstrap ## install missing requirements, and build

install: bootstrap-test ## install the libraries for C, Fortran and C++ into PREFIX
	cmake --preset developer -Wno-dev --log-level=WARNING
	cmake --build --preset developer
	cmake --install build/developer --prefix $(PREFIX)

coverage: ## list the lines of C++ and Python that no test runs, by module (an hour or more)
	tools/coverage

docs: ## make the documentation as a site, which needs no network: build/docs/site/index.html
	tools/bootstrap --docs
	$(BIN)/python -m tools.docs_site

check: bootstrap-test ## check formatting, style, types, layers, sizes and wording
	@printf '%s\n' tools/words '$(BIN)/clang-format --dry-run --Werror $(CPP_FILES)' tools/house tools/check_layers.py \
	  '$(BIN)/ruff format --check .' '$(BIN)/ruff check .' '$(BIN)/python tools/docs_tables --check' '$(BIN)/mypy' | \
	  xargs -d '\n' -P 2 -I COMMAND sh -c COMMAND

types: bootstrap-test ## check the types of the Python package, with those of the compiled module
	$(BIN)/mypy

format: bootstrap-test ## format C++ and Python
	$(BIN)/clang-format -i $(CPP_FILES)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: bootstrap-test ## run the benchmarks
	@set -e; for script in $$(grep -l __main__ benchmarks/*.py); do echo "== $$script"; $(BIN)/python $$script; done

bench-compare: bootstrap-test ## compare ratios of quick benchmarks with those stored for this kind of processor
	tools/bench_compare

asan: bootstrap-test ## run the C++ tests with address and undefined-behaviour sanitizers
	cmake --preset asan
	cmake --build --preset asan
	ctest --test-dir build/asan --no-tests=error --output-on-failure

clean: ## remove build files and the virtual environment
	rm -rf build .venv

bootstrap:
	tools/bootstrap

bootstrap-test:
	tools/bootstrap --test

tests-build: bootstrap-test
	cmake --preset release -Wno-dev --log-level=WARNING
	cmake --build --preset release
