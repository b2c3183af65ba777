/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sideband events into the recording; see sideband.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "qemu_plugin_api.h"
#include "sideband.h"

void sideband_who_process(struct spemu_perf_who *who)
{
	memset(who, 0, sizeof(*who));
	who->pid = (uint32_t)process.pid;
	who->tid = (uint32_t)process.pid;
	who->time = perf_now();
}

void sideband_who(struct spemu_perf_who *who, const struct vcpu *vcpu)
{
	sideband_who_process(who);
	who->tid = (uint32_t)vcpu->tid;
	who->cpu = vcpu->lane;
}

void sideband_append(const uint8_t *event, int size)
{
	struct iovec part = {.iov_base = (void *)(uintptr_t)event};

	if (size <= 0)
		return;
	part.iov_len = (size_t)size;
	recording_append(&process.rec, &part, 1);
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
