# SPDX-License-Identifier: MIT
"""Test the QEMU user-mode plugin end to end. The environment variable SPEMU_QEMU selects the QEMU.

Expected values come from the guest programs. This file simulates loop.S instruction by instruction,
and every scene checks itself and returns an exit status.
"""
import bisect
import os
import re
import resource
import shutil
import struct
import subprocess

import pytest

from clilib import BUILD, ROOT

RECORDER, PLUGIN, GUEST = BUILD / 'tests/qemu-user/qemu_user_recorder', os.environ['SPEMU_PLUGIN'], ROOT / 'tests/qemu-user/guest'
QEMU, CC = os.environ.get('SPEMU_QEMU') or 'qemu-aarch64', 'aarch64-linux-gnu-gcc'
SYSROOT = '/usr/aarch64-linux-gnu'
COUNT = 400000
for need in (QEMU, CC):
    if not shutil.which(need):
        pytest.skip(f'{need} is not installed', allow_module_level=True)


@pytest.fixture(scope='module', autouse=True)
def own_folder(tmp_path_factory):
    """Return the folder in which the tests make all files."""
    os.chdir(tmp_path_factory.mktemp('plugin'))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    yield
    os.chdir('/')


def build(name, *args):
    subprocess.run([CC, '-g', '-o', name, *args], check=True)


class Elf:
    """Symbols of an ELF file by file offset."""

    def __init__(self, path):
        data = open(path, 'rb').read()
        phoff, shoff = struct.unpack_from('<QQ', data, 32)
        phsize, phnum, shsize, shnum = struct.unpack_from('<HHHH', data, 54)
        self.symbol, self.spans = {}, []
        loads = [struct.unpack_from('<IIQQQQQQ', data, phoff + i * phsize) for i in range(phnum)]
        self.loads = [p for p in loads if p[0] == 1]
        for i in range(shnum):
            _, kind, _, _, offset, size, link = struct.unpack_from('<IIQQQQI', data,
                                                                   shoff + i * shsize)
            if kind != 2:
                continue
            names = struct.unpack_from('<Q', data, shoff + link * shsize + 24)[0]
            for at in range(offset, offset + size, 24):
                name, _, _, _, value, length = struct.unpack_from('<IBBHQQ', data, at)
                text = data[names + name:data.index(b'\0', names + name)].decode()
                self.symbol[text] = value
                if length:
                    self.spans.append((self.offset(value), self.offset(value) + length, text))
        self.spans.sort()

    def offset(self, address):
        for _, _, offset, vaddr, _, filesz, _, _ in self.loads:
            if vaddr <= address < vaddr + filesz:
                return address - vaddr + offset
        return -1

    def function(self, offset):
        i = bisect.bisect_right(self.spans, (offset, 1 << 62, '')) - 1
        if i >= 0 and self.spans[i][0] <= offset < self.spans[i][1]:
            return self.spans[i][2]
        return None


class Recording:
    def __init__(self, command, *params, env=None):
        run = subprocess.run([RECORDER, 'run', 'out.data', 'totals', PLUGIN, *params, '--', QEMU,
                              '-L', SYSROOT, *command], capture_output=True, text=True,
                             timeout=120, env=env)
        self.status, self.out, self.err = run.returncode, run.stdout, run.stderr
        totals = dict(line.split(' ', 1) for line in open('totals').read().splitlines())
        self.note = totals.pop('note', '').strip()
        self.total = {k: int(v) for k, v in totals.items()}
        dump = subprocess.run([RECORDER, 'dump', 'out.data'], capture_output=True, text=True,
                              check=True).stdout
        self.events = []
        for line in dump.splitlines():
            kind, *fields = line.split()
            event = {'kind': kind}
            for field in fields:
                key, _, value = field.partition('=')
                event[key] = int(value, 0) if re.fullmatch(r'(0x)?[0-9a-f]+', value) and \
                    key != 'name' and (value.isdigit() or value.startswith('0x')) else value
            self.events.append(event)

    def of(self, kind):
        return [e for e in self.events if e['kind'] == kind]

    def functions(self, elf, path):
        """Return {(tid, function): samples} of a file. The mappings at the time of a sample
        determine its function."""
        maps, result, pid_of = {}, {}, {}
        for e in self.of('mmap'):
            maps.setdefault(e['pid'], []).append(e)
        for e in self.of('comm') + self.of('fork'):
            pid_of[e['tid']] = e['pid']
            if e['kind'] == 'fork' and e['pid'] != e['ppid']:
                maps.setdefault(e['pid'], []).extend(maps.get(e['ppid'], []))
        for r in self.of('record'):
            pid = pid_of.get(r['context'])
            for m in reversed(maps.get(pid, [])):
                if m['start'] <= r['pc'] < m['start'] + m['len']:
                    name = elf.function(r['pc'] - m['start'] + m['pgoff']) \
                        if m['name'] == path else '[%s]' % m['name']
                    break
            else:
                name = '?'
            key = (r['context'], name)
            result[key] = result.get(key, 0) + 1
        return result


BUFFER_RECORDS = 65536 // 64  # records in the recorder's default buffer


def simulate(elf):
    """Return every executed instruction of loop.S as (pc, va or None, taken or None, target)."""
    s = elf.symbol
    start = s['_start']
    yield (start, 'literal', None, None)
    for i in range(1, 4):
        yield (start + 4 * i, None, None, None)
    for i in range(COUNT):
        x0 = COUNT - i
        yield (s['the_load'], s['array'] + 8 * i % 4096, None, None)
        yield (s['the_store'], s['scratch'] + 16, None, None)
        yield (s['the_store'] + 4, None, None, None)
        yield (s['the_store'] + 8, None, None, None)
        yield (s['the_cond'], None, x0 % 2 == 0, s['the_join'])
        if x0 % 2:
            yield (s['the_skip'], None, None, None)
        yield (s['the_join'], None, None, None)
        yield (s['the_back'], None, x0 != 1, s['loop_begin'])
    for i in range(3):
        yield (s['loop_end'] + 4 * i, None, None, None)


def matches(record, op, elf, targets):
    """Return the difference between the record and the operation, or ''.

    `targets` is true if branches that are not taken have a target, too: the address after them.
    """
    pc, va, taken, target = op
    if taken is False and targets:
        target = pc + 4
    elif not taken:
        target = None
    if record['pc'] != pc:
        return 'pc %#x, not %#x' % (record['pc'], pc)
    has_va, has_target = bool(record['present'] & 4), bool(record['present'] & 2)
    if has_va != (va is not None) or (has_va and va != 'literal' and record['va'] != va):
        return 'va %#x, not %s' % (record['va'], va)
    want = 1 if va is not None else 2 if taken is not None else 0
    if record['class'] != want:
        return 'class %d' % record['class']
    if want == 1 and record['subclass'] != (pc == elf.symbol['the_store']):
        return 'subclass %d' % record['subclass']
    if want == 2 and record['subclass'] != 1:
        return 'branch subclass %d' % record['subclass']
    not_taken = bool(record['events'] & 1 << 6)
    if not_taken != (taken is False) or has_target != (target is not None):
        return 'events %#x at a branch that is %s' % (record['events'], taken)
    if has_target and record['target'] != target:
        return 'target %#x' % record['target']
    return '' if record['events'] & 2 else 'not retired'


def place(n, period, buffer=BUFFER_RECORDS):
    """Return the place, counted from 1, of the n-th chosen operation, counted from 0.

    PMSICR_EL1 is loaded when profiling becomes enabled, also after the interrupt of a full buffer
    (D17.3.3). Any other reload takes one operation (D17.3.4.1).
    """
    return period + n * (period + 1) - n // buffer


def ground_truth(name, loop, ops, params, period, buffer=BUFFER_RECORDS, targets=False):
    r = Recording(['./loop'], *params)
    records = r.of('record')
    assert r.status == 42, f'{name}: exit status of the program\n{(r.status, r.err)}'
    assert r.total['operations'] == len(ops), f'{name}: every operation is counted\n' + str((r.total['operations'], len(ops)))
    assert (len(records) == r.total['samples'] and r.total['lost'] == 0 and
            r.total['collisions'] == 0 and not r.note), f'{name}: no sample is lost\n{(r.total, r.note)}'
    count = next(n for n in range(len(ops)) if place(n, period, buffer) > len(ops))
    chosen = [ops[place(n, period, buffer) - 1] for n in range(count)]
    bad = [f'{i}: {m}' for i, (rec, op) in enumerate(zip(records, chosen))
           if (m := matches(rec, op, loop, targets))]
    assert not bad and count == len(records), f'{name}: each of {len(records)} records is correct\n' + str(bad[:5] or f'not {count}')
    times = [x['time'] for x in records]
    assert times == sorted(times) and times[0] > 0, f'{name}: timestamps increase'
    tid = r.of('comm')[0]['tid']
    assert all(x['context'] == tid for x in records), f'{name}: the context is the thread'
    return r


@pytest.fixture(scope='module')
def loop(own_folder):
    build('loop', '-nostdlib', '-static', f'{GUEST}/loop.S')
    return Elf('loop')


@pytest.fixture(scope='module')
def ops(loop):
    return list(simulate(loop))


def test_truth(loop, ops):
    ground_truth('plain', loop, ops, ['period=4096'], 4096)
    ground_truth('often', loop, ops, ['period=256'], 256)
    ground_truth('no restarts', loop, ops, ['period=1024', 'flags=0x10000'], 1024)
    ground_truth('generic', loop, ops, ['period=1024', 'profile=generic'], 1024)


def test_timed(loop, ops):
    r = ground_truth('timed', loop, ops, ['period=4096', 'profile=neoverse-n1'], 4096,
                     targets=True)
    records = r.of('record')
    assert all(x['total'] > 0 for x in records), 'timed: every record has a latency'
    assert all(x['events'] & 4 for x in records if x['class'] == 1), \
        'timed: every load or store has the event of the level 1 data cache'
    misses = sum(bool(x['events'] & 8) for x in records if x['class'] == 1)
    assert misses < 10, f'timed: an array of 4 KB stays in the cache\n{misses}'
    wrong = sum(bool(x['events'] & 0x80) for x in records if x['pc'] == loop.symbol['the_back'])
    assert wrong <= 2, f'timed: the branch of the loop is predicted\n{wrong}'


def test_small_buffer(loop, ops):
    r = ground_truth('small buffer', loop, ops, ['period=256', 'buffer=4096'], 256, 4096 // 64)
    assert r.total['management'] == len(r.of('record')) // (4096 // 64), \
        f'small buffer: an interrupt whenever the buffer is full\n{r.total}'


def test_jitter(loop, ops):
    r = Recording(['./loop'], 'period=4096', 'jitter=1', 'seed=7')
    low, high = len(ops) // (4096 + 256), len(ops) // 4096
    assert low <= r.total['samples'] <= high and r.total['operations'] == len(ops), \
        f'jitter: as many samples as the interval allows\n{r.total}'
    assert len({x['pc'] for x in r.of('record')}) == 8, 'jitter: every instruction of the loop is sampled'


def test_filter(loop, ops):
    # 769 and the 15 operations of two rounds have no common divisor, so every place is chosen.
    r = Recording(['./loop'], 'period=768', 'pmsfcr=0x20002')  # FT, LD
    assert (r.of('record') and all(x['class'] == 1 and x['subclass'] == 0 for x in r.of('record')) and
            r.total['filtered'] > 0 and
            abs(r.total['filtered'] + r.total['samples'] - len(ops) // 769) <= 4), \
                f'filter: loads are recorded, and other samples are counted\n{r.total}'


def test_straight():
    """Two samples in one block have the right addresses."""
    build('straight', '-nostdlib', '-static', f'{GUEST}/straight.S')
    elf = Elf('straight')
    first, last, array = (elf.symbol[n] for n in ('straight', 'straight_end', 'array'))
    operations = 2 + 3000 * 602 + 3
    for name, *params in (('restart',), ('always', 'flags=0x10000'),
                          ('timed', 'profile=neoverse-n1')):
        r = Recording(['./straight'], 'period=256', *params)
        records = r.of('record')
        wrong = []
        for n, x in enumerate(records):
            pc = first + 4 * ((place(n, 256) - 3) % 602)
            if x['pc'] != pc and first <= x['pc'] < last:
                wrong.append((n, 'pc', hex(x['pc'])))
            if first <= x['pc'] < first + 2400 and \
                    (not x['present'] & 4 or x['va'] != array + (x['pc'] - first) * 2):
                wrong.append((n, 'va', hex(x['pc']), hex(x['va'])))
        assert r.status == 43 and r.total['operations'] == operations, \
            f'long blocks, {name}: all operations are counted\n{r.total}'
        assert (abs(len(records) - operations // 257) <= 1 and r.total['collisions'] == 0 and
                r.total['lost'] == 0), f'long blocks, {name}: no sample is lost\n{r.total}'
        assert not wrong, f'long blocks, {name}: samples have the right places and addresses\n' + str(wrong[:4])


def test_exclusives():
    """A sampled Store-Exclusive does not fail. A Store-Exclusive after a sampled Load-Exclusive
    does not fail, either (D17.7.9)."""
    build('exclusives', '-nostdlib', '-static', f'{GUEST}/exclusives.S')
    elf = Elf('exclusives')
    for name, *params in (('restart',), ('always', 'flags=0x10000'), ('timed', 'profile=neoverse-n1'),
                          ('small buffer', 'buffer=4096')):
        r = Recording(['./exclusives'], 'period=256', *params)
        samples = {pc: sum(x['pc'] == elf.symbol[pc] for x in r.of('record')) for pc in ('the_ldxr', 'the_stxr')}
        assert r.status == 0, f'exclusives, {name}: no Store-Exclusive fails\n{(r.status, r.err)}'
        assert min(samples.values()) > 300, f'exclusives, {name}: both are sampled\n{samples}'


@pytest.mark.parametrize('args, words', (((), 'control='), (('control=/nonexistent',), 'recording'), (('speed=fast',), 'argument')),
                         ids=('no control area', 'a control area that is not there', 'an unknown argument'))
def test_refusal(loop, args, words):
    run = subprocess.run([QEMU, '-plugin', ','.join((PLUGIN, *args)), './loop'], capture_output=True, text=True)
    assert (run.returncode, run.stderr.count('\n'), run.stdout) == (1, 1, '') and words in run.stderr


SCENES = {  # name: arguments, functions that must be sampled
    'threads': ([], ['work_thread', 'contend']),
    'churn': ([], ['work_thread']),
    'fork': ([], ['work_main', 'work_child']),
    'fork-in-thread': ([], ['work_main', 'work_child', 'contend']),
    'exec-missing': ([], ['work_main']),
    'signals': ([], ['work_main', 'work_handler']),
    'faults': ([], ['work_main', 'on_fault']),
    'crash': ([], ['work_main']),
    'abort': ([], ['work_main']),
    'trap': ([], ['work_main']),
    'jit': ([], []),
    'closes': ([], ['work_main']),
    'exit-from-thread': ([], ['work_main']),
}


SOME = ('threads', 'fork', 'faults', 'crash', 'jit')
KINDS = {  # name: compiler options, the plugin's parameters, scenes
    'pie': ((), (), SCENES),
    'non-pie': (('-no-pie',), (), SOME),
    'static': (('-static',), (), SOME),
    'static-pie': (('-static-pie',), (), SOME),
    'timed': ((), ('profile=neoverse-n1',), ('threads', 'churn', 'fork-in-thread', 'faults', 'crash', 'jit')),
}


def scenes(kind):
    """Return the path of the scenes' program and its symbols."""
    exe = os.path.abspath(f'scenes-{kind}')
    if not os.path.exists(exe):
        build(exe, '-O1', '-mno-outline-atomics', '-pthread', *KINDS[kind][0], f'{GUEST}/scenes.c')
    return exe, Elf(exe)


@pytest.mark.parametrize('kind, scene', [(kind, scene) for kind, (_, _, names) in KINDS.items() for scene in names])
def test_scene(kind, scene):
    (exe, elf), params = scenes(kind), KINDS[kind][1]
    args, wanted = SCENES[scene]
    plain = subprocess.run([QEMU, '-L', SYSROOT, exe, scene, *args], capture_output=True,
                           text=True)
    status = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
    r = Recording([exe, scene, *args], 'period=1024', *params)
    assert r.status == status and r.out == plain.stdout and r.err == plain.stderr, \
        f'the exit status and output are those without the plugin\n{(r.status, status, r.err)}'
    functions = r.functions(elf, exe)
    names = {f for _, f in functions}
    assert names >= set(wanted), f'the expected functions have samples\n{functions}'
    records = len(r.of('record'))
    assert (records == r.total['samples'] and r.total['lost_bytes'] == 0 and not r.note and
            abs(r.total['operations'] / 1025 - records - r.total['lost'] - r.total['collisions'])
            <= r.total['threads']), f'the number of records is that of samples\n{(r.total, r.note)}'
    assert r.total['lost'] <= records / 100, f'few outcomes are unknown\n{r.total}'
    assert '?' not in names, f'every address is in a mapping\n{functions}'
    special(scene, r, functions)


def special(scene, r, functions):
    if scene == 'threads':
        tids = {t for t, f in functions if f == 'work_thread'}
        assert len(tids) == 4 and r.total['threads'] == 5, f'each thread has its own SPU\n{tids}'
    elif scene == 'churn':
        assert r.total['threads'] == 401, f'all threads are counted\n{r.total}'
        assert len(r.of('fork')) == 400 and len(r.of('exit')) == 401, 'all forks and exits are reported'
    elif scene in ('fork', 'fork-in-thread'):
        main = {t for t, f in functions if f == 'work_main'}
        child = {t for t, f in functions if f == 'work_child'}
        assert len(child) == 1 and not main & child and r.total['processes'] == 2, \
            f'the child has its own records\n{functions}'
    elif scene == 'jit':
        assert any(f and f.startswith('[//anon') for _, f in functions), f'generated code has samples\n{functions}'


@pytest.mark.parametrize('scene, status, processes', (('exec', 9, 2), ('spawn', 0, 3)))
def test_exec(scene, status, processes):
    exe, elf = scenes('pie')
    r = Recording([exe, scene, exe], 'period=1024')
    functions = r.functions(elf, exe)
    assert r.status == status, f'{scene}: exit status\n{(r.status, r.err)}'
    assert {'work_main', 'work_child'} <= {f for _, f in functions}, f'{scene}: the next image is recorded\n{functions}'
    assert r.total['processes'] == processes and r.total['lost'] == 0, f'{scene}: the number of processes\n{r.total}'
    assert len([e for e in r.of('comm') if e['exec'] == 1]) == 2, f'{scene}: each exec reports a name'


def test_script():
    exe, elf = scenes('pie')
    with open('script.sh', 'w') as f:
        f.write(f'#!{exe} child\n')
    os.chmod('script.sh', 0o755)
    r = Recording([exe, 'script', os.path.abspath('script.sh')], 'period=1024')
    assert r.status == 0, f'script: the interpreter runs and returns its status\n{(r.status, r.err)}'
    assert 'work_child' in {f for _, f in r.functions(elf, exe)}, 'script: the program is recorded'


def test_children_not_followed():
    exe, _ = scenes('pie')
    r = Recording([exe, 'exec', exe], 'period=1024', 'flags=4')
    assert r.status == 9, f'exec with children not followed: exit status\n{(r.status, r.err)}'


def test_library():
    exe, _ = scenes('pie')
    build('library.so', '-shared', '-fPIC', '-O1', f'{GUEST}/library.c')
    path = os.path.abspath('library.so')
    r = Recording([exe, 'dlopen', path], 'period=1024')
    functions = r.functions(Elf(path), path)
    assert r.status == 0 and any(f == 'work_library' for _, f in functions), \
        f'dlopen: the library has samples\n{functions}'
    assert (any(e['name'] == path and e['prot'] & 4 for e in r.of('mmap')) and
            any(e['name'] == path and e['prot'] == 3 and e['data'] for e in r.of('mmap'))), \
                'dlopen: the code and data of the library are mapped'
