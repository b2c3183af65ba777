# SPDX-License-Identifier: MIT
"""An unmodified Linux counts the SPU's PMU events with perf stat. The counts equal those of the plugin exactly.

Here, SAMPLE_POP, SAMPLE_FEED and SAMPLE_FILTRATE only happen at EL0, where the kernel's counters on
all CPUs are always enabled. So perf's counts equal the totals of `spemu vm`.
"""

from vmlib import ROOT, boot, compile_c, events, prepare, ran, records

PERIOD = 1024
OVERFLOW_PERIOD = 100000
PERF_RECORD_SAMPLE = 9

# stat NAME COMMAND: count the three events on all CPUs while the command runs.
SCRIPT = f"""
cd /tmp
cp /host/work .
ls /sys/bus/event_source/devices/armv8_pmuv3*/events >/host/names
stat() {{
	perf stat -a -x, -o /host/$1.stat -e r4000,r4001,r4002,r4000:k "$2" "$3" "$4"
}}
spe=arm_spe_0/period={PERIOD}/u
stat record sh -c "perf record -q -B -N -e $spe -m,4096 -o /host/record.data ./work 20 >/dev/null"
stat filter sh -c "perf record -q -B -N -e arm_spe_0/period={PERIOD},store_filter=1/u -m,4096 -o /host/filter.data ./work 20 >/dev/null"
stat overflow sh -c "perf record -q -B -N -e $spe -e r4000:u -c {OVERFLOW_PERIOD} -m,4096 -o /host/overflow.data ./work 20 >/dev/null"
stat idle ./work 5 >/dev/null
exit 0
"""


def counts(guest, name):
    """Return the counts of perf stat: SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, and SAMPLE_POP of the kernel."""
    lines = [line.split(",") for line in guest.text(f"{name}.stat").splitlines() if ",r4" in line]
    assert len(lines) == 4 and all(line[0].isdigit() for line in lines), \
        f"{name}: perf stat counts all events\n" + guest.text(f"{name}.stat")
    return [int(line[0]) for line in lines]


def test_events(tmp_path):
    prepare()
    compile_c(tmp_path, ROOT / "tests/vm/linux/work.c")
    guest = boot(tmp_path, SCRIPT, options=("--trace", tmp_path / "trace.json"))
    ran(guest, "events")
    assert {"sample_pop", "sample_feed", "sample_filtrate", "sample_collision"} <= set(guest.text("names").split()), \
        "sysfs has the events of PMCEID0_EL0\n" + guest.text("names")
    phases = {name: counts(guest, name) for name in ("record", "filter", "overflow", "idle")}
    print(f"SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_POP at EL1: {phases}")
    totals = [line for line in guest.trace() if line["type"] == "summary"]
    for at, name, key in ((0, "SAMPLE_POP", "population"), (1, "SAMPLE_FEED", "samples"),
                          (2, "SAMPLE_FILTRATE", "recorded")):
        assert sum(phase[at] for phase in phases.values()) == sum(t[key] for t in totals), \
            f"perf stat: {name} equals the count of the plugin"
    assert [phase[3] for phase in phases.values()] == [0] * 4, "the kernel has no counts"
    assert phases["idle"] == [0] * 4, "without profiling, the counts are 0"
    for name in ("record", "filter"):
        rows, problem = records(guest.path(f"{name}.data"))
        assert not problem, f"{name}: every record decodes\n{problem[:1000]}"
        assert phases[name][2] == len(rows), f"{name}: SAMPLE_FILTRATE is the number of perf's records"
    assert 0 < phases["filter"][2] < phases["filter"][1] / 2, "a filter makes SAMPLE_FILTRATE less than SAMPLE_FEED"
    taken = sum(kind == PERF_RECORD_SAMPLE for kind, _, _ in events(guest.path("overflow.data")))
    assert 0 <= phases["overflow"][0] - taken * OVERFLOW_PERIOD < 2 * OVERFLOW_PERIOD and taken > 10, \
        f"perf record samples SAMPLE_POP, an interrupt for each period\n{taken}, {phases['overflow'][0]}"
