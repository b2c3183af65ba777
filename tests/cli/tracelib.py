# SPDX-License-Identifier: MIT
"""Read traces for Perfetto, as spemu vm and spemu export write them."""
import json


def trace_events(path):
    """Return the events of a file in the Trace Event Format, and check the rules of the format. The
    file is JSON. Each event has a phase, a process and a thread. All except metadata have a time in
    microseconds. Instants have a scope, counters have numbers, and slices nest and end."""
    with open(path) as file:
        whole = json.load(file)
    open_slices, last, bad = {}, {}, []
    for e in whole["traceEvents"]:
        well = isinstance(e.get("name"), str) and isinstance(e.get("pid"), int) and isinstance(e.get("tid"), int)
        phase, track = e.get("ph"), (e.get("pid"), e.get("tid"))
        if phase == "M":
            well &= e["name"] in ("process_name", "thread_name") and isinstance(e["args"]["name"], str)
        else:
            well &= isinstance(e.get("ts"), (int, float)) and e["ts"] >= last.get(track, 0)
            last[track] = e.get("ts", 0)
        if phase == "B":
            open_slices.setdefault(track, []).append(e["name"])
        elif phase == "E":
            well &= bool(open_slices.get(track)) and open_slices[track].pop() == e["name"]
        elif phase == "i":
            well &= e.get("s") in ("g", "p", "t") and isinstance(e.get("args"), dict)
        elif phase == "C":
            well &= bool(e["args"]) and all(isinstance(n, (int, float)) for n in e["args"].values())
        elif phase != "M":
            well = False
        bad += [] if well else [e]
    assert not bad and whole["displayTimeUnit"] in ("ms", "ns"), \
        f"the file keeps the rules of the Trace Event Format\n{bad[:5]}"
    assert not any(open_slices.values()), f"every slice ends\n{open_slices}"
    return whole["traceEvents"]
