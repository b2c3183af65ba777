/* SPDX-License-Identifier: MIT */
/* A running guest. Standard input goes to it, the command's output comes from it, its console is
 * kept for error messages, and it is ended if it takes too long. */
#define _GNU_SOURCE
#include "../base/child.h"
#include "../base/clean.h"
#include "vm.h"
#include "vm_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define BOOT_SECONDS 300 /* default time limit until the command starts */
/* time limit for the end of a guest that has finished, and of a QEMU that was asked to end */
#define END_SECONDS 10
#define EXIT_TIMEOUT 124 /* the exit status of timeout(1) */
#define LINE_MAX_SIZE 400

/* The bytes of a frame that is being sent to the guest. */
struct outgoing {
	char data[VM_FRAME_HEADER + VM_FRAME_MAX];
	size_t at, size;
};

struct vm_session {
	int port, console, errors; /* -1 if closed; errors receives QEMU's own messages */
	int qemu_port, qemu_console, qemu_errors;
	int input; /* -1 after the end of input */
	struct outgoing out;
	char in[VM_FRAME_HEADER + VM_FRAME_MAX];
	size_t in_size;
	char line[LINE_MAX_SIZE]; /* current line of the console */
	size_t line_size;
	char *cause;          /* reason for a missing exit status, or NULL */
	char *last;           /* last line of the console, or NULL */
	bool started;         /* true after the command started */
	bool ended;           /* true if `status` is the status of the command */
	bool finishing, done; /* VM_DONE must be sent; it has been sent or queued */
	int status;
	uint64_t timeout; /* time limit in seconds, or 0 */
	double deadline;  /* time of the deadline, or 0 for none */
	bool timed_out;
	int told;       /* signal that was sent to QEMU, or 0 */
	int end_signal; /* signal that ends this process, or 0 */
};

/*
 * Return standard input if it is a file, a pipe or a socket, else -1. A terminal stays with the
 * user: the guest does not have one, and programs such as perf read any pipe.
 */
static int standard_input(void)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st))
		return -1;
	return S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ? STDIN_FILENO
	                                                                           : -1;
}

int vm_session_errors(const struct vm_session *s)
{
	return s->qemu_errors;
}

bool vm_session_has_input(const struct vm_session *s)
{
	return s->input >= 0;
}

struct vm_session *vm_session_new(const struct vm_options *opt, int *console, int *port)
{
	struct vm_session *s = xcalloc(1, sizeof(*s));
	int ports[2], consoles[2], errors[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ports) || pipe(consoles) ||
	    pipe2(errors, O_CLOEXEC) || fcntl(ports[0], F_SETFD, FD_CLOEXEC) ||
	    fcntl(consoles[0], F_SETFD, FD_CLOEXEC) || fcntl(ports[0], F_SETFL, O_NONBLOCK))
		die(EXIT_OWN, "cannot make a socket: %s", strerror(errno));
	s->port = ports[0];
	s->console = consoles[0];
	s->errors = errors[0];
	s->qemu_errors = errors[1];
	*port = s->qemu_port = ports[1];
	*console = s->qemu_console = consoles[1];
	s->input = standard_input();
	s->timeout = opt->value[VM_TIMEOUT].number;
	return s;
}

/* ---- ending QEMU ---- */

static void end_qemu(struct vm_session *s, pid_t pid, int signal)
{
	s->told = signal;
	kill(pid, signal);
	s->deadline = clock_seconds() + END_SECONDS;
}

static void set_cause(struct vm_session *s, char *text)
{
	if (s->cause)
		free(text);
	else
		s->cause = text;
}

static void on_deadline(struct vm_session *s, pid_t pid)
{
	if (s->told) {
		end_qemu(s, pid, SIGKILL);
		return;
	}
	if (!s->ended && s->timeout) {
		s->timed_out = true;
		set_cause(s, xasprintf("the command had not ended after %llu s, and the guest was "
		                       "stopped; "
		                       "use a larger --timeout",
		                       (unsigned long long)s->timeout));
	} else if (!s->started) {
		set_cause(s, xasprintf("the guest did not run the command within %d s; -v shows "
		                       "its console, and --timeout SECONDS gives it more time",
		                       BOOT_SECONDS));
	}
	end_qemu(s, pid, SIGTERM);
}

/* ---- to the guest ---- */

static void queue(struct vm_session *s, enum vm_frame type, size_t size)
{
	s->out.data[0] = (char)type;
	for (unsigned i = 0; i < 4; i++)
		s->out.data[1 + i] = (char)(size >> 8 * i);
	s->out.at = 0;
	s->out.size = VM_FRAME_HEADER + size;
}

static void send_done(struct vm_session *s)
{
	s->done = true;
	queue(s, VM_DONE, 0);
}

static void close_port(struct vm_session *s)
{
	close(s->port);
	s->port = -1;
	s->out.size = 0;
}

static void send_out(struct vm_session *s)
{
	ssize_t n = write(s->port, s->out.data + s->out.at, s->out.size - s->out.at);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		close_port(s);
	else if (n > 0)
		s->out.at += (size_t)n;
	if (s->out.at < s->out.size)
		return;
	s->out.at = s->out.size = 0;
	if (s->finishing && !s->done)
		send_done(s);
}

static void read_input(struct vm_session *s)
{
	ssize_t n = read(s->input, s->out.data + VM_FRAME_HEADER, VM_FRAME_MAX);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0)
		s->input = -1;
	queue(s, VM_INPUT, n > 0 ? (size_t)n : 0);
}

/* ---- from the guest ---- */

/* Write the command's output. If its reader has ended, end the guest, as a program would end. */
static void write_output(struct vm_session *s, int fd, const char *data, size_t size, pid_t pid)
{
	while (size && !s->told) {
		ssize_t n = write(fd, data, size);

		if (n >= 0) {
			data += n;
			size -= (size_t)n;
		} else if (errno == EAGAIN) {
			poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
		} else if (errno == EPIPE) {
			s->end_signal = SIGPIPE;
			end_qemu(s, pid, SIGTERM);
		} else if (errno != EINTR) {
			set_cause(s, xasprintf("cannot write the command's output: %s",
			                       strerror(errno)));
			end_qemu(s, pid, SIGTERM);
		}
	}
}

static char *clean_copy(const char *data, size_t size)
{
	return clean_text(
	        xasprintf("%.*s", (int)(size < LINE_MAX_SIZE ? size : LINE_MAX_SIZE), data));
}

static void finish_guest(struct vm_session *s)
{
	s->input = -1;
	s->finishing = true;
	/* If not empty, a part of a frame is still being sent. */
	if (!s->out.size)
		send_done(s);
	s->deadline = clock_seconds() + END_SECONDS;
}

static void on_frame(struct vm_session *s, enum vm_frame type, const char *data, size_t size,
                     pid_t pid)
{
	char *text;

	switch (type) {
	case VM_STARTED:
		s->started = true;
		if (!s->timeout)
			s->deadline = 0;
		break;
	case VM_OUTPUT:
		write_output(s, STDOUT_FILENO, data, size, pid);
		break;
	case VM_ERRORS:
		write_output(s, STDERR_FILENO, data, size, pid);
		break;
	case VM_WARNING:
		text = clean_copy(data, size);
		warn("%s", text);
		free(text);
		break;
	case VM_FAILURE:
		set_cause(s, clean_copy(data, size));
		finish_guest(s);
		break;
	case VM_EXIT:
		s->ended = size == 1;
		s->status = size ? (unsigned char)data[0] : 0;
		finish_guest(s);
		break;
	default:
		set_cause(s, xstrdup("unknown message from the guest's agent"));
		end_qemu(s, pid, SIGTERM);
	}
}

static void read_port(struct vm_session *s, pid_t pid)
{
	ssize_t n = read(s->port, s->in + s->in_size, sizeof(s->in) - s->in_size);
	size_t at = 0;

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_port(s);
	if (n <= 0)
		return;
	s->in_size += (size_t)n;
	while (s->in_size - at >= VM_FRAME_HEADER) {
		const unsigned char *header = (const unsigned char *)s->in + at;
		size_t size = header[1] | (size_t)header[2] << 8 | (size_t)header[3] << 16 |
		              (size_t)header[4] << 24;

		if (size > VM_FRAME_MAX) {
			on_frame(s, VM_DONE, "", 0, pid);
			s->in_size = 0;
			return;
		}
		if (s->in_size - at < VM_FRAME_HEADER + size)
			break;
		on_frame(s, (enum vm_frame)header[0], s->in + at + VM_FRAME_HEADER, size, pid);
		at += VM_FRAME_HEADER + size;
	}
	memmove(s->in, s->in + at, s->in_size - at);
	s->in_size -= at;
}

/* ---- the console ---- */

static void on_console_line(struct vm_session *s, const char *line)
{
	const char *panic = strstr(line, "Kernel panic - ");
	const char *mark = strstr(line, VM_CONSOLE_MARK);

	if (panic && !s->ended)
		set_cause(s, xasprintf("the guest's kernel panicked: %s; -v shows its console",
		                       panic + strlen("Kernel panic - ")));
	else if (mark == line && !s->started)
		set_cause(s, xstrdup(line + strlen(VM_CONSOLE_MARK)));
	if (line[strspn(line, " ")]) {
		free(s->last);
		s->last = xstrdup(line);
	}
}

/* Read a pipe, and close it at its end. Return the bytes read, or a negative number. */
static ssize_t read_pipe(int *fd, char *data, size_t size)
{
	ssize_t n = read(*fd, data, size);

	if (n == 0 || (n < 0 && errno != EINTR)) {
		close(*fd);
		*fd = -1;
	}
	return n;
}

static void read_console(struct vm_session *s, pid_t pid)
{
	char data[4096];
	ssize_t n = read_pipe(&s->console, data, sizeof(data));

	if (n > 0 && verbosity > 1)
		write_output(s, STDERR_FILENO, data, (size_t)n, pid);
	for (ssize_t i = 0; i < n; i++) {
		if (data[i] != '\n' && data[i] != '\r' && s->line_size < sizeof(s->line) - 1) {
			s->line[s->line_size++] = data[i];
		} else if (data[i] == '\n') {
			s->line[s->line_size] = 0;
			on_console_line(s, clean_text(s->line));
			s->line_size = 0;
		}
	}
}

/* Print QEMU's own messages, except after a signal, which QEMU would report. */
static void read_errors(struct vm_session *s, pid_t pid)
{
	char data[4096];
	ssize_t n = read_pipe(&s->errors, data, sizeof(data));

	if (n > 0 && !child_signal())
		write_output(s, STDERR_FILENO, data, (size_t)n, pid);
}

/* ---- the session ---- */

static int wait_time(const struct vm_session *s)
{
	double left = s->deadline - clock_seconds();

	if (s->deadline == 0)
		return -1;
	return left <= 0 ? 0 : left > 1e6 ? 1000000000 : (int)(left * 1000) + 1;
}

void vm_session_run(struct vm_session *s, pid_t pid, struct vm_listener *listener)
{
	close(s->qemu_port);
	close(s->qemu_console);
	close(s->qemu_errors);
	s->deadline = clock_seconds() + (double)(s->timeout ? s->timeout : BOOT_SECONDS);
	while (vm_listener_fd(listener) >= 0 || s->port >= 0 || s->console >= 0 || s->errors >= 0) {
		bool reads = s->started && !s->out.size && s->port >= 0;
		struct pollfd p[] = {
		        {.fd = s->port, .events = (short)(POLLIN | (s->out.size ? POLLOUT : 0))},
		        {.fd = vm_listener_fd(listener), .events = POLLIN},
		        {.fd = s->console, .events = POLLIN},
		        {.fd = reads ? s->input : -1, .events = POLLIN},
		        {.fd = s->errors, .events = POLLIN}};
		int count = poll(p, 5, wait_time(s));

		if (s->deadline != 0 && clock_seconds() >= s->deadline)
			on_deadline(s, pid);
		if (count <= 0)
			continue;
		if (p[0].revents & (POLLIN | POLLHUP | POLLERR))
			read_port(s, pid);
		if (p[0].revents & POLLOUT && s->port >= 0 && s->out.size)
			send_out(s);
		if (p[1].revents)
			vm_listener_read(listener);
		if (p[2].revents)
			read_console(s, pid);
		if (p[4].revents)
			read_errors(s, pid);
		if (p[3].revents && !s->out.size && s->input >= 0)
			read_input(s);
	}
}

int vm_session_end(struct vm_session *s)
{
	int status = s->status, sig = s->end_signal ? s->end_signal : s->ended ? 0 : child_signal();

	if (sig)
		return child_end_by(sig);
	if (s->cause && !s->ended)
		die(s->timed_out ? EXIT_TIMEOUT : EXIT_OWN, "%s", s->cause);
	if (!s->ended)
		die(EXIT_OWN, "the guest ended before the command did%s%s; -v shows its console",
		    s->last ? ": " : "", s->last ? s->last : "");
	free(s->cause);
	free(s->last);
	free(s);
	return status;
}
