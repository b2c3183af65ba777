/* SPDX-License-Identifier: MIT */
/* Classify the instructions of a program. The program's file is read a page at a time. */
#include "branches.h"
#include "../base/common.h"
#include "../base/map.h"

#include "timing/a64.h"
#include <string.h>

enum { CODE_PAGE_SIZE = 4096, INSTRUCTION_SIZE = 4 };

struct page {
	bool whole; /* true if the file has the whole page */
	uint8_t bytes[CODE_PAGE_SIZE];
};

/* Pages that were read. Each is read once, because libelf keeps a record of each read. */
static struct {
	struct map index;
	struct page *pages;
	size_t capacity;
} known;

static const struct page *page_of(struct object *program, uint64_t vaddr)
{
	const uint64_t start = vaddr & ~(uint64_t)(CODE_PAGE_SIZE - 1);
	size_t before = known.index.count;
	size_t i = map_add(&known.index, (struct map_key){(uintptr_t)program, start, 0});
	struct page *page;

	if (i < before)
		return &known.pages[i];
	page = &GROW(known.pages, i, known.capacity)[i];
	page->whole = object_code(program, page->bytes, start, sizeof(page->bytes));
	return page;
}

static bool read_opcode(uint32_t *opcode, struct object *program, uint64_t vaddr)
{
	const struct page *page = page_of(program, vaddr);
	uint8_t code[INSTRUCTION_SIZE];

	if (vaddr % INSTRUCTION_SIZE)
		return false;
	if (page->whole)
		memcpy(code, page->bytes + vaddr % CODE_PAGE_SIZE, sizeof(code));
	else if (!object_code(program, code, vaddr, sizeof(code)))
		return false;
	*opcode = (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
	          (uint32_t)code[3] << 24;
	return true;
}

enum instruction program_instruction(struct object *program, uint64_t vaddr, int32_t *offset)
{
	struct spemu_op_kind kind;
	uint32_t opcode;

	*offset = 0;
	if (!read_opcode(&opcode, program, vaddr))
		return NO_CODE;
	a64_classify(&kind, opcode, 0);
	*offset = kind.branch_offset;
	if (kind.type != SPEMU_OP_BRANCH)
		return OTHER;
	if (kind.flags & SPEMU_OPF_RETURN)
		return RETURN;
	if (kind.flags & SPEMU_OPF_LINK)
		return CALL;
	return kind.flags & SPEMU_OPF_CONDITIONAL ? CONDITIONAL : JUMP;
}
