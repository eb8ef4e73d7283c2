# SPDX-License-Identifier: MIT
#
# A thin front to CMake. `make` only builds; `make demo` and `make test` install what is missing
# first (scripts/setup), build, and say what they do.

MAKEFLAGS += --no-print-directory

BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= 2
CLANG_FORMAT ?= clang-format
DEMO   ?= $(firstword $(wildcard models/fourbar.yaml) $(sort $(wildcard models/*.yaml)))

C_FILES = $(wildcard include/tenon/*.h src/*/*.[ch] apps/*/*.[ch] cli/*.[ch] examples/*.c bench/*.[ch] \
          tests/*.[ch] tests/*/*.[ch] papers/*/*.c modules/*.c)

# Seconds for each target of make fuzz, and the flags of its build.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS = $(basename $(notdir $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_FLAGS = -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all

.PHONY: all setup configure build demo python test papers papers-quick bench performance fuzz mixtures docs mutants coverage install dist clean format check-format

all: build

# What was configured in another place is configured anew: the tree has moved, or is a copy.
configure:
	@for key in CMAKE_HOME_DIRECTORY:. CMAKE_CACHEFILE_DIR:$(BUILD); do \
	    from=$$(sed -n "s/^$${key%%:*}:INTERNAL=//p" $(BUILD)/CMakeCache.txt 2>/dev/null); \
	    [ -z "$$from" ] || [ "$$from" -ef "$${key#*:}" ] || \
	        rm -rf $(BUILD)/CMakeCache.txt $(BUILD)/CMakeFiles; \
	done
	@cmake --log-level=WARNING -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release $(CMAKE_ARGS) >/dev/null

build: configure
	@cmake --build $(BUILD) -j $(JOBS)

setup:
	@echo "Checking that the packages Tenon is built from are there."
	@scripts/setup $(SETUP)

demo: setup
	@echo "Building the library and the tenon command in $(BUILD)/ (a minute or so the first time)."
	@$(MAKE) configure
	@cmake --build $(BUILD) -j $(JOBS) --target tenon_command >$(BUILD)/demo.log 2>&1 || \
	    { cat $(BUILD)/demo.log; exit 1; }
	@echo "Simulating $(DEMO): $(BUILD)/tenon run $(DEMO) --out $(BUILD)/demo --force"
	@echo
	@$(BUILD)/tenon run $(DEMO) --out $(BUILD)/demo --force
	@echo
	@echo "Its report: $(BUILD)/tenon report $(BUILD)/demo"
	@if $(BUILD)/tenon report $(BUILD)/demo >/dev/null; then \
	    echo "Open this file in a browser: $(abspath $(BUILD))/demo/report.html"; fi
	@echo
	@echo "The results are in $(BUILD)/demo:"
	@ls -l $(BUILD)/demo
	@echo "Next: change a number in $(DEMO) and run the command above again."

python: SETUP = --python
python: setup
	@echo "Building the library and the Python package in $(BUILD)/."
	@$(MAKE) configure CMAKE_ARGS="$(CMAKE_ARGS) -DTENON_PYTHON=ON"
	@cmake --build $(BUILD) -j $(JOBS) --target tenon_python
	@echo "Try it: PYTHONPATH=$(abspath $(BUILD))/python /usr/bin/python3 -c 'import tenon; help(tenon)'"

test: SETUP = --test
test: setup
	@echo "Building the library, the command, the examples and the tests in $(BUILD)/."
	@$(MAKE) build
	@echo "Running all tests."
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)

papers papers-quick: setup
	@echo "Building the tenon command and the programs of papers in $(BUILD)/."
	@$(MAKE) configure
	@cmake --build $(BUILD) -j $(JOBS) --target tenon_papers >$(BUILD)/papers.log 2>&1 || \
	    { cat $(BUILD)/papers.log; exit 1; }
	@echo "Computing the items of papers/: $(BUILD)/tenon paper --all$(if $(filter %-quick,$@), --quick)"
	@$(BUILD)/tenon paper --all --jobs $(JOBS) --out $(BUILD)/papers.results $(if $(filter %-quick,$@),--quick)
	@echo "Open this file in a browser: $(abspath $(BUILD))/papers.results/papers.html"

# The name of the machine, as a name of folders.
MACHINE = $(shell LC_ALL=C lscpu | sed -n 's/^Model name: *//p' | head -n 1 | tr -cs 'A-Za-z0-9\n' '-')
TABLES  = $(BUILD)/bench/results/$(or $(MACHINE),machine)

bench:
	@echo "Building the benchmarks in $(BUILD)/bench/ and running each of them."
	@$(MAKE) build CMAKE_ARGS="$(CMAKE_ARGS) -DTENON_BENCH=ON"
	@mkdir -p $(TABLES)
	@for name in $(patsubst bench_%,%,$(basename $(notdir $(wildcard bench/bench_*.c)))); do \
	    echo "bench_$$name:"; \
	    $(BUILD)/bench/bench_$$name $(TABLES)/$$name.csv || exit 1; \
	done; echo "Tables are in $(TABLES)."

performance:
	@$(MAKE) bench CMAKE_ARGS="$(CMAKE_ARGS) -DTENON_PEERS=ON"
	@mkdir -p bench/results/$(notdir $(TABLES))
	@cp $(TABLES)/*.csv bench/results/$(notdir $(TABLES))/
	@tools/performance.py bench/results/$(notdir $(TABLES)) \
	    "$(MACHINE), $$(nproc) processors, $$(. /etc/os-release; echo $$PRETTY_NAME), $$(gcc --version | head -n 1)"
	@echo "docs/performance.md was written from these tables."

fuzz: SETUP = --fuzz
fuzz: setup
	@echo "Building the targets in build-fuzz/ with clang and its sanitizers."
	@cmake --log-level=WARNING -S . -B build-fuzz -DCMAKE_C_COMPILER=clang -DTENON_FUZZ=ON \
	    -DCMAKE_BUILD_TYPE=Debug -DTENON_WEB=OFF -DBUILD_TESTING=OFF \
	    -DCMAKE_C_FLAGS="$(FUZZ_FLAGS)" >/dev/null
	@cmake --build build-fuzz -j $(JOBS) --target $(FUZZ_TARGETS)
	@echo "Each target for $(FUZZ_SECONDS) s, $(JOBS) at a time; what they find comes into build-fuzz/found."
	@printf '%s\n' $(FUZZ_TARGETS:fuzz_%=%) | xargs -P $(JOBS) -I NAME sh -c 'cd build-fuzz && \
	    mkdir -p found/NAME && if tests/fuzz/fuzz_NAME -max_total_time=$(FUZZ_SECONDS) -timeout=60 \
	        -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 -artifact_prefix=found/NAME- \
	        found/NAME ../tests/fuzz/seeds/NAME >found/NAME.log 2>&1; \
	    then echo "NAME: $$(sed -n "s/^stat::number_of_executed_units: *//p" found/NAME.log) inputs"; \
	    else cat found/NAME.log; echo "NAME: an input is bad"; exit 1; fi'
	@rm -rf /dev/shm/fuzz-input-*

# Small models of all kinds by seeds, through all commands, by clang with its sanitizers and
# assertions: SECONDS=3600 SEED=1 JOBS=2, or COUNT=1000 seeds. What is bad comes, made small, into build-mixtures/found.
mixtures: SETUP = --fuzz
mixtures: SECONDS = $(if $(COUNT),0,600)
mixtures: SEED = 1
mixtures: setup
	@echo "Building the tenon command in build-mixtures/ with clang and its sanitizers."
	@cmake --log-level=WARNING -S . -B build-mixtures -DCMAKE_C_COMPILER=clang -DTENON_WEB=OFF \
	    -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=OFF -DCMAKE_C_FLAGS="-O1 \
	    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" >/dev/null
	@cmake --build build-mixtures -j $(JOBS) --target tenon_command
	@tests/mixtures/mixtures.py --tenon build-mixtures/tenon --seconds $(SECONDS) --seed $(SEED) \
	    --count $(or $(COUNT),0) --jobs $(JOBS) --out build-mixtures/found

# Members of structs may speak by their names; functions and types must not.
docs: SETUP = --docs
docs: setup
	@mkdir -p build/docs
	@doxygen docs/Doxyfile; status=$$?; \
	grep -v '(variable) of \(struct\|union\)' build/docs/warnings.txt; missing=$$?; \
	if [ $$status -ne 0 ] || [ $$missing -eq 0 ]; then exit 1; fi; \
	echo "Reference pages of the interface: build/docs/html/index.html"
	@mkdocs build --quiet --strict
	@echo "All pages, with search: build/docs/site/index.html"

# MUTANTS="--count 10 --tests ^unit/" for a quick look.
mutants: SETUP = --mutants
mutants: setup
	@echo "Changing single tokens of src/ to see whether tests notice, in build-mutants/: hours."
	@tools/mutants.py --jobs $(JOBS) $(MUTANTS)

coverage: SETUP = --ci
coverage: TESTS = ^unit/
coverage: setup
	@echo "Counting the lines that tests reach, in build-coverage/."
	@cmake -S . -B build-coverage -DCMAKE_BUILD_TYPE=Debug -DTENON_WEB=OFF -DTENON_COVERAGE=ON >/dev/null
	@cmake --build build-coverage -j $(JOBS) >/dev/null
	@find build-coverage -name '*.gcda' -delete
	@ctest --test-dir build-coverage -j $(JOBS) -R '$(TESTS)' --timeout 1200 | tail -n 4
	@tools/coverage.sh build-coverage

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

# What git has committed, as a tarball, and what is installed, as a package for this Debian.
VERSION = $(shell sed -n 's/^\#define TN_VERSION_[A-Z]* \([0-9]*\).*/\1/p' include/tenon/base.h | paste -sd.)
dist: SETUP = --dist
dist: setup
	@git rev-parse --verify -q HEAD >/dev/null || { echo "make dist packs what git has committed: \
	this is no git repository."; exit 1; }
	@mkdir -p $(BUILD)/dist
	@git archive --prefix=tenon-$(VERSION)/ -o $(BUILD)/dist/tenon-$(VERSION).tar.gz HEAD
	@echo "Building what is installed, in $(BUILD)/package/ (minutes)."
	@cmake --log-level=WARNING -S . -B $(BUILD)/package -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
	    -DCMAKE_INSTALL_PREFIX=/usr $(CMAKE_ARGS) >/dev/null
	@cmake --build $(BUILD)/package -j $(JOBS) >$(BUILD)/dist/build.log 2>&1 || \
	    { cat $(BUILD)/dist/build.log; exit 1; }
	@cd $(BUILD)/package && cpack -G DEB -B $(abspath $(BUILD))/dist >>../dist/build.log 2>&1 || \
	    { cat ../dist/build.log; exit 1; }
	@rm -rf $(BUILD)/dist/_CPack_Packages
	@ls -l $(BUILD)/dist/*.tar.gz $(BUILD)/dist/*.deb
	@echo "Install the package with: apt-get install $(abspath $(BUILD))/dist/tenon_*.deb"
	@echo "For ranks of MPI also: apt-get install $(abspath $(BUILD))/dist/tenon-mpi_*.deb"

clean:
	rm -rf build build-dev build-asan build-clang build-fuzz build-mutants build-coverage

format:
	$(CLANG_FORMAT) -i $(C_FILES)

check-format:
	@bad=$$(for f in $(C_FILES); do $(CLANG_FORMAT) $$f | cmp -s - $$f || echo "    $$f"; done); \
	if [ -n "$$bad" ]; then echo "Not formatted (make format does it):"; echo "$$bad"; exit 1; fi; \
	echo "All C files are formatted."
