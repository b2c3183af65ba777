/* SPDX-License-Identifier: MIT */
/*
 * Compare lib/mmu with the reference walk over random worlds. The comparison includes the output
 * address and its address space, the region, the attributes of stage 1 and of both stages, the
 * MECID, faults with level and flags, and writes to the tables.
 *
 * SPEMU_TEST_PAIRS is the number of pairs of world and address. SPEMU_TEST_SEED is the first world.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/choices.h>
#include <spemu/spu.h>
#include "pe_fixture.h"
#include "walk_world.h"

#define PAIRS 1500000ul
#define PER_WORLD 32

/* Implementations whose features differ in ways that a walk can observe. */
static const struct {
	const char *features;
	uint8_t pa_bits;
} machines[] = {
        {"v9.6,+FEAT_LPA,+FEAT_LVA,+FEAT_LPA2,+FEAT_THE,+FEAT_MEC,+FEAT_RME_GPC2", 52},
        {"v9.6,+FEAT_LPA,+FEAT_LVA,+FEAT_LPA2,+FEAT_THE,+FEAT_MEC,+FEAT_RME_GPC2,+FEAT_RME_GPC3,"
         "+FEAT_HAFT,+FEAT_AIE",
         52},
        {"v9.6,+FEAT_LPA,+FEAT_LVA,+FEAT_LPA2,+FEAT_THE,+FEAT_MEC", 52},
        {"v9.6", 48},
        {"v8.2", 44},
        {"v8.4,+FEAT_HAFT,+FEAT_TCR2", 40},
        {"v9.4,+FEAT_LVA,+FEAT_THE", 48},
        {"v8.9,+FEAT_LPA,+FEAT_LVA", 52},
        {"v8.8,-FEAT_HAFDBS,+FEAT_LVA", 36},
        {"v9.2,-FEAT_TGran16K", 42},
        {"v9.3,-FEAT_TGran4K,+FEAT_LPA,+FEAT_LVA", 52},
        {"v8.2,-EL3,-EL2,-Secure,-FEAT_FGT,-FEAT_FGT2,-FEAT_VHE,-FEAT_E2H0", 48},
};
#define MACHINES (sizeof(machines) / sizeof(machines[0]))

/* The offset of each register in struct ref_registers, its number and its name. */
#define NAME(field, name)                                                      \
	{                                                                      \
		offsetof(struct ref_registers, field), SPEMU_REG_##name, #name \
	}
static const struct {
	size_t offset;
	enum spemu_reg reg;
	const char *name;
} registers[] = {
        NAME(scr_el3, SCR_EL3),           NAME(hcr_el2, HCR_EL2),
        NAME(hcrx_el2, HCRX_EL2),         NAME(gpccr_el3, GPCCR_EL3),
        NAME(gptbr_el3, GPTBR_EL3),       NAME(gpcbw_el3, GPCBW_EL3),
        NAME(sctlr_el1, SCTLR_EL1),       NAME(tcr_el1, TCR_EL1),
        NAME(tcr2_el1, TCR2_EL1),         NAME(ttbr0_el1, TTBR0_EL1),
        NAME(ttbr1_el1, TTBR1_EL1),       NAME(mair_el1, MAIR_EL1),
        NAME(mair2_el1, MAIR2_EL1),       NAME(sctlr_el2, SCTLR_EL2),
        NAME(sctlr2_el2, SCTLR2_EL2),     NAME(tcr_el2, TCR_EL2),
        NAME(tcr2_el2, TCR2_EL2),         NAME(ttbr0_el2, TTBR0_EL2),
        NAME(ttbr1_el2, TTBR1_EL2),       NAME(mair_el2, MAIR_EL2),
        NAME(mair2_el2, MAIR2_EL2),       NAME(vtcr_el2, VTCR_EL2),
        NAME(vttbr_el2, VTTBR_EL2),       NAME(vstcr_el2, VSTCR_EL2),
        NAME(vsttbr_el2, VSTTBR_EL2),     NAME(mecid_p0_el2, MECID_P0_EL2),
        NAME(mecid_a0_el2, MECID_A0_EL2), NAME(mecid_p1_el2, MECID_P1_EL2),
        NAME(mecid_a1_el2, MECID_A1_EL2), NAME(vmecid_p_el2, VMECID_P_EL2),
        NAME(vmecid_a_el2, VMECID_A_EL2),
};
#define REGISTER_COUNT (sizeof(registers) / sizeof(registers[0]))

struct machine {
	struct spemu_pe *pe;
	struct spemu_spu *spu;
	void *spu_memory;
	struct spemu_mmu *mmu[2]; /* one without and one with atomic updates */
	void *mmu_memory[2];
	struct world_memory tables; /* the tables that the walker reads and writes */
	struct ref_machine reference;
	struct world_memory reference_tables;
};

/* Number of times that each outcome occurred: [stage][granule][type][level + 1]. */
static unsigned long seen[3][17][16][5], translated, gpc_faults, gpf_output, flags[2];

static uint64_t *field_of(struct ref_registers *reg, unsigned i)
{
	return (uint64_t *)(void *)((char *)reg + registers[i].offset);
}

static void implemented(struct ref_implemented *has, const struct spemu_features *f,
                        uint8_t pa_bits)
{
	*has = (struct ref_implemented){
	        .el2 = spemu_has(f, SPEMU_EL2),
	        .el3 = spemu_has(f, SPEMU_EL3),
	        .sel2 = spemu_has(f, SPEMU_FEAT_SEL2),
	        .vhe = spemu_has(f, SPEMU_FEAT_VHE),
	        .lva = spemu_has(f, SPEMU_FEAT_LVA),
	        .lpa = spemu_has(f, SPEMU_FEAT_LPA),
	        .lpa2 = spemu_has(f, SPEMU_FEAT_LPA2),
	        .ttst = spemu_has(f, SPEMU_FEAT_TTST),
	        .hafdbs = spemu_has(f, SPEMU_FEAT_HAFDBS),
	        .hpds = spemu_has(f, SPEMU_FEAT_HPDS),
	        .xs = spemu_has(f, SPEMU_FEAT_XS),
	        .mte2 = spemu_has(f, SPEMU_FEAT_MTE2),
	        .the = spemu_has(f, SPEMU_FEAT_THE),
	        .mec = spemu_has(f, SPEMU_FEAT_MEC),
	        .rme = spemu_has(f, SPEMU_FEAT_RME),
	        .s2fwb = spemu_has(f, SPEMU_FEAT_S2FWB),
	        .rme_gpc2 = spemu_has(f, SPEMU_FEAT_RME_GPC2),
	        .rme_gpc3 = spemu_has(f, SPEMU_FEAT_RME_GPC3),
	        .haft = spemu_has(f, SPEMU_FEAT_HAFT),
	        .aie = spemu_has(f, SPEMU_FEAT_AIE),
	        .tcr2 = spemu_has(f, SPEMU_FEAT_TCR2),
	        .hcx = spemu_has(f, SPEMU_FEAT_HCX),
	        .no_4k = !spemu_has(f, SPEMU_FEAT_TGRAN4K),
	        .no_16k = !spemu_has(f, SPEMU_FEAT_TGRAN16K),
	        .no_64k = !spemu_has(f, SPEMU_FEAT_TGRAN64K),
	        .pa_bits = pa_bits,
	};
}

static void machine_init(struct machine *m, unsigned which)
{
	const struct spemu_spu_host host = {.size = sizeof(host)};
	struct spemu_mmu_memory memory = {
	        .size = sizeof(memory), .ctx = &m->tables, .read = world_read};
	struct spemu_spu_config config = {.size = sizeof(config)};
	const char *rule = "";
	uint64_t pmbidr;

	m->pe = pe_make_with(machines[which].features,
	                     (struct spemu_pe_config){.pa_bits = machines[which].pa_bits});
	if (spemu_features_check(spemu_pe_features(m->pe), &rule) != SPEMU_OK)
		fail_msg("%s: %s", machines[which].features, rule);
	m->spu_memory = malloc(spemu_spu_size());
	assert_int_equal(
	        spemu_spu_init(&m->spu, m->spu_memory, spemu_spu_size(), m->pe, &config, &host),
	        SPEMU_OK);
	for (unsigned i = 0; i < 2; i++) {
		memory.compare_and_swap = i ? world_compare_and_swap : NULL;
		m->mmu_memory[i] = malloc(spemu_mmu_size());
		assert_int_equal(
		        spemu_mmu_init(&m->mmu[i], m->mmu_memory[i], spemu_mmu_size(), &memory),
		        SPEMU_OK);
	}
	implemented(&m->reference.has, spemu_pe_features(m->pe), machines[which].pa_bits);
	/* If PMBIDR_EL1.F is 0, the SPU's translations never update descriptors. */
	assert_int_equal(spemu_reg_get(m->pe, &pmbidr, SPEMU_REG_PMBIDR_EL1), SPEMU_OK);
	if (!(pmbidr & 0x20))
		m->reference.has.hafdbs = m->reference.has.haft = false;
}

static void machine_free(struct machine *m)
{
	free(m->mmu_memory[0]);
	free(m->mmu_memory[1]);
	free(m->spu_memory);
	free(m->pe);
}

static void set_registers(struct machine *m, const struct ref_registers *reg)
{
	m->reference.reg = *reg;
	for (unsigned i = 0; i < REGISTER_COUNT; i++)
		(void)spemu_reg_set(m->pe, registers[i].reg, *field_of(&m->reference.reg, i));
}

static void choose(struct machine *m, enum spemu_choice choice, unsigned option)
{
	assert_int_equal(spemu_choice_set(m->pe, choice, option), SPEMU_OK);
}

/* Set the choices. The reserved_ members of ref_choices use the option numbers of
 * arch/choices.txt. */
static void set_choices(struct machine *m, const struct world *w)
{
	static const uint8_t shareability[4] = {SPEMU_RESERVED_SHAREABILITY_NON_SHAREABLE, 0,
	                                        SPEMU_RESERVED_SHAREABILITY_OUTER_SHAREABLE,
	                                        SPEMU_RESERVED_SHAREABILITY_INNER_SHAREABLE};
	const struct ref_choices *c = &w->choose;

	m->reference.choose = *c;
	choose(m, SPEMU_CHOICE_TXSZ_ABOVE_MAXIMUM, !c->tsz_above_faults);
	choose(m, SPEMU_CHOICE_TXSZ_BELOW_MINIMUM, !c->tsz_below_faults);
	choose(m, SPEMU_CHOICE_RESERVED_STAGE2_MEMATTR, c->reserved_memattr);
	choose(m, SPEMU_CHOICE_RESERVED_MEMORY_ATTRIBUTES, c->reserved_mair);
	choose(m, SPEMU_CHOICE_RESERVED_SHAREABILITY, shareability[c->reserved_sh]);
	choose(m, SPEMU_CHOICE_RESERVED_GRANULE, (w->granule_option - 12) / 2);
}

static void begin(struct machine *m, const struct world *w)
{
	const struct spemu_mmu_scope all = {.by = SPEMU_TLBI_ALL};

	set_registers(m, &w->reg);
	set_choices(m, w);
	world_memory_clear(&m->tables, w);
	world_memory_clear(&m->reference_tables, w);
	m->reference.memory = (struct spemu_mmu_memory){
	        .size = sizeof(m->reference.memory),
	        .ctx = &m->reference_tables,
	        .read = world_read,
	        .compare_and_swap = w->has_cas ? world_compare_and_swap : NULL,
	};
	spemu_mmu_invalidate(m->mmu[w->has_cas], &all);
}

/* Fields that may be flipped in the middle of a world. No flip produces an encoding that the tables
 * reserve. */
static const struct {
	enum spemu_reg reg;
	uint64_t bits;
} flips[] = {
        {SPEMU_REG_SCTLR_EL1, 0x5},
        {SPEMU_REG_SCTLR_EL2, 0x5},
        {SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, DCT, 1) | FIELD(HCR_EL2, CD, 1) | FIELD(HCR_EL2, DC, 1) |
                                    FIELD(HCR_EL2, PTW, 1) | FIELD(HCR_EL2, VM, 1)},
        {SPEMU_REG_TCR_EL1, UINT64_C(0x7e000800083)},
        {SPEMU_REG_TCR_EL2, UINT64_C(0x1700003)},
        {SPEMU_REG_TTBR0_EL1, UINT64_C(0x200000)},
        {SPEMU_REG_TTBR1_EL1, UINT64_C(0x200000)},
        {SPEMU_REG_TTBR0_EL2, UINT64_C(0x200000)},
        {SPEMU_REG_VTTBR_EL2, UINT64_C(0x4000000000)},
        {SPEMU_REG_VTCR_EL2, UINT64_C(0x22400600001)},
        {SPEMU_REG_VSTCR_EL2, UINT64_C(0x60000001)},
        {SPEMU_REG_VMECID_P_EL2, 1},
        {SPEMU_REG_MECID_P0_EL2, 1},
        {SPEMU_REG_SCTLR2_EL2, 2},
        {SPEMU_REG_TCR2_EL2, 0x3800},
        {SPEMU_REG_TCR2_EL1, 0x801},
        {SPEMU_REG_GPCCR_EL3, UINT64_C(0x10000)},
        {SPEMU_REG_SCR_EL3,
         FIELD(SCR_EL3, TCR2En, 1) | FIELD(SCR_EL3, SCTLR2En, 1) | FIELD(SCR_EL3, MECEn, 1)},
};

/* Change a register that contributes to the translation. The change takes effect at once. */
static void change_a_register(struct machine *m, uint64_t *r)
{
	unsigned n = (unsigned)(world_random(r) % (sizeof(flips) / sizeof(flips[0])));

	for (unsigned i = 0; i < REGISTER_COUNT; i++)
		if (registers[i].reg == flips[n].reg) {
			uint64_t *value = field_of(&m->reference.reg, i), bit;

			do {
				bit = UINT64_C(1) << (world_random(r) % 64);
			} while (!(flips[n].bits & bit));
			*value ^= bit;
			(void)spemu_reg_set(m->pe, flips[n].reg, *value);
		}
}

static void print_memory(const char *name, const struct spemu_memory *m)
{
	fprintf(stderr, "  %s type %u inner %u/%u outer %u/%u sh %u xs %u tagged %u\n", name,
	        m->type, m->inner, m->inner_hints, m->outer, m->outer_hints, m->shareability, m->xs,
	        m->tagged);
}

static bool same_half(unsigned a, unsigned a_hints, unsigned b, unsigned b_hints)
{
	return a == b && (a == SPEMU_NON_CACHEABLE || a_hints == b_hints);
}

static bool same_memory(const struct spemu_memory *a, const struct spemu_memory *b)
{
	if (a->type != b->type || a->shareability != b->shareability || a->xs != b->xs)
		return false;
	if (a->type != SPEMU_MEMORY_NORMAL)
		return true;
	return same_half(a->inner, a->inner_hints, b->inner, b->inner_hints) &&
	       same_half(a->outer, a->outer_hints, b->outer, b->outer_hints) &&
	       a->tagged == b->tagged;
}

static const char *difference(const struct ref_result *a, int got,
                              const struct spemu_translation *t, const struct spemu_fault *f)
{
	if (got < 0)
		return "an error";
	if ((unsigned)got != a->kind)
		return "kind of fault";
	if (got) {
		if (f->kind != a->kind)
			return "fault->kind";
		if (got != SPEMU_FAULT_GPC && f->fsc != a->fsc)
			return "Fault Status Code";
		if (f->top_level != a->top_level || f->assured_only != a->assured_only ||
		    f->overlay || f->dirty_bit)
			return "MSS2 flags";
		return NULL;
	}
	if (t->physical != a->physical)
		return "output address";
	if (t->pas != a->pas)
		return "physical address space";
	if (t->region_log2 > a->region_log2 || t->region_log2 < 12)
		return "region";
	if (t->mecid != a->mecid)
		return "MECID";
	if (t->has_stage2 != a->has_stage2)
		return "has_stage2";
	if (!same_memory(&t->stage1, &a->stage1))
		return "stage 1 attributes";
	if (!same_memory(&t->memory, &a->memory))
		return "attributes";
	return NULL;
}

static void print_tables(const char *name, const struct world_memory *memory)
{
	for (unsigned i = 0; i < WORLD_OVERLAY; i++)
		if (memory->used[i])
			fprintf(stderr, "  %s wrote 0x%llx (space %u) = 0x%llx\n", name,
			        (unsigned long long)memory->word[i].at.address,
			        memory->word[i].at.pas, (unsigned long long)memory->word[i].value);
}

static void report(struct machine *m, const char *what, const struct ref_request *q,
                   const struct ref_result *a, int got, const struct spemu_translation *t,
                   const struct spemu_fault *f)
{
	fprintf(stderr, "%s differs: address 0x%llx type %u EL%u security %u E2H %u\n", what,
	        (unsigned long long)q->address, q->type, q->el, q->security, q->e2h);
	for (unsigned i = 0; i < REGISTER_COUNT; i++)
		if (*field_of(&m->reference.reg, i))
			fprintf(stderr, "  %s=0x%llx\n", registers[i].name,
			        (unsigned long long)*field_of(&m->reference.reg, i));
	fprintf(stderr,
	        "  reference: kind 0x%x fsc 0x%x flags %u %u on walk %u physical 0x%llx pas %u "
	        "mecid %u region %u updates %u\n",
	        a->kind, a->fsc, a->top_level, a->assured_only, a->on_stage1_walk,
	        (unsigned long long)a->physical, a->pas, a->mecid, a->region_log2, a->updates);
	fprintf(stderr, "  leaves: stage 1 granule %u level %d, stage 2 granule %u level %d\n",
	        a->granule1, a->leaf1, a->granule2, a->leaf2);
	fprintf(stderr,
	        "  lib/mmu:   %d: kind 0x%x fsc 0x%x flags %u %u physical 0x%llx pas %u mecid %u "
	        "region %u\n",
	        got, f->kind, f->fsc, f->top_level, f->assured_only,
	        (unsigned long long)t->physical, t->pas, t->mecid, t->region_log2);
	print_memory("reference stage 1", &a->stage1);
	print_memory("lib/mmu   stage 1", &t->stage1);
	print_memory("reference        ", &a->memory);
	print_memory("lib/mmu          ", &t->memory);
	if (!world_memory_same(&m->tables, &m->reference_tables)) {
		print_tables("reference", &m->reference_tables);
		print_tables("lib/mmu  ", &m->tables);
	}
}

static void count(const struct ref_result *a)
{
	unsigned stage = a->kind == SPEMU_FAULT_STAGE2 ? 2 : 1;
	unsigned granule = stage == 2 ? a->granule2 : a->granule1;

	flags[0] += a->top_level;
	flags[1] += a->assured_only;
	if (a->kind == SPEMU_FAULT_NONE)
		translated++;
	else if (a->kind == SPEMU_FAULT_GPC)
		gpc_faults++;
	else if (a->type == SPEMU_FT_GPF)
		gpf_output++;
	else
		seen[stage][granule][a->type][a->level + 1]++;
}

/* Compare the two walks of one address. Return false if the results differ. */
static bool compare(struct machine *m, const struct world *w, const struct ref_request *q)
{
	struct spemu_buffer_write access = {.address = q->address,
	                                    .address_type = (uint8_t)q->type,
	                                    .owner_el = (uint8_t)q->el,
	                                    .security = (uint8_t)q->security,
	                                    .e2h = q->e2h,
	                                    .privileged = true,
	                                    .tag_unchecked = m->reference.has.mte2,
	                                    .memory = q->memory};
	struct spemu_translation t = {0};
	struct spemu_fault f = {0};
	struct ref_result a;
	const char *what;
	int got;

	reference_translate(&m->reference, &a, q);
	got = spemu_mmu_translate(m->mmu[w->has_cas], &t, &f, m->pe, &access);
	what = difference(&a, got, &t, &f);
	if (!what && !world_memory_same(&m->tables, &m->reference_tables))
		what = "what is written to the tables";
	count(&a);
	if (!what)
		return true;
	report(m, what, q, &a, got, &t, &f);
	return false;
}

static bool compare_world(struct machine *m, uint64_t seed)
{
	static struct world w;
	struct ref_request q;
	uint64_t r = seed ^ 0x5eed;

	world_make(&w, &m->reference.has, seed);
	begin(m, &w);
	for (unsigned i = 0; i < PER_WORLD; i++) {
		if (i >= PER_WORLD / 2 && i % 4 == 0)
			change_a_register(m, &r);
		if (i % 4 != 3) /* every fourth request repeats the preceding one */
			world_request(&q, &w, &m->reference.has, &r);
		if (!compare(m, &w, &q))
			return false;
	}
	return true;
}

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

static void walker_matches_reference_in_random_worlds(void **state)
{
	unsigned long pairs = number("SPEMU_TEST_PAIRS", PAIRS),
	              seed = number("SPEMU_TEST_SEED", 1);
	unsigned long worlds = pairs / PER_WORLD + 1, differ = 0;
	static struct machine m[MACHINES];

	(void)state;
	for (unsigned i = 0; i < MACHINES; i++)
		machine_init(&m[i], i);
	for (unsigned long n = 0; n < worlds && differ < 5; n++, seed++) {
		/* Half of the worlds use the first machine, which has the most features. */
		unsigned which = n % 2 ? (unsigned)(n / 2 % MACHINES) : 0;

		if (!compare_world(&m[which], seed)) {
			fprintf(stderr, "  world: SPEMU_TEST_SEED=%lu on %s, %u bits\n\n", seed,
			        machines[which].features, machines[which].pa_bits);
			differ++;
		}
	}
	for (unsigned i = 0; i < MACHINES; i++)
		machine_free(&m[i]);
	assert_int_equal(differ, 0);
}

/* Assert that an outcome occurred. An outcome that never occurred was not compared. */
static void expect_seen(unsigned long at_least, unsigned stage, unsigned granule, unsigned type,
                        int level)
{
	if (seen[stage][granule][type][level + 1] < at_least)
		fail_msg("stage %u, granule 2^%u, fault type %u, level %d: seen %lu times, not %lu",
		         stage, granule, type, level, seen[stage][granule][type][level + 1],
		         at_least);
}

static void every_walk_outcome_was_reached(void **state)
{
	static const unsigned granules[3] = {12, 14, 16};
	static const int spemu__first_table[3] = {-1, 0, 1}, first_block[3] = {0, 1, 1};
	unsigned long at_least = number("SPEMU_TEST_PAIRS", PAIRS) / 200000;

	(void)state;
	for (unsigned stage = 1; stage <= 2; stage++)
		for (unsigned g = 0; g < 3; g++) {
			expect_seen(at_least, stage, granules[g], SPEMU_FT_TRANSLATION, 0);
			expect_seen(at_least, stage, granules[g], SPEMU_FT_ADDRESS_SIZE, 0);
			for (int level = spemu__first_table[g]; level <= 3; level++) {
				expect_seen(at_least, stage, granules[g], SPEMU_FT_TRANSLATION,
				            level);
				expect_seen(at_least, stage, granules[g], SPEMU_FT_ADDRESS_SIZE,
				            level);
				expect_seen(at_least, stage, granules[g], SPEMU_FT_EXTERNAL_ON_WALK,
				            level);
				expect_seen(at_least, stage, granules[g], SPEMU_FT_GPF_ON_WALK,
				            level);
			}
			for (int level = first_block[g]; level <= 3; level++) {
				expect_seen(at_least, stage, granules[g], SPEMU_FT_ACCESS_FLAG,
				            level);
				expect_seen(at_least, stage, granules[g], SPEMU_FT_PERMISSION,
				            level);
			}
			expect_seen(at_least, stage, granules[g],
			            SPEMU_FT_UNSUPPORTED_ATOMIC_UPDATE, 3);
		}
	assert_true(translated >= 40000 * at_least);
	assert_true(gpc_faults >= 100 * at_least);
	assert_true(gpf_output >= 100 * at_least);
	assert_true(flags[0] >= at_least);
	assert_true(flags[1] >= at_least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(walker_matches_reference_in_random_worlds),
	        cmocka_unit_test(every_walk_outcome_was_reached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
