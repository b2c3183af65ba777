/* SPDX-License-Identifier: MIT */
/*
 * Packets in the words of `perf report -D`.
 *
 * Arm ARM: DDI 0487 M.a, D18.2. The words and their order are those of perf 6.1. If 6.1 has none
 * (previous branch target, Allocation Tags, memory copy and set, GCS, call and return, Advanced
 * SIMD and SME), they are those of later perf releases.
 */
#include "base/text.h"
#include "codec/event.h"
#include "codec/form.h"

/* Maximum size of a text; all 64 events at once take less than 400 bytes. */
enum { TEXT_MAX = 512 };

/* Put a timestamp or a data source, which perf prints as signed numbers. */
static void put_signed(struct text *t, uint64_t value)
{
	if (value >> 63) {
		put_char(t, '-');
		value = -value;
	}
	put_dec(t, value);
}

static inline void put_if(struct text *t, uint64_t condition, const char *word)
{
	if (condition)
		put(t, word);
}

static void describe_events(struct text *t, uint64_t events)
{
	const char *separator = " IMPDEF:";
	uint64_t nameless = 0;

	put(t, "EV");
	for (uint64_t left = events; left; left &= left - 1) {
		unsigned bit = (unsigned)__builtin_ctzll(left);

		if (spemu__event_words[bit].perf) {
			put_char(t, ' ');
			put(t, spemu__event_words[bit].perf);
		} else {
			nameless |= BIT64(bit);
		}
	}
	for (; nameless; nameless &= nameless - 1) {
		put(t, separator);
		put_dec(t, (uint64_t)__builtin_ctzll(nameless));
		separator = ",";
	}
}

static void put_evl(struct text *t, unsigned subclass)
{
	put(t, " EVLEN ");
	put_dec(t, spemu_evl_bits(spemu_subclass_evl(subclass)));
}

static void put_reserved(struct text *t, uint64_t payload)
{
	put(t, " RESERVED ");
	put_hex(t, payload);
}

static void describe_sme(struct text *t, unsigned subclass)
{
	unsigned ets = spemu_subclass_ets(subclass);

	put(t, "SME-OTHER ETS");
	if (ets == SPEMU_ETS_WHOLE_ZA) {
		put(t, " ZA");
	} else if (ets > SPEMU_ETS_262144_BITS) {
		put_reserved(t, ets);
	} else {
		put_char(t, ' ');
		put_dec(t, spemu_ets_bits(ets));
	}
	put_if(t, subclass & SPEMU_SUBCLASS_FP, " FP");
}

static void describe_op_other(struct text *t, unsigned subclass)
{
	const enum spemu_op_format format = spemu_op_format(SPEMU_CLASS_OTHER, subclass);
	const bool reserved = format == SPEMU_FORMAT_RESERVED;

	if (format == SPEMU_FORMAT_SVE) {
		put(t, "SVE-OTHER");
		put_evl(t, subclass);
		put_if(t, subclass & SPEMU_SUBCLASS_FP, " FP");
		put_if(t, subclass & SPEMU_SUBCLASS_PRED, " PRED");
		return;
	}
	if (format == SPEMU_FORMAT_SME) {
		describe_sme(t, subclass);
		return;
	}
	put(t, "OTHER");
	put_if(t, !reserved && subclass & SPEMU_SUBCLASS_ASE, " ASE");
	put_if(t, !reserved && subclass & SPEMU_SUBCLASS_FP, " FP");
	put(t, subclass & SPEMU_SUBCLASS_COND ? " COND-SELECT" : " INSN-OTHER");
	if (reserved)
		put_reserved(t, subclass);
}

static void describe_op_ldst(struct text *t, unsigned subclass)
{
	static const char *const name[] = {
	        [SPEMU_FORMAT_GENERAL] = " GP-REG",         [SPEMU_FORMAT_SIMDFP] = " SIMD-FP",
	        [SPEMU_FORMAT_UNSPECIFIED] = " UNSPEC-REG", [SPEMU_FORMAT_TAG] = " MTE-TAG",
	        [SPEMU_FORMAT_SYSREG] = " NV-SYSREG",       [SPEMU_FORMAT_MEMCPY] = " MEMCPY",
	        [SPEMU_FORMAT_MEMSET] = " MEMSET",          [SPEMU_FORMAT_GCS] = " GCS",
	};
	const enum spemu_op_format format = spemu_op_format(SPEMU_CLASS_LDST, subclass);

	put(t, subclass & SPEMU_SUBCLASS_LDST ? "ST" : "LD");
	switch (format) {
	case SPEMU_FORMAT_EXTENDED:
		put_if(t, subclass & SPEMU_SUBCLASS_AT, " AT");
		put_if(t, subclass & SPEMU_SUBCLASS_EXCL, " EXCL");
		put_if(t, subclass & SPEMU_SUBCLASS_AR, " AR");
		break;
	case SPEMU_FORMAT_SVE_SME:
		put_evl(t, subclass);
		put_if(t, subclass & SPEMU_SUBCLASS_PRED, " PRED");
		put_if(t, subclass & SPEMU_SUBCLASS_SG, " SG");
		break;
	case SPEMU_FORMAT_RESERVED:
		put_reserved(t, subclass);
		break;
	default:
		put(t, name[format]);
		put_if(t, format == SPEMU_FORMAT_GCS && subclass & SPEMU_SUBCLASS_COMM, " COMM");
		break;
	}
}

static void describe_op_branch(struct text *t, unsigned subclass)
{
	static const char *const cr[] = {
	        [SPEMU_CR_NOT_RECORDED] = "",
	        [SPEMU_CR_CALL] = " CR-BL",
	        [SPEMU_CR_RETURN] = " CR-RET",
	        [SPEMU_CR_NEITHER] = " CR-NON-BL-RET",
	};

	put(t, "B");
	put_if(t, subclass & SPEMU_SUBCLASS_COND, " COND");
	if (spemu_op_format(SPEMU_CLASS_BRANCH, subclass) == SPEMU_FORMAT_RESERVED) {
		put_reserved(t, subclass);
		return;
	}
	put_if(t, subclass & SPEMU_SUBCLASS_IND, " IND");
	put_if(t, subclass & SPEMU_SUBCLASS_BRANCH_GCS, " GCS");
	put(t, cr[spemu_subclass_cr(subclass)]);
}

/* Put "IMPDEF 6" or "RESERVED 5" for an INDEX without a name (D18.2.1, D18.2.3). */
static void put_index(struct text *t, unsigned index)
{
	put(t, spemu_index_is_impdef(index) ? "IMPDEF " : "RESERVED ");
	put_dec(t, index);
}

static void describe_address(struct text *t, unsigned index, uint64_t payload)
{
	static const char *const name[] = {
	        [SPEMU_ADDR_PC] = "PC ",
	        [SPEMU_ADDR_BRANCH_TARGET] = "TGT ",
	        [SPEMU_ADDR_DATA_VA] = "VA ",
	        [SPEMU_ADDR_DATA_PA] = "PA ",
	        [SPEMU_ADDR_PREV_BRANCH_TARGET] = "PBT ",
	};

	if (index > SPEMU_ADDR_PREV_BRANCH_TARGET) {
		put(t, "ADDR ");
		put_hex(t, payload);
		put_char(t, ' ');
		put_index(t, index);
		return;
	}
	put(t, name[index]);
	if (index == SPEMU_ADDR_DATA_VA) {
		put_hex(t, payload);
		return;
	}
	put_hex(t, spemu_addr_bits(payload));
	if (index == SPEMU_ADDR_DATA_PA) {
		put(t, " ns=");
		put_dec(t, spemu_addr_ns(payload));
		put(t, " ch=");
		put_dec(t, spemu_addr_ch(payload));
		put(t, " pat=");
		put_char(t, "0123456789abcdef"[spemu_addr_pat(payload)]);
	} else {
		put(t, " el");
		put_dec(t, spemu_addr_el(payload));
		put(t, " ns=");
		put_dec(t, spemu_addr_ns(payload));
	}
	put_if(t, spemu_addr_nse(payload), " nse=1");
}

static void describe_counter(struct text *t, unsigned index, uint64_t payload)
{
	static const char *const name[] = {
	        [SPEMU_COUNTER_TOTAL] = "TOT",
	        [SPEMU_COUNTER_ISSUE] = "ISSUE",
	        [SPEMU_COUNTER_TRANSLATION] = "XLAT",
	        [SPEMU_COUNTER_ALT_ISSUE] = "ALT-ISSUE",
	};

	put(t, "LAT ");
	put_dec(t, payload);
	put_char(t, ' ');
	if (index < sizeof(name) / sizeof(name[0]) && name[index])
		put(t, name[index]);
	else
		put_index(t, index);
}

static void describe_context(struct text *t, unsigned index, uint64_t payload)
{
	put(t, "CONTEXT ");
	put_hex(t, payload);
	if (index > SPEMU_CONTEXT_EL2) {
		put(t, " RESERVED ");
		put_dec(t, index);
		return;
	}
	put(t, index == SPEMU_CONTEXT_EL2 ? " el2" : " el1");
}

static void describe_op_type(struct text *t, unsigned op_class, uint64_t payload)
{
	switch (op_class) {
	case SPEMU_CLASS_OTHER:
		describe_op_other(t, (unsigned)payload);
		break;
	case SPEMU_CLASS_LDST:
		describe_op_ldst(t, (unsigned)payload);
		break;
	case SPEMU_CLASS_BRANCH:
		describe_op_branch(t, (unsigned)payload);
		break;
	default:
		/* perf uses these words for any packet with an unknown index. */
		put(t, "OP-TYPE ");
		put_hex(t, payload);
		put(t, " (");
		put_dec(t, op_class);
		put_char(t, ')');
		break;
	}
}

static void describe_unknown(struct text *t, const struct spemu_packet *pkt)
{
	put(t, "UNKNOWN");
	for (unsigned i = 0; i < pkt->header_size && i < 2; i++) {
		put_char(t, ' ');
		put_char(t, "0123456789abcdef"[pkt->header[i] >> 4]);
		put_char(t, "0123456789abcdef"[pkt->header[i] & 15]);
	}
	if (pkt->payload_size) {
		put_char(t, ' ');
		put_hex(t, pkt->payload);
	}
}

int spemu_packet_describe(char *text, size_t size, const struct spemu_packet *pkt)
{
	char whole[TEXT_MAX];
	struct text t = {size >= TEXT_MAX ? text : whole, 0};

	if (text && size)
		*text = 0;
	if (!pkt || (!text && size))
		return SPEMU_ERR_INVALID;
	switch (pkt->type) {
	case SPEMU_PKT_PADDING:
		put(&t, "PAD");
		break;
	case SPEMU_PKT_END:
		put(&t, "END");
		break;
	case SPEMU_PKT_TIMESTAMP:
		put(&t, "TS ");
		put_signed(&t, pkt->payload);
		break;
	case SPEMU_PKT_EVENTS:
		describe_events(&t, pkt->payload);
		break;
	case SPEMU_PKT_DATA_SOURCE:
		put(&t, "DATA-SOURCE ");
		put_signed(&t, pkt->payload);
		break;
	case SPEMU_PKT_CONTEXT:
		describe_context(&t, pkt->index, pkt->payload);
		break;
	case SPEMU_PKT_OP_TYPE:
		describe_op_type(&t, pkt->index, pkt->payload);
		break;
	case SPEMU_PKT_ADDRESS:
		describe_address(&t, pkt->index, pkt->payload);
		break;
	case SPEMU_PKT_COUNTER:
		describe_counter(&t, pkt->index, pkt->payload);
		break;
	default:
		describe_unknown(&t, pkt);
		break;
	}
	return put_end(text, size, &t);
}
