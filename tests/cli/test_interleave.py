# SPDX-License-Identifier: MIT
"""spemu record --interleave: threads take turns, so a run repeats exactly and sharing is visible on one CPU.

Two threads write to one cache line in a loop of LOOP operations. A turn has TURN operations, a
multiple of LOOP. The first memory access of each turn finds the line in the other core, and no
other access does. So the line comes from the other core for one operation in TURN. PERIOD has no
common factor with TURN, so each operation of a turn is sampled equally often.
"""
import json
import math
import os
import subprocess

from clilib import ENVIRONMENT, SPEMU, compile_c, refuses, spemu, write

PEER = "0x9"  # the Data Source value of Neoverse N1 for a line from another core
LOOP, TURN, PERIOD, ROUNDS = 5, 100, 256, 60000
assert TURN % LOOP == 0 and math.gcd(PERIOD + 1, TURN) == 1

SHARED = f"""
#include <pthread.h>
static long line[8] __attribute__((aligned(64)));
static void *count(void *own)
{{
	long n = {ROUNDS};

	__asm__ volatile("1: ldr x1, [%1]; add x1, x1, #1; str x1, [%1]; subs %0, %0, #1; b.ne 1b"
	                 : "+r"(n) : "r"(own) : "x1", "cc", "memory");
	return 0;
}}
int main(void)
{{
	pthread_t t;

	if (pthread_create(&t, 0, count, &line[1]))
		return 1;
	count(&line[0]);
	return pthread_join(t, 0);
}}
"""

# A program that uses every way in which a thread waits for another one, and in which a process
# waits for its threads.
WAITS = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn, ends[2];
static volatile int go, signals;
static void *ping(void *me)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&lock);
		while (turn != (int)(long)me)
			pthread_cond_wait(&changed, &lock);
		turn = !turn;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return 0;
}
static void *reads(void *unused)
{
	char b[64];
	long sum = 0, n;

	while ((n = read(ends[0], b, sizeof(b))) > 0)
		sum += n;
	return (void *)sum;
}
static void *writes(void *unused) /* more than the pipe holds */
{
	static char b[4096];

	for (int i = 0; i < 40; i++)
		if (write(ends[1], b, sizeof(b)) != sizeof(b))
			abort();
	close(ends[1]);
	return 0;
}
static void *spins(void *unused) { while (!go) ; return 0; }
static void *for_ever(void *unused) { for (;;) go++; }
static void *forks(void *unused)
{
	for (int i = 0; i < 3; i++) {
		int status;
		pid_t child = fork();

		if (!child)
			_exit(3);
		if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3)
			abort();
	}
	return 0;
}
static void on_signal(int signo) { signals++; }
static void *both(void *(*f)(void *), void *(*g)(void *))
{
	pthread_t t, u;
	void *result;

	pthread_create(&t, 0, f, 0);
	pthread_create(&u, 0, g, (void *)1);
	pthread_join(t, &result);
	pthread_join(u, 0);
	return result;
}
int main(void)
{
	pthread_t t, u;

	both(ping, ping);
	if (pipe(ends))
		return 1;
	printf("%ld bytes\n", (long)both(reads, writes));
	signal(SIGUSR1, on_signal);
	pthread_create(&t, 0, spins, 0);
	usleep(1000);
	pthread_kill(t, SIGUSR1);
	while (!signals)
		;
	go = 1;
	pthread_join(t, 0);
	pthread_create(&t, 0, for_ever, 0);
	pthread_create(&u, 0, forks, 0);
	pthread_join(u, 0);
	printf("%d signal\n", signals);
	return 5; /* one thread still runs */
}
"""


def record(output, *options, program, cpus=None):
    return subprocess.run([SPEMU, "record", "--no-timestamps", "-q", "-o", output, *options, program],
                          env=ENVIRONMENT, capture_output=True, text=True, timeout=60,
                          preexec_fn=cpus and (lambda: os.sched_setaffinity(0, cpus)))


def samples(recording):
    """Return the records of each thread without the members that identify thread and file position; the thread with the
    most comes first."""
    threads = {}
    for line in spemu("dump", "-q", "--records", "--json", recording).stdout.splitlines():
        one = json.loads(line)
        for name in ("queue", "offset"):
            del one[name]
        threads.setdefault(one.pop("context_el1"), []).append(one)
    return sorted(threads.values(), key=len, reverse=True)


def test_the_same_run_again(tmp_path):
    program = compile_c(tmp_path, "shared", SHARED, "-O1", "-static", "-pthread")
    one_cpu = {min(os.sched_getaffinity(0))}
    runs = []
    for name, cpus in (("first", None), ("again", None), ("on one CPU", one_cpu)):
        result = record(f"{tmp_path}/s.data", "--interleave", str(TURN), "-c", str(PERIOD), program=program, cpus=cpus)
        assert result.returncode == 0, f"{name}: the program ends normally"
        runs.append(samples(f"{tmp_path}/s.data"))
    assert [len(run) for run in runs] == [2, 2, 2], "two threads have samples"
    assert runs[0] == runs[1], "a second run has the same samples"
    assert runs[0] == runs[2], "a run on one CPU has the same samples"
    for number, thread in enumerate(runs[0]):
        snooped = [r for r in thread if r.get("source") == PEER]
        expected = ROUNDS * LOOP / (PERIOD + 1) / TURN
        assert abs(len(snooped) - expected) <= 3, \
            f"thread {number}: the line comes from the other core once a turn\n{(len(snooped), expected)}"


def test_one_thread_has_all_turns(tmp_path):
    program = compile_c(tmp_path, "alone", "int main(void) { volatile long n = 0; while (n < 50000) n++; return 0; }",
                        "-O1", "-static")
    for machine in ("neoverse-n1", "none"):
        found = []
        for turns in ((), ("--interleave", "7")):
            assert record(f"{tmp_path}/a.data", *turns, "--machine", machine, program=program).returncode == 0, \
                f"{machine}: the recording succeeds"
            found.append(samples(f"{tmp_path}/a.data"))
        assert found[0] == found[1] and len(found[0][0]) > 20, \
            f"{machine}: a single thread has the same samples with and without turns"


def test_threads_that_wait(tmp_path):
    program = compile_c(tmp_path, "waits", WAITS, "-O1", "-static", "-pthread")
    for turn in ("1", "1000", "1000000"):
        for machine in ("neoverse-n1", "none"):
            result = record(f"{tmp_path}/w.data", "--interleave", turn, "--machine", machine, program=program)
            assert (result.stdout, result.returncode, result.stderr) == ("163840 bytes\n1 signal\n", 5, ""), \
                f"turns of {turn}, {machine}: the output and the exit status of the program"
            assert len(samples(f"{tmp_path}/w.data")) > 0, f"turns of {turn}, {machine}: there are samples"


def test_bad_values(tmp_path):
    program = write(tmp_path, "plain", "")
    for value in ("0", "3000000000", "x", "-1", ""):
        refuses(f"turns of '{value}'", 2, f"--interleave: expected a number from 1 to 2147483647, got '{value}'", "record",
                "--interleave", value, program)
    refuses("with --memory-callbacks", 2, "--interleave and --memory-callbacks exclude each other", "record",
            "--interleave", "5", "--memory-callbacks", program)
