/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's system calls that affect its recording: signals, images, memory and threads.
 */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exec.h"
#include "guest_abi.h"
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

/* Arguments of a system call, for use at its return. */
static __thread struct {
	uint64_t argument[6];
	bool known; /* the arguments belong to the present call */
} call __attribute__((tls_model("initial-exec")));

/* Return true if the guest sends itself a signal that may end it. QEMU does not have a callback for
 * that. */
static bool deadly(int64_t num, uint64_t a1, uint64_t a2, uint64_t a3)
{
	bool group = num == __NR_tgkill || num == __NR_rt_tgsigqueueinfo;
	uint64_t signo = group ? a3 : a2;
	int32_t target = (int32_t)a1;

	if (!signals_unhandled(signo))
		return false;
	return target <= 0 || target == getpid() || (num == __NR_tkill && target == gettid());
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

/* Follow the program break. The first result is the start of the heap. */
static void heap_grows(uint64_t end)
{
	static _Atomic uint64_t known;
	uint64_t from = known;

	if (end <= from || !atomic_compare_exchange_strong(&known, &from, end) || !from)
		return;
	from = guest_page_end(from, 0);
	if (from < end)
		mappings_memory(from, end - from, PROT_READ | PROT_WRITE, false, "[heap]");
}

void syscall_begins(unsigned cpu, int64_t num, const uint64_t argument[8])
{
	uint64_t a1 = argument[0], a2 = argument[1], a3 = argument[2];
	struct vcpu *vcpu = vcpu_at(cpu);

	if (process.shared && (num == __NR_clone3 || (num == __NR_clone && a1 & GUEST_CLONE_VM)))
		uarch_alone(process.shared, false); /* before a second thread begins */
	interleave_syscall(num, argument);
	call.known = false;
	if (!vcpu || vcpu->dead || !vcpu->tid || !process.recording)
		return;
	memcpy(call.argument, argument, sizeof(call.argument));
	call.known = true;
	huge_pages_syscall(vcpu, num, argument);
	if (vcpu->flight.active)
		process_end_sample(vcpu);
	switch (num) {
	case __NR_kill:
	case __NR_tkill:
	case __NR_tgkill:
	case __NR_rt_sigqueueinfo:
	case __NR_rt_tgsigqueueinfo:
		if (deadly(num, a1, a2, a3))
			process_drain_all();
		break;
	case __NR_munmap:
		/* Do this before the kernel can give the addresses to another thread. */
		mapped_files_remove(a1, guest_page_end(a1, a2));
		break;
	case __NR_rt_sigaction:
		signals_note(a1, a2);
		break;
	case __NR_prctl:
		if (a1 == GUEST_PR_SET_NAME)
			set_name(vcpu, a2);
		break;
	case __NR_setuid:
	case __NR_setgid:
	case __NR_setreuid:
	case __NR_setregid:
	case __NR_setresuid:
	case __NR_setresgid:
	case __NR_setfsuid:
	case __NR_setfsgid:
		recording_hold(&process.rec);
		break;
	case __NR_execve:
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

/* Follow an mmap() that returned this address. */
static void mapped(uint64_t start)
{
	const uint64_t len = call.argument[1], prot = call.argument[2], flags = call.argument[3];
	const bool anonymous = flags & GUEST_MAP_ANONYMOUS;

	if (anonymous)
		mapped_files_remove(start, guest_page_end(start, len));
	else
		mapped_files_add_fd(start, guest_page_end(start, len), call.argument[5],
		                    flags & GUEST_MAP_SHARED, (int)call.argument[4]);
	if (!anonymous || (prot & GUEST_PROT_EXEC))
		mappings_range(start, len);
	else
		mappings_memory(start, len, (int)(prot & GUEST_PROT_DATA), flags & GUEST_MAP_SHARED,
		                "//anon");
	if (anonymous)
		stacks_mapped(start, len);
}

void syscall_returns(unsigned cpu, int64_t num, int64_t ret)
{
	const uint64_t *a = call.argument;

	if (!process.recording) {
		interleave_return(num, ret);
		return;
	}
	if (call.known)
		huge_pages_return(vcpu_at(cpu), num, call.argument, ret);
	switch (num) {
	case __NR_clone:
	case __NR_clone3:
		process_after_fork(vcpu_at(cpu));
		break;
	case __NR_mmap:
		if (!failed(ret))
			mapped((uint64_t)ret);
		break;
	case __NR_brk:
		heap_grows((uint64_t)ret);
		break;
	case __NR_mprotect:
		if (ret == 0 && (a[2] & GUEST_PROT_EXEC))
			mappings_range(a[0], a[1]);
		break;
	case __NR_mremap:
		if (failed(ret))
			break;
		mapped_files_move(a[0], guest_page_end(0, a[1]), (uint64_t)ret,
		                  guest_page_end(0, a[2]), a[3] & GUEST_MREMAP_DONTUNMAP);
		mappings_range((uint64_t)ret, a[2]);
		break;
	default:
		break;
	}
	region_returns_from_kernel(vcpu_at(cpu));
	interleave_return(num, ret);
}
