/* SPDX-License-Identifier: MIT */
/*
 * Appending to the file of a recording.
 *
 * An append replaces the feature table behind the data section, so it takes three writes: the flags
 * go to zero (a file without features is valid), the new events with the table behind them, then
 * data size and flags at once. Killed at any point, the file is one that perf reads: the header's
 * data size covers whole events only.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "recording_control.h"

int recording_pwrite(int fd, const void *buf, size_t size, uint64_t offset)
{
	const uint8_t *p = buf;

	while (size) {
		ssize_t n = pwrite(fd, p, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		if (n == 0)
			return EIO;
		p += n;
		size -= (size_t)n;
		offset += (size_t)n;
	}
	return 0;
}

int recording_write_sizes(int fd, uint64_t data_size, uint64_t flags)
{
	uint8_t sizes[SPEMU_PERF_SIZES_SIZE];

	spemu_perf_put_sizes(sizes, data_size, flags);
	return recording_pwrite(fd, sizes, sizeof(sizes), SPEMU_PERF_SIZES_AT);
}

int recording_write_table(int fd, const struct spemu_perf_head *head, uint64_t data_size)
{
	int error = recording_pwrite(fd, head->table, head->table_size, head->data_at + data_size);

	return error ? error : recording_write_sizes(fd, data_size, head->flags);
}

/* The same inode is not enough: the program may read the file, or append to it, on our number. */
static bool is_our_file(const struct recording_control *control, int fd)
{
	struct stat st;
	int flags = fd >= 0 ? fcntl(fd, F_GETFL) : -1;

	return flags >= 0 && (flags & O_ACCMODE) == O_RDWR && !(flags & O_APPEND) &&
	       fstat(fd, &st) == 0 && (uint64_t)st.st_dev == control->file_dev &&
	       (uint64_t)st.st_ino == control->file_ino;
}

int recording_file(struct recording *rec)
{
	struct recording_control *control = rec->control;
	int fd;

	if (is_our_file(control, rec->fd))
		return rec->fd;
	/* Closed or replaced by the program that shares our descriptors: the number is its own. */
	rec->fd = -1;
	fd = open(control->file_path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!is_our_file(control, fd)) {
		close(fd);
		errno = ESTALE;
		return -1;
	}
	rec->fd = recording_high_fd(fd);
	return rec->fd;
}

/* Somebody died in an append: the file's header says how far it got. */
static void roll_back(struct recording *rec)
{
	struct recording_control *control = rec->control;
	uint64_t data_size; /* little-endian */
	int fd = recording_file(rec);

	if (control->finished)
		return;
	if (fd < 0 ||
	    pread(fd, &data_size, sizeof(data_size), SPEMU_PERF_SIZES_AT) != sizeof(data_size)) {
		control->broken = true;
		return;
	}
	control->data_size = le64toh(data_size);
	if (recording_write_table(fd, &control->head, control->data_size))
		control->broken = true;
}

int recording_lock(struct recording *rec)
{
	int error = pthread_mutex_lock(&rec->control->lock);

	if (error == EOWNERDEAD) {
		roll_back(rec);
		pthread_mutex_consistent(&rec->control->lock);
		return SPEMU_OK;
	}
	return error ? SPEMU_ERR_STATE : SPEMU_OK;
}

void recording_unlock(struct recording *rec)
{
	pthread_mutex_unlock(&rec->control->lock);
}

/* NRCPUS and NUMA_TOPOLOGY cover the lanes held so far. Returns an errno. */
static int update_cpus(int fd, struct recording_control *control)
{
	uint32_t n = atomic_load(&control->lanes_held);
	uint8_t nrcpus[SPEMU_PERF_NRCPUS_SIZE], numa[SPEMU_PERF_NUMA_SIZE];
	int error;

	if (n <= control->cpus_written)
		return 0;
	spemu_perf_put_cpus(nrcpus, numa, n);
	error = recording_pwrite(fd, nrcpus, sizeof(nrcpus), control->head.nrcpus_at);
	if (!error)
		error = recording_pwrite(fd, numa, sizeof(numa), control->head.numa_at);
	if (!error)
		control->cpus_written = n;
	return error;
}

/* parts, then the table, at the end of the data. Returns an errno. */
static int write_parts(int fd, const struct recording_control *control, const struct iovec *parts,
                       int n, size_t size)
{
	uint64_t at = control->head.data_at + control->data_size;
	struct iovec all[RECORDING_APPEND_MAX + 1];
	size_t table = control->head.table_size, done;
	ssize_t written;
	int error;

	memcpy(all, parts, (size_t)n * sizeof(*parts));
	all[n].iov_base = (void *)(uintptr_t)control->head.table;
	all[n].iov_len = table;
	written = pwritev(fd, all, n + 1, (off_t)at);
	if (written < 0 && errno != EINTR)
		return errno;
	done = written < 0 ? 0 : (size_t)written;
	if (done == size + table)
		return 0;
	/* Rare: a signal or the end of the disk. Go on part by part to learn which. */
	for (int i = 0; i <= n; i++) {
		size_t skip = done < all[i].iov_len ? done : all[i].iov_len;

		error = recording_pwrite(fd, (const uint8_t *)all[i].iov_base + skip,
		                         all[i].iov_len - skip, at + skip);
		if (error)
			return error;
		at += all[i].iov_len;
		done -= skip;
	}
	return 0;
}

/* Returns an errno, with the file as it was. */
static int write_append(int fd, struct recording_control *control, const struct iovec *parts, int n,
                        size_t size)
{
	int error = update_cpus(fd, control);

	if (!error)
		error = recording_write_sizes(fd, control->data_size, 0);
	if (!error)
		error = write_parts(fd, control, parts, n, size);
	if (!error)
		error = recording_write_sizes(fd, control->data_size + size, control->head.flags);
	if (!error) {
		control->data_size += size;
		return 0;
	}
	/* The table's old place is allocated: this fits even on a full disk. */
	if (recording_write_table(fd, &control->head, control->data_size) == 0 &&
	    ftruncate(fd, (off_t)(control->head.data_at + control->data_size +
	                          control->head.table_size)) != 0)
		return error;
	return error;
}

/* Blocks SIGXFSZ for a write, and takes it back if that write raised it. */
struct size_guard {
	sigset_t old, xfsz;
	bool was_pending;
};

static void guard_begin(struct size_guard *guard)
{
	sigset_t pending;

	sigemptyset(&guard->xfsz);
	sigaddset(&guard->xfsz, SIGXFSZ);
	sigpending(&pending);
	guard->was_pending = sigismember(&pending, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &guard->xfsz, &guard->old);
}

static void guard_end(struct size_guard *guard, int error)
{
	static const struct timespec now;

	if (error == EFBIG && !guard->was_pending)
		sigtimedwait(&guard->xfsz, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &guard->old, NULL);
}

static void note_error(struct recording *rec, int error)
{
	int32_t none = 0;
	char text[96];

	recording_count(rec, RECORDING_WRITE_ERRORS, 1);
	if (atomic_compare_exchange_strong(&rec->control->write_errno, &none, error)) {
		snprintf(text, sizeof(text), "writing the recording failed: errno %d", error);
		recording_note(rec, text);
	}
}

/* Returns an errno. */
static int write_guarded(struct recording *rec, const struct iovec *parts, int n, size_t size)
{
	struct size_guard guard;
	int fd, error = EBADF;

	/* Twice: the program may close the descriptor while it is in use. */
	for (int try = 0; try < 2 && error == EBADF; try++) {
		fd = recording_file(rec);
		if (fd < 0)
			return errno == EBADF ? ESTALE : errno;
		guard_begin(&guard);
		error = write_append(fd, rec->control, parts, n, size);
		guard_end(&guard, error);
	}
	return error;
}

/* An error of this process alone: the others may go on writing. */
static bool is_own_error(int error)
{
	switch (error) {
	case EFBIG: /* RLIMIT_FSIZE */
	case EBADF:
	case EMFILE:
	case ENFILE:
	case ENOENT: /* no recorder, or no /proc where this process is */
	case EACCES:
	case EPERM:
	case ESTALE:
	case ENOTDIR:
		return true;
	default:
		return false;
	}
}

/* Under the lock. */
static int append_locked(struct recording *rec, const struct iovec *parts, int n, size_t size)
{
	struct recording_control *control = rec->control;
	int error;

	if (control->finished)
		return SPEMU_ERR_STATE;
	if (control->broken)
		return SPEMU_ERR_IO;
	error = write_guarded(rec, parts, n, size);
	if (!error) {
		recording_count(rec, RECORDING_APPENDS, 1);
		return SPEMU_OK;
	}
	note_error(rec, error);
	if (!is_own_error(error))
		control->broken = true;
	return SPEMU_ERR_IO;
}

/* The size of all parts, 0 if they are not well-formed. */
static size_t parts_size(const struct iovec *parts, int n)
{
	size_t size = 0;

	if (!parts || n < 1 || n > RECORDING_APPEND_MAX)
		return 0;
	for (int i = 0; i < n; i++) {
		if ((!parts[i].iov_base && parts[i].iov_len) ||
		    parts[i].iov_len > SIZE_MAX / 2 - size)
			return 0;
		size += parts[i].iov_len;
	}
	return size % 8 ? 0 : size;
}

int recording_append(struct recording *rec, const struct iovec *parts, int n)
{
	size_t size = parts_size(parts, n);
	int status, saved = errno;

	if (!size)
		return SPEMU_ERR_INVALID;
	status = recording_lock(rec);
	if (status == SPEMU_OK) {
		status = append_locked(rec, parts, n, size);
		recording_unlock(rec);
	}
	if (status != SPEMU_OK)
		recording_count(rec, RECORDING_LOST_BYTES, size);
	errno = saved;
	return status;
}

int recording_append_aux_locked(struct recording *rec, const struct spemu_perf_who *who,
                                const uint8_t *data, size_t size, uint64_t flags)
{
	struct recording_lane *lane = &rec->control->lane[who->cpu];
	uint8_t aux[64]; /* header, three numbers, trailer */
	uint8_t auxtrace[SPEMU_PERF_AUXTRACE_SIZE];
	struct iovec parts[3] = {{aux, 0}, {auxtrace, 0}, {(void *)(uintptr_t)data, size}};
	uint64_t offset = lane->offset;
	int status, n = size ? 3 : 1;

	parts[0].iov_len = (size_t)spemu_perf_put_aux(aux, sizeof(aux), who, offset, size, flags);
	parts[1].iov_len =
	        (size_t)spemu_perf_put_auxtrace(auxtrace, sizeof(auxtrace), who->cpu, offset, size);
	status = append_locked(rec, parts, n, parts_size(parts, n));
	if (status == SPEMU_OK)
		lane->offset = offset + size;
	atomic_store(&lane->used, 0);
	return status;
}

int recording_append_aux(struct recording *rec, const struct spemu_perf_who *who,
                         const uint8_t *data, size_t size, uint64_t flags)
{
	int status, saved = errno;

	if (!who || who->cpu >= RECORDING_LANES || size % 8 || (size && !data) ||
	    size > SIZE_MAX / 4)
		return SPEMU_ERR_INVALID;
	status = recording_lock(rec);
	if (status == SPEMU_OK) {
		status = recording_append_aux_locked(rec, who, data, size, flags);
		recording_unlock(rec);
	}
	recording_count(rec, status == SPEMU_OK ? RECORDING_AUX_BYTES : RECORDING_LOST_BYTES, size);
	errno = saved;
	return status;
}
