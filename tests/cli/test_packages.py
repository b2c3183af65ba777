# SPDX-License-Identifier: MIT
"""Record programs of Debian's arm64 packages, which are stripped, and check the report of each.

The programs behave as under plain QEMU, at least 95 % of the samples are in named functions or named regions, no row is
an address, and the reasons are 100 % of the cycles. The causes cover the avoidable cycles, or little is avoidable, or
the report says that the profile is flat.

SPEMU_PACKAGES names a folder for packages that scripts/fetch sysroot has unpacked, or unpacks there.
"""
import json
import os
import re
import shutil
import socket

import pytest

from clilib import BUILD, ROOT, run, spemu

SYSROOT = os.environ.get("SPEMU_PACKAGES", BUILD / "packages")
PACKAGES = ["xz-utils", "zstd", "gzip", "bzip2", "python3-minimal", "perl-base", "lua5.4", "luajit", "sqlite3", "gawk", "jq",
            "openssl", "git", "php8.2-cli", "ruby", "nodejs", "ripgrep", "cmake", "gcc-12", "openjdk-17-jre-headless",
            "imagemagick-6.q16", "tcc", "golang-1.19-go", "redis-server", "redis-tools", "dash", "coreutils"]
LUA = "local t = {} for i = 1, 400000 do t[i % 997] = (t[i % 997] or 0) + i end print(#t)"
SQL = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
SELECT count(*), sum(length(hex(i))) FROM n WHERE i % 3 <> 1;"""
JAVA = """public class Main {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    public static void main(String[] words) { System.out.println(fib(24)); }
}
"""
COMMANDS = {  # name: command; TEXT, JSON, SOURCE and JAVA are files
    "xz": "usr/bin/xz -c -T1 TEXT",
    "zstd": "usr/bin/zstd -q -c -9 TEXT",
    "gzip": "bin/gzip -c TEXT",
    "bzip2": "bin/bzip2 -c TEXT",
    "python3": ("usr/bin/python3", "-S", "-c", "print(sum(len(str(i)) for i in range(100000)))"),
    "perl": ("usr/bin/perl", "-e", 'my %h; for my $i (1..100000) { $h{$i % 5003} .= "x$i"; } print scalar(keys %h)'),
    "lua": ("usr/bin/lua5.4", "-e", LUA),
    "luajit": ("usr/bin/luajit", "-e", LUA.replace("400000", "4000000")),
    "sqlite3": ("usr/bin/sqlite3", ":memory:", SQL),
    "gawk": ("usr/bin/gawk", "{ for (i = 1; i <= NF; i++) c[$i]++ } END { print length(c) }", "TEXT"),
    "jq": ("usr/bin/jq", "map(select(.id % 3 == 0) | .v) | add", "JSON"),
    "openssl": "usr/bin/openssl dgst -sha3-256 TEXT",
    "git": "usr/bin/git hash-object TEXT",
    "php": ("usr/bin/php8.2", "-r", "$a = []; for ($i = 0; $i < 200000; $i++) { $a[$i % 1009] = $i; } echo count($a);"),
    "ruby": ("usr/bin/ruby3.1", "-e", "h = Hash.new(0); 100000.times { |i| h[i % 997] += i }; puts h.size"),
    "node": ("usr/bin/node", "--perf-basic-prof", "-e", "let m = new Map(); for (let i = 0; i < 500000; i++)"
             "{ m.set(i % 997, i) }; console.log(m.size)"),
    "ripgrep": "usr/bin/rg -c PMBSR.*EL1 TEXT",
    "cc1": "usr/lib/gcc/aarch64-linux-gnu/12/cc1 -quiet -O2 -o OUTPUT SOURCE",
    "tcc": "usr/bin/tcc -c -o OUTPUT SOURCE",
    "java": "usr/lib/jvm/java-17-openjdk-arm64/bin/java -XX:+UseSerialGC JAVA",
    "gofmt": "usr/lib/go-1.19/bin/gofmt -l SYSROOT/usr/share/go-1.19/src/net/http",
    "cmake": "usr/bin/cmake -E sha512sum TEXT",
    "convert": "usr/bin/convert-im6.q16 -size 200x200 xc:gray -resize 200% -blur 0x3 PNG:OUTPUT",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    if shutil.which("qemu-aarch64") is None:
        pytest.skip("qemu-aarch64 is not installed")
    made = run(ROOT / "scripts/fetch", "sysroot", SYSROOT, *PACKAGES, timeout=None)
    if made.returncode:
        pytest.skip(made.stderr.strip())
    folder = tmp_path_factory.mktemp("packages")
    text = (ROOT / "arch/statements.tsv").read_text(encoding="utf-8")
    contents = {"TEXT": text[:600000],
                "JSON": json.dumps([{"id": i, "name": f"n{i}", "v": i * 1.5} for i in range(10000)]),
                "SOURCE": "".join(f"int f{i}(int a, int b) {{ int s = 0; for (int k = 0; k < a; k++) s += b * k + {i}; return s; }}\n"
                                  for i in range(40)),
                "JAVA": JAVA}
    for name, content in contents.items():
        (folder / {"SOURCE": "source.c", "JAVA": "Main.java"}.get(name, name)).write_text(content, encoding="utf-8")
    paths = {name: folder / name for name in ("TEXT", "JSON", "OUTPUT")}
    return {**paths, "SOURCE": folder / "source.c", "JAVA": folder / "Main.java", "SYSROOT": SYSROOT}


def command_of(files, name):
    words = COMMANDS[name]
    words = words.split() if isinstance(words, str) else words
    filled = [re.sub("|".join(files), lambda m: str(files[m[0]]), word) for word in words[1:]]
    return [f"{SYSROOT}/{words[0]}", *filled]


@pytest.mark.parametrize("name", COMMANDS)
def test_package(tmp_path, files, name):
    command = command_of(files, name)
    data = tmp_path / "perf.data"
    plain = run("qemu-aarch64", "-L", SYSROOT, *command, text=False, timeout=300)
    got = spemu("record", "-q", "-L", SYSROOT, "-o", data, "--", *command, text=False, timeout=600)
    assert (got.returncode, got.stdout) == (plain.returncode, plain.stdout), f"{name}: as under plain QEMU"
    result = spemu("report", "-L", SYSROOT, "--json", "-n", "0", "--section", "answer,reasons,functions", data, timeout=300)
    assert result.returncode == 0, f"{name}: the report succeeds\n{result.stderr}"
    report = json.loads(result.stdout)
    answer, samples = report["answer"], report["samples"]
    addresses = [f for f in report["functions"] if f["symbol"].startswith("0x")]
    unknown = sum(f["samples"] for f in report["functions"] if f["symbol"] == "[unknown]")
    objects = sum(f["samples"] for f in report["functions"] if f["symbol"].startswith("["))
    reasons = sum(row["share"] for row in report["reasons"])
    print(f"{name}: {samples} samples, {100 * (samples - objects) / samples:.1f} % in functions, "
          f"{100 * objects / samples:.1f} % in regions, avoidable {answer['avoidable']:.1f} %, covered {answer['covered'] or 0:.0f} %: "
          + "; ".join(f"{c['share']:.1f} % {c['reason']} {c.get('symbol', c['object'])}" for c in answer["causes"][:2]))
    assert not addresses, f"{name}: no row is an address"
    assert unknown < 0.05 * samples, f"{name}: at least 95 % are in named functions or regions"
    assert abs(reasons - 100) < 0.01, f"{name}: the reasons are 100 %"
    assert (answer["avoidable"] < 10 or answer["flat"] or answer["covered"] >= 60), f"{name}: the causes explain what is avoidable"


SERVER = """redis-server --port PORT --save "" >/dev/null &
sleep 3
redis-benchmark -p PORT -n 2000 -q -t set,get >/dev/null
redis-cli -p PORT shutdown nosave
wait
"""


def test_server(tmp_path, files):
    """A shell of the sysroot starts a server and its client. All processes are recorded."""
    del files  # the packages are there
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = tmp_path / "perf.data"
    result = spemu("record", "-q", "-L", SYSROOT, "-o", data, "--", "dash", "-c", SERVER.replace("PORT", str(port)),
                   timeout=600)
    assert (result.returncode, result.stderr) == (0, ""), "the server and its client run"
    report = json.loads(spemu("report", "-L", SYSROOT, "--json", "-n", "0", "-s", "comm,dso,sym", data).stdout)
    commands = {row["command"]: 0 for row in report["functions"]}
    for row in report["functions"]:
        commands[row["command"]] += row["samples"]
    print(f"server: {report['samples']} samples of {report['processes']} processes: {commands}")
    assert {"dash", "redis-server", "redis-benchmark", "redis-cli"} <= commands.keys(), "every program is recorded"
    assert not [row for row in report["functions"] if row["symbol"].startswith("0x")], "no row is an address"
