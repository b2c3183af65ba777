/* SPDX-License-Identifier: MIT */
/*
 * The packets of a record, and its description of the operation. Operations that were not executed
 * (E[1] is 0) have almost no guaranteed contents. IMPLEMENTATION DEFINED packets and bits are not
 * checked.
 *
 * Arm ARM: DDI 0487 M.a, D17.6, D18.1, D18.2.
 */
#include "image.h"
#include "tests.h"

#define SAMPLES 300
#define EXECUTED(record) (((record)->events & 3) == 2) /* E[1], and not E[0] */
/* The loop of work() has eight instructions, and MOV and RET follow it. */
#define LOOP ((u64)work_end - 10 * 4)
enum { LDR, ADD, STR, EOR, ADD_2, CSEL, SUBS, B_NE };

static struct profile of_work(const struct context *context)
{
	struct setup setup = setup_of(context);
	struct profile p =
	        profile_good(context, &setup, (u64)work,
	                     rounds_for(&setup, SAMPLES, WORK_OPERATIONS) | UINT64_C(2) << 56);

	expect(p.count >= 50, "%s: %u records in %u intervals", context->name, (u64)p.count,
	       (u64)SAMPLES);
	return p;
}

static void each(void (*look)(const struct context *context, const struct profile *profile))
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++) {
		struct profile p = of_work(&list[i]);

		look(&list[i], &p);
	}
}

/* ---- the format ------------------------------------------------------------------------------ */

/* Return the bits of the Events packet that must be zero in this version, including those that must
 * always be zero. */
static u64 zero_events(void)
{
	unsigned version = machine.ids.pmsver;
	u64 zero = BIT(16) | UINT64_C(0xffff) << 32;

	if (version < 2)
		zero |= BIT(11) | BIT(17) | BIT(18);
	if (version < 5)
		zero |= UINT64_C(0xf80000);
	if (version >= 5)
		zero |= UINT64_C(0xfc000000);
	if (version >= 5 && !(machine.ids.pmsidr & BIT(32)))
		zero |= BIT(24) | BIT(25);
	return zero;
}

static void look_format(const struct context *context, const struct profile *p)
{
	u64 counts = (machine.ids.pmsidr >> 16 & 15) == 2 ? 0xf000 : 0;
	unsigned unknown = 0;

	for (unsigned i = 0; i < p->count; i++) {
		const struct record *r = &records[i];

		expect(!r->repeated, "%s: two packets for %s in a record", context->name,
		       r->repeated ? r->repeated : "");
		expect(!r->wrong, "%s: %s", context->name, r->wrong ? r->wrong : "");
		expect(!(r->pc_top & 0x0f), "%s: bits [59:56] of a PC: %x", context->name,
		       (u64)r->pc_top);
		expect(!(r->target_top & 0x0f), "%s: bits [59:56] of a target: %x", context->name,
		       (u64)r->target_top);
		expect(!(r->pa_top & 0x20), "%s: bit [61] of a physical address", context->name);
		expect(!(r->events & zero_events()), "%s: events that are zero: %x", context->name,
		       r->events);
		expect(!((r->counter[0] | r->counter[1] | r->counter[2]) & counts),
		       "%s: a counter of more than 12 bits", context->name);
		unknown += r->unknown != NULL;
	}
	if (unknown)
		observe("packets", "%s: %u records with packets that are not of DDI 0487 M.a",
		        context->name, (u64)unknown);
}

void test_well_formed(void)
{
	each(look_format);
}

static void look_sizes(const struct context *context, const struct profile *p)
{
	u64 least = 2048, most = 0;

	for (unsigned i = 0; i < p->count; i++) {
		const struct record *r = &records[i];
		u64 next = i + 1 < p->count ? records[i + 1].begin : p->end;

		expect(r->bytes <= machine.max_record, "%s: a record of %u bytes", context->name,
		       (u64)r->bytes);
		expect(next - r->begin <= machine.max_record,
		       "%s: a record of %u bytes with its padding", context->name, next - r->begin);
		expect(r->begin % machine.align == 0, "%s: a record at %x", context->name,
		       r->begin);
		least = r->bytes < least ? r->bytes : least;
		most = r->bytes > most ? r->bytes : most;
	}
	expect(p->end % machine.align == 0, "%s: PMBPTR_EL1 is %x", context->name, p->end);
	note("%s: records of %u to %u bytes", context->name, least, most);
}

void test_sizes(void)
{
	each(look_sizes);
}

static void look_whole(const struct context *context, const struct profile *p)
{
	unsigned executed = 0, with = 0;

	for (unsigned i = 0; i < p->count; i++) {
		const struct record *r = &records[i];
		bool latencies = (r->has_counters & 3) == 3;

		expect(r->has_events, "%s: a record without events", context->name);
		if (!EXECUTED(r))
			continue;
		executed++;
		expect(r->has_pc && r->has_type, "%s: an operation without %s", context->name,
		       r->has_pc ? "type" : "PC");
		with += latencies;
		expect(!latencies || r->counter[COUNTER_ISSUE] <= r->counter[COUNTER_TOTAL],
		       "%s: an issue latency of %u in a total of %u", context->name,
		       (u64)r->counter[COUNTER_ISSUE], (u64)r->counter[COUNTER_TOTAL]);
	}
	/* A counter may be missing. */
	if (with != executed)
		observe("latencies", "%s: %u of %u records have total and issue latency",
		        context->name, (u64)with, (u64)executed);
	/* Most operations of a well-predicted loop are executed. */
	expect(executed * 4 >= p->count, "%s: %u of %u operations were executed", context->name,
	       (u64)executed, (u64)p->count);
}

void test_whole(void)
{
	each(look_whole);
}

/* ---- the description of the operation -------------------------------------------------------- */

static void look_place(const struct context *context, const struct profile *p)
{
	unsigned inside = 0, state = 16;

	for (unsigned i = 0; i < p->count; i++) {
		const struct record *r = &records[i];

		if (!r->has_pc)
			continue;
		inside += in_code(r, work_begin, work_end);
		expect(r->pc >= image_first() && r->pc < image_first() + image_bytes(),
		       "%s: a PC of %x", context->name, r->pc);
		expect(!(r->pc & 3), "%s: a PC of %x", context->name, r->pc);
		expect(r->pc_el == context->el, "%s: a PC of EL%u", context->name, (u64)r->pc_el);
		if (state == 16)
			state = r->pc_ns | (unsigned)r->pc_nse << 1;
		expect(state == (r->pc_ns | (unsigned)r->pc_nse << 1),
		       "%s: PCs of two Security states", context->name);
	}
	expect(inside * 2 >= p->count, "%s: %u of %u samples are of the loop", context->name,
	       (u64)inside, (u64)p->count);
	if (state < 16)
		observe("state", "%s: NSE %u NS %u", context->name, (u64)state >> 1,
		        (u64)state & 1);
}

void test_place(void)
{
	each(look_place);
}

static const char *const instructions[8] = {"LDR", "ADD",  "STR",  "EOR",
                                            "ADD", "CSEL", "SUBS", "B.NE"};

/* Check the operation type. A conditional select may be a conditional operation or not
 * (IMPLEMENTATION DEFINED, D17.6.5). */
static void check_type(const struct context *context, const struct record *r, u64 k)
{
	static const u8 class_of[8] = {LOAD_STORE, OTHER, LOAD_STORE, OTHER,
	                               OTHER,      OTHER, OTHER,      BRANCH};
	static const u8 subclass_of[8] = {0, 0, 1, 0, 0, 0, 0, 1}; /* LDST; COND */
	u8 open = k == CSEL ? 1 : 0, more = 0;

	/* With FEAT_SPEv1p1, the registers of a load or store may be unspecified. */
	if (class_of[k] == LOAD_STORE && machine.ids.pmsver >= 2 && (r->subclass & 0xfe) == 0x10)
		open |= 0x10;
	if (k == B_NE && machine.ids.pmsidr & BIT(25))
		more = 3 << 3; /* CR with FEAT_SPE_CRR: neither a call nor a return */
	expect(r->type == class_of[k] && (r->subclass & ~open) == (subclass_of[k] | more),
	       "%s: %s has type %u, subclass %x", context->name, instructions[k], (u64)r->type,
	       (u64)r->subclass);
	if (k == CSEL)
		observe("conditional-select", "%s",
		        r->subclass & 1 ? "conditional" : "unconditional");
}

static void check_addresses(const struct context *context, const struct record *r, u64 k)
{
	bool memory = k == LDR || k == STR;
	bool last = r->events & BIT(6); /* not taken */

	expect(r->has_va == memory, "%s: %s has %s data address", context->name, instructions[k],
	       memory ? "no" : "a");
	expect(!memory || (r->va & (BIT(56) - 1)) == (u64)work_data[2], "%s: %s of %x",
	       context->name, instructions[k], r->va);
	expect(memory || !r->has_pa, "%s: %s has a physical address", context->name,
	       instructions[k]);
	expect(memory || !r->has_source, "%s: %s has a data source", context->name,
	       instructions[k]);
	if (k != B_NE) {
		expect(!r->has_target, "%s: %s has a branch target", context->name,
		       instructions[k]);
		expect(!(r->events & (BIT(6) | BIT(7))), "%s: %s has events of branches: %x",
		       context->name, instructions[k], r->events);
		return;
	}
	expect(last || (r->has_target && r->target == (LOOP & (BIT(56) - 1)) &&
	                r->target_el == context->el),
	       "%s: a taken branch to %x, EL%u", context->name, r->target, (u64)r->target_el);
}

static bool csel_seen;

static void look_types(const struct context *context, const struct profile *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		const struct record *r = &records[i];
		u64 k = (r->pc - LOOP) / 4;

		if (!EXECUTED(r) || !r->has_pc || !r->has_type || r->pc < LOOP || k >= 8)
			continue;
		if (k == CSEL && csel_seen)
			continue;
		csel_seen = csel_seen || k == CSEL;
		check_type(context, r, k);
		check_addresses(context, r, k);
	}
}

void test_types(void)
{
	csel_seen = false;
	each(look_types);
}

/* Check that all instructions of the loop are sampled. The interval has no common divisor with the
 * loop. Collisions and speculation also move the samples. */
static void look_evenly(const struct context *context, const struct profile *p)
{
	unsigned at[8] = {0}, seen = 0;

	(void)p;
	for (unsigned i = 0; i < p->count; i++)
		if (in_code(&records[i], (const void *)LOOP, (const void *)(LOOP + 32)))
			at[(records[i].pc - LOOP) / 4]++;
	for (unsigned k = 0; k < 8; k++)
		seen += at[k] != 0;
	note("%s: %u %u %u %u %u %u %u %u", context->name, (u64)at[0], (u64)at[1], (u64)at[2],
	     (u64)at[3], (u64)at[4], (u64)at[5], (u64)at[6], (u64)at[7]);
	/* An implementation may fuse instructions. Then only one of them is sampled. */
	expect(seen >= 5, "%s: %u of 8 instructions of the loop are sampled", context->name,
	       (u64)seen);
}

static void random_evenly(const struct context *context)
{
	struct setup setup = setup_of(context);
	struct profile p;

	setup.interval |= 1;
	p = profile_good(context, &setup, (u64)work, rounds_for(&setup, SAMPLES, WORK_OPERATIONS));
	look_evenly(context, &p);
}

void test_evenly(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++)
		random_evenly(&list[i]);
}

/* ---- particular operations ------------------------------------------------------------------- */

#define EXTENDED 2
#define ATOMIC 4
#define EXCLUSIVE 8
#define STORE 1

static struct profile particular(u64 function, u64 argument)
{
	const struct context *list;
	struct setup setup;

	contexts(&list);
	setup = setup_of(&list[0]);
	setup.interval |= 1;
	return profile_good(&list[0], &setup, function, argument);
}

static u64 rounds_of(unsigned operations)
{
	const struct context *list;
	struct setup setup;

	contexts(&list);
	setup = setup_of(&list[0]);
	return rounds_for(&setup, SAMPLES, operations);
}

/* Check that all executed samples at `pc` have the type. Return their number. None is not a
 * failure. */
static unsigned all_of(const struct profile *p, const char *pc, unsigned type, unsigned subclass,
                       unsigned mask, const char *name)
{
	unsigned count = 0;

	for (unsigned i = 0; i < p->count; i++) {
		const struct record *r = &records[i];

		if (r->pc != (u64)pc || !r->has_type || !EXECUTED(r))
			continue;
		count++;
		expect(r->type == type && (r->subclass & mask) == subclass,
		       "%s has type %u, subclass %x", name, (u64)r->type, (u64)r->subclass);
	}
	return count;
}

void test_atomic_types(void)
{
	struct profile p = particular((u64)exclusives, rounds_of(6));
	unsigned seen =
	        all_of(&p, exclusives_ldxr, LOAD_STORE, EXCLUSIVE | EXTENDED, 0xff, "LDXR") +
	        all_of(&p, exclusives_stxr, LOAD_STORE, EXCLUSIVE | EXTENDED | STORE, 0xff, "STXR");

	if (machine.has_lse) {
		p = particular((u64)atomics, rounds_of(3));
		/* LDADD both loads and stores, so LDST may have either value */
		seen += all_of(&p, atomics_ldadd, LOAD_STORE, ATOMIC | EXTENDED, 0xfe, "LDADD");
	}
	if (!seen)
		skip("none of them was sampled");
}

/* Loads and stores of SIMD&FP registers are marked in the payload. With FEAT_SPE_FPF, other
 * operations have FP and SIMD (D18.2.7). */
void test_vector_types(void)
{
	struct profile p = particular((u64)floating, rounds_of(8));
	unsigned seen = all_of(&p, floating_load, LOAD_STORE, 4, 0xef, "LDR of a vector register");

	if (machine.ids.pmsidr & BIT(27)) {
		seen += all_of(&p, floating_fp, OTHER, 2, 0xff, "FMUL");             /* FP */
		seen += all_of(&p, floating_simd, OTHER, 4, 0xff, "ADD of vectors"); /* ASE */
	} else {
		seen += all_of(&p, floating_fp, OTHER, 0, 0xff, "FMUL");
		seen += all_of(&p, floating_simd, OTHER, 0, 0xff, "ADD of vectors");
	}
	if (!seen)
		skip("none of them was sampled");
}

/* Return the number of records at `pc` that have this event, E[17] or E[18]. */
static unsigned of_predicate(const struct profile *p, const char *pc, unsigned event)
{
	unsigned count = 0;

	for (unsigned i = 0; i < p->count; i++)
		count += records[i].pc == (u64)pc && EXECUTED(&records[i]) &&
		         records[i].events >> event & 1;
	return count;
}

/* Check the events of predicates. They must not occur if all elements are TRUE. If some are FALSE,
 * a missing event is only reported. */
static void check_predicates(const struct profile *p)
{
	expect(!of_predicate(p, scalable_all, 17) && !of_predicate(p, scalable_all, 18),
	       "ADD of all elements has E[17] or E[18]");
	expect(!of_predicate(p, scalable_plain, 17) && !of_predicate(p, scalable_plain, 18),
	       "ADD without predicate has E[17] or E[18]");
	observe("predicates", "of one element E[17] %u times, E[18] %u; of none %u and %u",
	        (u64)of_predicate(p, scalable_one, 17), (u64)of_predicate(p, scalable_one, 18),
	        (u64)of_predicate(p, scalable_none, 17), (u64)of_predicate(p, scalable_none, 18));
}

/* Check EVL of SVE operations, loads and stores. It is at most one vector, because a micro-op may
 * process a part of the vector. */
static void check_lengths(const struct profile *p, u64 bytes)
{
	bool exactly = machine.ids.pmsidr & BIT(3);
	unsigned most = 0;

	while (bytes > 4U << most)
		most++;
	for (unsigned i = 0; i < p->count; i++) {
		const struct record *r = &records[i];
		unsigned length = r->subclass >> 4 & 7;

		if (!EXECUTED(r) || !r->has_type || !in_code(r, scalable_all, scalable_store + 4))
			continue;
		expect(exactly ? length == most : length <= most, "a vector of %u bytes has EVL %u",
		       bytes, (u64)length);
	}
}

/* Operations have SUBCLASS 0b0xxx1xx0, with PRED in bit 2 and FP in bit 1. Loads and stores have
 * 0bxxxx1x0x, with SG in bit 7 and PRED in bit 2. */
void test_scalable_types(void)
{
	unsigned seen, predicated_load = machine.ids.pmsver >= 3 ? 4 : 0;
	struct profile p;

	if (!machine.has_sve || machine.ids.pmsver < 2) {
		skip(machine.has_sve ? "no FEAT_SPEv1p1" : "no FEAT_SVE");
		return;
	}
	p = particular((u64)scalable, rounds_of(8));
	seen = all_of(&p, scalable_all, OTHER, 8 | 4, 0x8f, "ADD, predicated") +
	       all_of(&p, scalable_one, OTHER, 8 | 4 | 2, 0x8f, "FADD, predicated") +
	       all_of(&p, scalable_plain, OTHER, 8, 0x8f, "ADD of vectors") +
	       all_of(&p, scalable_load, LOAD_STORE, 8 | predicated_load, 0x8f, "LD1W") +
	       all_of(&p, scalable_store, LOAD_STORE, 8 | 4 | STORE, 0x8f, "ST1W");
	check_predicates(&p);
	check_lengths(&p, p.x0);
	if (!seen)
		skip("none of them was sampled");
}

/* With FEAT_SPE_CRR, the payload of branches has CR: 0b01 for a call, 0b10 for a return, and 0b11
 * for neither. */
void test_call_types(void)
{
	struct profile p = particular((u64)calling, rounds_of(6));
	bool crr = machine.ids.pmsidr & BIT(25);
	unsigned mask = 0xfb, seen;

	seen = all_of(&p, calling_bl, BRANCH, crr ? 1 << 3 : 0, mask, "BL") +
	       all_of(&p, calling_ret, BRANCH, 2 | (crr ? 2 << 3 : 0), mask, "RET") +
	       all_of(&p, calling_never, BRANCH, 1 | (crr ? 3 << 3 : 0), mask, "B.MI");
	for (unsigned i = 0; i < p.count; i++) {
		const struct record *r = &records[i];

		if (!EXECUTED(r) || !r->has_type || r->type != BRANCH)
			continue;
		if (r->pc == (u64)calling_never)
			expect(r->events & BIT(6), "a branch that is not taken has events %x",
			       r->events);
		if (r->pc == (u64)calling_bl || r->pc == (u64)calling_ret)
			expect(!(r->events & BIT(6)), "a call or return has events %x", r->events);
		if (r->pc == (u64)calling_bl)
			expect(r->has_target && r->target == ((u64)calling_ret - 4), "BL to %x",
			       r->target);
		if (r->pc == (u64)calling_ret)
			expect(r->has_target && r->target == (u64)calling_bl + 4, "RET to %x",
			       r->target);
	}
	if (!seen)
		skip("none of them was sampled");
}

/* SVC from EL0, with only EL0 profiled, and with the handler profiled. */
void test_exceptions_(void)
{
	const struct context *context = context_el0();
	struct setup setup = setup_of(context);
	unsigned svcs = 0, erets = 0;
	struct profile p;

	setup.interval |= 1;
	exceptions.expecting = true;
	p = profile_good(context, &setup, (u64)calls, 20000);
	for (unsigned i = 0; i < p.count; i++) {
		const struct record *r = &records[i];

		expect(!r->has_pc || r->pc_el == 0, "a sample of EL%u", (u64)r->pc_el);
		if (r->pc != (u64)calls_svc || !r->has_pc)
			continue;
		svcs++;
		expect(r->events & 1, "SVC has events %x", r->events);
		expect(!r->has_type || r->type == OTHER, "SVC has type %u", (u64)r->type);
	}
	setup.scr |= PMSCR_E1SPE;
	p = profile_good(context, &setup, (u64)calls, 5000);
	exceptions.expecting = false;
	for (unsigned i = 0; i < p.count; i++) {
		const struct record *r = &records[i];

		if (!r->has_pc || r->pc != (u64)eret_el1 || !EXECUTED(r))
			continue;
		erets++;
		expect(r->type == BRANCH && !(r->subclass & 1), "ERET has type %u, subclass %x",
		       (u64)r->type, (u64)r->subclass);
		expect(r->has_target && r->target_el == 0 && r->target == (u64)calls_svc + 4,
		       "ERET to %x, EL%u", r->target, (u64)r->target_el);
	}
	note("%u of SVC, %u of ERET", (u64)svcs, (u64)erets);
	if (!svcs && !erets)
		skip("none of them was sampled");
}

/* Loads and stores that fault. The handler skips them. */
void test_faulting(void)
{
	const struct context *list;
	u64 address = (u64)elsewhere + 4 * PAGE, page = address & ~(PAGE - 1);
	unsigned seen = 0;

	contexts(&list);
	page_map(tables_of(&list[0]), page, 0);
	exceptions.expecting = true;
	struct profile p = particular((u64)touch, address);
	exceptions.expecting = false;
	page_map(tables_of(&list[0]), page, page_descriptor(page));
	for (unsigned i = 0; i < p.count; i++) {
		const struct record *r = &records[i];

		if (!r->has_pc || (r->pc != (u64)touch_ldr && r->pc != (u64)touch_str))
			continue;
		seen++;
		expect((r->events & 3) != 2, "an access that faults has events %x", r->events);
		expect(!r->has_pa, "an access that faults has a physical address");
		expect(!r->has_va || (r->va & (BIT(56) - 1)) == address,
		       "an access that faults is to %x", r->va);
	}
	if (!seen)
		skip("none of them was sampled");
}

/* After the first round, the previous branch in the loop is that of the loop itself. It may also be
 * unknown. */
void test_previous(void)
{
	const struct context *list;
	unsigned count = contexts(&list), seen = 0;

	for (unsigned i = 0; i < count; i++) {
		struct profile p = of_work(&list[i]);

		for (unsigned k = 0; k < p.count; k++) {
			const struct record *r = &records[k];

			if (!r->has_previous)
				continue;
			seen++;
			expect(machine.ids.pmsidr & BIT(24),
			       "%s: a previous branch target without FEAT_SPE_PBT", list[i].name);
			if (EXECUTED(r) &&
			    in_code(r, (const void *)(LOOP + 8), (const void *)(LOOP + 32)))
				expect(r->previous == (LOOP & (BIT(56) - 1)) &&
				               r->previous_el == list[i].el,
				       "%s: the branch before %x led to %x, EL%u", list[i].name,
				       r->pc, r->previous, (u64)r->previous_el);
		}
	}
	if (!(machine.ids.pmsidr & BIT(24)))
		skip("no FEAT_SPE_PBT");
	else
		expect(seen > 0, "no record has it");
}
