# SPDX-License-Identifier: MIT
"""Guests run under KVM within the guest, in strict mode, while the host profiles the monitor
(tests/vm/linux/monitor.c):

  test_kvm.py RELEASE LEVEL

A flat program and a whole Linux run at EL1. They find that KVM hides SPE from them. The host's
profile has none of their operations. Strict mode reports the defects of the kernel that
docs/reference/strict-mode.md explains, and no others.
"""
import os
import re
import shutil
import subprocess

import device_tree
import spe_driver

import pytest
from vmlib import AUX_TRUNCATED, COMPILER, ROOT, aux_flags, boot, check_strict, compile_c, prepare, ran, records

# The command line of the kernel, its message about KVM, and the Exception level at which it runs.
LEVELS = {"nvhe": ("kvm-arm.mode=nvhe", "Hyp (nVHE )?mode initialized successfully", 1),
          "vhe": ("", "VHE mode initialized successfully", 2)}
# Defects of the kernel. docs/reference/strict-mode.md explains them.
BUFFER_LEFT_ENABLED = {("regime-switched-while-enabled", register) for register in ("HCR_EL2", "MDCR_EL2")}
GUEST_PROFILING = {("register-never-written", "PMSCR_EL1"), ("context-switched-in-flight", "CONTEXTIDR_EL1")}
DEFECTS = {("bookworm", "nvhe"): BUFFER_LEFT_ENABLED, ("trixie", "nvhe"): BUFFER_LEFT_ENABLED,
           ("bookworm", "vhe"): GUEST_PROFILING, ("trixie", "vhe"): GUEST_PROFILING}
GUEST_PROFILED = {("bookworm", "vhe"), ("trixie", "vhe")}
LINUX_GUEST = 0x70000000  # link address of the guest's program, where the monitor has no code
PERIOD, LINUX_PERIOD = 4096, 32768
PMBIDR_P = 1 << 4

SCRIPT = f"""
cd /tmp
: >kallsyms
mount --bind kallsyms /proc/kallsyms   # perf reads all of it for each recording
cp /host/monitor /host/flat_guest.bin .
uname -r >/host/release
dmesg | grep -i kvm >/host/kvm
mkdir linux
cp /host/linux_guest linux/init
cp /modules/arm_spe_pmu.ko linux
(cd linux && find . | cpio -o -H newc) >initrd 2>/dev/null
rm -f /host/status
record() {{ # NAME EVENT ARGUMENT...
	name=$1 event=$2
	shift 2
	perf record -q -B -N -e "arm_spe_0/period=$event" -m,1024 -o $name.data ./monitor "$@" \\
		>/host/$name.out 2>/host/$name.err
	echo "$name $?" >>/host/status
	cp $name.data /host   # Linux 7.2 cannot write perf's buffers to 9P
}}
record flat {PERIOD}/ flat_guest.bin
record flat_host {PERIOD}/H flat_guest.bin
record linux {LINUX_PERIOD}/ /host/vmlinuz initrd /host/tree
exit 0
"""


def constants():
    """Return the constants of monitor.h."""
    with open(os.path.join(ROOT, "tests/vm/linux/monitor.h"), encoding="utf-8") as file:
        return {name: int(value, 16) for name, value in re.findall(r"#define MONITOR_(\w+) (0x\w+)", file.read())}


def tree(at):
    """Return the device tree of the guest's Linux. The memory after the archive is 0, which Linux
    skips."""
    high = 4  # active-high level-sensitive, for a PPI
    timers = [word for ppi in (13, 14, 11, 10) for word in (1, ppi, high)]
    return device_tree.blob({
        "#address-cells": 2, "#size-cells": 2, "compatible": "linux,dummy-virt", "interrupt-parent": 1,
        "chosen": {"bootargs": f"earlycon=pl011,{at['CONSOLE']:#x} keep_bootcon quiet panic=-1",
                   "linux,initrd-start": at["INITRD"], "linux,initrd-end": at["TREE"]},
        f"memory@{at['MEMORY']:x}": {"device_type": "memory", "reg": [0, at["MEMORY"], 0, at["MEMORY_SIZE"]]},
        "cpus": {"#address-cells": 1, "#size-cells": 0,
                 "cpu@0": {"device_type": "cpu", "compatible": "arm,armv8", "reg": 0, "enable-method": "psci"}},
        "psci": {"compatible": ["arm,psci-1.0", "arm,psci-0.2"], "method": "hvc"},
        "timer": {"compatible": "arm,armv8-timer", "interrupts": timers, "always-on": True},
        f"intc@{at['GICD']:x}": {"compatible": "arm,gic-v3", "#interrupt-cells": 3, "interrupt-controller": True,
                                 "phandle": 1, "reg": [0, at["GICD"], 0, 0x10000, 0, at["GICR"], 0, 0x20000]},
        "spe-pmu": {"compatible": "arm,statistical-profiling-extension-v1", "interrupts": [1, 5, high]},
    })


def make_guests(folder, image, at):
    source = os.path.join(ROOT, "tests/vm/linux")
    compile_c(folder, f"{source}/monitor.c")
    compile_c(folder, f"{source}/linux_guest.c", f"-Wl,-Ttext-segment={LINUX_GUEST:#x}")
    flat = f"{folder}/flat_guest"
    subprocess.run([COMPILER, "-O2", "-Wall", "-Werror", "-ffreestanding", "-nostdlib", "-static", "-fno-pie",
                    "-fno-pic", "-fno-toplevel-reorder", "-mgeneral-regs-only", "-mstrict-align",
                    "-fno-stack-protector", f"-Wl,-Ttext={at['IMAGE']:#x},--build-id=none",
                    f"{source}/flat_guest.c", "-o", flat], check=True)
    subprocess.run(["aarch64-linux-gnu-objcopy", "-O", "binary", flat, f"{flat}.bin"], check=True)
    with open(f"{folder}/tree", "wb") as file:
        file.write(tree(at))
    shutil.copy(f"{image}/vmlinuz", folder)


def check_flat(guest, name):
    """Check that the flat guest finds no register of SPE and that ID_AA64DFR0_EL1.PMSVer is 0.
    Without a fine-grained trap, it can read PMBIDR_EL1, which says that a higher Exception level
    owns the buffer (D24.7.1)."""
    said = dict(re.findall(r"^(\w+) (\S+)$", guest.text(f"{name}.out"), re.M))
    features = int(said.pop("ID_AA64DFR0_EL1", "0xf00000000"), 16)
    assert spe_driver.field(features, 35, 32) == 0, f"{name}: PMSVer is 0"
    pmbidr = said.pop("PMBIDR_EL1", "0x0")
    assert pmbidr == "UNDEFINED" or int(pmbidr, 16) & PMBIDR_P, f"{name}: the guest does not own the buffer\n{pmbidr}"
    assert said == {f"{r}_EL1": "UNDEFINED" for r in ("PMSIDR", "PMSCR", "PMBLIMITR")}, f"{name}: the registers of SPE are UNDEFINED"
    assert guest.text(f"{name}.out").endswith("end\n"), f"{name}: the guest finishes\n" + guest.text(f"{name}.err")


def check_linux(guest):
    said = guest.text("linux.out")
    assert "unsupported ID_AA64DFR0_EL1.PMSVer [0]" in said and "guest: no arm_spe_0" in said, f"linux: the driver finds no SPE\n{said}"
    assert "guest: end" in said, "linux: the guest finishes\n" + said + guest.text("linux.err")


def check_profiled(guest, name, inside):
    """Check a kernel without commit efad60e46057. PMSCR_EL1 keeps its value from reset, which is
    UNKNOWN and enables EL1 with this seed."""
    rows, _ = records(guest.path(f"{name}.data"))
    mine = [r for r in rows if r["el"] == 1]
    assert mine, f"{name}: the reset value of PMSCR_EL1 causes samples of the guest"
    bad = [r for r in mine if "context_el1" not in r]
    assert not bad and any(inside[0] <= r["pc"] < inside[1] for r in mine), \
        f"{name}: these samples belong to the guest\n{bad[:5]}"


def check_host(guest, name, level, inside):
    """Check that all samples belong to the host. The loop of the guest's program has at least 20
    million operations, but no samples."""
    rows, problem = records(guest.path(f"{name}.data"))
    assert not problem, f"{name}: every record decodes\n{problem[:1000]}"
    assert aux_flags(guest.path(f"{name}.data")) & ~AUX_TRUNCATED == 0, f"{name}: no other loss"
    levels = {r["el"] for r in rows}
    assert levels | {0} == {0, level}, f"{name}: all samples are at EL{level} and EL0"
    first, end = inside
    bad = [r for r in rows if first <= r["pc"] < end]
    assert len(rows) > 20 and not bad, f"{name}: no sample belongs to the guest\n{len(rows)}, {len(bad)}: {bad[:3]}"
    contexts = {key for r in rows for key in r if key.startswith("context")}
    assert contexts == {f"context_el{level}"}, f"{name}: the context is that of the host"
    print(f"{name}: {len(rows)} samples")


def check_switches(guest):
    """Check that EL2 disables the host's profile at EL1 when it enters a guest, and enables it
    again afterwards."""
    written = [int(e["value"], 16) for e in guest.trace("access")
               if e["write"] and e["el"] == 2 and e["register"] == "PMSCR_EL1"]
    enabled = [value for value in written if value]
    assert len(enabled) > 10 and written == [0, enabled[0]] * len(enabled), \
        f"PMSCR_EL1 is switched at each entry of a guest\n{written[:20]}"


@pytest.mark.parametrize("name", LEVELS)
@pytest.mark.parametrize("release", ("bookworm", "trixie", "sid"))
def test_kvm(tmp_path, release, name):
    image = prepare(release)
    append, said, level = LEVELS[name]
    at = constants()
    flat_code = at["IMAGE"], at["IMAGE"] + 0x10000
    make_guests(tmp_path, image, at)
    guest = boot(tmp_path, SCRIPT, machine="virt,virtualization=on", smp=1, append=append, timeout=900, image=image,
                 options=["--strict", "--trace", tmp_path / "trace.json"])
    ran(guest, f"{release} {name}")
    print(f"Linux {guest.text('release').strip()}")
    assert re.search(said, guest.text("kvm")), f"KVM: {said}\n" + guest.text("kvm")
    assert guest.text("status") == "flat 0\nflat_host 0\nlinux 0\n", "the monitor and perf end with 0"
    for flat in ("flat", "flat_host"):
        check_flat(guest, flat)
    check_linux(guest)
    if (release, name) in GUEST_PROFILED:
        check_profiled(guest, "flat", flat_code)
    else:
        check_host(guest, "flat", level, flat_code)
        check_host(guest, "flat_host", level, flat_code)
        check_host(guest, "linux", level, (LINUX_GUEST, LINUX_GUEST + 0x1000000))
    if name == "nvhe":
        check_switches(guest)
    check_strict(guest, name, DEFECTS.get((release, name), set()), flat_code)
