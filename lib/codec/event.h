/* SPDX-License-Identifier: MIT */
/*
 * The names of the events of the Events packet: one table, generated from arch/events.txt.
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6
 */
#ifndef CODEC_EVENT_H
#define CODEC_EVENT_H

/* The words for an event. All are NULL for a bit without a name, which is IMPLEMENTATION DEFINED or
 * reserved. */
struct event_words {
	const char *name, *perf, *meaning; /* perf is perf's word: the name in capitals */
};

extern const struct event_words spemu__event_words[64];

#endif
