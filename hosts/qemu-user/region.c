/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code that switches threads on and off; see region.h.
 *
 * Assumption about QEMU: qemu_plugin_start_code() is the address of the program's lowest executable
 * segment.
 */
#include <sys/stat.h>

#include <spemu/region.h>

#include "block_op.h"
#include "driver.h"
#include "entry_registers.h"
#include "guest_memory.h"
#include "previous_target.h"
#include "region.h"
#include "sample.h"

#define NOWHERE UINT64_MAX

static struct {
	enum recording_region_kind kind;
	bool commands; /* the recorder can switch threads on and off */
	uint64_t begin, end;
} region;

void region_install(void)
{
	region.kind = process.params->region.kind;
	region.commands = process.params->flags & RECORDING_SWITCHED;
	region.begin = region.end = NOWHERE;
}

void region_locate(void)
{
	const struct recording_region *wanted = &process.params->region;
	const char *path;
	struct stat st;

	if (region.kind != RECORDING_CALL && region.kind != RECORDING_RANGE)
		return;
	path = qemu_plugin_path_to_binary ? qemu_plugin_path_to_binary() : NULL;
	if (!path || !qemu_plugin_start_code) {
		recording_note(
		        &process.rec,
		        "this QEMU does not report the program's address: the region is not found");
		return;
	}
	if (stat(path, &st) || st.st_dev != wanted->dev || st.st_ino != wanted->ino)
		return; /* another program */
	region.begin = qemu_plugin_start_code() + wanted->begin;
	region.end = qemu_plugin_start_code() + wanted->end;
}

void region_calibrated(void)
{
	if (region.kind == RECORDING_CALL && !process.registers)
		recording_note(&process.rec, "this QEMU's internals are unknown: a function cannot "
		                             "be a region; use --region SYMBOL..SYMBOL");
}

/* Return true if a call may return to pc: the instruction before it is a branch with link or cannot
 * be read. */
static bool may_return_to(uint64_t pc)
{
	uint32_t opcode;

	return !guest_read(&opcode, pc - 4, sizeof(opcode)) || block_op_is_call(opcode);
}

unsigned region_points(struct qemu_plugin_tb *tb, size_t index)
{
	uint64_t pc;
	uint32_t opcode;

	if (region.kind == RECORDING_EVERYWHERE)
		return 0;
	if (region.kind == RECORDING_MARKERS) {
		opcode = block_opcode_at(tb, index);
		return opcode == SPEMU_REGION_OPCODE_BEGIN ? REGION_BEGIN
		       : opcode == SPEMU_REGION_OPCODE_END ? REGION_END
		                                           : 0;
	}
	pc = qemu_plugin_tb_vaddr(tb) + 4 * index;
	if (region.kind == RECORDING_RANGE)
		return pc == region.begin ? REGION_BEGIN : pc == region.end ? REGION_END : 0;
	return (pc == region.begin ? REGION_ENTRY : 0u) |
	       (region.begin != NOWHERE && index == 0 && may_return_to(pc) ? REGION_RETURN : 0u);
}

static bool is_wanted(const struct vcpu *vcpu)
{
	return (region.kind == RECORDING_EVERYWHERE || vcpu->region.inside) &&
	       (!region.commands || recording_is_on(&process.rec));
}

static void wait_at(struct vcpu *vcpu)
{
	*countdown_left(vcpu->index) = region.commands ? REGION_WAIT : COUNT_NEVER;
}

void region_loaded(struct vcpu *vcpu)
{
	if (vcpu->dead || (region.kind == RECORDING_EVERYWHERE && !region.commands))
		return;
	vcpu->region.off = !is_wanted(vcpu);
	if (!vcpu->region.off) {
		recording_count(&process.rec, RECORDING_SWITCHES, 1);
		return;
	}
	previous_target_release(vcpu);
	vcpu->region.left = *countdown_left(vcpu->index);
	wait_at(vcpu);
}

/* Switch the thread on or off between two blocks, as is_wanted() decides. next_pc is the address
 * where execution continues, or 0 if it is unknown. Return true if the thread was switched off. */
static bool apply(struct vcpu *vcpu, uint64_t next_pc)
{
	bool off = !is_wanted(vcpu);

	if (off == vcpu->region.off)
		return false;
	if (!off) {
		*countdown_left(vcpu->index) = vcpu->region.left;
		previous_target_on(vcpu);
		vcpu->region.off = false;
		recording_count(&process.rec, RECORDING_SWITCHES, 1);
		return false;
	}
	if (vcpu->flight.active) {
		sample_finish(vcpu, next_pc);
		*countdown_left(vcpu->index) = vcpu->resume - 1;
	}
	previous_target_release(vcpu);
	vcpu->region.left = *countdown_left(vcpu->index);
	vcpu->region.off = true;
	wait_at(vcpu);
	return true;
}

/* Return registers with link register and stack pointer, or NULL if they cannot be read. */
static const uint64_t *read_registers(void)
{
	if (!process.registers)
		return NULL;
	return registers_at_entry(1u << LINK_REGISTER | 1u << STACK_POINTER);
}

/*
 * Enter the function. Ignore nested calls, which have lower stack pointers, and loops to the first
 * instruction. In any other case the earlier call ended without a return, and this one replaces it.
 */
static void enter_function(struct region_place *place)
{
	const uint64_t *x = read_registers();

	if (!x)
		return;
	if (place->inside &&
	    (x[STACK_POINTER] < place->stack ||
	     (x[STACK_POINTER] == place->stack && x[LINK_REGISTER] == place->back)))
		return;
	place->inside = true;
	place->back = x[LINK_REGISTER];
	place->stack = x[STACK_POINTER];
}

static void leave_function(struct region_place *place, uint64_t pc)
{
	if (place->inside && pc == place->back && read_registers()[STACK_POINTER] == place->stack)
		place->inside = false;
}

void region_pass(struct vcpu *vcpu, const struct block *block, unsigned points)
{
	struct region_place *place = &vcpu->region;

	/* A block that is left for its variant gets here twice. The second time changes nothing. */
	if (vcpu->dead)
		return;
	if (points & REGION_RETURN)
		leave_function(place, block->pc);
	if (points & REGION_ENTRY)
		enter_function(place);
	if (points & REGION_BEGIN)
		place->inside = true;
	if (points & REGION_END)
		place->inside = false;
	apply(vcpu, block->pc);
}

/* Follow the recorder's switch. When the thread is switched off, deliver its buffer, as a driver
 * does when its event is disabled. */
static void apply_command(struct vcpu *vcpu, uint64_t next_pc)
{
	if (apply(vcpu, next_pc))
		driver_drain(vcpu, true);
}

bool region_waited(struct vcpu *vcpu, const struct block *block)
{
	int64_t *left = countdown_left(vcpu->index);

	if (!region.commands || vcpu->dead)
		return true;
	*left += block->insns;
	apply_command(vcpu, block->pc);
	if (vcpu->region.off)
		wait_at(vcpu);
	*left -= block->insns;
	return *left < 0;
}

void region_returns_from_kernel(struct vcpu *vcpu)
{
	if (region.commands && vcpu && vcpu->tid && !vcpu->dead)
		apply_command(vcpu, 0);
}
