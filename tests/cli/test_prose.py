# SPDX-License-Identifier: MIT
"""scripts/checks/prose: the hard sentences that it finds in each kind of file, and its budget,
which can only go down."""
import importlib.machinery
import importlib.util
import pathlib

import pytest
from clilib import ROOT

LOADER = importlib.machinery.SourceFileLoader('prose', str(ROOT / 'scripts' / 'checks' / 'prose'))
prose = importlib.util.module_from_spec(importlib.util.spec_from_loader('prose', LOADER))
LOADER.exec_module(prose)
LONG = ' '.join(['it'] * prose.WORDS)

HARD = [
    ('lib/a.c', '/* Whether the unit is on. */\nbool on;\n', 'comment-fragment'),
    ('lib/a.c', '// Of two numbers\n// the mean.\nint mean;\n', 'comment-fragment'),
    ('lib/a.c', 'int a; /* the value is no address */\n', 'comment-clumsy'),
    ('scripts/a', '#!/bin/sh\n# SPDX-License-Identifier: MIT\n# What the file has.\n', 'comment-fragment'),
    ('tests/a.py', 'def a():\n    """How often it was."""\n', 'comment-fragment'),
    ('tests/a.py', 'a = 1  # Whether it is on\n', 'comment-fragment'),
    ('tests/a.py', '# First line\n# of which there are two.\n', 'comment-clumsy'),
    ('docs/a.md', f'Text.\n\n- {LONG} one more.\n', 'doc-long'),
    ('docs/a.md', 'The table, of which each row is a case.\n', 'doc-clumsy'),
    ('docs/man/a.1.in', '.Sh DESCRIPTION\nThe command is told of\n.Ar file .\n', 'doc-clumsy'),
    ('tools/options/a.txt', '  The value is of the file.\n', 'doc-clumsy'),
    ('tools/a.c', 'die("%s is no regular file", name);\n', 'message-clumsy'),
    ('scripts/a.py', 'sys.exit(f"{name} is "\n         "no regular file")\n', 'message-clumsy'),
    ('scripts/a.py', f'TEXT = "{LONG} {LONG}"\n', 'line-wide'),
    ('scripts/a.sh', f'echo {LONG} {LONG}\n', 'line-wide'),
]
PLAIN = [
    ('lib/a.c', '/* Return true if the unit is on. */\nbool on(void);\n'),
    ('lib/a.c', 'const char *text = "/* Whether it does */";\n'),
    ('lib/a.c', 'int begin; /* of the block, in bytes */\n'),
    ('tests/a.py', '"""Every count is that which the file has."""\nTEXT = "# What"\n'),
    ('docs/a.md', f'```\n{LONG}\n{LONG}\n```\n\n| {LONG} | {LONG} |\n'),
    ('docs/a.md', f'{LONG}.\n'),
    ('tests/a.c', 'die("it is no file at all");\n'),
    ('lib/a.c', '/* There is no name that the option has not listed. */\n'),
    ('lib/a.c', '/* When the limit is passed, the SPU stops. */\n'),
    ('tests/a.py', 'def a():\n    """Return the count."""\n    return "# of which"[2:3]\n'),
    ('tools/a.c', '/* "the value is not so" */\n'),
]


def found(name, text):
    return {kind for kind, hit, _, _ in prose.findings(pathlib.Path(name), text) if hit}


@pytest.mark.parametrize('name, text, kind', HARD)
def test_hard_prose_is_found(name, text, kind):
    assert found(name, text) == {kind}


@pytest.mark.parametrize('name, text', PLAIN)
def test_plain_prose_is_not_found(name, text):
    assert found(name, text) == set()


def test_messages_are_whole():
    text = 'die("cannot open %s: "\n    "%s; check the path", a, b); /* "not a message of ours" */ puts("%s: short");\n'
    assert list(prose.messages(pathlib.Path('tools/a.c'), text)) == [(1, 'cannot open %s: %s; check the path')]


def test_messages_of_scripts_have_no_docstrings():
    text = '"""Open the file."""\nfail(f"cannot open {path}: "\n     "check the path", "one")\n'
    assert list(prose.messages(pathlib.Path('scripts/a.py'), text)) == [(2, 'cannot open %s: check the path')]


def test_line_of_a_sentence():
    text = f'# Title\n\nFirst.\n\n- one\n- {LONG} more.\n'
    assert [line for kind, hit, line, _ in prose.findings(pathlib.Path('docs/a.md'), text) if hit] == [6]


def test_budget_only_goes_down(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(prose, 'BUDGET', tmp_path / 'budget.txt')
    prose.write_budget(dict.fromkeys(prose.KINDS, 20))
    counts = {kind: [20, 40] for kind in prose.KINDS}
    assert prose.compare(counts, False) == 0, 'counts at the budget pass'
    counts['doc-long'] = [21, 40]
    assert prose.compare(counts, False) == 1 and 'doc-long: 21' in capsys.readouterr().out, 'one more finding fails'
    assert prose.compare(counts, True) == 1 and prose.read_budget()['doc-long'] == 20, '--lower never raises the budget'
    counts['doc-long'] = [18, 40]
    assert prose.compare(counts, False) == 0, 'counts of a tenth below the budget pass'
    counts['doc-long'] = [17, 40]
    assert prose.compare(counts, False) == 1 and '--lower' in capsys.readouterr().out, \
        'for lower counts, the budget must be lowered'
    assert prose.compare(counts, True) == 0 and prose.read_budget()['doc-long'] == 17
