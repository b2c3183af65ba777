/* SPDX-License-Identifier: MIT */
/* Subjects of expectations about the last buffer write. Arm ARM: DDI 0487 M.a, D17.7.6. */
#include "subject.h"

#include <stdio.h>

#include "scenario_machine.h"

enum {
	WRITE_ADDRESS,
	WRITE_SIZE,
	WRITE_TYPE,
	WRITE_SECURITY,
	WRITE_EL,
	WRITE_E2H,
	WRITE_PRIVILEGED,
	WRITE_TAG_UNCHECKED,
	WRITE_TRANSLATED,
};

static bool get_write(struct query *q, uint64_t *value)
{
	const struct spemu_buffer_write *a = &q->machine->last_write;
	const uint64_t values[] = {
	        [WRITE_ADDRESS] = a->address,       [WRITE_SIZE] = q->machine->last_write_size,
	        [WRITE_TYPE] = a->address_type,     [WRITE_SECURITY] = a->security,
	        [WRITE_EL] = a->owner_el,           [WRITE_E2H] = a->e2h,
	        [WRITE_PRIVILEGED] = a->privileged, [WRITE_TAG_UNCHECKED] = a->tag_unchecked,
	        [WRITE_TRANSLATED] = a->translated,
	};

	*value = values[q->argument];
	return q->machine->last_write_size != 0;
}

enum { OUTPUT_PHYSICAL, OUTPUT_PAS, OUTPUT_MECID };

/* Get the destination of the buffer write, which exists if the address was translated. An
 * untranslated IPA or PA has only the MECID of stage 1. */
static bool get_output(struct query *q, uint64_t *value)
{
	const struct spemu_buffer_write *a = &q->machine->last_write;
	const uint64_t values[] = {a->physical, a->pas, a->mecid};

	*value = values[q->argument];
	return q->machine->last_write_size &&
	       (a->translated ||
	        (q->argument == OUTPUT_MECID && a->address_type != SPEMU_ADDRESS_VA));
}

enum { MEMORY_TYPE, MEMORY_INNER, MEMORY_OUTER, MEMORY_SHAREABILITY, MEMORY_XS, MEMORY_TAGGED };

/* Return true if the buffer write has memory attributes. An untranslated VA does not have them
 * yet. */
static bool has_memory(const struct machine *m)
{
	return m->last_write_size &&
	       (m->last_write.translated || m->last_write.address_type != SPEMU_ADDRESS_VA);
}

static bool get_memory(struct query *q, uint64_t *value)
{
	const struct spemu_memory *m = &q->machine->last_write.memory;
	const uint64_t values[] = {m->type, m->inner, m->outer, m->shareability, m->xs, m->tagged};

	*value = values[q->argument];
	return has_memory(q->machine);
}

static bool get_hints(struct query *q, uint64_t *value)
{
	const struct spemu_memory *m = &q->machine->last_write.memory;
	unsigned hints = q->argument == MEMORY_INNER ? m->inner_hints : m->outer_hints;
	static const struct {
		unsigned bit;
		const char *name;
	} names[] = {{SPEMU_HINT_READ_ALLOCATE, "ra"},
	             {SPEMU_HINT_WRITE_ALLOCATE, "wa"},
	             {SPEMU_HINT_TRANSIENT, "transient"}};
	size_t used = 0;

	*value = 0;
	q->text[0] = 0;
	for (unsigned i = 0; i < 3; i++)
		if (hints & names[i].bit)
			used += (size_t)snprintf(q->text + used, sizeof(q->text) - used, "%s%s",
			                         used ? "+" : "", names[i].name);
	return hints && has_memory(q->machine);
}

const struct subject write_subjects[] = {
        {"write.address", VALUE_HEX, get_write, WRITE_ADDRESS},
        {"write.size", VALUE_DECIMAL, get_write, WRITE_SIZE},
        {"write.type", VALUE_ADDRESS_TYPE, get_write, WRITE_TYPE},
        {"write.security", VALUE_SECURITY, get_write, WRITE_SECURITY},
        {"write.el", VALUE_DECIMAL, get_write, WRITE_EL},
        {"write.e2h", VALUE_YES_NO, get_write, WRITE_E2H},
        {"write.privileged", VALUE_YES_NO, get_write, WRITE_PRIVILEGED},
        {"write.tag-unchecked", VALUE_YES_NO, get_write, WRITE_TAG_UNCHECKED},
        {"write.translated", VALUE_YES_NO, get_write, WRITE_TRANSLATED},
        {"write.physical", VALUE_HEX, get_output, OUTPUT_PHYSICAL},
        {"write.pas", VALUE_SECURITY, get_output, OUTPUT_PAS},
        {"write.mecid", VALUE_DECIMAL, get_output, OUTPUT_MECID},
        {"write.memory", VALUE_MEMORY_TYPE, get_memory, MEMORY_TYPE},
        {"write.inner", VALUE_CACHEABILITY, get_memory, MEMORY_INNER},
        {"write.outer", VALUE_CACHEABILITY, get_memory, MEMORY_OUTER},
        {"write.inner-hints", VALUE_TEXT, get_hints, MEMORY_INNER},
        {"write.outer-hints", VALUE_TEXT, get_hints, MEMORY_OUTER},
        {"write.shareability", VALUE_SHAREABILITY, get_memory, MEMORY_SHAREABILITY},
        {"write.xs", VALUE_YES_NO, get_memory, MEMORY_XS},
        {"write.tagged", VALUE_YES_NO, get_memory, MEMORY_TAGGED},
        {NULL, VALUE_HEX, NULL, 0},
};
