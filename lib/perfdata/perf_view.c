/* SPDX-License-Identifier: MIT */
/*
 * Decoding of the events of a perf.data file.
 *
 * Source: include/uapi/linux/perf_event.h (enum perf_event_type, PERF_SAMPLE_x order of sample_id)
 * and tools/lib/perf/include/perf/event.h of Linux 6.1.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "perfdata/perf_file.h"

static uint64_t word(const struct spemu_perf_event *event, size_t at)
{
	return le_load64(event->body + at);
}

static uint32_t half(const struct spemu_perf_event *event, size_t at)
{
	return le_load32(event->body + at);
}

static unsigned trailer_size(uint64_t sample_type)
{
	unsigned n = 0;

	for (uint64_t bits = sample_type & PERF_TRAILER_BITS; bits; bits &= bits - 1)
		n += 8;
	return n;
}

uint64_t spemu__perf_type_of(const struct spemu_perf_file *file, uint64_t id)
{
	size_t low = 0, high = file->n_ids;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (file->ids[mid].id == id)
			return file->ids[mid].sample_type;
		if (file->ids[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return file->default_type;
}

static uint64_t trailer_type(const struct spemu_perf_file *file,
                             const struct spemu_perf_event *event, size_t body_size)
{
	if (!file->ids || body_size < 8)
		return file->default_type;
	return spemu__perf_type_of(file, le_load64(event->body + body_size - 8));
}

/* Decode the trailer. Return the size in bytes of the body before it. */
static size_t decode_trailer(const struct spemu_perf_file *file, struct spemu_perf_event *event)
{
	size_t size = event->size - PERF_EVENT_HEADER_SIZE, at;
	struct spemu_perf_who *who = &event->who;
	uint64_t type;

	if (event->type >= PERF_USER_TYPE_START || event->type == SPEMU_PERF_SAMPLE ||
	    !file->has_trailer)
		return size;
	type = trailer_type(file, event, size);
	if (trailer_size(type) > size)
		return size;
	at = size - trailer_size(type);
	size = at;
	who->valid = (uint32_t)(type & PERF_TRAILER_BITS);
	if (type & SPEMU_PERF_SAMPLE_TID) {
		who->pid = half(event, at);
		who->tid = half(event, at + 4);
		at += 8;
	}
	if (type & SPEMU_PERF_SAMPLE_TIME) {
		who->time = word(event, at);
		at += 8;
	}
	if (type & SPEMU_PERF_SAMPLE_ID) {
		who->id = word(event, at);
		at += 8;
	}
	if (type & SPEMU_PERF_SAMPLE_STREAM_ID)
		at += 8;
	if (type & SPEMU_PERF_SAMPLE_CPU) {
		who->cpu = half(event, at);
		at += 8;
	}
	if (type & SPEMU_PERF_SAMPLE_IDENTIFIER)
		who->id = word(event, at);
	return size;
}

/* Return the NUL-terminated text at offset `at` in a body of size bytes, or NULL. */
static const char *text_at(const struct spemu_perf_event *event, size_t at, size_t size)
{
	if (at >= size || !memchr(event->body + at, 0, size - at))
		return NULL;
	return (const char *)event->body + at;
}

static int decode_mmap(struct spemu_perf_event *event, size_t size)
{
	struct spemu_perf_mmap *map = &event->u.mmap;
	size_t name_at = event->type == SPEMU_PERF_MMAP2 ? 64 : 32;

	if (size <= name_at)
		return SPEMU_ERR_CORRUPT;
	map->pid = half(event, 0);
	map->tid = half(event, 4);
	map->start = word(event, 8);
	map->len = word(event, 16);
	map->pgoff = word(event, 24);
	map->data = event->misc & SPEMU_PERF_MISC_MMAP_DATA;
	map->cpumode = event->misc & SPEMU_PERF_MISC_CPUMODE;
	if (event->type == SPEMU_PERF_MMAP2) {
		map->prot = half(event, 56);
		map->flags = half(event, 60);
	}
	if (event->type == SPEMU_PERF_MMAP2 && event->misc & SPEMU_PERF_MISC_MMAP_BUILD_ID) {
		uint8_t n = event->body[32];

		map->build_id_size = n < SPEMU_PERF_BUILD_ID_MAX ? n : SPEMU_PERF_BUILD_ID_MAX;
		memcpy(map->build_id, event->body + 36, map->build_id_size);
	} else if (event->type == SPEMU_PERF_MMAP2) {
		map->maj = half(event, 32);
		map->min = half(event, 36);
		map->ino = word(event, 40);
		map->ino_generation = word(event, 48);
	}
	map->filename = text_at(event, name_at, size);
	return map->filename ? SPEMU_OK : SPEMU_ERR_CORRUPT;
}

static int decode_comm(struct spemu_perf_event *event, size_t size)
{
	if (size < 8)
		return SPEMU_ERR_CORRUPT;
	event->u.comm.pid = half(event, 0);
	event->u.comm.tid = half(event, 4);
	event->u.comm.exec = event->misc & SPEMU_PERF_MISC_COMM_EXEC;
	event->u.comm.comm = text_at(event, 8, size);
	return event->u.comm.comm ? SPEMU_OK : SPEMU_ERR_CORRUPT;
}

static int decode_auxtrace_info(struct spemu_perf_event *event, size_t size)
{
	struct spemu_perf_auxtrace_info *info = &event->u.auxtrace_info;

	if (size < 8)
		return SPEMU_ERR_CORRUPT;
	info->type = half(event, 0);
	info->priv = event->body + 8;
	info->priv_size = (uint32_t)size - 8;
	if (info->type != SPEMU_PERF_AUXTRACE_SPE)
		return SPEMU_OK;
	if (info->priv_size < 16)
		return SPEMU_ERR_CORRUPT;
	/* Version 1 has two members and no version number. From version 2 on, it is the first of
	 * at least four words. */
	if (info->priv_size == 16) {
		info->version = 1;
		info->pmu_type = half(event, 8);
		return SPEMU_OK;
	}
	if (info->priv_size < 32)
		return SPEMU_ERR_CORRUPT;
	info->version = half(event, 8);
	info->pmu_type = half(event, 24);
	info->n_cpus = half(event, 32);
	/* More CPUs than words mean a corrupt event. */
	return info->n_cpus <= info->priv_size / 8 ? SPEMU_OK : SPEMU_ERR_CORRUPT;
}

/* Return the minimum size of the body of an event that consists of numbers, or 0 for other
 * events. */
static size_t least_size(uint32_t type)
{
	switch (type) {
	case SPEMU_PERF_FORK:
	case SPEMU_PERF_EXIT:
	case SPEMU_PERF_AUX:
	case SPEMU_PERF_TIME_CONV:
		return 24;
	case SPEMU_PERF_LOST:
		return 16;
	case SPEMU_PERF_ITRACE_START:
		return 8;
	case SPEMU_PERF_AUXTRACE:
		return SPEMU_PERF_AUXTRACE_SIZE - PERF_EVENT_HEADER_SIZE;
	default:
		return 0;
	}
}

static int decode_numbers(struct spemu_perf_event *event, size_t size)
{
	if (size < least_size(event->type))
		return SPEMU_ERR_CORRUPT;
	switch (event->type) {
	case SPEMU_PERF_FORK:
	case SPEMU_PERF_EXIT:
		event->u.task =
		        (struct spemu_perf_task){half(event, 0), half(event, 4), half(event, 8),
		                                 half(event, 12), word(event, 16)};
		break;
	case SPEMU_PERF_AUX:
		event->u.aux =
		        (struct spemu_perf_aux){word(event, 0), word(event, 8), word(event, 16)};
		break;
	case SPEMU_PERF_TIME_CONV:
		event->u.time_conv = (struct spemu_perf_time_conv){word(event, 0), word(event, 8),
		                                                   word(event, 16)};
		break;
	case SPEMU_PERF_LOST:
		event->u.lost.id = word(event, 0);
		event->u.lost.count = word(event, 8);
		break;
	case SPEMU_PERF_ITRACE_START:
		event->u.itrace_start.pid = half(event, 0);
		event->u.itrace_start.tid = half(event, 4);
		break;
	case SPEMU_PERF_AUXTRACE:
		event->u.auxtrace = (struct spemu_perf_auxtrace){.size = word(event, 0),
		                                                 .offset = word(event, 8),
		                                                 .reference = word(event, 16),
		                                                 .idx = half(event, 24),
		                                                 .tid = half(event, 28),
		                                                 .cpu = half(event, 32)};
		break;
	default:
		break;
	}
	return SPEMU_OK;
}

int spemu__perf_view_decode(const struct spemu_perf_file *file, struct spemu_perf_event *event)
{
	size_t size = decode_trailer(file, event);

	switch (event->type) {
	case SPEMU_PERF_MMAP:
	case SPEMU_PERF_MMAP2:
		return decode_mmap(event, size);
	case SPEMU_PERF_COMM:
		return decode_comm(event, size);
	case SPEMU_PERF_AUXTRACE_INFO:
		return decode_auxtrace_info(event, size);
	default:
		return decode_numbers(event, size);
	}
}
