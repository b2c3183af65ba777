# SPDX-License-Identifier: MIT
"""Measure the memory of processes over time, and judge whether it grows. Each process has two
figures. Both are taken after a warm-up that fills caches, mainly QEMU's translations. The first is
the rise of the least-squares line through all samples. The second is the difference between the
medians of the last and the first half. A leak increases both. A process grows if one of them
exceeds its bound. The proportional size (Pss) is only printed, because it also depends on other
users of shared libraries.
"""
import pathlib
import statistics
import threading
import time

KINDS = ("Rss", "Anonymous", "Pss")
JUDGED = ("Rss", "Anonymous")
WARM_UP_MOST = 900  # longest warm-up in seconds
WARM_UP_PART = 0.25  # warm-up of a shorter run, as part of its time


def children(pid):
    """Return the running children of a process."""
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:  # the process has ended
        return []
    return [int(word) for word in text.split()]


def process_name(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def memory(pid):
    """Return {kind: KiB} of a process from smaps_rollup (proc(5)), or None if it has ended."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
            rows = [line.split() for line in f]
    except OSError:
        return None
    sizes = {row[0].rstrip(":"): int(row[1]) for row in rows if len(row) == 3 and row[2] == "kB"}
    return {kind: sizes[kind] for kind in KINDS} if "Pss" in sizes else None


def least_squares(points):
    """Return the slope of the least-squares line through [(x, y)]."""
    x_mean = statistics.fmean(x for x, _ in points)
    y_mean = statistics.fmean(y for _, y in points)
    spread = sum((x - x_mean) ** 2 for x, _ in points)
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / spread if spread else 0.0


def judge(points, bound=None):
    """Judge the memory [(seconds, KiB)] of a process, which may grow by `bound` KiB (None: no
    bound). Return the figures, with "ok" set if it does not grow too much."""
    warm_up = min(WARM_UP_MOST, WARM_UP_PART * points[-1][0]) if points else 0
    warm = [p for p in points if p[0] >= warm_up]
    if len(warm) < 4:
        return {"ok": False, "why": f"{len(warm)} samples after the warm-up are too few"}
    half = (warm[0][0] + warm[-1][0]) / 2
    first = statistics.median(y for x, y in warm if x < half)
    last = statistics.median(y for x, y in warm if x >= half)
    slope = least_squares(warm)
    rise = slope * (warm[-1][0] - warm[0][0])
    figures = {"samples": len(warm), "seconds": round(warm[-1][0] - warm[0][0]),
               "warm_up_seconds": round(warm_up), "slope_kib_per_hour": round(slope * 3600, 1),
               "rise_kib": round(rise, 1), "first_half_median_kib": first,
               "last_half_median_kib": last, "least_kib": min(y for _, y in warm),
               "most_kib": max(y for _, y in warm), "bound_kib": bound,
               "ok": bound is None or (rise <= bound and last - first <= bound)}
    if not figures["ok"]:
        figures["why"] = f"grew by {max(rise, last - first):.0f} KiB, more than {bound} KiB"
    return figures


class Sampler(threading.Thread):
    """Measure a process and its child every few seconds until stopped."""

    def __init__(self, pid, own, child, every, log):
        """Measure the process `pid` and its child. `own` and `child` are their names in the
        results. `child` is also the start of the child's program name."""
        super().__init__(daemon=True)
        self.pid, self.own, self.child, self.every, self.log = pid, own, child, every, log
        self.points = {own: [], child: []}  # name -> [(seconds, {kind: KiB})]
        self.stopping = threading.Event()
        self.start_time = time.monotonic()

    def sample(self):
        now = round(time.monotonic() - self.start_time, 2)
        pids = [(self.own, self.pid)]
        pids += [(self.child, pid) for pid in children(self.pid)
                 if process_name(pid).startswith(self.child[:15])]
        for name, pid in pids:
            sizes = memory(pid)
            if sizes:
                self.points[name].append((now, sizes))
                self.log.write("\t".join(map(str, (now, name, pid, *sizes.values()))) + "\n")
        self.log.flush()

    def run(self):
        while not self.stopping.wait(self.every):
            self.sample()

    def stop(self):
        self.stopping.set()
        self.join()

    def judged(self, bounds):
        """Return {name: {kind: figures}}."""
        return {name: {kind: judge([(x, sizes[kind]) for x, sizes in points],
                                   bounds[name] if kind in JUDGED else None) for kind in KINDS}
                for name, points in self.points.items()}
