/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the walker with arbitrary registers, tables and TLB maintenance.
 *
 * An input is a PE, descriptors, and a sequence of translations, register writes, changed choices,
 * changed tables and invalidations. For every input, a walker with a cache gives the result of a
 * walker without one and leaves the same tables. A result has an address, attributes and a fault
 * code that exist, and it holds for the whole region that it names.
 */
#include <string.h>

#include <spemu/choices.h>
#include <spemu/mmu.h>
#include "fuzz.h"

enum {
	PE_SIZE = 8192,
	MMU_SIZE = 65536,
	WORDS_MAX = 32,
	CHANGES_MAX = 16,
	STEPS_MAX = 24,
};

/* Physical memory: a few words, repeated everywhere, with the changes since then. */
struct tables {
	uint64_t word[WORDS_MAX];
	unsigned words, aborts, races; /* aborts, races: the number of the affected word, or none */
	struct change {
		uint64_t address, value;
		uint8_t pas;
	} change[CHANGES_MAX];
	unsigned changes;
};

static _Alignas(max_align_t) uint8_t pe_memory[PE_SIZE], cached_memory[MMU_SIZE],
        fresh_memory[MMU_SIZE];
static struct tables tables;
static struct spemu_pe *pe;
static struct spemu_mmu *cached;
static uint64_t fault_codes; /* bit n is set if FSC n exists */

static unsigned word_at(uint64_t address)
{
	return (unsigned)((address >> 3 ^ address >> 12 ^ address >> 21) % tables.words);
}

static uint64_t *changed_at(const struct spemu_physical *at)
{
	for (unsigned i = 0; i < tables.changes; i++)
		if (tables.change[i].address == at->address && tables.change[i].pas == at->pas)
			return &tables.change[i].value;
	return NULL;
}

static int read_word(void *ctx, uint64_t *value, const struct spemu_physical *at)
{
	const uint64_t *changed = changed_at(at);

	(void)ctx;
	REQUIRE(at->address % 8 == 0 && at->pas <= SPEMU_SS_REALM);
	if (word_at(at->address) == tables.aborts)
		return 1;
	*value = changed ? *changed : tables.word[word_at(at->address)];
	return 0;
}

static int swap_word(void *ctx, uint64_t *old, const struct spemu_physical *at, uint64_t expected,
                     uint64_t desired)
{
	uint64_t *changed = changed_at(at);

	if (read_word(ctx, old, at) || (!changed && tables.changes == CHANGES_MAX))
		return 1;
	if (word_at(at->address) == tables.races)
		*old = ~expected;
	if (*old != expected)
		return 0;
	if (!changed) {
		tables.change[tables.changes] =
		        (struct change){.address = at->address, .pas = at->pas};
		changed = &tables.change[tables.changes++].value;
	}
	*changed = desired;
	return 0;
}

static const struct spemu_mmu_memory memory_access = {
        .size = sizeof(memory_access), .read = read_word, .compare_and_swap = swap_word};

/* ---- the PE ---- */

static const char *const feature_sets[] = {
        "v9.6",
        "v8.2",
        "v8.7",
        "v9.2,+FEAT_LPA,+FEAT_LVA,+FEAT_LPA2",
        "v9.6,-FEAT_RME,-EL3",
        "v9.5,+FEAT_D128,+FEAT_LPA,+FEAT_LVA,+FEAT_LPA2,+FEAT_MEC"};
enum { FEATURE_SETS = sizeof(feature_sets) / sizeof(*feature_sets) };

/* The registers that a walk reads. */
static const uint16_t registers[] = {
        SPEMU_REG_SCR_EL3,      SPEMU_REG_HCR_EL2,      SPEMU_REG_HCRX_EL2,
        SPEMU_REG_SCTLR_EL1,    SPEMU_REG_SCTLR_EL2,    SPEMU_REG_SCTLR2_EL2,
        SPEMU_REG_TCR_EL1,      SPEMU_REG_TCR_EL2,      SPEMU_REG_TCR2_EL1,
        SPEMU_REG_TCR2_EL2,     SPEMU_REG_TTBR0_EL1,    SPEMU_REG_TTBR1_EL1,
        SPEMU_REG_TTBR0_EL2,    SPEMU_REG_TTBR1_EL2,    SPEMU_REG_MAIR_EL1,
        SPEMU_REG_MAIR_EL2,     SPEMU_REG_MAIR2_EL1,    SPEMU_REG_MAIR2_EL2,
        SPEMU_REG_PIR_EL1,      SPEMU_REG_PIR_EL2,      SPEMU_REG_PIRE0_EL1,
        SPEMU_REG_PIRE0_EL2,    SPEMU_REG_POR_EL1,      SPEMU_REG_POR_EL2,
        SPEMU_REG_S2PIR_EL2,    SPEMU_REG_S2POR_EL1,    SPEMU_REG_VTCR_EL2,
        SPEMU_REG_VTTBR_EL2,    SPEMU_REG_VSTCR_EL2,    SPEMU_REG_VSTTBR_EL2,
        SPEMU_REG_GPCCR_EL3,    SPEMU_REG_GPTBR_EL3,    SPEMU_REG_GPCBW_EL3,
        SPEMU_REG_MECID_P0_EL2, SPEMU_REG_MECID_A0_EL2, SPEMU_REG_MECID_P1_EL2,
        SPEMU_REG_MECID_A1_EL2, SPEMU_REG_VMECID_P_EL2, SPEMU_REG_VMECID_A_EL2,
};
enum { REGISTERS = sizeof(registers) / sizeof(*registers) };

static void clear_registers(struct spemu_pe *p)
{
	for (unsigned i = 0; i < REGISTERS; i++)
		(void)spemu_reg_set(p, (enum spemu_reg)registers[i], 0);
}

/*
 * Make the PE of a feature set. This is done once for each set. The PE has no attached units, so
 * its bytes may be copied.
 */
static void make_pe(unsigned set)
{
	static _Alignas(max_align_t) uint8_t made[FEATURE_SETS][PE_SIZE];
	static bool done[FEATURE_SETS];
	struct spemu_pe *p;

	REQUIRE(spemu_pe_size() <= PE_SIZE && spemu_mmu_size() <= MMU_SIZE);
	if (!done[set]) {
		struct spemu_pe_config config = {.size = sizeof(config)};

		REQUIRE(spemu_features_parse(&config.features, NULL, feature_sets[set]) ==
		        SPEMU_OK);
		REQUIRE(spemu_pe_init(&p, made[set], PE_SIZE, &config) == SPEMU_OK);
		clear_registers(p);
		done[set] = true;
	}
	memcpy(pe_memory, made[set], spemu_pe_size());
	pe = (struct spemu_pe *)(void *)pe_memory;
}

static void write_register(struct fuzz_input *in)
{
	unsigned n = fuzz_below(in, REGISTERS);

	REQUIRE(spemu_reg_set(pe, (enum spemu_reg)registers[n], fuzz_value(in)) == SPEMU_OK);
}

static void begin(struct fuzz_input *in)
{
	make_pe(fuzz_below(in, FEATURE_SETS));
	for (unsigned n = fuzz_below(in, REGISTERS); n > 0; n--)
		write_register(in);
	tables.changes = 0;
	tables.words = 1 + fuzz_below(in, WORDS_MAX);
	tables.aborts = fuzz_u8(in);
	tables.races = fuzz_u8(in);
	for (unsigned i = 0; i < tables.words; i++)
		tables.word[i] = fuzz_value(in);
	REQUIRE(spemu_mmu_init(&cached, cached_memory, MMU_SIZE, &memory_access) == SPEMU_OK);
	if (fault_codes)
		return;
	for (int type = 0; type <= SPEMU_FT_EXTERNAL_ASYNC; type++)
		for (int level = -2; level <= 3; level++) {
			int code = spemu_fsc((enum spemu_fault_type)type, level);

			fault_codes |= code < 0 ? 0 : UINT64_C(1) << code;
		}
}

/* ---- one translation ---- */

struct answer {
	int status;
	struct spemu_translation result;
	struct spemu_fault fault;
};

static struct answer ask(struct spemu_mmu *mmu, const struct spemu_buffer_write *access)
{
	struct answer a;

	/* Clear the padding, too, because results are compared as bytes. */
	memset(&a, 0, sizeof(a));
	a.status = spemu_mmu_translate(mmu, &a.result, &a.fault, pe, access);
	if (a.status != 0)
		memset(&a.result, 0, sizeof(a.result));
	if (a.status <= 0)
		memset(&a.fault, 0, sizeof(a.fault));
	return a;
}

static struct answer ask_fresh(const struct spemu_buffer_write *access)
{
	struct spemu_mmu *mmu;

	REQUIRE(spemu_mmu_init(&mmu, fresh_memory, MMU_SIZE, &memory_access) == SPEMU_OK);
	return ask(mmu, access);
}

static bool same_memory(const struct spemu_memory *a, const struct spemu_memory *b)
{
	return a->type == b->type && a->inner == b->inner && a->outer == b->outer &&
	       a->inner_hints == b->inner_hints && a->outer_hints == b->outer_hints &&
	       a->shareability == b->shareability && a->xs == b->xs && a->tagged == b->tagged;
}

/* Return true if two results agree except for the address. */
static bool same_translation(const struct spemu_translation *a, const struct spemu_translation *b)
{
	return a->pas == b->pas && a->region_log2 == b->region_log2 && a->mecid == b->mecid &&
	       a->has_stage2 == b->has_stage2 && same_memory(&a->memory, &b->memory) &&
	       same_memory(&a->stage1, &b->stage1) &&
	       (!a->has_stage2 || same_memory(&a->stage2, &b->stage2));
}

static bool same_fault(const struct spemu_fault *a, const struct spemu_fault *b)
{
	return a->kind == b->kind && a->fsc == b->fsc && a->top_level == b->top_level &&
	       a->assured_only == b->assured_only && a->overlay == b->overlay &&
	       a->dirty_bit == b->dirty_bit && a->external == b->external;
}

static void check_result(const struct spemu_translation *t, const struct spemu_buffer_write *access)
{
	REQUIRE(t->region_log2 >= 12 && t->region_log2 <= 48);
	REQUIRE(((t->physical ^ access->address) & 0xfff) == 0);
	REQUIRE(t->physical >> 56 == 0 && t->pas <= SPEMU_SS_REALM);
	REQUIRE(t->memory.type <= SPEMU_MEMORY_NORMAL);
	if (access->address_type == SPEMU_ADDRESS_VA && t->memory.type != SPEMU_MEMORY_NORMAL) {
		REQUIRE(t->memory.inner == SPEMU_NON_CACHEABLE);
		REQUIRE(t->memory.outer == SPEMU_NON_CACHEABLE);
	}
}

static void check_fault(const struct answer *a)
{
	REQUIRE(a->fault.kind == a->status);
	REQUIRE(a->status == SPEMU_FAULT_STAGE1 || a->status == SPEMU_FAULT_STAGE2 ||
	        a->status == SPEMU_FAULT_GPC);
	if (a->status != SPEMU_FAULT_GPC)
		REQUIRE(a->fault.fsc < 64 && fault_codes >> a->fault.fsc & 1);
}

/* Check that the result for one address holds for its whole region. */
static void check_region(const struct answer *a, const struct spemu_buffer_write *access,
                         uint64_t elsewhere)
{
	uint64_t within = (UINT64_C(1) << a->result.region_log2) - 1;
	struct spemu_buffer_write other = *access;
	struct answer b;

	other.address = (access->address & ~within) | (elsewhere & within);
	b = ask_fresh(&other);
	REQUIRE(b.status == 0 && same_translation(&a->result, &b.result));
	REQUIRE((a->result.physical & ~within) == (b.result.physical & ~within));
	REQUIRE((b.result.physical & within) == (other.address & within));
}

static struct spemu_buffer_write take_access(struct fuzz_input *in)
{
	unsigned form = fuzz_u8(in);
	struct spemu_buffer_write access = {
	        .address_type = form % 8 < 6 ? SPEMU_ADDRESS_VA : (uint8_t)(form % 8 - 5),
	        .owner_el = form & 8 ? 2 : 1,
	        .security = form >> 4 & 3,
	        .e2h = form >> 6 & 1,
	        .privileged = true,
	        .tag_unchecked = form >> 7 & 1,
	};

	access.address = fuzz_value(in);
	if (access.address_type != SPEMU_ADDRESS_VA)
		access.memory = (struct spemu_memory){.type = (uint8_t)fuzz_below(in, 5),
		                                      .shareability = SPEMU_OUTER_SHAREABLE};
	return access;
}

static void translate(struct fuzz_input *in)
{
	static struct tables before, after;
	struct spemu_buffer_write access = take_access(in);
	uint64_t elsewhere = fuzz_value(in);
	struct answer a, b;
	bool changed;

	before = tables;
	a = ask(cached, &access);
	after = tables;
	tables = before;
	b = ask_fresh(&access);
	REQUIRE(a.status == b.status);
	REQUIRE(tables.changes == after.changes &&
	        memcmp(tables.change, after.change, sizeof(tables.change)) == 0);
	changed = tables.changes != before.changes ||
	          memcmp(tables.change, before.change, sizeof(tables.change)) != 0;
	if (a.status == 0) {
		REQUIRE(a.result.physical == b.result.physical);
		REQUIRE(same_translation(&a.result, &b.result));
		check_result(&a.result, &access);
		if (!changed)
			check_region(&b, &access, elsewhere);
	} else if (a.status > 0) {
		REQUIRE(same_fault(&a.fault, &b.fault));
		check_fault(&a);
	} else {
		REQUIRE(a.status == SPEMU_ERR_INVALID || a.status == SPEMU_ERR_NOT_SUPPORTED);
	}
	/* A descriptor may also be part of another table. Setting its Access flag then changes this
	 * table. */
	if (changed)
		spemu_mmu_invalidate(cached, &(struct spemu_mmu_scope){.by = SPEMU_TLBI_ALL});
}

/* ---- other steps ---- */

static void change_table(struct fuzz_input *in)
{
	unsigned n = fuzz_below(in, tables.words);

	tables.word[n] = fuzz_value(in);
	tables.changes = 0;
	spemu_mmu_invalidate(cached, &(struct spemu_mmu_scope){.by = SPEMU_TLBI_ALL});
}

/* Invalidate an arbitrary scope, which may match nothing. No table has changed, so all results stay
 * the same. */
static void invalidate(struct fuzz_input *in)
{
	struct spemu_mmu_scope scope = {.by = (uint8_t)fuzz_below(in, SPEMU_TLBI_PA + 2),
	                                .security = (uint8_t)fuzz_below(in, 4),
	                                .el = (uint8_t)fuzz_below(in, 3)};

	scope.asid = (uint16_t)fuzz_uint(in, 1);
	scope.vmid = (uint16_t)fuzz_uint(in, 1);
	scope.first = fuzz_value(in);
	scope.last = fuzz_value(in);
	spemu_mmu_invalidate(cached, &scope);
}

static void choose(struct fuzz_input *in)
{
	enum spemu_choice choice = (enum spemu_choice)fuzz_below(in, SPEMU_CHOICE_COUNT);
	unsigned options = spemu_choice_describe(choice)->option_count;
	int status = spemu_choice_set(pe, choice, fuzz_below(in, options));

	REQUIRE(status == SPEMU_OK || status == SPEMU_ERR_NOT_SUPPORTED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, data + size};

	begin(&in);
	for (unsigned step = 0; step < STEPS_MAX && !fuzz_ended(&in); step++) {
		switch (fuzz_below(&in, 16)) {
		case 0:
		case 1:
			write_register(&in);
			break;
		case 2:
			change_table(&in);
			break;
		case 3:
			invalidate(&in);
			break;
		case 4:
			choose(&in);
			break;
		default:
			translate(&in);
			break;
		}
	}
	return 0;
}
