# SPDX-License-Identifier: MIT
"""The examples, as a user runs them."""
import doctest
import os
import pathlib
import re
import subprocess
import sys

from conftest import EXAMPLES, program

DOCUMENT = pathlib.Path(os.environ['SPEMU_DOCS']) / 'howto' / 'bindings.md'


def run(name, *arguments):
    return subprocess.run([sys.executable, EXAMPLES / name, *map(str, arguments)], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def test_embed_says_what_the_example_in_c_says():
    out = subprocess.run([program('SPEMU_EMBED')], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert out.count('\n') > 3
    assert run('embed.py') == out


def test_hottest(recording):
    lines = run('hottest.py', recording).splitlines()
    assert [line.split() for line in lines[1:]] == [['0x400010', '3', '60'], ['0x400020', '1', '4']]


def test_why_not():
    out = run('why_not.py', 0, 'features=v8.2,-EL3,-EL2', 'PMBLIMITR_EL1.E=1')
    assert out.startswith('profiling at EL0 is disabled\n')
    assert 'write PMSCR_EL1.E0SPE = 1, at EL1 or above\n' in out
    assert run('why_not.py', 0, 'PMSCR_EL1.E0SPE') == \
        'why_not: PMSCR_EL1.E0SPE: PMSCR_EL1.E0SPE: not NAME=VALUE: invalid argument\n'


def test_the_document(recording, monkeypatch):
    monkeypatch.chdir(recording.parent)
    blocks = re.findall(r'^```\n(>>> .*?)^```$', DOCUMENT.read_text(encoding='utf-8'), re.M | re.S)
    parser, runner, names = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False), {}
    assert len(blocks) == 4
    for number, block in enumerate(blocks):
        test = parser.get_doctest(block, names, f'block {number}', str(DOCUMENT), 0)
        report = []
        runner.run(test, out=report.append, clear_globs=False)
        names.update(test.globs)
        assert not report, ''.join(report)
    assert runner.summarize(verbose=False).attempted > 20
