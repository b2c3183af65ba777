/* SPDX-License-Identifier: MIT */
/* Making a PE takes longer than using it. So each world is made once, and its saved bytes are
 * restored for each input. */
#include <string.h>

#include "fuzz_world.h"

enum { PE_SIZE = 8192, SPU_SIZE = 24576, PMU_SIZE = 8192 };

struct objects {
	_Alignas(max_align_t) uint8_t pe[PE_SIZE];
	_Alignas(max_align_t) uint8_t spu[SPU_SIZE];
	_Alignas(max_align_t) uint8_t pmu[PMU_SIZE];
};

static const char *const feature_sets[FUZZ_FEATURE_SETS] = {
        "v9.6",
        "v8.2,-EL3,-EL2,-Secure,-FEAT_FGT,-FEAT_FGT2",
        "v8.2",
        "v8.7",
        "v9.2",
        "v9.6,-FEAT_RME",
        "v9.6,-FEAT_RME,-EL3",
};

const char *fuzz_world_features(unsigned number)
{
	return feature_sets[number % FUZZ_FEATURE_SETS];
}

/* Return a configuration. The layouts are objects of the library, so their addresses are not
 * constants. */
static struct spemu_spu_config shape(unsigned n)
{
	struct spemu_spu_config c = {.size = sizeof(c), .layout = spemu_layout_dense};

	c.max_size_log2 = (uint8_t)(n ? 6 + n : 0);
	if (n % FUZZ_SHAPES == 1)
		c.layout = spemu_layout_neoverse;
	if (n % FUZZ_SHAPES == 2)
		c.layout = spemu_layout_words;
	c.samples_in_flight = (uint8_t)(n * n + 1);
	c.counter_bits = n % 2 ? 16 : 12;
	return c;
}

struct fuzz_world fuzz_world(unsigned number, unsigned place, const struct spemu_spu_host *host,
                             const struct spemu_pmu_host *pmu_host)
{
	static struct objects present[FUZZ_PLACES], made[FUZZ_PLACES][FUZZ_WORLDS];
	static struct fuzz_world worlds[FUZZ_PLACES][FUZZ_WORLDS];
	static struct spemu_spu_config configs[FUZZ_SHAPES];
	struct fuzz_world *w = &worlds[place][number];
	struct objects *o = &present[place];

	if (!w->pe) {
		struct spemu_pe_config pe = {.size = sizeof(pe), .seed = number};
		struct spemu_spu_config *c = &configs[number / FUZZ_FEATURE_SETS];
		struct spemu_pmu_config pmu = {.size = sizeof(pmu)};
		struct spemu_spu_host h = *host;

		REQUIRE(spemu_pe_size() <= PE_SIZE && spemu_spu_size() <= SPU_SIZE &&
		        spemu_pmu_size() <= PMU_SIZE);
		*c = shape(number / FUZZ_FEATURE_SETS);
		if (number / FUZZ_FEATURE_SETS % 2)
			h.translate = NULL;
		REQUIRE(spemu_features_parse(&pe.features, NULL,
		                             feature_sets[number % FUZZ_FEATURE_SETS]) == SPEMU_OK);
		REQUIRE(spemu_pe_init(&w->pe, o->pe, PE_SIZE, &pe) == SPEMU_OK);
		REQUIRE(spemu_pmu_init(&w->pmu, o->pmu, PMU_SIZE, w->pe, &pmu, pmu_host) ==
		        SPEMU_OK);
		REQUIRE(spemu_spu_init(&w->spu, o->spu, SPU_SIZE, w->pe, c, &h) == SPEMU_OK);
		w->config = c;
		made[place][number] = *o;
	}
	memcpy(o->pe, made[place][number].pe, spemu_pe_size());
	memcpy(o->spu, made[place][number].spu, spemu_spu_size());
	memcpy(o->pmu, made[place][number].pmu, spemu_pmu_size());
	return *w;
}

static bool has_named(const struct spemu_features *features, const char *name, size_t length)
{
	for (unsigned f = 0; f < SPEMU_FEATURE_COUNT; f++) {
		const char *feature = spemu_feature_name((enum spemu_feature)f);

		if (strlen(feature) == length && memcmp(feature, name, length) == 0)
			return spemu_has(features, (enum spemu_feature)f);
	}
	abort(); /* a guard that is not a feature */
}

/* Evaluate a guard: "A+B" needs all, "A|B" one, "" none. */
static bool guard_holds(const struct spemu_features *features, const char *guard)
{
	bool all = !strchr(guard, '|');

	while (*guard) {
		size_t length = strcspn(guard, "+|");

		if (has_named(features, guard, length) != all)
			return !all;
		guard += length + (guard[length] != '\0');
	}
	return all;
}

static uint64_t mask_of(const struct spemu_features *features, unsigned index,
                        const struct spemu_reg_description *reg)
{
	uint64_t mask = reg->partial ? ~UINT64_C(0) : 0;

	for (unsigned i = 0; i < reg->field_count; i++) {
		struct spemu_field_description f;
		uint64_t bits;

		REQUIRE(spemu_field_describe(&f, index, i) == SPEMU_OK);
		bits = (~UINT64_C(0) >> (63 - f.hi)) & (~UINT64_C(0) << f.lo);
		mask = guard_holds(features, f.guard) ? mask | bits : mask & ~bits;
	}
	return guard_holds(features, reg->guard) ? mask : 0;
}

uint64_t fuzz_world_mask(unsigned number, enum spemu_reg reg)
{
	static uint64_t masks[FUZZ_FEATURE_SETS][SPEMU_REG_COUNT];
	static bool done[FUZZ_FEATURE_SETS];
	unsigned set = number % FUZZ_FEATURE_SETS;
	struct spemu_reg_description r;
	struct spemu_features features;

	if (!done[set]) {
		REQUIRE(spemu_features_parse(&features, NULL, feature_sets[set]) == SPEMU_OK);
		for (unsigned i = 0; spemu_reg_describe(&r, i) == SPEMU_OK; i++)
			if (!r.alias && r.reg < SPEMU_REG_COUNT)
				masks[set][r.reg] = mask_of(&features, i, &r);
		if (!spemu_has(&features, SPEMU_EL2)) /* D24.7.8: PCT reads as 0b01 */
			masks[set][SPEMU_REG_PMSCR_EL1] |= UINT64_C(1) << SPEMU_PMSCR_EL1_PCT_LSB;
		done[set] = true;
	}
	return masks[set][reg];
}
