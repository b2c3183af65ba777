# SPDX-License-Identifier: MIT
"""The build folder of scripts/mutate: programs that link a library which can be replaced, copies of lib/ to
compile mutants from, and which line of lib/ each test executes.
"""
import bisect
import concurrent.futures
import contextlib
import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time

SUITES = ('unit', 'golden', 'fuzz')
# Of other suites what is about the library, and quick. They come after those above.
OTHERS = ('a64_objdump', 'cli_dump', 'cli_explain', 'cli_regs', 'cli_run', 'cli_strict')
GENERATED = 'generated'  # in a copy of the tree: what takes the place of files of the build folder
LIBRARY = 'libspemu-replaceable.so'
NOT_OK = re.compile(rb'^not ok(?! \d+ # SKIP)', re.M)  # TAP as cmocka writes it, with whatever exit status
MEMORY = 4 << 30  # bytes that a test may map


class BuildError(Exception):
    pass


def digest(*paths):
    h = hashlib.sha256()
    for path in paths:
        with open(path, 'rb') as f:
            h.update(f.read())
    return h.hexdigest()


def run(command, **how):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    if result.returncode:
        raise BuildError(f'{command[0]} failed: {(result.stderr or result.stdout).strip()[-2000:]}')
    return result.stdout


class Processes:
    """What runs, so that nothing is left when the script ends."""

    def __init__(self):
        self.lock, self.running, self.stopped = threading.Lock(), set(), False

    def run(self, command, cpu, wall, env, folder):
        """'passed', 'failed' or 'timeout', after at most so many seconds of processor and of clock; how many
        seconds of a processor it took; and its output."""
        with tempfile.TemporaryFile(dir=env['TMPDIR']) as output:
            status, seconds = self.run_into(output, command, cpu, wall, env, folder)
            output.seek(0)
            said = output.read()
            if status is None or -status in (signal.SIGXCPU, signal.SIGKILL):
                return 'timeout', seconds, said
            return ('failed' if status or NOT_OK.search(said) else 'passed'), seconds, said

    def run_into(self, output, command, cpu, wall, env, folder):
        limited = ['prlimit', f'--cpu={cpu}', f'--as={MEMORY}', '--core=0', f'--fsize={256 << 20}'] + command
        with self.lock:
            if self.stopped:
                raise KeyboardInterrupt
            p = subprocess.Popen(limited, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.DEVNULL, env=env, cwd=folder, start_new_session=True)
            self.running.add(p)
        try:
            return self.wait(p, wall)
        finally:
            self.kill(p)
            with self.lock:
                self.running.discard(p)

    @staticmethod
    def wait(p, wall):
        """Its exit status, None after wall seconds; and the seconds of a processor that it took."""
        end, pause = time.monotonic() + wall, 0.001
        while True:
            pid, status, usage = os.wait4(p.pid, os.WNOHANG)
            if pid:
                p.returncode = os.waitstatus_to_exitcode(status)
                return p.returncode, usage.ru_utime + usage.ru_stime
            if time.monotonic() > end:
                return None, wall
            time.sleep(pause)
            pause = min(2 * pause, 0.05)

    @staticmethod
    def kill(p):
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if p.returncode is None:
            p.wait()

    def stop(self):
        with self.lock:
            self.stopped = True
            for p in self.running:
                self.kill(p)


class Test:
    def __init__(self, build, row):
        self.name, self.suite = row['name'], row['suite'][0].split(':')[-1]
        self.command = row['cmd']
        self.env = row['env']
        self.folder = row.get('workdir') or build.folder
        files = [word for word in self.command if os.path.isfile(word)]
        if self.name in OTHERS:
            files += [build.path('tools/spemu'), os.path.join(build.source, 'tests/cli/clilib.py')]
        self.digest = digest(*files)
        self.seconds = 0.0  # of a processor, when nothing is changed
        self.lines = {}  # path -> lines that it executes


class Build:
    def __init__(self, source, folder):
        self.source, self.folder = source, os.path.abspath(folder)
        self.processes = Processes()
        self.work = self.path('mutation')

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    # -- programs and library as they are

    @contextlib.contextmanager
    def locked(self):
        """Nobody else uses the folder meanwhile."""
        os.makedirs(self.folder, exist_ok=True)
        with open(self.path('mutate.lock'), 'w', encoding='utf-8') as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise BuildError(f'{self.folder} is in use: wait, or name another folder') from None
            yield

    def make(self, names=None):
        """The library and the tests: those of names, or all that are about lib/ and quick."""
        if not os.path.exists(self.path('build.ninja')):
            run(['meson', 'setup', self.folder, self.source, '-Dbuildtype=plain', '-Doptimization=2',
                 '-Ddebug=false', '-Dplugin=disabled', '-Dlibrary=replaceable'])
        run(['ninja', '-C', self.folder, '-j2', 'build.ninja'])
        rows = [row for row in json.loads(run(['meson', 'introspect', '--tests', self.folder]))
                if (row['name'] in names if names is not None else
                    row['suite'][0].split(':')[-1] in SUITES or row['name'] in OTHERS)]
        targets = {t['id']: t['filename'] for t in
                   json.loads(run(['meson', 'introspect', '--targets', self.folder]))}
        wanted = {name for row in rows for t in row['depends'] for name in targets[t]}
        wanted.add(self.path('lib', LIBRARY))
        run(['ninja', '-C', self.folder, '-j2'] + sorted(os.path.relpath(w, self.folder) for w in wanted))
        self.commands()
        os.makedirs(self.work, exist_ok=True)
        self.tests = [Test(self, row) for row in rows]

    def commands(self):
        """How each object of the library is compiled, and the objects in their order."""
        with open(self.path('compile_commands.json'), encoding='utf-8') as f:
            rows = json.load(f)
        self.command, self.object = {}, []
        for row in rows:
            if not row['output'].startswith('lib/libspemu.a.p/'):
                continue
            path = self.below_source(row['file'])
            self.command[path] = shlex.split(row['command'])
            self.object.append((path, row['output']))
        self.dependents = {}
        output = run(['ninja', '-C', self.folder, '-t', 'deps'] + [name for _, name in self.object])
        for block in output.split('\n\n'):
            names = [self.below_source(line.strip()) for line in block.splitlines()[1:]]
            for name in names:
                self.dependents.setdefault(name, set()).update(n for n in names if n in self.command)

    def below_source(self, name):
        return os.path.relpath(os.path.join(self.folder, name), self.source)

    def compile(self, path, tree, output, *more):
        """path (below the source tree) from a tree of copy(); whether it compiles. Options of more come last."""
        words, i, result = self.command[path], 0, []
        while i < len(words):
            if words[i] in ('-MQ', '-MF', '-o', '-c'):
                i += 2
                continue
            if words[i] not in ('-MD', '-fdiagnostics-color=always'):
                result.append(words[i])
            i += 1
        result = [x for w in result for x in ([f'-I{i}' for i in self.copies(w[2:], tree)] if w[:2] == '-I' else [w])]
        source = self.copies(os.path.relpath(os.path.join(self.source, path), self.folder), tree)[0]
        # assert() names its file: so that a copy becomes what another copy becomes
        result += [*more, f'-fmacro-prefix-map={tree}=', '-o', output, '-c', source]
        return subprocess.run(result, cwd=self.folder, capture_output=True, check=False).returncode == 0

    def copies(self, name, tree):
        """A file or folder that the build's commands name: the tree's copy of it if there is one, then itself."""
        path = os.path.normpath(os.path.join(self.folder, name))
        for folder, below in ((self.folder, GENERATED), (self.source, '')):
            if path.startswith(folder + os.sep):
                copy = os.path.join(tree, below, os.path.relpath(path, folder))
                return [copy, path] if os.path.exists(copy) else [path]
        return [path]

    def link(self, output, replaced, *more):
        """The library, with the objects of replaced (path -> object) instead of the build's own."""
        objects = [replaced.get(path, self.path(name)) for path, name in self.object]
        run(['cc', '-shared', '-fPIC', *more, '-Wl,-soname,' + LIBRARY, '-o', output] + objects)

    def objects_of(self, path):
        """What is compiled again when path changes."""
        return [path] if path in self.command else sorted(self.dependents.get(path, ()))

    def copy(self, name):
        """A copy of what the library is made of, to mutate: the user's own is never written."""
        folder = os.path.join(self.work, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, 'tmp'))
        for part in ('lib', 'include', 'arch'):
            if os.path.isdir(os.path.join(self.source, part)):
                shutil.copytree(os.path.join(self.source, part), os.path.join(folder, part))
        return folder

    # -- tests

    def run_test(self, test, library, tmp, **more):
        env = {**os.environ, **test.env, 'LD_LIBRARY_PATH': library, 'TMPDIR': tmp, **more}
        cpu = int(2 + 3 * test.seconds) if test.seconds else 600
        try:
            return self.processes.run(test.command, cpu, 30 + 10 * cpu, env, test.folder)
        finally:
            for name in os.listdir(tmp):
                path = os.path.join(tmp, name)
                if os.path.isdir(path) and not os.path.islink(path):
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    os.unlink(path)

    # -- coverage

    def cover(self, note, jobs):
        """Runs each test once over the library as it is, and once over one that counts lines.

        What is known of a test holds until the test changes; of a file that has changed since only that the
        test executes something of it, which then counts as every line.
        """
        counting = self.counting_library(jobs)
        sources = {path: digest(os.path.join(self.source, path)) for path in self.lines}
        os.makedirs(os.path.join(self.work, 'covered'), exist_ok=True)

        def one(test):
            self.cover_test(test, counting, sources, note)

        self.in_parallel(jobs, one, self.tests)
        self.failing = [t.name for t in self.tests if not t.passes]
        self.tests = [t for t in self.tests if t.passes and t.lines]

    def in_parallel(self, jobs, one, items):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            try:
                for future in [pool.submit(one, item) for item in items]:
                    future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.processes.stop()
                raise

    def cover_test(self, test, counting, sources, note):
        kept = os.path.join(self.work, 'covered', test.name + '.json')
        known = {}
        if os.path.exists(kept):
            with open(kept, encoding='utf-8') as f:
                known = json.load(f)
        if known.get('of') != test.digest:
            note(f'coverage of {test.name}')
            with tempfile.TemporaryDirectory(dir=self.work) as tmp:
                known = {'of': test.digest, **self.count(test, counting, tmp)}
            known['sources'] = {path: sources[path] for path in known['lines']}
            with open(kept, 'w', encoding='utf-8') as f:
                json.dump(known, f)
        test.seconds, test.passes = known['seconds'], known['passes']
        test.lines = {path: set(lines) if known['sources'][path] == sources.get(path)
                      else self.lines.get(path, set()) for path, lines in known['lines'].items()}

    def count(self, test, counting, tmp):
        """Whether it passes, how long it takes, and the lines that it executes."""
        how, seconds, _ = self.run_test(test, self.path('lib'), tmp)
        with tempfile.NamedTemporaryFile(dir=self.work) as counts:
            counts.truncate(1 << 24)
            # A counting library is slow, and a third of the cases executes the same lines.
            self.run_test(test, counting, tmp, MUTATION_COUNT=counts.name, SPEMU_TEST_SHARE='3')
            ran = counts.read()
        if self.processes.stopped:
            raise KeyboardInterrupt
        executed = {}
        for address, lines in self.blocks.items():
            if ran[address]:
                for path, line in lines:
                    executed.setdefault(path, set()).add(line)
        return {'passes': how == 'passed', 'seconds': seconds, 'lines': {p: sorted(s) for p, s in executed.items()}}

    def counting_library(self, jobs):
        """Its folder. It tells each block of code that runs; self.blocks says what lines that is."""
        folder = os.path.join(self.work, 'counting')
        library, mark = os.path.join(folder, LIBRARY), os.path.join(folder, 'of')
        counter = os.path.join(self.source, 'tests/mutation/count.c')
        made_of = digest(self.path('lib', LIBRARY), counter)
        if not os.path.exists(mark) or open(mark, encoding='utf-8').read() != made_of:
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            replaced = {path: os.path.join(folder, path.replace('/', '_') + '.o') for path, _ in self.object}

            def one(path):
                if not self.compile(path, self.source, replaced[path], '-Og', '-g',
                                    '-fsanitize-coverage=trace-pc', '-Wno-error'):
                    raise BuildError(f'{path} does not compile with -fsanitize-coverage=trace-pc')

            self.in_parallel(jobs, one, replaced)
            self.link(library, replaced, '-O2', '-Wl,-Bsymbolic', counter)
            with open(mark, 'w', encoding='utf-8') as f:
                f.write(made_of)
        self.read_blocks(library)
        return folder

    def read_blocks(self, library):
        """self.blocks: where the call at the begin of a block returns to -> the block's lines."""
        calls, called = [], False
        for line in run(['objdump', '-d', '--no-show-raw-insn', library]).splitlines():
            m = re.match(r'\s+([0-9a-f]+):\s(.*)', line)
            if m and called:
                calls.append(int(m[1], 16))
            if m:
                called = '__sanitizer_cov_trace_pc' in m[2] and m[2].startswith('call')
        path = {os.path.basename(p): p for p in [*self.command, *self.dependents]}
        self.blocks = {at: set() for at in calls}
        self.lines = {}
        for line in run(['readelf', '-W', '--debug-dump=decodedline', library]).splitlines():
            m = re.match(r'(\S+\.[ch])\s+(\d+)\s+0x([0-9a-f]+)', line)
            if not m or m[1] not in path:
                continue
            place, address = (path[m[1]], int(m[2])), int(m[3], 16)
            self.lines.setdefault(place[0], set()).add(place[1])
            # A row before the call is the same statement's: a call takes five bytes.
            block = bisect.bisect_right(calls, address + 5) - 1
            if block >= 0:
                self.blocks[calls[block]].add(place)

    def tests_of(self, path, first, last):
        """Those that execute a line from first to last. A line without code is its statement's: the one above. What
        is known of lines is not exact, for the compiler merges code of several."""
        lines = self.lines.get(path, set())
        wanted = {n for n in range(first, last + 1) if n in lines}
        if not wanted:
            above = [n for n in lines if n < first]
            wanted = {max(above)} if above else set()
        return [t for t in self.tests if wanted & t.lines.get(path, set())]

    def tests_of_file(self, path):
        """Those that execute something of the file; all, if it has nothing to execute."""
        return [t for t in self.tests if t.lines.get(path) or path not in self.lines]
