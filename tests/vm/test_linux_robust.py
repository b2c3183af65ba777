# SPDX-License-Identifier: MIT
"""Linux on eight CPUs under stress: all CPUs profiled at once, CPU hotplug, killed recorders,
snapshots, a driver that is unloaded and loaded again, buffers of all sizes, atomics under dense
sampling, and a reboot. All written data are read, no interrupt stays pending, and every loss is
reported.
"""
import re
import struct

import pytest

from vmlib import (AUX_OVERWRITE, AUX_TRUNCATED, ROOT, TYPE_AUXTRACE, aux_flags, boot, compile_c, events, prepare, ran,
                   records, symbol_of, symbols)

COMMON = """
cd /tmp
: >kallsyms
mount --bind kallsyms /proc/kallsyms   # perf reads all of it for each recording
cp /host/busy /host/progress .
begin() {{ # NAME EVENT ARGUMENT...
	name=$1 event=$2
	shift 2
	exec timeout 90 perf record -q -B -N -e arm_spe_0/$event -o $name.data "$@" 2>/host/$name.err
}}
finish() {{
	cp $1.data /host
	dmesg -c >>/host/dmesg
}}
record() {{
	(begin "$@" >/host/$1.out)
	echo "$1 $?" >>/host/status
	finish $1
}}
interrupts() {{
	sed -n 's/ *GIC.*arm_spe_pmu//p' /proc/interrupts >/host/interrupts.$1
}}
until_busy() {{
	until pidof busy >/dev/null; do usleep 10000; done
}}
"""

MANY = COMMON.format() + """
record all period=4096/ -a -m,512 ./busy 8 1
record progress period=256/ -m,1024 ./progress 8 600
record page period=4096/ -a -m,2 ./busy 2 1
record large period=4096/u -m,16384 ./busy 2 1
interrupts 0

(begin hotplug period=65536/ -a -m,256 ./busy 3 200 >/dev/null) &
until_busy
for state in 0 1; do
	for cpu in 1 3 5; do
		echo $state >/sys/devices/system/cpu/cpu$cpu/online || echo "hotplug $cpu" >>/host/status
	done
done
killall busy
wait
finish hotplug
interrupts 1

(begin snapshot period=4096/u -S -m,64 ./busy 1 1000 >/dev/null) &
until_busy
for i in 1 2; do
	usleep 500000
	kill -USR2 $(pidof perf)
done
usleep 500000
killall busy
wait
finish snapshot

for i in 1 2; do
	perf record -q -B -N -e arm_spe_0/period=256/ -a -o killed.data ./busy 3 1000 >/dev/null 2>&1 &
	until_busy
	usleep 200000
	kill -9 $(pidof perf)
	wait
	killall busy
done
interrupts 2
sleep 1
interrupts 3

for i in 1 2 3; do
	record short$i period=256/u -m,16 true
done
rmmod arm_spe_pmu && insmod /modules/arm_spe_pmu.ko
echo "driver $?" >>/host/status
record again period=1024/u ./busy 1 1
dmesg >>/host/dmesg
exit 0
"""

STAYING = (0, 2, 4, 6, 7)  # CPUs that stay online during hotplug

REBOOT = COMMON.format() + """
if [ ! -e /host/first.data ]; then
	record first period=1024/ ./busy 2 2
	sync
	reboot -f
fi
record second period=1024/ ./busy 2 2
exit 0
"""

COMPLAINTS = r".*(?:nobody cared|Call trace|WARNING:|BUG:|rcu.*stall|Unexpected).*"


def interrupt_counts(guest, name):
    return [int(n) for n in guest.text(f"interrupts.{name}").split(":")[-1].split()]


def whole(guest, name, flags=0, queues=()):
    """Return all records of a recording, or those of some CPUs. `flags` are the losses that the
    driver may report."""
    rows, problem = records(guest.path(f"{name}.data"), queues)
    assert rows and not problem, f"{name}: every record decodes\n{len(rows)} {problem[:1000]}"
    told = aux_flags(guest.path(f"{name}.data"))
    assert told & ~flags == 0, f"{name}: no other loss\nAUX flags {told:#x}"
    for queue in sorted({r["queue"] for r in rows}):
        times = [r["timestamp"] for r in rows if r["queue"] == queue]
        if times != sorted(times):
            assert False, f"{name}: timestamps of queue {queue} increase"
    print(f"{name}: {len(rows)} records of {len({r['queue'] for r in rows})} CPUs")
    return rows


def check_snapshot(guest):
    """Check the last records of each CPU. Only the first record of a snapshot may be cut, because
    newer records overwrite it."""
    path = guest.path("snapshot.data")
    rows, problem = records(path)
    begins = {(struct.unpack_from("<I", body, 24)[0], struct.unpack_from("<Q", body, 8)[0])
              for kind, _, body in events(path) if kind == TYPE_AUXTRACE}
    cut = [(int(q), int(at, 16)) for q, at in
           re.findall(r"queue (\d+): \d+ bytes at offset (\S+) are not records", problem)]
    inside = all(any(q == queue and 0 <= at - first < 64 for queue, first in begins)
                 for q, at in cut)
    assert len(begins) >= 2 and inside, f"snapshot: complete except for the first record\n{problem}{begins}"
    assert aux_flags(path) & ~(AUX_TRUNCATED | AUX_OVERWRITE) == 0, "snapshot: no other loss"
    print(f"snapshot: {len(rows)} records in {len(begins)} pieces")
    return [r for r in rows if "pc" in r]


def complaints(guest):
    bad = re.findall(COMPLAINTS, guest.text("dmesg"))
    assert not bad, "the kernel prints no warnings\n" + "\n".join(bad)


def hash_share(rows, table):
    """Return the share of hash_words() in the samples of the program."""
    names = [symbol_of(table, r["pc"]) for r in rows if r["el"] == 0]
    return names.count("hash_words") / max(len(names), 1)


def check_many(guest, program):
    table = symbols(program)
    assert {line for line in guest.text("status").splitlines() if not line.endswith(" 0")} == set(), \
        "every recording and every change ended with 0"
    rows = whole(guest, "all")
    assert len({r["queue"] for r in rows}) == 8, "all: eight CPUs are profiled"
    assert hash_share(rows, table) > 0.5, f"all: the hottest function\n{hash_share(rows, table)}"
    whole(guest, "progress", AUX_TRUNCATED)
    assert guest.text("progress.out") == "exclusives right\nldadd right\ncas right\n", \
        "atomics and exclusives make progress under dense sampling"
    whole(guest, "page", AUX_TRUNCATED)
    whole(guest, "large")
    assert sum(interrupt_counts(guest, "0")) > 2, "buffer full interrupts\n" + guest.text("interrupts.0")
    # When a CPU goes offline, the driver resets PMBPTR_EL1 and then uses it as the end of the written data. So perf
    # gets one piece of a nonsensical size from this CPU.
    rows = whole(guest, "hotplug", AUX_TRUNCATED, STAYING)
    assert {r["queue"] for r in rows} == set(STAYING), "hotplug: the CPUs that stay are profiled"
    rows = check_snapshot(guest)
    assert hash_share(rows, table) > 0.5, f"snapshot: the hottest function\n{hash_share(rows, table)}"
    assert interrupt_counts(guest, "3") == interrupt_counts(guest, "2"), \
        "no interrupt arrives after recorders were killed"
    for i in range(1, 4):
        whole(guest, f"short{i}", AUX_TRUNCATED)
    whole(guest, "again")


def check_reboot(guest, program):
    table = symbols(program)
    assert guest.text("status") == "first 0\nsecond 0\n", "both recordings end with 0"
    total = 0
    for name in ("first", "second"):
        rows = whole(guest, name)
        total += len(rows)
        assert hash_share(rows, table) > 0.5, f"{name}: the hottest function"
    assert guest.text("first.out") == guest.text("second.out"), "the same result after the reboot"
    assert sum(e["recorded"] for e in guest.trace() if e["type"] == "summary") == total, "every record that was written is in a recording"
    assert sum(e["type"] == "reset" for e in guest.trace()) >= 1, "the SPU was reset"


@pytest.fixture
def busy(tmp_path):
    prepare()
    compile_c(tmp_path, ROOT / "tests/vm/linux/progress.c")
    return compile_c(tmp_path, ROOT / "examples/busy.c")


def test_eight_cpus(tmp_path, busy):
    guest = boot(tmp_path, MANY, smp=8)
    ran(guest, "eight CPUs")
    check_many(guest, busy)
    complaints(guest)


def test_reboot(tmp_path, busy):
    guest = boot(tmp_path, REBOOT, smp=1, options=["--trace", tmp_path / "trace.json"])
    ran(guest, "reboot of one CPU")
    check_reboot(guest, busy)
    complaints(guest)
