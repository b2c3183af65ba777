/* SPDX-License-Identifier: MIT */
/* --region: convert names and addresses in the program's file to the configuration of the
 * plugin. */
#define _GNU_SOURCE
#include "../session/demangle.h"
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The search for a name among the program's symbols. */
struct search {
	const char *name;
	uint64_t address;
	bool found, by_words;
	const char **names; /* names of all functions, for a suggestion */
	size_t n, capacity;
};

/* Return true if `name` is the symbol's source name, with or without its parameters. */
static bool is_in_words(const char *symbol, const char *name)
{
	char *words = demangle(symbol);
	size_t length = strlen(name);
	bool same =
	        words && !strncmp(words, name, length) && (!words[length] || words[length] == '(');

	free(words);
	return same;
}

static void look_at(struct search *s, const char *name, const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	if (!*name || *name == '$' || symbol->st_shndx == SHN_UNDEF ||
	    (type != STT_FUNC && type != STT_NOTYPE))
		return;
	GROW(s->names, s->n, s->capacity);
	s->names[s->n++] = xstrdup(name);
	if (!strcmp(name, s->name)) {
		s->address = symbol->st_value;
		s->found = true;
		s->by_words = false;
	} else if (!s->found && is_in_words(name, s->name)) {
		s->address = symbol->st_value;
		s->found = s->by_words = true;
	}
}

static void look_through(struct search *s, Elf *elf)
{
	for (Elf_Scn *section = elf_nextscn(elf, NULL); section;
	     section = elf_nextscn(elf, section)) {
		GElf_Shdr header;
		GElf_Sym symbol;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
		    !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

			if (name)
				look_at(s, name, &symbol);
		}
	}
}

/* Return the address in the file that the text, 0x... or a symbol, names. Die if there is none. */
static uint64_t resolve(Elf *elf, const char *text, const char *program)
{
	struct search search = {.name = text};
	uint64_t address;

	if (!strncmp(text, "0x", 2)) {
		if (!parse_number(&address, text, 1) || address % 4)
			die(EXIT_USAGE,
			    "'%s' is not the address of an instruction; give one as objdump -d "
			    "shows it, "
			    "as 0x400580",
			    text);
		return address;
	}
	look_through(&search, elf);
	if (!search.n)
		die(EXIT_OWN,
		    "'%s' has no symbols; give --region addresses, as 0x400580..0x4005c0, or "
		    "record "
		    "a build that is not stripped",
		    program);
	GROW(search.names, search.n, search.capacity);
	search.names[search.n] = NULL;
	if (!search.found)
		die(EXIT_USAGE, "no function '%s' in '%s'%s; 'nm -C %s' lists them", text, program,
		    suggestion(text, search.names), program);
	for (size_t i = 0; i < search.n; i++)
		free((void *)(uintptr_t)search.names[i]);
	free(search.names);
	return search.address;
}

/* Return the address of the lowest executable segment. *holds says whether an executable segment
 * contains address. */
static uint64_t executable(Elf *elf, uint64_t address, bool *holds)
{
	uint64_t lowest = UINT64_MAX;
	GElf_Phdr segment;
	size_t n = 0;

	*holds = false;
	if (elf_getphdrnum(elf, &n))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_X))
			continue;
		if (segment.p_vaddr < lowest)
			lowest = segment.p_vaddr;
		if (address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
			*holds = true;
	}
	return lowest;
}

/* Convert an address in the file to the value that the plugin adds to the program's load
 * address. */
static uint64_t in_program(Elf *elf, const char *text, const char *program)
{
	uint64_t address = resolve(elf, text, program), lowest;
	bool holds;

	lowest = executable(elf, address, &holds);
	if (!holds)
		die(EXIT_USAGE,
		    "'%s' is not in the code of '%s'; give a function or an address of its code",
		    text, program);
	return address - lowest;
}

void record_region(struct record_options *opt, const char *program)
{
	struct recording_region *region = &opt->params.region;
	char *from, *to;
	struct stat st;
	Elf *elf;
	int fd;

	if (!opt->region)
		return;
	if (!strcmp(opt->region, "markers")) {
		region->kind = RECORDING_MARKERS;
		return;
	}
	from = xstrdup(opt->region);
	to = strstr(from, "..");
	fd = open(program, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	if (fd < 0 || fstat(fd, &st) || !(elf = elf_begin(fd, ELF_C_READ_MMAP, NULL)))
		die(EXIT_CANNOT_RUN, "cannot read '%s': %s; check its permissions", program,
		    fd < 0 ? strerror(errno) : elf_errmsg(-1));
	if (to) {
		*to = 0;
		to += 2;
	}
	if (!*from || (to && !*to))
		die(EXIT_USAGE,
		    "region '%s' has no beginning or no end; give SYMBOL, SYMBOL..SYMBOL or "
		    "markers",
		    opt->region);
	region->kind = to ? RECORDING_RANGE : RECORDING_CALL;
	region->begin = in_program(elf, from, program);
	region->end = to ? in_program(elf, to, program) : 0;
	if (to && region->begin == region->end)
		die(EXIT_USAGE, "region '%s' is empty; give two places", opt->region);
	region->dev = st.st_dev;
	region->ino = st.st_ino;
	elf_end(elf);
	close(fd);
	free(from);
}
