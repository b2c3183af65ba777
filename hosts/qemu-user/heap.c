/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callbacks of allocators; see heap.h. */
#include <string.h>

#include "block_op.h"
#include "callchain.h"
#include "entry_registers.h"
#include "guest_abi.h"
#include "guest_memory.h"
#include "heap.h"
#include "heap_objects.h"
#include "heap_symbols.h"
#include "vcpu.h"

bool heap_on;

/* The allocation in progress on this thread. */
static __thread struct {
	const struct heap_function *function; /* NULL if there is none */
	uint64_t link, sp, x[4];
	uint64_t callers[HEAP_CALLERS]; /* return addresses, or 0 */
	uint64_t old;                   /* number of the object that realloc() replaces */
} inside __attribute__((tls_model("initial-exec")));

static uint64_t size_of(void)
{
	const struct heap_function *f = inside.function;
	uint64_t size = inside.x[f->size];

	if (f->count && __builtin_mul_overflow(size, inside.x[f->count], &size))
		return 0;
	return size;
}

/* Return the address of the allocated memory from x0 at the return, or 0 if the allocation
 * failed. */
static uint64_t result_of(uint64_t x0)
{
	uint64_t address;

	switch (inside.function->action) {
	case HEAP_POSIX_MEMALIGN:
		if ((uint32_t)x0 || !guest_read(&address, inside.x[0], sizeof(address)))
			return 0;
		return address & GUEST_ADDRESS_MASK;
	case HEAP_MMAP:
		return x0 > (uint64_t)-4096 || !(inside.x[3] & GUEST_MAP_ANONYMOUS) ? 0 : x0;
	case HEAP_MREMAP:
		return x0 > (uint64_t)-4096 ? 0 : x0;
	default:
		return x0 & GUEST_ADDRESS_MASK;
	}
}

static void add(uint64_t address, uint64_t size, bool mapped)
{
	struct allocation_call call = {.pc = inside.link - 4, .call = inside.function->call};

	for (unsigned i = 0; i < HEAP_CALLERS && inside.callers[i]; i++)
		call.callers[i] = inside.callers[i] - 4;
	heap_objects_add(&call, address, size, mapped);
}

static void leave(uint64_t x0)
{
	const struct heap_function *f = inside.function;
	bool mapped = f->action == HEAP_MMAP || f->action == HEAP_MREMAP;
	uint64_t address = result_of(x0), size = size_of();

	/* realloc() to size 0 frees the object and returns no new one. */
	if (inside.old && (address || !size))
		heap_objects_remove(inside.x[0], inside.old);
	if (f->action == HEAP_MREMAP && address)
		heap_objects_unmap(inside.x[0], inside.x[1]);
	if (address)
		add(address, size, mapped);
	inside.function = NULL;
}

static void on_return(unsigned cpu, void *udata)
{
	const uint64_t *x;

	(void)cpu;
	if (!inside.function || inside.link != (uintptr_t)udata)
		return;
	x = registers_at_entry(1u << 0 | 1u << STACK_POINTER);
	if (x[STACK_POINTER] == inside.sp)
		leave(x[0]);
}

/*
 * Return true if the thread is in an allocator that calls this function, or jumps to it at its end.
 * If the stack pointer is above the one at the allocator's call, that call never returned, because
 * an exception left it.
 */
static bool is_nested(const struct heap_function *f, const uint64_t *x)
{
	if (!inside.function)
		return false;
	if (x[STACK_POINTER] != inside.sp)
		return x[STACK_POINTER] < inside.sp;
	return x[LINK_REGISTER] == inside.link && f != inside.function;
}

static void on_entry(unsigned cpu, void *udata)
{
	const struct heap_function *f = udata;
	const uint64_t *x;

	if (!process.recording || !process.registers)
		return;
	x = registers_at_entry(0xfu | 1u << LINK_REGISTER | 1u << STACK_POINTER);
	if (f->action == HEAP_FREE) {
		if (x[0])
			heap_objects_remove(x[0] & GUEST_ADDRESS_MASK, 0);
	} else if (f->action == HEAP_MUNMAP) {
		heap_objects_unmap(x[0], x[1]);
	} else if (!is_nested(f, x)) {
		inside.function = f;
		inside.link = x[LINK_REGISTER];
		inside.sp = x[STACK_POINTER];
		memcpy(inside.x, x, sizeof(inside.x));
		memset(inside.callers, 0, sizeof(inside.callers));
		callchain_above(cpu, inside.callers, HEAP_CALLERS, inside.sp, inside.link);
		inside.old = 0;
		if (f->action == HEAP_REALLOC && x[0])
			inside.old = heap_objects_number(x[0] & GUEST_ADDRESS_MASK);
	}
}

void heap_at_return(struct qemu_plugin_tb *tb)
{
	uint64_t pc = qemu_plugin_tb_vaddr(tb);
	uint32_t opcode;

	if (heap_on && guest_read(&opcode, pc - 4, sizeof(opcode)) && block_op_is_call(opcode))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_return, QEMU_PLUGIN_CB_R_REGS,
		                                     (void *)(uintptr_t)pc);
}

void heap_at_entry(struct qemu_plugin_tb *tb)
{
	const struct heap_function *f =
	        heap_on ? heap_symbols_find(qemu_plugin_tb_vaddr(tb)) : NULL;

	if (f)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_entry, QEMU_PLUGIN_CB_R_REGS,
		                                     (void *)(uintptr_t)f);
}
