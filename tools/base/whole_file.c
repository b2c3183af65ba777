/* SPDX-License-Identifier: MIT */
/* See whole_file.h. */
#define _GNU_SOURCE
#include "whole_file.h"
#include "common.h"
#include "content.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	const char *path; /* path as given by the user */
	char *target;
	char *part; /* name while the file is incomplete; NULL if the target is written directly */
	int fd;
} file;

static bool is_recording(const char *path)
{
	static const char magic[] = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'};
	struct stat st;
	size_t size = 0;
	char *text;
	bool is;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	text = read_named(path, &size, sizeof(magic));
	is = text && size == sizeof(magic) && !memcmp(text, magic, size);
	free(text);
	return is;
}

void whole_file_check(const char *path, const char *option)
{
	if (strcmp(path, "-") != 0 && is_recording(path))
		die(EXIT_OWN,
		    "%s is a recording, and would be overwritten; %s names the file to write", path,
		    option);
}

static void remove_part(void)
{
	if (file.part)
		unlink(file.part);
}

static void on_signal(int sig)
{
	remove_part();
	raise(sig); /* SA_RESETHAND has restored the default, which ends the process */
}

static void watch_signals(void)
{
	static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
	const struct sigaction sa = {.sa_handler = on_signal,
	                             .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(ends[i], &sa, NULL);
	}
	atexit(remove_part);
}

/* Return true if a new file may replace the existing one. */
static bool can_be_replaced(const char *path, const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid() && st->st_nlink == 1 &&
	       access(path, W_OK) == 0;
}

/* Return true if there is no file to replace, not even a dangling symbolic link. */
static bool is_new(const char *path)
{
	struct stat st;

	return lstat(path, &st) && errno == ENOENT;
}

static bool open_part(const char *path)
{
	struct stat st;
	bool there = stat(path, &st) == 0;
	mode_t mask = umask(0);

	umask(mask);
	if (there ? !can_be_replaced(path, &st) : !is_new(path))
		return false;
	file.target = there ? realpath(path, NULL) : xstrdup(path);
	if (!file.target)
		return false;
	file.part = xasprintf("%s.part-XXXXXX", file.target);
	watch_signals(); /* before the creation of the files that signals remove */
	file.fd = mkostemp(file.part, O_CLOEXEC);
	if (file.fd < 0) {
		free(file.part);
		file.part = NULL;
		return false;
	}
	fchmod(file.fd, there ? st.st_mode & 0777 : 0666 & ~mask);
	return true;
}

int whole_file_open(const char *path)
{
	file.path = path;
	signal(SIGXFSZ, SIG_IGN); /* a write then fails instead of ending the process */
	if (!open_part(path))
		file.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file.fd < 0)
		die(EXIT_OWN, "cannot write %s: %s", path, strerror(errno));
	return file.fd;
}

const char *whole_file_name(void)
{
	return file.part ? file.part : file.path;
}

void whole_file_close(void)
{
	if (close(file.fd) || (file.part && rename(file.part, file.target)))
		die(EXIT_OWN, "cannot write %s: %s", file.path, strerror(errno));
	free(file.part);
	free(file.target);
	file.part = file.target = NULL;
}

struct out *whole_file_out(const char *path)
{
	static struct out out;

	if (!path || !strcmp(path, "-"))
		return &out_stdout;
	out.path = path;
	out.fd = whole_file_open(path);
	return &out;
}

void whole_file_out_close(struct out *o)
{
	out_flush(o);
	if (o != &out_stdout)
		whole_file_close();
}
