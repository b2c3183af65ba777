# SPDX-License-Identifier: MIT
"""Print the ten instructions with the largest sum of total latency, and their samples: hottest.py [perf.data]"""
import sys

import numpy as np
import spemu

path = sys.argv[1] if len(sys.argv) > 1 else 'perf.data'
with spemu.Recording(path) as recording:
    batches = [batch for trace in recording.traces()
               for batch in trace.decoder().batches(65536, names=('pc', 'total'))]
if not batches:
    raise SystemExit(f'{path} has no records')
pc = spemu.virtual_address(np.concatenate([batch.pc for batch in batches]))
total = np.concatenate([batch.total for batch in batches])
places, which, samples = np.unique(pc, return_inverse=True, return_counts=True)
cycles = np.bincount(which, weights=total)
print(f"{'PC':>18} {'samples':>8} {'cycles':>10}")
for i in np.argsort(cycles)[::-1][:10]:
    print(f'{int(places[i]):#18x} {samples[i]:8d} {int(cycles[i]):10d}')
