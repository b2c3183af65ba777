# SPDX-License-Identifier: MIT
"""A recording has copies of the files that describe generated code. So neither a later process with the same number nor
a deleted file changes the names."""
import os
import re

import pytest

from clilib import compile_c, run, spemu, write
from named import report
from perf_file import events
from perf_there import perf_works

EVENT_TYPE = 65  # PERF_RECORD_HEADER_EVENT_TYPE

# Copies a loop into new memory and runs it. Describes the loop in a map or a jitdump file. Ends as the argument says.
PROGRAM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Subtract 1 from x0 until it is 0, and return. */
static const unsigned code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};

/* more: size of the map; or below 0 for an old one */
static void write_map(void *at, const char *name, long more)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	fprintf(f, "%lx %zx %s\n", (long)at, sizeof(code), name);
	fclose(f);
	if (more > 0 && truncate(path, more))
		exit(9);
	if (more < 0 && utimensat(AT_FDCWD, path, (struct timespec[2]){{1}, {1}}, 0))
		exit(6);
}

static void put(FILE *f, unsigned long v, int size)
{
	fwrite(&v, 1, (size_t)size, f);
}

/* Write a jitdump file of version 1 with one function, and map it as a marker for perf. */
static void write_dump(void *at, const char *name)
{
	const size_t length = strlen(name) + 1;
	struct timespec now;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "./jit-%d.dump", getpid());
	f = fopen(path, "w+");
	clock_gettime(CLOCK_MONOTONIC, &now);
	put(f, 0x4a695444, 4); put(f, 1, 4); put(f, 40, 4); put(f, 183, 4);
	put(f, 0, 4); put(f, (unsigned)getpid(), 4); put(f, 0, 8); put(f, 0, 8);
	fflush(f);
	if (mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0) == MAP_FAILED)
		exit(8);
	put(f, 0, 4); put(f, 56 + length + sizeof(code), 4);
	put(f, (unsigned long)now.tv_sec * 1000000000ul + (unsigned long)now.tv_nsec, 8);
	put(f, (unsigned)getpid(), 4); put(f, (unsigned)getpid(), 4);
	put(f, (unsigned long)at, 8); put(f, (unsigned long)at, 8); put(f, sizeof(code), 8); put(f, 1, 8);
	fwrite(name, 1, length, f);
	fwrite(code, 1, sizeof(code), f);
	fclose(f);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pid_t child = !strcmp(how, "child") ? fork() : 0;
	void *at = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(at, code, sizeof(code));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(code));
	if (mprotect(at, 4096, PROT_READ | PROT_EXEC))
		return 7;
	if (!strcmp(how, "dump"))
		write_dump(at, "written by the program");
	((long (*)(long))at)(300000);
	if (strcmp(how, "dump") && strcmp(how, "none"))
		write_map(at, child ? "of the parent" : "written by the program",
		          !strcmp(how, "large") ? 65l << 20 : -!strcmp(how, "old"));
	printf("%d\n", getpid());
	fflush(stdout);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	return child ? wait(0) < 0 : 0;
}
"""
NAME = "written by the program"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compile_c(tmp_path_factory.mktemp("program"), "program", PROGRAM, "-static")


@pytest.fixture
def record(tmp_path, monkeypatch, program):
    """Return a function that records the program, and returns the recording, the processes and the messages. The files
    of the processes are removed at the end of the test."""
    pids = []
    monkeypatch.chdir(tmp_path)

    def function(how, *args):
        data = f"{tmp_path}/{how}.data"
        result = spemu("record", "-o", data, "-c", "512", "--machine", "none", *args, "--", program, how)
        pids.extend(int(n) for n in result.stdout.split())
        return data, pids, result.stderr

    yield function
    for pid in pids:
        if os.path.exists(f"/tmp/perf-{pid}.map"):
            os.unlink(f"/tmp/perf-{pid}.map")


def names(data, *args):
    """Return the names of generated code, and the messages."""
    rows, errors = report(data, "-s", "dso,sym", *args)
    return {r["symbol"] for r in rows if r["object"].startswith(("[JIT]", "jit-"))}, errors


@pytest.mark.parametrize("how", ("exit", "abort", "kill"))
def test_map(record, how):
    """However the program ends, its map is in the recording."""
    data, (pid,), _ = record(how)
    assert names(data) == ({NAME}, ""), "the map that the program wrote"
    os.unlink(f"/tmp/perf-{pid}.map")
    assert names(data) == ({NAME}, ""), "the map was removed"
    write("/tmp", f"perf-{pid}.map", "0 ffffffffffffff00 forged\n")
    assert names(data) == ({NAME}, ""), "another process with the same number wrote a map"


def test_dump(record):
    data, (pid,), _ = record("dump")
    os.rename(f"jit-{pid}.dump", "removed")
    assert names(data) == ({NAME}, ""), "the jitdump file was removed"
    code = spemu("annotate", "-i", data, NAME).stdout
    assert "subs" in code and "b.ne" in code, f"the code in the copy\n{code}"


def test_child(record):
    """Each process has its own map."""
    data, pids, _ = record("child")
    for pid in pids:
        os.unlink(f"/tmp/perf-{pid}.map")
    assert len(pids) == 2 and names(data) == ({NAME, "of the parent"}, "")


def test_no_map(record, tmp_path):
    """If a process left no map, a later file is not its map. A file below the sysroot is the user's choice."""
    data, (pid,), _ = record("none")
    write("/tmp", f"perf-{pid}.map", "0 ffffffffffffff00 forged\n")
    found, errors = names(data)
    assert "forged" not in found and f"the process left no /tmp/perf-{pid}.map" in errors, errors
    os.makedirs(f"{tmp_path}/root/tmp")
    write(f"{tmp_path}/root/tmp", f"perf-{pid}.map", "0 ffffffffffffff00 chosen\n")
    assert names(data, "-L", f"{tmp_path}/root")[0] == {"chosen"}


def test_old_map(record):
    """A file from before the recording is the map of an earlier process."""
    data, (pid,), _ = record("old")
    found, errors = names(data)
    assert NAME not in found and f"the process left no /tmp/perf-{pid}.map" in errors, errors


def test_large_map(record):
    """A map that is too large is left out, with a message. The reader then uses the file."""
    data, (pid,), errors = record("large")
    assert "lacks 1 file with names of generated code, because a process may have 64 MiB" in errors, errors
    with open(data, "rb") as f:
        assert not [e for e in events(f.read()) if e[0] == EVENT_TYPE]
    assert NAME in names(data)[0], "the file is read"


# Changes of the program that leave something else than its own regular file at the place of the map.
OTHERS = {
    "link": ('f = fopen(path, "w");', 'symlink("/proc/self/cwd/elsewhere", path); f = fopen("elsewhere", "w");'),
    "fifo": ("fclose(f);\n\tif (more >", 'fclose(f); unlink(path); mkfifo(path, 0600);\n\tif (more >'),
    "another owner": ("fclose(f);\n\tif (more >", "fclose(f); chown(path, 12345, 12345);\n\tif (more >"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_files(tmp_path, what):
    """The recorder opens only regular files of the user or root, and follows no symbolic link."""
    if what == "another owner" and os.geteuid():
        pytest.skip("only root can give files away")
    old, new = OTHERS[what]
    assert old in PROGRAM
    source = "#include <sys/stat.h>\n" + PROGRAM.replace(old, new)
    program, data = compile_c(tmp_path, "other", source, "-static", "-Wno-unused-result"), f"{tmp_path}/other.data"
    result = spemu("record", "-o", data, "-c", "512", "--machine", "none", "--", program, "exit", cwd=tmp_path)
    os.unlink(f"/tmp/perf-{int(result.stdout)}.map")
    with open(data, "rb") as f:
        assert not [e for e in events(f.read()) if e[0] == EVENT_TYPE], "nothing is copied"


def test_hostile_copy(record):
    """A damaged part of a copy is left out, and the reader stays within the part."""
    data, (pid,), _ = record("exit")
    os.unlink(f"/tmp/perf-{pid}.map")
    with open(data, "rb") as f:
        image = f.read()
    (at, size), = [(e[1], e[2]) for e in events(image) if e[0] == EVENT_TYPE]
    # Offsets of the mark, the kind, the process, the offset and the size of a part (lib/perfdata/perf_copy.c).
    for place, number, value in ((8, 8, 0), (16, 4, 9), (20, 4, pid + 1), (24, 8, 1), (24, 8, 2**64 - 1),
                                 (32, 4, size - 39), (32, 4, 2**32 - 1), (32, 4, 0), (4, 2, 0xffff)):
        changed = image[:at + place] + value.to_bytes(number, "little") + image[at + place + number:]
        found, errors = names(write(".", "changed.data", changed))
        if place == 4:
            assert found == {NAME}, "misc has no meaning"
        else:
            assert NAME not in found and "no symbols" in errors, f"{place}: {value:#x}\n{errors}"


def test_stream(tmp_path, record, program):
    """A stream has the same copies, also if perf compresses it."""
    result = run("sh", "-c", f"'{os.environ['SPEMU']}' record -o - -c 512 --machine none -- '{program}' exit >stream")
    pid = re.search(r"^\d+$", result.stderr, re.M)[0]  # the program's output is on standard error
    os.unlink(f"/tmp/perf-{pid}.map")
    assert names("stream") == ({NAME}, "")


@pytest.mark.skipif(not perf_works(), reason="perf is not installed")
def test_perf(record, program):
    """perf skips the copies, in files and in streams, and reads the rest."""
    data, _, _ = record("exit")
    with open(data, "rb") as f:
        assert [e for e in events(f.read()) if e[0] == EVENT_TYPE]
    for command in (("script", "--itrace=i1i", "-F", "comm,ip,sym", "-i", data),
                    ("report", "--stdio", "--itrace=i1i", "-i", data)):
        result = run("perf", *command)
        assert result.returncode == 0 and NAME in result.stdout, f"perf {command[0]} finds the map\n{result.stderr}"
    result = run("sh", "-c", f"'{os.environ['SPEMU']}' record -o - -c 512 --machine none -- '{program}' exit | "
                             "perf script --itrace=i1i -F comm,ip,sym -i -")
    pid = re.search(r"^\d+$", result.stderr, re.M)[0]
    os.unlink(f"/tmp/perf-{pid}.map")
    assert result.returncode == 0 and NAME in result.stdout, f"perf reads a stream\n{result.stderr}"
    dump = run("perf", "report", "-D", "-i", data)
    assert dump.returncode == 0 and "EVENT_TYPE" in dump.stdout, dump.stderr
