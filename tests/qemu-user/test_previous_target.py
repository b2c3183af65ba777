# SPDX-License-Identifier: MIT
"""Test the target of the previously taken branch (FEAT_SPE_PBT) in each record of the QEMU user-mode plugin.

The expected values for loop.S come from the simulation in test_plugin. straight.S repeats the same
round. For branches.c, QEMU logs every block of every thread during the recording (-d exec). With
the branches of objdump's listing, the log becomes a list of executed instructions.
"""
import collections
import glob
import itertools
import os
import re
import subprocess

from test_plugin import GUEST, Elf, Recording, build, own_folder, place, simulate  # noqa: F401, a fixture

FEATURES = 'features=v8.7,+FEAT_SPE_PBT'
# A record with all packets needs more than 64 bytes, so PMSIDR_EL1.MaxSize is 128. A buffer with less than this free is
# full (D17.7.1).
BUFFER_RECORDS, SMALL_RECORDS = 65536 // 64 - 1, 4096 // 64 - 1
LEAD = 128  # the plugin finds a previously taken branch within this number of operations before a sample
ALWAYS, TIMED = 'flags=0x10000', 'profile=neoverse-n1'
PREVIOUS = 1 << 4  # a bit of `present` in a record
NONE, UNKNOWN = 'none', 'unknown'  # NONE: an exception followed the branch; UNKNOWN: the branch is unknown


def show(x):
    return x if isinstance(x, str) else hex(x)


def says(record):
    return record['previous'] if record['present'] & PREVIOUS else None


def test_loop():
    build('loop', '-nostdlib', '-static', f'{GUEST}/loop.S')
    previous, last = [], None
    for _, _, taken, target in itertools.islice(simulate(Elf('loop')), 4 + 2 * 15):
        previous.append(last)
        if taken:
            last = target
    again = previous[4 + 15:]  # two rounds have 15 operations
    for name, period, *params in (('default interval', 4096), ('no restarts', 1024, ALWAYS),
                                  ('timed', 2048, TIMED), ('small buffer', 1024, 'buffer=4096'),
                                  # Use one buffer, because strict mode does not define the time of its interrupt.
                                  ('strict', 4096, 'flags=4')):
        r = Recording(['./loop'], f'period={period}', FEATURES, *params)
        records = r.of('record')
        places = [place(n, period, SMALL_RECORDS if 'buffer=4096' in params else BUFFER_RECORDS) - 1
                  for n in range(len(records))]
        bad = [(n, show(says(x)), show(again[(p - 4) % 15])) for n, (x, p) in enumerate(zip(records, places))
               if says(x) != again[(p - 4) % 15]]
        assert len(records) > 500 and not bad and not r.total['previous_missing'] and not r.note, \
            f'loop, {name}: the target of the previous branch in {len(records)} records\n' + str(bad[:3] or r.total)
    r = Recording(['./loop'], 'period=4096')
    assert not any(x['present'] & PREVIOUS for x in r.of('record')), 'loop: no previous target without the feature'


def test_straight():
    """A branch every 602 operations. It is found within the lead, and always with a timing
    model."""
    build('straight', '-nostdlib', '-static', f'{GUEST}/straight.S')
    target = Elf('straight').symbol['straight']
    for name, period, *params in (('plain', 256), ('timed', 768, TIMED)):
        r = Recording(['./straight'], f'period={period}', FEATURES, *params)
        bad, missing, records = [], 0, r.of('record')
        for n, x in enumerate(records):
            round_, after = divmod(place(n, period, BUFFER_RECORDS) - 3, 602)  # operations since the branch, minus 1
            if round_ == 0 or round_ == 3000:
                continue
            known = after < LEAD or params == [TIMED]
            # If the branch is too far back, the plugin may still know it, because it followed the block for another
            # reason.
            want = (target,) if known else (target, None)
            if n % BUFFER_RECORDS == 0:  # the previous branch may be the return from the interrupt
                want = (target, None)
            missing += says(x) is None
            if says(x) not in want:
                bad.append((n, after, says(x)))
        assert len(records) > 2000 and not bad, f'long blocks, {name}: previous targets within the lead are found\n' + str(bad[:5])
        absent = r.total['previous_missing']
        assert params == [TIMED] and absent == 0 or absent > 1000 and abs(missing - absent) <= 10, \
            f'long blocks, {name}: records without a previous target are counted\n{(absent, missing)}'


class Listing:
    """objdump's listing as a map from addresses to (mnemonic, target of a direct branch or None)."""
    BRANCH = re.compile(r'^(b|bl|b\.\w+|bc\.\w+|cbn?z|tbn?z)$')

    def __init__(self, exe):
        text = subprocess.run(['aarch64-linux-gnu-objdump', '-d', exe], capture_output=True, text=True,
                              check=True).stdout
        self.at = {}
        for m in re.finditer(r'^ +([0-9a-f]+):\t[0-9a-f]{8} \t(\S+)(.*)$', text, re.M):
            words = m.group(3).split('<')[0].replace(',', ' ').split()
            target = int(words[-1], 16) if self.BRANCH.match(m.group(2)) else None
            self.at[int(m.group(1), 16)] = (m.group(2), target)


def blocks_of(log):
    """Return the blocks that a thread executed, and the instructions of the blocks that it translated."""
    ran, size, into, bytes_seen = [], {}, None, 0
    for line in open(log, errors='replace'):
        if line.startswith('Trace'):
            ran.append(int(line.split('[')[1].split('/')[1], 16))
        elif line.startswith('Stopped execution'):
            ran.pop()
        elif line.startswith('IN:'):
            into = None
        elif re.match(r'0x[0-9a-f]+:', line):
            pc = int(line.split(':')[0], 16)
            into = pc if into is None else into
            size[into] = (pc - into) // 4 + 1
            bytes_seen = 0
        elif line.startswith('OBJD-T:'):  # a QEMU without a disassembler logs the bytes in hex
            bytes_seen += len(line.split()[1]) // 2
            size[into] = bytes_seen // 4
    return ran, size


Op = collections.namedtuple('Op', 'pc last since lost')  # last: previous target; since: operations since it changed; lost: the outcome is unknown


def executed(ran, size, listing, handlers):
    """Yield each instruction with the target of the previous branch, the number of instructions
    since that branch, and true if the outcome of the instruction itself is unknown."""
    last, branch, ops = NONE, 0, []
    for start, after in zip(ran, ran[1:] + [None]):
        end = start + 4 * (size[start] - 1)
        name, target = listing.at.get(end, ('svc', None))  # any other address is the return of a handler
        indirect = name in ('br', 'blr', 'ret')
        conditional = name.startswith(('b.', 'cb', 'tb'))
        lost = indirect and (after is None or after in handlers) or conditional and after not in (end + 4, target)
        for pc in range(start, end + 4, 4):
            ops.append(Op(pc, last, len(ops) - branch, pc == end and lost))
        if indirect or target is not None and after == target:
            last, branch = UNKNOWN if after in handlers else after, len(ops) - 1
        elif name == 'svc' or after != end + 4 or target is not None and not conditional:
            last, branch = NONE, len(ops) - 1
    return ops


def test_trace():
    """Compare threads and signals with QEMU's log of every block in the same run."""
    build('branches', '-O1', '-static', '-pthread', '-mno-outline-atomics', f'{GUEST}/branches.c')
    listing, symbol = Listing('branches'), Elf('branches').symbol
    handlers = {symbol['on_alarm'], symbol['on_user']}
    for name, period, *params in (('callbacks', 256, ALWAYS), ('timed', 256, TIMED)):
        for log in glob.glob('log.*'):
            os.remove(log)
        os.environ['QEMU_LOG'] = 'exec,nochain,in_asm,tid'
        os.environ['QEMU_LOG_FILENAME'] = 'log.%d'
        try:
            r = Recording(['./branches'], f'period={period}', 'buffer=1048576', FEATURES, *params)
        finally:
            del os.environ['QEMU_LOG'], os.environ['QEMU_LOG_FILENAME']
        ran, size = {}, {}
        for log in glob.glob('log.*'):
            ran[int(log[4:])], sizes = blocks_of(log)
            size.update(sizes)
        records = collections.defaultdict(list)
        for x in r.of('record'):
            records[x['context']].append(x)
        compare(name, r, period, records,
                {tid: executed(blocks, size, listing, handlers) for tid, blocks in ran.items()},
                params == [TIMED])


def chosen(ops, period):
    """Return the sampled operations. After a discarded operation, profiling becomes enabled again
    and loads the counter (D17.3.3). Any other reload takes one operation."""
    at = period - 1
    while at < len(ops):
        yield ops[at]
        at += period if ops[at].lost else period + 1


def compare(name, r, period, records, ops, timed):
    bad, missing, far, lost, seen = [], 0, 0, 0, collections.Counter()
    for tid, all_ops in ops.items():
        found = iter(records[tid])
        for op in chosen(all_ops, period):
            if op.lost:
                lost += 1
                continue
            record = next(found, None)
            said = record and says(record)
            wants = [None if isinstance(op.last, str) else op.last]
            if not timed and op.since > LEAD:
                wants.append(None)
            if not record or record['pc'] != op.pc or said not in wants:
                bad.append((tid, show(op.pc), show(op.last), op.since, record and (hex(record['pc']), said)))
                break
            seen[op.last if isinstance(op.last, str) else 'a target'] += 1
            missing += said is None and op.last != NONE
            far += not timed and op.last == NONE and op.since > LEAD
    assert not bad and sum(seen.values()) == len(r.of('record')) and len(ops) == 4, \
        f'threads and signals, {name}: each record agrees with the log\n' + str(bad[:4] or r.total)
    assert r.status == 0 and r.total['lost'] == lost and 0 <= r.total['previous_missing'] - missing <= far, \
        f'threads and signals, {name}: lost samples and missing targets are counted\n{(lost, missing, far, r.total)}'
    assert seen[NONE] > 10 and seen[UNKNOWN] > 10 and seen['a target'] > 1000, f'threads and signals, {name}: all cases occur\n{seen}'
