# SPDX-License-Identifier: MIT
"""Record and report real programs from Debian's arm64 packages.

Each program has the same output and status as under plain QEMU. The number of samples follows from
the number of operations. `spemu report` and Debian's perf count the same samples by symbol, in the
program and in its libraries.

SPEMU_SYSROOT names a folder for packages that scripts/fetch sysroot has unpacked, or unpacks there.
"""
import json
import os
import re
import shutil

import pytest

from clilib import BUILD, ROOT, SPEMU, run, spemu

SYSROOT = os.environ.get("SPEMU_SYSROOT", BUILD / "sysroot")
PACKAGES = ["xz-utils", "sqlite3", "python3-minimal"]
PERIOD = 4096

SQL = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
SELECT count(*), sum(length(hex(i))) FROM n WHERE i % 3 <> 1;"""
PYTHON = "print(sum(len(str(i)) for i in range(60000)))"


def programs(folder):
    data = os.path.join(folder, "data")
    with open(os.path.join(ROOT, "arch/sysreg.txt"), "rb") as stream:
        text = stream.read()
    with open(data, "wb") as stream:
        stream.write(text * 8)
    return {
        "xz": [f"{SYSROOT}/usr/bin/xz", "-c", "-T1", data],
        "sqlite3": [f"{SYSROOT}/usr/bin/sqlite3", ":memory:", SQL],
        "python3": [f"{SYSROOT}/usr/bin/python3", "-S", "-c", PYTHON],
    }


def perf_symbols(path):
    """Return {(object, symbol): samples}, as perf counts them, for `branch` events and for all
    other synthesized events.

    perf makes several events from one record. Every record has one event `instructions`.
    """
    result = run("perf", "report", "--stdio", "-n", "--no-children", "--itrace=i1i", "--sort",
                 "dso,symbol", "-i", path, timeout=300)
    table = {}
    for line in result.stdout.splitlines():
        match = re.match(r"\s*[\d.]+%\s+(\d+)\s+(\S+)\s+\[[.k]\] (\S+)", line)
        if match:
            table[match[2], match[3]] = table.get((match[2], match[3]), 0) + int(match[1])
    return table


def spemu_symbols(path):
    result = spemu("report", "-i", path, "--section", "functions", "--limit", "0", "--json")
    table = {}
    for row in json.loads(result.stdout)["functions"]:
        key = (row["object"], row["symbol"])
        table[key] = table.get(key, 0) + row["samples"]
    return table


@pytest.fixture(scope="module")
def sysroot():
    if shutil.which("perf") is None or shutil.which("qemu-aarch64") is None:
        pytest.skip("perf or qemu-aarch64 is not installed")
    made = run(ROOT / "scripts/fetch", "sysroot", SYSROOT, *PACKAGES, timeout=None)
    if made.returncode:
        pytest.skip(made.stderr.strip())


@pytest.mark.parametrize("name", ("xz", "sqlite3", "python3"))
def test_program(tmp_path, sysroot, name):
    command = programs(tmp_path)[name]
    plain = run("qemu-aarch64", "-L", SYSROOT, *command, text=False)
    data = f"{tmp_path}/perf.data"
    got = run(SPEMU, "record", "-o", data, "-c", PERIOD, "--machine", "none", "-L",
              SYSROOT, "--", *command, text=False)
    assert (got.returncode, got.stdout) == (plain.returncode, plain.stdout), f"{name}: output and status as under plain QEMU"
    summary = got.stderr.decode()
    match = re.search(r"(\d+) samples \((\d+) filtered, (\d+) collisions, (\d+) lost\).*?"
                      r"([\d.]+) (M|k|G)? ?operations", summary)
    assert match, f"{name}: the recorder prints a summary\n{summary}"
    report = json.loads(spemu("report", "-i", data, "--json").stdout)
    samples = int(match[1])
    operations = float(match[5]) * {"k": 1e3, "M": 1e6, "G": 1e9, None: 1}[match[6]]
    expected = operations / (PERIOD + 1)
    # The summary rounds the operations to four digits. For a program with one thread, no other
    # difference is possible.
    assert abs(samples - expected) <= expected * 0.001 + 2, f"{name}: samples are operations / interval\n{samples} of {expected}"
    assert int(match[4]) == 0, f"{name}: no sample is lost"
    theirs, ours = perf_symbols(data), spemu_symbols(data)
    assert sum(ours.values()) == samples, f"{name}: the report counts every sample\n{sum(ours.values())} of {samples}"
    # spemu names PLT entries and the functions of a stripped file, but perf does not.
    named = {k: v for k, v in ours.items()
             if not re.match(r"\[|fn_[0-9a-f]+$", k[1]) and not k[1].endswith("@plt")}
    assert sum(v for k, v in ours.items() if k[1][0] == "[") < 0.05 * samples, f"{name}: at least 95 % are in named functions"
    assert named and sum(named.values()) > 0, f"{name}: samples have symbols\n" + str(ours)[:300]
    different = {k: (ours.get(k), theirs.get(k)) for k in named
                 if theirs.get(k) != ours[k]}
    assert not different, f"{name}: perf counts the same by symbol\n" + str(different)[:600]
    assert bool(report), f"{name}: a full report succeeds"
