/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns of threads; see interleave.h.
 *
 * A thread waits in the entry callback of a block, where QEMU considers it running. Another thread
 * that needs all others to stop (fork(), exit, an atomic access that the host lacks) would wait
 * forever. So a waiting thread leaves its block every few milliseconds, before any of it has run,
 * and enters it again.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "interleave.h"
#include "guest_abi.h"
#include "vcpu.h"
#include "qemu_symbols.h"
#include "restart_block.h"

#define LEAVE_MS 2
#define PATIENCE_MS 100
/* Spins before a waiting thread sleeps. Waking up takes longer than many short turns. */
#define SPINS 1000

struct thread {
	struct thread *next; /* the thread made after this one */
	pthread_cond_t turn; /* signaled when the thread gets the turn */
	bool runnable;       /* false in a system call that may block */
	bool in_syscall;
	bool in_wake;          /* in a system call that wakes other threads */
	uint64_t futex;        /* the futex for which the thread waits */
	uint64_t ctid;         /* the futex that the thread's end wakes */
	unsigned wakes;        /* threads that wait for ctid */
	uint64_t woken_before; /* `returned` when its system call began */
	uint64_t seen, since;  /* `turns` at its last change, and that time in ms */
	int64_t left;          /* operations left of its turn; 0 or less without a turn */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_condattr_t monotonic;
static pthread_cond_t changed; /* signaled when `expected` or `starting` changes */
static struct thread *threads; /* oldest first */
static unsigned cpus;          /* threads that can run at once */
static struct thread *holder;  /* the thread with the turn; read without the lock, too */
static uint64_t turns;         /* turns passed on so far */
static uint64_t returned;      /* returns from waits for a futex */
static unsigned expected;      /* woken threads that have not returned */
static unsigned starting;      /* created threads that have not begun yet: 0 or 1 */
static uint64_t starting_ctid;

static __thread struct thread *me __attribute__((tls_model("initial-exec")));

static void wait_ms(pthread_cond_t *what, unsigned ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(what, &lock, &until);
}

static uint64_t now_ms(void)
{
	return recording_now() / 1000000;
}

/* Wait until *count is 0, at most for PATIENCE_MS. Then set it to 0. Called under the lock. */
static void await_none(unsigned *count)
{
	uint64_t end = now_ms() + PATIENCE_MS;

	while (*count && now_ms() < end)
		wait_ms(&changed, PATIENCE_MS);
	*count = 0;
}

/* Return the next thread after t that can run, with t as the last candidate, or NULL. Called under
 * the lock. */
static struct thread *next_of(struct thread *t)
{
	struct thread *n = t;

	do {
		n = n->next ? n->next : threads;
		if (n->runnable)
			return n;
	} while (n != t);
	return NULL;
}

static void give(struct thread *t)
{
	turns++;
	if (t)
		t->left = (int64_t)process.params->interleave;
	__atomic_store_n(&holder, t, __ATOMIC_RELEASE);
	if (t)
		pthread_cond_signal(&t->turn);
}

/* Take the turn over if nothing has changed for PATIENCE_MS: no thread has the turn, or its holder
 * is in a system call that blocks unexpectedly. Called under the lock. */
static void take_over(void)
{
	if (turns != me->seen) {
		me->seen = turns;
		me->since = now_ms();
	} else if (now_ms() - me->since < PATIENCE_MS) {
		return;
	} else if (!holder) {
		give(me);
	} else if (holder->in_syscall) {
		holder->runnable = false;
		holder->left = 0;
		give(next_of(holder));
	}
}

/* Wait for the caller's turn, with `moment` only for LEAVE_MS. Return true if the caller has the
 * turn. Called under the lock. */
static bool wait_turn(bool moment)
{
	uint64_t began = now_ms();

	while (holder != me) {
		if (moment && now_ms() - began >= LEAVE_MS)
			return false;
		wait_ms(&me->turn, moment ? LEAVE_MS : PATIENCE_MS);
		if (holder != me)
			take_over();
	}
	return true;
}

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Spin for a short time, without the lock. Return true if the caller has the turn. */
static bool turn_comes_soon(void)
{
	for (unsigned n = 0; n < SPINS; n++) {
		if (__atomic_load_n(&holder, __ATOMIC_ACQUIRE) == me)
			return true;
		relax();
	}
	return false;
}

/* Return true if each thread that can run has a CPU, so that a waiting thread takes none from the
 * holder. Called under the lock. */
static bool each_has_a_cpu(void)
{
	unsigned runnable = 0;

	for (const struct thread *t = threads; t && runnable <= cpus; t = t->next)
		runnable += t->runnable;
	return runnable <= cpus;
}

/* Wait briefly for the caller's turn. Release the lock. Return true if the caller has the turn. */
static bool wait_in_block(void)
{
	bool mine;

	if (each_has_a_cpu()) {
		pthread_mutex_unlock(&lock);
		if (turn_comes_soon())
			return true;
		pthread_mutex_lock(&lock);
	}
	mine = wait_turn(true);
	pthread_mutex_unlock(&lock);
	return mine;
}

/* End the caller's turn. Called under the lock. */
static void pass(void)
{
	struct thread *next;

	await_none(&expected);
	next = next_of(me);
	if (next != me)
		me->left = 0;
	give(next);
}

static void join(void)
{
	struct thread **last = &threads;

	me = calloc(1, sizeof(*me));
	if (!me)
		return; /* the thread runs without turns */
	pthread_cond_init(&me->turn, &monotonic);
	me->runnable = true;
	while (*last)
		last = &(*last)->next;
	*last = me;
	me->ctid = starting_ctid;
	starting = 0;
	if (!holder)
		give(me);
	pthread_cond_broadcast(&changed);
}

/* Return true if the thread can wait: it can leave a block, and it has not stopped the other
 * threads. */
static bool can_wait(void)
{
	return process.calibrated && !process.memory_callbacks &&
	       restart_block_allowed(current_cpu);
}

/* End the caller's turn, if it has one, and wait for the next. ra is the return address of the
 * callback. */
static __attribute__((noinline)) void turn_ends(int64_t insns, uintptr_t ra)
{
	pthread_mutex_lock(&lock);
	if (!me)
		join();
	else if (holder == me)
		pass();
	if (me && holder != me && can_wait()) {
		if (!wait_in_block())
			leave_block(current_cpu, ra);
	} else {
		if (me && holder != me)
			me->left = (int64_t)process.params->interleave;
		pthread_mutex_unlock(&lock);
	}
	if (me)
		me->left -= insns;
}

static void at_block(unsigned cpu, void *udata)
{
	int64_t insns = (int64_t)(uintptr_t)udata;

	(void)cpu;
	if (me && me->left > 0)
		me->left -= insns;
	else
		turn_ends(insns, (uintptr_t)__builtin_return_address(0));
}

void interleave_install(void)
{
	cpu_set_t may;

	cpus = sched_getaffinity(0, sizeof(may), &may) ? 1 : (unsigned)CPU_COUNT(&may);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &monotonic);
}

void interleave_translate(struct qemu_plugin_tb *tb, size_t insns)
{
	if (process.params->interleave)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, at_block, QEMU_PLUGIN_CB_NO_REGS,
		                                     (void *)(uintptr_t)insns);
}

/* Return true if the futex operation waits. The bits stand for Linux's commands FUTEX_*, without
 * FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME. */
static bool waits_for_futex(int64_t num, uint64_t op)
{
	static const uint32_t waits = 1u << 0 | 1u << 6 | 1u << 9 | 1u << 11 | 1u << 13;

	return num == __NR_futex && (waits >> (op & 0x1f) & 1);
}

static bool wakes_by_futex(int64_t num, uint64_t op)
{
	static const uint32_t wakes = 1u << 1 | 1u << 5 | 1u << 10;

	return num == __NR_futex && (wakes >> (op & 0x1f) & 1);
}

/* Return true for a pipe, a socket or a terminal. */
static bool is_stream(uint64_t fd)
{
	struct stat s;

	return fstat((int)fd, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

static bool may_block(int64_t num, const uint64_t argument[8])
{
	static const uint16_t blocking[] = {
	        __NR_accept,        __NR_accept4,         __NR_clock_nanosleep, __NR_connect,
	        __NR_epoll_pwait,   __NR_epoll_pwait2,    __NR_flock,           __NR_futex_wait,
	        __NR_futex_waitv,   __NR_io_getevents,    __NR_mq_timedreceive, __NR_mq_timedsend,
	        __NR_msgrcv,        __NR_msgsnd,          __NR_nanosleep,       __NR_ppoll,
	        __NR_pselect6,      __NR_recvfrom,        __NR_recvmmsg,        __NR_recvmsg,
	        __NR_rt_sigsuspend, __NR_rt_sigtimedwait, __NR_semop,           __NR_semtimedop,
	        __NR_sendmsg,       __NR_sendto,          __NR_wait4,           __NR_waitid};

	switch (num) {
	case __NR_futex:
		return waits_for_futex(num, argument[1]);
	case __NR_read:
	case __NR_readv:
	case __NR_write:
	case __NR_writev:
		return is_stream(argument[0]);
	case __NR_fcntl:
		return argument[1] == GUEST_F_SETLKW || argument[1] == GUEST_F_OFD_SETLKW;
	default:
		for (size_t i = 0; i < sizeof(blocking) / sizeof(blocking[0]); i++)
			if (blocking[i] == num)
				return true;
		return false;
	}
}

/* Count the threads that wait for this futex; 0 stands for any futex. */
static unsigned waiters(uint64_t futex)
{
	unsigned count = 0;

	for (struct thread *t = threads; t; t = t->next)
		count += futex ? t->futex == futex : t->futex != 0;
	return count;
}

/* Take the calling thread out of the order and pass its turn on. Called under the lock. */
static void step_out(void)
{
	me->runnable = false;
	me->left = 0;
	if (holder == me)
		give(next_of(me));
}

void interleave_syscall(int64_t num, const uint64_t argument[8])
{
	if (!me)
		return;
	pthread_mutex_lock(&lock);
	me->in_syscall = true;
	me->woken_before = returned;
	if (num == __NR_exit) {
		me->wakes = me->ctid ? waiters(me->ctid) : 0;
	} else if (num == __NR_clone && (argument[0] & GUEST_CLONE_VM)) {
		starting = 1;
		starting_ctid = argument[0] & GUEST_CLONE_CHILD_CLEARTID ? argument[4] : 0;
	} else if (num == __NR_sched_yield) {
		me->left = 0;
	} else if (may_block(num, argument)) {
		me->futex = waits_for_futex(num, argument[1]) ? argument[0] : 0;
		if (holder == me)
			await_none(&expected);
		step_out();
	}
	me->in_wake = wakes_by_futex(num, argument[1]);
	pthread_mutex_unlock(&lock);
}

static void woken(uint64_t count)
{
	uint64_t back = returned - me->woken_before;
	unsigned waiting = waiters(0);

	if (count > back)
		expected += count - back < waiting ? (unsigned)(count - back) : waiting;
}

void interleave_return(int64_t num, int64_t ret)
{
	if (!me)
		return;
	pthread_mutex_lock(&lock);
	me->in_syscall = false;
	if (me->futex) {
		returned++;
		expected -= expected > 0;
		me->futex = 0;
		pthread_cond_broadcast(&changed);
	}
	if (num == __NR_clone && ret < 0)
		starting = 0;
	await_none(&starting);
	if (me->in_wake && ret > 0)
		woken((uint64_t)ret);
	me->runnable = true;
	if (!holder) {
		await_none(&expected);
		if (!holder)
			give(threads->runnable ? threads : next_of(threads));
	}
	if (process.calibrated && !process.memory_callbacks)
		wait_turn(false);
	pthread_mutex_unlock(&lock);
}

void interleave_exit(void)
{
	struct thread **place = &threads;

	if (!me)
		return;
	pthread_mutex_lock(&lock);
	/* QEMU 7.2 wakes the threads that wait for the end of this thread only after this callback.
	 * The next pass() or interleave_return() waits for them. */
	woken(me->wakes);
	step_out();
	while (*place != me)
		place = &(*place)->next;
	*place = me->next;
	pthread_cond_destroy(&me->turn);
	free(me);
	me = NULL;
	pthread_mutex_unlock(&lock);
}

void interleave_forked(void)
{
	if (!me)
		return;
	pthread_mutex_init(&lock, NULL);
	interleave_install();
	pthread_cond_init(&me->turn, &monotonic);
	me->next = NULL;
	threads = me;
	holder = me;
	expected = 0;
	starting = 0;
}
