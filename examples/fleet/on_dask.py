#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Four of the ten questions on a cluster of Dask: on_dask.py SCHEDULER FOLDER_OF_SAMPLES

Each answer is a line of JSON with the question's name, its rows as the SQL of that name has them, and its time in seconds: as it
passes, and that of the processors of the workers and of this program.
"""
import json
import pathlib
import sys
import time

try:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    from distributed import Client
except ImportError as missing:
    sys.exit(f"{sys.argv[0]}: {missing}; scripts/fetch dask makes a Python that has it")

# Loads whose source is known; pyarrow leaves row groups unread whose statistics exclude it.
LOADS = ((pc.field("op_class") == 1) & (pc.bit_wise_and(pc.field("op_subclass"), 1) == 0) & pc.field("source_name").is_valid())
TEXTS = ["symbol", "source_name"]


def count_file(path, by, where, cycles):
    """The samples of each group of a file, and the cycles that they stand for: a table with a row for each group.

    Texts stay numbers into the file's dictionaries, and what the names of the directories say is the same in all rows.
    """
    place = dict(part.split("=", 1) for part in pathlib.Path(path).parts[-4:-1])
    columns = [name for name in by if name not in place]
    rows = pq.read_table(path, columns=columns + ["total", "period"] * cycles, filters=where, partitioning=None,
                         read_dictionary=TEXTS, use_threads=False).unify_dictionaries()
    sums = [([], "count_all")]
    if cycles:
        stands_for = pc.multiply(pc.fill_null(rows["total"], 0).cast(pa.int64()), rows["period"].cast(pa.int64()))
        rows = rows.append_column("cycles", stands_for)
        sums.append(("cycles", "sum"))
    groups = rows.group_by(columns, use_threads=False).aggregate(sums)
    named = {name: groups[name].cast(pa.string()) if name in TEXTS else groups[name] for name in columns}
    named.update({name: pa.array([place[name]] * len(groups), pa.string()) for name in by if name in place})
    named.update(samples=groups["count_all"], **({"cycles": groups["cycles_sum"]} if cycles else {}))
    return pa.table(named)


def counted(client, folder, by, where=None, cycles=False):
    """count_file() of each file on the workers, added up: a row for each group."""
    files = sorted(str(path) for path in pathlib.Path(folder).resolve().glob("*/*/*/*.parquet"))
    if not files:
        sys.exit(f"{folder} has no files of samples; examples/fleet/collect makes them")
    parts = client.gather(client.map(count_file, files, by=by, where=where, cycles=cycles, pure=False))
    return pa.concat_tables(parts).to_pandas().groupby(by, as_index=False, dropna=False).sum()


def top_functions(client, folder):
    of_machine = counted(client, folder, ["program", "symbol", "machine"], cycles=True)
    of_machine["symbol"] = of_machine.symbol.fillna("[unknown]")
    rows = of_machine.groupby(["program", "symbol"], as_index=False).agg(
        samples=("samples", "sum"), cycles=("cycles", "sum"), machines=("machine", "nunique"))
    rows["share"] = 100 * rows.cycles / rows.cycles.sum()
    return rows.sort_values(["cycles", "program", "symbol"], ascending=[False, True, True]).head(20)


def median(counts):
    """Of the latencies of a group, from how often each is there."""
    counts = counts.sort_values("total")
    so_far, n = counts.samples.cumsum(), counts.samples.sum()
    return (counts.total[so_far >= (n + 1) // 2].iloc[0] + counts.total[so_far >= n // 2 + 1].iloc[0]) / 2


def slow_machines(client, folder):
    counts = counted(client, folder, ["machine", "source_name", "total"],
                     LOADS & (pc.field("source_name") != "L1") & pc.field("total").is_valid())
    groups = counts.groupby(["machine", "source_name"])
    rows = groups.samples.sum().to_frame().assign(latency=groups[["total", "samples"]].apply(median)).reset_index()
    rows = rows[rows.samples >= 30]
    rows["middle"] = rows.groupby("source_name").latency.transform("median")
    away = (rows.latency - rows.middle).abs()
    rows["mad"] = away.groupby(rows.source_name).transform("median").clip(lower=0.5)
    rows["deviations"] = (rows.latency - rows.middle) / (1.4826 * rows.mad)
    rows = rows[(rows.deviations.abs() > 5) & ((rows.latency - rows.middle).abs() > rows.middle / 10)]
    return rows.sort_values("deviations", key=lambda column: -column.abs())


def dram_share(client, folder):
    counts = counted(client, folder, ["program", "symbol", "day", "source_name"], LOADS & pc.field("symbol").is_valid())
    counts["dram"] = counts.samples.where(counts.source_name == "DRAM", 0)
    rows = counts.groupby(["program", "symbol", "day"], as_index=False).agg(loads=("samples", "sum"), dram=("dram", "sum"))
    rows = rows[rows.loads >= 100]
    share = rows.dram / rows.loads
    return rows.assign(share=100 * share, deviation=100 * (share * (1 - share) / rows.loads) ** 0.5)


def latency_percentiles(client, folder):
    rows = []
    for name, counts in counted(client, folder, ["source_name", "total"], LOADS & pc.field("total").is_valid()).groupby("source_name"):
        counts = counts.sort_values("total")
        so_far, n = counts.samples.cumsum(), counts.samples.sum()
        rows.append({"source_name": name, "loads": n, **{
            f"p{of}": counts.total[so_far * 10 ** len(of) >= n * int(of)].iloc[0] for of in ("50", "90", "99", "999")}})
    return pd.DataFrame(rows, columns=["source_name", "loads", "p50", "p90", "p99", "p999"]).sort_values(["p50", "source_name"])


def processor_seconds(client):
    return time.process_time() + sum(client.run(time.process_time).values())


QUESTIONS = {"01-top-functions": top_functions, "03-slow-machines": slow_machines, "07-dram-share": dram_share,
             "10-latency-percentiles": latency_percentiles}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        client = Client(sys.argv[1])
    except (OSError, ValueError) as error:
        sys.exit(f"{sys.argv[0]}: no scheduler at {sys.argv[1]}: {error}; 'dask scheduler' starts one")
    with client:
        for name, question in QUESTIONS.items():
            start, used = time.monotonic(), processor_seconds(client)
            rows = json.loads(question(client, sys.argv[2]).to_json(orient="records", double_precision=15))
            print(json.dumps({"question": name, "seconds": round(time.monotonic() - start, 2),
                              "processor_seconds": round(processor_seconds(client) - used, 2), "rows": rows}), flush=True)


if __name__ == "__main__":
    main()
