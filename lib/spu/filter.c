/* SPDX-License-Identifier: MIT */
/*
 * The filters of finished samples.
 *
 * Arm ARM:     DDI 0487 M.a, D17.5, D24.7.12
 * Implements:  D17.5, IBWNKX IZZTZL RNYZKJ DDSNMB IZWMZT RYGCFK ILVCZH IXNXRN (type), D17.5.2
 *              (events), D17.5.3 (latency), D17.5.4 (data source)
 * Pseudocode:  SPECollectRecord(), SPEFilterByType(), SPEFilterByEvents(), SPEFilterByLatency(),
 *              SPEFilterByDataSource()
 * Choices:     filter-selects-nothing, event-filter-l1d-access, event-filter-tlb-access,
 *              event-filter-llc-access, event-filter-llc-refill, event-filter-remote-access,
 *              not-retired-capture
 *
 * Each filter also generates its SAMPLE_FEED_* event, whether or not the filter is enabled.
 */
#include "spu/spu_object.h"

#define PMSFCR_BIT(F) (1u << SPEMU_PMSFCR_EL1_##F##_LSB)

/* Return true if, by choice, a filter with an empty or contradictory selection discards every
 * sample. */
static bool nothing_recorded(const struct spemu_spu *s)
{
	return pe_choice(s->pe, SPEMU_CHOICE_FILTER_SELECTS_NOTHING) ==
	       SPEMU_FILTER_SELECTS_NOTHING_NOTHING_RECORDED;
}

/* Return the types of an operation, in the order of the register's bits: B, LD, ST, FP, SIMD. */
static unsigned type_flags(const struct spemu_op_kind *kind)
{
	bool gcs_branch = kind->type == SPEMU_OP_BRANCH && (kind->flags & SPEMU_OPF_GCS);
	bool load = kind->type == SPEMU_OP_LOAD || kind->type == SPEMU_OP_LOAD_ATOMIC ||
	            (gcs_branch && (kind->flags & SPEMU_OPF_RETURN));
	bool store = kind->type == SPEMU_OP_STORE || kind->type == SPEMU_OP_LOAD_ATOMIC ||
	             (gcs_branch && (kind->flags & SPEMU_OPF_LINK));

	return (unsigned)(kind->type == SPEMU_OP_BRANCH) | (unsigned)load << 1 |
	       (unsigned)store << 2 | (unsigned)!!(kind->flags & SPEMU_OPF_FP) << 3 |
	       (unsigned)!!(kind->flags & SPEMU_OPF_SIMD) << 4;
}

struct type_filter {
	unsigned ctrl, mask; /* PMSFCR_EL1.{TYPE, TYPEm} */
};

static struct type_filter type_filter(const struct spemu_pe *pe)
{
	uint64_t pmsfcr = pe->reg[SPEMU_REG_PMSFCR_EL1];

	/* Without FEAT_SPE_EFT, {SIMD, FP} and TYPEm are RES0 and read as 0. */
	return (struct type_filter){(unsigned)bits_get(pmsfcr, 20, 16),
	                            (unsigned)bits_get(pmsfcr, 52, 48)};
}

static bool type_matches(struct type_filter f, unsigned flags)
{
	unsigned any = f.ctrl & ~f.mask;

	return (any == 0 || (flags & any)) && (flags & f.mask) == (f.ctrl & f.mask);
}

bool spemu__filter_selects_type(const struct spemu_spu *s, const struct spemu_op_kind *kind)
{
	return !(s->pe->reg[SPEMU_REG_PMSFCR_EL1] & PMSFCR_BIT(FT)) ||
	       type_matches(type_filter(s->pe), type_flags(kind));
}

bool spemu__filter_types_make_sense(const struct spemu_pe *pe)
{
	return !(pe->reg[SPEMU_REG_PMSFCR_EL1] & PMSFCR_BIT(FT)) ||
	       pe_has(pe, SPEMU_FEAT_SPE_EFT) || type_filter(pe).ctrl != 0;
}

bool spemu__filter_some_type_passes(const struct spemu_pe *pe)
{
	/* The possible types: B, also with LD or ST for branches that access a Guarded Control
	 * Stack; LD, ST, both, or neither. Each is also possible with FP and SIMD. */
	static const uint8_t types[] = {0, 1, 2, 3, 4, 5, 6};
	struct type_filter f = type_filter(pe);

	if (!(pe->reg[SPEMU_REG_PMSFCR_EL1] & PMSFCR_BIT(FT)) ||
	    !spemu__filter_types_make_sense(pe))
		return true;
	for (unsigned i = 0; i < 4 * sizeof(types); i++)
		if (type_matches(f, types[i / 4] | (i % 4) << 3))
			return true;
	return false;
}

static bool reject_type(const struct spemu_spu *s, const struct spemu_op *op)
{
	static const uint16_t feed[5] = {SPEMU_PMU_SAMPLE_FEED_BR, SPEMU_PMU_SAMPLE_FEED_LD,
	                                 SPEMU_PMU_SAMPLE_FEED_ST, SPEMU_PMU_SAMPLE_FEED_FP,
	                                 SPEMU_PMU_SAMPLE_FEED_SIMD};
	struct type_filter f = type_filter(s->pe);
	unsigned flags = type_flags(&op->kind);
	bool selected = type_matches(f, flags);

	for (unsigned i = 0; i < 5; i++)
		spu_pmu_event(s, feed[i], flags >> i & 1);
	spu_pmu_event(s, SPEMU_PMU_SAMPLE_FEED_OP, selected && (f.ctrl || f.mask));
	if (!(s->pe->reg[SPEMU_REG_PMSFCR_EL1] & PMSFCR_BIT(FT)))
		return false;
	if (!spemu__filter_types_make_sense(s->pe))
		return nothing_recorded(s); /* CONSTRAINED UNPREDICTABLE selection */
	return !selected;
}

/* Return the event filters that are optional without FEAT_SPEv1p4 (D24.7.11). With it, each of
 * their choices has one option. */
static uint64_t optional_filters(const struct spemu_spu *s)
{
	static const struct {
		uint8_t event; /* enum spemu_event_bit */
		uint8_t supported;
		enum spemu_choice choice;
	} rows[] = {
	        {SPEMU_EV_L1D_ACCESS, SPEMU_EVENT_FILTER_L1D_ACCESS_SUPPORTED,
	         SPEMU_CHOICE_EVENT_FILTER_L1D_ACCESS},
	        {SPEMU_EV_TLB_ACCESS, SPEMU_EVENT_FILTER_TLB_ACCESS_SUPPORTED,
	         SPEMU_CHOICE_EVENT_FILTER_TLB_ACCESS},
	        {SPEMU_EV_LLC_ACCESS, SPEMU_EVENT_FILTER_LLC_ACCESS_SUPPORTED,
	         SPEMU_CHOICE_EVENT_FILTER_LLC_ACCESS},
	        {SPEMU_EV_LLC_MISS, SPEMU_EVENT_FILTER_LLC_REFILL_SUPPORTED,
	         SPEMU_CHOICE_EVENT_FILTER_LLC_REFILL},
	        {SPEMU_EV_REMOTE_ACCESS, SPEMU_EVENT_FILTER_REMOTE_ACCESS_SUPPORTED,
	         SPEMU_CHOICE_EVENT_FILTER_REMOTE_ACCESS},
	};
	uint64_t mask = 0;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (pe_choice(s->pe, rows[i].choice) == rows[i].supported)
			mask |= BIT64(rows[i].event);
	return mask;
}

uint64_t spemu__filter_event_mask(const struct spemu_spu *s)
{
	bool v1p4 = spu_has(s, SPEMU_FEAT_SPEV1P4);
	uint64_t impdef = s->config.impdef_events;
	uint64_t mask = BIT64(SPEMU_EV_L1D_REFILL) | BIT64(SPEMU_EV_TLB_WALK) |
	                BIT64(SPEMU_EV_MISPREDICTED) |
	                (impdef & (BITMASK(63, 48) | BITMASK(15, 12))) | optional_filters(s);

	/* The bit is UNKNOWN and ignored if records of speculative operations are always
	 * discarded. */
	if (pe_choice(s->pe, SPEMU_CHOICE_NOT_RETIRED_CAPTURE) ==
	    SPEMU_NOT_RETIRED_CAPTURE_CAPTURED)
		mask |= BIT64(SPEMU_EV_RETIRED);
	if (spu_has(s, SPEMU_FEAT_SPE_FNE))
		mask |= BIT64(SPEMU_EV_NOT_TAKEN);
	mask |= v1p4 ? BITMASK(23, 19) : impdef & BITMASK(31, 24);
	if (spu_has(s, SPEMU_FEAT_SPE_SME))
		mask |= BITMASK(25, 24);
	if (spu_has(s, SPEMU_FEAT_SPEV1P1)) {
		mask |= BIT64(SPEMU_EV_MISALIGNED);
		if (spu_has_sve_or_sme(s))
			mask |= BITMASK(18, 17);
	}
	/* The filter on event 11 exists even if the event does not (D24.7.11). */
	return mask & ~(s->config.missing_events & ~BIT64(SPEMU_EV_MISALIGNED));
}

/* Return true if FE and FnE are enabled and require contradictory values of an event. */
static bool events_contradict(const struct spemu_pe *pe)
{
	const uint64_t both = PMSFCR_BIT(FE) | PMSFCR_BIT(FnE);
	uint64_t pmsfcr = pe->reg[SPEMU_REG_PMSFCR_EL1];

	return (pmsfcr & both) == both &&
	       (pe->reg[SPEMU_REG_PMSEVFR_EL1] & pe->reg[SPEMU_REG_PMSNEVFR_EL1]);
}

bool spemu__filter_events_make_sense(const struct spemu_pe *pe)
{
	uint64_t pmsfcr = pe->reg[SPEMU_REG_PMSFCR_EL1];

	return (!(pmsfcr & PMSFCR_BIT(FE)) || pe->reg[SPEMU_REG_PMSEVFR_EL1]) &&
	       (!(pmsfcr & PMSFCR_BIT(FnE)) || pe->reg[SPEMU_REG_PMSNEVFR_EL1]) &&
	       !events_contradict(pe);
}

bool spemu__filter_latency_makes_sense(const struct spemu_pe *pe)
{
	return !REG_FIELD(pe, PMSFCR_EL1, FL) || REG_FIELD(pe, PMSLATFR_EL1, MINLAT);
}

/* Return the filters, of FE and FnE, that discard the sample. */
static unsigned reject_events(const struct spemu_spu *s, uint64_t events)
{
	uint64_t pmsfcr = s->pe->reg[SPEMU_REG_PMSFCR_EL1];
	uint64_t evfr = s->pe->reg[SPEMU_REG_PMSEVFR_EL1];
	uint64_t nevfr = s->pe->reg[SPEMU_REG_PMSNEVFR_EL1]; /* 0 without FEAT_SPE_FnE */
	bool has_all = (events & evfr) == evfr;
	bool has_none = (events & nevfr) == 0;
	unsigned enabled = (unsigned)pmsfcr & (PMSFCR_BIT(FE) | PMSFCR_BIT(FnE));
	unsigned rejected = 0;

	spu_pmu_event(s, SPEMU_PMU_SAMPLE_FEED_EVENT, has_all && has_none);
	/* CONSTRAINED UNPREDICTABLE: no event is selected, or the selections contradict each
	 * other. */
	if (events_contradict(s->pe))
		return nothing_recorded(s) ? enabled : 0;
	if (evfr ? !has_all : nothing_recorded(s))
		rejected |= PMSFCR_BIT(FE);
	if (nevfr ? !has_none : nothing_recorded(s))
		rejected |= PMSFCR_BIT(FnE);
	return rejected & enabled;
}

/* Return the total latency as the record shows it. An operation without the counter has latency
 * 0. */
static uint32_t counted_latency(const struct spemu_spu *s, const struct spemu_op *op)
{
	uint32_t max = (1u << s->config.counter_bits) - 1;

	if (!(op->valid & SPEMU_OPV_TOTAL_LATENCY))
		return 0;
	return op->total_latency < max ? op->total_latency : max;
}

static bool reject_latency(const struct spemu_spu *s, const struct spemu_op *op)
{
	uint64_t minimum = REG_FIELD(s->pe, PMSLATFR_EL1, MINLAT);
	bool enough = counted_latency(s, op) >= minimum;

	spu_pmu_event(s, SPEMU_PMU_SAMPLE_FEED_LAT, enough);
	if (minimum == 0) /* CONSTRAINED UNPREDICTABLE value */
		enough = !nothing_recorded(s);
	return REG_FIELD(s->pe, PMSFCR_EL1, FL) && !enough;
}

static bool reject_data_source(const struct spemu_spu *s, const struct spemu_op *op)
{
	bool load = op->kind.type == SPEMU_OP_LOAD || op->kind.type == SPEMU_OP_LOAD_ATOMIC;
	bool selected;

	if (!spu_has(s, SPEMU_FEAT_SPE_FDS) || !load || !(op->valid & SPEMU_OPV_DATA_SOURCE))
		return false;
	selected = bit_is_set(s->pe->reg[SPEMU_REG_PMSDSFR_EL1], op->data_source & 63);
	spu_pmu_event(s, SPEMU_PMU_SAMPLE_FEED_DS, selected);
	return REG_FIELD(s->pe, PMSFCR_EL1, FDS) && !selected;
}

bool spemu__filter_any(const struct spemu_pe *pe)
{
	return pe->reg[SPEMU_REG_PMSFCR_EL1] & (PMSFCR_BIT(FE) | PMSFCR_BIT(FT) | PMSFCR_BIT(FL) |
	                                        PMSFCR_BIT(FnE) | PMSFCR_BIT(FDS));
}

unsigned spemu__filter_sample(const struct spemu_spu *s, const struct spemu_op *op, uint64_t events)
{
	unsigned rejected;

	if (!s->facts.filters && !s->host.pmu_event)
		return 0;
	rejected = reject_events(s, events);
	if (reject_type(s, op))
		rejected |= PMSFCR_BIT(FT);
	if (reject_latency(s, op))
		rejected |= PMSFCR_BIT(FL);
	if (reject_data_source(s, op))
		rejected |= PMSFCR_BIT(FDS);
	return rejected;
}
