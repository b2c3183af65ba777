# SPDX-License-Identifier: MIT
"""The memory map in a recording: the MMAP2 events of spemu record agree with the program's own /proc/self/maps.

A program maps, unmaps, protects and moves parts of files at random. It uses a small range, so the
mappings overlap. The last event that covers a page must have the file and offset that the kernel
lists. The cost of a mapping must not grow with the number of mappings.
"""
import re
import resource
import subprocess

from clilib import ENVIRONMENT, SPEMU, compile_c, spemu, write
from perf_file import events, number

PROGRAM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define PAGE 4096ul
#define PAGES 96ul
static unsigned long seed;
static unsigned long draw(unsigned long n)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (seed >> 33) % n;
}
static int prot(void)
{
	static const int all[] = {PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC, PROT_NONE};
	return all[draw(4)];
}
int main(int argc, char **argv)
{
	char *arena = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int file[3];
	char line[4096];
	seed = strtoul(argv[1], NULL, 10);
	for (int i = 0; i < 3; i++)
		file[i] = open(argv[3 + i], O_RDWR);
	for (long n = atol(argv[2]); n > 0; n--) {
		unsigned long at = draw(PAGES), size = 1 + draw(PAGES - at < 9 ? PAGES - at : 9);
		char *p = arena + at * PAGE;
		switch (draw(8)) {
		case 0:
		case 1:
		case 2:
			mmap(p, size * PAGE, prot(), (draw(2) ? MAP_PRIVATE : MAP_SHARED) | MAP_FIXED, file[draw(3)],
			     (long)(draw(40) * PAGE));
			break;
		case 3:
			mmap(p, size * PAGE, prot(), MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
			break;
		case 4:
		case 5:
			mprotect(p, size * PAGE, prot());
			break;
		case 6:
			munmap(p, size * PAGE);
			break;
		default:
			if (draw(2))
				mremap(p, size * PAGE, (1 + draw(size)) * PAGE, 0);
			else
				mremap(p, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, arena + draw(PAGES) * PAGE);
		}
	}
	printf("%p\n", arena);
	fflush(stdout);
	int maps = open("/proc/self/maps", O_RDONLY);
	ssize_t got;
	while ((got = read(maps, line, sizeof(line))) > 0)
		if (write(1, line, got) != got)
			return 1;
	return 0;
}
"""
STORM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	int fd = open("/proc/self/exe", O_RDONLY);
	char **p = malloc((unsigned long)n * sizeof(*p));
	for (long i = 0; i < n; i++)
		p[i] = mmap(NULL, 8192, PROT_READ | (i & 1 ? PROT_EXEC : 0), MAP_PRIVATE, fd, 0);
	for (long i = 0; i < n; i++)
		mprotect(p[i], 4096, PROT_READ | PROT_EXEC);
	for (long i = 0; i < n; i += 2)
		mremap(p[i], 8192, 12288, MREMAP_MAYMOVE);
	for (long i = 1; i < n; i += 2)
		munmap(p[i], 8192);
	return 0;
}
"""
MMAP2 = 10
PAGE = 4096


def told(image):
    """Return {page: (path, offset)} after the last event of the recording."""
    pages = {}
    for kind, at, size, _ in events(image):
        if kind != MMAP2:
            continue
        start, length, offset = (number(image, at + 16 + 8 * i, 8) for i in range(3))
        path = image[at + 72:at + size].split(b"\0")[0].decode()
        for page in range(0, length, PAGE):
            pages[start + page] = (path, offset + page)
    return pages


def listed(text, begin):
    """Return (page, permissions, path, offset) of each page that the program lists for its
    range."""
    for line in text.splitlines():
        m = re.match(r"(\w+)-(\w+) (\S+) (\w+) \S+ (\d+)\s*(.*)", line)
        start, end = int(m[1], 16), int(m[2], 16)
        for page in range(max(start, begin), min(end, begin + 96 * PAGE), PAGE):
            yield page, m[3], m[6] if m[5] != "0" else "", int(m[4], 16) + page - start


def test_random(tmp_path):
    program = compile_c(tmp_path, "mapper", PROGRAM, "-static", "-w")
    files = [write(tmp_path, f"file{i}", bytes(64 * PAGE)) for i in range(3)]
    wrong, seen = [], 0
    for seed in range(12):
        data = f"{tmp_path}/perf.data"
        result = spemu("record", "-q", "--machine", "none", "-o", data, "--", program, seed, 40 + 20 * seed, *files)
        begin, _, maps = result.stdout.partition("\n")
        with open(data, "rb") as f:
            pages = told(f.read())
        for page, permissions, path, offset in listed(maps, int(begin, 16)):
            said = pages.get(page, ("", 0))
            if path:
                seen += 1
                wrong += [] if said == (path, offset) else [f"seed {seed}, {page:#x}: {said}, listed {path} {offset:#x}"]
            elif set("wx") & set(permissions) and said[0] in files:
                wrong.append(f"seed {seed}, {page:#x}: {said}, listed as memory without a file")
    assert not wrong, f"{seen} pages of files are where the kernel lists them\n" + "\n".join(wrong[:10])
    assert seen > 300, f"enough pages of files\n{seen}"


def cpu(*command):
    """Return the CPU time of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(c) for c in command], env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_cost(tmp_path):
    program = compile_c(tmp_path, "storm", STORM, "-static")
    record = (SPEMU, "record", "-q", "--machine", "none", "-o", f"{tmp_path}/perf.data", "--", program)
    few, many = (min(cpu(*record, n) for _ in range(3)) for n in (4000, 16000))
    # The start takes constant time. A linear cost gives a factor of at most 4, and a quadratic cost
    # up to 16.
    assert many < 8 * few, f"the cost of a mapping does not grow with their number\n{few:.3f} s for 4000, {many:.3f} s for 16000"
