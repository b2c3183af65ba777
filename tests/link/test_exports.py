#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The libraries and the plugins export the intended names to the dynamic loader, and no others.

usage: test_exports.py SCRIPTS LIBRARY TRACE_LIBRARY PLUGIN... -- INCLUDE_DIR...
"""
import re
import subprocess
import sys

from tap import equal, plan

sys.path.insert(0, sys.argv[1])
import public_api  # noqa: E402

split = sys.argv.index('--')
model, trace, *plugins = sys.argv[2:split]


def check_library(library, header, name, least):
    """Check that the library NAME exports the declarations of HEADER and of the headers that it includes."""
    api = public_api.declared(sys.argv[split + 1:], header)
    exported = public_api.defined(library, '--dynamic')
    public = api.functions | api.variables
    equal((sorted(public - exported), sorted(exported - public)), ([], []),
          f'{name} exports what {header} declares')
    equal(len(public) > least, True, f'which is more than {least} names')
    dynamic = subprocess.run(['readelf', '--dynamic', '--wide', library], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    equal(re.findall(r'Library soname: \[(.*)\]', dynamic), [f'lib{name}.so.0'], 'the soname')
    equal(re.findall(r'\(NEEDED\).*\[(libspemu.*)\]', dynamic), [], 'it needs no other library of ours')
    versions = subprocess.run(['readelf', '--version-info', '--wide', library], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
    equal(re.findall(r'Name: (LIBSPEMU\S*)', versions), [f'LIB{name}_0'.upper().replace('-', '_')],
          'the version of the symbols')


check_library(model, 'spemu.h', 'spemu', 100)
check_library(trace, 'trace.h', 'spemu-trace', 40)
for plugin in plugins:
    # The names that QEMU looks up. QEMU's own functions, which a plugin declares weak, are undefined.
    equal(public_api.defined(plugin, '--dynamic'), {'qemu_plugin_install', 'qemu_plugin_version'},
          f"{plugin.rsplit('/', 1)[-1]} shows QEMU two names")
plan()
