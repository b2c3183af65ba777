# SPDX-License-Identifier: MIT
"""The profile of spemu pgo for GCC agrees with that of AutoFDO's create_gcov for the same ranges and branches.

The test requires AutoFDO, which scripts/fetch autofdo installs. create_gcov cannot read Arm SPE,
but a text with counters (-profiler=text). This format is that of llvm-profgen with an additional
list of addresses in the middle, which is empty here.
"""
import os
import re
import subprocess

import pytest

from clilib import ROOT, SPEMU
from gcov_file import of_gcov
from test_pgo_llvm import SOURCE, run


def same_name(name):
    """Return the name that create_gcov uses. For constructors and destructors, this is the name of
    one of the copies that GCC makes (GCC bug 64346)."""
    return re.sub("([CD])4E", r"\1 E", re.sub("([CD])2E", r"\1 E", name))


def flat(node, path):
    """Yield each line with its counts, by the enclosing functions: (path, place) and (count,
    calls)."""
    found = {(path, place): (count, {same_name(callee): n for callee, n in calls.items()})
             for place, (count, calls) in node["lines"].items()}
    for (offset, discriminator, name), inner in node["in"].items():
        # GCC does not give a line to a lambda, so its offset is meaningless. create_gcov writes 0 for calls there, and
        # line numbers otherwise.
        place = (0, 0) if path[-1] == "operator()" else (offset, discriminator)
        found.update(flat(inner, (*path, place, same_name(name))))
    return found


def compare(own, theirs):
    with open(own, "rb") as f, open(theirs, "rb") as g:
        (header, tags, mine, rest), (their_header, their_tags, perfs, _) = of_gcov(f.read()), of_gcov(g.read(), 4)
    assert (header, tags, rest) == (their_header, their_tags, 0), \
        f"the headers and sections are equal\n{(header, tags, rest)}"
    assert len(perfs) > 5 and not set(perfs) - set(mine), \
        f"the profile has every function of create_gcov\n{sorted(set(perfs) - set(mine))}"
    # create_gcov omits a function with few samples.
    largest = max(count for name in set(mine) - set(perfs) for count, _ in [(0, 0), *mine[name]["lines"].values()]) \
        if set(mine) - set(perfs) else 0
    assert largest < 5, f"no other function with samples\n{sorted(set(mine) - set(perfs))}"
    # GCC requires a head count for executed functions. It is 1 for a function that was never
    # entered.
    assert all(mine[name]["head"] == (perfs[name]["head"] or 1) for name in perfs), \
        f"the head counts are equal\n{[(name, mine[name]['head'], perfs[name]['head']) for name in perfs]}"
    lines, expected = {}, {}
    for name in perfs:
        lines.update(flat(mine[name], (name,)))
        expected.update(flat(perfs[name], (name,)))
    assert len(expected) > 200 and lines == expected, \
        "lines, inlined functions, calls and counts are equal\n" + "\n".join(
        f"{key} {lines.get(key)} {expected.get(key)}" for key in {**lines, **expected} if lines.get(key) != expected.get(key))


def test_profile(tmp_path):
    create_gcov = ROOT / "build/autofdo/bin/create_gcov"
    if not os.access(create_gcov, os.X_OK):
        pytest.skip("AutoFDO is missing; scripts/fetch autofdo build/autofdo installs it")
    program, data, own, text, theirs = (os.path.join(tmp_path, name) for name in
                                        ("program", "perf.data", "own", "text", "theirs"))
    with open(program + ".cc", "w", encoding="ascii") as f:
        f.write(SOURCE)
    # AutoFDO 0.19 requires DWARF 4.
    compiler = ("aarch64-linux-gnu-g++", "-O2", "-g", "-gdwarf-4")
    subprocess.run([*compiler, "-pie", "-fPIE", "-Wl,--build-id=sha1", "-o", program, program + ".cc"], check=True)
    recorded = run(SPEMU, "record", "-c", "256", "--branches", "previous", "--jitter", "--seed", "1", "--machine",
                   "none", "-o", data,
                   "--", program)
    assert recorded.returncode == 0, f"the recording succeeds\n{recorded.stderr}"
    counters = run(SPEMU, "pgo", "--format", "llvm-profgen", "-i", data, program).stdout.splitlines()
    ranges = 1 + int(counters[0])
    with open(text, "w", encoding="ascii") as f:
        f.write("\n".join([*counters[:ranges], "0", *counters[ranges:]]) + "\n")
    run(SPEMU, "pgo", "--format", "gcov", "-i", data, "-o", own, program)
    said = run(create_gcov, f"-binary={program}", f"-profile={text}", "-profiler=text", f"-gcov={theirs}",
               "-gcov_version=2", "-sample_threshold_frac=0")
    assert os.path.exists(theirs), f"create_gcov accepts the counters\n{said.stderr}"
    compare(own, theirs)
    made = run(*compiler, f"-fauto-profile={own}", f"-fdump-ipa-afdo-all={tmp_path}/dump", "-S", "-o",
               os.path.join(tmp_path, "out.s"), program + ".cc")
    assert made.returncode == 0, f"GCC accepts the profile\n{made.stderr}"
