/* SPDX-License-Identifier: MIT */
/* The events at the beginning of a file; see recording_opening.h. */
#include "recording_opening.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>

#define TIME_CONV_SIZE 56
/* Bytes of the opening before the first CPU. */
#define FRONT_SIZE (TIME_CONV_SIZE + SPEMU_PERF_AUXTRACE_INFO_CPUS_SIZE(0))

uint32_t recording_opening_cpus(const struct recording_opening *opening)
{
	return opening->describes_cpus ? SPEMU_PERF_SPE_CPUS_MAX : RECORDING_LANES;
}

/* Write the event that describes n CPUs. Return its size, or a negative error. */
static int put_info(uint8_t *buf, size_t size, const struct recording_opening *opening, uint32_t n)
{
	struct spemu_perf_spe_cpu *cpus;
	int made;

	if (!opening->describes_cpus)
		return spemu_perf_put_auxtrace_info(buf, size, SPEMU_PERF_PMU_TYPE, NULL, 0);
	cpus = calloc(n, sizeof(*cpus));
	if (!cpus)
		return SPEMU_ERR_IO;
	for (uint32_t i = 0; i < n; i++) {
		cpus[i] = opening->cpu;
		cpus[i].cpu = i;
		cpus[i].pmu_type = SPEMU_PERF_PMU_TYPE;
	}
	made = spemu_perf_put_auxtrace_info(buf, size, SPEMU_PERF_PMU_TYPE, cpus, n);
	free(cpus);
	return made;
}

/* Make the opening with n CPUs. Return memory for the caller to free, or NULL. */
static uint8_t *make(size_t *size, const struct recording_opening *opening, uint32_t n)
{
	const size_t room = TIME_CONV_SIZE + SPEMU_PERF_AUXTRACE_INFO_CPUS_SIZE(n);
	uint8_t *bytes = malloc(room);
	int time, info;

	if (!bytes)
		return NULL;
	time = spemu_perf_put_time_conv(bytes, room, &opening->time);
	info = put_info(bytes + TIME_CONV_SIZE, room - TIME_CONV_SIZE, opening, n);
	if (time != TIME_CONV_SIZE || info < 0) {
		free(bytes);
		return NULL;
	}
	*size = TIME_CONV_SIZE + (size_t)info;
	return bytes;
}

int recording_opening_begin(struct recording_file *file, const struct recording_opening *opening)
{
	struct iovec part;
	size_t size;
	uint8_t *bytes = make(&size, opening, recording_opening_cpus(opening));
	int error;

	if (!bytes)
		return ENOMEM;
	part = (struct iovec){bytes, size};
	error = recording_file_append(file, &part, 1, size);
	free(bytes);
	return error;
}

int recording_opening_finish(struct recording_file *file, const struct recording_opening *opening,
                             uint32_t n)
{
	const uint32_t all = recording_opening_cpus(opening);
	size_t size;
	uint8_t *bytes;
	int error;

	/*
	 * Write the shorter opening over the last CPUs of the longer one. The front of the longer
	 * one stays until the header points to the shorter one, so a reader always finds one of the
	 * two.
	 */
	if (file->streams || !opening->describes_cpus || FRONT_SIZE > 56 * (size_t)(all - n))
		return 0;
	bytes = make(&size, opening, n);
	if (!bytes)
		return ENOMEM;
	error = recording_file_shorten(file, bytes, size, FRONT_SIZE + 56 * (size_t)all);
	free(bytes);
	return error;
}
