# SPDX-License-Identifier: MIT
"""The advice of `spemu report --section advice`, compared with the cycles after the advised change.

Each program exists in two forms that do the same work. The saving is measured with the model: the total latency of
the samples, times the period, of both forms. The quick test uses one program; SPEMU_TEST_ALL=1 adds the others.
"""
import collections
import json
import os
import re
import shutil

import pytest

from clilib import ROOT, run, spemu

ALL = bool(os.environ.get("SPEMU_TEST_ALL"))
POINTS = 10  # largest difference of the predicted and the measured saving, in percent of all cycles
COMPILERS = {"c": "aarch64-linux-gnu-gcc", "cpp": "aarch64-linux-gnu-g++"}
TURNS = ("--interleave", "50", "-c", "1024")
REGION = ("--region", "close_of_business", "-c", "512")

# Changes of examples/orders.cpp, as pairs of texts.
NAMES = (("orders[i].number", "rests[i].number"), ("orders[i].side", "rests[i].side"),
         ("day[order.number] = order.quantity << 1 | order.side",
          "day[rests[&order - &orders[0]].number] = order.quantity << 1 | rests[&order - &orders[0]].side"))
STRUCTURE = re.compile(r"struct Order \{.*?\n\};\nstatic_assert.*?;\n", re.S)
SPLIT = """struct Order {
	uint32_t price, quantity;
	Order *next;
};
struct Rest {
	uint64_t number;
	Side side;
	char customer[40], remark[60];
};
static std::vector<Rest> rests(270000);
"""
REORDERED = """struct Order {
	uint32_t price, quantity;
	Order *next;
	uint64_t number;
	Side side;
	char customer[40], remark[60];
};
"""


def orders(structure, names=()):
    text = (ROOT / "examples/orders.cpp").read_text(encoding="utf-8")
    text, count = STRUCTURE.subn(structure, text)
    assert count == 1, "orders.cpp has one structure Order"
    for old, new in names:
        assert old in text, f"orders.cpp has {old!r}"
        text = text.replace(old, new)
    return text


Case = collections.namedtuple("Case", "source options cure advice type members predicted")
CASES = {
    "in order": Case("tests/types/in_order.c", ("-c", "1024"), "-DCURED", "hot/cold split", "struct particle",
                     {"x", "y"}, {"hot/cold split"}),
    "pad": Case("tests/types/lines.c", TURNS, "-DCURED", "pad", "struct tally", set(), {"pad"}),
    "accounts": Case("examples/accounts.c", TURNS, "-DFIXED", "hot/cold split", "struct account",
                     {"owner", "balance", "limit"}, {"hot/cold split", "pad"}),
    "orders split": Case("examples/orders.cpp", REGION, orders(SPLIT, NAMES), "hot/cold split", "struct Order",
                         {"price", "next", "quantity"}, {"hot/cold split"}),
    "orders reordered": Case("examples/orders.cpp", REGION, orders(REORDERED), "reorder", "struct Order",
                             {"price", "next", "quantity"}, {"reorder"}),
}
QUICK = ("in order",)


def record(folder, case, name, source, *options):
    """Compile the source and record the program. Return the path of the recording."""
    compiler = COMPILERS[case.source.split(".")[1]]
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    program, data = folder / name, folder / f"{name}.data"
    made = run(compiler, "-O2", "-g", "-static", "-pthread", *options, "-o", program, source, timeout=300)
    assert made.returncode == 0, made.stderr
    result = spemu("record", "-q", "--jitter", *case.options, "-o", data, "--", program, timeout=300)
    assert result.returncode == 0, result.stderr
    return data, result.stdout


def cure(folder, case):
    """Record the changed program."""
    if case.cure.startswith("-D"):
        return record(folder, case, "after", ROOT / case.source, case.cure)
    source = folder / f"after.{case.source.split('.')[1]}"
    source.write_text(case.cure, encoding="utf-8")
    return record(folder, case, "after", source)


def report(data, sections):
    return json.loads(spemu("report", "--json", "--section", sections, "--limit", "0", data, timeout=300).stdout)


def cycles(data):
    """Return the total latency of the samples."""
    return sum(row["weight"] for row in json.loads(
        spemu("report", "--json", "--section", "functions", "-F", "weight", "--limit", "0", data).stdout)["functions"])


def words(text):
    return set(re.findall(r"\w+", text))


@pytest.mark.parametrize("name", CASES if ALL else QUICK)
def test_prediction(tmp_path, name):
    """The advice is the change of the program, and its saving is within ten points of the measured one."""
    case = CASES[name]
    before, printed = record(tmp_path, case, "before", ROOT / case.source)
    told = report(before, "answer,advice")
    advice = told["advice"]
    found = [a for a in advice if (a["advice"], a["data_type"]) == (case.advice, case.type)]
    assert len(found) == 1, f"{name}: the advice\n{advice}"
    assert case.members <= words(found[0]["change"]), f"{name}: the members that the change is about\n{found[0]}"
    assert found[0]["sure"] == "high" and found[0]["weak"] == 0, f"{name}: the samples support it\n{found[0]}"
    after, printed_after = cure(tmp_path, case)
    assert printed == printed_after, f"{name}: both forms have the same answer"
    best = {}
    for a in advice:
        if a["advice"] in case.predicted:
            best[a["data_type"]] = max(best.get(a["data_type"], 0), a["saves"])
    predicted = best.get(case.type) if len(case.predicted) == 1 else sum(best.values())
    measured = 100 * (1 - cycles(after) / cycles(before))
    print(f"{name}: predicted {predicted:.1f} %, measured {measured:.1f} %")
    assert abs(predicted - measured) <= POINTS, f"{name}: predicted {predicted:.1f} %, measured {measured:.1f} %"
    again = [a for a in report(after, "advice")["advice"] if (a["advice"], a["data_type"]) == (case.advice, case.type)]
    assert not again, f"{name}: the changed program does not get the advice again\n{again}"


@pytest.mark.skipif(not ALL, reason="one of the long tests")
def test_first_screen(tmp_path):
    """The first 24 lines of the report name the members that cost most, and the best change."""
    data, _ = record(tmp_path, CASES["orders split"], "before", ROOT / "examples/orders.cpp")
    screen = " ".join(" ".join(spemu("report", data, env={"COLUMNS": "80"}).stdout.splitlines()[:24]).split())
    for member in ("Order.price", "Order.next", "Order.quantity"):
        assert member in screen, f"{member} is in the first screen\n{screen}"
    assert "move price, next and quantity (16 bytes) to a separate structure" in screen, screen


@pytest.mark.skipif(not ALL, reason="one of the long tests")
def test_sharing(tmp_path):
    """The threads that write each member are those of the program: each writes its own object."""
    data, _ = record(tmp_path, CASES["pad"], "before", ROOT / "tests/types/lines.c")
    rows = report(data, "sharing")["sharing"]
    writers = collections.defaultdict(set)
    for row in rows:
        assert row["data_type"] == "struct tally" and row["data_member"] in ("sum", "largest"), f"a member\n{row}"
        base = int(row["data_base"], 16)
        writers[base] |= set(filter(None, (row["written_by"] or "").split(",") + (row["read_by"] or "").split(",")))
    assert len(writers) >= 3 and all(len(w) == 1 for w in writers.values()), f"one thread for each object\n{writers}"
    assert len(set.union(*writers.values())) == len(writers), f"another thread for each object\n{writers}"
    assert any(row["data_member"] == "sum" and row["written_by"] for row in rows), "stores to sum"
