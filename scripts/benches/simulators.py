# SPDX-License-Identifier: MIT
"""Parse the results of other cache simulators and of spemu into the same counts of data accesses and data misses.

Cachegrind and QEMU's cache plugin have two levels of data caches. Their second level is compared with L2.
"""
import collections

# Counts of data, without code. error: one standard deviation of sampled misses as (l1, l2), or (0, 0) if they are
# counted.
Counts = collections.namedtuple("Counts", "operations accesses l1 l2 error", defaults=((0, 0),))

L1_ACCESS, L1_REFILL, LLC_ACCESS = 2, 3, 8  # bits of the Events packet (DDI 0487 D18.2.6)


class Unreadable(Exception):
    pass


def of_cachegrind(text):
    """Parse the file that cachegrind writes: the names of its counts, and their sums."""
    found = dict(line.split(": ", 1) for line in text.splitlines() if line.startswith(("events: ", "summary: ")))
    names, values = (found.get(key, "").split() for key in ("events", "summary"))
    count = dict(zip(names, map(int, values)))
    if len(names) != len(values) or not {"Ir", "Dr", "Dw", "D1mr", "D1mw", "DLmr", "DLmw"} <= set(count):
        raise Unreadable("not what cachegrind --cache-sim=yes writes")
    return Counts(count["Ir"], count["Dr"] + count["Dw"], count["D1mr"] + count["D1mw"], count["DLmr"] + count["DLmw"])


def of_plugin(text):
    """Parse the table that QEMU's cache plugin logs: a row per core, and a sum if there are several.

    Its second level also contains code. The first-level code cache is so large that each line misses in it once. These
    misses are subtracted from those of the second level.
    """
    lines = text.splitlines()
    head = lines[0] if lines else ""
    if not head.startswith("core #, data accesses, data misses, ") or not head.endswith(", l2 miss rate"):
        raise Unreadable("not what QEMU's cache plugin writes with l2=on")
    rows = {line.split()[0]: line.replace("%", "").split()[1:] for line in lines[1:lines.index("")] if line}
    values = rows.get("sum") or rows.get("0")
    if values is None or len(values) != 9:
        raise Unreadable("a table without a sum")
    accesses, misses, _, executed, code, _, _, second, _ = (float(v) for v in values)
    return Counts(int(executed), int(accesses), int(misses), int(second - code))


def of_samples(report):
    """Parse the object of spemu report --json --section events. Each sample stands for `period` operations.

    An operation with two memory accesses, like a load of a pair, counts once. An access that reaches the last level or
    the directory missed L2.
    """
    n = {row["bit"]: row["samples"] for row in report["events"]}
    l1, l2 = n.get(L1_REFILL, 0), n.get(LLC_ACCESS, 0)
    period = report["period"]
    return Counts(report["samples"] * period, n.get(L1_ACCESS, 0) * period, l1 * period, l2 * period,
                  (l1 ** 0.5 * period, l2 ** 0.5 * period))
