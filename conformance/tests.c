/* SPDX-License-Identifier: MIT */
/* The list of tests. */
#include "image.h"
#include "tests.h"

const struct test test_list[] = {
#define X(function, needs, name, rules) {name, rules, test_##function, needs},
        TESTS(X)
#undef X
};
const unsigned test_count = COUNT(test_list);
