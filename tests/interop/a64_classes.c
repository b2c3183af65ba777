/* SPDX-License-Identifier: MIT */
/*
 * Print the classification of opcodes. Each line of input is a hexadecimal opcode. Each line of
 * output is "type subclass bytes flags vector_bits branch_offset mode uses address written
 * predicate element" in decimal. mode says that the address follows from registers. Register n
 * holds (n + 1) * 0x123456789abcdef1, and the PC is 0x40000. predicate is the register of the
 * Governing predicate, or -1, and element the bytes of an element.
 */
#include <inttypes.h>
#include <stdio.h>

#include "timing/a64.h"

int main(void)
{
	uint32_t opcode;
	uint64_t x[32];

	for (unsigned n = 0; n < 32; n++)
		x[n] = (n + 1) * UINT64_C(0x123456789abcdef1);
	while (scanf("%" SCNx32, &opcode) == 1) {
		struct spemu_op_kind k;
		struct a64_mode mode;
		struct a64_predicate p;
		bool has_mode = a64_mode(&mode, opcode);

		a64_classify(&k, opcode, 128);
		printf("%d %d %d %" PRIu32 " %" PRIu32 " %" PRId32, k.type, k.ldst, k.access_size,
		       k.flags, k.vector_bits, k.branch_offset);
		printf(" %d %" PRIu32 " %" PRIu64 " %" PRIu32, has_mode,
		       has_mode ? a64_uses(&mode) : 0,
		       has_mode ? a64_address(&mode, 0x40000, x) : 0, a64_written(opcode));
		if (a64_predicate(&p, opcode))
			printf(" %d %d\n", p.number, 1 << p.element);
		else
			printf(" -1 0\n");
	}
	return feof(stdin) ? 0 : 1;
}
