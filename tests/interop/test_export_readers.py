#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exported profiles in programs that are not of the quick tier: go tool pprof, callgrind_annotate. What they show is counted in
tests/cli/exported.py.

usage: test_export_readers.py FOLDER_OF_EXPORTED
"""
import glob
import re
import shutil
import sys

sys.path.insert(0, sys.argv[1])
from clilib import Folder, check, done, equal, run, spemu  # noqa: E402
from exported import PARTS, SAMPLES, Exported, frames, sums, total  # noqa: E402

WEIGHTS = ("samples", "operations", "cycles")
PPROF = glob.glob("/usr/lib/go-*/pkg/tool/*/pprof") + glob.glob("/usr/lib/golang/pkg/tool/*/pprof")


def cumulative(weight):
    """Function -> the samples that it is in."""
    found = {}
    for sample in SAMPLES:
        for name in set(frames(sample)):
            found[name] = found.get(name, 0) + sums(weight, lambda s: 0, [sample]).get(0, 0)
    return {k: v for k, v in found.items() if v}


def inclusive(weight):
    """As callgrind_annotate has it: of a function that is called what the calls say, else its own and what it calls."""
    calls = sums(weight, lambda s: PARTS[s[1]][0], [s for s in SAMPLES if s[4]])
    outer = sums(weight, lambda s: frames(s)[0])
    return {**outer, **calls}


def test_pprof(folder, known):
    if not PPROF:
        check(False, "go tool pprof: install golang-go")
        return
    out = folder("known.pb.gz")
    spemu("export", "--format", "pprof", "-o", out, known.data)
    environment = {"HOME": folder.path}
    for weight in WEIGHTS:
        result = run(PPROF[0], "-top", "-nodefraction=0", "-nodecount=100", "-unit=count", f"-sample_index={weight}", out,
                     env=environment)
        rows = re.findall(r"^ *([\d.]+)\s+\S+%\s+\S+%\s+([\d.]+)\s+\S+%\s+(.+?)(?: \(inline\))?$", result.stdout, re.M)
        number = {name: (int(float(flat)), int(float(cum))) for flat, cum, name in rows}
        own = sums(weight, lambda s: PARTS[s[1]][-1])
        equal(number, {name: (own.get(name, 0), cum) for name, cum in cumulative(weight).items()},
              f"pprof -top: own and cumulative {weight}")
        check(f"{total(weight)} total" in result.stdout, f"pprof: the total, {weight}", result.stdout + result.stderr)
    result = run(PPROF[0], "-tags", "-sample_index=samples", "-unit=count", out, env=environment)
    check(re.search(r"tid:.*\n", result.stdout) and "known2" in result.stdout, "pprof: threads are tags", result.stdout)


def test_callgrind_annotate(folder, known):
    if not shutil.which("callgrind_annotate"):
        check(False, "callgrind_annotate: install valgrind")
        return
    for weight in WEIGHTS:
        out = folder("callgrind.out")
        spemu("export", "--format", "callgrind", "--weight", weight, "-o", out, known.data)
        for kind in ("no", "yes"):
            result = run("callgrind_annotate", f"--inclusive={kind}", "--threshold=100", f"--show={weight.capitalize()}", out)
            got = {}
            for number, name in re.findall(r"^ *([\d,]+) (?:\([^)]*\))?\s+\S*?:(\S+)(?: \[.*\])?$", result.stdout, re.M):
                got[name] = got.get(name, 0) + int(number.replace(",", ""))
            expected = inclusive(weight) if kind == "yes" else sums(weight, lambda s: PARTS[s[1]][0])
            equal({k: v for k, v in got.items() if v}, expected, f"callgrind_annotate --inclusive={kind}, {weight}")
            check(re.search(rf"^ *{total(weight):,} .*PROGRAM TOTALS", result.stdout, re.M), f"the total, {weight}",
                  result.stdout[:2000] + result.stderr)


def main():
    with Folder() as folder:
        known = Exported(folder)
        test_pprof(folder, known)
        test_callgrind_annotate(folder, known)
    done()


if __name__ == "__main__":
    main()
