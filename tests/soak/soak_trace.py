# SPDX-License-Identifier: MIT
"""Count the contents of a perf.data in two independent ways: this module reads the events of the file without spemu,
and `spemu dump` decodes the records. Nothing is kept in memory, so files may have any size.
"""
import collections
import os
import struct
import subprocess

# Event types of perf_event.h, and of perf itself from 64 on.
LOST, AUX, LOST_SAMPLES, AUXTRACE = 2, 11, 13, 71
AUX_FLAGS = {1: "truncated", 2: "overwrite", 4: "partial", 8: "collision"}
RECORD_SIZE = 64  # bytes of each record in the layout neoverse, including padding


def records_in(trace):
    """Return (records, bytes of padding) of a piece of trace. A record never begins with zero.
    Between records, the driver writes zeros if perf has no room for a record, and perf pads to
    whole 8 bytes."""
    if len(trace) % RECORD_SIZE == 0 and 0 not in trace[::RECORD_SIZE]:
        return len(trace) // RECORD_SIZE, 0
    at = records = 0
    while at < len(trace):
        if trace[at]:
            records += 1
            at += RECORD_SIZE
        else:
            at += 1
    if at > len(trace):
        raise ValueError("a piece of trace ends inside a record")
    return records, len(trace) - records * RECORD_SIZE


def file_counts(path):
    """Return a Counter for the file: aux (events), aux_truncated, ..., trace_bytes, padding_bytes
    (part of trace_bytes), records_written, lost_events (from perf's ring)."""
    counts = collections.Counter()
    with open(path, "rb") as f:
        header = f.read(104)
        if header[:8] != b"PERFILE2":
            raise ValueError(f"{path} is no perf.data")
        at, size = struct.unpack_from("<QQ", header, 40)
        end = at + size
        while at + 8 <= end:
            f.seek(at)
            kind, _, length = struct.unpack("<IHH", f.read(8))
            if length < 8:
                raise ValueError(f"{path}: an event of {length} bytes at {at}")
            if kind in (LOST, AUX, LOST_SAMPLES, AUXTRACE):
                body = f.read(length - 8)
            if kind == AUXTRACE:
                trace = struct.unpack_from("<Q", body)[0]
                counts["trace_bytes"] += trace
                records, zeros = records_in(f.read(trace))
                counts["records_written"] += records
                counts["padding_bytes"] += zeros
                length += trace
            elif kind == AUX:
                counts["aux"] += 1
                flags = struct.unpack_from("<Q", body, 16)[0]
                for bit, name in AUX_FLAGS.items():
                    counts[f"aux_{name}"] += bool(flags & bit)
            elif kind in (LOST, LOST_SAMPLES):
                counts["lost_events"] += struct.unpack_from("<Q", body, 8 if kind == LOST else 0)[0]
            at += length
        counts["file_bytes"] = os.path.getsize(path)
    return counts


def decoded_records(spemu, path):
    """Return (records, problem) from spemu dump, which prints one line for each record."""
    with subprocess.Popen([spemu, "dump", "--records", path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        lines = 0
        while chunk := process.stdout.read(1 << 20):
            lines += chunk.count(b"\n")
        problem = process.stderr.read().decode(errors="replace").strip()
        status = process.wait()
    return lines, problem or (f"spemu dump: status {status}" if status else "")


def perf_records(path):
    """Return the number of samples that perf decodes, or None if it fails."""
    out = subprocess.run(["perf", "report", "--stdio", "-n", "--no-children", "--itrace=i1i",
                          "--sort", "comm", "-F", "sample,comm", "-i", path], text=True,
                         errors="replace", stdin=subprocess.DEVNULL, capture_output=True,
                         check=False)
    rows = [line.split() for line in out.stdout.splitlines()]
    numbers = [int(row[0]) for row in rows if row and row[0].isdecimal()]
    return None if out.returncode else sum(numbers)
