# SPDX-License-Identifier: MIT
"""The rate of false positives of questions 02 and 08 of docs/howto/fleet.md is at most the stated one.

SQLite runs the questions unchanged. A program has two builds with the same distribution. For a
distribution with two values, the samples of a function are two binomial numbers. Each pair of
numbers becomes a separate program. The rate is the sum of the probabilities of all pairs with a
verdict, so the result does not depend on chance.
"""
import itertools
import math
import random
import sqlite3

import pytest

from clilib import ROOT

QUESTIONS = ROOT / "examples" / "fleet"
RATE, NEW_RATE = 1 / 16000, 1 / 20000  # the rates that 02-regressions.sql and 08-new-functions.sql state
NEGLIGIBLE = 1e-10
FAST = 3  # cycles of a fast sample


def ask(name, functions):
    """Run a question for functions given as (program, symbol, number of the build, total, samples).
    Return {(program, symbol, what): row}."""
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    db.create_function("ln", 1, math.log, deterministic=True)
    db.create_function("exp", 1, math.exp, deterministic=True)
    db.executescript("CREATE TABLE build (program, build_id, number); CREATE TABLE many (program, symbol, build_id, total, n);"
                     "CREATE TABLE natural (i INTEGER PRIMARY KEY);"
                     "CREATE VIEW sample AS SELECT program, program AS object, symbol, build_id, total, '2026-11-16' AS day "
                     "FROM many JOIN natural ON i <= n;")
    functions = list(functions)
    db.executemany("INSERT INTO build VALUES (?, ?, ?)", {(f[0], f"{f[0]}-{n}", n) for f in functions for n in (1, 2)})
    db.executemany("INSERT INTO many VALUES (?, ?, ?, ?, ?)", ((p, s, f"{p}-{n}", total, count) for p, s, n, total, count in functions if count))
    db.executemany("INSERT INTO natural VALUES (?)", ((i,) for i in range(1, 1 + max(f[4] for f in functions))))
    rows = db.execute((QUESTIONS / f"{name}.sql").read_text(encoding="utf-8")).fetchall()
    return {tuple(row[k] for k in ("program", "symbol", "what") if k in row.keys()): row for row in rows}


def binomial(n, p):
    """Return {k: probability}, without negligible probabilities."""
    logs = (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p) for k in range(n + 1))
    return {k: math.exp(v) for k, v in enumerate(logs) if v > math.log(NEGLIGIBLE)}


def hypergeometric_tail(k, m, good, whole, upper):
    """Return the probability that a draw of m from `whole` items, of which `good` are good, has at
    least k (upper) or at most k good ones."""
    values = range(k, min(m, good) + 1) if upper else range(max(0, m - whole + good), k + 1)
    return sum(math.comb(good, i) * math.comb(whole - good, m - i) for i in values) / math.comb(whole, m)


def slow_samples(before, after, share, slow):
    """Yield programs with one function in which some samples are slow."""
    pairs = {(a, b): p * q for (a, p), (b, q) in itertools.product(binomial(before, share).items(), binomial(after, share).items())}
    rows = ask("02-regressions", ((f"{a},{b}", "f", number, total, n) for a, b in pairs for number, total, n in (
        (2, slow, a), (2, FAST, before - a), (1, slow, b), (1, FAST, after - b))))
    return {pair: (p, rows[f"{pair[0]},{pair[1]}", "f", "latency"]) for pair, p in pairs.items()}


@pytest.mark.parametrize("before, after, share, slow", ((50, 50, 0.02, 200), (100, 100, 0.01, 200), (100, 100, 0.02, 200), (300, 300, 0.005, 2000),
                                                        (1000, 1000, 0.001, 200), (20, 400, 0.01, 200), (400, 20, 0.01, 200), (200, 100, 0.3, 4000)))
def test_latency(before, after, share, slow):
    found = slow_samples(before, after, share, slow)
    name = f"{before} and {after} samples, {share:.1%} of them take {slow} cycles"
    rate = sum(p for p, row in found.values() if row["verdict"]) + 1 - sum(p for p, _ in found.values())
    assert rate <= RATE, f"02, latency: {name}: the rate is at most the stated one\n1 in {1 / rate:.0f}"
    bad = [(pair, row["doubt"]) for pair, (_, row) in found.items() if row["doubt"] < 1 and row["doubt"] * (1 + 1e-9) <
           hypergeometric_tail(pair[1], sum(pair), after, before + after, row["after"] > row["before"])]
    assert not bad, f"02, latency: {name}: doubt is at least the probability\n{bad[:5]}"


@pytest.mark.parametrize("before, after, share", ((400, 40, 0.25), (40, 400, 0.25), (60, 600, 0.02), (300, 300, 0.03)))
def test_operations(before, after, share):
    pairs = {(a, b): p * q for (a, p), (b, q) in itertools.product(binomial(before, share).items(), binomial(after, share).items())}
    rows = ask("02-regressions", ((f"{a},{b}", symbol, number, FAST, n) for a, b in pairs for symbol, number, n in (
        ("f", 2, a), ("other", 2, before - a), ("f", 1, b), ("other", 1, after - b))))
    named = {pair: rows.get((f"{pair[0]},{pair[1]}", "f", "operations")) for pair in pairs}
    rate = sum(p for pair, p in pairs.items() if named[pair] and named[pair]["verdict"]) + 1 - sum(pairs.values())
    name = f"{before} and {after} samples, {share:.0%} of them in the function"
    assert rate <= RATE, f"02, operations: {name}: the rate is at most the stated one\n1 in {1 / rate:.0f}"
    bad = [(pair, row["doubt"]) for pair, row in named.items() if row and row["doubt"] < 1 and row["doubt"] * (1 + 1e-9) <
           hypergeometric_tail(pair[1], sum(pair), after, before + after, row["after"] > row["before"])]
    assert not bad, f"02, operations: {name}: doubt is at least the probability\n{bad[:5]}"


def bound(before, after, percent):
    """Return the page's bound for two lists of latencies, computed step by step. It is the sum of
    Chernoff's bounds, up to 5 % more (105) or less (95)."""
    before = [percent * cycles for cycles in before]
    after = [100 * cycles for cycles in after]
    q, limits = len(after) / (len(before) + len(after)), sorted({*before, *after})
    least = 1
    for limit in limits:
        a, b = (sum(cycles >= limit for cycles in build) for build in (before, after))
        x = b / (a + b)
        if (x > q) if percent > 100 else (x < q):
            terms = [v * math.log(v / w) for v, w in ((x, q), (1 - x, 1 - q)) if v]
            least = min(least, len(limits) * math.exp(-(a + b) * sum(terms)))
    return least


def test_doubt():
    """The least bound is taken over every number of cycles."""
    draw = random.Random(2)
    cases = {str(i): [[min(int(c + 4 * draw.paretovariate(1.2)), 4095) for _ in range(n)] for c, n in ((0, 150), (i % 9 - 4, 150 - i))]
             for i in range(60)}
    cases = {name: [[c for c in build if c > 0] for build in builds] for name, builds in cases.items()}
    rows = ask("02-regressions", ((name, "f", number, total, 1) for name, builds in cases.items()
                                  for number, build in zip((2, 1), builds) for total in build))
    got = {name: rows[name, "f", "latency"]["doubt"] for name in cases}
    want = {name: min(bound(*builds, 105), bound(*builds, 95)) for name, builds in cases.items()}
    bad = [(name, got[name], want[name]) for name in cases if not math.isclose(got[name], want[name], rel_tol=1e-6)]
    assert not bad, f"02: doubt is the sum of the bounds\n{bad[:5]}"
    assert min(want.values()) < 1e-6 < 0.1 < max(want.values()), \
        f"the doubts cover changes and equal distributions\n{sorted(want.values())[::10]}"


def test_long_tail():
    """Latencies with many values and without a variance: a Pareto distribution with exponent 1.2,
    limited to 12 bits."""
    draw = random.Random(1)
    functions = {}
    for program, number, _ in itertools.product(range(2000), (1, 2), range(100)):
        key = (program, "f", number, min(int(4 * draw.paretovariate(1.2)), 4095))
        functions[key] = functions.get(key, 0) + 1
    rows = ask("02-regressions", ((*key, n) for key, n in functions.items()))
    verdicts = [tuple(row) for row in rows.values() if row["verdict"]]
    assert (len(rows), verdicts) == (4000, []), "02: of 2,000 functions with a long tail none has a verdict"


def test_changes():
    """The questions find real changes."""
    def shifted(name, cycles):
        return ((name, "f", number, 10 + i + (cycles if number == 1 else 0), 60) for number in (1, 2) for i in range(8))

    def misses(name, before, after):
        return ((name, "f", number, total, n) for number, share in ((2, before), (1, after)) for total, n in ((200, share), (FAST, 2000 - share)))

    def executed(name, before, after):
        return ((name, symbol, number, FAST, n) for number, f in ((2, before), (1, after)) for symbol, n in (("f", f), ("other", 20000 - f)))

    def alike(name, percent):
        """A uniform slowdown of every operation by `percent` is not reported."""
        return ((name, "f", number, total + (total * percent // 100 if number == 1 else 0), 3000) for number in (1, 2)
                for total in (100, 200, 300, 400))

    def fast_ones(name):
        """Most operations take a third longer, which increases the mean by 4 %."""
        return ((name, "f", number, total, n) for number, fast in ((2, 3), (1, 4)) for total, n in ((fast, 9000), (200, 1000)))

    for what, functions, verdict in (
            ("latency", shifted("p", 3), "worse"), ("latency", shifted("p", -3), "better"), ("latency", shifted("p", 0), None),
            ("latency", misses("p", 60, 130), "worse"), ("latency", misses("p", 60, 120), None),
            ("latency", misses("p", 180, 60), "better"), ("latency", alike("p", 4), None),
            ("latency", alike("p", 7), "worse"), ("latency", alike("p", -7), "better"), ("latency", fast_ones("p"), None),
            ("operations", executed("p", 1000, 1400), "worse"), ("operations", executed("p", 1400, 1000), "better"),
            ("operations", executed("p", 10000, 10400), None), ("operations", executed("p", 10000, 11600), "worse")):
        row = ask("02-regressions", functions)["p", "f", what]
        assert row["verdict"] == verdict, f"02: {what}, {row['before']:.4g} before and {row['after']:.4g} after"


def test_new_functions():
    rows = ask("08-new-functions", [("p", "other", 2, FAST, 1000), ("p", "other", 1, FAST, 980), ("p", "f", 1, FAST, 20)])
    assert [(row["symbol"], row["samples"]) for row in rows.values()] == [("f", 20)], "08: a new function is found"


@pytest.mark.parametrize("before, after, share", ((100, 100, 0.05), (1000, 100, 0.01), (100, 1000, 0.02), (50, 50, 0.1)))
def test_new_function_rate(before, after, share):
    none = (1 - share) ** before
    numbers = {b: p for b, p in binomial(after, share).items() if b}
    rows = ask("08-new-functions", ((str(b), symbol, number, FAST, n) for b in numbers for symbol, number, n in (
        ("other", 2, before), ("f", 1, b), ("other", 1, after - b))))
    rate = none * sum(p for b, p in numbers.items() if (str(b), "f") in rows)
    assert rate <= NEW_RATE, \
        f"08: {before} and {after} samples, {share:.0%} of them in the function: the rate is at most the stated one\n1 in {1 / max(rate, 1e-99):.0f}"
    shown = [b for b in numbers if (str(b), "f") in rows]
    assert all(hypergeometric_tail(0, b, before, before + after, False) <= NEW_RATE for b in shown), \
        f"08: each reported function has the right numbers\n{shown}"
