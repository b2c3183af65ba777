# SPDX-License-Identifier: MIT
"""spemu vm --run with a real guest: output, status, files and recordings come back to the host.
test_run_ends.py tests guests that fail."""
import hashlib
import json
import os
import re
import signal
import subprocess
import tempfile

import pytest

from vmlib import COMPILER, ROOT, SPEMU, compile_c, of_page, prepare, probed, records, run, run_in_guest, symbol_of, symbols

# perf.data must have every sample of the program. The command contains all characters that are special to a shell.
RECORD = r"""
perf record -q -e arm_spe_0/ts_enable=1/u -c 1024 -o perf.data -- ./busy 1 1 >busy.out
perf mem record -o mem.data -- sh -c 'for i in 1 2 3 4; do ./busy 1 1; done' >/dev/null 2>mem.err
echo "it's \"quoted\" \$x $((1 + 1))
  second line"
echo "an error" >&2
cat
printf 'new\n' >'a file'
exit 7
"""

# Background processes of the command must neither keep the guest running nor lose their output. A link leads outside
# the share.
HOSTILE = r"""
cat link || echo no link
ln -s /etc/hostname made && cat made 2>/dev/null || echo no file
sleep 1000 & setsid sleep 1000 &
head -c 10000000 /dev/zero | tr '\0' y
echo through >/dev/stderr
kill -SEGV $$
"""

SHELL = r"""
#include <stdio.h>
int main(int argc, char **argv)
{
	FILE *own = fopen("/inside", "w"), *shared = fopen("from-root", "w"), *text = fopen("/text", "r");
	char line[80] = "";

	if (!own || !shared || !text || !fgets(line, sizeof(line), text))
		return 1;
	printf("%d %s %s %s", argc, argv[1], argv[2], line);
	return fputs("shared\n", shared) < 0 ? 1 : 33;
}
"""

# Load from every page of 8 MB repeatedly. These are more pages than the TLB of neoverse-n1 has entries, unless the
# pages are huge. "protect" uses only a few pages, which fit into the TLB, but changes their protection each time, so
# the kernel executes TLBI.
PAGES = r"""
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#define SIZE (8ul << 20)
#define HUGE (2ul << 20)
#define FEW (32ul << 12)

__attribute__((noinline)) void walk(volatile char *at, unsigned long size)
{
	for (unsigned long i = 0; i < size; i += 4096 + 64)
		at[i];
}

int main(int argc, char **argv)
{
	char *whole = mmap(NULL, SIZE + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = (char *)(((unsigned long)whole + HUGE - 1) & ~(HUGE - 1));
	int huge = argc > 1 && !strcmp(argv[1], "huge"), protect = argc > 1 && !strcmp(argv[1], "protect");

	if (madvise(at, SIZE, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
		return 1;
	memset(at, 1, SIZE);
	for (int i = 0; i < 100 && !protect; i++)
		walk(at, SIZE);
	for (int i = 0; i < 4000 && protect; i++) {
		walk(at, FEW);
		if (mprotect(at, FEW, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ))
			return 1;
	}
	return 0;
}
"""


@pytest.fixture(scope="module", autouse=True)
def guest():
    prepare()


def test_record(tmp_path):
    program = compile_c(tmp_path, os.path.join(ROOT, "examples", "busy.c"))
    os.rename(program, os.path.join(tmp_path, "busy"))
    status, output, errors = run_in_guest(tmp_path, RECORD, "--machine", "generic",
                                          "--inject", "collision every 100 times 2",
                                          "--inject", "external-abort nth 1000000",
                                          "--trace", f"{tmp_path}/trace",
                                          data=b"given \xc3\xbc\nline")
    assert status == 7, "the exit status of the command"
    assert output == "it's \"quoted\" $x 2\n  second line\ngiven ü\nline", "the output and the input of the command"
    lines = errors.splitlines()
    assert lines[:1] == ["an error"], "errors of the command are on standard error"
    assert len(lines) == 2 and re.match(r"\[ spemu vm: [1-9]\d+ samples on 2 CPUs", lines[1]), \
        f"standard error has the totals, but not the console\n{errors}"
    with open(f"{tmp_path}/a file") as file:
        assert file.read() == "new\n", "the host sees a file that the guest wrote"
    here = run(os.path.join(tmp_path, "busy"), "1", "1") if os.uname().machine == "aarch64" else None
    with open(f"{tmp_path}/busy.out") as file:
        text = file.read()
    assert text.startswith("busy: ") and (not here or here.stdout == text), f"the output of the program\n{text}"
    rows, problem = records(f"{tmp_path}/perf.data")
    assert len(rows) > 1000 and not problem, f"every record of the recording decodes\n{problem[:500]}"
    table = symbols(f"{tmp_path}/busy")
    hot = [symbol_of(table, r["pc"]) for r in rows]
    assert hot.count("hash_words") > len(hot) / 2, \
        "most samples are in the hot function\n" + str({n: hot.count(n) for n in set(hot)})
    report = run(SPEMU, "report", "-i", f"{tmp_path}/perf.data")
    assert report.returncode == 0 and "hash_words" in report.stdout, \
        f"spemu report on the host finds the program under its path in the guest\n{report.stderr}{report.stdout[:1000]}"
    perf = run("perf", "report", "--stdio", "-n", "--itrace=i1i", "-i", f"{tmp_path}/perf.data")
    assert perf.returncode == 0 and re.search(r"busy +busy +\[\.\] hash_words", perf.stdout), \
        f"perf report on the host finds the program\n{perf.stderr[-500:] + perf.stdout[:1000]}"
    slow, problem = records(f"{tmp_path}/mem.data")
    bad = [r for r in slow if not r.get("total", 0) >= 30]
    assert len(slow) > 5 and not bad and not problem, \
        f"perf mem record: with a timing model, the latency filter keeps slow loads and stores\n{len(slow)} {bad[:3]} {problem[:500]}"
    with open(f"{tmp_path}/trace") as file:
        trace = file.read()
    assert '"register":"PMSCR_EL1"' in trace, "--trace has the register accesses of the driver"
    injected = [json.loads(line)["inject"] for line in trace.splitlines() if '"injection"' in line]
    assert injected in [[1] * n for n in range(1, 5)] and f", {len(injected)} faults injected)" in lines[1], \
        f"--trace has each fault of --inject, and the totals count it\n{injected}\n{errors}"


def test_pages(tmp_path):
    """The timing model knows the guest's huge pages and the TLB invalidations of its kernel."""
    source = f"{tmp_path}/pages.c"
    with open(source, "w") as file:
        file.write(PAGES)
    program = compile_c(tmp_path, source)
    status, _, errors = run_in_guest(
        tmp_path, "for how in huge small protect; do"
        " perf record -q -e arm_spe_0/load_filter=1/u -c 256 -o $how.data -- ./pages $how || exit 9; done",
        "--machine", "neoverse-n1")
    assert status == 0, f"the guest ran the program: {errors}"
    table = symbols(program)
    for how, least, most in (("huge", 0, 0.01), ("small", 0.9, 1), ("protect", 0.4, 1)):
        rows, problem = records(f"{tmp_path}/{how}.data")
        walks = [int(r["event_bits"], 16) >> 5 & 1 for r in rows if symbol_of(table, r["pc"]) == "walk"]
        share = sum(walks) / max(len(walks), 1)
        assert not problem and len(walks) > 200 and least <= share <= most, \
            f"{how} pages: {least} to {most} of loads walk the tables\n" + f"{share} {len(walks)} {problem[:300]}"


def test_page(tmp_path):
    """With the options of docs/howto/vm.md, the driver prints the probe line that the page
    shows."""
    page = of_page("docs/howto/vm.md")
    options = re.search(r"^`(--spe v1p5 [^`]*)`$", page, re.M)[1]
    status, output, errors = run_in_guest(tmp_path, "dmesg", "-q", *options.split())
    assert status == 0, f"dmesg in the guest: {errors}"
    assert probed(output) == ("0-1", 128, 64, 0x1f), "the driver probes an SPU with the given properties"
    assert probed(page) == probed(output), "docs/howto/vm.md shows the same line"


def test_refused(tmp_path):
    """A fault of --inject that would have no effect is rejected."""
    for level, remedy in (("v1p2", "add --choose external-abort=reported-synchronously"),
                          ("v1p3", "add --choose external-abort=serror, or use --spe v1p2 or lower, where they can be reported")):
        status, output, errors = run_in_guest(tmp_path, "echo runs", "-q", "--spe", level, "--choose",
                                              "external-abort=ignored", "--inject",
                                              "external-abort every 5")
        assert ((status, output, errors) ==
                (125, "", "spemu vm: this CPU ignores External aborts of the SPU: --inject external-abort has no "
                 f"effect; {remedy}\n")), f"{level}: an External abort that is ignored"


def test_hostile(tmp_path):
    with tempfile.NamedTemporaryFile("w", prefix="spemu-secret-") as secret:
        secret.write("secret\n")
        secret.flush()
        os.symlink(secret.name, f"{tmp_path}/link")
        status, output, errors = run_in_guest(tmp_path, HOSTILE, "-q")
    assert status == 128 + signal.SIGSEGV, "a command that ends by a signal has the status of a shell"
    head, _, rest = output.partition("y")
    assert head == "no link\nno file\n", "links that leave the share are resolved in the guest"
    assert (hashlib.sha256(b"y" + rest.encode()).hexdigest(), len(rest)) == (hashlib.sha256(b"y" * 10_000_000).hexdigest(), 9_999_999), \
        "10 MB of output arrive"
    assert errors.endswith("through\n") and "spemu vm" not in errors, f"/dev/stderr works in the guest\n{errors}"


def test_root(tmp_path):
    root = os.path.join(tmp_path, "root")
    os.makedirs(f"{root}/bin")
    with open(f"{tmp_path}/shell.c", "w") as file:
        file.write(SHELL)
    subprocess.run([COMPILER, "-static", "-o", f"{root}/bin/sh", f"{tmp_path}/shell.c"], check=True)
    with open(f"{root}/text", "w") as file:
        file.write("of the root\n")
    status, output, errors = run_in_guest(tmp_path, "any words", "-q", "--root", root, "--cpus", "1")
    assert (status, output) == (33, "3 -c any words of the root\n"), \
        "--root runs the command in the user's root file system"
    with open(f"{tmp_path}/from-root") as file:
        assert file.read() == "shared\n", "the working directory is shared, too"
    assert sorted(os.listdir(root)) == ["bin", "text"], "the root on the host is unchanged"
    assert not errors, f"there are no messages\n{errors}"
