/* SPDX-License-Identifier: MIT */
/* hosts/qemu-system/tlbi.c: the scopes of TLBI instructions, compared with values derived by hand
 * from C5.5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../hosts/qemu-system/tlbi.h"

#define ASID(n) ((uint64_t)(n) << 48)
#define TTL(n) ((uint64_t)(n) << 44)
#define RANGE(tg, scale, num) \
	((uint64_t)(tg) << 46 | (uint64_t)(scale) << 44 | (uint64_t)(num) << 39)
#define UPPER (UINT64_C(0xffff) << 48)

enum { OS = 1, IS_RANGE = 2, IS = 3, OS_RANGE = 5, LOCAL_RANGE = 6, LOCAL = 7 };

static void without_an_address(void **state)
{
	static const struct {
		unsigned op1, crm, op2;
		bool broadcast, by_asid;
	} rows[] = {
	        {0, LOCAL, 0, false, false}, /* VMALLE1 */
	        {0, IS, 0, true, false},     /* VMALLE1IS */
	        {0, OS, 0, true, false},     /* VMALLE1OS */
	        {0, LOCAL, 2, false, true},  /* ASIDE1 */
	        {0, IS, 2, true, true},      /* ASIDE1IS */
	        {0, OS, 2, true, true},      /* ASIDE1OS */
	        {4, LOCAL, 0, false, false}, /* ALLE2 */
	        {4, IS, 4, true, false},     /* ALLE1IS */
	        {4, IS, 6, true, false},     /* VMALLS12E1IS */
	        {4, 0, 1, true, false},      /* IPAS2E1IS: stage 2 */
	        {4, 0, 5, true, false},      /* IPAS2LE1IS */
	        {4, 4, 1, true, false},      /* IPAS2E1 */
	        {6, LOCAL, 0, false, false}, /* ALLE3 */
	        {6, IS, 1, true, false},     /* VAE3IS: no samples at EL3 */
	        {6, 4, 3, true, false},      /* RPAOS */
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tlbi_scope s =
		        tlbi_scope(rows[i].op1, rows[i].crm, rows[i].op2, ASID(0x8123) | 5, false);

		assert_int_equal(s.broadcast, rows[i].broadcast);
		assert_int_equal(s.by_asid, rows[i].by_asid);
		assert_false(s.by_va);
		assert_true(!s.by_asid || s.asid == 0x8123);
	}
}

static void of_one_address(void **state)
{
	static const unsigned crms[] = {LOCAL, IS, OS}, op2s[] = {1, 3, 5, 7};
	static const struct {
		uint64_t value, first;
	} rows[] = {
	        {0, 0},
	        {1, 0x1000},
	        {TTL(15) | 1, 0x1000},
	        {UINT64_C(0x7ffffffffff), UINT64_C(0x7ffffffffff000)},
	        {UINT64_C(0x80000000000), UINT64_C(0xff80000000000000)},
	        {UINT64_C(0xff000012345), UPPER | UINT64_C(0x12345000)},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned j = 0; j < 12; j++) {
			unsigned crm = crms[j % 3], op2 = op2s[j / 3];
			struct tlbi_scope s =
			        tlbi_scope(0, crm, op2, ASID(77) | rows[i].value, true);

			assert_int_equal(s.broadcast, crm != LOCAL);
			assert_true(s.by_va);
			assert_int_equal(s.by_asid, op2 == 1 || op2 == 5);
			assert_int_equal(s.asid, 77);
			assert_true(s.first == rows[i].first);
			assert_true(s.last == rows[i].first + 4095);
			/* VAE2 and VALE2 */
			s = tlbi_scope(4, crm, op2, ASID(77) | rows[i].value, true);
			assert_true(s.by_va && s.first == rows[i].first);
		}
	}
}

static void of_a_range(void **state)
{
	static const struct {
		uint64_t value;
		bool ds;
		uint64_t first, size; /* size 0: any address */
	} rows[] = {
	        {RANGE(1, 0, 0) | 5, false, 0x5000, 2 * 4096},
	        {RANGE(1, 0, 31) | 5, false, 0x5000, 64 * 4096},
	        {RANGE(1, 1, 2) | 5, false, 0x5000, 3 * 64 * 4096},
	        {RANGE(1, 3, 31) | 5, false, 0x5000, UINT64_C(32) << 16 << 12},
	        {RANGE(2, 0, 1) | 5, false, 0x14000, 4 * 16384},
	        {RANGE(3, 2, 0) | 5, false, 0x50000, UINT64_C(2048) << 16},
	        {RANGE(1, 0, 0) | 5, true, 0x50000, 2 * 4096},
	        {RANGE(2, 0, 0) | 5, true, 0x50000, 2 * 16384},
	        {RANGE(1, 0, 0) | UINT64_C(0x1000000001), false, UPPER | 0x1000, 2 * 4096},
	        {RANGE(1, 0, 0) | UINT64_C(0xfffffffff), false, UINT64_C(0xfffffffff000), 2 * 4096},
	        {RANGE(1, 0, 0) | UINT64_C(0x1fffffffff), false, 0, 0}, /* would wrap to 0 */
	        {RANGE(0, 0, 0) | 5, false, 0, 0},                      /* reserved */
	};
	static const unsigned crms[] = {LOCAL_RANGE, IS_RANGE, OS_RANGE}, op2s[] = {1, 3, 5, 7};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned j = 0; j < 12; j++) {
			unsigned crm = crms[j % 3], op2 = op2s[j / 3];
			struct tlbi_scope s =
			        tlbi_scope(0, crm, op2, ASID(0xffff) | rows[i].value, rows[i].ds);

			assert_int_equal(s.broadcast, crm != LOCAL_RANGE);
			assert_int_equal(s.by_va, rows[i].size != 0);
			assert_int_equal(s.by_asid, s.by_va && (op2 == 1 || op2 == 5));
			assert_int_equal(s.asid, 0xffff);
			if (!s.by_va)
				continue;
			assert_true(s.first == rows[i].first);
			assert_true(s.last - s.first + 1 == rows[i].size);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(without_an_address),
	        cmocka_unit_test(of_one_address),
	        cmocka_unit_test(of_a_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
