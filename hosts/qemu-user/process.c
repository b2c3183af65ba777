/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads and processes of the guest; see process.h.
 *
 * In user mode QEMU 7.2 executes vfork() and posix_spawn() as a fork(), so a child always has a
 * copy of everything. QEMU calls vcpu_init on the creating thread and vcpu_exit on the ending
 * thread, and reuses the index of a vcpu.
 */
#include <string.h>
#include <unistd.h>

#include "calibrate.h"
#include "driver.h"
#include "fresh_memory.h"
#include "heap.h"
#include "heap_objects.h"
#include "interleave.h"
#include "locks.h"
#include "process.h"
#include "qemu_symbols.h"
#include "entry_registers.h"
#include "region.h"
#include "sample.h"
#include "sideband.h"
#include "stacks.h"
#include "vectors.h"
#include "sampled_window.h"

struct process process;
struct countdown countdown[MAX_VCPUS];
struct qemu_plugin_scoreboard *counted;

static unsigned vcpus_used; /* highest index seen so far, plus 1 */

/* Cores of the timing model that no thread uses, kept for later threads. */
static struct uarch_core *idle_cores[MAX_VCPUS];
static unsigned n_idle_cores, n_cores;

/* Return a core of the timing model for a thread, or NULL. Called under the lock. */
static struct uarch_core *core_get(void)
{
	struct uarch_core *core = NULL;
	size_t size;
	void *memory;

	if (!process.shared)
		return NULL;
	if (n_idle_cores)
		return idle_cores[--n_idle_cores];
	if (n_cores >= UARCH_MAX_CORES)
		return NULL; /* this thread's records lack timing */
	size = uarch_core_size(process.shared);
	memory = fresh_memory(size, 0);
	if (!memory)
		return NULL;
	if (uarch_core_init(&core, memory, size, process.shared, n_cores) != SPEMU_OK) {
		munmap(memory, size);
		return NULL;
	}
	n_cores++;
	return core;
}

void process_vcpu_init(unsigned cpu)
{
	struct vcpu *vcpu;

	if (cpu >= MAX_VCPUS || !process.recording)
		return;
	vcpu = fresh_memory(sizeof(*vcpu), 0);
	if (!vcpu) {
		recording_note(&process.rec, "out of memory for a thread: it runs unsampled");
		countdown[cpu].vcpu = NULL;
		return;
	}
	vcpu->index = cpu;
	if (cpu >= vcpus_used)
		vcpus_used = cpu + 1;
	countdown[cpu] = (struct countdown){0};
	*countdown_left(cpu) = 0; /* so the first block calls process_thread_start() */
	countdown[cpu].vcpu = vcpu;
}

/* Remove SVE from the features if its registers cannot be read, so that no record has a wrong
 * vector length. */
static void calibrate_vectors(void)
{
	enum vectors_found found = process.vectors ? vectors_find() : VECTORS_READABLE;

	if (found == VECTORS_READABLE)
		return;
	process.vectors = false;
	spemu_features_put(&process.features, SPEMU_FEAT_SVE, false);
	if (found == VECTORS_UNREADABLE)
		recording_note(&process.rec,
		               "cannot read registers of this QEMU: records do not show SVE; use "
		               "Debian 12's QEMU 7.2, or QEMU 9.2 or later");
}

static void calibrate(void)
{
	process.calibrated = true;
	process.registers = registers_find();
	calibrate_vectors();
	if (heap_on && !process.registers)
		recording_note(&process.rec,
		               "cannot read registers of this QEMU: the recording has no heap "
		               "objects; use Debian 12's QEMU 7.2, or QEMU 9.2 or later");
	if (process.memory_callbacks)
		return;
	if (calibrate_restart()) {
		process.entry_addresses = process.registers;
		if (!process.sampled || calibrate_flags())
			return;
	}
	if (process.sampled)
		recording_note(&process.rec, "this QEMU's internals are unknown: the timing model "
		                             "is exact, which is slower");
	process.sampled = false;
	process.memory_callbacks = true;
	if (process.params->interleave)
		recording_note(&process.rec,
		               "this QEMU's internals are unknown: threads do not take turns");
	recording_note(&process.rec, "this QEMU's internals are unknown: every memory access is "
	                             "followed, which is slower");
}

/* Get a lane for the thread. Record the thread's creation unless it is the first of its image. */
static void enter_lane(struct vcpu *vcpu, pid_t parent, pid_t parent_tid)
{
	struct spemu_perf_who who;
	uint8_t event[128];

	vcpu->tid = recording_thread_number(&process.rec);
	vcpu->lane = recording_lane_get(&process.rec);
	sideband_who(&who, vcpu);
	if (vcpu->tid != process.pid || parent != process.pid)
		sideband_append(event, spemu_perf_put_task(
		                               event, sizeof(event), &who, SPEMU_PERF_FORK, who.pid,
		                               (uint32_t)parent, who.tid, (uint32_t)parent_tid));
}

static void start_profiling(struct vcpu *vcpu)
{
	vcpu->dead = !driver_start(vcpu);
	if (vcpu->dead)
		return;
	sample_reload(vcpu);
	region_loaded(vcpu);
}

void process_thread_start(struct vcpu *vcpu)
{
	if (!process.calibrated) {
		calibrate();
		region_calibrated();
	}
	if (process.sampled)
		window_thread_starts(vcpu);
	enter_lane(vcpu, process.pid, process.pid);
	pthread_mutex_lock(&locks[LOCK_THREADS]);
	vcpu->core = core_get();
	if (vcpu->core) {
		uarch_count_operations(vcpu->core, sample_executed, vcpu);
		uarch_totals(vcpu->told, vcpu->core);
	}
	countdown[vcpu->index].timed = vcpu->core;
	pthread_mutex_unlock(&locks[LOCK_THREADS]);
	start_profiling(vcpu);
	if (vcpu->dead)
		recording_note(&process.rec,
		               "making the SPU of a thread failed: the thread runs unsampled");
	else
		stacks_thread_starts(vcpu);
}

/* End a thread's profile, on its own thread or while all others are kept out of guest code. */
static void thread_end(struct vcpu *vcpu)
{
	struct spemu_perf_who who;
	uint8_t event[128];

	if (!vcpu->tid)
		return;
	if (!vcpu->dead) {
		sample_finish(vcpu, 0);
		vcpu->base += sample_partial(vcpu);
		driver_drain(vcpu, false);
	}
	sideband_who(&who, vcpu);
	sideband_append(event,
	                spemu_perf_put_task(event, sizeof(event), &who, SPEMU_PERF_EXIT, who.pid,
	                                    (uint32_t)process.ppid, who.tid, who.pid));
	recording_lane_put(&process.rec, vcpu->lane);
	vcpu->tid = 0;
}

void process_vcpu_exit(unsigned cpu)
{
	struct vcpu *vcpu = vcpu_at(cpu);

	interleave_exit();
	if (!vcpu)
		return;
	pthread_mutex_lock(&locks[LOCK_THREADS]);
	countdown[cpu].vcpu = NULL;
	if (process.recording)
		thread_end(vcpu);
	countdown[cpu].timed = NULL;
	if (vcpu->core)
		idle_cores[n_idle_cores++] = vcpu->core;
	pthread_mutex_unlock(&locks[LOCK_THREADS]);
	driver_free(vcpu);
	munmap(vcpu, sizeof(*vcpu));
}

void process_atexit(void)
{
	pthread_mutex_lock(&locks[LOCK_THREADS]);
	if (process.recording && !locks_forked) {
		process.recording = false;
		if (heap_on)
			heap_objects_totals();
		/* The EXIT of the first thread ends the process, so it comes last. */
		for (unsigned i = vcpus_used; i-- > 0;) {
			if (countdown[i].vcpu)
				thread_end(countdown[i].vcpu);
		}
		if (heap_on)
			heap_objects_flush();
	}
	pthread_mutex_unlock(&locks[LOCK_THREADS]);
}

void process_drain_all(void)
{
	if (!start_exclusive || !end_exclusive)
		return;
	start_exclusive();
	pthread_mutex_lock(&locks[LOCK_THREADS]);
	for (unsigned i = 0; i < vcpus_used; i++) {
		struct vcpu *vcpu = countdown[i].vcpu;

		if (vcpu && vcpu->tid && !vcpu->dead)
			driver_drain(vcpu, true);
	}
	if (heap_on)
		heap_objects_totals();
	pthread_mutex_unlock(&locks[LOCK_THREADS]);
	end_exclusive();
}

/* Restart in the child, where only the calling thread exists and the buffer's contents belong to
 * the parent. */
void process_after_fork(struct vcpu *vcpu)
{
	pid_t parent_tid = vcpu ? vcpu->tid : process.pid;

	if (!locks_forked)
		return;
	locks_forked = false;
	interleave_forked();
	sideband_forked();
	process.ppid = process.pid;
	process.pid = recording_forked(&process.rec);
	for (unsigned i = 0; i < vcpus_used; i++) {
		struct vcpu *other = countdown[i].vcpu;

		if (!other || other == vcpu)
			continue;
		countdown[i] = (struct countdown){0};
		if (other->core)
			idle_cores[n_idle_cores++] = other->core;
		driver_free(other);
		munmap(other, sizeof(*other));
	}
	if (process.params->flags & RECORDING_NO_FOLLOW) {
		process.recording = false;
		if (vcpu)
			vcpu->dead = true;
	}
	if (!vcpu || vcpu->dead)
		return;
	recording_count(&process.rec, RECORDING_PROCESSES, 1);
	memset(vcpu->count, 0, sizeof(vcpu->count));
	vcpu->base = 0;
	if (vcpu->core)
		uarch_totals(vcpu->told, vcpu->core);
	vcpu->flight.active = false;
	vcpu->next.active = false;
	countdown[vcpu->index].timed = vcpu->core;
	enter_lane(vcpu, process.ppid, parent_tid);
	if (heap_on)
		heap_objects_forked(); /* after FORK, which introduces the process to perf */
	start_profiling(vcpu);
}

void process_end_sample(struct vcpu *vcpu)
{
	pthread_mutex_lock(&locks[LOCK_THREADS]); /* excludes the end of the process */
	if (process.recording)
		sample_syscall(vcpu);
	pthread_mutex_unlock(&locks[LOCK_THREADS]);
}
