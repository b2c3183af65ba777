/* SPDX-License-Identifier: MIT */
/* Files that are written while the machine runs. Lost data is counted, and the machine
 * continues. */
#define _GNU_SOURCE
#include "vm.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Write text, or count it. After the first failure nothing more is written, because lines after a
 * gap would mislead. */
static size_t write_or_count(struct out *o, const char *text, size_t len)
{
	struct vm_file *f = (struct vm_file *)o;
	size_t done = 0;

	while (done < len && !f->loss.error) {
		ssize_t n = write(o->fd, text + done, len - done);

		if (n >= 0) {
			done += (size_t)n;
		} else if (errno != EINTR) {
			f->loss.error = errno;
			warn("cannot write the %s: %s; the rest is omitted", f->what,
			     strerror(errno));
		}
	}
	for (size_t i = done; i < len; i++)
		f->loss.lines += text[i] == '\n';
	f->loss.bytes += len - done;
	return len;
}

void vm_file_open(struct vm_file *f, const char *what, const char *option, const char *path)
{
	f->what = what;
	out_create(&f->out, path, option);
	f->out.filter = write_or_count;
}

void vm_file_close(struct vm_file *f)
{
	out_flush(&f->out);
	if (close(f->out.fd) && !f->loss.error)
		f->loss.error = errno;
}
