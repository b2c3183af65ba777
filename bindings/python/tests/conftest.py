# SPDX-License-Identifier: MIT
"""Fixtures: records that are made by hand from the packets of D18.2, and recordings of known content."""
import json
import os
import pathlib
import subprocess

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / 'examples'


def program(variable):
    """Return a program of the build, which an environment variable names."""
    if variable not in os.environ:
        pytest.skip(f'{variable} is not set')
    return os.environ[variable]


def address(index, payload):
    return bytes([0xb0 | index]) + payload.to_bytes(8, 'little')


def counter(index, value):
    return bytes([0x98 | index]) + value.to_bytes(2, 'little')


def load(pc=0x8000000000400000, va=0x7000, total=12, issue=3, source=8, timestamp=0x1122334455):
    """A load's record: 64 bytes with padding after it."""
    record = (address(0, pc) + b'\x65' + (77).to_bytes(4, 'little') + b'\x49\x00' + b'\x52\x16\x00'
              + counter(1, issue) + counter(0, total) + address(2, va) + b'\x43' + bytes([source])
              + b'\x71' + timestamp.to_bytes(8, 'little'))
    return record.ljust(64, b'\x00')


def branch(pc, target, timestamp=1):
    record = (address(0, pc) + b'\x65' + (77).to_bytes(4, 'little') + b'\x4a\x01' + b'\x52\x02\x00'
              + counter(1, 1) + counter(0, 2) + address(1, target)
              + b'\x71' + timestamp.to_bytes(8, 'little'))
    return record.ljust(64, b'\x00')


@pytest.fixture
def recording(tmp_path):
    """A perf.data of one process with two pieces of trace."""
    path = tmp_path / 'perf.data'
    commands = f'''create {path} 4096
comm 10 10 1000 known exec
mmap 10 1000 0x400000 0x1000 0 r-x /bin/known
rec pc=0x400010 va=0x7010 total=20 issue=5 time=2000 class=1 sub=0 ev=0x16 n=3
aux 10 10 3000 0 0
rec pc=0x400020 target=0x400080 total=4 issue=1 time=4000 class=2 sub=1 ev=0x2
aux 10 10 5000 0 1
finish
'''
    subprocess.run([program('SPEMU_MAKE_RECORDING')], input=commands, text=True, check=True)
    return path


def dumped(path, *options):
    """Return the output of spemu dump for a recording, one dictionary per line."""
    out = subprocess.run([program('SPEMU'), 'dump', '--json', *options, str(path)], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]
