/* SPDX-License-Identifier: MIT */
/* Buffered output (common.h). To keep up with gigabytes of packets, the hot path has one buffer and
 * no format strings. */
#define _GNU_SOURCE
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct out out_stdout = {.fd = STDOUT_FILENO};

const char *write_remedy(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
		return "make room";
	case EFBIG:
		return "raise the file size limit (ulimit -f)";
	default:
		return NULL;
	}
}

bool write_all(int fd, const void *data, size_t size)
{
	const char *from = data;

	while (size) {
		ssize_t n = write(fd, from, size);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			from += n;
			size -= (size_t)n;
		}
	}
	return true;
}

void out_write(struct out *o, const char *data, size_t len)
{
	/* At a file size limit (ulimit -f), the write must fail instead of ending the process
	 * without a message. */
	void (*before)(int) = signal(SIGXFSZ, SIG_IGN);

	if (!write_all(o->fd, data, len)) {
		const char *remedy = write_remedy(errno);

		o->len = 0;
		die(EXIT_OWN, "cannot write %s: %s%s%s", o->path ? o->path : "standard output",
		    strerror(errno), remedy ? "; " : "", remedy ? remedy : "");
	}
	signal(SIGXFSZ, before);
}

void out_create(struct out *o, const char *path, const char *option)
{
	o->path = path;
	o->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (o->fd < 0)
		die(EXIT_OWN, "cannot write '%s': %s; name another file with %s", path,
		    strerror(errno), option);
}

void out_flush(struct out *o)
{
	size_t taken = o->filter ? o->filter(o, o->buf, o->len) : 0;

	if (taken && taken < o->len) { /* The rest is an incomplete line. */
		memmove(o->buf, o->buf + taken, o->len - taken);
		o->len -= taken;
		return;
	}
	if (!taken)
		out_write(o, o->buf, o->len);
	o->len = 0;
}

void out_bytes(struct out *o, const char *data, size_t len)
{
	while (len > sizeof(o->buf) - o->len) {
		size_t part = sizeof(o->buf) - o->len;

		memcpy(o->buf + o->len, data, part);
		o->len += part;
		data += part;
		len -= part;
		out_flush(o);
	}
	memcpy(o->buf + o->len, data, len);
	o->len += len;
}

void out_text(struct out *o, const char *text)
{
	out_bytes(o, text, strlen(text));
}

void out_fmt(struct out *o, const char *fmt, ...)
{
	char small[512], *text = small;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(small)) {
		text = xcalloc(1, (size_t)n + 1);
		va_start(ap, fmt);
		vsnprintf(text, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	if (n > 0)
		out_bytes(o, text, (size_t)n);
	if (text != small)
		free(text);
}

void out_hex(struct out *o, uint64_t value, unsigned width)
{
	char text[16];
	unsigned n = 0;

	do {
		text[15 - n++] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (n < 16 && (value || n < width));
	out_bytes(o, text + 16 - n, n);
}

void out_bits(struct out *o, uint64_t value, unsigned width, unsigned most)
{
	out_text(o, width <= most ? "0b" : "0x");
	for (unsigned i = width; width <= most && i-- > 0;)
		out_text(o, value >> i & 1 ? "1" : "0");
	if (width > most)
		out_hex(o, value, 0);
}

void out_dec(struct out *o, uint64_t value)
{
	char text[20];
	unsigned n = 0;

	do {
		text[19 - n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	out_bytes(o, text + 20 - n, n);
}
