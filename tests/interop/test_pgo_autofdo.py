# SPDX-License-Identifier: MIT
"""The profile that spemu pgo makes for GCC, against create_gcov of AutoFDO, of the same ranges and branches.

Without what scripts/fetch autofdo makes the test is skipped. create_gcov cannot read Arm SPE, but its own text of
counters (-profiler=text): llvm-profgen's with a list of addresses between the two, empty here.
"""
import os
import re
import subprocess

import pytest

from clilib import ROOT, SPEMU
from gcov_file import of_gcov
from test_pgo_llvm import SOURCE, run


def same_name(name):
    """create_gcov gives constructors and destructors the name of one of the copies that GCC makes (GCC bug 64346)."""
    return re.sub("([CD])4E", r"\1 E", re.sub("([CD])2E", r"\1 E", name))


def flat(node, path):
    """Each line with its counts, by the functions around it: {(path, place): (count, calls)}."""
    found = {(path, place): (count, {same_name(callee): n for callee, n in calls.items()})
             for place, (count, calls) in node["lines"].items()}
    for (offset, discriminator, name), inner in node["in"].items():
        # GCC gives a lambda no line, so its offset is meaningless: create_gcov writes 0 for calls there, and lines
        # otherwise.
        place = (0, 0) if path[-1] == "operator()" else (offset, discriminator)
        found.update(flat(inner, (*path, place, same_name(name))))
    return found


def compare(own, theirs):
    with open(own, "rb") as f, open(theirs, "rb") as g:
        (header, tags, mine, rest), (their_header, their_tags, perfs, _) = of_gcov(f.read()), of_gcov(g.read(), 4)
    assert (header, tags, rest) == (their_header, their_tags, 0), f"the same header and sections\n{(header, tags, rest)}"
    assert len(perfs) > 5 and not set(perfs) - set(mine), f"every function of create_gcov\n{sorted(set(perfs) - set(mine))}"
    # create_gcov leaves out a function that has few samples, whatever its threshold is.
    largest = max(count for name in set(mine) - set(perfs) for count, _ in [(0, 0), *mine[name]["lines"].values()]) \
        if set(mine) - set(perfs) else 0
    assert largest < 5, f"no other function with samples\n{sorted(set(mine) - set(perfs))}"
    # GCC requires a head count for executed functions: 1 where the function was never entered.
    assert all(mine[name]["head"] == (perfs[name]["head"] or 1) for name in perfs), \
        f"the same entries\n{[(name, mine[name]['head'], perfs[name]['head']) for name in perfs]}"
    lines, expected = {}, {}
    for name in perfs:
        lines.update(flat(mine[name], (name,)))
        expected.update(flat(perfs[name], (name,)))
    assert len(expected) > 200 and lines == expected, "the same lines, inlined functions, calls and counts\n" + "\n".join(
        f"{key} {lines.get(key)} {expected.get(key)}" for key in {**lines, **expected} if lines.get(key) != expected.get(key))


def test_profile(tmp_path):
    create_gcov = ROOT / "build/autofdo/bin/create_gcov"
    if not os.access(create_gcov, os.X_OK):
        pytest.skip("scripts/fetch autofdo build/autofdo unpacks what is compared with")
    program, data, own, text, theirs = (os.path.join(tmp_path, name) for name in
                                        ("program", "perf.data", "own", "text", "theirs"))
    with open(program + ".cc", "w", encoding="ascii") as f:
        f.write(SOURCE)
    # AutoFDO 0.19 reads DWARF 4.
    compiler = ("aarch64-linux-gnu-g++", "-O2", "-g", "-gdwarf-4")
    subprocess.run([*compiler, "-pie", "-fPIE", "-Wl,--build-id=sha1", "-o", program, program + ".cc"], check=True)
    recorded = run(SPEMU, "record", "-c", "256", "--branches", "previous", "--jitter", "--seed", "1", "--machine",
                   "none", "-o", data,
                   "--", program)
    assert recorded.returncode == 0, f"recorded\n{recorded.stderr}"
    counters = run(SPEMU, "pgo", "--format", "llvm-profgen", "-i", data, program).stdout.splitlines()
    ranges = 1 + int(counters[0])
    with open(text, "w", encoding="ascii") as f:
        f.write("\n".join([*counters[:ranges], "0", *counters[ranges:]]) + "\n")
    run(SPEMU, "pgo", "--format", "gcov", "-i", data, "-o", own, program)
    said = run(create_gcov, f"-binary={program}", f"-profile={text}", "-profiler=text", f"-gcov={theirs}",
               "-gcov_version=2", "-sample_threshold_frac=0")
    assert os.path.exists(theirs), f"create_gcov takes the counters\n{said.stderr}"
    compare(own, theirs)
    made = run(*compiler, f"-fauto-profile={own}", f"-fdump-ipa-afdo-all={tmp_path}/dump", "-S", "-o",
               os.path.join(tmp_path, "out.s"), program + ".cc")
    assert made.returncode == 0, f"GCC takes the profile\n{made.stderr}"
