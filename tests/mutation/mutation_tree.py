# SPDX-License-Identifier: MIT
"""The build folder of tests/mutation/mutate for tools/ and hosts/: a copy of the source tree for the mutants, its
build, and a second build that records the lines that each test executes.

The programs are linked as for users, because the tests run them like users do. So ninja compiles and links a mutant
for each test that needs it, which takes a second or two.
"""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import mutation_build
from mutation_build import digest, read_json, run

# Suites whose tests run code of tools/ or hosts/, and the quick tests of the suite `vm`, which boots machines.
SUITES = ('unit', 'golden', 'fuzz', 'cli', 'interop', 'qemu-user')
OTHERS = ('vm_counting', 'vm_events', 'vm_pmu_snapshot', 'vm_tlbi')
OTHER_SEED = re.compile(r'^golden_.*_seed[1-9]')  # a golden scenario has three seeds, which execute the same lines
BOTH = ('tools/', 'hosts/')
PLUGIN = 'hosts/qemu-user/spemu-qemu-user.so'
SHARED = ('tools/spemu', PLUGIN)  # most tests run these; a change of them is not a change of the test
# Undefined behavior ends the program, as in `make check`.
TRAP = ('-fsanitize=undefined', '-fsanitize-undefined-trap-on-error', '-Wno-conversion', '-Wno-sign-conversion',
        '-Wno-maybe-uninitialized')  # the checks of the sanitizer cause this warning
# Limits of a process in bytes: the data instead of the address space, because QEMU reserves that of the guest, and the
# size of a file, which may be sparse.
LIMITS = (f'--data={3 << 30}', f'--fsize={8 << 30}')
# The address sanitizer maps terabytes without using them, so it limits the memory itself.
ADDRESS_LIMITS = (f'--fsize={8 << 30}',)
ADDRESS = 'detect_leaks=0:hard_rss_limit_mb=3072'


def cases(row):
    """Return the functions of a test that pytest runs, which can run alone, or [''] for another test."""
    for word in row['cmd']:
        if 'pytest' in row['cmd'] and word.endswith('.py') and os.path.isfile(word):
            with open(word, encoding='utf-8') as f:
                return re.findall(r'^def (test_\w+)\(', f.read(), re.M)
    return ['']


def case_command(command, case):
    """Return the command of a test for a single case."""
    return [f'{word}::{case}' if case and word.endswith('.py') else word for word in command]


def imported(script):
    """Return the scripts of the same folder that a script imports, also indirectly."""
    found, waiting, folder = set(), [script], os.path.dirname(script)
    while waiting:
        with open(waiting.pop(), encoding='utf-8') as f:
            names = re.findall(r'^(?:import|from) (\w+)', f.read(), re.M)
        new = {os.path.join(folder, f'{name}.py') for name in names} - found
        new = {path for path in new if os.path.isfile(path)}
        found |= new
        waiting += new
    return found


def machine_of(path):
    """Return the machine of an ELF file, or None for another file."""
    with open(path, 'rb') as f:
        head = f.read(20)
    return head[18:] if head[:4] == b'\x7fELF' else None


class Test(mutation_build.Test):
    """One case of a test, or a test without cases."""

    def __init__(self, build, row, counting, case):
        super().__init__(build, row)
        self.targets, self.counting = row['targets'], counting
        self.case, self.name = case, ':'.join(filter(None, (self.name, case)))
        shared = {build.path(name) for name in SHARED}
        files = {word for word in self.command if os.path.isfile(word)} - shared
        for script in [word for word in files if word.endswith('.py')]:
            files |= imported(script)
        self.digest = digest(*sorted(files))
        self.command = case_command(self.command, case)


class Tree(mutation_build.Build):
    """The build for tools/ or hosts/. `folder` has the builds programs/ and counted/, which records lines, and the copy
    of the source tree.

    For tools/ alone, the programs have the address sanitizer. For hosts/ they cannot, because QEMU does not load a
    library with it.
    """
    budget = 60.0

    def __init__(self, source, folder, parts):
        base = os.path.abspath(folder)
        self.address = parts == ('tools/',)
        variant = '-address' if self.address else ''
        super().__init__(source, os.path.join(base, f'programs{variant}'))
        self.original, self.base, self.parts = source, base, parts
        self.source, self.work = os.path.join(base, 'tree'), os.path.join(base, f'mutation{variant}')
        self.processes = mutation_build.Processes(ADDRESS_LIMITS if self.address else LIMITS, eager=True)

    # -- the copy and its builds

    def synchronize(self):
        """Make the copy equal to the source. An unchanged file keeps its time, so that it is not built again."""
        wanted = set()
        for folder, folders, names in os.walk(self.original):
            below = os.path.relpath(folder, self.original)
            folders[:] = [n for n in folders if n not in ('.git', '__pycache__') and
                          not (below == '.' and n.startswith('build'))]
            for name in names:
                path = os.path.normpath(os.path.join(below, name))
                wanted.add(path)
                self.copy_file(path)
        for folder, folders, names in os.walk(self.source):
            folders[:] = [n for n in folders if n != '__pycache__']
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.source)
                if path not in wanted:
                    os.unlink(os.path.join(folder, name))
        build = os.path.join(self.source, 'build')  # tests look for QEMU and other things there
        if not os.path.islink(build):
            os.symlink(os.path.join(self.original, 'build'), build)

    def copy_file(self, path):
        before, after = os.path.join(self.original, path), os.path.join(self.source, path)
        with contextlib.suppress(OSError):
            if digest(before) == digest(after):
                return
        os.makedirs(os.path.dirname(after), exist_ok=True)
        with open(before, 'rb') as f, open(after, 'wb') as g:  # the new time makes ninja build it
            g.write(f.read())
        shutil.copymode(before, after)

    def make(self, names=None):
        self.synchronize()
        os.makedirs(self.work, exist_ok=True)
        counted = os.path.join(self.base, 'counted')
        counter, compiler = os.path.join(self.work, 'count.o'), os.path.join(self.work, 'count-cc')
        kept = os.path.join(self.source, 'tests/mutation/count-cc')
        if not os.path.exists(compiler) or digest(compiler) != digest(kept):
            shutil.copy(kept, compiler)
        run(['cc', '-O2', '-fPIC', '-c', '-o', counter, os.path.join(self.source, 'tests/mutation/count.c')])
        address = ('-Db_sanitize=address', '-Db_lundef=false', '-Dplugin=disabled',
                   f"-Dplugin_file={os.path.join(self.original, 'build', PLUGIN)}") if self.address else ()
        self.rows = self.built(self.folder, '-Ddebug=false', '-Dc_args=' + ' '.join(TRAP), *address)
        rows = self.built(counted, '-Ddebug=false', '-Dwerror=false', f'-Dc_link_args={counter}', CC=compiler)
        self.tests = [Test(self, row, rows[name], case) for name, row in self.rows.items() for case in cases(row)]
        self.counted = counted
        self.objects_of_files()

    def built(self, folder, *options, **env):
        """Build each test that runs code of tools/ or hosts/. Return {name: row}; targets are below the folder."""
        if not os.path.exists(os.path.join(folder, 'build.ninja')):
            shutil.rmtree(folder, ignore_errors=True)
            run(['meson', 'setup', folder, self.source, '-Dbuildtype=plain', '-Doptimization=1', *options],
                env={**os.environ, **env})
        run(['ninja', '-C', folder, '-j2', 'build.ninja'])
        targets = {t['id']: [os.path.relpath(n, folder) for n in t['filename']]
                   for t in read_json(os.path.join(folder, 'meson-info/intro-targets.json'))}
        rows = [r for r in read_json(os.path.join(folder, 'meson-info/intro-tests.json'))
                if (r['suite'][0].split(':')[-1] in SUITES or r['name'] in OTHERS) and not OTHER_SEED.search(r['name'])]
        of_parts = {t: any(os.path.relpath(os.path.join(folder, n), self.source).startswith(BOTH)
                           for n in run(['ninja', '-C', folder, '-t', 'inputs', *targets[t]]).splitlines())
                    for t in {t for r in rows for t in r['depends']}}
        rows = [r for r in rows if any(of_parts[t] for t in r['depends'])]
        for r in rows:
            r['targets'] = sorted({n for t in r['depends'] for n in targets[t]})
        run(['ninja', '-C', folder, '-j2', *sorted({n for r in rows for n in r['targets']})])
        return {r['name']: r for r in rows}

    def objects_of_files(self):
        """Set self.objects to {path: objects that depend on it}."""
        self.objects = {}
        block, name = [], ''
        for line in run(['ninja', '-C', self.folder, '-t', 'deps']).splitlines():
            if line.startswith(' '):
                block.append(self.below_source(line.strip()))
            elif line:
                name, block = line.split(':')[0], []
            else:
                for path in block:
                    if path.startswith(self.parts):
                        self.objects.setdefault(path, set()).add(name)

    # -- mutants

    def begin(self, sources):
        self.texts = {}
        for path in sources:
            with open(os.path.join(self.source, path), encoding='utf-8') as f:
                self.texts[path] = f.read()

    def copy(self, name):
        """Make a folder for the files of tests. Its name is short, because the path of a socket is limited."""
        folder = tempfile.mkdtemp(prefix='spemu-mutate-')
        os.chmod(folder, 0o755)  # tests may run as another user
        os.makedirs(os.path.join(folder, 'tmp'))
        return folder

    @contextlib.contextmanager
    def mutant(self, path, text, folder):
        objects = sorted(self.objects.get(path, ()))
        before = self.digests(objects) if self.ninja(objects) else None
        if not objects or before is None:
            raise mutation_build.BuildError(f'{path}: the unchanged file does not compile')
        try:
            self.write(path, text)
            made = self.ninja(objects)
            self.ready = set()
            yield 'refused' if not made else 'same code' if self.digests(objects) == before else ''
        finally:
            self.write(path, self.texts[path])

    def write(self, path, text):
        with open(os.path.join(self.source, path), 'w', encoding='utf-8') as f:
            f.write(text)

    def digests(self, names):
        return [digest(self.path(name)) for name in names]

    def ninja(self, names):
        return subprocess.run(['ninja', '-C', self.folder, '-j2', *names], capture_output=True,
                              check=False).returncode == 0

    def run_mutant(self, test, folder):
        targets = set(test.targets) - self.ready
        if targets and not self.ninja(sorted(targets)):
            return 'not linked'
        self.ready |= targets
        return self.run_test(test, '', os.path.join(folder, 'tmp'))[0]

    # -- tests

    def tests_of_mutant(self, path, line, first, last):
        """Return the tests that execute the line itself. It is exact, since these programs count at -Og; a test takes
        seconds."""
        return self.tests_of(path, line, line)

    def certain(self, path):
        return path in self.lines

    def run_test(self, test, library, tmp, **more):
        # Meson sets MALLOC_PERTURB_ as well.
        env = {**os.environ, **test.env, 'TMPDIR': tmp, 'MALLOC_PERTURB_': '165', 'ASAN_OPTIONS': ADDRESS, **more}
        wall = 20 + 12 * test.seconds if test.seconds else 600
        try:
            return self.processes.run(test.command, int(wall), wall, env, test.folder)
        finally:
            self.clear(tmp)

    def counting_library(self, jobs):
        """Read the blocks of the counting programs."""
        self.blocks, self.lines = {}, {}
        names = {n for t in self.tests for n in t.targets}
        for name in sorted(names):
            path = os.path.join(self.counted, name)
            if os.path.isfile(path) and machine_of(path) == machine_of(sys.executable):
                self.read_blocks(path, self.counted)
        self.lines = {path: lines for path, lines in self.lines.items() if path.startswith(BOTH)}

    def cover(self, note, jobs):
        super().cover(note, os.cpu_count() or 1)  # many tests wait; their time only determines the order

    def lines_known(self, test):
        """Return the lines that a run for the other part counted, or None. A changed file counts with all its lines."""
        other = 'mutation' if self.address else 'mutation-address'
        try:
            known = read_json(os.path.join(self.base, other, 'covered', test.name + '.json'))
        except (OSError, ValueError):
            return None
        if not known['passes'] or known['of'] != test.digest:
            return None
        return {path: lines if self.is_same(path, known['sources'][path]) else sorted(self.lines.get(path, ()))
                for path, lines in known['lines'].items()}

    def is_same(self, path, before):
        try:
            return digest(os.path.join(self.source, path)) == before
        except OSError:  # the file was removed
            return False

    def count(self, test, counting, tmp):
        """Run a test. Return whether it passes, its time, and the executed lines."""
        folder = self.copy('count')
        counts, begin = os.path.join(folder, 'counts'), time.monotonic()
        os.makedirs(counts)
        try:
            how, processor, said = self.run_test(test, '', os.path.join(folder, 'tmp'))
            # Elapsed time is too long on a busy machine. CPU time is too short for a test that waits.
            seconds = max(processor, (time.monotonic() - begin) / 4)
            executed = self.lines_known(test)
            if executed is None:
                row = test.counting
                env = {**os.environ, **row['env'], 'TMPDIR': os.path.join(folder, 'tmp'),
                       'SPEMU_MUTATION_COUNT': counts}
                self.processes.run(case_command(row['cmd'], test.case), 600, 600, env,
                                   row.get('workdir') or self.counted)
                executed = self.executed(counts)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if self.processes.stopped:
            raise KeyboardInterrupt
        if how != 'passed':
            note = mutation_build.NOT_OK.search(said)
            print(test.name, how, said[note.start():][:500] if note else said[-500:], file=sys.stderr)
        return {'passes': how == 'passed', 'seconds': seconds,
                'lines': {p: lines for p, lines in executed.items() if p.startswith(BOTH)}}
