# SPDX-License-Identifier: MIT
"""Print nanoseconds of CPU time per record, the best of five runs: bench_decode.py FILE (scripts/benches/bindings calls
it)
"""
import pathlib
import sys
import time

import spemu

TIMES, ROWS = 5, 8192
FOUR = ('pc', 'va', 'events', 'total')
data = pathlib.Path(sys.argv[1]).read_bytes()


def fill(names):
    columns, count = spemu.empty(ROWS, names), 0
    with spemu.Decoder(data) as decoder:
        while True:
            filled = decoder.fill(columns)
            if not filled:
                return count
            count += filled


def iterate():
    count = 0
    for record in spemu.Decoder(data[:64 * 20000]):
        count += record.total is not None
    return count


def measure(name, work):
    best, count = float('inf'), 0
    for _ in range(TIMES):
        start = time.process_time_ns()
        count = work()
        best = min(best, time.process_time_ns() - start)
    print(name, best / count)


measure('columns-4', lambda: fill(FOUR))
measure('columns-all', lambda: fill(None))
measure('batches-4', lambda: sum(len(each) for each in spemu.Decoder(data).batches(ROWS, FOUR)))
measure('whole-4', lambda: len(spemu.decode(data, FOUR)))
measure('whole-all', lambda: len(spemu.decode(data)))
measure('objects', iterate)
