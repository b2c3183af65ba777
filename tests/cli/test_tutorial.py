# SPDX-License-Identifier: MIT
"""Run the commands of docs/tutorial/first-profile.md, and compare their output with the page.

The expected places come from the text of examples/orders.cpp, not from the page. Another version of
the compiler may generate different code. So shares and changes may differ from the page by some
percentage points.
"""
import json
import os
import re
import shutil

import pytest

from clilib import ROOT, SPEMU, run, spemu

PAGE = (ROOT / "docs" / "tutorial" / "first-profile.md").read_text(encoding="utf-8")
COMPILER = "aarch64-linux-gnu-g++"
if not shutil.which(COMPILER):
    pytest.skip(f"{COMPILER} is not installed", allow_module_level=True)
POINTS = 15  # percentage points by which a share or a change may differ


def commands():
    """Yield (command, output that the page shows or None) in the order of the page."""
    for block in re.findall(r"^```\n(.*?)^```$", PAGE, re.M | re.S):
        if block.startswith("$ "):
            command, _, shown = block[2:].partition("\n")
            yield command, shown
        else:
            yield from ((line, None) for line in block.splitlines())


def line_of(text):
    """Return the last line of orders.cpp with this text, which is in the slow program."""
    lines = (ROOT / "examples" / "orders.cpp").read_text(encoding="utf-8").splitlines()
    return max(n for n, line in enumerate(lines, 1) if text in line)


def causes(text):
    """Return {(function, reason, line): share} of the summary."""
    found = re.findall(r"^ +\d +(\d+\.\d)% ([\w ]+): (\S+?)(?:\(.*)? at \S+?:(\d+)$", text, re.M)
    return {(function, reason, int(line)): float(share) for share, reason, function, line in found}


def changes(text):
    """Return {function or event: its change in percent}, without those that have no change."""
    found = re.findall(r"^ +\d+ +\d+ +(-|[-+]\d+\.\d+%) .*? (?:\[\.\] )?([\w:-]+)(?:\(.*)?$", text, re.M)
    return {name: float(change.rstrip("%")) for change, name in found if change != "-"}


def near(got, wanted, name):
    assert got.keys() >= wanted.keys() and all(abs(got[k] - v) <= POINTS for k, v in wanted.items()), \
        f"{name}\ngot:    {got}\nwanted: {wanted}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tutorial")


@pytest.fixture(scope="module")
def outputs(folder):
    """Return (output, output in the page) of each command that has one in the page."""
    os.mkdir(f"{folder}/bin")
    os.symlink(SPEMU, f"{folder}/bin/spemu")
    os.symlink(ROOT / "examples", f"{folder}/examples")
    out = {}
    for command, shown in commands():
        result = run("sh", "-c", command, cwd=folder,
                     env={"PATH": f"{folder}/bin:{os.environ['PATH']}", "COLUMNS": "80"})
        assert result.returncode == 0, f"{command}\n{result.stderr}"
        if shown is not None:
            out[command] = result.stdout, shown
    assert [c.split()[1] for c in out] == ["record", "report", "annotate", "record", "diff"], "five commands"
    return list(out.values())


def test_causes(outputs):
    report = outputs[1]
    printed, shown = causes(report[0]), causes(report[1])
    assert list(shown) == [("Book::affordable", "DRAM loads", line_of("uint64_t cost")),
                           ("Volume::by_customer", "LLC loads", line_of("totals[customer] += cells"))], \
        "the causes on the page are the flaws of the program"
    also = f"also at line {line_of('for (const Order *order = cheapest;')}"
    assert all(also in re.sub(r"\s+", " ", text) for text in report), "the other line of the list"
    # The location of the data, the LLC or DRAM, depends mostly on where malloc() puts them.
    assert all(reason in ("LLC loads", "DRAM loads") for _, reason, _ in printed), f"all causes wait\n{printed}"
    places = [{(function, line): share for (function, _, line), share in of.items()} for of in (printed, shown)]
    near(places[0], places[1], "the summary has the causes that the page shows")


def test_branch(folder, outputs):
    """An order buys or sells at random, so at least a third of the branches are mispredicted."""
    report = json.loads(spemu("report", "--json", "-n", "0", f"{folder}/before.data").stdout)
    worst = max(report["branches"], key=lambda b: b["mispredicted"])
    assert (worst["object"], worst["source"]) == ("orders", f"examples/orders.cpp:{line_of('if ((entry & 1) == BUY)')}"), \
        "the branch that depends on the side of the order"
    assert (worst["mispredicted"] * 3 > worst["branches"] and
            all(b is worst or b["mispredicted"] * 20 < worst["mispredicted"] for b in report["branches"])), \
        f"no other branch is often mispredicted\n{worst}"


def test_annotate(outputs):
    annotate = outputs[2]
    for text in ("totals[customer] += cells", "uint64_t cost"):
        shares = [re.findall(rf"^ *(\d+\.\d+)%[ \d.]*? {line_of(text)}  ", output, re.M) for output in annotate]
        assert all(len(s) == 1 for s in shares) and abs(float(shares[0][0]) - float(shares[1][0])) <= POINTS, \
            f"the line of {text!r} has the share of the page\n{shares}"


def test_diff(outputs):
    diff = outputs[4]
    printed, shown = changes(diff[0]), changes(diff[1])
    assert sorted(shown) == ["Book::affordable", "Ledger::post", "Volume::by_customer", "l1d-refill", "mispred",
                             "tlb-refill"], "functions and events that the page shows"
    near(printed, shown, "the changes are those that the page shows")
    total = [float(x) for text in diff for x in re.findall(r"^# total cycles: .*?, (-\d+\.\d)%", text, re.M)]
    assert len(total) == 2 and abs(total[0] - total[1]) <= POINTS, f"the change of the total\n{total}"
    # The table of the page contains the ratio.
    ratio = re.search(r"model of a Neoverse N1.*?\| ([\d.]+) million \| ([\d.]+) million \| ([\d.]+) \|", PAGE)
    before, after, times = map(float, ratio.groups())
    assert abs(before / after - times) < 0.06 and abs(100 * (after / before - 1) - total[1]) < 0.1, \
        f"the table agrees with the diff on the page\n{ratio.groups()}"


def test_time(folder, outputs):
    """Compare the shortest CPU times of interleaved runs. Load on the machine can only make a run
    longer."""
    if not shutil.which("qemu-aarch64"):
        pytest.skip("no qemu-aarch64 in PATH")
    times = {"before": [], "after": []}
    for _ in range(5):
        for name, taken in times.items():
            result = run("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", f"{folder}/{name}/orders")
            taken.append(float(re.fullmatch(r"([\d.]+) ms\n", result.stderr)[1]))
    assert min(times["before"]) > 1.2 * min(times["after"]), f"the changed program is also faster under plain QEMU\n{times}"
