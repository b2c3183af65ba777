# SPDX-License-Identifier: MIT
# Shortcuts for Meson and Ninja. `make demo` and `make check` are enough for most users.

BUILD ?= build
NINJA = ninja -C $(BUILD)
# SETUP=true skips scripts/setup, on systems that get their packages in another way.
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

# Record the example workload under QEMU and print where its cycles went.
demo: build
	@scripts/demo $(BUILD)

# Boot Debian's kernel under spemu vm and profile a workload in it with perf. The first run downloads QEMU and the
# guest's packages.
demo-vm: build
	@scripts/demo-vm $(BUILD)

# Run every test and check; the last line counts them.
check: build
	@scripts/check $(BUILD)

# Run the tests that take longer or need root or a network, before a release.
check-long: build
	@$(SETUP) packages-long.txt
	@scripts/check-long $(BUILD)

# Build the image that tests any implementation of SPE: $(BUILD)/conformance/conformance.img and .efi.
conformance: setup $(BUILD)/build.ninja
	@$(NINJA) --quiet conformance/conformance.img conformance/conformance.efi
	@ls -l $(BUILD)/conformance/conformance.img $(BUILD)/conformance/conformance.efi

# List COUNT small faults in PART (lib, tools or hosts) that the quick tests do not notice. SEED=n selects other faults.
mutate: build
	@tests/mutation/mutate --part $(PART) --count $(COUNT) --seed $(SEED) $(BUILD)-mutate

# Run the fuzz targets in turn, for SECONDS in total: make fuzz SECONDS=600
SECONDS = 120
fuzz: setup
	@scripts/fuzz $(BUILD) $(SECONDS)

# Run spemu vm and spemu record for HOURS (default 2), and check that memory is constant and no record is lost.
soak: build
	@scripts/soak $(BUILD) $(HOURS)

# Measure the slow-down against plain QEMU, and the speeds of the decoder and the model. RUNS=n sets the number of runs.
bench: build
	@scripts/bench $(BUILD)

# Build the documentation and the manual pages as HTML: $(BUILD)/site/index.html.
site: build
	@docs/site/make-site $(BUILD)

format: setup
	@scripts/format

install: build
	@meson install -C $(BUILD)

clean:
	rm -rf $(BUILD) $(BUILD)-*
