/* SPDX-License-Identifier: MIT */
/* The recorder's side: the file, and a thread that serves the recorded processes. */
#ifndef RECORDING_RECORDER_H
#define RECORDING_RECORDER_H

#include "recording.h"

/* Ends the thread, closes the file. */
void recorder_free(struct recording *rec);

#endif
