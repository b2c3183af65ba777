#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the dynamic loader sees of libspemu.so and of the plugins: what it is meant to, and no more.

usage: test_exports.py SCRIPTS LIBRARY PLUGIN... -- INCLUDE_DIR...
"""
import re
import subprocess
import sys

from tap import equal, plan

sys.path.insert(0, sys.argv[1])
import public_api  # noqa: E402

split = sys.argv.index('--')
library, *plugins = sys.argv[2:split]
api = public_api.declared(sys.argv[split + 1:])
exported = public_api.defined(library, '--dynamic')
public = api.functions | api.variables
equal((sorted(public - exported), sorted(exported - public)), ([], []),
      'the library exports what the public headers declare')
equal(len(public) > 100, True, 'which is more than a hundred names')
dynamic = subprocess.run(['readelf', '--dynamic', '--wide', library], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
equal(re.findall(r'Library soname: \[(.*)\]', dynamic), ['libspemu.so.0'], 'the soname')
versions = subprocess.run(['readelf', '--version-info', '--wide', library], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
equal(re.findall(r'Name: (LIBSPEMU\S*)', versions), ['LIBSPEMU_0'], 'the version of the symbols')
for plugin in plugins:
    # What QEMU looks up, and its own functions that a plugin declares weak are undefined.
    equal(public_api.defined(plugin, '--dynamic'), {'qemu_plugin_install', 'qemu_plugin_version'},
          f"{plugin.rsplit('/', 1)[-1]} shows QEMU two names")
plan()
