#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Rust crates: what they declare, their tests, their example: test_rust.py SOURCE_DIR BINDINGS_DIR VERSION TARGET_DIR
INCLUDE_DIR...

Built by cargo without a network, with warnings as errors. SPEMU_LIB_DIR has the shared libraries.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from tap import check, plan, skip

source, version, target = pathlib.Path(sys.argv[1]).resolve(), sys.argv[3], pathlib.Path(sys.argv[4]).resolve()
folders = sys.argv[5:]
crates = pathlib.Path(sys.argv[2]).resolve() / 'rust'
# Debian's before one of the user's own.
CARGO = shutil.which('cargo', path=f"/usr/bin:{os.environ['PATH']}")


def run(*command, **environment):
    library = os.environ['SPEMU_LIB_DIR']
    around = {**os.environ, 'SPEMU_LIB_DIR': library, 'LD_LIBRARY_PATH': library, 'RUSTFLAGS': '-D warnings',
              'CARGO_TARGET_DIR': str(target), 'CARGO_INCREMENTAL': '0',
              'PATH': f"{os.path.dirname(CARGO)}:{os.environ['PATH']}", **environment}
    done = subprocess.run([str(word) for word in command], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=around, cwd=crates)
    return done.returncode, done.stdout


def layout():
    """Both compilers over the rows of one generator."""
    sys.path.insert(0, str(source / 'include/gen'))
    import binding_forms
    import public_api
    interface = binding_forms.read(folders)
    c, rows, said = (target / name for name in ('layout.c', 'layout_rows.rs', 'layout.txt'))
    c.write_text(binding_forms.made('layout', interface), encoding='utf-8')
    rows.write_text(binding_forms.made('layout-rust', interface), encoding='utf-8')
    subprocess.run([*public_api.COMPILER, *(f'-I{each}' for each in folders), '-o', c.with_suffix(''), c], check=True)
    said.write_text(subprocess.run([c.with_suffix('')], check=True, stdout=subprocess.PIPE, text=True).stdout,
                    encoding='utf-8')
    status, out = run('rustc', '--edition=2021', '-o', target / 'layout-rust', source / 'tests/bindings/layout.rs',
                      '--extern', f'spemu_sys={target}/debug/libspemu_sys.rlib', '-L', f'{target}/debug/deps',
                      '-L', os.environ['SPEMU_LIB_DIR'], LAYOUT_ROWS=str(rows))
    check(status == 0, 'the rows of the layout compile', out)
    status, out = run(target / 'layout-rust', said)
    compared = re.search(r'^compared (\d+)$', out, re.M)
    check(compared and int(compared[1]) > 3000, 'there are sizes, offsets and constants to compare', out)
    check(out.count('\n') == 1, 'rustc has the sizes, offsets and constants of the C compiler', out)


def example():
    """Sums that can be worked out by hand, over records of D18.2: PC, total latency, End."""
    records = target / 'records'

    def one(pc, total):
        return (b'\xb0' + pc.to_bytes(7, 'little') + b'\x80' + b'\x98' + total.to_bytes(2, 'little') + b'\x01')

    records.write_bytes(one(0x400000, 5) + one(0x400004, 100) + one(0x400000, 7))
    status, out = run('cargo', 'run', '--offline', '--quiet', '--example', 'hottest', records)
    check(status == 0 and [line.split() for line in out.splitlines()[1:]] ==
          [['0x400004', '1', '100'], ['0x400000', '2', '12']], 'the example adds up', out)
    status, out = run('cargo', 'run', '--offline', '--quiet', '--example', 'hottest', target / 'none')
    check(status == 1 and 'none: No such file' in out, 'and names a file that is not there', out)


def document():
    """The page's program runs, and prints what the page shows."""
    page = (source / 'docs/howto-bindings.md').read_text(encoding='utf-8')
    program, shown = re.search(r'^```\n(use spemu.*?)^```$.*?^```\n(.*?)^```$', page, re.M | re.S).groups()
    (target / 'page.rs').write_text(program, encoding='utf-8')
    status, out = run('rustc', '--edition=2021', '-o', target / 'page', target / 'page.rs',
                      '--extern', f'spemu={target}/debug/libspemu.rlib', '-L', f'{target}/debug/deps',
                      '-L', os.environ['SPEMU_LIB_DIR'])
    check(status == 0, "the document's program compiles", out)
    status, out = run(target / 'page')
    check((status, out) == (0, shown), 'and prints what the document shows', out)


if CARGO is None or subprocess.run([CARGO, '--version'], check=False, stdout=subprocess.PIPE).returncode:
    skip('there is no cargo')
target.mkdir(parents=True, exist_ok=True)
versions = {path.parent.name: re.search(r'^version = "(.*)"', path.read_text(encoding='utf-8'), re.M)[1]
            for path in crates.glob('*/Cargo.toml')}
check(versions == {'spemu': version, 'spemu-sys': version}, "the versions are the library's", str(versions))
status, out = run('cargo', 'build', '--offline', '--workspace')
check(status == 0, 'the crates build without a network and without a warning', out)
if status == 0:
    status, out = run('cargo', 'test', '--offline', '--workspace')
    for name, result in re.findall(r'^test (.*) \.\.\. (\w+)$', out, re.M):
        check(result == 'ok', name.replace('#', ' '), out)
    check(status == 0, 'cargo test', out)
    layout()
    example()
    document()
    unsafe = [path.name for path in (crates / 'spemu/src').glob('*.rs')
              if re.search(r'pub (unsafe )?(const )?(unsafe )fn', path.read_text(encoding='utf-8'))]
    check(not unsafe, 'no function of the crate is unsafe to call', str(unsafe))
plan()
