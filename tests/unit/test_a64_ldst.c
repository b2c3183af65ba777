/* SPDX-License-Identifier: MIT */
/*
 * Test the classification of loads and stores against a second classifier, which follows the tables
 * of C4.1.94 (DDI 0487 M.a). Opcodes are drawn from the whole encoding space, allocated or not.
 * Unallocated opcodes are "other". So are FEAT_LSUI, FEAT_LSFE and FEAT_THE, which the library does
 * not know.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "timing/a64.h"

#include "draw.h"
#include "share.h"

enum { OPCODES = 1000000 };

#define AR SPEMU_OPF_ACQUIRE_RELEASE
#define AT SPEMU_OPF_ATOMIC
#define EX SPEMU_OPF_EXCLUSIVE
#define FP SPEMU_OPF_FP
#define PAIR SPEMU_OPF_PAIR
#define SIMD SPEMU_OPF_SIMD
#define EXTENDED SPEMU_LDST_EXTENDED
#define GENERAL SPEMU_LDST_GENERAL
#define SIMDFP SPEMU_LDST_SIMDFP
#define TAGS SPEMU_LDST_TAGS
#define UNSPEC SPEMU_LDST_UNSPECIFIED
#define LOAD SPEMU_OP_LOAD
#define STORE SPEMU_OP_STORE
#define ATOMIC SPEMU_OP_LOAD_ATOMIC

static uint32_t op;

static unsigned at(unsigned hi, unsigned lo)
{
	return (unsigned)((uint64_t)op >> lo & ((UINT64_C(2) << (hi - lo)) - 1));
}

static struct spemu_op_kind is(unsigned type, unsigned ldst, unsigned bytes, uint32_t flags)
{
	return (struct spemu_op_kind){.type = (uint8_t)type,
	                              .ldst = (uint8_t)ldst,
	                              .access_size = (uint16_t)bytes,
	                              .flags = flags};
}

static struct spemu_op_kind other(void)
{
	return is(SPEMU_OP_OTHER, 0, 0, 0);
}

static unsigned load_or_store(unsigned load)
{
	return load ? LOAD : STORE;
}

static uint32_t ordered_if(unsigned so)
{
	return so ? AR : 0;
}

/* Load/store exclusive, ordered, compare and swap: size, o2 [23], L [22], o1 [21], o0 [15], Rt2
 * [14:10]. */
static struct spemu_op_kind exclusive(void)
{
	unsigned size = at(31, 30), load = at(22, 22), o0 = at(15, 15), no_rt2 = at(14, 10) == 31;

	switch (at(23, 23) << 1 | at(21, 21)) {
	case 0:
		return is(load_or_store(load), EXTENDED, 1u << size, EX | ordered_if(o0));
	case 1:
		if (size >= 2)
			return is(load_or_store(load), EXTENDED, 2u << size,
			          EX | PAIR | ordered_if(o0));
		return no_rt2 ? is(ATOMIC, EXTENDED, size ? 16 : 8,
		                   AT | PAIR | ordered_if(load | o0))
		              : other();
	case 2:
		return is(load_or_store(load), EXTENDED, 1u << size, AR);
	default:
		return no_rt2 ? is(ATOMIC, EXTENDED, 1u << size, AT | ordered_if(load | o0))
		              : other();
	}
}

/* Advanced SIMD structures: Q [30], post-index [23], L [22], opcode [15:12]. */
static struct spemu_op_kind multiple_structures(void)
{
	unsigned registers = 0;

	if (at(31, 31) || at(21, 21) || (!at(23, 23) && at(20, 16)))
		return other();
	switch (at(15, 12)) {
	case 0: /* LD4 */
	case 2: /* LD1, four registers */
		registers = 4;
		break;
	case 4:
	case 6:
		registers = 3;
		break;
	case 8:
	case 10:
		registers = 2;
		break;
	case 7:
		registers = 1;
		break;
	default:
		return other();
	}
	return is(load_or_store(at(22, 22)), SIMDFP, registers * (at(30, 30) ? 16 : 8), SIMD);
}

/* One structure: R [21], opcode [15:13], S [12], size [11:10]. */
static struct spemu_op_kind single_structure(void)
{
	unsigned opcode = at(15, 13), s = at(12, 12), size = at(11, 10), load = at(22, 22);
	unsigned registers = 1 + at(21, 21) + 2 * (opcode & 1), bytes = 0;

	if (at(31, 31))
		return other();
	if (!at(23, 23) && at(21, 16) == 1 && at(15, 10) == 0x21) /* LDAP1, STL1 */
		return is(load_or_store(load), EXTENDED, 8, SIMD | AR);
	if (!at(23, 23) && at(20, 16))
		return other();
	if (opcode < 2)
		bytes = 1;
	else if (opcode < 4)
		bytes = size == 0 || size == 2 ? 2 : 0;
	else if (opcode < 6)
		bytes = size == 0 ? 4 : size == 1 && !s ? 8 : 0;
	else if (load && !s) /* load and replicate */
		bytes = 1u << size;
	return bytes ? is(load_or_store(load), SIMDFP, registers * bytes, SIMD) : other();
}

/* Allocation Tags: opc [23:22], imm9 [20:12], op2 [11:10]. */
static struct spemu_op_kind tags(void)
{
	unsigned opc = at(23, 22);

	if (at(11, 10) == 0) {
		if (opc == 1)
			return is(LOAD, TAGS, 16, 0); /* LDG */
		if (at(20, 12))
			return other();
		return opc == 0 ? is(STORE, UNSPEC, 0, 0) : is(opc == 2 ? STORE : LOAD, TAGS, 0, 0);
	}
	return is(STORE, opc & 1 ? UNSPEC : TAGS, opc & 2 ? 32 : 16, 0);
}

/* Return true if a load or store of one general-purpose register exists with size [31:30] and opc
 * [23:22]. Prefetches do not count. */
static bool register_exists(unsigned size, unsigned opc)
{
	return opc < 2 || size < 2 || (size == 2 && opc == 2);
}

/* Classify LDAPUR, STLUR, LDIAPP, STILP with and without write-back, memory copies and sets, and
 * GCSSTR. They all have bit [21] clear. */
static bool rcpc_or_memory(struct spemu_op_kind *k)
{
	unsigned size = at(31, 30), opc = at(23, 22);

	switch (at(11, 10)) {
	case 0:
		*k = register_exists(size, opc) ? is(load_or_store(opc), EXTENDED, 1u << size, AR)
		                                : other();
		return true;
	case 1:
		if (size)
			*k = other();
		else if (opc < 3)
			*k = is(LOAD, SPEMU_LDST_MEMCOPY, 0, 0);
		else
			*k = at(15, 14) < 3 ? is(STORE, SPEMU_LDST_MEMSET, 0, 0) : other();
		return true;
	case 2:
		*k = other();
		if (size >= 2 && opc >= 2 && at(20, 12) == 0)
			*k = is(load_or_store(opc & 1), EXTENDED, size == 3 ? 8 : 4, AR);
		if (size >= 2 && opc < 2)
			*k = is(load_or_store(opc & 1), EXTENDED, size == 3 ? 16 : 8, AR | PAIR);
		return size < 2 || opc >= 2 || at(15, 13) == 0; /* pairs exist with opc2 0 or 1 */
	default:
		*k = size == 3 && opc == 0 && at(20, 13) == 0xf8 ? is(STORE, SPEMU_LDST_GCS, 8, 0)
		                                                 : other();
		return true;
	}
}

static bool ordered_and_tags(struct spemu_op_kind *k)
{
	unsigned opc = at(15, 12);

	if (!at(21, 21))
		return rcpc_or_memory(k);
	*k = other();
	if (at(31, 30) == 3)
		*k = tags();
	else if (at(31, 30) == 0 && at(11, 10) == 0 && (opc == 1 || opc == 3 || opc == 8))
		*k = is(ATOMIC, EXTENDED, 16, AT | PAIR | ordered_if(at(23, 22)));
	return true;
}

/* Classify one SIMD or FP register by size and opc. A Q register has opc 2 or 3 and size 0. */
static struct spemu_op_kind vector(unsigned ldst, uint32_t flags)
{
	unsigned size = at(31, 30), opc = at(23, 22), bytes = opc >= 2 ? 16 : 1u << size;

	if (opc >= 2 && size)
		return other();
	return is(load_or_store(opc & 1), ldst, bytes, flags | (bytes == 16 ? SIMD : FP));
}

static bool ordered_vector(struct spemu_op_kind *k)
{
	*k = other();
	if (at(21, 21) == 0 && at(11, 10) == 2)
		*k = vector(EXTENDED, AR);
	else if (at(21, 21) == 0 && at(11, 10) == 1)
		return rcpc_or_memory(k);
	return true;
}

static struct spemu_op_kind literal(void)
{
	unsigned opc = at(31, 30);

	if (opc == 3) /* PRFM; unallocated */
		return other();
	if (at(26, 26))
		return is(LOAD, SIMDFP, 4u << opc, opc == 2 ? SIMD : FP);
	return is(LOAD, GENERAL, opc == 1 ? 8 : 4, 0);
}

static struct spemu_op_kind pair(void)
{
	unsigned opc = at(31, 30), load = at(22, 22);

	if (opc == 3)
		return other();
	if (at(26, 26))
		return is(load_or_store(load), SIMDFP, 8u << opc, PAIR | (opc == 2 ? SIMD : FP));
	if (opc == 1 && at(24, 23) == 0)
		return other();
	if (opc == 1) /* LDPSW, or STGP, which stores a granule */
		return is(load_or_store(load), GENERAL, load ? 8 : 16, PAIR);
	return is(load_or_store(load), GENERAL, opc ? 16 : 8, PAIR);
}

static struct spemu_op_kind one_register(void)
{
	unsigned size = at(31, 30), opc = at(23, 22);

	if (at(26, 26))
		return vector(SIMDFP, 0);
	return register_exists(size, opc) ? is(load_or_store(opc), GENERAL, 1u << size, 0)
	                                  : other();
}

/* size, V, A [23], R [22], Rs [20:16], o3 [15], opc [14:12], Rt [4:0]. */
static struct spemu_op_kind atomic(void)
{
	unsigned size = at(31, 30), a = at(23, 23), r = at(22, 22), rs = at(20, 16), rt = at(4, 0);
	unsigned o3_opc = at(15, 12);
	uint32_t flags = AT | ordered_if(r || (a && rt != 31));

	if (at(26, 26))
		return other();
	if (o3_opc < 8)
		return is(rt == 31 ? STORE : ATOMIC, EXTENDED, 1u << size, flags);
	if (o3_opc == 8)
		return is(ATOMIC, EXTENDED, 1u << size, flags);
	if (o3_opc == 12 && a && !r && rs == 31)
		return is(LOAD, EXTENDED, 1u << size, AR); /* LDAPR */
	if (size == 3 && !a && !r) {
		if (o3_opc == 9 && rs == 31)
			return is(STORE, GENERAL, 64, 0); /* ST64B */
		if (o3_opc == 13 && rs == 31)
			return is(LOAD, GENERAL, 64, 0); /* LD64B */
		if (o3_opc == 10 || o3_opc == 11)
			return is(STORE, GENERAL, 64, SPEMU_OPF_STATUS_RESULT);
	}
	return other();
}

/* Classify op by the tables. Return false if the tables do not cover op. */
static bool by_the_tables(struct spemu_op_kind *k)
{
	unsigned v = at(26, 26), high = at(24, 24);

	switch (at(29, 28)) {
	case 0:
		*k = v      ? high ? single_structure() : multiple_structures()
		          : high ? other()
		            : exclusive();
		return true;
	case 1:
		if (high)
			return v ? ordered_vector(k) : ordered_and_tags(k);
		*k = literal();
		return true;
	case 2:
		*k = pair();
		return true;
	default:
		break;
	}
	if (high || (!at(21, 21) && !(v && at(11, 10) == 2)))
		*k = one_register();
	else if (!at(21, 21)) /* SIMD and FP registers have no unprivileged forms */
		*k = other();
	else if (at(11, 10) == 0)
		*k = atomic();
	else if (at(11, 10) == 2)
		*k = one_register();
	else
		*k = at(31, 30) == 3 && !v ? is(LOAD, GENERAL, 8, 0) : other(); /* LDRAA, LDRAB */
	return high || !at(21, 21) || at(11, 10) != 2 ||
	       at(14, 14); /* register offset: option[1] is 1 */
}

/* Draw an opcode with [28:25] = 0bx1x0. Fields that must have one particular value for an
 * instruction to exist often have it. */
static uint32_t draw_opcode(uint64_t *seed)
{
	uint32_t opcode = (uint32_t)(prng_next(seed) >> 32);

	opcode = (opcode & ~(UINT32_C(1) << 25)) | UINT32_C(1) << 27;
	if (coin(seed))
		opcode &= ~(UINT32_C(0x1f) << 16);
	else if (coin(seed))
		opcode |= UINT32_C(0x1f) << 16;
	if (below(seed, 4) == 0)
		opcode &= ~(UINT32_C(0xf) << 12);
	if (below(seed, 4) == 0)
		opcode |= UINT32_C(0x1f) << 10;
	if (below(seed, 4) == 0)
		opcode |= 0x1f;
	if (below(seed, 16) == 0)
		opcode = (opcode & ~UINT32_C(0x1ffc00)) | 0x018400;
	return opcode;
}

static void random_loads_and_stores_match_the_tables(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < OPCODES; i += test_share()) {
		struct spemu_op_kind k, expected;

		op = draw_opcode(&seed);
		a64_classify(&k, op, 256);
		if (!by_the_tables(&expected))
			continue;
		if (k.type != expected.type || k.ldst != expected.ldst ||
		    k.access_size != expected.access_size || k.flags != expected.flags ||
		    k.vector_bits || k.branch_offset)
			fail_msg("0x%08x: type %u/%u ldst %u/%u size %u/%u flags 0x%x/0x%x "
			         "(got/expected)",
			         (unsigned)op, k.type, expected.type, k.ldst, expected.ldst,
			         k.access_size, expected.access_size, (unsigned)k.flags,
			         (unsigned)expected.flags);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(random_loads_and_stores_match_the_tables),
	};
	return cmocka_run_group_tests_name("a64_ldst", tests, NULL, NULL);
}
