# SPDX-License-Identifier: MIT
"""Find the QEMU for the tests of this folder: PROGRAM, of SERIES (for example "10.0"), in FOLDER.

The environment variable SPEMU_VM_QEMU names the default folder of scripts/fetch qemu-system.
Alternatively, SPEMU_TEST_QEMU names another folder of this kind, which must exist.
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
# Options for programs without an operating system. The console is the only device.
BARE = ("-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio")


def need_plugin():
    """Skip the whole file if QEMU or the plugin is missing."""
    for there, what in ((THERE, "qemu-system-aarch64 (scripts/fetch qemu-system)"),
                        (os.path.exists(PLUGIN), "the plugin for qemu-system-aarch64")):
        if not there:
            import pytest  # not at the top, because scripts/checks/conformance runs without pytest

            pytest.skip(f"{what} is missing", allow_module_level=True)


def run(command, seconds, **more):
    """Return the exit status (None after a timeout), standard output and standard error."""
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False, **more)
        status = result.returncode
    except subprocess.TimeoutExpired as stopped:
        result, status = stopped, None
    output, errors = ((said or b"").decode(errors="replace").replace("\r", "") for said in (result.stdout, result.stderr))
    return status, output, errors
