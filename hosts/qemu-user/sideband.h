/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sideband events (perf's term): events about processes and memory, beside the records. */
#ifndef SIDEBAND_H
#define SIDEBAND_H

#include <stdbool.h>

#include <spemu/perfdata.h>

#include "vcpu.h"

/* Fill `who` for an event of this thread, or of the process's first thread without a particular
 * CPU. */
void sideband_who(struct spemu_perf_who *who, const struct vcpu *vcpu);
void sideband_who_process(struct spemu_perf_who *who);

/* Append an event of size bytes after the kept ones. Do nothing if size is 0 or negative. */
void sideband_append(const uint8_t *event, int size);

/*
 * Keep an event of size bytes until the next sideband_flush() or sideband_append(), or until many
 * are kept. A request to the recorder takes as long as several mmap(). Code is translated and
 * samples are delivered only after a flush. So a killed program loses no event that its samples
 * need.
 */
void sideband_keep(const uint8_t *event, int size);
void sideband_flush(void);
/* Drop the kept events in the child of a fork, because the parent appends them. */
void sideband_forked(void);

void sideband_comm(const struct spemu_perf_who *who, const char *comm, bool exec);
/* Write the first event of an image: its name, as after execve(). */
void sideband_comm_exec(void);

#endif
