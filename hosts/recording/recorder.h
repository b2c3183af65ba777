/* SPDX-License-Identifier: MIT */
/* The recorder's side: the file, and a thread that serves the recorded processes. */
#ifndef RECORDING_RECORDER_H
#define RECORDING_RECORDER_H

#include "recording.h"

struct iovec;

/* The recorder if this process is it: a child of its own is not. */
struct recorder *recorder_here(const struct recording *rec);
/* As recording_append() and recording_append_aux(), for the recorder itself. */
int recorder_append(struct recording *rec, const struct iovec *parts, int n, size_t size);
int recorder_append_aux(struct recording *rec, const struct spemu_perf_who *who,
                        const uint8_t *data, size_t size, uint64_t flags);
int recorder_append_stacks(struct recording *rec, uint32_t lane, uint64_t size);
void recorder_salvage(struct recording *rec, uint32_t lane);
/* Ends the thread, closes the file. */
void recorder_free(struct recording *rec);

#endif
