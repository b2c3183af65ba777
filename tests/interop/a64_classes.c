/* SPDX-License-Identifier: MIT */
/*
 * What the classifier says of opcodes: reads them as hexadecimal numbers, one a line, and prints for
 * each "type subclass bytes flags vector_bits branch_offset", decimal.
 */
#include <inttypes.h>
#include <stdio.h>

#include <spemu/a64.h>

int main(void)
{
	uint32_t opcode;

	while (scanf("%" SCNx32, &opcode) == 1) {
		struct spemu_op_kind k;

		spemu_a64_classify(&k, opcode, 128);
		printf("%d %d %d %" PRIu32 " %" PRIu32 " %" PRId32 "\n", k.type, k.ldst,
		       k.access_size, k.flags, k.vector_bits, k.branch_offset);
	}
	return feof(stdin) ? 0 : 1;
}
