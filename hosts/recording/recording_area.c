/* SPDX-License-Identifier: MIT */
/* The creation and the mapping of the control area; see recording_area.h. */
#define _GNU_SOURCE
#include "recording_area.h"
#include "recording_who.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SIZE 65536u
#define BUFFER_MAX (UINT64_C(1) << 30)
/* Address space for all rooms together. Further lanes have no room. */
#define ROOMS_MAX (UINT64_C(1) << (SIZE_MAX > UINT32_MAX ? 36 : 29))
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

uint64_t recording_buffer_size(const struct recording_params *params)
{
	uint64_t size = params->buffer_size ? params->buffer_size : DEFAULT_SIZE;

	size = (size + RECORDING_PAGE - 1) & ~(uint64_t)(RECORDING_PAGE - 1);
	return size <= BUFFER_MAX ? size : 0;
}

bool recording_params_check(const struct recording_params *params)
{
	return recording_buffer_size(params) &&
	       memchr(params->profile, 0, sizeof(params->profile)) &&
	       memchr(params->features, 0, sizeof(params->features)) &&
	       memchr(params->uarch, 0, sizeof(params->uarch)) &&
	       memchr(params->layout, 0, sizeof(params->layout));
}

static bool has_stacks(const struct recording_params *params)
{
	return params->flags & (RECORDING_STACKS_FP | RECORDING_STACKS_SHADOW);
}

static uint64_t room_size(const struct recording_params *params)
{
	return recording_buffer_size(params) + RECORDING_PAGE + RECORDING_EVENTS_MAX +
	       (has_stacks(params) ? RECORDING_STACKS_MAX : 0);
}

static uint64_t common_at(void)
{
	return (sizeof(struct recording_area) + RECORDING_PAGE - 1) &
	       ~(uint64_t)(RECORDING_PAGE - 1);
}

/* Return the offset of the lanes' rooms, which follow the common room. */
static uint64_t lanes_at(const struct recording_params *params)
{
	return common_at() + room_size(params);
}

/* Map the area. The parameters and the number of rooms in rec are copies that this process has
 * checked. Return an errno. */
static int map_area(struct recording *rec)
{
	uint64_t at = lanes_at(&rec->params), size = rec->rooms * room_size(&rec->params);
	void *p;

	/* The area of a 64-bit recorder may be too large for this process. */
	if (at > SIZE_MAX || size > SIZE_MAX)
		return ENOMEM;
	p = mmap(NULL, (size_t)at, PROT_READ | PROT_WRITE, MAP_SHARED, rec->area_fd, 0);
	if (p == MAP_FAILED)
		return errno;
	rec->area = p;
	p = size ? mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
	                rec->area_fd, (off_t)at)
	         : MAP_FAILED;
	if (p == MAP_FAILED)
		rec->rooms = 0;
	else
		rec->room = p;
	return 0;
}

/* Return the number of rooms that the address space and the file size limit allow. The limit
 * applies to a memfd, too. */
static uint32_t count_rooms(const struct recording_params *params)
{
	uint64_t n = ROOMS_MAX / room_size(params);
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		uint64_t fit = limit.rlim_cur > lanes_at(params)
		                       ? (limit.rlim_cur - lanes_at(params)) / room_size(params)
		                       : 0;

		n = n < fit ? n : fit;
	}
	return n < RECORDING_COMMON ? (uint32_t)n : RECORDING_COMMON;
}

/*
 * Make the control path, with the same length for each process. The path is in the program's
 * environment, whose size determines where its stack begins. A run that has to repeat exactly must
 * not depend on the number of digits of a process ID.
 */
static void name_control(struct recording *rec)
{
	char process[] = "/proc/1234567////////";
	int length = snprintf(process, sizeof(process), "/proc/%ld", (long)getpid());

	memset(process + length, '/', sizeof(process) - 1 - (size_t)length);
	snprintf(rec->control_path, sizeof(rec->control_path), "%sfd/%d", process, rec->area_fd);
}

/* Copy the identification of the recorder. */
static void take_card(struct recording *rec, const struct recording_card *card)
{
	rec->recorder_pid = card->recorder;
	rec->proc_device = card->proc_device;
	rec->pid_namespace = card->pid_namespace;
}

/* Look up the number of this process. The area must be mapped. */
static void take_number(struct recording *rec)
{
	rec->numbers_made = &rec->area->numbers_made;
	recording_forked(rec);
}

int recording_area_create(struct recording *rec)
{
	struct recording_card card;
	uint64_t size;
	int error;

	rec->rooms = count_rooms(&rec->params);
	size = lanes_at(&rec->params) + rec->rooms * room_size(&rec->params);
	rec->area_fd = memfd_create("spemu-control", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (rec->area_fd < 0)
		return errno;
	/* Seal the size, because a process that shrank the area would kill the others by SIGBUS. */
	if (ftruncate(rec->area_fd, (off_t)size) != 0 ||
	    fcntl(rec->area_fd, F_ADD_SEALS, SEALS) != 0)
		return errno;
	error = map_area(rec);
	if (error)
		return error;
	name_control(rec);
	card = (struct recording_card){
	        .magic = RECORDING_MAGIC,
	        .layout = RECORDING_LAYOUT,
	        .size = sizeof(*rec->area),
	        .recorder = getpid(),
	        .rooms = rec->rooms,
	        .params = rec->params,
	        .proc_device = recording_who_proc(),
	        .pid_namespace = recording_who_namespace(),
	};
	rec->area->card = card;
	take_card(rec, &card);
	take_number(rec);
	return 0;
}

/* Copy the data that this process relies on, and check the copy. */
static int read_area(struct recording *rec)
{
	struct recording_card card;
	const struct recording_params *params = &rec->params;
	struct stat st;

	if (fstat(rec->area_fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (fcntl(rec->area_fd, F_GET_SEALS) & SEALS) != SEALS ||
	    pread(rec->area_fd, &card, sizeof(card), 0) != sizeof(card) ||
	    card.magic != RECORDING_MAGIC)
		return SPEMU_ERR_CORRUPT;
	if (card.layout != RECORDING_LAYOUT || card.size != sizeof(*rec->area))
		return SPEMU_ERR_NOT_SUPPORTED;
	rec->params = card.params;
	take_card(rec, &card);
	rec->rooms = card.rooms;
	if (!recording_params_check(params) || card.recorder <= 0 ||
	    rec->rooms > RECORDING_COMMON ||
	    lanes_at(params) + rec->rooms * room_size(params) > (uint64_t)st.st_size)
		return SPEMU_ERR_CORRUPT;
	return SPEMU_OK;
}

int recording_area_descriptor(const char *control_path)
{
	return open(control_path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int recording_area_open(struct recording *rec, const char *control_path, int fd)
{
	int status;

	rec->area_fd = fd >= 0 ? fd : recording_area_descriptor(control_path);
	if (rec->area_fd < 0)
		return SPEMU_ERR_IO;
	status = read_area(rec);
	if (status == SPEMU_OK && map_area(rec))
		status = SPEMU_ERR_IO;
	/* The mapping needs no descriptor, and a low number belongs to the program. */
	if (fd < 0)
		close(rec->area_fd);
	if (fd < 0 || status != SPEMU_OK)
		rec->area_fd = -1;
	if (status != SPEMU_OK) {
		recording_area_close(rec);
		return status;
	}
	memcpy(rec->control_path, control_path, strlen(control_path) + 1);
	take_number(rec);
	return SPEMU_OK;
}

void recording_area_close(struct recording *rec)
{
	int saved = errno;

	if (rec->room)
		munmap(rec->room, (size_t)(rec->rooms * room_size(&rec->params)));
	if (rec->area)
		munmap(rec->area, (size_t)lanes_at(&rec->params));
	if (rec->area_fd >= 0)
		close(rec->area_fd);
	*rec = (struct recording){.area_fd = -1};
	errno = saved;
}

uint8_t *recording_room(const struct recording *rec, uint32_t slot)
{
	if (slot == RECORDING_COMMON)
		return (uint8_t *)rec->area + common_at();
	return slot < rec->rooms ? rec->room + slot * room_size(&rec->params) : NULL;
}

uint8_t *recording_events_room(const struct recording *rec, uint32_t slot)
{
	uint8_t *room = recording_room(rec, slot);

	return room ? room + recording_buffer_size(&rec->params) + RECORDING_PAGE : NULL;
}

uint8_t *recording_stacks(const struct recording *rec, uint32_t lane)
{
	const bool has = lane < RECORDING_COMMON && has_stacks(&rec->params);
	uint8_t *room = has ? recording_events_room(rec, lane) : NULL;

	return room ? room + RECORDING_EVENTS_MAX : NULL;
}

void recording_copy_once(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	/* The compiler cannot read `from` again after this. */
	__asm__ volatile("" : : : "memory");
}

bool recording_wait(_Atomic uint32_t *word, uint32_t value, unsigned milliseconds)
{
	const struct timespec time = {(time_t)(milliseconds / 1000),
	                              (long)(milliseconds % 1000) * 1000000};

	if (atomic_load(word) != value)
		return true;
	return syscall(SYS_futex, word, FUTEX_WAIT, value, &time, NULL, 0) == 0 ||
	       errno != ETIMEDOUT;
}

void recording_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
