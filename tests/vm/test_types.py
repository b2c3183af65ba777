# SPDX-License-Identifier: MIT
"""Types of data in recordings of perf in a guest. They agree with those of `spemu record`, which
tests/cli/test_types.py
compares with the truth.

SPEMU_TEST_VMLINUX=FILE names the vmlinux of the guest's kernel with debugging information, from Debian's package
linux-image-VERSION-dbg. Then the test of the kernel runs, too.
"""
import collections
import csv
import io
import os
import subprocess

import pytest

from vmlib import COMPILER, ROOT, SPEMU, prepare, run, run_in_guest

SHARE = 1.5  # points by which the share of a member may differ between two recordings
TYPED = 95.0  # percent of the loads and stores in a kernel's C code that have a type
# Objects that the kernel aligns to cache lines, which have 64 bytes here.
ALIGNED = ("dentry", "file", "cred", "kmem_cache", "kernfs_node", "task_struct", "rq", "cfs_rq", "mm_struct",
           "super_block")
PROGRAMS = {"datasym": ("datasym.c", "-static"), "structs": ("structs.c", "-static"),
            "structs-pie": ("structs.c", "-static-pie")}


@pytest.fixture(scope="module", autouse=True)
def guest():
    prepare()


def exported(*arguments):
    made = run(SPEMU, "export", "--format", "csv", *arguments)
    assert made.returncode == 0, made.stderr
    return [row for row in csv.DictReader(io.StringIO(made.stdout)) if row["va"]]


def shares(path, program):
    """Return {(type, member, source): percent} of the loads and stores of the program."""
    rows = [row for row in exported(path) if row["object"] == program and row["file"].startswith("/")]
    found = collections.Counter((row["data_type"], row["data_member"], row["type_source"]) for row in rows)
    assert len(rows) > 5000, "enough samples"
    return {key: 100 * n / len(rows) for key, n in found.items()}


def test_program(tmp_path):
    for name, (source, *flags) in PROGRAMS.items():
        subprocess.run([COMPILER, "-g", "-O2", "-pthread", *flags, "-o", f"{tmp_path}/{name}",
                        ROOT / "tests/types" / source],
                       check=True)
    status, _, errors = run_in_guest(tmp_path, " && ".join(
        f"perf record -q {option} -e arm_spe_0/ts_enable=1/u -c 1024 -o {name}.data -- ./{name}"
        for name, option in zip(PROGRAMS, ("", "--buildid-mmap", "-N"))))
    assert status == 0, errors
    for name in PROGRAMS:
        own = f"{tmp_path}/own.data"
        made = run(SPEMU, "record", "-q", "-c", "1024", "--machine", "none", "-o", own, "--", f"{tmp_path}/{name}")
        assert made.returncode == 0, made.stderr
        of_perf, of_spemu = shares(f"{tmp_path}/{name}.data", name), shares(own, name)
        differ = {key: (of_perf.get(key, 0), of_spemu.get(key, 0)) for key in of_perf | of_spemu
                  if abs(of_perf.get(key, 0) - of_spemu.get(key, 0)) > SHARE}
        print(f"{name}: {len(of_perf)} members, {100 - of_perf.get(('', '', ''), 0):.1f} % of the accesses have a type")
        assert not differ, f"{name}: the share of each member in a recording of perf and of spemu record"


def test_kernel(tmp_path):
    vmlinux = os.environ.get("SPEMU_TEST_VMLINUX")
    if not vmlinux:
        pytest.skip("SPEMU_TEST_VMLINUX names no vmlinux")
    status, _, errors = run_in_guest(
        tmp_path, "perf record -q -a -e arm_spe_0/ts_enable=1/k -c 8192 -o kernel.data -- sh -c "
        "'ls -lR /proc >/dev/null 2>&1; find / -xdev >/dev/null; perf bench sched pipe -l 500 >/dev/null'")
    assert status == 0, errors
    rows = [row for row in exported("--vmlinux", vmlinux, f"{tmp_path}/kernel.data")
            if row["object"] == "[kernel.kallsyms]" and row["file"] and not row["file"].endswith(".S")
            and row["symbol"] != "queued_spin_lock_slowpath"]  # the guest spins for long
    sources = collections.Counter(row["type_source"] for row in rows)
    typed = len(rows) - sources["saved"]
    share = 100 * (typed - sources["weak"] - sources[""]) / typed
    print(f"kernel: {len(rows)} loads and stores in C code, typed {share:.1f} %: {dict(sources)}")
    assert len(rows) > 5000 and share >= TYPED
    bases = collections.defaultdict(set)
    for row in rows:
        if row["type_source"] in ("register", "static") and int(row["data_base"] or "0", 16):
            bases[row["data_type"].removeprefix("struct ")].add(int(row["data_base"], 16))
    wrong = {(name, f"{base:#x}") for name in ALIGNED for base in bases[name] if base % 64}
    print("objects:", {name: len(bases[name]) for name in ALIGNED})
    assert not wrong and sum(len(bases[name]) for name in ALIGNED) > 200, "objects begin at a border of a cache line"
    assert len(bases["rq"]) == 2, "each of the two CPUs has a run queue"
