# SPDX-License-Identifier: MIT
"""An unmodified kernel of one release of Debian at one Exception level, in strict mode:

  test_guests.py RELEASE LEVEL

Every file of the driver has the value of the SPU's register. Every attribute of an event sets its register field and
has its effect on the records. perf's own tests pass. Strict mode reports exactly the diagnostics that
docs/reference/strict-mode.md explains.
"""
import re

import spe_driver

import pytest
from vmlib import AUX_TRUNCATED, PERF_TEST, ROOT, aux_flags, boot, check_perf_test, check_strict, compile_c, prepare, ran, records

# For each level: QEMU's machine and CPU, the kernel's command line, the Exception levels at which the kernel runs and
# was started, options, and perf's tests. test_arm_spe.sh prints all samples of the smallest interval.
# test_arm_spe_fork.sh requires that a buffer fills within a second (docs/reference/qemu-system.md).
LEVELS = {
    "el1": ("virt", "max,pauth-impdef=on", "", 1, "EL1", ("--count-size", "16"), ()),
    "nvhe": ("virt,virtualization=on", "max,pauth-impdef=on", "kvm-arm.mode=nvhe", 1, "EL2",
             ("--spe", "v1p5", "--max-size", "2048", "--align", "2048", "--min-interval", "1024"),
             ("test_arm_spe_fork",)),
    "vhe": ("virt,virtualization=on", "max,pauth-impdef=on", "", 2, "EL2",
            ("--spe", "v1p5", "--min-interval", "4096"), ("test_arm_spe",)),
}
FIRST = 8192  # interval of the first recording; each recording has a different one

SCRIPT = """
cd /tmp
: >kallsyms
mount --bind kallsyms /proc/kallsyms   # perf reads all of it for each recording
cp /host/work .
uname -r >/host/release
dmesg | grep -e arm_spe_pmu -e 'CPU(s) started' >/host/probe
(cd /sys/bus/event_source/devices/arm_spe_0 && grep '' format/* caps/*) >/host/files
rm -f /host/status
record() { # NAME ATTRIBUTES MODIFIER
	[ -e "/sys/bus/event_source/devices/arm_spe_0/format/${1%.*}" ] || [ "${1%.*}" = plain ] || return
	perf record -q -B -N -e "arm_spe_0/$2/$3" -m,512 -o "$1.data" ./work 20 >/dev/null 2>"/host/$1.err"
	echo "$1 $?" >>/host/status
	cp "$1.data" /host   # Linux 7.2 cannot write perf's buffers to 9P
}
"""


def recordings():
    """Return (name, interval, attributes, modifier, Format or None) of each recording."""
    off = {name: 0 for name in ("ts_enable", "pa_enable", "pct_enable", "jitter")}  # turn off the attributes that perf sets by default
    rows = [("plain.u", off, "u", None), ("plain.k", off, "k", None), ("plain.uk", off, "", None)]
    rows += [(f"{f.name}.{f.value:x}", {**off, f.name: f.value}, "u", f) for f in spe_driver.FORMATS]
    for number, (name, attributes, modifier, what) in enumerate(rows):
        interval = FIRST + (number << 8)
        text = ",".join(f"{key}={value:#x}" for key, value in {**attributes, "period": interval}.items())
        yield name, interval, text, modifier, what


def check_probe(guest, trace, level, started):
    probe = guest.text("probe")
    pmsidr, pmbidr = (spe_driver.last_read(trace, f"{name}_EL1") for name in ("PMSIDR", "PMBIDR"))
    said = (f"[max_record_sz {1 << spe_driver.field(pmsidr, 15, 12)}, align {1 << spe_driver.field(pmbidr, 3, 0)}, ")
    assert "probed" in probe and said in probe and f"started at {started}" in probe, f"the driver's probe line\n{probe}"
    drivers = {el for register, _, el in spe_driver.accesses(trace, True) if register == "PMSIRR_EL1"}
    assert drivers == {level}, f"the driver is at EL{level}"


def check_files(guest, trace, linux):
    """The driver's files exist, and those in caps/ have the right values."""
    files = dict(re.findall(r"^(\S+?):(.*)$", guest.text("files"), re.M))
    pmsidr = spe_driver.last_read(trace, "PMSIDR_EL1")
    minor = int(next(e["spe"] for e in trace if e["type"] == "ready").partition("p")[2])
    there = {name.partition("/")[2] for name in files if name.startswith("format/")}
    assert there == {f.name for f in spe_driver.FORMATS if linux >= f.since and (not f.needs or f.needs(pmsidr, minor))}, \
        "format/ has a file for each ability of the SPU"
    caps = {name.partition("/")[2]: text for name, text in files.items() if name.startswith("caps/")}
    expected = spe_driver.caps(trace, linux)
    assert set(caps) == set(expected), "caps/ has the expected files"
    for name in sorted(set(caps) & set(expected)):
        assert caps[name] == expected[name], f"caps/{name} agrees with the registers"
    return there


def check_event(name, begun, interval, changes):
    wanted = spe_driver.expected(changes, interval)
    wrong = [{key: f"{value:#x}, not {wanted[key]:#x}" for key, value in got.items() if value != wanted[key]}
             for got in begun.get(interval, ())]
    assert wrong and not any(wrong), f"{name}: the registers of the event\n{wrong}"


def check_records(guest, name, holds):
    rows, problem = records(guest.path(f"{name}.data"))
    assert not problem or holds is False, f"{name}: every record decodes\n{problem[:1000]}"
    assert aux_flags(guest.path(f"{name}.data")) & ~AUX_TRUNCATED == 0, f"{name}: no other loss"
    if holds is False:
        assert rows == [], f"{name}: no record"
    elif holds:
        bad = [r for r in rows if not holds(r)]
        assert len(rows) > 5 and not bad, \
            f"{name}: each record has the expected members\n{len(bad)} of {len(rows)} {bad[:5]}"


def plain(name, level):
    """Return the members of a record without any attribute."""
    levels = {"plain.u": {0}, "plain.k": {level}}.get(name, {0, level})
    return lambda r: r["el"] in levels and "timestamp" not in r and "pa" not in r and f"context_el{level}" in r


MODIFIED = {"plain.k": spe_driver.PMSCR_E0 | spe_driver.PMSCR_E1, "plain.uk": spe_driver.PMSCR_E1}


def check_events(guest, trace, there, level):
    begun = spe_driver.events(trace)
    status = dict(re.findall(r"^(\S+) (\d+)$", guest.text("status"), re.M))
    for name, interval, _, _, what in recordings():
        if what and what.name not in there:
            continue
        assert status.get(name) == "0", f"{name}: perf record ends with 0"
        if status.get(name) != "0":
            print(guest.text(f"{name}.err"))
            continue
        check_event(name, begun, interval, what.changes if what else {"PMSCR_EL1": MODIFIED.get(name, 0)})
        check_records(guest, name, what.records if what else plain(name, level))


@pytest.mark.parametrize("name", LEVELS)
@pytest.mark.parametrize("release", ("bookworm", "trixie", "sid"))
def test_guest(tmp_path, release, name):
    image = prepare(release)
    machine, cpu, append, level, started, options, tests = LEVELS[name]
    script = SCRIPT + "".join(f"record {n} {text} {modifier}\n" for n, _, text, modifier, _ in recordings())
    script += "".join(PERF_TEST.format(test) for test in tests) + "exit 0\n"
    compile_c(tmp_path, ROOT / "tests/vm/linux/work.c")
    guest = boot(tmp_path, script, machine=machine, cpu=cpu, smp=1, append=append, timeout=900, image=image,
                 options=["--strict", "--trace", tmp_path / "trace.json", *options])
    ran(guest, f"{release} {name}")
    trace = guest.trace("ready", "access")
    linux = tuple(int(n) for n in re.match(r"(\d+)\.(\d+)", guest.text("release")).groups())
    print(f"Linux {guest.text('release').strip()}")
    check_probe(guest, trace, level, started)
    there = check_files(guest, trace, linux)
    check_events(guest, trace, there, level)
    check_strict(guest, name)
    for test in tests:
        check_perf_test(guest, test, name)
