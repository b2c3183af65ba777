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

/* Open the descriptors of --control: fifo:PATH[,PATH] or fd:N[,M]. Die if this fails. */
void control_open(const char *where);
/* Take snapshots by command and by SIGUSR2, which the program then does not get. Call this before
 * child_signals(). */
void control_snapshots(void);
/*
 * Serve the control, if there is one, while the program runs. A positive delay enables the
 * recording after that many milliseconds.
 */
void control_start(struct recording *rec, int64_t delay);
void control_stop(void);

#endif
