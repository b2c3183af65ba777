/* SPDX-License-Identifier: MIT */
/* Compare every encoding of PMBMAR_EL1.Attr with the rows of the table in D24.7.3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pe/pe_object.h"

enum { NC = SPEMU_NON_CACHEABLE, WT = SPEMU_WRITE_THROUGH, WB = SPEMU_WRITE_BACK };

static const struct {
	const char *half;
	int cacheability;
	bool transient;
} halves[] = {
        {"0001", WT, true},  {"0010", WT, true},  {"0011", WT, true},  {"0100", NC, false},
        {"0101", WB, true},  {"0110", WB, true},  {"0111", WB, true},  {"1000", WT, false},
        {"1001", WT, false}, {"1010", WT, false}, {"1011", WT, false}, {"1100", WB, false},
        {"1101", WB, false}, {"1110", WB, false}, {"1111", WB, false},
};

static unsigned number(const char *bits)
{
	unsigned value = 0;

	while (*bits)
		value = value << 1 | (unsigned)(*bits++ - '0');
	return value;
}

static struct spemu_pe a_pe(bool with_features)
{
	struct spemu_pe pe;

	memset(&pe, 0, sizeof(pe));
	spemu_features_put(&pe.features, SPEMU_FEAT_XS, with_features);
	spemu_features_put(&pe.features, SPEMU_FEAT_MTE2, with_features);
	return pe;
}

static uint8_t hints(unsigned half, int cacheability, bool transient)
{
	if (cacheability == NC)
		return 0;
	return (uint8_t)((half & 1 ? SPEMU_HINT_WRITE_ALLOCATE : 0) |
	                 (half & 2 ? SPEMU_HINT_READ_ALLOCATE : 0) |
	                 (transient ? SPEMU_HINT_TRANSIENT : 0));
}

/* The encoding 0booooiiii describes Normal memory if both halves are nonzero. */
static void two_nonzero_halves_are_normal_memory(void **state)
{
	struct spemu_pe pe = a_pe(true), old = a_pe(false);

	(void)state;
	for (unsigned o = 0; o < 15; o++)
		for (unsigned i = 0; i < 15; i++)
			for (unsigned sh = 0; sh < 4; sh++) {
				unsigned ob = number(halves[o].half), ib = number(halves[i].half);
				bool nc = halves[o].cacheability == NC &&
				          halves[i].cacheability == NC;
				bool wb = halves[o].cacheability == WB &&
				          halves[i].cacheability == WB;
				struct spemu_memory m =
				        spemu__pe_memory_attributes(&pe, ob << 4 | ib, sh);

				if (sh == 1)
					continue;
				assert_int_equal(m.type, SPEMU_MEMORY_NORMAL);
				assert_int_equal(m.outer, halves[o].cacheability);
				assert_int_equal(m.inner, halves[i].cacheability);
				assert_int_equal(m.outer_hints, hints(ob, halves[o].cacheability,
				                                      halves[o].transient));
				assert_int_equal(m.inner_hints, hints(ib, halves[i].cacheability,
				                                      halves[i].transient));
				assert_int_equal(m.shareability, nc ? SPEMU_OUTER_SHAREABLE : sh);
				assert_false(m.tagged);
				assert_int_equal(m.xs, !wb);
				assert_true(spemu__pe_memory_attributes(&old, ob << 4 | ib, sh).xs);
			}
}

static void device_encodings_are_device_memory(void **state)
{
	struct spemu_pe pe = a_pe(true), old = a_pe(false);
	static const int types[] = {SPEMU_MEMORY_DEVICE_NGNRNE, SPEMU_MEMORY_DEVICE_NGNRE,
	                            SPEMU_MEMORY_DEVICE_NGRE, SPEMU_MEMORY_DEVICE_GRE};

	(void)state;
	for (unsigned dd = 0; dd < 4; dd++)
		for (unsigned sh = 0; sh < 4; sh++) {
			struct spemu_memory m = spemu__pe_memory_attributes(&pe, dd << 2, sh);
			struct spemu_memory no_xs =
			        spemu__pe_memory_attributes(&pe, dd << 2 | 1, sh);

			assert_int_equal(m.type, types[dd]);
			assert_true(m.xs);
			assert_int_equal(m.shareability, SPEMU_OUTER_SHAREABLE);
			assert_int_equal(m.inner | m.outer, NC);
			assert_int_equal(no_xs.type, types[dd]);
			assert_false(no_xs.xs);
			assert_true(spemu__pe_memory_attributes(&old, dd << 2, sh).xs);
		}
}

/* Some encodings have their own row in the table. */
static void special_encodings_match_the_table(void **state)
{
	struct spemu_pe pe = a_pe(true);
	struct spemu_memory nc = spemu__pe_memory_attributes(&pe, number("01000000"), 3);
	struct spemu_memory wt = spemu__pe_memory_attributes(&pe, number("10100000"), 3);
	struct spemu_memory tagged = spemu__pe_memory_attributes(&pe, number("11110000"), 3);
	struct spemu_memory dc = spemu__pe_default_cacheable(&pe);

	(void)state;
	assert_int_equal(nc.type, SPEMU_MEMORY_NORMAL);
	assert_int_equal(nc.inner | nc.outer, NC);
	assert_false(nc.xs);
	assert_int_equal(nc.shareability, SPEMU_OUTER_SHAREABLE);
	assert_int_equal(wt.inner, WT);
	assert_int_equal(wt.outer, WT);
	assert_int_equal(wt.inner_hints, SPEMU_HINT_READ_ALLOCATE);
	assert_int_equal(wt.outer_hints, SPEMU_HINT_READ_ALLOCATE);
	assert_false(wt.xs);
	assert_int_equal(wt.shareability, SPEMU_INNER_SHAREABLE);
	assert_true(tagged.tagged);
	assert_int_equal(tagged.inner, WB);
	assert_int_equal(tagged.outer, WB);
	assert_int_equal(tagged.inner_hints, SPEMU_HINT_READ_ALLOCATE | SPEMU_HINT_WRITE_ALLOCATE);
	assert_int_equal(tagged.shareability, SPEMU_INNER_SHAREABLE);
	/* RDQTTB: memory attributes with HCR_EL2.DC set. */
	assert_int_equal(dc.type, SPEMU_MEMORY_NORMAL);
	assert_int_equal(dc.shareability, SPEMU_NON_SHAREABLE);
	assert_int_equal(dc.inner, WB);
	assert_int_equal(dc.outer, WB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(two_nonzero_halves_are_normal_memory),
	        cmocka_unit_test(device_encodings_are_device_memory),
	        cmocka_unit_test(special_encodings_match_the_table),
	};
	return cmocka_run_group_tests_name("memory_attributes", tests, NULL, NULL);
}
