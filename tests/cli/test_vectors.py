# SPDX-License-Identifier: MIT
"""SVE in spemu record and spemu report: vector lengths, predicates, and the limits that the report states."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from clilib import compile_c, run, spemu

PROGRAM = r"""
#include <arm_sve.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
static float x[1000], y[1000];
__attribute__((noinline)) static void saxpy(int n)
{
	for (int i = 0; i < n; i += svcntw()) {
		svbool_t p = svwhilelt_b32(i, n);

		svst1(p, y + i, svmla_x(p, svld1(p, y + i), svld1(p, x + i), 2.0f));
	}
}
static void *work(void *length)
{
	if (prctl(PR_SVE_SET_VL, (long)length) < 0)
		abort();
	for (int k = 0; k < 37 * 300; k++)
		saxpy(k % 37 + 1);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t thread[4];

	x[3] = 1;
	for (int i = 1; i < argc; i++) {
		pthread_create(&thread[i], NULL, work, (void *)atol(argv[i]));
		if (argc == 2)
			pthread_join(thread[i], NULL);
	}
	for (int i = 1; argc > 2 && i < argc; i++)
		pthread_join(thread[i], NULL);
	printf("%f\n", y[3]);
	return 0;
}
"""
SCALAR = "int main(void) { for (volatile int i = 0; i < 300000; i++) ; return 0; }"
QEMU = os.environ.get("SPEMU_QEMU") or "qemu-aarch64"
REPORTS_ACCESSES = " 7.2" not in subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=True).stdout
HIDDEN = re.compile(r"^# SVE: (\d+) samples of SVE operations show neither vector length nor predicates; "
                    r"record with --machine neoverse-v1, see docs/reference/qemu-user.md#sve$", re.MULTILINE)
UNADDRESSED = re.compile(r"^# SVE: (\d+) of (\d+) SVE loads and stores have no data address, which QEMU 7.2 does not "
                         r"report; record with QEMU 9.2 or later, see docs/reference/qemu-user.md#sve$", re.MULTILINE)


@pytest.fixture(scope="module", name="program")
def _program(tmp_path_factory):
    return compile_c(tmp_path_factory.mktemp("vectors"), "program", PROGRAM, "-O2", "-march=armv8-a+sve", "-static")


def record(data, *args, env=None):
    result = spemu("record", "-q", "-o", data, "-c", "256", *args, env=env)
    assert (result.returncode, result.stderr) == (0, ""), f"recording succeeds\n{result.stderr}"
    return [json.loads(line) for line in spemu("dump", "--records", "--json", data).stdout.splitlines()], result.stdout


def length_of(r):
    """Return the vector length in bits of a record in a format of SVE, or None."""
    found = re.search(r"SVE(?:/SME)? (\d+) bits", r["op"])
    return int(found.group(1)) if found else None


@pytest.mark.parametrize("machine", ("neoverse-v1", "neoverse-n2", "neoverse-v2", "generic"))
def test_lengths(tmp_path, program, machine):
    """Each thread has its own vector length."""
    records, _ = record(tmp_path / "data", "--machine", machine, program, "16", "32", "64")
    lengths = collections.defaultdict(collections.Counter)
    for r in records:
        if length_of(r):
            lengths[r["context_el1"]][length_of(r)] += 1
    lengths.pop(min(lengths, key=lambda thread: lengths[thread].total()) if len(lengths) > 3 else None, None)  # main()
    found = sorted(tuple(length) for length in lengths.values())
    assert found == [(128,), (256,), (512,)], f"three threads with one vector length each\n{dict(lengths)}"


@pytest.mark.parametrize("length", (16, 32, 64))
def test_predicates(tmp_path, program, length):
    """saxpy(n) has n / words iterations with a full predicate, and one with the rest; n is 1 to 37, equally often."""
    records, out = record(tmp_path / "data", "--machine", "neoverse-v1", program, str(length))
    plain = subprocess.run([QEMU, program, str(length)], capture_output=True, text=True, check=True)
    assert out == plain.stdout, "the program computes the same"
    words = length // 4
    full, partial = sum(n // words for n in range(1, 38)), sum(n % words > 0 for n in range(1, 38))
    kinds = ("load, SVE", "store, SVE", "predicated")
    governed = [r for r in records if length_of(r) and any(kind in r["op"] for kind in kinds)]
    assert len(governed) > 200, f"operations with predicates are sampled\n{len(governed)}"
    measured = sum("sve-partial-pred" in r["events"] for r in governed) / len(governed)
    expected = partial / (full + partial)
    error = (0.25 / len(governed)) ** 0.5
    assert abs(measured - expected) < 5 * error, f"share of partial predicates\n{measured} {expected}"
    assert not any("sve-empty-pred" in r["events"] for r in records), "no predicate is empty"
    others = [r for r in records if not length_of(r)]
    assert others and not any("sve-partial-pred" in r["events"] for r in others), "no other operation has the event"


def test_event_filter(tmp_path, program):
    options = "--machine", "neoverse-v1", "--event-filter", "sve-partial-pred"
    records, _ = record(tmp_path / "data", *options, program, "32")
    assert len(records) > 100 and all("sve-partial-pred" in r["events"] and length_of(r) == 256 for r in records), \
        "only operations with a partial predicate are recorded"


def test_vector_length_of_qemu(tmp_path, program):
    """Without prctl(), the vector length is that of QEMU's CPU."""
    for value, bits in (("max,sve-default-vector-length=32", 256), ("max,sve-default-vector-length=16", 128)):
        source = PROGRAM.replace("if (prctl(PR_SVE_SET_VL, (long)length) < 0)", "if (!length)")
        own = compile_c(tmp_path, "own", source, "-O2", "-march=armv8-a+sve", "-static")
        records, _ = record(tmp_path / "data", "--machine", "neoverse-v1", own, "1", env={"QEMU_CPU": value})
        assert {length_of(r) for r in records} == {None, bits}, value


@pytest.mark.parametrize("machine, filter", [
    ("neoverse-n1", ()), ("neoverse-n1", ("--inv-event-filter", "exception-gen")), ("ampereone", ()),
    ("cortex-a76", ()), ("none", ())])
def test_hidden(tmp_path, program, machine, filter):
    """The report says that records of a machine without SVE do not show SVE, with every version of SPE."""
    records, _ = record(tmp_path / "data", "--machine", machine, *filter, program, "64")
    assert not any(length_of(r) for r in records), "no record has a format of SVE"
    listing = run("aarch64-linux-gnu-objdump", "-d", program).stdout
    lines = re.findall(r"^ *([0-9a-f]+):\t([0-9a-f]{8}) ", listing, re.MULTILINE)
    code = {int(at, 16): int(word, 16) for at, word in lines}
    of_sve = sum(code[int(r["pc"], 0)] >> 25 & 15 == 2 for r in records)
    text = spemu("report", "-i", tmp_path / "data").stdout
    page = json.loads(spemu("report", "--json", "-i", tmp_path / "data").stdout)
    found = HIDDEN.search(text)
    assert found and text.count("# SVE:") == 1, f"the report says it in one line\n{text[:600]}"
    assert int(found.group(1)) == of_sve > 200, f"the samples of SVE instructions (C4.1)\n{found.group(0)} {of_sve}"
    assert page["hidden_sve"] == int(found.group(1)), "JSON has the number"


def test_hidden_by_qemu(tmp_path, program):
    """The report names another QEMU if the machine has SVE and QEMU does not give its registers to plugins."""
    image = pathlib.Path(shutil.which(QEMU)).read_bytes()
    if b"arm_gdb_get_svereg\0" not in image:
        pytest.skip("this QEMU's plugin interface has registers")
    (tmp_path / "qemu").write_bytes(image.replace(b"arm_gdb_get_svereg\0", b"arm_gdb_got_svereg\0"))
    (tmp_path / "qemu").chmod(0o755)
    options = "--machine", "neoverse-v1", "--qemu", tmp_path / "qemu"
    result = spemu("record", "-o", tmp_path / "data", *options, program, "64")
    assert result.returncode == 0 and "records do not show SVE; use Debian 12's" in result.stderr, result.stderr
    text = spemu("report", "-i", tmp_path / "data").stdout
    line = re.search("^# SVE: .*", text, re.MULTILINE)
    assert line and "record with Debian 12's QEMU 7.2, or QEMU 9.2 or later, see" in line[0], f"the remedy\n{text[:600]}"


def test_nothing_hidden(tmp_path):
    """The report does not mention SVE if the program does not use it."""
    scalar = compile_c(tmp_path, "scalar", SCALAR, "-static")
    for machine in ("neoverse-n1", "neoverse-v1"):
        record(tmp_path / "data", "--machine", machine, scalar)
        text = spemu("report", "-i", tmp_path / "data").stdout
        assert "SVE" not in text, f"{machine}: the report does not mention SVE\n{text[:600]}"


def test_unaddressed(tmp_path, program):
    """The report says when QEMU does not give the addresses of SVE loads and stores."""
    records, _ = record(tmp_path / "data", "--machine", "neoverse-v1", program, "64")
    accesses = [r for r in records if re.match("(load|store), SVE", r["op"])]
    text = spemu("report", "-i", tmp_path / "data").stdout
    found = UNADDRESSED.search(text)
    if REPORTS_ACCESSES:
        assert all("va" in r and "l1d-access" in r["events"] for r in accesses), "every access has an address"
        assert "# SVE:" not in text, "nothing is missing"
    else:
        assert found and text.count("# SVE:") == 1, f"the report says it in one line\n{text[:600]}"
        without = sum("va" not in r for r in accesses)
        assert tuple(map(int, found.groups())) == (without, len(accesses)), "numbers of accesses"


def test_page(tmp_path, program):
    record(tmp_path / "data", program, "64")
    result = spemu("report", "-i", tmp_path / "data", "--html", tmp_path / "page.html")
    assert result.returncode == 0 and '"hidden_sve":' in (tmp_path / "page.html").read_text(), "the page has the number"
