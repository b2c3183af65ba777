/* SPDX-License-Identifier: MIT */
/* Machine code in words, by objdump of binutils. */
#ifndef TOOLS_DISASSEMBLE_H
#define TOOLS_DISASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

struct disassembly {
	uint64_t start;
	size_t count;
	uint32_t *code; /* of each instruction, 4 bytes apart */
	char **text; /* "ldr x0, [x1]"; NULL where objdump said nothing; branches with their symbol */
	char *problem; /* why there is none, and the remedy; NULL: none */
};

struct object;
/* objdump: its path, or NULL for the first that is there. */
void disassemble(struct disassembly *d, struct object *object, uint64_t start, uint64_t end,
                 const char *objdump);
void disassembly_free(struct disassembly *d);

#endif
