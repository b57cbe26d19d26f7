# `make` lists the targets. Each installs what it needs.
#
# .ci/swift has the options of every build, .ci/steps.py the steps of the gate, Tests/suites.json the suites of `make verify-NAME`.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# The version of the programs, the C library and the Python package.
VERSION := $(shell cat Sources/Program/InklingTerminal/VERSION)
PREFIX ?= /usr/local
PYTHON := $(CURDIR)/.venv/bin/python3
C_SCRATCH = $(if $(wildcard $(CURDIR)/.build/inkling),.build/node,.build/c)
C_STAGE := .build/c/stage

# Where the rigs find the programs and the Python packages.
export INKLING ?= $(CURDIR)/.build/inkling
export INKLING_KIT ?= $(CURDIR)/.build/inkling-kit
export INKLING_ZEROCONF_PYTHON := $(PYTHON)

.PHONY: help quick test build c-library install install-program install-library stage stage-program python wheel deb docs demo bench check format vectors records figures clean

help: ## lists the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1|/p' Makefile | awk -F'|' '{ printf "  make %-16s %s\n", $$1, $$2 }'
	@echo "  make verify-NAME      runs a long suite and keeps its record; make records lists them"

quick: ## runs what the change can break, some minutes after a first build (BASE=COMMIT: compared with that commit)
	@.ci/setup library checks node test
	@.ci/quick $(BASE)

test: ## runs everything that must pass before a change lands
	@.ci/setup checks
	@.ci/gate test

check: ## runs the static checks: format, purity, words, labels, specs, requirements and others
	@.ci/setup checks
	@Tests/Tools/check.py

format: ## rewrites every Swift file in the project's format
	swift format --in-place --recursive --parallel Package.swift Sources Tests

vectors: ## writes the vector files with the Python generator
	@.ci/setup python
	cd Vectors && $(PYTHON) -m generator write

build: ## builds the release programs, with the Swift runtime inside, and the symbols of each in a file of their own
	@.ci/setup library checks node
	@set -e; for program in inkling inkling-kit; do \
		.ci/swift release --product $$program; .ci/strip .build/node/release/$$program "$(CURDIR)/.build/$$program"; done
	@ls -l $(CURDIR)/.build/inkling $(CURDIR)/.build/inkling-kit

c-library: ## builds libinkling.so.1, inkling.h and inkling.pc into .build/c/stage
	@.ci/setup library
	.ci/swift library
	@$(MAKE) --no-print-directory stage PREFIX=$(CURDIR)/$(C_STAGE) DESTDIR=

demo: ## shows two nodes that meet on a network of their own, while a stranger watches
	@.ci/setup library node demo
	@echo "Building the program: some minutes the first time, without optimisation."
	.ci/swift program
	@INKLING=$(CURDIR)/.build/node/debug/inkling Tests/Rigs/demo/demo

install: install-program install-library ## installs the programs and the C library under PREFIX=/usr/local (and DESTDIR)

install-program: build ## installs inkling and inkling-kit, their manual pages and completions
	@$(MAKE) --no-print-directory stage-program

# When pkg-config finds libsodium, nothing is installed or fetched.
install-library: ## installs libinkling.so.1, inkling.h and inkling.pc
	@pkg-config --exists libsodium || .ci/setup library
	.ci/swift library
	@$(MAKE) --no-print-directory stage

# A step may use the library while another stages it: nobody sees a part of the library or of inkling.pc, and headers that are
# the same are left alone.
stage:
	@install -d "$(DESTDIR)$(PREFIX)/lib/pkgconfig" "$(DESTDIR)$(PREFIX)/include/inkling"
	@library="$(DESTDIR)$(PREFIX)/lib/libinkling.so.1.$(VERSION)" && \
		install -s -m 755 $(C_SCRATCH)/release/libInklingCABI.so "$$library.$$$$" && mv -f "$$library.$$$$" "$$library"
	@ln -sf libinkling.so.1.$(VERSION) "$(DESTDIR)$(PREFIX)/lib/libinkling.so.1"
	@ln -sf libinkling.so.1 "$(DESTDIR)$(PREFIX)/lib/libinkling.so"
	@install -C -m 644 Sources/Bindings/CInkling/include/inkling.h "$(DESTDIR)$(PREFIX)/include/inkling.h"
	@install -C -m 644 Sources/Bindings/CInkling/include/inkling/*.h "$(DESTDIR)$(PREFIX)/include/inkling/"
	@facts="$(DESTDIR)$(PREFIX)/lib/pkgconfig/inkling.pc" && \
		sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' Sources/Bindings/CInkling/inkling.pc.in >"$$facts.$$$$" && \
		mv -f "$$facts.$$$$" "$$facts"

# Installs what `make build` has built. A program itself writes its manual pages and completions.
stage-program:
	@install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1" \
		"$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
		"$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	@set -e; for program in "$(INKLING)" "$(INKLING_KIT)"; do \
		name=$${program##*/}; share="$(DESTDIR)$(PREFIX)/share"; \
		install -m 755 "$$program" "$(DESTDIR)$(PREFIX)/bin/$$name"; \
		Tests/Tools/manual "$$program" ".build/man/$$name"; \
		install -m 644 ".build/man/$$name"/*.1 "$$share/man/man1/"; \
		"$$program" completions bash >"$$share/bash-completion/completions/$$name"; \
		"$$program" completions zsh >"$$share/zsh/site-functions/_$$name"; \
		"$$program" completions fish >"$$share/fish/vendor_completions.d/$$name.fish"; done

python: c-library ## builds the wheel of the Python package into .build/python
	@.ci/setup python
	@$(MAKE) --no-print-directory wheel

# Built from a copy, so that nothing is written to Sources, with fixed dates. auditwheel copies libsodium into the wheel and
# derives the platform tag from what the libraries need.
wheel:
	@rm -rf .build/python && mkdir -p .build/python && cp -RL Sources/Bindings/python .build/python/source
	@export SOURCE_DATE_EPOCH=315532800 INKLING_LIBRARY=$(CURDIR)/$(C_STAGE)/lib/libinkling.so.1 && cd .build/python && \
		$(PYTHON) -m build --wheel --no-isolation --outdir plain source >build.log 2>&1 || { cat build.log; exit 1; }
	@export SOURCE_DATE_EPOCH=315532800 PATH="$(CURDIR)/.venv/bin:$$PATH" && cd .build/python && \
		$(PYTHON) -m auditwheel repair --wheel-dir . plain/*.whl >repair.log 2>&1 || { cat repair.log; exit 1; }
	@ls .build/python/*.whl

# The expensive builds are those of the programs and the library; packing them takes seconds.
deb: build c-library ## builds the Debian packages of the programs, the C library and the Python module into .build/deb
	@.ci/setup deb
	@rm -rf .build/deb && .ci/deb --program $(INKLING) --kit $(INKLING_KIT) --library $(C_STAGE) --output .build/deb

docs: ## checks the documentation of the products and builds it as a site into .build/docs
	@.ci/setup library checks node
	@Tests/Tools/docs

bench: build c-library ## measures the figures of Tests/Benchmarks/README.md
	@.ci/setup bench
	@PATH="$(CURDIR)/.venv/bin:$$PATH" Tests/Benchmarks/bench

verify-%:
	@Tests/Tools/suite run $*

records: ## lists the long suites, and whether their records are of these sources
	@Tests/Tools/suite records

figures: ## prints each figure of reliability, the record that shows it, and whether that is stale
	@Tests/Rigs/figures/figures

clean: ## removes everything that was built or installed inside this folder
	rm -rf .build .venv out
