#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No file names a host that packages come from: a machine's own package sources say it, or a variable does."""
import pathlib
import re
import subprocess
import sys

HOSTS = re.compile(r'\b(?:[\w-]+\.)*(?:deb|ftp|ports|archive|security|snapshot)\.(?:[\w-]+\.)?(?:debian|ubuntu)\.(?:org|com)\b'
                   r'|\b(?:registry\.)?npmjs\.(?:org|com)\b|\bpypi\.org\b|\b(?:static|index)\.crates\.io\b')
# What cargo writes, and the pattern above.
LEAVE = {'bindings/rust/Cargo.lock', 'scripts/check_hosts.py'}


def main():
    names = subprocess.run(['git', 'ls-files', '-z'], check=True, capture_output=True, text=True).stdout.split('\0')
    problems = 0
    for name in filter(None, names):
        path = pathlib.Path(name)
        if name in LEAVE or not path.is_file():
            continue
        for number, line in enumerate(path.read_bytes().decode(errors='replace').splitlines(), 1):
            for host in HOSTS.findall(line):
                print(f'{name}:{number}: names the package host {host}; take it from the package sources, or ask for it')
                problems += 1
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
