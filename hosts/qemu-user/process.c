/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads and processes of the guest, as QEMU shows them: vCPUs and system calls.
 *
 * In user mode QEMU 7.2 makes vfork() and posix_spawn() a fork(), so a child always has a copy of
 * everything. The vcpu_init callback runs on the creating thread, vcpu_exit on the ending one; the
 * index of a vcpu is used again.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "address.h"
#include "driver.h"
#include "exec.h"
#include "mappings.h"
#include "process.h"
#include "restart_block.h"
#include "sample.h"

QEMU_WEAK void start_exclusive(void);
QEMU_WEAK void end_exclusive(void);

/* System call numbers of AArch64 (asm-generic/unistd.h of Linux). */
enum {
	NR_EXIT = 93,
	NR_KILL = 129,
	NR_TKILL = 130,
	NR_TGKILL = 131,
	NR_RT_SIGACTION = 134,
	NR_RT_SIGQUEUEINFO = 138,
	NR_PRCTL = 167,
	NR_MREMAP = 216,
	NR_CLONE = 220,
	NR_EXECVE = 221,
	NR_MMAP = 222,
	NR_MPROTECT = 226,
	NR_RT_TGSIGQUEUEINFO = 240,
	NR_CLONE3 = 435,
};
#define GUEST_PR_SET_NAME 15
#define GUEST_PROT_EXEC 4
#define GUEST_MAP_ANONYMOUS 0x20
#define GUEST_NSIG 65

struct process process;

/* Over the end of threads and of the process: for draining a vcpu that is not the caller's. */
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;

static unsigned vcpus_used;  /* one more than the highest index seen */
static volatile bool forked; /* in a child, until its first callback */
static _Atomic uint64_t handlers[GUEST_NSIG];

/* The arguments of a system call that its return needs. */
static __thread struct {
	uint64_t a1, a2, a3, a4;
} call __attribute__((tls_model("initial-exec")));

/* Cores of the timing model that no thread uses; they are kept for the next. */
static struct spemu_uarch_core *idle_cores[MAX_VCPUS];
static unsigned n_idle_cores, n_cores;

static void append(const uint8_t *event, int size)
{
	struct iovec part = {.iov_base = (void *)(uintptr_t)event};

	if (size <= 0)
		return;
	part.iov_len = (size_t)size;
	recording_append(&process.rec, &part, 1);
}

static void put_comm(const struct spemu_perf_who *who, const char *comm, bool exec)
{
	uint8_t event[128];

	append(event, spemu_perf_put_comm(event, sizeof(event), who, comm, exec));
}

void process_comm_exec(void)
{
	struct spemu_perf_who who = {
	        .pid = (uint32_t)process.pid,
	        .tid = (uint32_t)process.pid,
	        .time = perf_now(),
	};
	const char *path = qemu_plugin_path_to_binary ? qemu_plugin_path_to_binary() : NULL;
	const char *slash = path ? strrchr(path, '/') : NULL;

	put_comm(&who, slash ? slash + 1 : path ? path : "guest", true);
	free((void *)(uintptr_t)path);
}

/* Give the thread a core of the timing model. Under the lock. */
static struct spemu_uarch_core *core_get(void)
{
	struct spemu_uarch_core *core = NULL;
	size_t size;
	void *memory;

	if (!process.shared)
		return NULL;
	if (n_idle_cores)
		return idle_cores[--n_idle_cores];
	if (n_cores >= SPEMU_UARCH_MAX_CORES)
		return NULL; /* this thread's records carry no timing */
	size = spemu_uarch_core_size(process.shared);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	if (spemu_uarch_core_init(&core, memory, size, process.shared, n_cores) != SPEMU_OK) {
		munmap(memory, size);
		return NULL;
	}
	n_cores++;
	return core;
}

void process_vcpu_init(qemu_plugin_id_t id, unsigned cpu)
{
	struct vcpu *vcpu;

	(void)id;
	if (cpu >= MAX_VCPUS || !process.recording)
		return;
	vcpu = mmap(NULL, sizeof(*vcpu), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	            0);
	if (vcpu == MAP_FAILED) {
		recording_note(&process.rec, "no memory for a thread: it runs unsampled");
		countdown[cpu].vcpu = NULL;
		return;
	}
	vcpu->index = cpu;
	if (cpu >= vcpus_used)
		vcpus_used = cpu + 1;
	countdown[cpu].left = 0; /* its first block calls process_thread_start() */
	countdown[cpu].vcpu = vcpu;
}

static void calibrate(void)
{
	process.calibrated = true;
	if (process.addresses != ADDRESS_RESTART)
		return;
	if (restart_block_calibrate()) {
		process.entry_addresses = address_calibrate();
		return;
	}
	process.addresses = ADDRESS_ALWAYS;
	recording_note(&process.rec, "QEMU's internals differ from what is known: every access is "
	                             "followed, which is slower");
}

void process_thread_start(struct vcpu *vcpu)
{
	struct spemu_perf_who who;
	uint8_t event[128];

	if (!process.calibrated)
		calibrate();
	vcpu->tid = gettid();
	vcpu->lane = recording_lane_get(&process.rec);
	vcpu_who(&who, vcpu);
	if (vcpu->tid != process.pid)
		append(event, spemu_perf_put_fork(event, sizeof(event), &who, who.pid, who.pid,
		                                  who.tid, who.pid));
	pthread_mutex_lock(&ending);
	vcpu->core = core_get();
	pthread_mutex_unlock(&ending);
	if (!driver_start(vcpu)) {
		vcpu->dead = true;
		recording_note(&process.rec, "no SPU for a thread: it runs unsampled");
		return;
	}
	sample_reload(vcpu);
}

/* End of a thread's profile; its own thread, or all others are kept out. */
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
	vcpu_who(&who, vcpu);
	append(event, spemu_perf_put_exit(event, sizeof(event), &who, who.pid,
	                                  (uint32_t)process.ppid, who.tid, who.pid));
	recording_lane_put(&process.rec, vcpu->lane);
	vcpu->tid = 0;
}

void process_vcpu_exit(qemu_plugin_id_t id, unsigned cpu)
{
	struct vcpu *vcpu = vcpu_at(cpu);

	(void)id;
	if (!vcpu)
		return;
	pthread_mutex_lock(&ending);
	countdown[cpu].vcpu = NULL;
	if (process.recording)
		thread_end(vcpu);
	if (vcpu->core)
		idle_cores[n_idle_cores++] = vcpu->core;
	pthread_mutex_unlock(&ending);
	driver_free(vcpu);
	munmap(vcpu, sizeof(*vcpu));
}

void process_atexit(qemu_plugin_id_t id, void *udata)
{
	(void)id;
	(void)udata;
	pthread_mutex_lock(&ending);
	if (process.recording && process.pid == getpid()) {
		process.recording = false;
		/* The first thread's EXIT is the process's: last. */
		for (unsigned i = vcpus_used; i-- > 0;) {
			if (countdown[i].vcpu)
				thread_end(countdown[i].vcpu);
		}
	}
	pthread_mutex_unlock(&ending);
}

void process_drain_all(bool restart)
{
	if (!start_exclusive || !end_exclusive)
		return;
	start_exclusive();
	pthread_mutex_lock(&ending);
	for (unsigned i = 0; i < vcpus_used; i++) {
		struct vcpu *vcpu = countdown[i].vcpu;

		if (vcpu && vcpu->tid && !vcpu->dead)
			driver_drain(vcpu, restart);
	}
	pthread_mutex_unlock(&ending);
	end_exclusive();
}

/* In the child of a fork: only the calling thread is left, and nothing in its buffer is its own. */
static void after_fork(struct vcpu *vcpu)
{
	pid_t parent_tid = vcpu ? vcpu->tid : process.pid;
	struct spemu_perf_who who;
	uint8_t event[128];

	forked = false;
	process.ppid = process.pid;
	process.pid = getpid();
	for (unsigned i = 0; i < vcpus_used; i++) {
		struct vcpu *other = countdown[i].vcpu;

		if (!other || other == vcpu)
			continue;
		countdown[i].vcpu = NULL;
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
	vcpu->flight.active = false;
	vcpu->next.active = false;
	vcpu->tid = gettid();
	vcpu->lane = recording_lane_get(&process.rec);
	vcpu_who(&who, vcpu);
	append(event, spemu_perf_put_fork(event, sizeof(event), &who, who.pid,
	                                  (uint32_t)process.ppid, who.tid, (uint32_t)parent_tid));
	vcpu->dead = !driver_start(vcpu);
	if (!vcpu->dead)
		sample_reload(vcpu);
}

static void fork_prepare(void)
{
	pthread_mutex_lock(&ending);
}

static void fork_parent(void)
{
	pthread_mutex_unlock(&ending);
}

static void fork_child(void)
{
	pthread_mutex_init(&ending, NULL);
	forked = true;
}

bool process_install(void)
{
	return pthread_atfork(fork_prepare, fork_parent, fork_child) == 0;
}

bool process_is_handler(uint64_t pc)
{
	if (pc > 1) {
		for (unsigned i = 1; i < GUEST_NSIG; i++) {
			if (atomic_load_explicit(&handlers[i], memory_order_relaxed) == pc)
				return true;
		}
	}
	return false;
}

/* The handler that sigaction will set; its first word is the handler in the kernel's struct. */
static void note_handler(uint64_t signo, uint64_t action)
{
	uint64_t handler;

	if (signo >= GUEST_NSIG || !action || !mappings_readable(action, sizeof(handler)))
		return;
	memcpy(&handler, mappings_host(action), sizeof(handler));
	atomic_store_explicit(&handlers[signo], handler, memory_order_relaxed);
}

/* Whether a signal that the guest sends itself may end it: QEMU tells nobody then. */
static bool deadly(int64_t num, uint64_t a1, uint64_t a2, uint64_t a3)
{
	bool group = num == NR_TGKILL || num == NR_RT_TGSIGQUEUEINFO;
	uint64_t signo = group ? a3 : a2;
	int32_t target = (int32_t)a1;

	if (signo == 0 || signo >= GUEST_NSIG || atomic_load(&handlers[signo]) != 0)
		return false;
	return target <= 0 || target == process.pid || (num == NR_TKILL && target == gettid());
}

static void set_name(const struct vcpu *vcpu, uint64_t name)
{
	struct spemu_perf_who who;
	char comm[16] = "";

	if (!mappings_readable(name, 1))
		return;
	for (unsigned i = 0; i < sizeof(comm) - 1; i++) {
		if (!mappings_readable(name + i, 1))
			break;
		memcpy(&comm[i], mappings_host(name + i), 1);
		if (!comm[i])
			break;
	}
	vcpu_who(&who, vcpu);
	put_comm(&who, comm, false);
}

void process_syscall(qemu_plugin_id_t id, unsigned cpu, int64_t num, uint64_t a1, uint64_t a2,
                     uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	struct vcpu *vcpu = vcpu_at(cpu);

	(void)id;
	(void)a5;
	(void)a6;
	(void)a7;
	(void)a8;
	if (!vcpu || vcpu->dead || !vcpu->tid || !process.recording)
		return;
	call.a1 = a1;
	call.a2 = a2;
	call.a3 = a3;
	call.a4 = a4;
	if (vcpu->flight.active) {
		pthread_mutex_lock(&ending); /* against the end of the process */
		if (process.recording)
			sample_syscall(vcpu);
		pthread_mutex_unlock(&ending);
	}
	switch (num) {
	case NR_KILL:
	case NR_TKILL:
	case NR_TGKILL:
	case NR_RT_SIGQUEUEINFO:
	case NR_RT_TGSIGQUEUEINFO:
		if (deadly(num, a1, a2, a3))
			process_drain_all(true);
		break;
	case NR_RT_SIGACTION:
		note_handler(a1, a2);
		break;
	case NR_PRCTL:
		if (a1 == GUEST_PR_SET_NAME)
			set_name(vcpu, a2);
		break;
	case NR_EXECVE:
		exec_call(a1, a2, a3);
		break;
	default:
		break;
	}
}

void process_syscall_ret(qemu_plugin_id_t id, unsigned cpu, int64_t num, int64_t ret)
{
	(void)id;
	if (!process.recording)
		return;
	switch (num) {
	case NR_CLONE:
	case NR_CLONE3:
		if (forked)
			after_fork(vcpu_at(cpu));
		break;
	case NR_MMAP:
		if (ret > 0 || ret < -4095) {
			if (!(call.a4 & GUEST_MAP_ANONYMOUS) || (call.a3 & GUEST_PROT_EXEC))
				mappings_range((uint64_t)ret, call.a2);
		}
		break;
	case NR_MPROTECT:
		if (ret == 0 && (call.a3 & GUEST_PROT_EXEC))
			mappings_range(call.a1, call.a2);
		break;
	case NR_MREMAP:
		if (ret > 0 || ret < -4095)
			mappings_range((uint64_t)ret, call.a3);
		break;
	default:
		break;
	}
}
