# SPDX-License-Identifier: MIT
"""The libraries and plugins export exactly the intended symbols."""
import re
import subprocess
import sys

import pytest

from clilib import BUILD, ROOT

sys.path.insert(0, str(ROOT / 'include/gen'))
import public_api  # noqa: E402

PLUGINS = sorted(BUILD.glob('hosts/*/spemu-*.so'))


@pytest.mark.parametrize('header, name, least', (('spemu.h', 'spemu', 100), ('trace.h', 'spemu-trace', 40)))
def test_library(header, name, least):
    """The library NAME exports what HEADER and the headers that it includes declare."""
    library = BUILD / f'lib/lib{name}.so'
    api = public_api.declared([ROOT / 'include', BUILD / 'include'], header)
    exported = public_api.defined(library, '--dynamic')
    public = api.functions | api.variables
    assert (sorted(public - exported), sorted(exported - public)) == ([], []), f'{name} exports what {header} declares'
    assert len(public) > least, f'{header} declares more than {least} names'
    dynamic = subprocess.run(['readelf', '--dynamic', '--wide', library], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    assert re.findall(r'Library soname: \[(.*)\]', dynamic) == [f'lib{name}.so.0'], 'the soname of the library'
    assert re.findall(r'\(NEEDED\).*\[(libspemu.*)\]', dynamic) == [], 'the library needs no other library of spemu'
    versions = subprocess.run(['readelf', '--version-info', '--wide', library], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
    assert re.findall(r'Name: (LIBSPEMU\S*)', versions) == [f'LIB{name}_0'.upper().replace('-', '_')], 'the version of the symbols'


@pytest.mark.parametrize('plugin', PLUGINS, ids=[plugin.name for plugin in PLUGINS])
def test_plugin(plugin):
    # A plugin exports the symbols that QEMU looks up. QEMU functions that it declares weak stay undefined.
    assert public_api.defined(plugin, '--dynamic') == {'qemu_plugin_install', 'qemu_plugin_version'}
