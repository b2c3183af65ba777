# SPDX-License-Identifier: MIT
# A thin front for Meson and Ninja. `make demo` and `make check` are all that a user needs.

BUILD ?= build
NINJA = ninja -C $(BUILD)
# SETUP=true on a system whose packages are none of scripts/setup's business.
SETUP ?= scripts/setup
export PATH := $(abspath $(BUILD))/bin:$(PATH)

COUNT ?= 100
SEED ?= 1
PART ?= lib

.PHONY: all setup build demo demo-vm check check-long conformance mutate fuzz soak bench site format install clean

all: build

setup:
	@$(SETUP)
	@scripts/host-tools $(BUILD)/bin

$(BUILD)/build.ninja: | setup
	@meson setup $(BUILD) >/dev/null || { cat $(BUILD)/meson-logs/meson-log.txt; exit 1; }

build: setup $(BUILD)/build.ninja
	@$(NINJA) --quiet

# Records the example workload under QEMU and prints where its cycles went.
demo: build
	@scripts/demo $(BUILD)

# Boots Debian's kernel under spemu vm and profiles a workload in it with perf; the first run fetches
# QEMU and the guest's packages.
demo-vm: build
	@scripts/demo-vm $(BUILD)

# Every test and check; the last line counts them.
check: build
	@scripts/check $(BUILD)

# What takes longer, needs root or a network, and is for before a release.
check-long: build
	@$(SETUP) packages-long.txt
	@scripts/check-long $(BUILD)

# The image that tests any implementation of SPE: $(BUILD)/conformance/conformance.img and .efi.
conformance: setup $(BUILD)/build.ninja
	@$(NINJA) --quiet conformance/conformance.img conformance/conformance.efi
	@ls -l $(BUILD)/conformance/conformance.img $(BUILD)/conformance/conformance.efi

# Which small faults in PART (lib, tools or hosts) do the quick tests not notice: COUNT=n of them, SEED=n for others.
mutate: build
	@tests/mutation/mutate --part $(PART) --count $(COUNT) --seed $(SEED) $(BUILD)-mutate

# Every fuzz target by turns, SECONDS in all; make fuzz SECONDS=600
SECONDS = 120
fuzz: setup
	@scripts/fuzz $(BUILD) $(SECONDS)

# Hours of spemu vm and spemu record: does memory grow, is a record lost? HOURS=n, default 2.
soak: build
	@scripts/soak $(BUILD) $(HOURS)

# Slow-down against plain QEMU, decoder and model speeds; RUNS=n for more runs.
bench: build
	@scripts/bench $(BUILD)

# The documentation as HTML, $(BUILD)/site/index.html, with the manual pages.
site: build
	@docs/site/make-site $(BUILD)

format: setup
	@scripts/format

install: build
	@meson install -C $(BUILD)

clean:
	rm -rf $(BUILD) $(BUILD)-*
