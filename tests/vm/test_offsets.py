# SPDX-License-Identifier: MIT
"""The plugin compares its offsets and QEMU's registers with the running QEMU. Each of them is made
wrong in turn. The plugin must refuse before the guest runs, with one line that names the wrong
offset or one that depends on it.

The environment variables are SPEMU, SPEMU_VM_PLUGIN (a plugin with wrong_offset.c), and those of series.py.
"""
import os
import re
import subprocess
import tempfile

import pytest

import series
from clilib import ROOT, SPEMU

if not series.THERE:
    pytest.skip("no QEMU; 'scripts/fetch qemu-system build/qemu-system' installs one", allow_module_level=True)

# Each member of struct qemu_series.offset, and its error in bytes.
WORDS = (-8, -4, 4, 8)
MEMBERS = {
    "CPUState.exclusive_context_count": WORDS,
    "CPUState.cflags_next_tb": WORDS,
    "CPUState.tcg_cflags": WORDS,
    "CPUState.exception_index": WORDS,
    "ArchCPU.env": (-64, -16, -8, 8, 16, 64),
    "CPUARMState.xregs": (-64, -8, -4, 4, 8, 64),
    "CPUARMState.pc": WORDS,
    "CPUARMState.pstate": WORDS,
    "CPUARMState.aarch64": (-8, -4, -1, 1, 4, 8),
    "CPUARMState.uncached_cpsr": WORDS,
    "ArchCPU.cp_regs": (-4096, -16, -8, 8, 16, 4096),
}
# Members of a register. If one is moved, those after it move too.
REGISTER_MEMBERS = {
    "ARMCPRegInfo.state": (-4, 4),
    "ARMCPRegInfo.type": (-4, 4),
    "ARMCPRegInfo.access": (-4, 4),
    "ARMCPRegInfo.nv2_redirect_offset": (-4, 4),
    "ARMCPRegInfo.resetvalue": (-8, 8),
    "ARMCPRegInfo.fieldoffset": (-8, 8),
    "ARMCPRegInfo.accessfn": (-8, 8),
    "ARMCPRegInfo.readfn": (-8, 8),
    "ARMCPRegInfo.writefn": (-8, 8),
    "ARMCPRegInfo.resetfn": (-8, 8),
}
# The member in env that the plugin checks first.
AT_ENV = "CPUARMState.xregs"
REMEDY = ("; use qemu-system-aarch64 10.0 or 11.1, as in Debian 13 and the backports of Debian 12 and "
          "13")


def run(wrong=None):
    environment = dict(os.environ)
    if wrong:
        environment["SPEMU_WRONG_OFFSET"] = wrong
    with tempfile.TemporaryDirectory() as folder:  # for files that the program writes
        return subprocess.run(
            [SPEMU, "vm", "--qemu", series.PROGRAM, "--quiet", "--",
             "-M", "virt,gic-version=3,secure=on,virtualization=on", "-cpu", "max", "-smp", "2",
             "-m", "128", "-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio",
             "-semihosting-config", "enable=on,target=native,arg=selftest,arg=plain",
             "-kernel", series.SELFTEST],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
            env=environment, cwd=folder)


def refuses(wrong, cause, who="spemu vm"):
    out = run(wrong)
    assert (out.returncode != 0, out.stdout, out.stderr) == (True, "", f"{who}: {cause}{REMEDY}\n")


def test_all_are_tried():
    table = (ROOT / "hosts/qemu-system/system_series.c").read_text(encoding="utf-8")
    assert set(re.findall(r"\] = \"(\w+\.\w+)\"", table)) == set(MEMBERS)


def test_right():
    out = run()
    assert out.returncode == 0 and out.stdout.split()[-1:] == ["done"], out.stderr


@pytest.mark.parametrize("member, by", [(member, by) for member, wrongs in MEMBERS.items() for by in wrongs])
def test_wrong_offset(member, by):
    refuses(f"{member} {by}", f"{AT_ENV if member == 'ArchCPU.env' else member} is not at its QEMU {series.SERIES} offset")


@pytest.mark.parametrize("member, by", [(member, by) for member, wrongs in REGISTER_MEMBERS.items() for by in wrongs])
def test_wrong_register(member, by):
    refuses(f"{member} {by}", "this QEMU has a different layout of ARMCPRegInfo")


def test_another_series():
    refuses("version", "the plugin does not support this version of QEMU", who="spemu-qemu-system")
