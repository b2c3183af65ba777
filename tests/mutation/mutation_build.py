# SPDX-License-Identifier: MIT
"""The build folder of tests/mutation/mutate for lib/. It has programs that link a replaceable library, copies of lib/
from which mutants are compiled, and the lines of lib/ that each test executes. mutation_tree.py is the counterpart for
tools/ and hosts/.
"""
import bisect
import concurrent.futures
import contextlib
import fcntl
import hashlib
import json
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SUITES = ('unit', 'golden', 'fuzz')
# Quick tests of the library in other suites. They run after the suites above.
OTHERS = ('a64_objdump', 'cli_dump', 'cli_explain', 'cli_regs', 'cli_run', 'cli_strict')
GENERATED = 'generated'  # folder in a copy of the tree for files that replace those of the build folder
LIBRARY = 'libspemu-replaceable.so'
NOT_OK = re.compile(rb'^not ok(?! \d+ # SKIP)', re.M)  # in TAP of cmocka, with any exit status
LIMITS = (f'--as={4 << 30}', f'--fsize={256 << 20}')  # of a test: address space and size of a file, in bytes


class BuildError(Exception):
    pass


def digest(*paths):
    h = hashlib.sha256()
    for path in paths:
        with open(path, 'rb') as f:
            h.update(f.read())
    return h.hexdigest()


def read_json(path):
    with open(path, encoding='utf-8') as f:
        return json.load(f)


def run(command, **how):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    if result.returncode:
        raise BuildError(f'{command[0]} failed: {(result.stderr or result.stdout).strip()[-2000:]}')
    return result.stdout


class Processes:
    """The running processes. The script can end all of them."""

    def __init__(self, limits=LIMITS, eager=False):
        """limits: options of prlimit(1) for each process; eager: end a test at its first failed check."""
        self.lock, self.running, self.stopped = threading.Lock(), set(), False
        self.limits, self.eager = limits, eager

    def run(self, command, cpu, wall, env, folder):
        """Run a command for at most `cpu` seconds of CPU time and `wall` seconds of elapsed time.

        Return 'passed', 'failed' or 'timeout', the seconds of CPU time, and the output.
        """
        with tempfile.TemporaryFile(dir=env['TMPDIR']) as output:
            status, seconds = self.run_into(output, command, cpu, wall, env, folder)
            output.seek(0)
            said = output.read()
            if status is None or -status in (signal.SIGXCPU, signal.SIGKILL):
                return 'timeout', seconds, said
            return ('failed' if status or NOT_OK.search(said) else 'passed'), seconds, said

    def run_into(self, output, command, cpu, wall, env, folder):
        limited = ['prlimit', f'--cpu={cpu}', '--core=0', *self.limits, *command]
        with self.lock:
            if self.stopped:
                raise KeyboardInterrupt
            p = subprocess.Popen(limited, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.DEVNULL, env=env, cwd=folder, start_new_session=True)
            self.running.add(p)
        try:
            return self.wait(p, wall, output)
        finally:
            self.kill(p)
            with self.lock:
                self.running.discard(p)

    def wait(self, p, wall, output):
        """Wait for a process. Return its exit status, or None after `wall` seconds, and its seconds of CPU time."""
        end, pause = time.monotonic() + wall, 0.001
        while True:
            pid, status, usage = os.wait4(p.pid, os.WNOHANG)
            if pid:
                p.returncode = os.waitstatus_to_exitcode(status)
                return p.returncode, usage.ru_utime + usage.ru_stime
            if time.monotonic() > end:
                return None, wall
            if self.eager and NOT_OK.search(os.pread(output.fileno(), 1 << 20, 0)):
                return 1, 0
            time.sleep(pause)
            pause = min(2 * pause, 0.05)

    def kill(self, p):
        """End a process and its children. An eager command test ends its own children at SIGTERM."""
        if self.eager and p.returncode is None:
            p.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                p.wait(5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(p.pid, signal.SIGKILL)
        if p.returncode is None:
            p.wait()

    def stop(self):
        with self.lock:
            self.stopped = True
            for p in self.running:
                self.kill(p)


def exit_of(name, main):
    """End the program with the result of main(), 2 if it cannot run, or 130 if it is interrupted."""
    def stop(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print(f'{name}: interrupted; the results so far are kept', file=sys.stderr)
        sys.exit(130)
    except BuildError as e:
        print(f'{name}: {e}', file=sys.stderr)
    except (OSError, subprocess.SubprocessError) as e:
        print(f'{name}: cannot run: {e}', file=sys.stderr)
    sys.exit(2)


class Known:
    """Results of mutants, which are stored in a file of the build folder."""

    def __init__(self, build, name, known, fresh):
        self.build, self.file, self.known = build, os.path.join(build.work, name), known
        self.lock, self.folders = threading.Lock(), None
        if not fresh and os.path.exists(self.file):
            self.known = read_json(self.file)

    def save(self):
        with open(self.file + '.new', 'w', encoding='utf-8') as f:
            json.dump(self.known, f)
        os.replace(self.file + '.new', self.file)


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
        self.seconds = 0.0  # CPU time without a mutant
        self.lines = {}  # {path: executed lines}


class Build:
    budget = float('inf')  # seconds of tests per mutant

    def __init__(self, source, folder):
        self.source, self.folder = source, os.path.abspath(folder)
        self.base = self.folder  # the folder with the lock
        self.processes = Processes()
        self.work = self.path('mutation')
        self.lock = threading.Lock()

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    # -- programs and library without mutants

    @contextlib.contextmanager
    def locked(self):
        """Hold the lock on the folder, so that no other process uses it."""
        os.makedirs(self.base, exist_ok=True)
        with open(os.path.join(self.base, 'mutate.lock'), 'w', encoding='utf-8') as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise BuildError(f'{self.base} is in use: wait, or name another folder') from None
            yield

    def make(self, names=None):
        """Build the library and the tests: those of `names`, or all quick ones of lib/."""
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
        """Read the compile command of each object of the library, the objects in link order, and their dependencies."""
        self.command, self.object = {}, []
        inputs = set(run(['ninja', '-C', self.folder, '-t', 'query', 'lib/' + LIBRARY]).split())
        for row in read_json(self.path('compile_commands.json')):
            if row['output'] not in inputs:
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
        """Compile `path`, below the source tree, from a tree of copy(); `more` are the last options. Return true if the
        compiler accepts it."""
        words, result = iter(self.command[path]), []
        for word in words:
            if word in ('-MQ', '-MF', '-o', '-c'):
                next(words)
            elif word.startswith('-I'):
                result += [f'-I{folder}' for folder in self.copies(word[2:], tree)]
            elif word not in ('-MD', '-fdiagnostics-color=always'):
                result.append(word)
        source = self.copies(os.path.relpath(os.path.join(self.source, path), self.folder), tree)[0]
        # assert() contains the name of its file. Make it the same in every copy.
        result += [*more, f'-fmacro-prefix-map={tree}=', '-o', output, '-c', source]
        return subprocess.run(result, cwd=self.folder, capture_output=True, check=False).returncode == 0

    def copies(self, name, tree):
        """Return the tree's copy, if any, of a file or folder that a command of the build names, and the original."""
        path = os.path.normpath(os.path.join(self.folder, name))
        for folder, below in ((self.folder, GENERATED), (self.source, '')):
            if path.startswith(folder + os.sep):
                copy = os.path.join(tree, below, os.path.relpath(path, folder))
                return [copy, path] if os.path.exists(copy) else [path]
        return [path]

    def link(self, output, replaced, *more):
        """Link the library with the objects of `replaced`, {path: object}, instead of the build's objects."""
        objects = [replaced.get(path, self.path(name)) for path, name in self.object]
        run(['cc', '-shared', '-fPIC', *more, '-Wl,-soname,' + LIBRARY, '-o', output] + objects)

    def begin(self, sources):
        """Store the current contents of the files."""
        self.copy('plain')
        self.plain, self.texts = {}, {}
        for path in sources:
            with open(os.path.join(self.work, 'plain', path), encoding='utf-8') as f:
                self.texts[path] = f.read()

    @contextlib.contextmanager
    def mutant(self, path, text, folder):
        """Replace a file in a folder of copy() by a text, and build. Yield 'refused', 'same code' or ''."""
        replaced, same = self.compiled(path, text, folder)
        if replaced and not same:
            os.makedirs(os.path.join(folder, 'library'), exist_ok=True)
            self.link(os.path.join(folder, 'library', LIBRARY), replaced)
        yield 'refused' if replaced is None else 'same code' if same else ''

    def run_mutant(self, test, folder):
        """Run a test with the mutant of the folder. Return 'passed', 'failed' or 'timeout'."""
        return self.run_test(test, os.path.join(folder, 'library'), os.path.join(folder, 'tmp'))[0]

    def compiled(self, path, text, folder):
        """Return {path: object} of the files that the text changes, or None if the compiler rejects it, and whether the
        code is the same."""
        file, replaced, same = os.path.join(folder, path), {}, True
        with open(file, 'w', encoding='utf-8') as f:
            f.write(text)
        try:
            for source in self.objects_of(path):
                replaced[source] = os.path.join(folder, source.replace('/', '_') + '.o')
                if not self.compile(source, folder, replaced[source]):
                    return None, False
                same = same and digest(replaced[source]) == self.plain_object(source)
        finally:
            with open(file, 'w', encoding='utf-8') as f:
                f.write(self.texts[path])
        return replaced, same

    def plain_object(self, source):
        """Return the digest of the object of the unchanged file, which is also compiled from a copy."""
        with self.lock:
            if source not in self.plain:
                folder = os.path.join(self.work, 'plain')
                output = os.path.join(folder, 'plain.o')
                self.compile(source, folder, output)
                self.plain[source] = digest(output)
            return self.plain[source]

    def objects_of(self, path):
        """Return the sources to compile again when `path` changes."""
        return [path] if path in self.command else sorted(self.dependents.get(path, ()))

    def copy(self, name):
        """Copy the sources of the library for mutants, so that the user's files stay unchanged. Return the folder."""
        folder = os.path.join(self.work, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, 'tmp'))
        for part in ('lib', 'include', 'arch'):
            if os.path.isdir(os.path.join(self.source, part)):
                shutil.copytree(os.path.join(self.source, part), os.path.join(folder, part))
        return folder

    # -- tests

    def run_test(self, test, library, tmp, **more):
        env = {**os.environ, **test.env, 'LD_LIBRARY_PATH': library, 'SPEMU_TEST_LIBRARY': library, 'TMPDIR': tmp,
               **more}
        cpu = int(2 + 3 * test.seconds) if test.seconds else 600
        try:
            return self.processes.run(test.command, cpu, 30 + 10 * cpu, env, test.folder)
        finally:
            self.clear(tmp)

    @staticmethod
    def clear(folder):
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)

    # -- coverage

    def cover(self, note, jobs):
        """Run each test once with the library, and once with a library that counts lines.

        The lines of a test are valid until the test changes. After a change of a source file, a test that executes any
        line of it counts as executing every line.
        """
        counting = self.counting_library(jobs)
        sources = {path: digest(os.path.join(self.source, path)) for path in self.lines}
        os.makedirs(os.path.join(self.work, 'covered'), exist_ok=True)

        def one(test):
            self.cover_test(test, counting, sources, note)

        self.in_parallel(jobs, one, self.tests)
        self.failing = [t.name for t in self.tests if not t.passes]
        self.tests = [t for t in self.tests if t.passes and t.lines]

    @contextlib.contextmanager
    def side_by_side(self, jobs, name):
        """Yield a pool of `jobs` threads, and a queue with a copy of the tree for each. At the end, stop all processes
        and remove the copies."""
        made = [self.copy(f'{name}{n}') for n in range(jobs)]
        folders = queue.Queue()
        for folder in made:
            folders.put(folder)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            try:
                yield pool, folders
            finally:
                self.processes.stop()
                pool.shutdown(cancel_futures=True)  # then no thread writes into the copies
                for folder in made:
                    shutil.rmtree(folder, ignore_errors=True)

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
        known = read_json(kept) if os.path.exists(kept) else {}
        if known.get('of') != test.digest or not known['passes']:
            note(f'coverage of {test.name}')
            with tempfile.TemporaryDirectory(dir=self.work) as tmp:
                known = {'of': test.digest, **self.count(test, counting, tmp)}
            known['sources'] = {path: sources.get(path) for path in known['lines']}
            with open(kept, 'w', encoding='utf-8') as f:
                json.dump(known, f)
        test.seconds, test.passes = known['seconds'], known['passes']
        test.lines = {path: set(lines) if known['sources'][path] == sources.get(path)
                      else self.lines.get(path, set()) for path, lines in known['lines'].items()}

    def count(self, test, counting, tmp):
        """Run a test and return whether it passes, its time, and the lines it executes."""
        how, seconds, _ = self.run_test(test, self.path('lib'), tmp)
        # The counting library is slow. A third of the cases executes the same lines.
        with tempfile.TemporaryDirectory(dir=self.work) as counts:
            self.run_test(test, counting, tmp, SPEMU_MUTATION_COUNT=counts, SPEMU_TEST_SHARE='3')
            executed = self.executed(counts)
        if self.processes.stopped:
            raise KeyboardInterrupt
        return {'passes': how == 'passed', 'seconds': seconds, 'lines': executed}

    def executed(self, counts):
        """Return {path: executed lines} from the files that tests/mutation/count.c wrote into a folder."""
        executed = {}
        for name in os.listdir(counts):
            with open(os.path.join(counts, name), 'rb') as f:
                ran = f.read()
            for address, lines in self.blocks.get(name, {}).items():
                if ran[address:address + 1] == b'\1':  # the file is empty if the process must not write a large one
                    for path, line in lines:
                        executed.setdefault(path, set()).add(line)
        return {p: sorted(s) for p, s in executed.items()}

    def counting_library(self, jobs):
        """Make a library that records each executed block; self.blocks has the lines of a block. Return its folder."""
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
        self.blocks, self.lines = {}, {}
        self.read_blocks(library, self.folder)
        return folder

    def read_blocks(self, program, folder):
        """Set self.blocks[name] to {return address of the call that begins a block: lines of the block}. Paths in the
        program are relative to the folder."""
        calls, called = [], False
        for line in run(['objdump', '-d', '--no-show-raw-insn', program]).splitlines():
            m = re.match(r'\s+([0-9a-f]+):\s(.*)', line)
            if m and called:
                calls.append(int(m[1], 16))
            if m:
                called = '__sanitizer_cov_trace_pc' in m[2] and m[2].startswith('call')
        blocks = self.blocks[os.path.basename(program)] = {at: set() for at in calls}
        for path, line, address in self.line_table(program, folder):
            self.lines.setdefault(path, set()).add(line)
            # A row before the call belongs to the same statement. A call takes five bytes.
            block = bisect.bisect_right(calls, address + 5) - 1
            if block >= 0:
                blocks[calls[block]].add((path, line))

    def line_table(self, program, folder):
        """Yield (path, line, address) of each row about a file below the source tree."""
        path = None
        for line in run(['readelf', '-W', '--debug-dump=decodedline', program]).splitlines():
            m = re.match(r'(?:CU: )?(\S+\.[ch]):', line)
            if m:
                path = os.path.relpath(os.path.join(folder, m[1]), self.source)
                path = None if path.startswith('../') else path
            m = re.match(r'\S+\.[ch]\s+(\d+)\s+0x([0-9a-f]+)', line)
            if m and path:
                yield path, int(m[1]), int(m[2], 16)

    def tests_of(self, path, first, last):
        """Return the tests that execute a line from `first` to `last`. A line without code belongs to the statement
        above it. The lines are approximate, because the compiler merges code."""
        lines = self.lines.get(path, set())
        wanted = {n for n in range(first, last + 1) if n in lines}
        if not wanted:
            above = [n for n in lines if n < first]
            wanted = {max(above)} if above else set()
        return [t for t in self.tests if wanted & t.lines.get(path, set())]

    def tests_of_mutant(self, path, line, first, last):
        """Return the tests for a mutant in a function: those that execute any of its lines from `first` to `last`."""
        return self.tests_of(path, first, last)

    def certain(self, path):
        """Return true if a mutant of the file survives when tests_of_mutant() returns no test."""
        return False

    def tests_of_file(self, path):
        """Return the tests that execute code of the file, or all tests if the file has no code."""
        return [t for t in self.tests if t.lines.get(path) or path not in self.lines]
