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
            "imagemagick-6.q16", "tcc", "golang-1.19-go", "redis-server", "redis-tools", "nginx",
            "apache2-utils", "postgresql-15", "dash", "coreutils", "util-linux"]
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


def check_report(name, data):
    """Check the names, the reasons and the causes in the report of a recording."""
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


@pytest.mark.parametrize("name", COMMANDS)
def test_package(tmp_path, files, name):
    command = command_of(files, name)
    data = tmp_path / "perf.data"
    plain = run("qemu-aarch64", "-L", SYSROOT, *command, text=False, timeout=300)
    got = spemu("record", "-q", "-L", SYSROOT, "-o", data, "--", *command, text=False, timeout=600)
    assert (got.returncode, got.stdout) == (plain.returncode, plain.stdout), f"{name}: as under plain QEMU"
    check_report(name, data)


# Scripts that start a server and its clients. $R is the sysroot, $W a folder, $PORT a free port, and $RUN is empty or
# plain QEMU. $AS changes the user if this test runs as root, whom PostgreSQL refuses.
REDIS = """$RUN $R/usr/bin/redis-server --port $PORT --save "" >/dev/null &
until $RUN $R/usr/bin/redis-cli -p $PORT ping >/dev/null 2>&1 || ! kill -0 $!; do sleep 1; done
$RUN $R/usr/bin/redis-benchmark -p $PORT -n 2000 -q -t set,get >/dev/null
$RUN $R/usr/bin/redis-cli -p $PORT eval "for i = 1, 999 do redis.call('incr', 'k') end return redis.call('get', 'k')" 0
$RUN $R/usr/bin/redis-cli -p $PORT shutdown nosave
wait
"""
NGINX = """$RUN $R/usr/sbin/nginx -p $W -c nginx.conf &
until [ -s $W/nginx.pid ] || ! kill -0 $!; do sleep 1; done
load() { $RUN $R/usr/bin/ab -q -c 4 "$@" | grep -E "^(Document Length|Complete|Failed|HTML)"; }
load -n 40 -H "Accept-Encoding: gzip" http://127.0.0.1:$PORT/text.html
load -n 400 http://127.0.0.1:$PORT/text.txt
kill -QUIT $!
wait
"""
NGINX_CONFIGURATION = """worker_processes 2;
daemon off;
pid nginx.pid;
error_log error.log;
events { worker_connections 64; }
http {
    access_log off;
    types { text/html html; text/plain txt; }
    gzip on;
    gzip_http_version 1.0;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server { listen 127.0.0.1:PORT; root html; }
}
"""
POSTGRES = """P=$R/usr/lib/postgresql/15/bin
[ -d $W/data ] || $AS $P/initdb -D $W/data -N --no-locale -L $R/usr/share/postgresql/15 >$W/log 2>&1
$AS $RUN $P/postgres -D $W/data -k $W -c listen_addresses= -c fsync=off 2>>$W/log &
server=$!
until $RUN $P/pg_isready -q -h $W || ! kill -0 $server; do sleep 1; done
for from in 1 5001; do
    $AS $RUN $P/psql -X -q -A -t -h $W -d postgres >$W/answer.$from <<END &
CREATE TEMP TABLE t AS SELECT i, md5(i::text) AS h, i % 97 AS k FROM generate_series($from, 20000) i;
CREATE INDEX ON t (h);
SELECT count(*), min(h), max(h) FROM t;
SELECT count(*), sum(length(a.h)) FROM t a JOIN t b ON a.h = b.h WHERE a.k < 10;
END
    clients="$clients $!"
done
wait $clients
cat $W/answer.*
kill -INT $server
wait
"""
SERVERS = {  # name: script, {program: smallest number of its processes}
    "redis": (REDIS, {"dash": 1, "redis-server": 1, "redis-benchmark": 1, "redis-cli": 3}),
    "nginx": (NGINX, {"dash": 1, "nginx": 3, "ab": 2}),
    "postgres": (POSTGRES, {"dash": 1, "initdb": 1, "postgres": 8, "psql": 2}),
}


@pytest.mark.parametrize("name", SERVERS)
def test_server(tmp_path, files, name):
    """A shell of the sysroot starts a server and its clients. All processes are recorded."""
    script, programs = SERVERS[name]
    data = tmp_path / "perf.data"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "nginx.conf").write_text(NGINX_CONFIGURATION.replace("PORT", str(port)), encoding="utf-8")
    (tmp_path / "html").mkdir()
    for page in ("text.html", "text.txt"):
        shutil.copy(files["TEXT"], tmp_path / "html" / page)
    environment = {"R": str(SYSROOT), "W": str(tmp_path), "PORT": str(port), "RUN": "", "AS": ""}
    if os.geteuid() == 0:
        tmp_path.parent.chmod(0o755)
        os.chown(tmp_path, 65534, 65534)
        environment["AS"] = "setpriv --reuid=65534 --regid=65534 --clear-groups"
    got = spemu("record", "-q", "-L", SYSROOT, "-o", data, "--", "dash", "-c", script, env=environment, timeout=900)
    plain = run("sh", "-c", script, env={**environment, "RUN": f"qemu-aarch64 -L {SYSROOT}"}, timeout=300)
    assert (got.returncode, got.stdout, got.stderr) == (0, plain.stdout, ""), f"{name}: as under plain QEMU"
    assert got.stdout, f"{name}: the clients get answers"
    report = json.loads(spemu("report", "--json", "-n", "0", "-s", "comm,pid", data).stdout)
    commands = [row["command"] for row in report["functions"]]
    for program, processes in programs.items():
        assert commands.count(program) >= processes, f"{name}: every process of {program} is recorded"
    check_report(name, data)
