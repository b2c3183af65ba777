/* SPDX-License-Identifier: MIT */
/*
 * The guest's side of `spemu vm --run`: the first process, after scripts/guest/init has loaded the
 * modules. It mounts the shares, runs the command, sends its output and status to the host, and
 * powers off. tools/vm/vm_protocol.h defines the messages.
 */
#define _GNU_SOURCE
#include "vm_protocol.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define PORTS "/sys/class/virtio-ports"
#define SPE "/sys/bus/event_source/devices/arm_spe_0"
/* cache=mmap is needed because perf maps its output file as shared. */
#define OPTIONS_9P "trans=virtio,version=9p2000.L,msize=262144,cache=mmap"
#define WAIT 100 /* waits of 50 ms for the host to open its side of the port */
#define READ_ALL 3
#define NEW_ROOT "/newroot"

static int port = -1;

static void write_all(int fd, const void *data, size_t size)
{
	for (const char *p = data; size;) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
}

static void send_frame(enum vm_frame type, const void *data, size_t size)
{
	static char frame[VM_FRAME_HEADER + VM_FRAME_MAX];

	frame[0] = (char)type;
	for (unsigned i = 0; i < 4; i++)
		frame[1 + i] = (char)(size >> 8 * i);
	memcpy(frame + VM_FRAME_HEADER, data, size);
	write_all(port, frame, VM_FRAME_HEADER + size);
}

static bool read_all(void *data, size_t size)
{
	for (char *p = data; size;) {
		ssize_t n = read(port, p, size);

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
	return true;
}

/* Receive the next frame of the host. Return false if there will be none. */
static bool receive_frame(enum vm_frame *type, char *data, size_t *size)
{
	unsigned char header[VM_FRAME_HEADER];

	if (!read_all(header, sizeof(header)))
		return false;
	*type = (enum vm_frame)header[0];
	*size = 0;
	for (unsigned i = 0; i < 4; i++)
		*size |= (size_t)header[1 + i] << 8 * i;
	return *size <= VM_FRAME_MAX && read_all(data, *size);
}

static _Noreturn void power_off(void)
{
	static char data[VM_FRAME_MAX];
	enum vm_frame type;
	size_t size;

	/* Wait until the host has received all data. */
	while (port >= 0 && receive_frame(&type, data, &size) && type != VM_DONE)
		;
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

/* Report an error to the host, through the port or on the console, and power off. */
static _Noreturn __attribute__((format(printf, 1, 2))) void fail(const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (port >= 0)
		send_frame(VM_FAILURE, text, strlen(text));
	else
		printf("\n" VM_CONSOLE_MARK "%s\n", text);
	fflush(stdout);
	tcdrain(STDOUT_FILENO);
	power_off();
}

/* Return the text of a file without a newline at its end, or NULL. */
static char *text_of(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t n = f ? getdelim(&text, &room, 0, f) : -1;

	if (f)
		fclose(f);
	if (n < 0)
		return NULL;
	if (n && text[n - 1] == '\n')
		text[n - 1] = 0;
	return text;
}

/* ---- the port ---- */

static int find_port(void)
{
	DIR *dir = opendir(PORTS);
	struct dirent *entry;
	int fd = -1;

	while (fd < 0 && dir && (entry = readdir(dir))) {
		char path[600], *name;

		snprintf(path, sizeof(path), PORTS "/%s/name", entry->d_name);
		name = text_of(path);
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		if (name && !strcmp(name, VM_PORT))
			fd = open(path, O_RDWR | O_CLOEXEC);
		free(name);
	}
	if (dir)
		closedir(dir);
	return fd;
}

static bool is_connected(void)
{
	struct pollfd p = {.fd = port, .events = POLLOUT};

	return poll(&p, 1, 0) == 1 && !(p.revents & (POLLHUP | POLLERR));
}

static bool has_entries(const char *path)
{
	DIR *dir = opendir(path);
	int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count > 2;
}

/* Open the port to the host. The kernel may still be probing devices, so try for a while. */
static void open_port(void)
{
	for (int i = 0; i < WAIT; i++) {
		if (port < 0)
			port = find_port();
		if (port >= 0 && is_connected())
			return;
		usleep(50000);
	}
	if (port >= 0)
		fail("the host does not answer at the guest's port");
	if (has_entries(PORTS))
		fail("the guest's kernel lacks CONFIG_DEVTMPFS");
	if (!has_entries("/sys/bus/virtio/devices"))
		fail("the guest's kernel lacks CONFIG_VIRTIO_PCI (and CONFIG_PCI_HOST_GENERIC), or "
		     "the module virtio_pci");
	fail("the guest's kernel lacks CONFIG_VIRTIO_CONSOLE, or the module virtio_console");
}

/* ---- the file systems ---- */

static void make_folders(const char *path)
{
	char *copy = strdup(path);

	for (char *p = copy + 1; *p; p++)
		if (*p == '/') {
			*p = 0;
			mkdir(copy, 0755);
			*p = '/';
		}
	mkdir(copy, 0755);
	free(copy);
}

static bool has_file_system(const char *name)
{
	char *text = text_of("/proc/filesystems"), line[80];
	bool there;

	snprintf(line, sizeof(line), "\t%s\n", name);
	there = text && strstr(text, line);
	free(text);
	return there;
}

static void mount_9p(const char *tag, const char *path, bool read_only)
{
	make_folders(path);
	if (!mount(tag, path, "9p", read_only ? MS_RDONLY : 0, OPTIONS_9P))
		return;
	if (errno == ENODEV || !has_file_system("9p"))
		fail("the guest's kernel lacks CONFIG_9P_FS or CONFIG_NET_9P_VIRTIO, or the "
		     "modules 9p and 9pnet_virtio");
	if (errno == EINVAL || errno == ENOENT || errno == EPROTONOSUPPORT)
		fail("the guest's kernel lacks CONFIG_NET_9P_VIRTIO, or the module 9pnet_virtio");
	fail("the guest cannot mount %s at %s: %s", tag, path, strerror(errno));
}

static void mount_in(const char *root, const char *type, const char *path)
{
	char full[256], link[1];

	snprintf(full, sizeof(full), "%s%s", root, path);
	/* debootstrap leaves a link if it cannot mount the file system. */
	if (readlink(full, link, sizeof(link)) > 0)
		unlink(full);
	mkdir(full, 0755);
	mount(type, full, type, 0, NULL);
}

/* Mount the user's root read-only below a layer in memory: the host's folder never changes. */
static void mount_root(void)
{
	mount_9p(VM_ROOT_TAG, "/lower", true);
	make_folders("/upper");
	mount("tmpfs", "/upper", "tmpfs", 0, NULL);
	make_folders("/upper/new");
	make_folders("/upper/work");
	make_folders(NEW_ROOT);
	if (mount("overlay", NEW_ROOT, "overlay", 0,
	          "lowerdir=/lower,upperdir=/upper/new,workdir=/upper/work")) {
		if (!has_file_system("overlay"))
			fail("the guest's kernel lacks CONFIG_OVERLAY_FS, or the module overlay");
		fail("the guest cannot mount the root file system: %s", strerror(errno));
	}
	mount_in(NEW_ROOT, "proc", "/proc");
	mount_in(NEW_ROOT, "sysfs", "/sys");
	mount_in(NEW_ROOT, "tracefs", "/sys/kernel/tracing");
	mount_in(NEW_ROOT, "devtmpfs", "/dev");
	mount_in(NEW_ROOT, "tmpfs", "/tmp");
	mount_in(NEW_ROOT, "tmpfs", "/run");
}

static void mount_shares(const char *root)
{
	char *text = text_of("/" VM_TASK_SHARES), *rest = text, *line;

	for (unsigned i = 0; (line = strsep(&rest, "\n")) && strlen(line) > 3; i++) {
		char tag[32], *path;

		snprintf(tag, sizeof(tag), VM_SHARE "%u", i);
		if (asprintf(&path, "%s%s", root, line + 3) < 0)
			fail("the guest is out of memory");
		mount_9p(tag, path, !strncmp(line, "ro", 2));
		free(path);
	}
	free(text);
}

/* Add entries of /dev that programs expect and the kernel does not make. */
static void fill_dev(const char *root)
{
	static const char *const links[][2] = {{"/proc/self/fd", "fd"},
	                                       {"/proc/self/fd/0", "stdin"},
	                                       {"/proc/self/fd/1", "stdout"},
	                                       {"/proc/self/fd/2", "stderr"}};
	char path[256];

	for (unsigned i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		snprintf(path, sizeof(path), "%s/dev/%s", root, links[i][1]);
		if (symlink(links[i][0], path) && errno != EEXIST)
			fail("the guest cannot make %s: %s", path, strerror(errno));
	}
	mount_in(root, "devpts", "/dev/pts");
	mount_in(root, "tmpfs", "/dev/shm");
}

/* ---- the command ---- */

/* Print the last messages of the driver: they give the reason why the guest has no usable SPU. */
static void warn_without_spe(void)
{
	static char log[1 << 18];
	char text[600], *line = NULL;
	int n;

	if (!access(SPE, F_OK))
		return;
	n = klogctl(READ_ALL, log, sizeof(log) - 1);
	log[n > 0 ? n : 0] = 0;
	for (char *at = log; (at = strstr(at, "arm_spe")); at++)
		line = at;
	if (line) {
		line[strcspn(line, "\n")] = 0;
		snprintf(text, sizeof(text), "the guest has no arm_spe_0: %s", line);
	} else {
		snprintf(text, sizeof(text),
		         "the guest has no arm_spe_0: its kernel lacks CONFIG_ARM_SPE_PMU, or the "
		         "module arm_spe_pmu");
	}
	send_frame(VM_WARNING, text, strlen(text));
}

static _Noreturn void become(const char *root, const char *directory, char *command,
                             int pipes[3][2])
{
	char *const arguments[] = {(char *)"sh", (char *)"-c", command, NULL};
	sigset_t none;

	dup2(pipes[0][0], 0);
	dup2(pipes[1][1], 1);
	dup2(pipes[2][1], 2);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setsid();
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	/* Switch the root as switch_root(8) does, except that this program stays in place. */
	if (*root && (chdir(root) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot("."))) {
		dprintf(2, "spemu: cannot enter the root file system: %s\n", strerror(errno));
		_exit(127);
	}
	if (chdir(directory)) {
		dprintf(2, "spemu: cannot enter %s: %s\n", directory, strerror(errno));
		_exit(127);
	}
	execv("/bin/sh", arguments);
	dprintf(2, "spemu: cannot run /bin/sh: %s\n", strerror(errno));
	_exit(127);
}

struct stream {
	int fd; /* -1 at the end of the stream */
	enum vm_frame type;
};

/* Forward the available data of a stream. At the end of the stream, close its descriptor. */
static void pass_on(struct stream *s)
{
	static char data[VM_FRAME_MAX];
	ssize_t n = read(s->fd, data, sizeof(data));

	if (n > 0) {
		send_frame(s->type, data, (size_t)n);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(s->fd);
		s->fd = -1;
	}
}

/* Standard input of the command, from the host. */
struct input {
	int fd; /* -1 if the command does not read it */
	char data[VM_FRAME_MAX];
	size_t at, size;
};

static void end_input(struct input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
	in->at = in->size = 0;
}

static void give_input(struct input *in)
{
	ssize_t n = write(in->fd, in->data + in->at, in->size - in->at);

	if (n > 0)
		in->at += (size_t)n;
	else if (errno != EAGAIN && errno != EINTR)
		end_input(in);
	if (in->at == in->size)
		in->at = in->size = 0;
}

/* Handle a frame of the host while the command runs. Return false if the host is gone. */
static bool take_input(struct input *in)
{
	enum vm_frame type;

	if (!receive_frame(&type, in->data, &in->size))
		return false;
	in->at = 0;
	if (type != VM_INPUT || !in->size || in->fd < 0)
		end_input(in);
	return true;
}

/* Reap every child that ended. Return true if the command is one of them. */
static bool reap(pid_t command, int *status)
{
	bool ended = false;
	int how;
	pid_t pid;

	while ((pid = waitpid(-1, &how, WNOHANG)) > 0)
		if (pid == command) {
			ended = true;
			*status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
		}
	return ended;
}

/* Serve the command until it has ended and its output is sent. Return its status. */
static int attend(pid_t command, struct stream streams[2], struct input *in, int signals)
{
	bool running = true, host = true;
	int status = 0;

	while (running || streams[0].fd >= 0 || streams[1].fd >= 0) {
		struct pollfd p[] = {{.fd = streams[0].fd, .events = POLLIN},
		                     {.fd = streams[1].fd, .events = POLLIN},
		                     {.fd = signals, .events = POLLIN},
		                     {.fd = in->size ? in->fd : -1, .events = POLLOUT},
		                     {.fd = in->size || !host ? -1 : port, .events = POLLIN}};
		struct signalfd_siginfo info;

		if (poll(p, 5, -1) < 0)
			continue;
		for (int i = 0; i < 2; i++)
			if (p[i].revents)
				pass_on(&streams[i]);
		if (p[3].revents)
			give_input(in);
		if (p[4].revents)
			host = take_input(in);
		if (p[2].revents && read(signals, &info, sizeof(info)) > 0 &&
		    reap(command, &status)) {
			running = false;
			kill(-1, SIGKILL); /* other processes keep the streams open */
		}
	}
	return status;
}

static int run(const char *root, const char *directory, char *command)
{
	static struct input in;
	struct stream streams[2] = {{.type = VM_OUTPUT}, {.type = VM_ERRORS}};
	int pipes[3][2], signals;
	sigset_t child;
	pid_t pid;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	signals = signalfd(-1, &child, SFD_CLOEXEC);
	for (int i = 0; i < 3; i++)
		if (pipe2(pipes[i], O_CLOEXEC))
			fail("the guest cannot make a pipe: %s", strerror(errno));
	/* perf reads its input if it is a pipe, so use a pipe only if the host sends input. */
	if (access("/" VM_TASK_INPUT, F_OK))
		dup3(open("/dev/null", O_RDONLY | O_CLOEXEC), pipes[0][0], O_CLOEXEC);
	fcntl(pipes[0][1], F_SETFL, O_NONBLOCK);
	send_frame(VM_STARTED, "", 0);
	pid = fork();
	if (pid < 0)
		fail("the guest cannot start a process: %s", strerror(errno));
	if (!pid)
		become(root, directory, command, pipes);
	close(pipes[0][0]);
	close(pipes[1][1]);
	close(pipes[2][1]);
	in.fd = pipes[0][1];
	streams[0].fd = pipes[1][0];
	streams[1].fd = pipes[2][0];
	return attend(pid, streams, &in, signals);
}

int main(void)
{
	char *command = text_of("/" VM_TASK_COMMAND), *directory = text_of("/" VM_TASK_DIRECTORY);
	const char *root = access("/" VM_TASK_ROOT, F_OK) ? "" : NEW_ROOT;
	char status;

	signal(SIGPIPE, SIG_IGN);
	open_port();
	if (!command || !directory)
		fail("the guest does not find its command");
	sethostname("spemu", 5);
	if (*root)
		mount_root();
	mount_shares(root);
	fill_dev(root);
	warn_without_spe();
	status = (char)run(root, directory, command);
	sync(); /* the host waits only briefly after it has received the status */
	send_frame(VM_EXIT, &status, 1);
	power_off();
}
