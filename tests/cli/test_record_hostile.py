# SPDX-License-Identifier: MIT
"""spemu record of programs that attack the recorder, give up their privileges, or remove its file.

These tests check the promises of docs/explanation/security.md. The recorder ends in time and not by
a signal. It writes no file except its own, and reports what happened to it.
"""
import json
import os

import pytest

from clilib import BUSY, compile_c, spemu, write

PROGRAM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
""" + BUSY + r"""static unsigned char *area;
static size_t size;
static int control;
static void map_area(void)
{
	struct stat st;
	control = open(getenv("SPEMU_CONTROL"), O_RDWR);
	if (control < 0 || fstat(control, &st))
		_exit(90);
	size = st.st_size < 2 << 20 ? st.st_size : 2 << 20;
	area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, control, 0);
	if (area == MAP_FAILED)
		_exit(91);
}
/* Wherever the area names a file, by its path or its inode, let it be another. */
static void redirect(const char *output, const char *victim)
{
	struct stat from, to;
	stat(output, &from);
	stat(victim, &to);
	for (size_t i = 0; i + 64 < size; i += 8) {
		unsigned long word;
		memcpy(&word, area + i, 8);
		if (word == from.st_ino)
			memcpy(area + i, &to.st_ino, 8);
	}
	for (size_t i = 0; i + 64 < size; i++)
		if (!memcmp(area + i, "/proc/", 6))
			strcpy((char *)area + i, victim);
}
/* Not rand(), which takes a lock for each number: emulated, minutes of a busy machine. */
static unsigned long random_state;
static unsigned next_random(void)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return random_state >> 33;
}
static int set_limit(int which)
{
	const struct rlimit none = {0, 0};
	return setrlimit(which, &none);
}
int main(int argc, char **argv)
{
	const char *what = argv[1];
	int status = 0;
	busy(300000);
	if (!strcmp(what, "cut area") || !strcmp(what, "fill") || !strcmp(what, "random") ||
	    !strcmp(what, "redirect"))
		map_area();
	if (!strcmp(what, "cut area"))
		status = ftruncate(control, 0) == 0;
	if (!strcmp(what, "fill"))
		memset(area, atoi(argv[2]), size);
	if (!strcmp(what, "random")) {
		random_state = atoi(argv[2]);
		for (long i = 0; i < 3000000; i++)
			area[next_random() % size] = next_random() >> 8;
	}
	if (!strcmp(what, "redirect"))
		redirect(argv[2], argv[3]);
	if (!strcmp(what, "file size"))
		status = set_limit(RLIMIT_FSIZE);
	if (!strcmp(what, "descriptors")) {
		for (int fd = 3; fd < 1024; fd++)
			dup2(2, fd);
		status = set_limit(RLIMIT_NOFILE);
	}
	if (!strcmp(what, "root"))
		status = chroot(argv[2]) || chdir("/");
	if (!strncmp(what, "user", 4))
		status = setgroups(0, NULL) || setgid(65534) || setuid(65534);
	if (!strcmp(what, "user, descriptors and exec"))
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
	if (strstr(what, "exec")) {
		execl(argv[2], argv[2], argc > 3 ? "user and exec" : "nothing", argv[2], NULL);
		status = 92;
	}
	if (!strcmp(what, "remove"))
		status = unlink(argv[2]);
	if (!strcmp(what, "rename"))
		status = rename(argv[2], argv[3]);
	if (!strcmp(what, "truncate"))
		status = truncate(argv[2], 1000);
	busy(300000);
	return status;
}
"""
VICTIM = b"only root may write here\n" * 100


def samples(data):
    result = spemu("report", "--json", data)
    return json.loads(result.stdout)["samples"] if result.returncode in (0, 1) else None


def record(name, data, program, *args, ends=(0, 125)):
    """Record a program and return the result. Check that the recorder ends in time and with an
    expected status."""
    result = spemu("record", "-c", "1k", "-o", data, program, *args, timeout=60)
    assert result.returncode in ends, f"{name}: the recorder ends with an expected status\n{result.stderr}"
    return result


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compile_c(tmp_path_factory.mktemp("program"), "program", PROGRAM, "-static")


def test_attacks(tmp_path, program):
    data = f"{tmp_path}/attack.data"
    victim = write(tmp_path, "victim", VICTIM, 0o600)
    for name, args in (("area cut", ("cut area",)),
                       ("area of zeros", ("fill", "0")),
                       ("area of ones", ("fill", "255")),
                       ("area of 0x41", ("fill", "65")),
                       ("random area 1", ("random", "1")),
                       ("random area 2", ("random", "2")),
                       ("another file named", ("redirect", data, victim))):
        result = record(name, data, program, *args)
        with open(victim, "rb") as stream:
            assert stream.read() == VICTIM, f"{name}: the other file is unchanged"
        assert samples(data) is not None, f"{name}: the file can be read\n{result.stderr}"
        assert all(c.isprintable() for c in result.stderr.replace("\n", "")), \
            f"{name}: no control character reaches the terminal\n{result.stderr}"


def test_rights(tmp_path, program):
    data = f"{tmp_path}/rights.data"
    plain = record("no right given up", data, program, "nothing")
    whole = samples(data)
    assert whole and whole > 2000, f"the program has many samples\n{plain.stderr}"
    ways = [("file size",), ("descriptors",)]
    if os.geteuid() == 0:
        ways += [("root", tmp_path), ("user",)]
    for args in ways:
        result = record(f"{args[0]} given up", data, program, *args)
        assert result.returncode == 0 and result.stderr.startswith("[ "), \
            f"{args[0]} given up: no sample is lost\n{result.stderr}"
        assert abs(samples(data) - whole) * 50 < whole, f"{args[0]} given up: the same number of samples\n{samples(data)} {whole}"
    if os.geteuid() == 0:
        for folder in (tmp_path, tmp_path.parent, os.path.dirname(program)):
            os.chmod(folder, 0o755)
        # The program ends with 92 if the other user cannot execute QEMU, for example below root's
        # home directory.
        result = record("user changed, then exec", data, program, "user and exec", program, "again", ends=(0, 92))
        if result.returncode == 0:
            assert result.stderr.startswith("[ "), f"exec after a change of user: no message\n{result.stderr}"
            # Two programs run half of it before they execute the next one.
            assert abs(samples(data) - 2 * whole) * 50 < whole, \
                f"exec after a change of user: all programs are recorded\n{samples(data)} {whole}"
        result = record("user changed, then exec", data, program, "user, descriptors and exec", program, ends=(0, 92))
        assert "record the other program separately" in result.stderr, \
            f"exec without the descriptor: a message names the program that is not recorded\n{result.stderr}"


def test_file_taken_away(tmp_path, program):
    data = f"{tmp_path}/taken.data"
    for what, args, pattern in (
            ("remove", (data,), "was removed while it was recorded, the recording is lost"),
            ("rename", (data, f"{tmp_path}/elsewhere.data"), "was renamed or replaced while"),
            ("truncate", (data,), "was truncated during the recording, and its contents are lost")):
        result = record(what, data, program, what, *args)
        assert result.returncode == 125 and pattern in result.stderr, \
            f"{what}: a message reports it\n{result.returncode} {result.stderr}"
        assert "make room" not in result.stderr and "can be read" not in result.stderr, \
            f"{what}: no message is wrong\n{result.stderr}"
    quiet = spemu("record", "-q", "-c", "1000", "-o", data, program, "remove", data)
    assert quiet.returncode == 125 and "was removed while it was recorded" in quiet.stderr, \
        f"-q: the cause of a failure is still reported\n{quiet.returncode} {quiet.stderr}"
    assert samples(f"{tmp_path}/elsewhere.data"), "a renamed file still gets the recording"
