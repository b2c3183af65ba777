# SPDX-License-Identifier: MIT
"""An unmodified Linux profiles programs whose operations are known.

The expected profile comes from the program's symbols and pages, and from `spemu record` of the same
binary in qemu-user, which counts in another way.
"""
import collections
import re

import pytest

from vmlib import (AUX_COLLISION, AUX_TRUNCATED, ROOT, SPEMU, aux_flags, boot, compile_c, of_page, prepare, probed, ran,
                   records, run, segments, symbol_of, symbols)

# The interval is the period plus 1 (D17.3.4, note on PMSIRR_EL1.INTERVAL). The interval for work is 769, a prime. So a
# loop of five instructions has samples at each of them. With 1025, which is 5 x 205, only one of them would have
# samples.
PERIOD, WORK_PERIOD = 1024, 768
INTERVAL, WORK_INTERVAL = PERIOD + 1, WORK_PERIOD + 1
RETIRED, MISPREDICTED = 1 << 1, 1 << 7  # D18.2.6

SCRIPT = f"""
cd /tmp
grep -E ' (_text|_stext|_etext|__init_begin)$' /proc/kallsyms >kallsyms
cp kallsyms /host
mount --bind kallsyms /proc/kallsyms   # perf reads all of it for each recording
cp /host/busy /host/work .
dmesg | grep arm_spe_pmu >/host/probe
record() {{ # NAME EVENT ARGUMENT...
	name=$1 event=$2
	shift 2
	perf record -q -B -N -e arm_spe_0/$event -o /host/$name.data "$@" 2>/host/$name.err
}}
interrupts() {{
	sed -n 's/ *GIC.*arm_spe_pmu//p' /proc/interrupts >/host/interrupts.$1
}}
record busy period={PERIOD}/u -m,4096 ./busy 1 5 >/host/busy.out
interrupts 0
record small period={PERIOD}/u -m,64 ./busy 1 4
interrupts 1
sleep 1
interrupts 2
record work period={WORK_PERIOD},pa_enable=1,pct_enable=1/ -m,4096 ./work 20 >/host/work.out
record loads period={WORK_PERIOD},load_filter=1/u ./work 40 >/dev/null
record stores period={WORK_PERIOD},store_filter=1/u ./work 40 >/dev/null
record branches period={WORK_PERIOD},branch_filter=1/u ./work 40 >/dev/null
record either period={WORK_PERIOD},load_filter=1,branch_filter=1/u ./work 40 >/dev/null
record plain period={WORK_PERIOD},ts_enable=1/u ./work 40 >/dev/null
record jitter period={WORK_PERIOD},jitter=1/u ./work 40 >/dev/null
record retired period={WORK_PERIOD},event_filter=0x2/u ./work 40 >/dev/null
record mispredicted period={WORK_PERIOD},event_filter=0x80/u ./work 40 >/dev/null
perf mem record -o /host/mem.data ./work 40 >/dev/null 2>/host/mem.err
record slow period={WORK_PERIOD},min_latency=1000/u ./work 40 >/dev/null
interrupts 3
sleep 1
interrupts 4
dmesg >/host/dmesg
exit 0
"""


def interrupt_counts(guest, name):
    """Return the number of interrupts of each CPU."""
    return [int(n) for n in guest.text(f"interrupts.{name}").split(":")[-1].split()]


def functions_of(rows, table):
    """Return {function: samples}, by PC."""
    return collections.Counter(symbol_of(table, r["pc"]) for r in rows)


def decoded(guest, name):
    """Return the records of a recording. Check that it is complete."""
    rows, problem = records(guest.path(f"{name}.data"))
    assert not problem, f"{name}: every record decodes\n{problem[:1000]}"
    assert aux_flags(guest.path(f"{name}.data")) == 0, f"{name}: no loss"
    return rows


def operations(program, *arguments):
    """Return the counts of qemu-user: (operations, samples of each function at PERIOD)."""
    data = program + ".user.data"
    out = run(SPEMU, "record", "-o", data, "-c", PERIOD, "--machine", "none", "--", program,
              *arguments)
    found = re.search(r"([\d.]+) ([kMG]) operations", out.stderr)
    rows, _ = records(data)
    return (float(found[1]) * {"k": 1e3, "M": 1e6, "G": 1e9}[found[2]],
            functions_of(rows, symbols(program)), out.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    prepare()
    return tmp_path_factory.mktemp("guest")


@pytest.fixture(scope="module")
def busy(folder):
    return compile_c(folder, ROOT / "examples/busy.c")


@pytest.fixture(scope="module")
def work(folder):
    return compile_c(folder, ROOT / "tests/vm/linux/work.c")


@pytest.fixture(scope="module")
def guest(folder, busy, work):
    guest = boot(folder, SCRIPT)
    ran(guest, "Linux at EL1")
    return guest


def test_probe(guest):
    assert probed(guest.text("probe")) == ("0-1", 64, 1, 0x1f), "the driver's probe line"


def test_profile(guest, busy):
    counted, user, printed = operations(busy, "1", "5")
    table = symbols(busy)
    rows = decoded(guest, "busy")
    assert guest.text("busy.out") == printed, "busy: the result is right"
    # The number of operations is printed with four digits. The start of a program also depends on
    # its machine.
    expected = counted / INTERVAL
    assert abs(len(rows) - expected) <= expected * 0.002 + 4, f"busy: samples are operations / interval\n{len(rows)} of {expected}"
    guest_functions = functions_of(rows, table)
    assert guest_functions.most_common(1)[0][0] == "hash_words", "busy: the hottest function"
    for name in ("hash_words", "sort_words"):
        got, want = (c[name] / sum(c.values()) for c in (guest_functions, user))
        assert abs(got - want) < 0.01, f"busy: the share of {name} is that in qemu-user\n{got:.4f}, {want:.4f}"
    perf = run("perf", "report", "--stdio", "-n", "--no-children", "--itrace=i1i", "--sort", "comm",
               "-i", guest.path("busy.data"))
    counts = re.findall(r"^ +[\d.]+% +(\d+) +busy", perf.stdout, re.M)
    assert [int(n) for n in counts] == [len(rows)], "busy: the host's perf counts every sample"


def check_places(rows, program, name):
    """Check that PCs of the program are in its code, and data addresses in its data or on a
    stack."""
    parts = segments(program)
    code = [(a, b) for a, b, flags in parts if "E" in flags]
    mine = [r for r in rows if r.get("el") == 0 and r["pc"] < parts[-1][1]]
    bad = [r for r in mine if not any(a <= r["pc"] < b for a, b in code)]
    assert mine and not bad, f"{name}: PCs lie in code\n{bad[:5]}"
    heap_end = parts[-1][1] + (1 << 30) + (1 << 24)  # Linux starts the heap up to 1 GB after the program
    bad = [r for r in mine if "va" in r and not (parts[0][0] <= r["va"] < heap_end
                                                 or 0xaaaa00000000 <= r["va"] < 1 << 48)]
    assert not bad, f"{name}: data addresses are in the program's memory\n{bad[:5]}"


def test_small(guest, busy):
    rows, problem = records(guest.path("small.data"))
    assert not problem, f"small: every record decodes\n{problem[:1000]}"
    check_places(rows, busy, "small")
    before, after, idle = (interrupt_counts(guest, n) for n in "012")
    assert sum(after) > sum(before), f"buffer full interrupts arrive\n{before} {after}"
    assert idle == after, "no interrupt arrives while nothing is profiled"
    flags = aux_flags(guest.path("small.data"))
    assert flags & ~(AUX_TRUNCATED | AUX_COLLISION) == 0, f"small: no other AUX flags\n{hex(flags)}"
    print(f"64 pages: {sum(after) - sum(before)} interrupts, {len(rows)} records, flags {flags:#x}")


def is_loading(r):
    """Return true if PMSFCR_EL1.LD selects the record; LD and ST both select atomic operations (D24.7.12)."""
    return r["op"].startswith(("load", "atomic"))


def test_work(guest, work):
    rows = decoded(guest, "work")
    table = symbols(work)
    at = {name: (first, first + size) for first, size, name in table}
    page = {int(v, 16): int(p, 16) for v, p in
            re.findall(r"^page (\S+) (\S+)$", guest.text("work.out"), re.M)}
    by_function = collections.defaultdict(list)
    for r in rows:
        if r["el"] == 0:
            by_function[symbol_of(table, r["pc"])].append(r)
    check_places(rows, work, "work")
    for function, array, kind in (("load_words", "source", "load"),
                                  ("store_words", "sink", "store"),
                                  ("swap_words", "shared", "")):
        mine = [r for r in by_function[function] if "va" in r and r["va"] < 1 << 32]
        bad = [r for r in mine if not at[array][0] <= r["va"] < at[array][1]
               or not r["op"].startswith(kind)]
        assert len(mine) > 100 and not bad, f"work: {function} accesses {array}\n{len(mine)} {bad[:5]}"
        bad = [r for r in mine if r.get("pa") != page[r["va"] & ~4095] + (r["va"] & 4095)]
        assert not bad, f"work: physical addresses of {array} are those of pagemap\n{len(bad)} {bad[:5]}"
    check_branches(by_function, at)
    check_kernel(guest, rows)
    for queue in {r["queue"] for r in rows}:
        times = [r["timestamp"] for r in rows if r["queue"] == queue]
        assert times == sorted(times), f"work: timestamps of queue {queue} increase"
    return table


def check_branches(by_function, at):
    calls = [r for r in by_function["call_leaf"] if "indirect" in r["op"] and "target" in r]
    bad = [r for r in calls if not (r["target"] == at["leaf"][0]
                                    or at["main"][0] <= r["target"] < at["main"][1])]
    assert len(calls) > 50 and not bad, f"work: the target of an indirect call is that of the pointer\n{bad[:5]}"
    returns = [r for r in by_function["leaf"] if "target" in r]
    bad = [r for r in returns if not at["call_leaf"][0] <= r["target"] < at["call_leaf"][1]]
    assert len(returns) > 50 and not bad, f"work: the target of a return is after the call\n{bad[:5]}"
    loops = [r for r in by_function["load_words"] if r["op"].startswith("branch")
             and ", conditional" in r["op"]]
    bad = [r for r in loops if r.get("target", r["pc"] - 16) != r["pc"] - 16]
    assert len(loops) > 50 and not bad, f"work: the branch of the loop leads to its start\n{bad[:5]}"


def check_kernel(guest, rows):
    end = {name: int(value, 16) for value, name in
           re.findall(r"^(\S+) \S (\S+)$", guest.text("kallsyms"), re.M)}
    kernel = [r for r in rows if r["el"] != 0]
    # Modules are elsewhere. So are the kernel's initial functions before they are freed.
    outside = [r for r in kernel if not end["_stext"] <= r["pc"] < end["_etext"]]
    assert len(kernel) > 20 and len(outside) < len(kernel) / 20, \
        f"work: PCs of the kernel are in code\n{len(outside)} of {len(kernel)} {outside[:5]}"
    assert {r["el"] for r in kernel} == {1}, "work: the kernel runs at EL1"


def is_store(r):
    return r["op"].startswith(("store", "atomic"))


def is_branch(r):
    return r["op"].startswith("branch")


def test_filters(guest, work):
    """A filtered profile has the samples that the filter selects, in the number that the unfiltered
    profile has."""
    plain = decoded(guest, "plain")
    expected = operations(work, "40")[0] / WORK_INTERVAL
    assert abs(len(plain) - expected) < expected * 0.01, f"plain: samples are operations / interval\n{len(plain)} of {expected}"
    for name, kinds in (("loads", (is_loading,)), ("stores", (is_store,)),
                        ("branches", (is_branch,)), ("either", (is_loading, is_branch))):
        rows = decoded(guest, name)
        bad = [r for r in rows if not any(kind(r) for kind in kinds)]
        assert rows and not bad, f"{name}: all samples are of the selected kinds\n{bad[:5]}"
        want = sum(any(kind(r) for kind in kinds) for r in plain)
        assert abs(len(rows) - want) < want * 0.1 + 30, \
            f"{name}: the number of samples is that of the unfiltered profile\n{len(rows)} of {want}"
    rows = decoded(guest, "retired")
    bad = [r for r in rows if not int(r["event_bits"], 16) & RETIRED]
    assert len(rows) > 0.98 * len(plain) and not bad, \
        f"event_filter=0x2: only retired operations\n{len(rows)} of {len(plain)} {bad[:5]}"
    for name, why in (("mispredicted", "without a timing model nothing is mispredicted"),
                      ("mem", "perf mem: without a timing model nothing takes 30 cycles"),
                      ("slow", "without a timing model nothing takes 1000 cycles")):
        assert records(guest.path(f"{name}.data"))[0] == [], f"{name}: {why}"
    assert ([line for line in guest.errors.splitlines() if "without a timing model" in line] ==
            [f"spemu vm: the guest records only operations with {which}, and without a timing model operations {what}: it "
             "records nothing; use spemu vm --machine neoverse-n1 or another timing model"
             for which, what in (("the events 0x80 (PMSEVFR_EL1)", "do not have them"),
                                 ("a latency of at least 30 cycles (PMSLATFR_EL1)", "have no latency"))]), \
        "each of these filters is reported once, when it is enabled"
    bad = [r for r in plain if "timestamp" not in r]
    assert not bad, f"ts_enable: every record has a timestamp\n{bad[:5]}"
    bad = [r for r in plain if "pa" in r]
    assert not bad, f"no physical address without pa_enable\n{bad[:5]}"


def steady(rows, table):
    """Return the share of samples in load_words() whose next sample is one interval later. The loop
    has 5 operations, and 769 is 5 x 153 plus 4."""
    pcs = [r["pc"] for r in rows if symbol_of(table, r["pc"]) == "load_words"]
    # A call of the function has 53 samples. The next sample after the last of these is elsewhere.
    return sum((b - a) // 4 % 5 == WORK_INTERVAL % 5 for a, b in zip(pcs, pcs[1:])) / max(len(pcs), 1)


def test_jitter(guest, work):
    table = symbols(work)
    plain, jittered = records(guest.path("plain.data"))[0], decoded(guest, "jitter")
    assert steady(plain, table) > 0.9, f"without jitter, the interval is constant\n{steady(plain, table)}"
    assert steady(jittered, table) < 0.4, f"jitter moves the samples\n{steady(jittered, table)}"
    # Up to 255 operations are added, 127.5 on average.
    want = len(plain) * WORK_INTERVAL / (WORK_INTERVAL + 127.5)
    assert abs(len(jittered) - want) < want * 0.02, f"jitter adds to the interval\n{len(jittered)} of {want}"


def test_end(guest):
    assert interrupt_counts(guest, "4") == interrupt_counts(guest, "3"), "no interrupt arrives after the recordings"
    bad = re.findall(r".*(?:nobody cared|Call trace|WARNING:|BUG:|rcu.*stall).*", guest.text("dmesg"))
    assert not bad, "the kernel prints no warnings\n" + "\n".join(bad)
