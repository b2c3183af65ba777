# SPDX-License-Identifier: MIT
"""scripts/benches/simulators.py: it parses the output of cachegrind, of QEMU's cache plugin and of
spemu report. The outputs below are written by hand.
"""
import subprocess
import sys

import pytest

from clilib import ROOT

sys.path.insert(0, str(ROOT / "scripts/benches"))
import simulators  # noqa: E402

# Functions and lines have their own counts before the total. The total has 1000 operations with 7 misses of code, and
# 200 reads and 100 writes of data.
CACHEGRIND = """desc: I1 cache:         67108864 B, 64 B, 16-way associative
desc: D1 cache:         65536 B, 64 B, 4-way associative
desc: LL cache:         1048576 B, 64 B, 8-way associative
cmd: ./program events: 3
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
fl=summary.c
fn=main
12 900 6 6 150 30 10 90 15 5
13 100 1 1 50 10 10 10 5 0
summary: 1000 7 7 200 40 20 100 20 5
"""
HEAD = "core #, data accesses, data misses, dmiss rate, insn accesses, insn misses, imiss rate"
# 60 of 300 data accesses and 7 of 1000 fetches miss the first level. Of these 67, 32 miss the second level, 25 of them
# for data.
ROW = "300            60             20.0000%  1000           7              0.7000%  67           32            47.7612%\n"
NONE = "0              0               0.0000%  0              0              0.0000%  0            0              0.0000%\n"
TOP = "\naddress, data misses, instruction\n0x400580 (main), 40, ldr x1, [x0]\n\naddress, fetch misses, instruction\n"
ONE = f"{HEAD}, l2 accesses, l2 misses, l2 miss rate\n0       {ROW}{TOP}"
HALF = "150            30             20.0000%  500            3              0.6000%  33           16            48.4848%\n"
REST = "150            30             20.0000%  500            4              0.8000%  34           16            47.0588%\n"
TWO = f"{HEAD}, l2 accesses, l2 misses, l2 miss rate\n0       {HALF}1       {REST}sum     {ROW}{TOP}"
REPORT = {"samples": 400, "period": 256, "events": [
    {"bit": 1, "samples": 400}, {"bit": 2, "samples": 100}, {"bit": 3, "samples": 25}, {"bit": 8, "samples": 16}, {"bit": 9, "samples": 1}]}


def test_cachegrind():
    assert simulators.of_cachegrind(CACHEGRIND) == simulators.Counts(1000, 300, 60, 25), \
        "cachegrind: reads and writes of data, without code"
    turned = CACHEGRIND.replace("events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw", "events: Dw D1mw DLmw Ir I1mr ILmr Dr D1mr DLmr").replace(
        "summary: 1000 7 7 200 40 20 100 20 5", "summary: 100 20 5 1000 7 7 200 40 20")
    assert simulators.of_cachegrind(turned) == simulators.Counts(1000, 300, 60, 25), \
        "cachegrind: the names determine the columns"


def test_plugin():
    assert simulators.of_plugin(ONE) == simulators.Counts(1000, 300, 60, 25), \
        "the plugin: one core; misses of code are subtracted"
    assert simulators.of_plugin(TWO) == simulators.Counts(1000, 300, 60, 25), "the plugin: the sum of two cores"
    assert simulators.of_plugin(f"{HEAD}, l2 accesses, l2 misses, l2 miss rate\n0       {ROW}1       {NONE}sum     {ROW}{TOP}").l2 == 25, \
        "the plugin: a core without a thread is ignored"


def test_samples():
    assert simulators.of_samples(REPORT) == simulators.Counts(400 * 256, 100 * 256, 25 * 256, 16 * 256, (5 * 256, 4 * 256)), \
        "samples: each stands for a period of operations, and their number determines the error"
    assert (simulators.of_samples({"samples": 4, "period": 1000, "events": [{"bit": 1, "samples": 4}]}) ==
            simulators.Counts(4000, 0, 0, 0)), "samples: a program without data accesses"


@pytest.mark.parametrize("read, text, what", (
    (simulators.of_cachegrind, "events: Ir\nsummary: 1000\n", "cachegrind: without caches"),
    (simulators.of_cachegrind, CACHEGRIND[:CACHEGRIND.index("summary")], "cachegrind: a file that is cut off"),
    (simulators.of_cachegrind, CACHEGRIND.replace("100 20 5\n", "100 20\n"), "cachegrind: a count is missing"),
    (simulators.of_cachegrind, "", "cachegrind: nothing"),
    (simulators.of_plugin, f"{HEAD}\n0       300  60  20.0000%  1000  7  0.7000%\n\n", "the plugin: without a second level"),
    (simulators.of_plugin, ONE.replace("0       300 ", "1       300 "), "the plugin: no sum"),
    (simulators.of_plugin, "", "the plugin: nothing")))
def test_refused(read, text, what):
    with pytest.raises(simulators.Unreadable):
        print(what, read(text))


@pytest.mark.parametrize("arguments, said", ((("--only", "gawk"), "gawk"), (("--pair", "a"), "--pair"), (("--pairs", "0"), "--pairs")))
def test_usage(arguments, said):
    result = subprocess.run((ROOT / "scripts/benches/peers", *arguments), capture_output=True, text=True, check=False)
    assert result.returncode == 2 and said in result.stderr, result
