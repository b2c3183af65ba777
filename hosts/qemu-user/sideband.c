/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer of sideband events; see sideband.h.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "locks.h"
#include "qemu_plugin_api.h"
#include "sideband.h"

void sideband_who_process(struct spemu_perf_who *who)
{
	memset(who, 0, sizeof(*who));
	who->pid = (uint32_t)process.pid;
	who->tid = (uint32_t)process.pid;
	who->time = recording_now();
}

void sideband_who(struct spemu_perf_who *who, const struct vcpu *vcpu)
{
	sideband_who_process(who);
	who->tid = (uint32_t)vcpu->tid;
	who->cpu = vcpu->lane;
}

/* Events kept for a later append. */
static struct {
	_Atomic size_t size;
	uint8_t event[RECORDING_EVENTS_MAX];
} kept;

static void append(const uint8_t *events, size_t size)
{
	struct iovec part = {.iov_base = (void *)(uintptr_t)events, .iov_len = size};

	recording_append(&process.rec, &part, 1);
}

/* Append the kept events. Called under the lock. */
static void append_kept(void)
{
	if (kept.size)
		append(kept.event, kept.size);
	kept.size = 0;
}

void sideband_flush(void)
{
	if (!kept.size)
		return;
	pthread_mutex_lock(&locks[LOCK_SIDEBAND]);
	append_kept();
	pthread_mutex_unlock(&locks[LOCK_SIDEBAND]);
}

void sideband_append(const uint8_t *event, int size)
{
	sideband_flush();
	if (size > 0)
		append(event, (size_t)size);
}

void sideband_keep(const uint8_t *event, int size)
{
	if (size <= 0)
		return;
	pthread_mutex_lock(&locks[LOCK_SIDEBAND]);
	if ((size_t)size > sizeof(kept.event) - kept.size)
		append_kept();
	memcpy(kept.event + kept.size, event, (size_t)size);
	kept.size += (size_t)size;
	pthread_mutex_unlock(&locks[LOCK_SIDEBAND]);
}

void sideband_forked(void)
{
	kept.size = 0;
}

void sideband_comm(const struct spemu_perf_who *who, const char *comm, bool exec)
{
	uint8_t event[128];

	sideband_append(event, spemu_perf_put_comm(event, sizeof(event), who, comm, exec));
}

void sideband_comm_exec(void)
{
	const char *path = qemu_plugin_path_to_binary ? qemu_plugin_path_to_binary() : NULL;
	const char *slash = path ? strrchr(path, '/') : NULL;
	struct spemu_perf_who who;

	sideband_who_process(&who);
	sideband_comm(&who, slash ? slash + 1 : path ? path : "guest", true);
	free((void *)(uintptr_t)path);
}
