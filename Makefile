# `make` alone lists the targets. Every target installs what it needs.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# Each kind of build has its own folder, so switching between them rebuilds nothing; `swift build` by hand uses none of them.
# .ci/swift says how they are compiled.
SWIFT := .ci/swift
NODE := --traits Node --scratch-path .build/node
PLAIN := --scratch-path .build/plain
PLAIN_BUILD := .ci/library-only $(SWIFT) build $(PLAIN) --build-tests --explicit-target-dependency-import-check error
# Where C and C++ name their files, the names are those below this folder, so that the folder does not show in what is built.
STATIC := -c release -Xswiftc -static-stdlib -Xswiftc -use-ld=bfd -Xcc -ffile-prefix-map=$(CURDIR)=. \
	-Xlinker -T -Xlinker $(CURDIR)/.ci/no-module-hashes.ld
# Nothing loads the program as a library, so it exports no names. Its relative relocations are packed, which saves 2 MB; of the
# linkers that drop what Swift code does not use, only GNU ld can do that, and the loader of Debian 12 or later reads them.
RELEASE := $(STATIC) $(NODE) -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs
# The C library needs no trait. Where the program has been built, it takes the modules of the program, which do not depend
# on the trait, and they are not compiled a second time.
C_SCRATCH = $(if $(wildcard $(INKLING)),.build/node,.build/c)
# The C library contains the Swift runtime and exports only the names in inkling.h. Its file is named for the version of the
# interface. It has no run path: it needs none of our other libraries.
C_LIBRARY = $(STATIC) $(if $(wildcard $(INKLING)),--traits Node) --scratch-path $(C_SCRATCH) --product InklingCABI --disable-local-rpath \
	-Xlinker -soname=libinkling.so.1 -Xlinker --version-script=$(CURDIR)/Sources/CInkling/inkling.map
# The version of the program, the C library and the Python package.
VERSION := $(shell cat Sources/InklingCommand/VERSION)
C_STAGE := .build/c/stage
PREFIX ?= /usr/local
# The worlds of `make world`, and how they are built: with the modules of the program.
SEEDS ?= 1-1000
HOURS ?= 24
NODES ?= 5-50
WORLD := $(STATIC) $(NODE) --product inkling-world
PYTHON := $(CURDIR)/.venv/bin/python3
CHECK := python3 Tests/Tools

# The rigs find the command line and the Python packages here. The symbols of the command line are in a file beside it.
export INKLING := $(CURDIR)/.build/inkling
export INKLING_ZEROCONF_PYTHON := $(PYTHON)
WITH_PYTHON := PATH="$(CURDIR)/.venv/bin:$$PATH"

# Tests with sockets, multicast and processes measure real time, so only a step that gives way may run beside them.
REAL_TIME_SUITES := InklingLinuxTests InklingCommandTests
REAL_TIME := '^(InklingLinuxTests|InklingCommandTests)\.'
# Verbs that are the same with and without the trait.
UNCHANGED_VERBS := '^InklingCommandTests\..inkling (conform|derive|match|odds|predict|recover|shim|sim|vectors)./'

# Seconds for each fuzz target: of `make fuzz`, and of the gate.
SECONDS ?= 600
SHORT_SECONDS ?= 1

# Games of linkage for each distance.
GAMES ?= 100000

# Steps that only compute give way to the tests of real time beside them. The Swift package manager resets the niceness of the
# compilers that it starts; it does not reset the scheduling policy.
PATIENTLY := $(shell chrt --idle 0 true 2>/dev/null && echo chrt --idle 0 || echo nice -n 19)

# Rigs that mostly wait for real time to pass give way to the tests too, but go before the steps that only compute.
POLITELY := nice -n 10

# The gate, in this order. The first steps run with libsodium as the only installed library. Steps joined by + run side by
# side: they only build, or use one processor, or give way, or mostly wait, in hosts of their own. What they need from PyPI is
# installed before.
GATE := setup-library test-plain setup-rigs check build+vectors-check c-library \
	test-node+constant-time-short+check-checks+arm64+first-contact+sync+tls-psk docs+linkage+shims+c-interface+radio-short \
	fuzz-short+unlinkability-short+documents+network+live+demo+attacks-short+world-short+durability-short+files-short+operators+home-assistant+package-short+archives-short+antennas+fleet-short

.PHONY: help quick test build c-library install install-program install-library stage stage-program python wheel docs demo bench fuzz files files-short archives archives-short antennas home-assistant test-home-assistant fleet fleet-short soak races sanitizers forgeries replays reply-times flood costs coverage unlinkability \
	mutants figures statistics world world-short years deb deb-reproducible package package-short format check vectors clean \
	setup setup-rigs setup-library test-plain check-checks vectors-check test-node linkage c-interface shims first-contact sync sync-long tls-psk constant-time constant-time-short arm64 fuzz-short unlinkability-short network live documents attacks attacks-short durability durability-short test-radio radio-short radio-long radio-figures operators

help: ## lists the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1|/p' Makefile | awk -F'|' '{ printf "  make %-20s %s\n", $$1, $$2 }'

quick: setup-library ## runs what the change can break, in a few minutes
	@.ci/setup checks
	@.ci/quick $(BASE)

test: ## runs everything that must pass before a change lands
	@.ci/gate $(GATE)

build: ## builds the release command line, with the Swift runtime inside, and its symbols in a file of their own
	@.ci/setup library checks node
	@.ci/resolve .build/node
	$(SWIFT) build $(RELEASE) --product inkling
	@.ci/strip .build/node/release/inkling $(INKLING)
	@ls -l $(INKLING) $(INKLING).debug

c-library: setup-library ## builds libinkling.so.1, inkling.h and inkling.pc into .build/c/stage
	$(SWIFT) build $(C_LIBRARY)
	@$(MAKE) --no-print-directory stage PREFIX=$(CURDIR)/$(C_STAGE) DESTDIR=

install: install-program install-library ## installs the program and the C library under PREFIX=/usr/local (and DESTDIR)

install-program: build ## installs inkling, its manual pages and completions
	@$(MAKE) --no-print-directory stage-program

# When pkg-config finds libsodium, nothing is installed or fetched.
install-library: ## installs libinkling.so.1, inkling.h and inkling.pc
	@pkg-config --exists libsodium || .ci/setup library
	$(SWIFT) build $(C_LIBRARY)
	@$(MAKE) --no-print-directory stage

python: c-library ## builds the wheel of the Python package into .build/python
	@.ci/setup python
	@$(MAKE) --no-print-directory wheel

# Built from a copy, so that nothing is written to Sources, with fixed dates. auditwheel copies libsodium into the wheel and
# derives the platform tag from what the libraries need.
wheel:
	@rm -rf .build/python && mkdir -p .build/python && cp -RL Sources/python .build/python/source
	@export SOURCE_DATE_EPOCH=315532800 INKLING_LIBRARY=$(CURDIR)/$(C_STAGE)/lib/libinkling.so.1 && cd .build/python && \
		$(PYTHON) -m build --wheel --no-isolation --outdir plain source >build.log 2>&1 || { cat build.log; exit 1; }
	@export SOURCE_DATE_EPOCH=315532800 && cd .build/python && \
		$(WITH_PYTHON) $(PYTHON) -m auditwheel repair --wheel-dir . plain/*.whl >repair.log 2>&1 || { cat repair.log; exit 1; }
	@ls .build/python/*.whl

# A step of the gate may use the library while another stages it: nobody sees a part of the library or of inkling.pc, and headers
# that are the same are left alone.
stage:
	@install -d "$(DESTDIR)$(PREFIX)/lib/pkgconfig" "$(DESTDIR)$(PREFIX)/include/inkling"
	@library="$(DESTDIR)$(PREFIX)/lib/libinkling.so.1.$(VERSION)" && \
		install -s -m 755 $(C_SCRATCH)/release/libInklingCABI.so "$$library.$$$$" && mv -f "$$library.$$$$" "$$library"
	@ln -sf libinkling.so.1.$(VERSION) "$(DESTDIR)$(PREFIX)/lib/libinkling.so.1"
	@ln -sf libinkling.so.1 "$(DESTDIR)$(PREFIX)/lib/libinkling.so"
	@install -C -m 644 Sources/CInkling/include/inkling.h "$(DESTDIR)$(PREFIX)/include/inkling.h"
	@install -C -m 644 Sources/CInkling/include/inkling/*.h "$(DESTDIR)$(PREFIX)/include/inkling/"
	@facts="$(DESTDIR)$(PREFIX)/lib/pkgconfig/inkling.pc" && \
		sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' Sources/CInkling/inkling.pc.in >"$$facts.$$$$" && \
		mv -f "$$facts.$$$$" "$$facts"

# Installs what `make build` has built. The program itself writes its manual pages and completions.
stage-program:
	@install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1" \
		"$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
		"$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	@install -m 755 $(INKLING) "$(DESTDIR)$(PREFIX)/bin/inkling"
	@Tests/Tools/manual $(INKLING) .build/man
	@install -m 644 .build/man/*.1 "$(DESTDIR)$(PREFIX)/share/man/man1/"
	@$(INKLING) completions bash >"$(DESTDIR)$(PREFIX)/share/bash-completion/completions/inkling"
	@$(INKLING) completions zsh >"$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_inkling"
	@$(INKLING) completions fish >"$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/inkling.fish"

docs: setup ## checks the documentation of the products and builds it as a site into .build/docs
	@Tests/Tools/docs

demo: setup build ## shows two nodes that meet on a network of their own, while a stranger watches
	@$(WITH_PYTHON) Tests/Rigs/demo/demo

operators: setup build c-library ## opens the dashboard in a browser, lets Prometheus read the figures, and uses the Python client
	@.ci/setup operators
	@Tests/Rigs/operators/operators

bench: setup build c-library ## measures the figures that the README names
	@.ci/setup bench
	@$(WITH_PYTHON) Tests/Benchmarks/bench

fuzz: setup c-library ## searches every planted bug, and fuzzes every parser and the calls of the C library in any order, SECONDS=600 each
	@Tests/Rigs/fuzzing/fuzz long $(SECONDS)
	@Tests/Rigs/c-interface/check sequences $(SECONDS)

attacks: setup build c-library ## attacks nodes on real links, and prints what each attack can do, beside the old behaviours
	@.ci/setup c
	@Tests/Rigs/attacks/old_behaviours.py build
	@$(WITH_PYTHON) Tests/Rigs/attacks/attacks --old .build/old/inkling --json .build/attacks.json

files: setup build ## sends 1.1 GB and cuts 200 transfers between two nodes: memory, throughput, resumption, a full disk
	@$(WITH_PYTHON) Tests/Rigs/files/files

files-short: setup build ## the same with 20 MB and 10 cuts
	@$(WITH_PYTHON) $(PATIENTLY) Tests/Rigs/files/files --megabytes 20 --cuts 10

archives: setup build ## lets DuckDB, ClickHouse and Spark find in archives what inkling match finds, of 10 million sightings
	@.ci/setup archives engines
	@$(WITH_PYTHON) $(PATIENTLY) Tests/Rigs/archives/archives

archives-short: setup build ## the same with DuckDB and 200,000 sightings
	@.ci/setup archives
	@$(WITH_PYTHON) $(PATIENTLY) Tests/Rigs/archives/archives --short

antennas: setup build ## runs a node with antennas: ESPHome's proxies by a server that aioesphomeapi meets too, others at a real broker, others by another program
	@.ci/setup mqtt antennas
	@$(WITH_PYTHON) $(POLITELY) Tests/Rigs/antennas/antennas
	@$(WITH_PYTHON) $(POLITELY) Tests/Rigs/antennas/programs

fleet: setup build ## runs a fleet at a real broker, and kills something every ten seconds: no arrival is lost or doubled
	@.ci/setup mqtt
	@$(PYTHON) Tests/Rigs/fleet/fleet

fleet-short: setup build ## the same for half a minute
	@.ci/setup mqtt
	@$(POLITELY) $(PYTHON) Tests/Rigs/fleet/fleet --short

home-assistant: setup build ## lets a node publish who is home at a real broker, judges every message, and finds every planted fault
	@.ci/setup mqtt
	@$(POLITELY) $(PYTHON) Tests/Rigs/home-assistant/check

# Not in the gate: it takes Debian's and Python's packages of the day, some 300 MB.
test-home-assistant: setup build ## lets a real Home Assistant read what a node publishes, and pins the states that it shows
	@.ci/setup assistant
	@$(PATIENTLY) $(PYTHON) Tests/Rigs/home-assistant/real

# The expensive builds are those of the program and the library; packing them takes seconds.
deb: build c-library ## builds the Debian packages of the program, the C library and the Python module into .build/deb
	@.ci/setup deb
	@rm -rf .build/deb && .ci/deb --program $(INKLING) --library $(C_STAGE) --output .build/deb

deb-reproducible: deb ## builds program, library and packages once more from a clone in another folder, and compares the bytes
	@Tests/Rigs/package/again

package: setup build c-library ## installs, runs, upgrades and removes the Debian packages on a fresh clean machine, with the watchdog
	@.ci/setup deb machine c
	@$(WITH_PYTHON) Tests/Rigs/package/package --long

package-short: setup build c-library ## checks the unit, the bytes, the content and the libraries of the packages, without a machine
	@.ci/setup deb c
	@$(WITH_PYTHON) $(PATIENTLY) Tests/Rigs/package/package --only unit bytes content libraries

soak: setup build ## runs nodes for hours and watches their memory, files and sockets
	@$(WITH_PYTHON) Tests/Rigs/soak/soak

races: setup-library ## runs two threads on the C library under ThreadSanitizer
	@.ci/setup c
	@Tests/Rigs/c-interface/races

sanitizers: setup ## runs all tests under ThreadSanitizer and AddressSanitizer, and finds a planted race and use after free
	@.ci/setup c
	@Tests/Rigs/sanitizers/check

forgeries: setup ## gives ten million forged and changed messages of handshakes to a node; none is accepted
	@Tests/Rigs/figures/check forgeries

replays: setup ## gives a million messages to parties and steps for which they were not written; none is accepted
	@Tests/Rigs/figures/check replays

reply-times: setup ## compares the times of refusals of strangers, removed contacts and contacts
	@Tests/Rigs/figures/check reply-times

flood: setup build ## lets 10,000 connections a second come to a node; it uses at most 5 % of a core
	@$(WITH_PYTHON) Tests/Rigs/network/flood.py --figure

unlinkability: setup build ## plays 100,000 games of linkage at each of three distances on our own frames and packets, and finds every planted leak
	@.ci/setup games
	$(SWIFT) build $(RELEASE) --product InklingUnlinkability
	@$(PYTHON) Tests/Rigs/unlinkability/unlinkability long --games $(GAMES) $(if $(SEED),--seed $(SEED)) $(if $(WRITE),--write)

costs: setup ## measures processor time and memory of every parser for its longest inputs
	@Tests/Rigs/figures/check costs

coverage: setup ## measures the line coverage of the parsers by the tests
	@Tests/Rigs/figures/coverage

mutants: setup ## mutates the pure targets, 640 times, and prints what their tests do not find
	@Tests/Rigs/mutants/check

figures: ## prints which figures of reliability are shown, by which command, and the last values
	@Tests/Rigs/figures/figures

world: setup ## simulates a thousand days of 5 to 50 whole nodes, with faults and attackers (SEEDS=1-1000 HOURS=24 NODES=5-50)
	@.ci/resolve .build/node
	$(SWIFT) build $(WORLD)
	@$(PATIENTLY) .build/node/release/inkling-world --seeds $(SEEDS) --hours $(HOURS) --nodes $(NODES)

world-short: setup ## simulates fifty worlds of at most 8 nodes for two hours, and finds every planted fault
	@.ci/resolve .build/node
	$(SWIFT) build $(WORLD)
	@$(PATIENTLY) .build/node/release/inkling-world --seeds 1-50 --hours 2 --nodes 5-8
	@$(PATIENTLY) .build/node/release/inkling-world --seeds 1-50 --hours 2 --nodes 5-8 --faults
	@$(PATIENTLY) .build/node/release/inkling-world --years 2000

years: setup ## simulates 100,000 histories of devices with wrong clocks, 2,000 users who lose devices, and 20 million pairs
	@.ci/resolve .build/node
	$(SWIFT) build $(WORLD)
	@$(PATIENTLY) .build/node/release/inkling-world --years 100000

statistics: setup ## tests the distribution of 134 million minors, recognition in a thousand floods, and meetings in a hundred sweeps
	INKLING_STATISTICS=64 swift test -c release --scratch-path .build/statistics --filter 'Statistics of minors|A flood of minors|somebody sweeps all minors'

format: ## rewrites every Swift file in the project's format
	swift format --in-place --recursive --parallel Package.swift Sources Tests

check: ## runs the static checks: format, purity, words, labels, specs, requirements and others
	@.ci/setup checks
	@$(CHECK)/check.py
	@Tests/Rigs/attacks/old_behaviours.py check

vectors: setup ## writes the vector files with the Python generator, then checks them
	cd Vectors && $(PYTHON) -m generator write
	@$(MAKE) --no-print-directory vectors-check

clean: ## removes everything that was built or installed inside this folder
	rm -rf .build .venv out

setup: ## installs what is missing on this machine
	@.ci/setup library checks node test python

# They share .venv, and Python imports what it finds there, also what pip is still writing.
setup-rigs: setup ## installs into .venv what steps of the gate need that run side by side
	@.ci/setup archives antennas games

setup-library: ## installs libsodium and nothing else
	@.ci/setup library

test-plain: setup-library ## builds and tests without the trait Node, with undeclared imports as errors
	$(PLAIN_BUILD)
	.ci/library-only $(SWIFT) test $(PLAIN) --skip-build --skip $(REAL_TIME)
	.ci/library-only $(SWIFT) test $(PLAIN) --skip-build --filter '^InklingCommandTests\.'

check-checks: ## plants violations and requires that the static checks find them
	@.ci/setup checks
	@$(PATIENTLY) $(CHECK)/self_test.py

vectors-check: setup ## checks that the generator writes these vector files and that their headers are right
	cd Vectors && $(PATIENTLY) $(PYTHON) -m generator check
	@$(CHECK)/vectors.py
	@Tests/Rigs/hostile-inputs/census.py

# The trait changes only the targets of these suites, as a static check ensures; test-plain has run the others. The tests of
# real time mostly wait: the two suites run at once, in processes of their own. The second begins when the first runs tests: both
# open the database of the build, and one would find it locked.
test-node: setup ## builds with the trait Node and tests what differs with it
	@.ci/resolve .build/node
	export INKLING_SUITES="$(REAL_TIME_SUITES)"; $(SWIFT) build $(NODE) --build-tests || exit 1; \
	said=$$(mktemp); \
	$(SWIFT) test $(NODE) --skip-build --ignore-lock --filter '^InklingLinuxTests\.' >$$said 2>&1 & linux=$$!; \
	while kill -0 $$linux 2>/dev/null && ! grep -q 'Test run started' $$said; do sleep 0.1; done; \
	$(SWIFT) test $(NODE) --skip-build --ignore-lock --filter '^InklingCommandTests\.' --skip $(UNCHANGED_VERBS); status=$$?; \
	wait $$linux; others=$$?; cat $$said; rm -f $$said; \
	[ $$others -eq 0 ] && exit $$status

linkage: setup build ## checks what the products link, how large the command line is, and the installation
	@Tests/Examples/swift/check
	@$(PLAIN_BUILD) --quiet
	@Tests/Rigs/linkage/check
	@Tests/Rigs/linkage/install
	@Tests/Examples/node/check

shims: setup build ## checks that the shims conform and that every fault planted in the reference is found
	@$(PYTHON) Tests/Rigs/shims/check

first-contact: setup build ## explores two sides of first contacts, and finds every weaker reading that is planted
	@.ci/setup models
	@$(PATIENTLY) $(PYTHON) Tests/Rigs/first-contact/check

sync: setup ## visits all orders of the steps of the delivery of texts, and finds every weaker reading that is planted
	@.ci/setup models
	@$(PATIENTLY) $(PYTHON) Tests/Rigs/sync/check

sync-long: setup ## does the same with a third session, which takes minutes
	@.ci/setup models
	@$(PATIENTLY) $(PYTHON) Tests/Rigs/sync/check long

tls-psk: setup build ## opens TLS links between processes of OpenSSL with the keys of a handshake, and finds every planted fault
	@.ci/setup tls
	@$(PATIENTLY) $(PYTHON) Tests/Rigs/tls-psk/check

c-interface: c-library ## checks the C library: its exports, and C and C++ programs under sanitizers and valgrind
	@.ci/setup c python
	@Tests/Rigs/c-interface/check

constant-time: setup ## runs every operation on poisoned secrets under valgrind, in debug and release
	@Tests/Rigs/constant-time/check

constant-time-short: setup ## the same in release alone
	@$(PATIENTLY) Tests/Rigs/constant-time/check release

arm64: ## cross-compiles the kernels in C for arm64 and runs them under emulation
	@.ci/setup arm64
	@$(PATIENTLY) Tests/Rigs/arm64/check

fuzz-short: setup ## replays past failures and the inputs that find the planted bugs, and fuzzes each parser briefly
	@$(PATIENTLY) Tests/Rigs/fuzzing/fuzz gate $(SHORT_SECONDS)

unlinkability-short: setup build ## plays 10,000 games at each distance, with fixed seeds, and finds every planted leak
	@.ci/setup games
	$(SWIFT) build $(RELEASE) --product InklingUnlinkability
	@$(PATIENTLY) $(PYTHON) Tests/Rigs/unlinkability/unlinkability short

live: setup build ## tests live runs of our node, of another implementation, and of faulty nodes
	@Tests/Rigs/live/check

# Each row of the table with 12 node-epochs, and no old behaviour; `check` says whether they still fit the sources.
attacks-short: setup build c-library ## attacks nodes on real links, briefly
	@.ci/setup c
	@$(WITH_PYTHON) Tests/Rigs/attacks/attacks --short

# A thousand of each, with the controls that must lose something.
durability: setup ## kills processes, cuts the power and sets clocks wrong under vaults and their messages: nothing that was acknowledged is lost
	@.ci/setup c
	$(SWIFT) build $(NODE) --product InklingDurabilityPeer
	@$(PATIENTLY) python3 Tests/Rigs/durability/durability

durability-short: setup ## the same, briefly
	@.ci/setup c
	$(SWIFT) build $(NODE) --product InklingDurabilityPeer
	@$(PATIENTLY) python3 Tests/Rigs/durability/durability --short

# test-node runs each check of run.py by name.
network: setup build ## runs the other rigs of Tests/Rigs/network
	@$(SWIFT) build $(NODE) --product InklingNetworkPeer
	@for rig in $(sort $(filter-out %/run.py,$(wildcard Tests/Rigs/network/*.sh Tests/Rigs/network/*.py))); do \
		if [ -x "$$rig" ]; then echo "── $$rig"; $(WITH_PYTHON) "$$rig" || exit 1; fi; \
	done

test-radio: setup build ## checks the Bluetooth rigs, and runs nodes in them: a real bluetoothd in machines whose time skips
	@.ci/setup radio
	@$(PATIENTLY) Tests/Rigs/radio/check
	@$(PATIENTLY) Tests/Rigs/radio/nodes
	@$(PATIENTLY) Tests/Rigs/radio/epochs
	@$(WITH_PYTHON) Tests/Rigs/radio/second-opinion
	@$(WITH_PYTHON) Tests/Rigs/radio/strangers
	@$(WITH_PYTHON) Tests/Rigs/radio/proxied

radio-figures: setup build ## measures meetings, rotations and floods of strangers over Bluetooth, beside a real bluetoothd
	@.ci/setup radio
	@$(WITH_PYTHON) Tests/Rigs/radio/figures

radio-short: setup build ## runs two nodes over Bluetooth in a virtual machine, for four epochs with links
	@.ci/setup radio
	@$(PATIENTLY) Tests/Rigs/radio/nodes links

radio-long: setup build ## runs a thousand epochs of real rotations
	@.ci/setup radio
	@$(PATIENTLY) Tests/Rigs/radio/epochs --long

documents: setup build c-library ## runs the commands and compiles the Swift and the C of README.md and Specs
	@.ci/setup c
	@$(CHECK)/documents.py

.PHONY: verify-links verify-floods

# The program of the debug build is linked once more with the Swift runtime inside, as the guest needs it.
verify-links: setup ## runs the rigs of links in guests whose time is virtual, and finds each old behaviour that does not need a flood
	@.ci/setup radio
	@.ci/resolve .build/node
	INKLING_OPTIMISED=1 $(SWIFT) build $(NODE) --build-tests --explicit-target-dependency-import-check error
	@for product in inkling InklingNetworkPeer; do Tests/Rigs/stage/link $$product .build/stage/$$product || exit 1; done
	@Tests/Rigs/attacks/old_behaviours.py build
	@INKLING=$(CURDIR)/.build/stage/inkling Tests/Rigs/links/links --old .build/old/inkling

# In full size and in real time, which only a quiet machine has.
FLOODS := shapes names-3000 names-30000 names-bursts replay connections contact
verify-floods: setup build c-library ## runs the rows of attacks that are floods, or judge a share of a core, on this quiet machine
	INKLING_OPTIMISED=1 $(SWIFT) build $(NODE) --build-tests --explicit-target-dependency-import-check error
	@Tests/Rigs/attacks/old_behaviours.py build
	@$(WITH_PYTHON) Tests/Rigs/attacks/attacks --lanes 1 --short $(FLOODS:%=--only %) --old .build/old/inkling
