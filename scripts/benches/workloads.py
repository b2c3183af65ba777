# SPDX-License-Identifier: MIT
"""The workloads of the benches: xz, sqlite3 and python3 of Debian, and the demo."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ('xz-utils', 'sqlite3', 'python3-minimal')
SQL = '''
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
SELECT count(*), sum(length(hex(i * 7919))) FROM n WHERE i % 7 <> 3;
CREATE TABLE t(a INTEGER, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO t SELECT (i * 7919) % 65536, hex(i) FROM n;
CREATE INDEX x ON t(a);
SELECT sum(a), count(DISTINCT b) FROM t WHERE a > 1000;
'''
PYTHON = '''
def sieve(n):
    flags = bytearray([1]) * n
    for i in range(2, int(n ** 0.5) + 1):
        if flags[i]:
            flags[i * i::i] = bytes(len(flags[i * i::i]))
    return sum(flags)
words = {}
for i in range(60000):
    words.setdefault(str(i * 7919 % 1000), []).append(i)
print(sieve(300000), sum(len(v) for v in words.values()))
'''


def workloads(sysroot, demo, folder):
    """Return {name: arguments} of the programs in the sysroot (scripts/fetch sysroot) and the demo. Write their files
    into `folder`."""
    data = folder / 'data'
    text = b''.join((ROOT / name).read_bytes() for name in
                    ('arch/sysreg.txt', 'include/spemu/spu.h', 'docs/explanation/design.md'))
    data.write_bytes(text * 12)
    script = folder / 'work.py'
    script.write_text(PYTHON, encoding='utf-8')
    return {
        'xz': [sysroot / 'usr/bin/xz', '-c', '-T1', data],
        'sqlite3': [sysroot / 'usr/bin/sqlite3', ':memory:', SQL],
        'python3': [sysroot / 'usr/bin/python3', '-S', script],
        'demo': [demo],
    }
