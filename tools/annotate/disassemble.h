/* SPDX-License-Identifier: MIT */
/* Disassembly of machine code, with objdump of binutils. */
#ifndef TOOLS_DISASSEMBLE_H
#define TOOLS_DISASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

struct disassembly {
	uint64_t start;
	size_t count;
	uint32_t *code; /* of each instruction, 4 bytes apart */
	char **text;    /* "ldr x0, [x1]"; NULL: objdump printed none; branches have their symbol */
	char *problem;  /* reason and remedy if there is no disassembly; else NULL */
};

struct object;
/* Disassemble the code from start to end. objdump is a path, or NULL for the first one in PATH. */
void disassemble(struct disassembly *d, struct object *object, uint64_t start, uint64_t end,
                 const char *objdump);
void disassembly_free(struct disassembly *d);

#endif
