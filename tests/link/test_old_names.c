/* SPDX-License-Identifier: MIT */
/*
 * A host that defines the library's former names. It is linked with the whole archive, so a name
 * that the library still uses would be defined twice.
 */
#include <spu_fixture.h>

#include "old_names.h"

static unsigned calls;

#define DEFINE(name)                 \
	int name(void);              \
	int name(void)               \
	{                            \
		return (int)++calls; \
	}
OLD_NAMES(DEFINE)

#define CALL(name) +(name() > 0 ? 1u : 0u)

static void the_library_calls_its_own(void **state)
{
	struct spemu_op load = an_op(SPEMU_OP_LOAD);
	struct fixture f;
	struct spemu_record rec;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 4);
	calls = 0;
	assert_int_equal(sample(&f, &load).outcome, SPEMU_SAMPLE_RECORDED);
	rec = record_at(&f, BUFFER_BASE);
	assert_int_equal(rec.addr[0] & 0xffffffff, load.pc);
	assert_int_equal(calls, 0);
	fixture_stop(&f);
}

static void the_host_calls_its_own(void **state)
{
	unsigned names = OLD_NAMES(CALL);

	(void)state;
	assert_int_equal(calls, names);
	assert_int_equal(names, 237);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_library_calls_its_own),
	        cmocka_unit_test(the_host_calls_its_own),
	};
	return cmocka_run_group_tests_name("old_names", tests, NULL, NULL);
}
