# SPDX-License-Identifier: MIT
"""The expected answers to the ten questions of examples/fleet, calculated for a fleet_data.Fleet.

The samples are drawn at random, so a counted number may differ from its mean by 5 standard deviations.
"""
import math
from collections import defaultdict

from fleet_data import (BIAS, BRANCH, DAYS, DRAM, FUNCTIONS, HASH_MORE, HOT_PAGE, LINE, LOAD, MISPREDICTED, NEW_BUILD, NO_RECORDING,
                        NO_SAMPLES, PARSE_MORE, PERIOD, SCAN_DRAM, SHARING, SLOW, SLOWER, SOURCES, TRUNCATED, build_of,
                        dram_latency, kinds)

SIGMA = 5


def near(got, mean, deviation, name):
    assert abs(got - mean) <= SIGMA * deviation, f"{name}\ngot {got}, expected {mean} +- {deviation}"


def count_near(got, mean, name):
    near(int(got), mean, math.sqrt(max(mean, 1)), name)


def moments(kind):
    """Return the mean and the mean square of the total latency."""
    least, n = kind.total
    mean = least + (n - 1) / 2
    return mean, mean * mean + (n * n - 1) / 12


def sums(fleet, key):
    """Return {key(place, kind): [samples, sum of latencies, sum of their squares]}, as expected
    means. Keys of None are omitted."""
    found = defaultdict(lambda: [0, 0, 0])
    for place, kind, n in fleet.expect():
        k = key(place, kind)
        if k is not None:
            mean, square = moments(kind)
            found[k] = [a + b for a, b in zip(found[k], (n, n * mean, n * square))]
    return found


def top_functions(fleet, rows):
    expected = sums(fleet, lambda place, kind: (place[1], kind.function))
    whole = sum(v[1] for v in expected.values())
    assert len(rows) == 20, "01: twenty rows"
    for row in rows:
        name = f"01: {row['program']} {row['symbol']}"
        n, cycles, squares = expected[row["program"], row["symbol"]]
        count_near(row["samples"], n, f"{name}: samples")
        near(int(row["cycles"]), cycles * PERIOD, math.sqrt(squares) * PERIOD, f"{name}: cycles")
        near(row["share"], 100 * cycles / whole, 100 * math.sqrt(squares) / whole, f"{name}: share")
        assert int(row["machines"]) == len(fleet.machines), f"{name}: the number of machines"
    cycles = [int(row["cycles"]) for row in rows]
    least = sorted((v[1] for v in expected.values()), reverse=True)[20]
    assert cycles == sorted(cycles, reverse=True) and cycles[-1] > 0.8 * least * PERIOD, f"01: the most cycles come first\n{cycles}"


def regressions(fleet, rows):
    assert ({(r["symbol"], r["what"]): r["verdict"] for r in rows if r["verdict"]} ==
            {("parse", "operations"): "worse", ("hash_row", "latency"): "worse"}), \
                "02: the functions that got worse, and no others"
    assert {r["program"] for r in rows} == {"shop"}, "02: only the program with two builds"
    expected = sums(fleet, lambda place, kind: (kind.function, build_of(*place[1::-1])) if place[1] == "shop" else None)
    of_all = [sum(v[0] for (_, build), v in expected.items() if build == b) for b in (1, 2)]
    z = {"operations": [], "latency": []}
    for row in rows:
        (a, a_cycles, a_squares), (b, b_cycles, b_squares) = (expected[row["symbol"], build] for build in (1, 2))
        if row["what"] == "operations":
            ratio, variance = b / of_all[1] / (a / of_all[0]), 1 / a - 1 / of_all[0] + 1 / b - 1 / of_all[1]
        else:
            ratio = b_cycles / b / (a_cycles / a)
            variance = a_squares / a_cycles ** 2 - 1 / a + b_squares / b_cycles ** 2 - 1 / b
        z[row["what"]].append((math.log(row["ratio"]) - math.log(ratio)) / math.sqrt(variance))
    for what, values in z.items():
        assert len(values) == len(FUNCTIONS["shop"]) - 2, f"02: {what} of each function that both builds run"
        assert max(map(abs, values)) < SIGMA, f"02: each change of {what} is near the planted change\n{values}"
        # The mean square of 24 standard normal values is outside these bounds once in 2000 times.
        assert 0.3 < sum(v * v for v in values) / len(values) < 2.2, \
            f"02: the changes of {what} vary as random samples must\n{values}"
    weights = [sum(k.weight for k in kinds(DAYS[d], "shop", "machine01")) for d in (0, NEW_BUILD)]
    change = {row["symbol"]: row["ratio"] for row in rows if row["verdict"]}
    assert (abs(change["parse"] / (PARSE_MORE * weights[0] / weights[1]) - 1) < 0.12 and abs(change["hash_row"] / ((13.5 + HASH_MORE) / 13.5) - 1)
            < 0.05), (
        f"02: the sizes of the changes are the planted ones\n{change}")


def slow_machines(fleet, rows):
    assert [(r["machine"], r["source_name"]) for r in rows] == [(SLOW, "DRAM")], "03: only the slow machine"
    n = sum(n for place, kind, n in fleet.expect() if place[2] == SLOW and kind.source == DRAM)
    least, count = dram_latency(SLOW)
    count_near(rows[0]["samples"], n, "03: its loads from DRAM")
    near(rows[0]["latency"], least + (count - 1) / 2, count / 2 / math.sqrt(n) + 0.1, "03: its latency")
    assert rows[0]["deviations"] > 5 and abs(rows[0]["latency"] - rows[0]["middle"] - SLOWER) < 8, \
        f"03: the slow-down of the machine\n{rows}"


def false_sharing(fleet, rows):
    got = {r["day"]: r for r in rows}
    assert (sorted((r["day"], r["program"], r["machine"], r["line"], int(r["words"]), int(r["threads"])) for r in rows) ==
            [(day, "batch", SHARING, hex(LINE), 2, 2) for day in DAYS]), \
                "04: the falsely shared line on each day, and no other line"
    for place, n in {place: n for place, kind, n in fleet.expect() if kind.va and kind.va[0] == LINE}.items():
        count_near(got[place[0]]["samples"], 2 * n, f"04: {place[0]}: samples")
        assert got[place[0]]["stores"] == got[place[0]]["samples"], f"04: {place[0]}: all samples are stores"


def mispredicted_branches(fleet, rows):
    first = {r["build_id"]: r for r in rows[:2]}
    assert (sorted((r["symbol"], r["address"], b) for b, r in first.items()) ==
            sorted(("find", hex(fleet.address("shop", b, "find", 4) - BIAS), fleet.build_id["shop", b]) for b in (1, 2))), \
        "05: the branch of find, for both builds"
    branches = sums(fleet, lambda place, kind: (fleet.build_id[place[1], build_of(*place[1::-1])], kind.function,
                                                bool(kind.events & MISPREDICTED)) if kind.op == BRANCH else None)
    for row in rows:
        wrong, right = (branches[row["build_id"], row["symbol"], b][0] for b in (True, False))
        name = f"05: {row['program']} {row['symbol']}"
        count_near(row["mispredicted"], wrong, f"{name}: mispredicted")
        count_near(row["samples"], wrong + right, f"{name}: samples")
        assert ((int(row["mispredictions"]), round(row["rate"], 9)) ==
                (int(row["mispredicted"]) * PERIOD, round(100 * int(row["mispredicted"]) / int(row["samples"]), 9))), \
                    f"{name}: the rate"


def tlb_walks(fleet, rows):
    walks = sums(fleet, lambda place, kind: kind.va[0] == HOT_PAGE if kind.walk else None)
    assert (rows[0]["program"], rows[0]["page"], int(rows[0]["machines"])) == ("shop", hex(HOT_PAGE), len(fleet.machines)), \
        "06: the hot page"
    count_near(rows[0]["walks"], walks[True][0], "06: its walks")
    near(rows[0]["mean"], 35, math.sqrt((31 * 31 - 1) / 12 / walks[True][0]), "06: their latency")
    for row in rows[1:]:
        count_near(row["walks"], walks[False][0] / 64, f"06: {row['page']}")


def dram_share(fleet, rows):
    loads = sums(fleet, lambda place, kind: (place[1], kind.function, place[0], kind.source == DRAM) if kind.op == LOAD else None)
    wanted = {key[:3] for key in list(loads) if loads[(*key[:3], True)][0] + loads[(*key[:3], False)][0] > 200}
    got = {(r["program"], r["symbol"], r["day"]): r for r in rows}
    assert wanted <= set(got), f"07: all functions and days\n{sorted(wanted - set(got))}"
    for key, row in got.items():
        dram, other = (loads[(*key, b)][0] for b in (True, False))
        share = dram / (dram + other)
        count_near(row["loads"], dram + other, f"07: {key}: loads")
        near(row["share"], 100 * share, 100 * math.sqrt(share * (1 - share) / int(row["loads"])), f"07: {key}: share")
    assert all(abs(got["batch", "scan", day]["share"] / 100 - share) < 0.06 for day, share in zip(DAYS, SCAN_DRAM)), \
        "07: the share of scan on each day"


def new_functions(fleet, rows):
    assert [(r["program"], r["symbol"], r["first_day"]) for r in rows] == [("shop", "encode_v2", DAYS[NEW_BUILD])], \
        "08: the new function, but no rare function"
    of_build = [sum(fleet.count(p) or 0 for p in fleet.places if p[1] == "shop" and build_of("shop", p[0]) == b) for b in (1, 2)]
    n = sum(n for _, kind, n in fleet.expect() if kind.function == "encode_v2")
    count_near(rows[0]["samples"], n, "08: its samples")
    near(rows[0]["expected"], n * of_build[0] / of_build[1], math.sqrt(n) * of_build[0] / of_build[1] + 1, "08: those that the build before would have")


def lost_samples(fleet, rows):
    none, n = None, fleet.count(TRUNCATED)
    number = {k: none for k in ("samples", "truncated", "collided", "lost", "damaged")}
    zero = dict.fromkeys(number, 0)
    wanted = {NO_RECORDING: (number, 0, "no recording"), NO_SAMPLES: (zero, 0, "no samples"),
              TRUNCATED: ({**zero, "samples": n, "truncated": fleet.truncated()}, n, "samples lost")}
    assert ([{k: v if v is None or k in ("day", "program", "machine", "what") else int(v) for k, v in r.items()} for r in rows] ==
            [{"day": p[0], "program": p[1], "machine": p[2], **wanted[p][0], "arrived": wanted[p][1], "what": wanted[p][2]} for p in sorted(wanted)]), (
        "09: the machines without samples, and the machine that lost some")


def latency_percentiles(fleet, rows):
    of_source = defaultdict(lambda: defaultdict(float))
    for _, kind, n in fleet.expect():
        if kind.op == LOAD:
            of_source[SOURCES[kind.source]][kind.total] += n
    assert sorted(r["source_name"] for r in rows) == sorted(of_source), "10: the data sources"
    for row in rows:
        parts = of_source[row["source_name"]]
        n = sum(parts.values())
        count_near(row["loads"], n, f"10: {row['source_name']}: loads")
        for name, q in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)):
            # q is between two shares: that of loads below the value, and that of loads up to the value.
            most, less = (sum(w * min(max((int(row[name]) + d - least) / count, 0), 1) for (least, count), w in parts.items()) / n for d in (1, 0))
            room = SIGMA * math.sqrt(q * (1 - q) / n)
            assert most >= q - room and less < q + room, f"10: {row['source_name']}: {name}\n{row[name]}: {less} to {most}"


ANSWERS = {
    "01-top-functions": top_functions, "02-regressions": regressions, "03-slow-machines": slow_machines,
    "04-false-sharing": false_sharing, "05-mispredicted-branches": mispredicted_branches, "06-tlb-walks": tlb_walks,
    "07-dram-share": dram_share, "08-new-functions": new_functions, "09-lost-samples": lost_samples,
    "10-latency-percentiles": latency_percentiles,
}
