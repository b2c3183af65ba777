/* SPDX-License-Identifier: MIT */
/*
 * The control area of a recording: the memory through which the recorder and the recorded processes
 * communicate.
 *
 * Its users are processes of one machine and one version of this code (layout, size). Any of them
 * may overwrite anything in the area at any time, so no user relies on its contents. The recorder
 * keeps its data in struct recorder, and a process in struct recording. Each value is copied once,
 * and the copy is checked. The recorder takes no lock in the area. The area has no mutex of the C
 * library, because a mutex keeps pointers in its memory.
 *
 * A process sends requests through a *slot*. It takes the slot, writes a request into it and data
 * into its room, and waits for the reply. Each lane has a slot, whose room begins with the lane's
 * Profiling Buffer. The slot of the last lane is for threads without their own lane.
 *
 *     IDLE -> TAKEN (process) -> ASKED (process) -> REPLIED (recorder) -> IDLE (process)
 *
 * A slot's state includes the thread that took it, so that the slot of a dead thread can be
 * recognized and taken.
 */
#ifndef RECORDING_AREA_H
#define RECORDING_AREA_H

#include <stdatomic.h>

#include "recording.h"

#define RECORDING_MAGIC UINT64_C(0x4c54435f554d4553)
#define RECORDING_PAGE 4096u
/* The slot and the lane of threads without their own. */
#define RECORDING_COMMON (RECORDING_LANES - 1)

/* The two low bits of a slot's state, below the thread's number. In an idle slot all bits are 0. */
enum recording_phase {
	RECORDING_IDLE,
	RECORDING_TAKEN,
	RECORDING_ASKED,
	RECORDING_REPLIED,
};
#define RECORDING_PHASE(state) ((enum recording_phase)((state)&3))
#define RECORDING_TAKER(state) ((int32_t)((state) >> 2))
#define RECORDING_SLOT_STATE(phase, taker) ((uint32_t)(taker) << 2 | (uint32_t)(phase))

enum recording_request_kind {
	RECORDING_ASK_EVENTS,  /* append size bytes of events */
	RECORDING_ASK_AUX,     /* append size bytes of trace with flags, for lane and pid, tid */
	RECORDING_ASK_SALVAGE, /* deliver the data of the lane's dead thread */
	RECORDING_ASK_STACKS,  /* append size bytes of the slot's call stacks */
};

struct recording_request {
	uint32_t kind;
	uint32_t lane;
	uint64_t size, flags;
	uint32_t pid, tid;
	uint64_t time;
};

struct recording_slot {
	_Atomic uint32_t state; /* a futex */
	int32_t status;         /* the reply */
	struct recording_request request;
};

struct recording_lane {
	_Atomic int32_t owner; /* number of the process, or 0 if free */
	uint32_t spare;
	struct recording_state state; /* all members but `used`, which is stored last */
	_Atomic uint64_t used;        /* undelivered bytes in the lane's buffer */
	_Atomic uint64_t stacks;      /* undelivered bytes of call stacks, in stack_count events */
	_Atomic uint64_t stack_count;
};

/* The part of the area that a process copies when it attaches. */
struct recording_card {
	uint64_t magic;
	uint32_t layout;
	uint32_t size;
	int32_t recorder;                    /* number of the recorder's process */
	uint64_t proc_device, pid_namespace; /* see recording_who.c; 0: unknown */
	uint32_t rooms;                      /* lanes that have a room */
	struct recording_params params;
};

struct recording_area {
	struct recording_card card;
	_Atomic uint32_t finished;
	_Atomic uint32_t off; /* recording is switched off */
	_Atomic uint64_t counter[RECORDING_COUNTERS];

	/* State of the first note: 0 none, 1 being written, 2 complete. */
	_Atomic uint32_t note_state;
	char note[RECORDING_NOTE_MAX];

	_Atomic uint32_t numbers_made; /* see recording_who.h */

	_Atomic uint32_t bell; /* a futex, rung after a bit of pending was set */
	_Atomic uint64_t pending[RECORDING_LANES / 64];
	struct recording_slot slot[RECORDING_LANES];
	struct recording_lane lane[RECORDING_LANES];
};

/* Return the bytes of a Profiling Buffer with these parameters, or 0 if they are impossible. */
uint64_t recording_buffer_size(const struct recording_params *params);
/* Return true if the buffer size is possible and all texts are NUL-terminated. */
bool recording_params_check(const struct recording_params *params);
/* Make the area for rec->params with a sealed size, and map it. Return 0, or errno. */
int recording_area_create(struct recording *rec);
/* Open the area by its path. Return a descriptor that exec closes, or -1 with errno. */
int recording_area_descriptor(const char *control_path);
/* Map an area that a recorder made, and copy the data that a process relies on. `fd` is a
 * descriptor of the area, which rec keeps on success, or -1 to open the path. Return SPEMU_OK, or
 * an error of recording_attach(). */
int recording_area_open(struct recording *rec, const char *control_path, int fd);
void recording_area_close(struct recording *rec);

/* Return a slot's room in this process: a Profiling Buffer and a page for its padding. Return NULL
 * if the slot has no room, or the room is not mapped. */
uint8_t *recording_room(const struct recording *rec, uint32_t slot);
/* Return the room's memory for events, RECORDING_EVENTS_MAX bytes. */
uint8_t *recording_events_room(const struct recording *rec, uint32_t slot);

/* Copy bytes out of the area once, so that later checks apply to the copy. */
void recording_copy_once(void *to, const void *from, size_t size);

/* Wait while *word is value, for at most that many milliseconds. Return false after a timeout. */
bool recording_wait(_Atomic uint32_t *word, uint32_t value, unsigned milliseconds);
void recording_wake(_Atomic uint32_t *word);

#endif
