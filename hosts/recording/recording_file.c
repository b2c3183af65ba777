/* SPDX-License-Identifier: MIT */
/* The writer of perf.data files; see recording_file.h. */
#define _GNU_SOURCE
#include "recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int write_at(int fd, const void *buf, size_t size, uint64_t offset)
{
	struct iovec part = {(void *)(uintptr_t)buf, size};

	return recording_write(fd, &part, 1, (off_t)offset);
}

static int write_sizes(const struct recording_file *file, uint64_t data_size, uint64_t flags)
{
	uint8_t sizes[SPEMU_PERF_SIZES_SIZE];

	spemu_perf_put_sizes(sizes, data_size, flags);
	return write_at(file->fd, sizes, sizeof(sizes), SPEMU_PERF_SIZES_AT);
}

/* Write the head's table after the events, and the matching header. */
static int write_table(const struct recording_file *file)
{
	const struct spemu_perf_head *head = &file->head;
	int error =
	        write_at(file->fd, head->table, head->table_size, head->data_at + file->data_size);

	return error ? error : write_sizes(file, file->data_size, head->flags);
}

static uint64_t whole_size(const struct recording_file *file)
{
	return file->head.data_at + file->data_size + file->head.table_size;
}

/* Write head and table of a file without events. Return an errno. */
static int write_head(struct recording_file *file, const struct spemu_perf_head_config *config)
{
	uint8_t *buf = calloc(1, SPEMU_PERF_HEAD_MAX);
	int n, error;

	if (!buf)
		return ENOMEM;
	n = spemu_perf_put_head(buf, SPEMU_PERF_HEAD_MAX, &file->head, config);
	error = n < 0 ? E2BIG : write_at(file->fd, buf, (size_t)n, 0);
	free(buf);
	return error ? error : write_table(file);
}

int recording_file_create(struct recording_file *file, const char *path,
                          const struct spemu_perf_head_config *config)
{
	struct stat st;
	int error = 0;

	*file = (struct recording_file){.path = strdup(path), .cpus = 1};
	file->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (!file->path || file->fd < 0 || fstat(file->fd, &st) != 0)
		error = errno;
	else
		error = S_ISREG(st.st_mode) ? write_head(file, config) : ESPIPE;
	if (error) {
		recording_file_close(file);
		return error;
	}
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	return 0;
}

void recording_file_close(struct recording_file *file)
{
	if (file->streams)
		recording_stream_free(&file->stream);
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	*file = (struct recording_file){.fd = -1};
}

/* Write the number of CPUs into the head. Return an errno. */
static int write_cpus(const struct recording_file *file, uint32_t n)
{
	uint8_t nrcpus[SPEMU_PERF_NRCPUS_SIZE], numa[SPEMU_PERF_NUMA_SIZE];
	int error;

	spemu_perf_put_cpus(nrcpus, numa, n);
	error = write_at(file->fd, nrcpus, sizeof(nrcpus), file->head.nrcpus_at);
	return error ? error : write_at(file->fd, numa, sizeof(numa), file->head.numa_at);
}

/* Write the parts and the table after the events. Return an errno; after an error the file is
 * unchanged. */
static int write_append(struct recording_file *file, const struct iovec *parts, int n, size_t size)
{
	struct iovec all[RECORDING_APPEND_MAX + 1];
	int error = write_sizes(file, file->data_size, 0);

	memcpy(all, parts, (size_t)n * sizeof(*parts));
	all[n] = (struct iovec){(void *)(uintptr_t)file->head.table, file->head.table_size};
	if (!error)
		error = recording_write(file->fd, all, n + 1,
		                        (off_t)(file->head.data_at + file->data_size));
	if (!error)
		error = write_sizes(file, file->data_size + size, file->head.flags);
	/* The space of the old table is allocated, so this succeeds even on a full disk. */
	if (error && write_table(file) == 0 && ftruncate(file->fd, (off_t)whole_size(file)) != 0)
		return error;
	return error;
}

/* Return true if the file still has all data that were written to it. */
static bool is_whole(struct recording_file *file)
{
	struct stat st;

	if (fstat(file->fd, &st) == 0 && (uint64_t)st.st_size < whole_size(file))
		file->cut = true;
	return !file->cut;
}

/* Signals around a write. SIGXFSZ and SIGPIPE are blocked, and consumed if the write raised
 * them. */
struct write_guard {
	sigset_t old, pending;
};

static void guard_begin(struct write_guard *guard)
{
	sigset_t both;

	sigemptyset(&both);
	sigaddset(&both, SIGXFSZ);
	sigaddset(&both, SIGPIPE);
	sigpending(&guard->pending);
	pthread_sigmask(SIG_BLOCK, &both, &guard->old);
}

static void guard_end(struct write_guard *guard, int error)
{
	static const struct timespec now;
	const int raised = error == EFBIG ? SIGXFSZ : error == EPIPE ? SIGPIPE : 0;
	sigset_t set;

	sigemptyset(&set);
	if (raised && !sigismember(&guard->pending, raised)) {
		sigaddset(&set, raised);
		sigtimedwait(&set, NULL, &now);
	}
	pthread_sigmask(SIG_SETMASK, &guard->old, NULL);
}

void recording_file_cover(struct recording_file *file, uint32_t n)
{
	struct write_guard guard;

	if (n <= file->cpus || file->error)
		return;
	guard_begin(&guard);
	file->error =
	        file->streams ? recording_stream_cover(&file->stream, n) : write_cpus(file, n);
	guard_end(&guard, file->error);
	file->cpus = n;
}

int recording_file_stream(struct recording_file *file, int fd,
                          const struct spemu_perf_head_config *config)
{
	struct write_guard guard;
	int error;

	*file = (struct recording_file){.fd = -1, .streams = true, .cpus = 1};
	guard_begin(&guard);
	error = recording_stream_begin(&file->stream, fd, config);
	guard_end(&guard, error);
	if (error)
		recording_file_close(file);
	return error;
}

void recording_file_flag_aux(struct recording_file *file, uint64_t at, uint64_t flags)
{
	const uint64_t place = at + 24; /* after the header, the offset and the size */
	struct write_guard guard;
	uint8_t bytes[8];

	if (file->streams || file->cut)
		return;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(flags >> (8 * i));
	guard_begin(&guard);
	write_at(file->fd, bytes, sizeof(bytes), place);
	guard_end(&guard, 0);
}

int recording_file_append(struct recording_file *file, const struct iovec *parts, int n,
                          size_t size)
{
	struct write_guard guard;

	if (!file->error && !file->streams && !is_whole(file))
		file->error = EIO;
	if (file->error)
		return file->error;
	guard_begin(&guard);
	file->error = file->streams ? recording_stream_append(&file->stream, parts, n, size)
	                            : write_append(file, parts, n, size);
	guard_end(&guard, file->error);
	if (!file->error)
		file->data_size += size;
	return file->error;
}

int recording_file_shorten(struct recording_file *file, const uint8_t *bytes, size_t size,
                           size_t was)
{
	uint8_t header[SPEMU_PERF_PLACE_SIZE + SPEMU_PERF_SIZES_SIZE];
	uint64_t at = file->head.data_at + was - size, data_size = file->data_size - was + size;
	int error = file->error;

	if (!error && !is_whole(file))
		error = EIO;
	if (!error)
		error = write_at(file->fd, bytes, size, at);
	if (error)
		return error;
	spemu_perf_put_place(header, at);
	spemu_perf_put_sizes(header + SPEMU_PERF_PLACE_SIZE, data_size, file->head.flags);
	error = write_at(file->fd, header, sizeof(header), SPEMU_PERF_PLACE_AT);
	if (error)
		return error;
	file->head.data_at = at;
	file->data_size = data_size;
	return 0;
}

/* Write the tail. Return an errno; after an error the old table is back in place. */
static int write_tail(struct recording_file *file, const struct spemu_perf_tail *tail)
{
	uint64_t tail_at = file->head.data_at + file->data_size;
	int error = write_sizes(file, file->data_size, 0);

	if (!error)
		error = write_at(file->fd, tail->bytes, tail->size, tail_at);
	if (!error && ftruncate(file->fd, (off_t)(tail_at + tail->size)) != 0)
		error = errno;
	if (!error)
		error = write_sizes(file, file->data_size, tail->flags);
	if (error)
		write_table(file);
	return error;
}

int recording_file_finish(struct recording_file *file)
{
	size_t size = (size_t)whole_size(file);
	struct spemu_perf_tail tail;
	struct write_guard guard;
	int error = 0, status;
	void *map;

	if (file->streams && !file->error) {
		guard_begin(&guard);
		file->error = recording_stream_finish(&file->stream);
		guard_end(&guard, file->error);
	}
	if (file->streams)
		return 0;
	if (!is_whole(file))
		return EIO;
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, file->fd, 0);
	if (map == MAP_FAILED)
		return errno;
	status = spemu_perf_make_tail(&tail, &file->head, file->data_size, map);
	munmap(map, size);
	if (status != SPEMU_OK)
		return status == SPEMU_ERR_CORRUPT ? EUCLEAN : ENOMEM;
	guard_begin(&guard);
	error = write_tail(file, &tail);
	guard_end(&guard, error);
	free(tail.bytes);
	return error;
}

uint64_t recording_file_size(const struct recording_file *file)
{
	struct stat st;

	if (file->streams)
		return file->stream.written;
	return fstat(file->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

enum recording_fate recording_file_fate(const struct recording_file *file)
{
	struct stat here, there;

	if (file->streams)
		return RECORDING_IN_PLACE;
	if (file->cut)
		return RECORDING_CUT;
	if (fstat(file->fd, &here) == 0 && here.st_nlink == 0)
		return RECORDING_REMOVED;
	if (stat(file->path, &there) != 0 || there.st_dev != file->dev || there.st_ino != file->ino)
		return RECORDING_RENAMED;
	return RECORDING_IN_PLACE;
}

/* Read the head. Return false if no recorder made this file. */
static bool read_head(struct recording_file *file)
{
	uint8_t bytes[1024];
	struct stat st;
	ssize_t n;

	if (fstat(file->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	n = pread(file->fd, bytes, sizeof(bytes), 0);
	return n > 0 &&
	       spemu_perf_get_head(&file->head, &file->data_size, bytes, (size_t)n) == SPEMU_OK &&
	       file->head.data_at <= (uint64_t)st.st_size &&
	       file->data_size <= (uint64_t)st.st_size - file->head.data_at;
}

int recording_repair(const char *path)
{
	struct recording_file file = {0};
	int error, status = SPEMU_ERR_CORRUPT;

	if (!path)
		return SPEMU_ERR_INVALID;
	file.fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file.fd < 0)
		return SPEMU_ERR_IO;
	if (read_head(&file)) {
		/* The table may be half overwritten. Restore it, and then continue like a
		 * recorder. */
		error = write_table(&file);
		if (!error)
			error = recording_file_finish(&file);
		status = error ? SPEMU_ERR_IO : SPEMU_OK;
		if (error == EUCLEAN)
			status = SPEMU_ERR_CORRUPT;
		errno = error ? error : errno;
	}
	close(file.fd);
	return status;
}
