# SPDX-License-Identifier: MIT
"""spemu on an arm64 machine: Debian's arm64 programs, its QEMU 7.2 and spemu for arm64 in a guest of `spemu vm`.
scripts/checks/arm64 makes what this needs and runs it.

usage: test_arm64_host.py SHARE

SHARE/root holds unpacked packages, and in /spemu the tree's scripts and examples, and a build for arm64. What
is recorded there is compared with what this machine records of the same program.
"""
import collections
import os
import re
import shutil
import subprocess
import sys

from vmlib import ENVIRONMENT, SPEMU, boot, check, compile_c, done, equal, ran, records, run, \
    symbol_of, symbols

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PERIOD = "2048"
OUTSIDE = """
mount -t proc proc /host/root/proc
mount -t devtmpfs dev /host/root/dev
mount -t tmpfs tmp /host/root/tmp
exec chroot /host/root /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root LC_ALL=C sh /inside
"""
# What is on a share cannot be mapped and written to, so recordings are made in memory.
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
    """Of each function of the program."""
    rows, problem = records(path)
    check(not problem, f"{os.path.basename(path)}: every record decodes", problem[:1000])
    table = symbols(program)
    return collections.Counter(symbol_of(table, r["pc"]) for r in rows)


def check_demo(root):
    """Compiled by the machine's own compiler; what README.md says of it."""
    equal(text(root, "machine"), "aarch64\n", "the machine is arm64")
    demo = text(root, "demo")
    table = demo.partition("\n# Source lines\n")[2].partition("\n#\n")[0]
    rows = re.findall(r"^ +[\d.]+% .* examples/hotspots\.c:(\d+)", table, re.M)
    check({"97", "72"} <= set(rows[:3]), "demo: the source lines that cost most", demo[:3000])
    check("FALSE" in demo, "demo: the falsely shared line is found", demo[:3000])


def check_same(root, busy):
    here = os.path.join(root, "out", "here.data")
    made = run(SPEMU, "record", "-o", here, "-c", PERIOD, "--machine", "none", "--", busy, "1", "1")
    equal(text(root, "busy.out"), made.stdout, "busy: it prints what it prints here")
    there, ours = samples(os.path.join(root, "out", "busy.data"), busy), samples(here, busy)
    # The start of a program looks at its environment, and so moves the samples of the rest by less than a period.
    for name in ("fill_words", "sort_words", "hash_words"):
        check(ours[name] and abs(there[name] - ours[name]) <= 1, f"busy: {name} has as many samples as here",
              f"{there[name]}, here {ours[name]}")


def check_native(root, busy):
    """A program of the machine itself, with its own loader and libraries."""
    ours = subprocess.run(["sha256sum", busy], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    equal(text(root, "sum.out").split()[0], ours.stdout.split()[0], "sha256sum: its result is right")
    rows, problem = records(os.path.join(root, "out", "sum.data"))
    check(rows and not problem, "sha256sum: every record decodes", problem[:1000])
    report = text(root, "sum.report")
    check("sha256sum" in report or "libcrypto" in report, "sha256sum: the report names it", report[:2000])


def main():
    share = os.path.abspath(sys.argv[1])
    root = os.path.join(share, "root")
    shutil.rmtree(os.path.join(root, "out"), ignore_errors=True)
    for name in ("out", "proc", "dev", "tmp", "root"):
        os.makedirs(os.path.join(root, name), exist_ok=True)
    busy = compile_c(os.path.join(root, "spemu"), os.path.join(SOURCE, "examples", "busy.c"))
    with open(os.path.join(root, "inside"), "w", encoding="utf-8") as file:
        file.write(INSIDE)
    guest = boot(share, OUTSIDE, memory="2G", timeout=3600)
    if ran(guest, "arm64"):
        check_demo(root)
        check_same(root, busy)
        check_native(root, busy)
    done()


main()
