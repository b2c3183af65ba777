/* SPDX-License-Identifier: MIT */
/*
 * See stored.h.
 *
 * ELF for the Arm 64-bit Architecture (AAELF64): dynamic relocations and thread-local storage. The
 * program's block follows the thread control block of 16 bytes.
 */
#include "stored.h"

#include "../base/common.h"

#include <gelf.h>
#include <stdlib.h>

enum {
	THREAD_CONTROL_BLOCK = 16,
	RELOCATIONS_MAX = 1 << 22,
};

struct stored {
	uint64_t at;
	struct value value;
};

struct stored_values {
	struct stored *of; /* sorted by at */
	size_t count, capacity;
};

uint64_t thread_block_offset(Elf *elf)
{
	size_t count;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &count))
		return THREAD_CONTROL_BLOCK;
	for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &ph); i++) {
		uint64_t align = ph.p_align;

		if (ph.p_type != PT_TLS || !align || (align & (align - 1)) || align > 1 << 20)
			continue;
		return (THREAD_CONTROL_BLOCK + align - 1) & ~(align - 1);
	}
	return THREAD_CONTROL_BLOCK;
}

/* Get the symbol of a relocation: its value, or false if another object defines it. */
static bool symbol_of(GElf_Sym *symbol, Elf *elf, const GElf_Shdr *section, const GElf_Rela *r)
{
	Elf_Scn *scn = elf_getscn(elf, section->sh_link);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t index = GELF_R_SYM(r->r_info);

	*symbol = (GElf_Sym){0};
	if (!index)
		return true;
	return data && index <= INT32_MAX && gelf_getsym(data, (int)index, symbol) &&
	       symbol->st_shndx != SHN_UNDEF;
}

static void add_relocation(struct stored_values *stored, Elf *elf, const GElf_Shdr *section,
                           const GElf_Rela *r)
{
	struct stored s = {.at = r->r_offset};
	uint64_t value;
	GElf_Sym symbol;

	if (!symbol_of(&symbol, elf, section, r))
		return;
	value = symbol.st_value + (uint64_t)r->r_addend;
	switch (GELF_R_TYPE(r->r_info)) {
	case R_AARCH64_RELATIVE:
	case R_AARCH64_GLOB_DAT:
	case R_AARCH64_ABS64:
		s.value = (struct value){.kind = VALUE_STATIC, .offset = (int64_t)value};
		break;
	case R_AARCH64_TLS_TPREL:
		value += thread_block_offset(elf);
		s.value = (struct value){.kind = VALUE_INTEGER, .offset = (int64_t)value};
		break;
	default:
		return;
	}
	APPEND(stored->of, stored->count, stored->capacity) = s;
}

static int compare(const void *pa, const void *pb)
{
	const struct stored *a = pa, *b = pb;

	return compare_numbers(a->at, b->at);
}

struct stored_values *stored_values_new(Elf *elf)
{
	struct stored_values *stored = xcalloc(1, sizeof(*stored));
	Elf_Scn *scn = NULL;

	while (elf && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr section;
		Elf_Data *data;
		GElf_Rela r;

		if (!gelf_getshdr(scn, &section) || section.sh_type != SHT_RELA ||
		    !(section.sh_flags & SHF_ALLOC) || !(data = elf_getdata(scn, NULL)))
			continue;
		for (int i = 0; i < RELOCATIONS_MAX && gelf_getrela(data, i, &r); i++)
			add_relocation(stored, elf, &section, &r);
	}
	if (stored->count)
		qsort(stored->of, stored->count, sizeof(*stored->of), compare);
	return stored;
}

bool stored_value_at(const struct stored_values *stored, struct value *value, uint64_t vaddr)
{
	size_t i;

	COUNT_LEADING(i, stored->count, mid, stored->of[mid].at < vaddr);
	if (i == stored->count || stored->of[i].at != vaddr)
		return false;
	*value = stored->of[i].value;
	return true;
}

bool thread_symbol_at(Elf *elf, struct thread_symbol *symbol, uint64_t offset)
{
	Elf_Scn *scn = NULL;

	while (elf && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr section;
		Elf_Data *data;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &section) || section.sh_type != SHT_SYMTAB ||
		    !(data = elf_getdata(scn, NULL)))
			continue;
		for (int i = 0; i < INT32_MAX && gelf_getsym(data, i, &sym); i++) {
			if (GELF_ST_TYPE(sym.st_info) != STT_TLS || sym.st_shndx == SHN_UNDEF ||
			    offset < sym.st_value || offset - sym.st_value >= sym.st_size)
				continue;
			*symbol = (struct thread_symbol){
			        elf_strptr(elf, section.sh_link, sym.st_name), sym.st_value,
			        sym.st_size};
			return symbol->name != NULL;
		}
	}
	return false;
}
