# SPDX-License-Identifier: MIT
"""The Rust crates: their declarations, tests and example. cargo builds them without a network and
treats warnings as errors. SPEMU_LIB_DIR contains the shared libraries.
"""
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from clilib import BUILD, ROOT

VERSION = json.loads((BUILD / 'meson-info/intro-projectinfo.json').read_text(encoding='utf-8'))['version']
FOLDERS = [ROOT / 'include', BUILD / 'include']
CRATES, TARGET = BUILD / 'bindings/rust', BUILD / 'tests/bindings/rust'
LIBRARIES = str(BUILD / 'lib')
# Prefer Debian's cargo to one that the user installed.
CARGO = shutil.which('cargo', path=f"/usr/bin:{os.environ['PATH']}")
if CARGO is None or subprocess.run([CARGO, '--version'], check=False, stdout=subprocess.PIPE).returncode:
    pytest.skip('cargo is not installed', allow_module_level=True)


def run(*command, **environment):
    around = {**os.environ, 'SPEMU_LIB_DIR': LIBRARIES, 'LD_LIBRARY_PATH': LIBRARIES, 'RUSTFLAGS': '-D warnings',
              'CARGO_TARGET_DIR': str(TARGET), 'CARGO_INCREMENTAL': '0',
              'PATH': f"{os.path.dirname(CARGO)}:{os.environ['PATH']}", **environment}
    done = subprocess.run([str(word) for word in command], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=around, cwd=CRATES)
    return done.returncode, done.stdout


@pytest.fixture(scope='module', autouse=True)
def built():
    TARGET.mkdir(parents=True, exist_ok=True)
    status, out = run('cargo', 'build', '--offline', '--workspace')
    assert status == 0, f'the crates build without a network and without a warning\n{out}'


def test_versions():
    versions = {path.parent.name: re.search(r'^version = "(.*)"', path.read_text(encoding='utf-8'), re.M)[1]
                for path in CRATES.glob('*/Cargo.toml')}
    assert versions == {'spemu': VERSION, 'spemu-sys': VERSION}, "the crates have the version of the library"


def test_cargo():
    status, out = run('cargo', 'test', '--offline', '--workspace')
    assert status == 0, out
    assert re.findall(r'^test .* \.\.\. ok$', out, re.M)


def test_nothing_is_unsafe():
    unsafe = [path.name for path in (CRATES / 'spemu/src').glob('*.rs')
              if re.search(r'pub (unsafe )?(const )?(unsafe )fn', path.read_text(encoding='utf-8'))]
    assert not unsafe, 'no function of the crate is unsafe to call'


def test_layout():
    """Compile the same generated layout program with both compilers, and compare the output."""
    sys.path.insert(0, str(ROOT / 'include/gen'))
    import binding_forms
    import public_api
    interface = binding_forms.read(FOLDERS)
    c, rows, said = (TARGET / name for name in ('layout.c', 'layout_rows.rs', 'layout.txt'))
    c.write_text(binding_forms.made('layout', interface), encoding='utf-8')
    rows.write_text(binding_forms.made('layout-rust', interface), encoding='utf-8')
    subprocess.run([*public_api.COMPILER, *(f'-I{each}' for each in FOLDERS), '-o', c.with_suffix(''), c], check=True)
    said.write_text(subprocess.run([c.with_suffix('')], check=True, stdout=subprocess.PIPE, text=True).stdout,
                    encoding='utf-8')
    status, out = run('rustc', '--edition=2021', '-o', TARGET / 'layout-rust', ROOT / 'tests/bindings/layout.rs',
                      '--extern', f'spemu_sys={TARGET}/debug/libspemu_sys.rlib', '-L', f'{TARGET}/debug/deps',
                      '-L', LIBRARIES, LAYOUT_ROWS=str(rows))
    assert status == 0, f'the rows of the layout compile\n{out}'
    status, out = run(TARGET / 'layout-rust', said)
    compared = re.search(r'^compared (\d+)$', out, re.M)
    assert compared and int(compared[1]) > 3000, f'enough sizes, offsets and constants\n{out}'
    assert out.count('\n') == 1, f'rustc has the sizes, offsets and constants of the C compiler\n{out}'


def test_example():
    """The example computes sums that were calculated by hand, for records of D18.2 with PC, total
    latency and End."""
    records = TARGET / 'records'

    def one(pc, total):
        return (b'\xb0' + pc.to_bytes(7, 'little') + b'\x80' + b'\x98' + total.to_bytes(2, 'little') + b'\x01')

    records.write_bytes(one(0x400000, 5) + one(0x400004, 100) + one(0x400000, 7))
    status, out = run('cargo', 'run', '--offline', '--quiet', '--example', 'hottest', records)
    assert (status == 0 and [line.split() for line in out.splitlines()[1:]] ==
            [['0x400004', '1', '100'], ['0x400000', '2', '12']]), f'the example prints the right sums\n{out}'
    status, out = run('cargo', 'run', '--offline', '--quiet', '--example', 'hottest', TARGET / 'none')
    assert status == 1 and 'none: No such file' in out, f'the example reports a missing file\n{out}'


def test_document():
    """The program in the document compiles, and prints the output in the document."""
    page = (ROOT / 'docs/howto/bindings.md').read_text(encoding='utf-8')
    program, shown = re.search(r'^```\n(use spemu.*?)^```$.*?^```\n(.*?)^```$', page, re.M | re.S).groups()
    (TARGET / 'page.rs').write_text(program, encoding='utf-8')
    status, out = run('rustc', '--edition=2021', '-o', TARGET / 'page', TARGET / 'page.rs',
                      '--extern', f'spemu={TARGET}/debug/libspemu.rlib', '-L', f'{TARGET}/debug/deps',
                      '-L', LIBRARIES)
    assert status == 0, f"the document's program compiles\n{out}"
    status, out = run(TARGET / 'page')
    assert (status, out) == (0, shown), f'the program prints the output in the document\n{out}'
