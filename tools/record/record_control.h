/* SPDX-License-Identifier: MIT */
/*
 * Control of a running recording: --control, --delay and --snapshot, as in perf.
 *
 * A thread of the recorder reads commands, one per line. It acknowledges each known command with
 * "ack\n" and a NUL after it is done.
 */
#ifndef TOOLS_RECORD_CONTROL_H
#define TOOLS_RECORD_CONTROL_H

#include "recording.h"

/* Opens what --control names, as fifo:PATH[,PATH] or fd:N[,M]; dies if it cannot be. */
void control_open(const char *where);
/* Snapshots are taken, by command and by SIGUSR2, which the program then does not get. Before
 * child_signals(). */
void control_snapshots(void);
/*
 * From the program's start to its end: takes commands, if there is a control, and switches the
 * recording on after delay milliseconds, if that is more than 0.
 */
void control_start(struct recording *rec, int64_t delay);
void control_stop(void);

#endif
