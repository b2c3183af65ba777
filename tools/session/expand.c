/* SPDX-License-Identifier: MIT */
/* Expand compressed files, such as the kernels and modules of distributions, with libarchive. */
#define _GNU_SOURCE
#include "object.h"
#include "../base/common.h"

#include <archive.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	EXPAND_READ = 64 << 10,
	EXPAND_FILTERS = 2 /* number of filters: the compression, and libarchive's file reader */
};

static struct archive *new_archive(void)
{
	struct archive *archive = archive_read_new();

	if (!archive)
		die(EXIT_OWN, "out of memory");
	archive_read_support_format_raw(archive);
	return archive;
}

/* Return true if the open archive was compressed once. Data that were compressed twice are refused,
 * because the size of the first result is not bounded. */
static bool begins(struct archive *archive)
{
	struct archive_entry *entry;

	return archive_filter_count(archive) == EXPAND_FILTERS &&
	       archive_read_next_header(archive, &entry) == ARCHIVE_OK;
}

static struct archive *open_compressed(int fd)
{
	struct archive *archive = new_archive();

	archive_read_support_filter_gzip(archive);
	archive_read_support_filter_bzip2(archive);
	archive_read_support_filter_xz(archive);
	archive_read_support_filter_zstd(archive);
	if (lseek(fd, 0, SEEK_SET) == 0 &&
	    archive_read_open_fd(archive, fd, EXPAND_READ) == ARCHIVE_OK && begins(archive))
		return archive;
	archive_read_free(archive);
	return NULL;
}

/* Write the content of the archive to out, or nowhere if out is -1. Return false on failure, with
 * errno EFBIG if the content is longer than left bytes. */
static bool expand_into(int out, struct archive *archive, uint64_t left)
{
	char bytes[EXPAND_READ];
	la_ssize_t n;

	while ((n = archive_read_data(archive, bytes, sizeof(bytes))) > 0) {
		if ((uint64_t)n > left) {
			errno = EFBIG;
			return false;
		}
		if (out >= 0 && write(out, bytes, (size_t)n) !=
		                        n) /* a short write to a file in memory: memory ran out */
			return false;
		left -= (uint64_t)n;
	}
	errno = EIO; /* the error for damaged data */
	return n == 0;
}

bool expands_within(const void *data, size_t size, uint64_t size_max)
{
	struct archive *archive = new_archive();
	bool fits;

	archive_read_support_filter_xz(archive);
	archive_read_support_filter_lzma(archive);
	fits = archive_read_open_memory(archive, data, size) == ARCHIVE_OK && begins(archive) &&
	       expand_into(-1, archive, size_max);
	archive_read_free(archive);
	return fits;
}

int expand_file(int fd, uint64_t size_max)
{
	struct archive *archive = open_compressed(fd);
	int out, why = 0;

	if (!archive) {
		errno = EINVAL;
		return -1;
	}
	out = memfd_create("spemu-expanded", MFD_CLOEXEC);
	if (out >= 0 && !expand_into(out, archive, size_max)) {
		why = errno;
		close(out);
		out = -1;
	}
	archive_read_free(archive);
	errno = why;
	return out;
}
