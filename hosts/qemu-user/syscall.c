/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls: of signals, images, memory and threads; see syscall.h.
 */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exec.h"
#include "guest_memory.h"
#include "huge_pages.h"
#include "interleave.h"
#include "mapped_files.h"
#include "mappings.h"
#include "process.h"
#include "region.h"
#include "sideband.h"
#include "signals.h"
#include "stacks.h"
#include "syscall.h"
#include "syscall_numbers.h"

#define GUEST_PR_SET_NAME 15
#define GUEST_PROT_DATA 3
#define GUEST_PROT_EXEC 4
#define GUEST_MAP_SHARED 0x1
#define GUEST_MAP_ANONYMOUS 0x20
#define GUEST_MREMAP_DONTUNMAP 4
#define GUEST_PAGE 4096u

/* Return the end of the last page of len bytes at start; 0 or less than start if that is beyond the
 * address space. */
static uint64_t page_end(uint64_t start, uint64_t len)
{
	return (start + len + GUEST_PAGE - 1) & ~(uint64_t)(GUEST_PAGE - 1);
}

/* The arguments of a system call that its return needs. */
static __thread struct {
	uint64_t a1, a2, a3, a4, a5, a6;
	bool known; /* they are the call's */
} call __attribute__((tls_model("initial-exec")));

/* Whether a signal that the guest sends itself may end it: QEMU tells nobody then. */
static bool deadly(int64_t num, uint64_t a1, uint64_t a2, uint64_t a3)
{
	bool group = num == NR_TGKILL || num == NR_RT_TGSIGQUEUEINFO;
	uint64_t signo = group ? a3 : a2;
	int32_t target = (int32_t)a1;

	if (!signals_unhandled(signo))
		return false;
	return target <= 0 || target == getpid() || (num == NR_TKILL && target == gettid());
}

static void set_name(const struct vcpu *vcpu, uint64_t name)
{
	struct spemu_perf_who who;
	char comm[16] = "";

	if (!guest_read_part(comm, name, sizeof(comm) - 1))
		return;
	sideband_who(&who, vcpu);
	sideband_comm(&who, comm, false);
}

/* The program break: the first answer is where the heap begins. */
static void heap_grows(uint64_t end)
{
	static _Atomic uint64_t told;
	uint64_t from = told;

	if (end <= from || !atomic_compare_exchange_strong(&told, &from, end) || !from)
		return;
	from = (from + GUEST_PAGE - 1) & ~(uint64_t)(GUEST_PAGE - 1);
	if (from < end)
		mappings_memory(from, end - from, PROT_READ | PROT_WRITE, false, "[heap]");
}

void syscall_begins(unsigned cpu, int64_t num, const uint64_t argument[8])
{
	uint64_t a1 = argument[0], a2 = argument[1], a3 = argument[2];
	struct vcpu *vcpu = vcpu_at(cpu);

	if (process.shared && (num == NR_CLONE3 || (num == NR_CLONE && a1 & GUEST_CLONE_VM)))
		uarch_alone(process.shared, false); /* before there is a second thread */
	interleave_syscall(num, argument);
	call.known = false;
	if (!vcpu || vcpu->dead || !vcpu->tid || !process.recording)
		return;
	call.a1 = a1;
	call.a2 = a2;
	call.a3 = a3;
	call.a4 = argument[3];
	call.a5 = argument[4];
	call.a6 = argument[5];
	call.known = true;
	huge_pages_syscall(vcpu, num, argument);
	if (vcpu->flight.active)
		process_settle(vcpu);
	switch (num) {
	case NR_KILL:
	case NR_TKILL:
	case NR_TGKILL:
	case NR_RT_SIGQUEUEINFO:
	case NR_RT_TGSIGQUEUEINFO:
		if (deadly(num, a1, a2, a3))
			process_drain_all(true);
		break;
	case NR_MUNMAP:
		/* Before the system gives the addresses to another thread. */
		mapped_files_remove(a1, page_end(a1, a2));
		break;
	case NR_RT_SIGACTION:
		signals_note(a1, a2);
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

static bool failed(int64_t ret)
{
	return ret <= 0 && ret >= -4095;
}

/* mmap() has returned this address. */
static void mapped(uint64_t start)
{
	bool anonymous = call.a4 & GUEST_MAP_ANONYMOUS;

	if (anonymous)
		mapped_files_remove(start, page_end(start, call.a2));
	else
		mapped_files_add_fd(start, page_end(start, call.a2), call.a6,
		                    call.a4 & GUEST_MAP_SHARED, (int)call.a5);
	if (!anonymous || (call.a3 & GUEST_PROT_EXEC))
		mappings_range(start, call.a2);
	else
		mappings_memory(start, call.a2, (int)(call.a3 & GUEST_PROT_DATA),
		                call.a4 & GUEST_MAP_SHARED, "//anon");
	if (anonymous)
		stacks_mapped(start, call.a2);
}

void syscall_returns(unsigned cpu, int64_t num, int64_t ret)
{
	if (!process.recording) {
		interleave_return(num, ret);
		return;
	}
	if (call.known)
		huge_pages_return(vcpu_at(cpu), num,
		                  (uint64_t[]){call.a1, call.a2, call.a3, call.a4}, ret);
	switch (num) {
	case NR_CLONE:
	case NR_CLONE3:
		process_after_fork(vcpu_at(cpu));
		break;
	case NR_MMAP:
		if (!failed(ret))
			mapped((uint64_t)ret);
		break;
	case NR_BRK:
		heap_grows((uint64_t)ret);
		break;
	case NR_MPROTECT:
		if (ret == 0 && (call.a3 & GUEST_PROT_EXEC))
			mappings_range(call.a1, call.a2);
		break;
	case NR_MREMAP:
		if (failed(ret))
			break;
		mapped_files_move(call.a1, page_end(0, call.a2), (uint64_t)ret,
		                  page_end(0, call.a3), call.a4 & GUEST_MREMAP_DONTUNMAP);
		mappings_range((uint64_t)ret, call.a3);
		break;
	default:
		break;
	}
	region_returns_from_kernel(vcpu_at(cpu));
	interleave_return(num, ret);
}
