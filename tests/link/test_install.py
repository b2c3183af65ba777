# SPDX-License-Identifier: MIT
"""`meson install` into a DESTDIR installs everything, and programs can be built with the installed library."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from clilib import BUILD, ROOT

OPTIONS = {option['name']: option['value'] for option in json.loads((BUILD / 'meson-info/intro-buildoptions.json').read_text(encoding='utf-8'))}
PREFIX, LIBDIR = OPTIONS['prefix'], OPTIONS['libdir']
VERSION = json.loads((BUILD / 'meson-info/intro-projectinfo.json').read_text(encoding='utf-8'))['version']
EMBED = BUILD / 'examples/embed'  # all other builds must print the same output
PLUGINS = [plugin.name for plugin in BUILD.glob('hosts/*/spemu-*.so')]
CMAKE_LISTS = '''cmake_minimum_required(VERSION 3.13)
project(embed C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(spemu REQUIRED IMPORTED_TARGET spemu>=0.9 spemu-trace>=0.9)
add_executable(embed embed.c)
target_link_libraries(embed PkgConfig::spemu)
'''
VERSION_SOURCE = '''#include <cstdio>
#include <spemu/spemu.h>
int main() { std::printf("%s %s %d.%d.%d\\n", spemu_version(), SPEMU_VERSION,
                         SPEMU_VERSION_MAJOR, SPEMU_VERSION_MINOR, SPEMU_VERSION_PATCH); }
'''
LIBRARIES = ('spemu', 'spemu-trace')
SONAMES = [f'lib{name}.so.0' for name in LIBRARIES]
GUEST_SOURCE = '''int main(void)
{
	volatile int n = 0;
	while (n < 100000)
		n++;
	return 0;
}
'''


def run(*command, **kwargs):
    """Return the status and output of a command."""
    result = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, timeout=300,
                            stderr=subprocess.STDOUT, text=True, check=False, **kwargs)
    return result.returncode, result.stdout


class Installed:
    """An installation in a folder, and builds of programs that use it."""

    def __init__(self, folder):
        self.folder = folder
        self.root = folder / 'root'
        self.prefix = pathlib.Path(f'{self.root}{PREFIX}')
        self.lib = self.prefix / LIBDIR
        self.env = dict(os.environ, PKG_CONFIG_LIBDIR=str(self.lib / 'pkgconfig'),
                        PKG_CONFIG_SYSROOT_DIR=str(self.root), LD_LIBRARY_PATH=str(self.lib))
        for name in ('SPEMU_PLUGIN', 'SPEMU_VM_PLUGIN', 'PKG_CONFIG_PATH'):
            self.env.pop(name, None)

    def pkg_config(self, *flags, of=LIBRARIES):
        return run('pkg-config', *flags, *of, env=self.env)[1].split()

    def run(self, *command, **kwargs):
        return run(*command, env=self.env, **kwargs)

    def build(self, name, compiler, source, *flags):
        """Return the status and output of a program, and the shared libraries of spemu that it needs."""
        program = self.folder / name
        status, out = self.run(compiler, '-Wall', '-Werror', '-o', program, source, *flags)
        if status:
            return status, out, None
        needed = re.findall(r'NEEDED.*\[(libspemu.*)\]', run('readelf', '-d', program)[1])
        return *self.run(program), needed


@pytest.fixture(scope='module')
def it(tmp_path_factory):
    installed = Installed(tmp_path_factory.mktemp('install'))
    status, out = run('meson', 'install', '--no-rebuild', '--quiet', '-C', BUILD, '--destdir', installed.root)
    assert status == 0, f'meson install\n{out}'
    return installed


def test_files(it):
    files = {str(p.relative_to(it.prefix)) for p in it.root.rglob('*') if not p.is_dir()}
    assert [f for f in files if f.startswith('..')] == [], 'all files are below the prefix'
    headers = {p.name for folder in (ROOT, BUILD)
               for p in (folder / 'include' / 'spemu').glob('*.h')}
    assert {f.rsplit('/', 1)[1] for f in files if f.startswith('include/')} == headers, 'every public header is installed, and no other'
    pages = {p.name.removesuffix('.in') for p in (ROOT / 'docs' / 'man').iterdir()}
    pages.add('spemu-choices.7')
    functions = {p.name for p in (BUILD / 'include' / 'spemu' / 'man3').iterdir()}  # cli_man checks their names
    assert 'spemu_decoder_batch.3' in functions, 'the library has manual pages'
    pages |= functions
    assert {f.rsplit('/', 1)[1] for f in files if f.startswith('share/man/')} == pages, 'every manual page is installed'
    docs = {p.relative_to(ROOT / 'docs') for p in (ROOT / 'docs').rglob('*.md')}
    wanted = {f'share/doc/spemu/docs/{name}' for name in docs} | {
        'bin/spemu',
        *(f'{LIBDIR}/lib{name}.{end}' for name in LIBRARIES for end in ('a', 'so', 'so.0', f'so.{VERSION}')),
        *(f'{LIBDIR}/pkgconfig/{name}.pc' for name in LIBRARIES),
        'share/bash-completion/completions/spemu', 'share/doc/spemu/LICENSE',
        'share/doc/spemu/LICENSES/GPL-2.0-or-later.txt', 'share/doc/spemu/README.md',
        'share/doc/spemu/examples/embed.c', *(f'{LIBDIR}/spemu/{name}' for name in PLUGINS)}
    assert sorted(wanted - files) == [], \
        'the command, libraries, plugins, licenses, documentation and completion are installed'
    for name in LIBRARIES:
        links = [os.readlink(it.lib / f'lib{name}.{end}') for end in ('so', 'so.0')]
        assert links == [f'lib{name}.so.0', f'lib{name}.so.{VERSION}'], f'the links of lib{name}.so'
        text = (it.lib / 'pkgconfig' / f'{name}.pc').read_text(encoding='utf-8')
        assert [path for path in (str(it.root), str(ROOT), str(BUILD)) if path in text] == [], \
            f'{name}.pc contains no path of the build'
    assert it.pkg_config('--modversion') == [VERSION, VERSION], "pkg-config reports the version"


def test_library(it):
    embed = ROOT / 'examples' / 'embed.c'
    status, output = run(EMBED)
    cflags, libs = it.pkg_config('--cflags'), it.pkg_config('--libs')
    assert it.build('shared', 'cc', embed, *cflags, *libs) == (status, output, SONAMES), \
        'pkg-config: a program with the shared library'
    static = it.pkg_config('--cflags', '--libs', '--static')
    assert it.build('static', 'cc', embed, '-static', *static) == (status, output, []), 'pkg-config: a static program'
    mixed = [f'-l:lib{flag[2:]}.a' if flag[:2] == '-l' and flag[2:] in LIBRARIES else flag for flag in static]
    assert it.build('mixed', 'cc', embed, *mixed) == (status, output, []), 'a dynamic program with the static library'
    source = it.folder / 'version.cc'
    source.write_text(VERSION_SOURCE, encoding='utf-8')
    alone = it.pkg_config('--cflags', '--libs', of=['spemu'])
    assert (it.build('version', 'c++', source, '-fvisibility=hidden', *alone) ==
            (0, f'{VERSION} {VERSION} {VERSION}\n', ['libspemu.so.0'])), 'a C++ program prints the version'


def test_cmake(it):
    if not shutil.which('cmake'):
        pytest.skip('cmake is not installed')
    project = it.folder / 'cmake'
    project.mkdir()
    shutil.copy(ROOT / 'examples' / 'embed.c', project)
    (project / 'CMakeLists.txt').write_text(CMAKE_LISTS, encoding='utf-8')
    log = it.run('cmake', '-S', project, '-B', project / 'build')
    log2 = it.run('cmake', '--build', project / 'build')
    assert (log[0], log2[0]) == (0, 0), 'CMake finds the library through pkg-config'
    assert it.run(project / 'build' / 'embed') == run(EMBED), 'the program that CMake builds runs'


def test_command(it):
    spemu = it.prefix / 'bin' / 'spemu'
    assert it.run(spemu, '--version') == (0, f'spemu {VERSION}\n'), 'the installed spemu prints its version'


def test_record(it):
    if not PLUGINS or not shutil.which('aarch64-linux-gnu-gcc'):
        pytest.skip('the plugin or a compiler for AArch64 is missing')
    spemu = it.prefix / 'bin' / 'spemu'
    guest = it.folder / 'guest'
    guest.with_suffix('.c').write_text(GUEST_SOURCE, encoding='utf-8')
    assert run('aarch64-linux-gnu-gcc', '-static', '-o', guest, guest.with_suffix('.c'))[0] == 0, \
        'a program to record compiles'
    data = it.folder / 'perf.data'
    assert it.run(spemu, 'record', '-q', '-o', data, '--', guest) == (0, ''), \
        'spemu record finds its plugin in a moved installation'
    status, out = it.run(spemu, 'dump', data)
    assert (status, 'PC 0x' in out) == (0, True), 'the recording has a record'
