/* SPDX-License-Identifier: MIT */
/*
 * Building the events of a perf.data file.
 *
 * Source: include/uapi/linux/perf_event.h (enum perf_event_type) and
 * tools/lib/perf/include/perf/event.h of Linux 6.1; tools/perf/util/arm-spe.h of Linux 6.14
 * (metadata version 2; its event filter was added later).
 */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include <spemu/perfdata.h>

#include "base/bits.h"
#include "perfdata/perf_format.h"

/* The position of the next member. The caller has checked that all members fit. */
struct out {
	uint8_t *pos;
};

static void put32(struct out *o, uint32_t v)
{
	le_store32(o->pos, v);
	o->pos += 4;
}

static void put64(struct out *o, uint64_t v)
{
	le_store64(o->pos, v);
	o->pos += 8;
}

static void put_header(struct out *o, uint32_t type, uint32_t misc, size_t size)
{
	put32(o, type);
	put32(o, misc | (uint32_t)size << 16);
}

/* Put a text into room bytes, with zeros after it. */
static void put_text(struct out *o, const char *text, size_t length, size_t room)
{
	memcpy(o->pos, text, length);
	memset(o->pos + length, 0, room - length);
	o->pos += room;
}

static void put_trailer(struct out *o, const struct spemu_perf_who *who)
{
	put32(o, who->pid);
	put32(o, who->tid);
	put64(o, who->time);
	put32(o, who->cpu);
	put32(o, 0);
	put64(o, SPEMU_PERF_EVENT_ID);
}

/* Write an event of n words. It has a trailer unless who is NULL. */
static int put_words(uint8_t *buf, size_t size, uint32_t type, const struct spemu_perf_who *who,
                     const uint64_t *words, size_t n)
{
	struct out o = {buf};
	size_t total = PERF_EVENT_HEADER_SIZE + 8 * n + (who ? SPEMU_PERF_TRAILER_SIZE : 0);

	if (size < total)
		return SPEMU_ERR_NOSPACE;
	put_header(&o, type, 0, total);
	for (size_t i = 0; i < n; i++)
		put64(&o, words[i]);
	if (who)
		put_trailer(&o, who);
	return (int)total;
}

/* Return a word that consists of two 32-bit members in memory order. */
static uint64_t pair(uint32_t first, uint32_t second)
{
	return first | (uint64_t)second << 32;
}

int spemu_perf_put_comm(uint8_t *buf, size_t size, const struct spemu_perf_who *who,
                        const char *comm, bool exec)
{
	struct out o = {buf};
	size_t length, room, total;

	if (!buf || !who || !comm)
		return SPEMU_ERR_INVALID;
	length = strnlen(comm, 15);
	room = (size_t)perf_align(length + 1, 8);
	total = PERF_EVENT_HEADER_SIZE + 8 + room + SPEMU_PERF_TRAILER_SIZE;
	if (size < total)
		return SPEMU_ERR_NOSPACE;
	put_header(&o, SPEMU_PERF_COMM, exec ? SPEMU_PERF_MISC_COMM_EXEC : 0, total);
	put32(&o, who->pid);
	put32(&o, who->tid);
	put_text(&o, comm, length, room);
	put_trailer(&o, who);
	return (int)total;
}

static uint32_t mmap_misc(const struct spemu_perf_mmap *map)
{
	uint32_t misc = map->cpumode ? map->cpumode : SPEMU_PERF_MISC_USER;

	if (map->data)
		misc |= SPEMU_PERF_MISC_MMAP_DATA;
	if (map->build_id_size)
		misc |= SPEMU_PERF_MISC_MMAP_BUILD_ID;
	return misc;
}

int spemu_perf_put_mmap2(uint8_t *buf, size_t size, const struct spemu_perf_who *who,
                         const struct spemu_perf_mmap *map)
{
	struct out o = {buf};
	size_t length, room, total;

	if (!buf || !who || !map || !map->filename ||
	    map->build_id_size > SPEMU_PERF_BUILD_ID_MAX || map->cpumode > SPEMU_PERF_MISC_CPUMODE)
		return SPEMU_ERR_INVALID;
	length = strnlen(map->filename, SPEMU_PERF_FILENAME_MAX + 1);
	if (length > SPEMU_PERF_FILENAME_MAX)
		return SPEMU_ERR_INVALID;
	room = (size_t)perf_align(length + 1, 8);
	total = PERF_EVENT_HEADER_SIZE + 64 + room + SPEMU_PERF_TRAILER_SIZE;
	if (size < total)
		return SPEMU_ERR_NOSPACE;
	put_header(&o, SPEMU_PERF_MMAP2, mmap_misc(map), total);
	put32(&o, map->pid);
	put32(&o, map->tid);
	put64(&o, map->start);
	put64(&o, map->len);
	put64(&o, map->pgoff);
	if (map->build_id_size) {
		put32(&o, map->build_id_size);
		put_text(&o, (const char *)map->build_id, map->build_id_size,
		         SPEMU_PERF_BUILD_ID_MAX);
	} else {
		put32(&o, map->maj);
		put32(&o, map->min);
		put64(&o, map->ino);
		put64(&o, map->ino_generation);
	}
	put32(&o, map->prot);
	put32(&o, map->flags);
	put_text(&o, map->filename, length, room);
	put_trailer(&o, who);
	return (int)total;
}

int spemu_perf_put_task(uint8_t *buf, size_t size, const struct spemu_perf_who *who,
                        enum spemu_perf_type type, uint32_t pid, uint32_t ppid, uint32_t tid,
                        uint32_t ptid)
{
	if (!buf || !who || (type != SPEMU_PERF_FORK && type != SPEMU_PERF_EXIT))
		return SPEMU_ERR_INVALID;
	return put_words(buf, size, type, who,
	                 (const uint64_t[]){pair(pid, ppid), pair(tid, ptid), who->time}, 3);
}

int spemu_perf_put_sample(uint8_t *buf, size_t size, const struct spemu_perf_who *who,
                          const uint64_t *stack, uint32_t n, const struct spemu_perf_frame *frame)
{
	struct out o = {buf};
	size_t total = SPEMU_PERF_CALLCHAIN_SIZE(n);

	if (!buf || !who || !stack || n < 1 || n > SPEMU_PERF_CALLCHAIN_MAX || !frame ||
	    frame->caller >= n)
		return SPEMU_ERR_INVALID;
	if (size < total)
		return SPEMU_ERR_NOSPACE;
	put_header(&o, SPEMU_PERF_SAMPLE, SPEMU_PERF_MISC_USER, total);
	put64(&o, SPEMU_PERF_CALLCHAIN_ID);
	put64(&o, stack[0]);
	put32(&o, who->pid);
	put32(&o, who->tid);
	put64(&o, who->time);
	put32(&o, who->cpu);
	put32(&o, 0);
	put64(&o, n + 1u);
	put64(&o, SPEMU_PERF_CONTEXT_USER);
	for (uint32_t i = 0; i < n; i++)
		put64(&o, stack[i]);
	put32(&o, SPEMU_PERF_FRAME_SIZE);
	put32(&o, frame->caller);
	put64(&o, frame->cfa);
	return (int)total;
}

int spemu_perf_put_aux(uint8_t *buf, size_t size, const struct spemu_perf_who *who,
                       uint64_t aux_offset, uint64_t aux_size, uint64_t flags)
{
	if (!buf || !who)
		return SPEMU_ERR_INVALID;
	return put_words(buf, size, SPEMU_PERF_AUX, who,
	                 (const uint64_t[]){aux_offset, aux_size, flags}, 3);
}

int spemu_perf_put_time_conv(uint8_t *buf, size_t size, const struct spemu_perf_time_conv *tc)
{
	if (!buf || !tc || !tc->time_mult || tc->time_mult > UINT32_MAX || tc->time_shift > 63)
		return SPEMU_ERR_INVALID;
	/* The last two members: time_cycles, time_mask; cap_user_time_zero 1,
	 * cap_user_time_short 0. */
	return put_words(
	        buf, size, SPEMU_PERF_TIME_CONV, NULL,
	        (const uint64_t[]){tc->time_shift, tc->time_mult, tc->time_zero, 0, UINT64_MAX, 1},
	        6);
}

static void put_spe_cpu(struct out *o, const struct spemu_perf_spe_cpu *cpu)
{
	put64(o, PERF_SPE_CPU_MAGIC);
	put64(o, cpu->cpu);
	put64(o, 4); /* count of the following numbers */
	put64(o, cpu->midr);
	put64(o, cpu->pmu_type);
	put64(o, cpu->min_interval);
	put64(o, cpu->event_filter);
}

int spemu_perf_put_auxtrace_info(uint8_t *buf, size_t size, uint32_t pmu_type,
                                 const struct spemu_perf_spe_cpu *cpus, uint32_t n)
{
	struct out o = {buf};
	const size_t total = SPEMU_PERF_AUXTRACE_INFO_CPUS_SIZE(n);

	if (!buf || (n && !cpus) || n > SPEMU_PERF_SPE_CPUS_MAX)
		return SPEMU_ERR_INVALID;
	if (!n) /* the last word is per_cpu_mmaps: one queue per CPU */
		return put_words(buf, size, SPEMU_PERF_AUXTRACE_INFO, NULL,
		                 (const uint64_t[]){SPEMU_PERF_AUXTRACE_SPE, pmu_type, 1}, 3);
	if (size < total)
		return SPEMU_ERR_NOSPACE;
	put_header(&o, SPEMU_PERF_AUXTRACE_INFO, 0, total);
	put64(&o, SPEMU_PERF_AUXTRACE_SPE);
	put64(&o, 2); /* version of the metadata */
	put64(&o, 4); /* count of the numbers before the first CPU */
	put64(&o, pmu_type);
	put64(&o, n);
	for (uint32_t i = 0; i < n; i++)
		put_spe_cpu(&o, &cpus[i]);
	return (int)total;
}

int spemu_perf_put_auxtrace(uint8_t *buf, size_t size, uint32_t lane, uint64_t offset,
                            uint64_t trace_size)
{
	if (!buf || trace_size % 8 || lane > INT32_MAX)
		return SPEMU_ERR_INVALID;
	/* reference is for snapshots only. tid is -1 because the CONTEXT packets identify the
	 * thread. */
	return put_words(buf, size, SPEMU_PERF_AUXTRACE, NULL,
	                 (const uint64_t[]){trace_size, offset, 0, pair(lane, UINT32_MAX), lane},
	                 5);
}
