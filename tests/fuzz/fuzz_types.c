/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the types of data of an ELF file with damaged debugging information.
 *
 * An input is two zero bytes and the file (fuzz_session.h). The target asks for the type of every
 * instruction, of static data, and of the objects of every call. Each answer has a path to its
 * member, and each input takes a bounded time.
 */
#include "fuzz_session.h"

#include <time.h>

#include "../../tools/session/object.h"
#include "../../tools/types/object_types.h"

enum {
	CODE_MAX = 1 << 14, /* bytes of a segment that are asked for */
	SECONDS_MAX = 20,   /* CPU time of an input, also with sanitizers */
};

static void check_type(struct types *types, struct type *type, int64_t offset, unsigned size)
{
	struct type_step steps[TYPE_STEPS_MAX];
	const struct type_member *members;
	char text[256];
	size_t count, n;

	if (!type)
		return;
	REQUIRE(type->name);
	members = type_members(types, type, &count);
	for (size_t i = 1; i < count; i++)
		REQUIRE(members[i - 1].offset <= members[i].offset);
	if (offset < 0)
		return;
	n = type_steps(types, steps, type, (uint64_t)offset, size);
	REQUIRE(n >= 1 && n <= TYPE_STEPS_MAX && steps[0].type == type);
	type_path(text, sizeof(text), steps, n);
}

static void ask_segment(struct object_types *types, const struct segment *segment)
{
	uint64_t size = segment->mem_size < CODE_MAX ? segment->mem_size : CODE_MAX;
	struct types *set = object_types_set(types);

	for (uint64_t at = 0; at < size; at += 4) {
		uint64_t vaddr = segment->vaddr + at;
		const struct code_type *code = object_types_code(types, vaddr);
		int64_t offset = 0;
		struct type *type = object_types_static(types, &offset, vaddr);

		check_type(set, type, offset, 4);
		check_type(set, object_types_call(types, vaddr), 0, 8);
		if (!code)
			continue;
		REQUIRE(code->type || code->source == TYPE_NONE || code->source == TYPE_SAVED);
		check_type(set, code->type, code->offset, code->size);
	}
}

static void ask(void *argument)
{
	struct object *object = object_find(argument, NULL, 0);
	struct object_types *types = object_types_of(object);

	for (size_t i = 0; types && i < object->segment_count; i++)
		ask_segment(types, &object->segments[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, data + size};
	clock_t start = clock();

	fuzz_session_take(&in);
	fuzz_run(ask, fuzz_session_name(FUZZ_MAPPED));
	REQUIRE(clock() - start < SECONDS_MAX * CLOCKS_PER_SEC);
	fuzz_session_forget();
	fuzz_end(false);
	return 0;
}
