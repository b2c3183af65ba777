/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sideband events, as perf calls them: events about processes and memory, beside the records. */
#ifndef SIDEBAND_H
#define SIDEBAND_H

#include <stdbool.h>

#include <spemu/perfdata.h>

#include "vcpu.h"

/* Fill `who` for an event of this thread or, on no CPU in particular, of the process's first
 * thread. */
void sideband_who(struct spemu_perf_who *who, const struct vcpu *vcpu);
void sideband_who_process(struct spemu_perf_who *who);

/* Add an event of size bytes, after those that are kept; nothing if size is not above 0. */
void sideband_append(const uint8_t *event, int size);

/*
 * Add an event of size bytes at the next sideband_flush() or sideband_append(), or when many are
 * kept: asking the recorder takes as long as several mmap(). Code is translated and samples are
 * delivered only after a flush, so a program that is killed loses no event that its samples need.
 */
void sideband_keep(const uint8_t *event, int size);
void sideband_flush(void);
/* Drop what is kept, in the child of a fork: the parent appends it. */
void sideband_forked(void);

void sideband_comm(const struct spemu_perf_who *who, const char *comm, bool exec);
/* Write the first event of an image: its name, as of an exec. */
void sideband_comm_exec(void);

#endif
