# SPDX-License-Identifier: MIT
"""Run the mutants of arch/statements.tsv for scripts/checks/statements: each in a separate copy of the tree, with the
test that must fail.
"""
import collections
import concurrent.futures
import copy
import functools
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import time

import mutation_build
import mutator
import statements

SEEDS = ('1', '0', '9999')  # of golden tests
# A mutant may cause warnings. An error that only the linker would report must be an error of the compiler.
COMPILE = ('-O0', '-Wno-error', '-Werror=implicit-function-declaration', '-Werror=implicit-int',
           '-Werror=incompatible-pointer-types', '-Werror=int-conversion')

Pair = collections.namedtuple('Pair', 'mutant test rows')


def programs(test):
    """Return the names of the Meson tests that run for a test of arch/statements.tsv."""
    suite, name = test.split(':')[0].split('/')
    if suite == 'golden':
        return [f'golden_{name}_seed{seed}' for seed in SEEDS]
    if suite == 'strict':
        return ['cli_strict']
    return [name] if suite == 'unit' else [f"{suite}_{name.removeprefix(suite + '_')}"]


def pairs_of(rows):
    """Return a pair for each mutant and first test, with the rows that have both."""
    pairs = {}
    for row in rows:
        pairs.setdefault((row.mutant, row.tests[0]), []).append(row)
    return [Pair(mutant, test, rows) for (mutant, test), rows in pairs.items()]


def key(pair):
    return hashlib.sha256('\0'.join([*pair.mutant, pair.test]).encode()).hexdigest()[:16]


def places(pair):
    return ', '.join(f'{row.section} {row.place}' for row in pair.rows)


class Libraries:
    """The library of a build folder with a mutant in it."""

    def __init__(self, build):
        self.build, self.sources = build, statements.Sources(build.source)
        made = mutation_build.run(['ninja', '-C', build.folder, '-t', 'targets', 'rule', 'CUSTOM_COMMAND']).split('\n')
        # Sources of the library that arch/gen generates from arch/.
        self.outputs = sorted(name for name in made if re.fullmatch(r'(include|lib)/\S+\.[ch]', name))

    def generated(self, tree, path):
        """Run the generators of a file of arch/ in the tree. Return the outputs that differ, or None on failure."""
        shutil.rmtree(os.path.join(tree, mutation_build.GENERATED), ignore_errors=True)
        for output in self.outputs:
            os.makedirs(os.path.dirname(os.path.join(tree, mutation_build.GENERATED, output)), exist_ok=True)
        done = set()
        for output in self.outputs:
            command = mutation_build.run(['ninja', '-C', self.build.folder, '-t', 'commands', output]).splitlines()[-1]
            words = tuple(self.word(tree, w) for w in shlex.split(command))
            if words in done or not any(path.startswith(os.path.relpath(w, tree)) for w in words):
                continue
            done.add(words)
            if subprocess.run(words, cwd=self.build.folder, capture_output=True, check=False).returncode:
                return None
        differ = []
        for output in self.outputs:
            made, was = os.path.join(tree, mutation_build.GENERATED, output), self.build.path(output)
            if os.path.exists(made) and mutation_build.digest(made) != mutation_build.digest(was):
                differ.append(self.build.below_source(output))
            elif os.path.exists(made):
                os.unlink(made)
        return differ

    def word(self, tree, word):
        """Return a word of a generator's command, with the tree's inputs and outputs."""
        path = os.path.normpath(os.path.join(self.build.folder, word))
        arch = os.path.join(self.build.source, 'arch')
        if word in self.outputs:
            return os.path.join(tree, mutation_build.GENERATED, word)
        if path == arch or path.startswith(arch + os.sep):
            return os.path.join(tree, os.path.relpath(path, self.build.source))
        return word

    def library_of(self, mutant, tree):
        """Build a library with the mutant. Return its folder and '', or None and the reason of the failure."""
        path, text = os.path.join(tree, mutant.path), self.sources.text(mutant.path)
        with open(path, 'w', encoding='utf-8') as f:
            f.write(self.sources.mutated(mutant))
        try:
            changed = self.generated(tree, mutant.path) if mutant.path.startswith('arch/') else [mutant.path]
            if changed is None:
                return None, 'the generator rejects it'
            replaced = {s: os.path.join(tree, s.replace('/', '_') + '.o')
                        for p in changed for s in self.build.objects_of(p)}
            if not replaced:
                return None, 'the library does not change'
            if not all(self.build.compile(s, tree, o, *COMPILE) for s, o in replaced.items()):
                return None, 'the compiler rejects it'
            library = os.path.join(tree, 'library')
            os.makedirs(library, exist_ok=True)
            self.build.link(os.path.join(library, mutation_build.LIBRARY), replaced, '-Wl,--no-undefined')
            return library, ''
        except mutation_build.BuildError as e:
            return None, str(e)
        finally:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
            shutil.rmtree(os.path.join(tree, mutation_build.GENERATED), ignore_errors=True)


class Runner(Libraries, mutation_build.Known):
    def __init__(self, build, fresh):
        Libraries.__init__(self, build)
        mutation_build.Known.__init__(self, build, 'statements.json', {'pairs': {}, 'plain': {}, 'places': {}}, fresh)
        self.library = mutation_build.digest(build.path('lib', mutation_build.LIBRARY))
        self.test = {t.name: t for t in build.tests}
        self.select = os.path.join(build.work, 'select.so')
        mutation_build.run(['cc', '-shared', '-fPIC', '-o', self.select,
                            os.path.join(build.source, 'tests/mutation/select.c')])

    # -- stored results

    def state(self, pair):
        """Return a digest of everything that the result depends on."""
        return {'file': hashlib.sha256(self.sources.text(pair.mutant.path).encode()).hexdigest(),
                'test': ''.join(self.test[name].digest for name in programs(pair.test))}

    def remembered(self, pair):
        r = self.known['pairs'].get(key(pair))
        return r if r and all(r[k] == v for k, v in self.state(pair).items()) else None

    def order(self, pairs):
        """Sort pairs with an older result of a row first. The commit draws the order within both groups."""
        head = subprocess.run(['git', '-C', self.build.source, 'rev-parse', 'HEAD'], capture_output=True, text=True,
                              check=False).stdout
        before = self.known['places']

        def rank(pair):
            new = not any(f'{r.section} {r.place}' in before for r in pair.rows)
            return new, hashlib.sha256((head + key(pair)).encode()).digest()
        return sorted(pairs, key=rank)

    # -- tests

    def case(self, name, test):
        """Return the Meson test, limited to the case if the program supports it."""
        case = copy.copy(self.test[name])
        if test.startswith('unit/'):
            case.env = {**case.env, 'LD_PRELOAD': self.select, 'MUTATION_CASE': test.split(':')[1]}
        return case

    def run_case(self, case, test, library, tmp):
        """Run a case and return how it ends and its time. A case that does not run has not passed."""
        how, seconds, output = self.build.run_test(case, library, tmp)
        if test.startswith('unit/') and how == 'passed' and f"ok 1 - {test.split(':')[1]}\n".encode() not in output:
            return 'not run', seconds
        return how, seconds

    def passes(self, name, test, tmp):
        """Return the seconds of a test that passes without a mutant, or None if it fails."""
        at = f'{name} {test}'
        of = self.test[name].digest + self.library
        r = self.known['plain'].get(at)
        if not r or r['of'] != of:
            how, seconds = self.run_case(self.case(name, test), test, self.build.path('lib'), tmp)
            if self.build.processes.stopped:
                raise KeyboardInterrupt
            r = {'of': of, 'how': how, 'seconds': max(seconds, 0.01)}
            with self.lock:
                self.known['plain'][at] = r
        return r['seconds'] if r['how'] == 'passed' else None

    # -- mutants

    def run(self, pair, tree, library):
        """Run a pair. Return (status, how)."""
        tmp = os.path.join(tree, 'tmp')
        for name in programs(pair.test):
            case = self.case(name, pair.test)
            case.seconds = self.passes(name, pair.test, tmp)
            if case.seconds is None:
                return 'wrong', 'the test does not pass without the mutant'
            how, _ = self.run_case(case, pair.test, library, tmp)
            if how != 'passed':
                return ('killed', how) if how != 'not run' else ('wrong', 'the test does not run')
        return 'survived', ''

    def one(self, pairs):
        """Run the pairs of one mutant. Return [(pair, result)]."""
        tree = self.folders.get()
        try:
            library, why = self.library_of(pairs[0].mutant, tree)
            found = [(p, *(self.run(p, tree, library) if library else ('wrong', why))) for p in pairs]
        finally:
            self.folders.put(tree)
        if self.build.processes.stopped:
            raise KeyboardInterrupt
        results = []
        with self.lock:
            for pair, status, how in found:
                r = {**self.state(pair), 'status': status, 'how': how}
                self.known['pairs'][key(pair)] = r
                self.known['places'].update({f'{row.section} {row.place}': key(pair) for row in pair.rows})
                results.append((pair, r))
            self.save()
        return results

    def all(self, pairs, jobs, end, report):
        """Run the pairs without a stored result. Return the number of pairs that were left when the time was up."""
        groups = {}
        for pair in self.order(pairs):
            groups.setdefault(pair.mutant, []).append(pair)
        left = 0
        waiting, running = iter(groups.values()), set()
        with self.build.side_by_side(jobs, 'statement') as (pool, self.folders):
            while True:
                while len(running) < jobs and (group := next(waiting, None)):
                    if time.monotonic() > end:
                        left += len(group)
                    else:
                        running.add(pool.submit(self.one, group))
                if not running:
                    return left
                done, running = concurrent.futures.wait(running, return_when='FIRST_COMPLETED')
                for future in done:
                    for pair, r in future.result():
                        report(pair, r)


mutants_of = functools.cache(mutator.mutants_of)
OFF_BY_ONE = {('<', '<='), ('<=', '<'), ('>', '>='), ('>=', '>')}


def boundary_of(sources, mutant):
    """Return another mutant of the same place, or None: a comparison off by one, or else a condition inverted."""
    begin, end = sources.place(mutant)
    text = sources.text(mutant.path)
    own = sources.mutated(mutant)
    inside = [m for m in mutants_of(mutant.path, text)
              if m.begin >= begin and m.end <= end and mutator.apply(text, m) != own]
    off = [m for m in inside if m.kind == 'relational' and (text[m.begin:m.end], m.new) in OFF_BY_ONE]
    inverted = [m for m in inside if m.kind in ('condition', 'relational') or (m.kind == 'logical' and m.new == '')]
    if not off + inverted:
        return None
    m = (off + inverted)[0]
    return mutant._replace(old=text[begin:end], new=text[begin:m.begin] + m.new + text[m.end:end])


def unseen(path):
    """Return the mutants of tests/mutation/boundary.txt, which no test can detect, as (path, place, text, mutant)."""
    blocks = re.findall(r'^(lib/\S+) (\S+)\n- (.*)\n\+ (.*)\n= \S', path.read_text(encoding='utf-8'), re.M)
    return {tuple(block) for block in blocks}


def boundaries(rows, sources, whole):
    """Yield the rows whose place has a boundary, with the mutant of the boundary. `whole` is true for all rows."""
    known = unseen(sources.root / 'tests/mutation/boundary.txt')
    met = set()
    for row in rows:
        try:
            second = boundary_of(sources, row.mutant) if row.mutant.path.startswith('lib/') else None
        except statements.RowError:
            continue
        if not second:
            continue
        key = (second.path, second.where, ' '.join(second.old.split()), ' '.join(second.new.split()))
        met.add(key)
        if key not in known:
            yield row._replace(mutant=second)
    for path, where, old, new in sorted(known - met) if whole else ():
        print(f'tests/mutation/boundary.txt: no row has this boundary: {path} {where}: {old} => {new}')


def runnable(pairs, sources, report):
    """Yield the pairs whose mutant and test exist."""
    tests = statements.Tests(sources.root)
    for pair in pairs:
        problem = tests.problem(pair.test)
        try:
            sources.place(pair.mutant)
        except statements.RowError as e:
            problem = problem or str(e)
        if problem:
            report(pair, {'status': 'wrong', 'how': problem})
        else:
            yield pair


def run(build, rows, arguments, note):
    """Run the mutants of the rows. Return 1 if a mutant survives or cannot be built, or 0."""
    tally = collections.Counter()

    def report(pair, r):
        tally[r['status']] += 1
        if r['status'] != 'killed':
            m = pair.mutant
            print(f"{r['status']}: {places(pair)} ({pair.test}){': ' if r['how'] else ''}{r['how']}\n"
                  f"  {m.path} {m.where}\n  - {m.old}\n  + {m.new}", flush=True)

    pairs = list(runnable(pairs_of(rows), statements.Sources(build.source), report))
    note(f'building the tests of {len(pairs)} mutants')
    build.make({name for p in pairs for name in programs(p.test)})
    runner = Runner(build, arguments.fresh)
    missing = [p for p in pairs if any(name not in runner.test for name in programs(p.test))]
    for pair in missing:
        report(pair, {'status': 'wrong', 'how': 'no such test in the build folder'})
    pairs = [p for p in pairs if p not in missing]
    known = [(p, r) for p in pairs if (r := runner.remembered(p))]
    for pair, r in known:
        report(pair, r)
    old = {key(p) for p, _ in known}
    left = runner.all([p for p in pairs if key(p) not in old], arguments.jobs, time.monotonic() + arguments.seconds,
                      report)
    print(f"{sum(tally.values())} mutants: {tally['killed']} killed, {tally['survived']} survived, "
          f"{tally['wrong']} wrong ({len(old)} from earlier runs, {left} not run within the time)")
    return 1 if tally['survived'] or tally['wrong'] else 0
