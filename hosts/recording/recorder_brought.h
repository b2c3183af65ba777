/* SPDX-License-Identifier: MIT */
/* What the processes bring: checked, and put into the file or, in snapshot mode, kept for it. */
#ifndef RECORDER_BROUGHT_H
#define RECORDER_BROUGHT_H

#include "recording.h"

struct iovec;
struct recording_request;

/* The recorder if this process is it: a child of its own is not. */
struct recorder *recorder_here(const struct recording *rec);
/* As recording_append() and recording_append_aux(), for the recorder itself. */
int recorder_append(struct recording *rec, const struct iovec *parts, int n, size_t size);
int recorder_append_aux(struct recording *rec, const struct spemu_perf_who *who,
                        const uint8_t *data, size_t size, uint64_t flags);
int recorder_append_stacks(struct recording *rec, uint32_t lane, uint64_t size);
void recorder_salvage(struct recording *rec, uint32_t lane);

/*
 * What running threads have published goes into the stream now: nothing in snapshot mode. Their
 * call stacks come with their own deliveries.
 */
void recorder_take_live(const struct recording *rec);

/* All under the lock. The answer to a request, which is the recorder's own copy. */
int recorder_answer(const struct recording *rec, uint32_t slot,
                    const struct recording_request *request);
/* The end of snapshot mode: what no snapshot has had is given up. */
void recorder_end_windows(const struct recording *rec);

#endif
