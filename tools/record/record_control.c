/* SPDX-License-Identifier: MIT */
/* See record_control.h. */
#define _GNU_SOURCE
#include "../base/child.h"
#include "../base/clean.h"
#include "../base/common.h"
#include "record_control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COMMAND_MAX 64 /* largest length of a command in bytes */

static struct {
	struct recording *rec;
	int commands, answers; /* descriptors; -1 if there is none */
	int64_t enable_at;     /* time in ms; -1 if recording is not to be enabled */
	bool deaf;             /* acknowledgments are no longer sent, because nobody reads them */
	size_t length;         /* length of the current line; if it exceeds COMMAND_MAX, the
	                          command is too long */
	char line[COMMAND_MAX + 1];
	int end;       /* eventfd that ends the thread */
	int snapshots; /* eventfd of SIGUSR2, or -1 without snapshots */
	pthread_t thread;
	bool runs;
} control = {.commands = -1, .answers = -1, .snapshots = -1};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Open a FIFO for both directions, as perf does. The open does not wait for the other side, and
 * reads do not end when that side closes. */
static int open_fifo(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		die(EXIT_OWN, "cannot open the FIFO '%s': %s; make it with mkfifo", path,
		    strerror(errno));
	if (fstat(fd, &st) || !S_ISFIFO(st.st_mode))
		die(EXIT_OWN, "'%s' is not a FIFO; make one with mkfifo", path);
	return fd;
}

/*
 * Return a second open file for fd's file, so that O_NONBLOCK is set for this process alone:
 * processes that share the caller's open file share its flags. Return fd if it cannot be opened
 * again, like a socket; see read_some() and write_some().
 */
static int own_description(int fd, int flags)
{
	char *path = xasprintf("/proc/self/fd/%d", fd);
	int own = open(path, (flags & O_ACCMODE) | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	free(path);
	return own < 0 ? fd : own;
}

static ssize_t read_some(int fd, void *bytes, size_t size)
{
	ssize_t n = recv(fd, bytes, size, MSG_DONTWAIT);

	return n < 0 && errno == ENOTSOCK ? read(fd, bytes, size) : n;
}

static ssize_t write_some(int fd, const void *bytes, size_t size)
{
	ssize_t n = send(fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);

	return n < 0 && errno == ENOTSOCK ? write(fd, bytes, size) : n;
}

static int given_descriptor(const char *text)
{
	uint64_t fd;
	int flags;

	if (!parse_number(&fd, text, 1) || fd > INT32_MAX)
		die(EXIT_USAGE, "'%s' is not the number of a descriptor; give --control fd:N[,M]",
		    text);
	flags = fcntl((int)fd, F_GETFL);
	if (flags < 0)
		die(EXIT_OWN, "descriptor %s is not open; open it for this command, as %s<>FIFO",
		    text, text);
	fcntl((int)fd, F_SETFD, FD_CLOEXEC); /* the program does not inherit the descriptor */
	return own_description((int)fd, flags);
}

void control_open(const char *where)
{
	bool fifo = !strncmp(where, "fifo:", 5);
	char *text, *answers;

	if (!fifo && strncmp(where, "fd:", 3) != 0)
		die(EXIT_USAGE, "'%s' is not a control; give fifo:FIFO[,ACK-FIFO] or fd:N[,M]",
		    where);
	text = xstrdup(strchr(where, ':') + 1);
	answers = strchr(text, ',');
	if (answers)
		*answers++ = 0;
	control.commands = fifo ? open_fifo(text) : given_descriptor(text);
	if (answers)
		control.answers = fifo ? open_fifo(answers) : given_descriptor(answers);
	free(text);
}

static void answer(void)
{
	static const char ack[] = "ack\n"; /* with a NUL, like perf's */

	if (control.answers < 0 || control.deaf)
		return;
	if (write_some(control.answers, ack, sizeof(ack)) == sizeof(ack))
		return;
	control.deaf = true;
	warn("nobody reads the acknowledgments of control commands (%s); no more are sent",
	     strerror(errno));
}

/* Take a snapshot. Return false if it could not be written. The reason is also reported at the
 * end. */
static bool take_snapshot(void)
{
	int status = recording_snapshot(control.rec);

	if (status)
		warn("cannot write a snapshot: %s", spemu_strerror(status));
	return !status;
}

/* Obey the command 'snapshot'. Return false if the command gets no acknowledgment. */
static bool snapshot_command(void)
{
	if (control.snapshots >= 0)
		return take_snapshot();
	warn("control command 'snapshot' does nothing without --snapshot; give it to "
	     "'spemu record', or send disable and copy the file");
	return true;
}

static void obey(char *command)
{
	clean_text(command);
	if (!strcmp(command, "enable")) {
		control.enable_at = -1;
		recording_switch(control.rec, true);
	} else if (!strcmp(command, "disable")) {
		control.enable_at = -1;
		recording_switch(control.rec, false);
	} else if (!strcmp(command, "stop")) {
		child_stop();
	} else if (!strcmp(command, "snapshot")) {
		if (!snapshot_command())
			return;
	} else if (strcmp(command, "ping") != 0) {
		warn("unknown control command '%s'; use enable, disable, snapshot, ping or stop",
		     command);
		return;
	}
	verbose("control command: %s", command);
	answer();
}

/* Take bytes of commands. A line ends with a newline or a NUL. */
static void take(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] && bytes[i] != '\n') {
			if (control.length < COMMAND_MAX)
				control.line[control.length] = bytes[i];
			control.length += control.length <= COMMAND_MAX;
			continue;
		}
		control.line[control.length < COMMAND_MAX ? control.length : COMMAND_MAX] = 0;
		if (control.length)
			obey(control.line);
		control.length = 0;
	}
}

static void commands_end(void)
{
	control.commands = -1;
	if (!recording_is_on(control.rec) && control.enable_at < 0)
		warn("the control descriptor was closed while recording was disabled; nothing more "
		     "is "
		     "recorded");
}

static void read_commands(void)
{
	char bytes[256];
	ssize_t n = read_some(control.commands, bytes, sizeof(bytes));

	if (n > 0)
		take(bytes, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		commands_end();
}

static int wait_ms(void)
{
	int64_t left = control.enable_at - now_ms();

	if (control.enable_at < 0)
		return -1;
	return left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}

static void *serve(void *unused)
{
	(void)unused;
	for (;;) {
		struct pollfd poll_for[3] = {{.fd = control.end, .events = POLLIN},
		                             {.fd = control.commands, .events = POLLIN},
		                             {.fd = control.snapshots, .events = POLLIN}};
		uint64_t signals;

		if (poll(poll_for, 3, wait_ms()) < 0 && errno != EINTR)
			return NULL;
		if (poll_for[0].revents)
			return NULL;
		if (control.enable_at >= 0 && now_ms() >= control.enable_at) {
			control.enable_at = -1;
			recording_switch(control.rec, true);
		}
		if (poll_for[2].revents &&
		    read(control.snapshots, &signals, sizeof(signals)) == sizeof(signals))
			take_snapshot();
		if (poll_for[1].revents)
			read_commands();
	}
}

/* Request a snapshot. This is a signal handler. */
static void on_signal(void)
{
	const uint64_t one = 1;

	/* The write fails only if many snapshots are pending; one more makes no difference. */
	if (write(control.snapshots, &one, sizeof(one)) < 0)
		return;
}

void control_snapshots(void)
{
	control.snapshots = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (control.snapshots < 0)
		die(EXIT_OWN, "cannot take snapshots: %s; close other programs", strerror(errno));
	child_keep_signal(SIGUSR2, on_signal);
}

void control_start(struct recording *rec, int64_t delay)
{
	sigset_t all, before;

	control.rec = rec;
	control.enable_at = delay > 0 ? now_ms() + delay : -1;
	control.end = eventfd(0, EFD_CLOEXEC);
	/* Signals are for the thread that waits for the program. A write to a closed pipe returns
	 * an error. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	control.runs = control.end >= 0 && !pthread_create(&control.thread, NULL, serve, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!control.runs)
		complain("cannot make a thread for --control, --delay and --snapshot: %s; the "
		         "recording stays "
		         "as it "
		         "started",
		         strerror(errno));
}

void control_stop(void)
{
	uint64_t one = 1;

	if (!control.runs)
		return;
	if (write(control.end, &one, sizeof(one)) == sizeof(one))
		pthread_join(control.thread, NULL);
	control.runs = false;
}
