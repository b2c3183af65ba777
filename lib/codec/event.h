/* SPDX-License-Identifier: MIT */
/*
 * The events of the Events packet in words: one table, made of arch/events.txt.
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6
 */
#ifndef CODEC_EVENT_H
#define CODEC_EVENT_H

/* All NULL for a bit that has no name: IMPLEMENTATION DEFINED or reserved. */
struct event_words {
	const char *name, *perf, *meaning; /* perf's: the name in capitals */
};

extern const struct event_words spemu__event_words[64];

#endif
