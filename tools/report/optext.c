/* SPDX-License-Identifier: MIT */
/* Operation types and events in words. Arm ARM: DDI 0487 M.a, D18.2.6 and D18.2.7. */
#include "report.h"

#include <stdio.h>
#include <string.h>

enum op_class {
	CLASS_OTHER = 0,
	CLASS_LDST = 1,
	CLASS_BRANCH = 2,
};

/* SUBCLASS patterns. */
static bool is_sve_other(unsigned s)
{
	return (s & 0x89) == 0x08;
}

static bool is_sme_other(unsigned s)
{
	return (s & 0x89) == 0x88;
}

static bool is_ldst_sve(unsigned s)
{
	return (s & 0x0a) == 0x08;
}

static bool is_ldst_extended(unsigned s)
{
	return (s & 0xe2) == 0x02;
}

enum op_group op_group(unsigned op_class, unsigned s)
{
	if (op_class == CLASS_BRANCH)
		return OP_BRANCH;
	if (op_class != CLASS_LDST)
		return OP_OTHER;
	if (is_ldst_extended(s) && (s & 0x04))
		return OP_ATOMIC;
	return s & 1 ? OP_STORE : OP_LOAD;
}

bool op_is_fp(unsigned op_class, unsigned s)
{
	if (op_class == CLASS_OTHER)
		return (s & 0x02) != 0 && ((s & 0xf8) == 0 || is_sve_other(s) || is_sme_other(s));
	/* Which of the two a load or store of SIMD&FP registers moves is not recorded. */
	return op_class == CLASS_LDST && (s & 0xfe) == 0x04;
}

bool op_is_simd(unsigned op_class, unsigned s)
{
	if (op_class == CLASS_OTHER)
		return ((s & 0xf8) == 0 && (s & 0x04)) || is_sve_other(s) || is_sme_other(s);
	return op_class == CLASS_LDST && ((s & 0xfe) == 0x04 || is_ldst_sve(s));
}

static const char *ldst_kind(unsigned s)
{
	switch (s & 0xfe) {
	case 0x00:
		return "general";
	case 0x04:
		return "SIMD&FP";
	case 0x10:
		return "unspecified registers";
	case 0x14:
		return "Allocation Tag";
	case 0x20:
		return "memory copy";
	case 0x24:
		return "memory set";
	case 0x30:
		return "System register";
	case 0x40:
	case 0x44:
		return "Guarded Control Stack";
	default:
		return NULL;
	}
}

static void describe_ldst(char *text, size_t size, unsigned s)
{
	const char *what = s & 1 ? "store" : "load";

	if (is_ldst_extended(s))
		snprintf(text, size, "%s%s%s%s",
		         s & 0x04 ? s & 1 ? "atomic, no return" : "atomic" : what,
		         s & 0x08 ? ", exclusive" : "",
		         s & 0x10 ? s & 0x04 ? ", acquire/release"
		                    : s & 1  ? ", release"
		                             : ", acquire"
		                  : "",
		         (s & 0x1c) ? "" : ", extended");
	else if (is_ldst_sve(s))
		snprintf(text, size, "%s, SVE/SME %u bits%s%s", what, 32u << (s >> 4 & 7),
		         s & 0x04 ? ", predicated" : "",
		         s & 0x80 ? s & 1 ? ", scatter" : ", gather" : "");
	else if (ldst_kind(s))
		snprintf(text, size, "%s, %s", what, ldst_kind(s));
	else
		snprintf(text, size, "%s, subclass %#04x", what, s);
}

static void describe_branch(char *text, size_t size, unsigned s)
{
	static const char *const cr[] = {"", ", call", ", return", ", no call or return"};

	snprintf(text, size, "branch, %s%s%s%s", s & 1 ? "conditional" : "unconditional",
	         s & 2 ? ", indirect" : "", cr[s >> 3 & 3], s & 4 ? ", GCS" : "");
}

void op_describe(char *text, size_t size, unsigned op_class, unsigned s)
{
	if (op_class == CLASS_LDST)
		describe_ldst(text, size, s);
	else if (op_class == CLASS_BRANCH)
		describe_branch(text, size, s);
	else if (op_class != CLASS_OTHER)
		snprintf(text, size, "no operation type recorded");
	else if ((s & 0xf8) == 0)
		snprintf(text, size, "other%s%s%s", s & 1 ? ", conditional" : "",
		         s & 4 ? ", SIMD" : "", s & 2 ? ", floating-point" : "");
	else if (is_sve_other(s))
		snprintf(text, size, "SVE %u bits%s%s", 32u << (s >> 4 & 7),
		         s & 4 ? ", predicated" : "", s & 2 ? ", floating-point" : "");
	else if (is_sme_other(s))
		snprintf(text, size, "SME%s", s & 2 ? ", floating-point" : "");
	else
		snprintf(text, size, "other, subclass %#04x", s);
}

static const char *const names[] = {
        [SPEMU_EV_EXCEPTION] = "exception generated",
        [SPEMU_EV_RETIRED] = "architecturally retired",
        [SPEMU_EV_L1D_ACCESS] = "level 1 data cache access",
        [SPEMU_EV_L1D_REFILL] = "level 1 data cache refill or miss",
        [SPEMU_EV_TLB_ACCESS] = "TLB access",
        [SPEMU_EV_TLB_WALK] = "TLB walk",
        [SPEMU_EV_NOT_TAKEN] = "branch not taken",
        [SPEMU_EV_MISPREDICTED] = "branch mispredicted",
        [SPEMU_EV_LLC_ACCESS] = "last level cache access",
        [SPEMU_EV_LLC_MISS] = "last level cache miss",
        [SPEMU_EV_REMOTE_ACCESS] = "access to another socket",
        [SPEMU_EV_MISALIGNED] = "misaligned access",
        [SPEMU_EV_TRANSACTIONAL] = "in a transaction",
        [SPEMU_EV_PARTIAL_PREDICATE] = "partial or empty predicate",
        [SPEMU_EV_EMPTY_PREDICATE] = "empty predicate",
        [SPEMU_EV_L2D_ACCESS] = "level 2 data cache access",
        [SPEMU_EV_L2D_MISS] = "level 2 data cache miss",
        [SPEMU_EV_CACHE_DATA_MODIFIED] = "data of a modified cache line",
        [SPEMU_EV_RECENTLY_FETCHED] = "recently fetched cache line",
        [SPEMU_EV_DATA_SNOOPED] = "data snooped from another cache",
        [SPEMU_EV_STREAMING_SVE] = "Streaming SVE mode",
        [SPEMU_EV_SMCU] = "SMCU or external coprocessor",
};

const char *event_name(unsigned bit)
{
	return bit < sizeof(names) / sizeof(names[0]) ? names[bit] : NULL;
}
