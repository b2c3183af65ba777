# SPDX-License-Identifier: MIT
"""spemu record --heap: programs with known numbers of allocations, and of memory accesses to each
allocation."""
import collections
import json
import re

import pytest

from clilib import compile_c, run, spemu, write
from perf_file import events, number
from perf_there import perf_works

MMAP2 = 10

# Comments in the program name the lines that allocate. EXPECTED and CXX_EXPECTED list the allocations of each of these
# lines.
SOURCE = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define SIZE (1 << 16)
#define WORK 40

struct node {
	struct node *next;
	long unused[3], value, more[3];
};

/* WORK * SIZE / 64 times a load and a store, whatever the memory. */
static __attribute__((noinline)) void work(void *memory)
{
	volatile char *m = memory;

	for (int round = 0; round < WORK; round++)
		for (int i = 0; i < SIZE; i += 64)
			m[i]++;
}

static __attribute__((noinline)) struct node *list(int n)
{
	struct node *first = NULL;

	while (n--) {
		struct node *node = malloc(sizeof(*node)); /* nodes */
		node->next = first;
		node->value = n;
		first = node;
	}
	return first;
}

/* Of each node the offsets 0 and 32 alone. */
static __attribute__((noinline)) long sum(const struct node *first)
{
	long s = 0;

	for (; first; first = first->next)
		s += *(volatile const long *)&first->value;
	return s;
}

static void *in_thread(void *memory)
{
	work(memory);
	return malloc(48); /* thread */
}

static __attribute__((noinline)) void *wrapped(size_t size)
{
	void *memory = malloc(size); /* wrapper */
	__asm__ volatile("" ::: "memory");
	return memory;
}

int main(void)
{
	void *p, *q, *old = NULL;
	char *map[3];
	pthread_t thread;
	struct node *first = list(100);

	for (int i = 0; i < 300; i++)
		sum(first);
	for (int i = 0; i < 10; i++) {
		p = malloc(SIZE); /* first */
		work(p);
		free(p);
		q = malloc(SIZE); /* second */
		work(q);
		free(q);
		if (p != q)
			return 1; /* the same memory, by turns */
	}
	p = calloc(4, SIZE / 4); /* calloc */
	work(p);
	for (int i = 1; i <= 5; i++)
		old = realloc(old, i * 1000); /* realloc */
	p = reallocarray(p, 2, SIZE); /* reallocarray */
	work(p);
	free(p);
	if (posix_memalign(&p, 4096, SIZE)) /* posix_memalign */
		return 2;
	work(p);
	p = aligned_alloc(256, SIZE); /* aligned_alloc */
	work(p);
	for (int i = 0; i < 3; i++)
		map[i] = mmap(NULL, 4 * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* mmap */
	munmap(map[1] + SIZE, 3 * SIZE); /* between the two others */
	for (int i = 0; i < 3; i++)
		work(map[i]);
	p = malloc(SIZE); /* shared */
	if (pthread_create(&thread, NULL, in_thread, p) || pthread_join(thread, &q))
		return 3;
	free(q);
	for (int i = 0; i < 7; i++)
		wrapped(24 + i);
	if (malloc((size_t)-1 / 4)) /* refused */
		return 4;
	if (fork() == 0) {
		work(p);
		p = malloc(SIZE); /* child */
		work(p);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
"""
SIZE, STEP, WORK = 1 << 16, 64, 40
# name of the line: objects, bytes, freed objects, calls of work() for them
EXPECTED = {
    "nodes": (100, 6400, 0, 0),
    "first": (10, 10 * SIZE, 10, 10),
    "second": (10, 10 * SIZE, 10, 10),
    "calloc": (1, SIZE, 1, 1),
    "realloc": (5, 15000, 4, 0),
    "reallocarray": (1, 2 * SIZE, 1, 1),
    "posix_memalign": (1, SIZE, 0, 1),
    "aligned_alloc": (1, SIZE, 0, 1),
    "mmap": (3, 3 * 4 * SIZE, 0, 3),
    "shared": (1, SIZE, 0, 2),
    "thread": (1, 48, 1, 0),
    "wrapper": (7, sum(range(24, 31)), 0, 0),
    "child": (1, SIZE, 0, 1),
}
CALLS = {"nodes": "malloc", "first": "malloc", "second": "malloc", "shared": "malloc", "thread": "malloc",
         "wrapper": "malloc", "child": "malloc"}

CXX = """
#include <cstdio>
#include <new>
#include <vector>
struct alignas(128) Wide { char bytes[128]; };
int main()
{
	std::vector<int *> all;
	all.reserve(64);                                        // reserve
	for (int i = 0; i < 20; i++)
		all.push_back(new int[100]);                    // array
	for (int i = 0; i < 15; i++)
		delete[] all[i];
	for (int i = 0; i < 3; i++) {
		try {
			volatile long huge = 1L << 60;
			delete[] new char[huge];                // thrown
		} catch (const std::bad_alloc &) {
		}
	}
	Wide *wide = new Wide;                                  // wide
	__asm__ volatile("" : : "r"(wide) : "memory");
	long *one = new (std::nothrow) long;                    // nothrow
	delete wide;
	delete one;
	return 0;
}
"""
CXX_EXPECTED = {"reserve": ("new", 1, 512, 1), "array": ("new[]", 20, 8000, 15), "wide": ("new", 1, 128, 1),
                "nothrow": ("new", 1, 8, 1)}


def line_names(source):
    """Return {line number: name in the comment of this line}."""
    names = {}
    for number, text in enumerate(source.splitlines(), 1):
        m = re.search(r"(?:/\*|//) (\w+)(?: \*/)?$", text)
        if m:
            names[number] = m[1]
    return names


def record(folder, program, *options):
    data = f"{folder}/heap.data"
    result = spemu("record", "--heap", "-o", data, "-c", "512", "--machine", "none", *options, program)
    assert (result.returncode, result.stderr.count("\n")) == (0, 1), \
        f"{program}: the status, and one line on standard error"
    return data


def sections(data, *names):
    result = spemu("report", "--json", "-n", "0", "--section", ",".join(names), data)
    assert result.returncode == 0, f"report of {names}"
    return json.loads(result.stdout)


def by_line(rows, source, file):
    """Return {name of the line: row} of the rows for calls in the program itself."""
    names, got = line_names(source), {}
    for r in rows:
        m = re.search(r"([^/]+):(\d+)$", r["source_line"] or "")
        if m and m[1] == file:
            assert names.get(int(m[2])) not in got, f"no two rows for the same call\n{r}"
            got[names.get(int(m[2]))] = r
    return got


def check_counts(what, rows):
    got = by_line(rows, SOURCE, "heap.c")
    assert {k: (r["allocations"], r["bytes"], r["freed"]) for k, r in got.items()} == {k: v[:3] for k, v in EXPECTED.items()}, \
        f"{what}: objects, bytes and freed objects"
    assert {k: r["call"] for k, r in got.items()} == {k: CALLS.get(k, k) for k in EXPECTED}, \
        f"{what}: the function that allocates"
    return got


def check_samples(what, rows):
    """Check the samples of work(). Each of its memory accesses is a load and a store, and one in
    512 operations is sampled."""
    one = rows["first"]["samples"] / 10
    assert one > 50, f"{what}: enough samples\n{one}"
    for name, (_, _, _, works) in EXPECTED.items():
        if works:
            assert abs(rows[name]["samples"] - works * one) <= 0.15 * works * one + 10, \
                f"{what}: samples of {name}\n{(rows[name]['samples'], works * one)}"
    # "shared" has two sampled objects because the child has its own copy.
    assert [rows[k]["sampled_objects"] for k in ("first", "second", "shared", "wrapper")] == [10, 10, 2, 0], \
        f"{what}: the number of sampled objects"
    assert (rows["shared"]["threads"], rows["first"]["threads"]) == (2, 1), f"{what}: threads"


def check_told(what, data):
    """Check that no object is reported twice. An MMAP2 event has the start at offset 16, the length
    at 24, the inode at 48 and the name at 72."""
    with open(data, "rb") as f:
        image = f.read()
    told = collections.Counter()
    for type_, at, size, _ in events(image):
        name = image[at + 72:at + size]
        if type_ == MMAP2 and name.startswith(b"[heap] ") and not name.startswith(b"[heap] free") and number(image, at + 24, 8):
            told[number(image, at + 8, 4), number(image, at + 16, 8), number(image, at + 48, 8)] += 1
    assert told and set(told.values()) == {1}, f"{what}: each object is reported once\n{told.most_common(3)}"


@pytest.mark.parametrize("flags", (("-pthread",), ("-pthread", "-static")))
def test_c(tmp_path, flags):
    what = " ".join(flags)
    program = compile_c(tmp_path, "heap", SOURCE, *flags)
    data = record(tmp_path, program)
    report = sections(data, "heap", "heap-offsets", "objects")
    rows = check_counts(what, report["heap"])
    check_samples(what, rows)
    check_told(what, data)
    offsets = collections.Counter()
    for r in report["heap_offsets"]:
        if r["data"].startswith("malloc@list:"):
            offsets[int(r["offset"], 16)] += r["samples"]
    # Both offsets are accessed equally often. For about 130 samples, allow four standard
    # deviations.
    assert set(offsets) == {0, 32} and abs(offsets[0] - offsets[32]) < 4 * sum(offsets.values()) ** 0.5, \
        f"{what}: the offsets within the nodes\n{offsets}"
    objects = {r["data"]: r for r in report["objects"]}
    line = {v: k for k, v in line_names(SOURCE).items()}
    assert objects[f"malloc@main:{line['first']}"]["samples"] == rows["first"]["samples"], \
        f"{what}: the table of data objects has the same samples"
    assert objects[f"malloc@main:{line['first']}"]["kind"] == "heap", f"{what}: the kind of the object"


def test_cxx(tmp_path):
    source, program = write(tmp_path, "cxx.cc", CXX), f"{tmp_path}/cxx"
    if run("aarch64-linux-gnu-g++", "-g", "-O1", "-o", program, source).returncode:
        return
    report = sections(record(tmp_path, program), "heap")
    got = by_line(report["heap"], CXX, "cxx.cc")
    assert {k: (r["call"], r["allocations"], r["bytes"], r["freed"]) for k, r in got.items()} == CXX_EXPECTED, \
        "C++: only the outermost operator counts; a failed new is not an object"


def test_timed(tmp_path):
    """The counts are the same with a timing model, where every block has callbacks. perf names the
    objects."""
    program = compile_c(tmp_path, "heap", SOURCE, "-pthread")
    data = f"{tmp_path}/heap.data"
    result = spemu("record", "--heap", "-q", "-o", data, "-c", "1024", program)
    assert result.returncode == 0, "recording with a timing model succeeds"
    check_counts("timed", sections(data, "heap")["heap"])
    if not perf_works():
        return
    out = run("perf", "mem", "report", "-i", data, "--stdio", "-s", "dso_daddr").stdout
    row = by_line(sections(data, "heap")["heap"], SOURCE, "heap.c")["first"]
    symbols = run("aarch64-linux-gnu-nm", program).stdout
    main = int(re.search(r"^(\S+) T main$", symbols, re.M)[1], 16)
    call = main + int(row["symbol"].split("+")[1], 16)
    assert re.search(rf"\[heap\] malloc 0x[0-9a-f]*{call & 0xfff:03x}\b", out), f"perf names the object\n{out}"


ENDS = """
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	volatile char *p = malloc(4096); /* once */

	for (int round = 0; round < 200; round++)
		for (int i = 0; i < 4096; i++)
			p[i]++;
	if (argc == 1)
		return 0;
	if (!strcmp(argv[1], "exec"))
		execl(argv[0], argv[0], NULL);
	else if (!strcmp(argv[1], "kill"))
		kill(getpid(), SIGKILL);
	*(volatile int *)0 = 1;
	return 1;
}
"""


def test_ends(tmp_path):
    """A process that executes another program, or itself again, has two images. A crash loses only
    the totals."""
    program = compile_c(tmp_path, "ends", ENDS)
    data = f"{tmp_path}/ends.data"
    for how, status, allocations, objects in (("exec", 0, 2, 2), ("kill", 137, 1, 1), ("crash", 139, None, 1)):
        result = spemu("record", "--heap", "-q", "-o", data, "-c", "512", "--machine", "none", program, how)
        assert (result.returncode % 256 if result.returncode >= 0 else 128 - result.returncode) == status, \
            f"{how}: the exit status"
        row = by_line(sections(data, "heap")["heap"], ENDS, "ends.c")["once"]
        assert row["samples"] > 500 * objects, f"{how}: enough samples\n{row}"
        assert (row["allocations"], row["sampled_objects"]) == (allocations, objects), f"{how}: the numbers of objects"


def test_without(tmp_path):
    program = compile_c(tmp_path, "heap", SOURCE, "-pthread")
    data = f"{tmp_path}/plain.data"
    assert spemu("record", "-q", "-o", data, "--machine", "none", program).returncode == 0, \
        "recording without --heap succeeds"
    with open(data, "rb") as f:
        assert b"[heap] " not in f.read(), "without --heap, the file has no heap objects"
    assert sections(data, "heap", "heap-offsets")["heap"] == [], \
        "without --heap, the report has no rows of heap objects"
    text = spemu("report", "--section", "heap", data).stdout
    assert "none; 'spemu record --heap' records them" in text, \
        f"the report names --heap if the section is requested\n{text}"
    assert "Heap objects" not in spemu("report", data).stdout, "the section is absent unless it is requested"
