#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Four of the ten questions on a cluster of Dask: on_dask.py SCHEDULER FOLDER_OF_SAMPLES

Each answer is a line of JSON with the question's name, its rows as the SQL of that name has them, and its time in seconds.
"""
import json
import sys
import time
import warnings

import dask

dask.config.set({"dataframe.query-planning": False})
warnings.simplefilter("ignore", FutureWarning)
import dask.dataframe as dd  # noqa: E402
import pandas as pd  # noqa: E402
from distributed import Client  # noqa: E402


def read(folder, *columns):
    """The columns of all samples, a partition for each file."""
    return dd.read_parquet(folder, engine="pyarrow", columns=list(columns), split_row_groups=False, aggregate_files=False)


def counted(samples, by, cycles=False):
    """The samples of each group, and the cycles that they stand for, added up on the workers: a row for each group.

    Groups that no row of a partition has cost nothing (observed), and none of a group's values may be missing.
    """
    def add(frame):
        frame = frame.assign(samples=1)
        return frame.groupby(by, observed=True)[["samples", "cycles"] if cycles else ["samples"]].sum().reset_index()

    parts = samples.map_partitions(add, meta=add(samples._meta))
    whole = pd.concat(dask.compute(*parts.to_delayed()))
    whole[by] = whole[by].astype({name: str for name in by if name != "total"})
    return whole.groupby(by, as_index=False).sum()


def loads(folder, *columns):
    """The loads whose source is known."""
    samples = read(folder, *{"op_class", "op_subclass", "source_name", *columns})
    samples = samples[(samples.op_class == 1) & (samples.op_subclass.fillna(1) % 2 == 0)]
    return samples.dropna(subset=["source_name", *(c for c in columns if c in ("total", "symbol"))])


def top_functions(folder):
    samples = read(folder, "program", "symbol", "machine", "total", "period")
    samples["symbol"] = samples.symbol.fillna("[unknown]")
    samples["cycles"] = samples.total.fillna(0) * samples.period
    of_machine = counted(samples, ["program", "symbol", "machine"], cycles=True)
    rows = of_machine.groupby(["program", "symbol"], as_index=False).agg(
        samples=("samples", "sum"), cycles=("cycles", "sum"), machines=("machine", "nunique"))
    rows["share"] = 100 * rows.cycles / rows.cycles.sum()
    return rows.sort_values(["cycles", "program", "symbol"], ascending=[False, True, True]).head(20)


def median(counts):
    """Of the latencies of a group, from how often each is there."""
    counts = counts.sort_values("total")
    so_far, n = counts.samples.cumsum(), counts.samples.sum()
    return (counts.total[so_far >= (n + 1) // 2].iloc[0] + counts.total[so_far >= n // 2 + 1].iloc[0]) / 2


def slow_machines(folder):
    counts = counted(loads(folder, "machine", "total"), ["machine", "source_name", "total"])
    counts = counts[counts.source_name != "L1"]
    groups = counts.groupby(["machine", "source_name"])
    rows = groups.samples.sum().to_frame().assign(latency=groups[["total", "samples"]].apply(median)).reset_index()
    rows = rows[rows.samples >= 30]
    rows["middle"] = rows.groupby("source_name").latency.transform("median")
    away = (rows.latency - rows.middle).abs()
    rows["mad"] = away.groupby(rows.source_name).transform("median").clip(lower=0.5)
    rows["deviations"] = (rows.latency - rows.middle) / (1.4826 * rows.mad)
    rows = rows[(rows.deviations.abs() > 5) & ((rows.latency - rows.middle).abs() > rows.middle / 10)]
    return rows.sort_values("deviations", key=lambda column: -column.abs())


def dram_share(folder):
    counts = counted(loads(folder, "program", "symbol", "day"), ["program", "symbol", "day", "source_name"])
    counts["dram"] = counts.samples.where(counts.source_name == "DRAM", 0)
    rows = counts.groupby(["program", "symbol", "day"], as_index=False).agg(loads=("samples", "sum"), dram=("dram", "sum"))
    rows = rows[rows.loads >= 100]
    share = rows.dram / rows.loads
    return rows.assign(share=100 * share, deviation=100 * (share * (1 - share) / rows.loads) ** 0.5)


def latency_percentiles(folder):
    rows = []
    for name, counts in counted(loads(folder, "total"), ["source_name", "total"]).groupby("source_name"):
        counts = counts.sort_values("total")
        so_far, n = counts.samples.cumsum(), counts.samples.sum()
        rows.append({"source_name": name, "loads": n, **{
            f"p{of}": counts.total[so_far * 10 ** len(of) >= n * int(of)].iloc[0] for of in ("50", "90", "99", "999")}})
    return pd.DataFrame(rows).sort_values(["p50", "source_name"])


QUESTIONS = {"01-top-functions": top_functions, "03-slow-machines": slow_machines, "07-dram-share": dram_share,
             "10-latency-percentiles": latency_percentiles}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with Client(sys.argv[1]):
        for name, question in QUESTIONS.items():
            start = time.monotonic()
            rows = json.loads(question(sys.argv[2]).to_json(orient="records", double_precision=15))
            print(json.dumps({"question": name, "seconds": round(time.monotonic() - start, 2), "rows": rows}), flush=True)


if __name__ == "__main__":
    main()
