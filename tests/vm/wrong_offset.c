/* SPDX-License-Identifier: MIT */
/*
 * A layer between the plugin and QEMU's private data, in the plugin that test_offsets.py loads. It
 * makes one offset of the table wrong, pretends another QEMU version, or changes the layout of
 * registers. SPEMU_WRONG_OFFSET is "STRUCT.MEMBER BYTES" or "version".
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_private.h"
#include "system_series.h"

bool __real_system_series_select(unsigned major, unsigned minor);
bool __wrap_system_series_select(unsigned major, unsigned minor);
struct private_reg *__real_get_arm_cp_reginfo(void *table, uint32_t encoded);
struct private_reg *__wrap_get_arm_cp_reginfo(void *table, uint32_t encoded);
uint64_t __real_helper_get_cp_reg64(struct CPUArchState *env, const void *reg);
uint64_t __wrap_helper_get_cp_reg64(struct CPUArchState *env, const void *reg);
void __real_helper_set_cp_reg64(struct CPUArchState *env, const void *reg, uint64_t value);
void __wrap_helper_set_cp_reg64(struct CPUArchState *env, const void *reg, uint64_t value);

#define MEMBER(m)                                                   \
	{                                                           \
		"ARMCPRegInfo." #m, offsetof(struct private_reg, m) \
	}
static const struct {
	const char *name;
	size_t offset;
} reg_members[] = {
        MEMBER(state),      MEMBER(type),        MEMBER(access),   MEMBER(nv2_redirect_offset),
        MEMBER(resetvalue), MEMBER(fieldoffset), MEMBER(accessfn), MEMBER(readfn),
        MEMBER(writefn),    MEMBER(resetfn),
};

/* Read the wrong member and its error in bytes from the environment. Return false if there is
 * none. */
static bool wrong_member(char name[64], int *bytes)
{
	const char *wrong = getenv("SPEMU_WRONG_OFFSET");

	if (!wrong || strcmp(wrong, "version") == 0)
		return false;
	if (sscanf(wrong, "%63s %d", name, bytes) != 2)
		abort();
	return true;
}

static bool reg_member(size_t *offset, int *bytes)
{
	char name[64];

	if (!wrong_member(name, bytes))
		return false;
	for (size_t i = 0; i < sizeof(reg_members) / sizeof(reg_members[0]); i++)
		if (strcmp(reg_members[i].name, name) == 0) {
			*offset = reg_members[i].offset;
			return true;
		}
	return false;
}

bool __wrap_system_series_select(unsigned major, unsigned minor)
{
	const char *wrong = getenv("SPEMU_WRONG_OFFSET");
	char name[64];
	size_t offset;
	int bytes;

	if (wrong && strcmp(wrong, "version") == 0)
		return __real_system_series_select(major, minor + 1);
	if (!__real_system_series_select(major, minor))
		return false;
	if (!wrong_member(name, &bytes) || reg_member(&offset, &bytes))
		return true;
	for (unsigned i = 0; i < QEMU_OFFSETS; i++)
		if (strcmp(qemu_offset_name((enum qemu_offset)i), name) == 0) {
			qemu_series.offset[i] += (size_t)bytes;
			return true;
		}
	abort();
}

/* Copy a register, and move all members from `offset` on. The gap reads as 0. */
static void move(struct private_reg *to, const struct private_reg *from, size_t offset, int bytes)
{
	size_t source = bytes < 0 ? offset + (size_t)-bytes : offset;
	size_t target = bytes < 0 ? offset : offset + (size_t)bytes;
	size_t size = sizeof(*to) - (source > target ? source : target);

	*to = *from;
	memset((char *)to + offset, 0, sizeof(*to) - offset);
	memcpy((char *)to + target, (const char *)from + source, size);
}

/* Return a register in the layout of the pretended QEMU. */
struct private_reg *__wrap_get_arm_cp_reginfo(void *table, uint32_t encoded)
{
	static struct private_reg seen[64];
	static unsigned count;
	struct private_reg *reg = __real_get_arm_cp_reginfo(table, encoded);
	size_t offset;
	int bytes;

	if (!reg || !reg_member(&offset, &bytes))
		return reg;
	move(&seen[count % 64], reg, offset, bytes);
	return &seen[count++ % 64];
}

/* Read a register of the plugin like the pretended QEMU. */
uint64_t __wrap_helper_get_cp_reg64(struct CPUArchState *env, const void *reg)
{
	struct private_reg seen;
	size_t offset;
	int bytes;

	if (!reg_member(&offset, &bytes))
		return __real_helper_get_cp_reg64(env, reg);
	move(&seen, reg, offset, -bytes);
	return seen.readfn ? seen.readfn(env, reg) : 0;
}

void __wrap_helper_set_cp_reg64(struct CPUArchState *env, const void *reg, uint64_t value)
{
	struct private_reg seen;
	size_t offset;
	int bytes;

	if (!reg_member(&offset, &bytes)) {
		__real_helper_set_cp_reg64(env, reg, value);
		return;
	}
	move(&seen, reg, offset, -bytes);
	if (seen.writefn)
		seen.writefn(env, reg, value);
}
