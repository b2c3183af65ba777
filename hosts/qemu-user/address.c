/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers at a block's entry.
 */
#include <string.h>

#include <spemu/a64.h>

#include "address.h"
#include "mappings.h"
#include "qemu_plugin_api.h"

#define SEARCH_BYTES 2048
#define OBJECT_BYTES 0x40000 /* a CPU object with its registers is smaller */
#define XREGS_OFFSET 64

#define ADDRESS_MASK ((UINT64_C(1) << 56) - 1) /* user mode ignores the top byte */

static size_t env_ptr_offset;

struct CPUState;
extern QEMU_WEAK __thread struct CPUState *current_cpu;

static const unsigned char *this_cpu(void)
{
	return (const unsigned char *)current_cpu;
}

static uintptr_t pointer_at(const unsigned char *p)
{
	uintptr_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

bool address_calibrate(void)
{
	const unsigned char *cpu = this_cpu();
	uintptr_t self = (uintptr_t)cpu;
	unsigned found = 0;

	if (!cpu)
		return false;
	/* env_ptr and icount_decr_ptr point into the object, the latter closely before the former */
	for (size_t i = 0; i + 16 <= SEARCH_BYTES; i += 8) {
		uintptr_t env = pointer_at(cpu + i), decr = pointer_at(cpu + i + 8);

		if (env > self + i && env < self + OBJECT_BYTES && env % 16 == 0 && decr < env &&
		    decr > self + i && env - decr <= 64) {
			env_ptr_offset = i;
			found++;
		}
	}
	return found == 1;
}

bool address_at_entry(uint64_t *va, const struct block *block, unsigned k, bool write)
{
	const unsigned char *cpu = this_cpu();
	uint64_t pc = block->pc + 4ull * k, x[32];
	struct spemu_a64_mode mode;

	if (!spemu_a64_mode(&mode, block->opcode[k]))
		return false;
	for (unsigned i = 0; i < k; i++) {
		if (spemu_a64_written(block->opcode[i]) & spemu_a64_uses(&mode))
			return false;
	}
	memcpy(x, (const unsigned char *)pointer_at(cpu + env_ptr_offset) + XREGS_OFFSET,
	       sizeof(x));
	*va = spemu_a64_address(&mode, pc, x) & ADDRESS_MASK;
	return mappings_accessible(*va, 16, write);
}
