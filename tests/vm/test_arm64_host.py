# SPDX-License-Identifier: MIT
"""spemu on an arm64 machine: Debian's arm64 programs, its QEMU 7.2, and spemu for arm64, in a guest of `spemu vm`.
scripts/checks/arm64 prepares the files and runs this test.

$SPEMU_ARM64_ROOT/root contains unpacked packages. Its folder /spemu has the scripts and examples of
the source tree and a build for arm64. The recordings made in the guest are compared with recordings
of the same program on this machine.
"""
import collections
import os
import re
import shutil
import subprocess

import pytest

from vmlib import ENVIRONMENT, ROOT, SPEMU, boot, compile_c, ran, records, run, symbol_of, symbols

PERIOD = "2048"
OUTSIDE = """
mount -t proc proc /host/root/proc
mount -t devtmpfs dev /host/root/dev
mount -t tmpfs tmp /host/root/tmp
exec chroot /host/root /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root LC_ALL=C sh /inside
"""
# Files on a share cannot be mapped writable, so recordings are made in a file system in memory.
INSIDE = f"""
set -e
cd /spemu
cp -r build /tmp/build
scripts/host-tools /tmp/build/bin
PATH=/tmp/build/bin:$PATH
uname -m >/out/machine
qemu-aarch64 --version >/out/version
/tmp/build/tools/spemu record -o /tmp/busy.data -c {PERIOD} --machine none -- ./busy 1 1 >/out/busy.out
/tmp/build/tools/spemu record -o /tmp/sum.data -c {PERIOD} -- /usr/bin/sha256sum ./busy >/out/sum.out
/tmp/build/tools/spemu report -i /tmp/sum.data --section functions >/out/sum.report
cp /tmp/busy.data /tmp/sum.data /out
scripts/demo /tmp/build >/out/demo 2>/out/demo.err
cp /tmp/build/examples/hotspots /tmp/build/examples/perf.data /out
"""


def text(root, name):
    with open(os.path.join(root, "out", name), encoding="utf-8") as file:
        return file.read()


def samples(path, program):
    """Return the samples of each function of the program."""
    rows, problem = records(path)
    assert not problem, f"{os.path.basename(path)}: every record decodes\n{problem[:1000]}"
    table = symbols(program)
    return collections.Counter(symbol_of(table, r["pc"]) for r in rows)


@pytest.fixture(scope="module")
def root():
    """The root file system in which the guest ran."""
    share = os.environ["SPEMU_ARM64_ROOT"]
    root = os.path.join(share, "root")
    shutil.rmtree(os.path.join(root, "out"), ignore_errors=True)
    for name in ("out", "proc", "dev", "tmp", "root"):
        os.makedirs(os.path.join(root, name), exist_ok=True)
    compile_c(os.path.join(root, "spemu"), ROOT / "examples/busy.c")
    with open(os.path.join(root, "inside"), "w", encoding="utf-8") as file:
        file.write(INSIDE)
    guest = boot(share, OUTSIDE, memory="2G", timeout=3600)
    ran(guest, "arm64")
    return root


@pytest.fixture(scope="module")
def busy(root):
    return os.path.join(root, "spemu", "busy")


def test_demo(root):
    """The demo, compiled by the compiler of the machine. It shows the results that README.md
    describes."""
    assert text(root, "machine") == "aarch64\n", "the machine is arm64"
    demo = text(root, "demo")
    table = demo.partition("\n# Source lines\n")[2].partition("\n#\n")[0]
    rows = re.findall(r"^ +[\d.]+% .* examples/hotspots\.c:(\d+)", table, re.M)
    assert {"97", "72"} <= set(rows[:3]), f"demo: the most expensive source lines\n{demo[:3000]}"
    assert "FALSE" in demo, f"demo: the falsely shared line is found\n{demo[:3000]}"


def test_same(root, busy):
    here = os.path.join(root, "out", "here.data")
    made = run(SPEMU, "record", "-o", here, "-c", PERIOD, "--machine", "none", "--", busy, "1", "1")
    assert text(root, "busy.out") == made.stdout, "busy: the output is the same on both machines"
    there, ours = samples(os.path.join(root, "out", "busy.data"), busy), samples(here, busy)
    # The start of a program depends on its environment. This moves the samples of all other functions by less than a
    # period.
    for name in ("fill_words", "sort_words", "hash_words"):
        assert ours[name] and abs(there[name] - ours[name]) <= 1, \
            f"busy: {name} has the same number of samples on both machines\n{there[name]}, here {ours[name]}"


def test_native(root, busy):
    """A program of the arm64 machine, with its own loader and libraries."""
    ours = subprocess.run(["sha256sum", busy], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert text(root, "sum.out").split()[0] == ours.stdout.split()[0], "sha256sum: the result is right"
    rows, problem = records(os.path.join(root, "out", "sum.data"))
    assert rows and not problem, f"sha256sum: every record decodes\n{problem[:1000]}"
    report = text(root, "sum.report")
    assert "sha256sum" in report or "libcrypto" in report, f"sha256sum: the report names the program\n{report[:2000]}"
