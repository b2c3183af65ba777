/* SPDX-License-Identifier: MIT */
/* The end of a recording: what depends on all of the data is written after it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording_control.h"

/* Returns an errno, with the old table back in place. */
static int write_tail(int fd, const struct spemu_perf_head *head, uint64_t data_size,
                      const struct spemu_perf_tail *tail)
{
	uint64_t tail_at = head->data_at + data_size;
	int error = recording_write_sizes(fd, data_size, 0);

	if (!error)
		error = recording_pwrite(fd, tail->bytes, tail->size, tail_at);
	if (!error && ftruncate(fd, (off_t)(tail_at + tail->size)) != 0)
		error = errno;
	if (!error)
		error = recording_write_sizes(fd, data_size, tail->flags);
	if (error)
		recording_write_table(fd, head, data_size);
	return error;
}

/*
 * Put everything that depends on the data after a data section and set the flags. The file must
 * have the head that head describes. 0, or errno with the file as it was.
 */
static int finish_file(int fd, const struct spemu_perf_head *head, uint64_t data_size)
{
	size_t size = (size_t)(head->data_at + data_size + head->table_size);
	struct spemu_perf_tail tail;
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	int error = 0, status;

	if (map == MAP_FAILED)
		return errno;
	status = spemu_perf_make_tail(&tail, head, data_size, map);
	munmap(map, size);
	if (status == SPEMU_OK)
		error = write_tail(fd, head, data_size, &tail);
	else
		error = status == SPEMU_ERR_CORRUPT ? EUCLEAN : ENOMEM;
	free(tail.bytes);
	return error;
}

int recording_finish(struct recording *rec, struct recording_totals *totals)
{
	struct recording_control *control = rec->control;
	int fd, error, status;

	if (!rec->owner)
		return SPEMU_ERR_STATE;
	for (uint32_t i = 0; i < RECORDING_LANES; i++)
		recording_salvage(rec, i);
	status = recording_lock(rec);
	if (status != SPEMU_OK)
		return status;
	if (control->finished) {
		recording_unlock(rec);
		return SPEMU_ERR_STATE;
	}
	control->finished = true;
	fd = recording_file(rec);
	error = fd < 0 ? errno : finish_file(fd, &control->head, control->data_size);
	recording_unlock(rec);
	if (totals)
		recording_totals(totals, rec);
	errno = error ? error : errno;
	return error ? SPEMU_ERR_IO : SPEMU_OK;
}

/* The head of a file that a recorder began. Returns false if none did. */
static bool read_head(int fd, struct spemu_perf_head *head, uint64_t *data_size)
{
	uint8_t bytes[1024];
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	n = pread(fd, bytes, sizeof(bytes), 0);
	return n > 0 && spemu_perf_get_head(head, data_size, bytes, (size_t)n) == SPEMU_OK &&
	       head->data_at <= (uint64_t)st.st_size &&
	       *data_size <= (uint64_t)st.st_size - head->data_at;
}

int recording_repair(const char *path)
{
	struct spemu_perf_head head;
	uint64_t data_size;
	int fd, error, status = SPEMU_ERR_CORRUPT;

	if (!path)
		return SPEMU_ERR_INVALID;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return SPEMU_ERR_IO;
	if (read_head(fd, &head, &data_size)) {
		/* The table may be half overwritten: put it back, then go on as a recorder. */
		error = recording_write_table(fd, &head, data_size);
		if (!error)
			error = finish_file(fd, &head, data_size);
		status = error ? SPEMU_ERR_IO : SPEMU_OK;
		if (error == EUCLEAN)
			status = SPEMU_ERR_CORRUPT;
		errno = error ? error : errno;
	}
	close(fd);
	return status;
}
