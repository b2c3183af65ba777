/* SPDX-License-Identifier: MIT */
/* See optext.h. Arm ARM: DDI 0487 M.a, D18.2.6, D18.2.7. */
#include "optext.h"

#include <spemu/codec.h>
#include <stdio.h>
#include <string.h>

bool op_is_fp(unsigned op_class, unsigned subclass)
{
	switch (spemu_op_format(op_class, subclass)) {
	case SPEMU_FORMAT_OTHER:
	case SPEMU_FORMAT_SVE:
	case SPEMU_FORMAT_SME:
		return subclass & SPEMU_SUBCLASS_FP;
	case SPEMU_FORMAT_SIMDFP: /* The register kind (SIMD or FP) is not recorded. */
		return true;
	default:
		return false;
	}
}

bool op_is_simd(unsigned op_class, unsigned subclass)
{
	switch (spemu_op_format(op_class, subclass)) {
	case SPEMU_FORMAT_OTHER:
		return subclass & SPEMU_SUBCLASS_ASE;
	case SPEMU_FORMAT_SVE:
	case SPEMU_FORMAT_SME:
	case SPEMU_FORMAT_SIMDFP:
	case SPEMU_FORMAT_SVE_SME:
		return true;
	default:
		return false;
	}
}

static const char *acquire_release(unsigned s)
{
	if (!(s & SPEMU_SUBCLASS_AR))
		return "";
	if (s & SPEMU_SUBCLASS_AT)
		return ", acquire/release";
	return s & SPEMU_SUBCLASS_LDST ? ", release" : ", acquire";
}

static void describe_extended(char *text, size_t size, unsigned s)
{
	const char *what = s & SPEMU_SUBCLASS_LDST ? "store" : "load";
	const unsigned known = SPEMU_SUBCLASS_AT | SPEMU_SUBCLASS_EXCL | SPEMU_SUBCLASS_AR;

	if (s & SPEMU_SUBCLASS_AT)
		what = s & SPEMU_SUBCLASS_LDST ? "atomic, no return" : "atomic";
	snprintf(text, size, "%s%s%s%s", what, s & SPEMU_SUBCLASS_EXCL ? ", exclusive" : "",
	         acquire_release(s), s & known ? "" : ", extended");
}

static void describe_ldst(char *text, size_t size, unsigned s)
{
	static const char *const kind[] = {
	        [SPEMU_FORMAT_GENERAL] = "general",
	        [SPEMU_FORMAT_SIMDFP] = "SIMD&FP",
	        [SPEMU_FORMAT_UNSPECIFIED] = "unspecified registers",
	        [SPEMU_FORMAT_TAG] = "Allocation Tag",
	        [SPEMU_FORMAT_SYSREG] = "System register",
	        [SPEMU_FORMAT_MEMCPY] = "memory copy",
	        [SPEMU_FORMAT_MEMSET] = "memory set",
	        [SPEMU_FORMAT_GCS] = "Guarded Control Stack",
	};
	const enum spemu_op_format format = spemu_op_format(SPEMU_CLASS_LDST, s);
	const char *what = s & SPEMU_SUBCLASS_LDST ? "store" : "load";

	if (format == SPEMU_FORMAT_EXTENDED)
		describe_extended(text, size, s);
	else if (format == SPEMU_FORMAT_SVE_SME)
		snprintf(text, size, "%s, SVE/SME %u bits%s%s", what,
		         spemu_evl_bits(spemu_subclass_evl(s)),
		         s & SPEMU_SUBCLASS_PRED ? ", predicated" : "",
		         !(s & SPEMU_SUBCLASS_SG)  ? ""
		         : s & SPEMU_SUBCLASS_LDST ? ", scatter"
		                                   : ", gather");
	else if (format == SPEMU_FORMAT_RESERVED)
		snprintf(text, size, "%s, subclass %#04x", what, s);
	else
		snprintf(text, size, "%s, %s", what, kind[format]);
}

static void describe_branch(char *text, size_t size, unsigned s)
{
	static const char *const cr[] = {
	        [SPEMU_CR_NOT_RECORDED] = "",
	        [SPEMU_CR_CALL] = ", call",
	        [SPEMU_CR_RETURN] = ", return",
	        [SPEMU_CR_NEITHER] = ", no call or return",
	};

	snprintf(text, size, "branch, %s%s%s%s",
	         s & SPEMU_SUBCLASS_COND ? "conditional" : "unconditional",
	         s & SPEMU_SUBCLASS_IND ? ", indirect" : "", cr[spemu_subclass_cr(s)],
	         s & SPEMU_SUBCLASS_BRANCH_GCS ? ", GCS" : "");
}

static void describe_other(char *text, size_t size, unsigned s)
{
	const char *fp = s & SPEMU_SUBCLASS_FP ? ", floating-point" : "";

	switch (spemu_op_format(SPEMU_CLASS_OTHER, s)) {
	case SPEMU_FORMAT_OTHER:
		snprintf(text, size, "other%s%s%s", s & SPEMU_SUBCLASS_COND ? ", conditional" : "",
		         s & SPEMU_SUBCLASS_ASE ? ", SIMD" : "", fp);
		break;
	case SPEMU_FORMAT_SVE:
		snprintf(text, size, "SVE %u bits%s%s", spemu_evl_bits(spemu_subclass_evl(s)),
		         s & SPEMU_SUBCLASS_PRED ? ", predicated" : "", fp);
		break;
	case SPEMU_FORMAT_SME:
		snprintf(text, size, "SME%s", fp);
		break;
	default:
		snprintf(text, size, "other, subclass %#04x", s);
		break;
	}
}

void op_describe(char *text, size_t size, unsigned op_class, unsigned subclass)
{
	switch (op_class) {
	case SPEMU_CLASS_OTHER:
		describe_other(text, size, subclass);
		break;
	case SPEMU_CLASS_LDST:
		describe_ldst(text, size, subclass);
		break;
	case SPEMU_CLASS_BRANCH:
		describe_branch(text, size, subclass);
		break;
	default:
		snprintf(text, size, "no operation type recorded");
		break;
	}
}

const char *event_name(char *text, size_t size, unsigned bit)
{
	const char *name = spemu_event_name(bit);

	if (name)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "bit%u", bit);
	return text;
}

int event_bit(const char *name)
{
	unsigned bit;
	int used = 0;

	for (unsigned i = 0; spemu_event_names[i]; i++)
		if (!strcmp(spemu_event_names[i], name))
			return spemu_event_bits[i];
	if (sscanf(name, "bit%2u%n", &bit, &used) == 1 && !name[used] && bit < 64)
		return (int)bit;
	return -1;
}
