# SPDX-License-Identifier: MIT
"""The QEMU that the tests of this folder run: PROGRAM, of SERIES ("10.0"), in FOLDER.

From the environment: SPEMU_VM_QEMU, the folder where scripts/fetch qemu-system puts its default, or instead of it
SPEMU_TEST_QEMU, any other of its folders, which has to be there.
"""
import os
import re
import subprocess
import sys

from clilib import BUILD, ROOT

OTHER = os.environ.get("SPEMU_TEST_QEMU")
FOLDER = OTHER or os.environ.get("SPEMU_VM_QEMU", ROOT / "build/qemu-system")
PLUGIN = os.environ.setdefault("SPEMU_VM_PLUGIN", str(BUILD / "hosts/qemu-system/spemu-qemu-system.so"))
SELFTEST = BUILD / "tests/vm/selftest/selftest.elf"  # the program of tests/vm/selftest
PROGRAM = os.path.join(FOLDER, "bin", "qemu-system-aarch64")
THERE = os.access(PROGRAM, os.X_OK)
if OTHER and not THERE:
    sys.exit(f"SPEMU_TEST_QEMU: there is no {PROGRAM}; 'scripts/fetch qemu-system --series SERIES {FOLDER}' makes one")


def _series():
    said = subprocess.run([PROGRAM, "--version"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60).stdout
    return re.search(r" version (\d+\.\d+)\.", said).group(1)


SERIES = _series() if THERE else None
# Options for programs without an operating system: no device but the console.
BARE = ("-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio")


def need_plugin():
    """Skip the whole file without QEMU or the plugin."""
    for there, what in ((THERE, "qemu-system-aarch64 (scripts/fetch qemu-system)"),
                        (os.path.exists(PLUGIN), "the plugin for qemu-system-aarch64")):
        if not there:
            import pytest  # scripts/checks/conformance does without

            pytest.skip(f"{what} is not there", allow_module_level=True)


def run(command, seconds, **more):
    """Return the exit status (None after a timeout), standard output and standard error."""
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False, **more)
        status = result.returncode
    except subprocess.TimeoutExpired as stopped:
        result, status = stopped, None
    output, errors = ((said or b"").decode(errors="replace").replace("\r", "") for said in (result.stdout, result.stderr))
    return status, output, errors
