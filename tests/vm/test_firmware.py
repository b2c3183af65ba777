# SPDX-License-Identifier: MIT
"""Trusted Firmware-A at EL3 (scripts/fetch tf-a) enters an unmodified Linux at EL2, in strict mode.

On each CPU, EL3 gives the Profiling Buffer to Non-secure state before the first register access of
the kernel. Strict mode reports the defects of the kernel that docs/reference/strict-mode.md
explains, and none of the firmware. While CPUs are profiled, one CPU is taken offline and returns,
which is the work of EL3 (PSCI).
"""
import os
import time

import device_tree
import series

import pytest
from vmlib import AUX_TRUNCATED, IMAGE, QEMU, ROOT, SPEMU, Guest, aux_flags, check_strict, compile_c, prepare, ran, records, run

RELEASE = "trixie"
MACHINE, CPU = "virt,secure=on,virtualization=on,gic-version=3", "max,pauth-impdef=on"
KERNEL = 0x40200000  # where the firmware of scripts/fetch tf-a expects the kernel
# MDCR_EL3 (D24.3): Non-secure state owns the buffer, which is not trapped, and Realm state does not. PMSNEVFR_EL1 is
# not trapped.
NSPB, NSPB_NONSECURE, NSPBE, ENPMSN = 3 << 12, 3 << 12, 1 << 11, 1 << 36

SCRIPT = """
cd /tmp
: >kallsyms
mount --bind kallsyms /proc/kallsyms   # perf reads all of it for each recording
cp /host/work .
dmesg | grep -e arm_spe_pmu -e 'CPU(s) started' -e psci >/host/probe
rm -f /host/status
perf record -q -B -N -e arm_spe_0/period=8192,inv_event_filter=0x80/u -m,512 -o user.data ./work 50 >/dev/null
echo "user $?" >>/host/status
perf record -q -B -N -a -e arm_spe_0/period=32768/ -m,512 -o all.data sh -c '
	for state in 0 1 0 1; do
		echo $state >/sys/devices/system/cpu/cpu1/online || exit 1
		./work 20 >/dev/null
	done'
echo "all $?" >>/host/status
cp *.data /host
dmesg >/host/dmesg
exit 0
"""


def make_tree(folder, image, arguments):
    """Write QEMU's device tree for a Linux that it would start with this command line. Return
    (path, address of the initrd)."""
    path = f"{folder}/tree"
    made = run(series.PROGRAM, "-M", f"{MACHINE},acpi=off,dumpdtb={path}", *arguments, "-kernel", f"{image}/vmlinuz",
               "-initrd", f"{image}/initrd", "-append", "console=ttyAMA0 quiet spemu.share spemu.run=\"sh /host/run\"")
    if not os.path.exists(path):
        raise SystemExit(f"QEMU writes no device tree: {made.stderr}")
    with open(path, "rb") as file:
        found = {(node, name): value for node, name, value in device_tree.properties(file.read())}
    return path, int.from_bytes(found["/chosen", "linux,initrd-start"], "big")


def check_enabled(trace):
    """Check on each CPU that EL3 has written MDCR_EL3 before the first register access of
    Non-secure software."""
    for vcpu in (0, 1):
        mine = [e for e in trace if e.get("vcpu") == vcpu]
        first = next(i for i, e in enumerate(mine) if e["type"] == "access" and e["security"] == "Non-secure")
        written = [int(e["value"], 16) for e in mine[:first] if e["type"] == "control" and e["register"] == "MDCR_EL3"]
        value = written[-1] if written else 0
        assert (value & NSPB, value & NSPBE, value & ENPMSN) == (NSPB_NONSECURE, 0, ENPMSN), \
            f"CPU {vcpu}: MDCR_EL3 gives the buffer to Non-secure state"


def boot(folder, image, firmware):
    """Boot the guest as vmlib does, but through firmware."""
    with open(f"{folder}/run", "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    arguments = ["-cpu", CPU, "-smp", "2", "-m", "1G", "-nographic", "-nic", "none",
                 "-virtfs", f"local,path={folder},mount_tag=host,security_model=none"]
    path, initrd = make_tree(folder, image, arguments)
    command = [SPEMU, "vm", "--qemu", f"{QEMU}/bin/qemu-system-aarch64", "--strict",
               "--trace", f"{folder}/trace.json", "--", "-M", MACHINE, *arguments, "-dtb", path,
               "-bios", f"{firmware}/flash.bin",
               "-device", f"loader,file={image}/vmlinuz,addr={KERNEL:#x},force-raw=on",
               "-device", f"loader,file={image}/initrd,addr={initrd:#x},force-raw=on"]
    begin = time.monotonic()
    made = run(*command, timeout=600)
    return Guest(folder, made.stdout.replace("\r", ""), made.stderr, made.returncode, time.monotonic() - begin)


def check_profile(guest, name, levels):
    rows, problem = records(guest.path(f"{name}.data"))
    assert len(rows) > 100 and not problem, f"{name}: every record decodes\n{len(rows)} {problem[:1000]}"
    assert aux_flags(guest.path(f"{name}.data")) & ~AUX_TRUNCATED == 0, f"{name}: no other loss"
    assert {r["el"] for r in rows} == levels, f"{name}: the Exception levels of the samples"


def test_firmware(tmp_path):
    image = prepare(RELEASE)
    firmware = f"{IMAGE}-tf-a"
    made = run(f"{ROOT}/scripts/fetch", "tf-a", firmware, timeout=900)
    if made.returncode:
        pytest.skip((made.stderr.strip().splitlines() or ["scripts/fetch tf-a"])[-1])
    compile_c(tmp_path, ROOT / "tests/vm/linux/work.c")
    guest = boot(tmp_path, image, firmware)
    ran(guest, "TF-A and Linux")
    assert "BL31: Built" in guest.console, f"the runtime of TF-A prints its version\n{guest.console[:500]}"
    assert "started at EL2" in guest.text("probe"), "Linux starts at EL2\n" + guest.text("probe")
    assert guest.text("status") == "user 0\nall 0\n", "the recordings end with 0"
    check_enabled(guest.trace("access", "control"))
    check_profile(guest, "user", {0})
    assert any(e["el"] == 3 for e in guest.trace("exception")), "EL3 is entered while a CPU is profiled"
    check_strict(guest, "TF-A and Linux")
