#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The profile that spemu pgo makes for GCC, against create_gcov of AutoFDO, of the same ranges and branches.

usage: test_pgo_autofdo.py SPEMU AUTOFDO_DIR

AUTOFDO_DIR is what scripts/fetch autofdo makes; without it the test is skipped. create_gcov cannot read Arm SPE, but its own text of
counters (-profiler=text): llvm-profgen's with a list of addresses between the two, empty here.
"""
import os
import re
import subprocess
import sys
import tempfile

from gcov_file import of_gcov
from tap import check, plan, skip
from test_pgo_llvm import SOURCE, run


def same_name(name):
    """create_gcov gives constructors and destructors the name of one of the copies that GCC makes (GCC bug 64346)."""
    return re.sub("([CD])4E", r"\1 E", re.sub("([CD])2E", r"\1 E", name))


def flat(node, path):
    """Each line with its counts, by the functions around it: {(path, place): (count, calls)}."""
    found = {(path, place): (count, {same_name(callee): n for callee, n in calls.items()})
             for place, (count, calls) in node["lines"].items()}
    for (offset, discriminator, name), inner in node["in"].items():
        # GCC gives a lambda no line, so there is no offset in it: create_gcov has 0 for calls there, and lines otherwise.
        place = (0, 0) if path[-1] == "operator()" else (offset, discriminator)
        found.update(flat(inner, (*path, place, same_name(name))))
    return found


def main():
    spemu, autofdo = sys.argv[1:]
    create_gcov = os.path.join(autofdo, "bin", "create_gcov")
    if not os.access(create_gcov, os.X_OK):
        skip("scripts/fetch autofdo build/autofdo unpacks what is compared with")
    with tempfile.TemporaryDirectory() as folder:
        program, data, own, text, theirs = (os.path.join(folder, name) for name in
                                            ("program", "perf.data", "own", "text", "theirs"))
        with open(program + ".cc", "w", encoding="ascii") as f:
            f.write(SOURCE)
        # AutoFDO 0.19 reads DWARF 4.
        compiler = ("aarch64-linux-gnu-g++", "-O2", "-g", "-gdwarf-4")
        subprocess.run([*compiler, "-pie", "-fPIE", "-Wl,--build-id=sha1", "-o", program, program + ".cc"], check=True)
        recorded = run(spemu, "record", "-c", "256", "--branches", "previous", "--jitter", "--machine", "none", "-o", data,
                       "--", program)
        check(recorded.returncode == 0, "recorded", recorded.stderr)
        counters = run(spemu, "pgo", "--format", "llvm-profgen", "-i", data, program).stdout.splitlines()
        ranges = 1 + int(counters[0])
        with open(text, "w", encoding="ascii") as f:
            f.write("\n".join([*counters[:ranges], "0", *counters[ranges:]]) + "\n")
        run(spemu, "pgo", "--format", "gcov", "-i", data, "-o", own, program)
        said = run(create_gcov, f"-binary={program}", f"-profile={text}", "-profiler=text", f"-gcov={theirs}",
                   "-gcov_version=2", "-sample_threshold_frac=0")
        check(os.path.exists(theirs), "create_gcov takes the counters", said.stderr)
        compare(own, theirs)
        made = run(*compiler, f"-fauto-profile={own}", f"-fdump-ipa-afdo-all={folder}/dump", "-S", "-o",
                   os.path.join(folder, "out.s"), program + ".cc")
        check(made.returncode == 0, "GCC takes the profile", made.stderr)
    plan()


def compare(own, theirs):
    with open(own, "rb") as f, open(theirs, "rb") as g:
        (header, tags, mine, rest), (their_header, their_tags, perfs, _) = of_gcov(f.read()), of_gcov(g.read(), 4)
    check((header, tags, rest) == (their_header, their_tags, 0), "the same header and sections", (header, tags, rest))
    check(len(perfs) > 5 and not set(perfs) - set(mine), "every function of create_gcov", sorted(set(perfs) - set(mine)))
    # create_gcov leaves out a function that has few samples, whatever its threshold is.
    largest = max(count for name in set(mine) - set(perfs) for count, _ in [(0, 0), *mine[name]["lines"].values()]) \
        if set(mine) - set(perfs) else 0
    check(largest < 5, "no other function with samples", sorted(set(mine) - set(perfs)))
    # GCC wants a head of what was executed: 1 where it was never entered.
    check(all(mine[name]["head"] == (perfs[name]["head"] or 1) for name in perfs), "the same entries",
          [(name, mine[name]["head"], perfs[name]["head"]) for name in perfs])
    lines, expected = {}, {}
    for name in perfs:
        lines.update(flat(mine[name], (name,)))
        expected.update(flat(perfs[name], (name,)))
    check(len(expected) > 200 and lines == expected, "the same lines, inlined functions, calls and counts", "\n".join(
        f"{key} {lines.get(key)} {expected.get(key)}" for key in {**lines, **expected} if lines.get(key) != expected.get(key)))


main()
