# SPDX-License-Identifier: MIT
"""Parse the results of other cache simulators and of spemu: data accesses and data misses, counted in the same way.

Cachegrind and QEMU's cache plugin have two levels of caches of data, so their second one is compared with L2.
"""
import collections

# Counts of data, not code. error: one standard deviation of sampled misses, as (l1, l2); (0, 0) for counted ones.
Counts = collections.namedtuple("Counts", "operations accesses l1 l2 error", defaults=((0, 0),))

L1_ACCESS, L1_REFILL, LLC_ACCESS = 2, 3, 8  # bits of the Events packet (DDI 0487 D18.2.6)


class Unreadable(Exception):
    pass


def of_cachegrind(text):
    """The file that cachegrind writes: the names of its counts, and their sums."""
    found = dict(line.split(": ", 1) for line in text.splitlines() if line.startswith(("events: ", "summary: ")))
    names, values = (found.get(key, "").split() for key in ("events", "summary"))
    count = dict(zip(names, map(int, values)))
    if len(names) != len(values) or not {"Ir", "Dr", "Dw", "D1mr", "D1mw", "DLmr", "DLmw"} <= set(count):
        raise Unreadable("not what cachegrind --cache-sim=yes writes")
    return Counts(count["Ir"], count["Dr"] + count["Dw"], count["D1mr"] + count["D1mw"], count["DLmr"] + count["DLmw"])


def of_plugin(text):
    """Parse the table that QEMU's cache plugin logs: a row per core, and a sum if there are several. Its second level
    also holds code. The first-level code cache is made so large that each of its lines misses once, and all of these
    misses are subtracted from the second level.

    Its second level has code as well. With a first level of code that is so large that each line of it misses once, all these
    miss there too: they are taken away.
    """
    lines = text.splitlines()
    if not lines or not lines[0].startswith("core #, data accesses, data misses, ") or not lines[0].endswith(", l2 miss rate"):
        raise Unreadable("not what QEMU's cache plugin writes with l2=on")
    rows = {line.split()[0]: line.replace("%", "").split()[1:] for line in lines[1:lines.index("")] if line}
    values = rows.get("sum") or rows.get("0")
    if values is None or len(values) != 9:
        raise Unreadable("a table without a sum")
    accesses, misses, _, executed, code, _, _, second, _ = (float(v) for v in values)
    return Counts(int(executed), int(accesses), int(misses), int(second - code))


def of_samples(report):
    """The object of spemu report --json --section events: each sample is one of `period` operations.

    An operation that accesses memory twice, as a load of a pair, counts once. L2 is missed where the last level or the directory
    is asked.
    """
    n = {row["bit"]: row["samples"] for row in report["events"]}
    l1, l2 = n.get(L1_REFILL, 0), n.get(LLC_ACCESS, 0)
    period = report["period"]
    return Counts(report["samples"] * period, n.get(L1_ACCESS, 0) * period, l1 * period, l2 * period,
                  (l1 ** 0.5 * period, l2 ** 0.5 * period))
