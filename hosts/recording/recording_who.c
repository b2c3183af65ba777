/* SPDX-License-Identifier: MIT */
/*
 * Numbers of processes and threads; see recording_who.h.
 *
 * A procfs belongs to the PID namespace of the process that mounted it. If a process sees the
 * recorder's procfs, the links /proc/self and /proc/thread-self contain its numbers there. The
 * device number of /proc identifies the procfs, and the inode of /proc/self/ns/pid identifies the
 * namespace.
 */
#define _GNU_SOURCE
#include "recording_who.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t recording_who_proc(void)
{
	struct stat st;

	return stat("/proc/.", &st) == 0 ? (uint64_t)st.st_dev : 0;
}

uint64_t recording_who_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0;
}

/* Return the number at the end of a link in /proc, or 0. */
static int32_t number_of(const char *link)
{
	char text[64];
	ssize_t length = readlink(link, text, sizeof(text) - 1);
	const char *slash;

	if (length <= 0)
		return 0;
	text[length] = 0;
	slash = strrchr(text, '/');
	return (int32_t)strtol(slash ? slash + 1 : text, NULL, 10);
}

static int32_t make_number(struct recording *rec)
{
	return RECORDING_NUMBER_MADE +
	       (int32_t)(atomic_fetch_add(rec->numbers_made, 1) % RECORDING_NUMBER_MADE);
}

int32_t recording_forked(struct recording *rec)
{
	int saved = errno;
	uint64_t namespace = recording_who_namespace();

	rec->local_pid = getpid();
	rec->sees_proc = rec->proc_device && recording_who_proc() == rec->proc_device;
	/* The namespace may be invisible, for instance after chroot(). Then it is still the old
	 * one. */
	if (namespace)
		rec->is_foreign = rec->pid_namespace && namespace != rec->pid_namespace;
	rec->pid = rec->is_foreign && rec->sees_proc ? number_of("/proc/self") : 0;
	if (!rec->is_foreign)
		rec->pid = rec->local_pid;
	else if (!rec->pid)
		rec->pid = make_number(rec);
	errno = saved;
	return rec->pid;
}

int32_t recording_process_number(struct recording *rec)
{
	if (rec->local_pid != getpid())
		recording_forked(rec);
	return rec->pid;
}

int32_t recording_thread_number(struct recording *rec)
{
	/* The number of this thread in process pid. A child of fork() inherits a copy of its
	 * parent's. */
	static _Thread_local struct {
		int32_t pid, tid;
	} known __attribute__((tls_model("initial-exec")));
	int32_t pid = recording_process_number(rec);
	int saved = errno;

	if (!rec->is_foreign)
		return gettid();
	if (known.pid != pid) {
		known.tid = rec->sees_proc ? number_of("/proc/thread-self") : 0;
		if (!known.tid)
			known.tid = gettid() == getpid() ? pid : make_number(rec);
		known.pid = pid;
	}
	errno = saved;
	return known.tid;
}

bool recording_who_is_gone(const struct recording *rec, int32_t number)
{
	char path[32];
	int saved = errno;
	bool gone = false;

	if (number <= 0 || number >= RECORDING_NUMBER_MADE)
		return false;
	if (!rec->is_foreign) {
		gone = kill(number, 0) != 0 && errno == ESRCH;
	} else if (rec->sees_proc) {
		snprintf(path, sizeof(path), "/proc/%d", (int)number);
		gone = access(path, F_OK) != 0 && errno == ENOENT;
	}
	errno = saved;
	return gone;
}
