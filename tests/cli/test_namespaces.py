# SPDX-License-Identifier: MIT
"""Recorded processes in other PID namespaces have the numbers of the recorder's namespace.

The program enters three namespaces, each of which numbers its first process 1. It sees the recorder's /proc, where
/proc/thread-self gives each thread's number in the recorder's namespace.
"""
import re

import pytest

from clilib import ENVIRONMENT, compile_c, run, spemu
from perf_file import events, number

PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>
static void say(const char *who)
{
	char line[128], outside[64];
	ssize_t n = readlink("/proc/thread-self", outside, sizeof(outside) - 1);
	if (n < 0 || write(1, line, (size_t)snprintf(line, sizeof(line), "%s %d %.*s\n", who, getpid(), (int)n, outside)) < 0)
		_exit(2);
}
static void *thread(void *unused)
{
	for (volatile int i = 0; i < 200000; i++) {}
	say("thread");
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t t;
	if (argc > 2) {
		pthread_create(&t, NULL, thread, NULL);
		say("main");
		pthread_join(t, NULL);
		return 0;
	}
	int status;
	for (int i = 0; i < 2 && fork(); i++) {}
	if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return 77;
	pid_t child = fork();
	if (!child) {
		/* The first in its namespace forks, and becomes another program. */
		pid_t second = fork();
		if (second)
			waitpid(second, NULL, 0);
		execl("/proc/self/exe", argv[0], "again", "again", NULL);
		_exit(3);
	}
	waitpid(child, &status, 0);
	while (wait(NULL) > 0) {}
	return status != 0;
}
"""
FORK, COMM = 7, 3


def test_numbers(tmp_path):
    program = compile_c(tmp_path, "namespaces", PROGRAM, "-static", "-w", "-pthread")
    if run(ENVIRONMENT.get("SPEMU_QEMU", "qemu-aarch64"), program).returncode == 77:
        pytest.skip("this machine does not allow programs to enter a PID namespace")
    data = f"{tmp_path}/perf.data"
    result = spemu("record", "-q", "--machine", "none", "-o", data, "--", program)
    said = re.findall(r"^(main|thread) (\d+) (\d+)/task/(\d+)$", result.stdout, re.M)
    assert sum(inside == "1" for _, inside, _, _ in said) == 6, "three processes with two threads each are number 1"
    with open(data, "rb") as f:
        image = f.read()
    threads = {(number(image, at + 8, 4), number(image, at + 16, 4)) for kind, at, *_ in events(image) if kind == FORK}
    named = {number(image, at + 8, 4) for kind, at, *_ in events(image) if kind == COMM}
    outside = {(int(pid), int(tid)) for _, _, pid, tid in said}
    assert len(outside) == 12, "twelve threads of six processes"
    assert outside <= threads, f"the events have the recorder's numbers\n{sorted(outside)} {sorted(threads)}"
    assert {pid for pid, _ in outside} <= named, f"each process has a name\n{sorted(outside)} {sorted(named)}"
    assert not {1, 2} & {pid for pid, _ in threads}, f"no event has a number of an inner namespace\n{sorted(threads)}"
    assert sum(kind == FORK for kind, *_ in events(image)) == len(threads), "no number appears twice"
