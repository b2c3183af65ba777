/* SPDX-License-Identifier: MIT */
/* Disassembly of machine code, with objdump of binutils. */
#ifndef TOOLS_DISASSEMBLE_H
#define TOOLS_DISASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

struct disassembly {
	uint64_t start;
	size_t count;
	uint32_t *code; /* machine code of each instruction, 4 bytes apart */
	char **text; /* text of each instruction, as "ldr x0, [x1]", or NULL if objdump has none */
	char *problem; /* reason why the disassembly is missing and what to do, or NULL */
};

struct object;
/* Disassemble the code from start to end. objdump is a path, or NULL to search PATH. */
void disassemble(struct disassembly *d, struct object *object, uint64_t start, uint64_t end,
                 const char *objdump);
void disassembly_free(struct disassembly *d);

#endif
