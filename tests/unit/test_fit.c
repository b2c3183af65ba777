/* SPDX-License-Identifier: MIT */
/* Test how texts are shortened to a width (tools/base/fit.h), and which characters suit a terminal
 * (tools/base/clean.h). */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../tools/base/clean.h"
#include "../../tools/base/fit.h"

struct cut {
	const char *text;
	unsigned width;
	const char *expected;
};

static void check(char *(*cut)(char *, size_t, const char *, unsigned), const struct cut *rows,
                  size_t count)
{
	char buf[200];

	for (size_t i = 0; i < count; i++) {
		assert_string_equal(cut(buf, sizeof(buf), rows[i].text, rows[i].width),
		                    rows[i].expected);
		assert_true(text_width(buf) <= rows[i].width);
	}
}
#define CHECK(cut, rows) check(cut, rows, sizeof(rows) / sizeof(rows[0]))

static void text_is_cut_at_its_end(void **state)
{
	static const struct cut rows[] = {
	        {"", 0, ""},
	        {"abcdef", 6, "abcdef"},
	        {"abcdef", 5, "ab..."},
	        {"abcdef", 4, "a..."},
	        {"abcdef", 3, "abc"},
	        {"abcdef", 1, "a"},
	        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x84xyz", 6,
	         "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x84xyz"},
	        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x84xyz", 5, "\xc3\xa4\xe2\x82\xac..."},
	};

	(void)state;
	assert_int_equal(text_width("\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x84xyz"), 6);
	CHECK(cut_end, rows);
}

static void path_is_cut_in_its_middle(void **state)
{
	static const struct cut rows[] = {
	        {"/usr/lib/aarch64/libc.so", 24, "/usr/lib/aarch64/libc.so"},
	        {"/usr/lib/aarch64/libc.so", 23, ".../lib/aarch64/libc.so"},
	        {"/usr/lib/aarch64/libc.so", 19, ".../aarch64/libc.so"},
	        {"/usr/lib/aarch64/libc.so", 18, ".../libc.so"},
	        {"/usr/lib/aarch64/libc.so", 11, ".../libc.so"},
	        {"/usr/lib/aarch64/libc.so", 10, "/...ibc.so"},
	        {"src/main.c", 9, "s...ain.c"},
	        {"abcdefghijkl", 11, "ab...ghijkl"},
	        {"abcdefghijkl", 8, "a...ijkl"},
	        {"abcdefghijkl", 7, "abcd..."},
	};

	(void)state;
	CHECK(cut_middle, rows);
}

static void symbol_is_shortened_by_its_parts(void **state)
{
	static const struct cut rows[] = {
	        /* The parameters are removed first, with all that follows them. */
	        {"a::b(int) const", 15, "a::b(int) const"},
	        {"a::b(int) const", 14, "a::b"},
	        {"a<int>::b(c<d>, e) const", 20, "a<int>::b"},
	        {"a::operator()(int) const", 20, "a::operator()"},
	        {"a::operator<<(int) const", 20, "a::operator<<"},
	        {"a::operator->(int) const", 20, "a::operator->"},
	        {"a::operator[](int) const", 20, "a::operator[]"},
	        {"(anonymous namespace)::f(int)", 28, "(anonymous namespace)::f"},
	        {"{lambda(int)#1}::g(long)", 20, "{lambda(int)#1}::g"},
	        {"my_operator(int, long)", 15, "my_operator"},
	        /* The return type and the arguments of templates are removed next. */
	        {"void f<int, long>(int)", 10, "f<...>"},
	        {"std::map<int, long>::at(int)", 17, "std::map<...>::at"},
	        {"void a<b(c)>::f<x>(int)", 14, "a<...>::f<x>"},
	        {"a::operator new(unsigned long)", 20, "a::operator new"},
	        /* Then outer namespaces are removed. */
	        {"one::two::three::four()", 20, "...::three::four"},
	        {"abc::two::three", 14, "abc::two::t..."},
	        {"abcd::two::three", 15, "...::two::three"},
	        {"abcd::two<a::b>::three", 20, "...::two<...>::three"},
	        /* Last, the end is removed, or the middle of a name without a class. */
	        {"one::two::three::four()", 12, "...::thre..."},
	        {"a_long_name_of_a_function", 15, "a_l..._function"},
	        /* A mark before the name and an offset after it are kept. */
	        {"[.] a::b(int)+0x12", 16, "[.] a::b+0x12"},
	        {"[k] a_long_name_of_a_function+0x1c", 24, "[k] a_l..._function+0x1c"},
	        {"a::b(int)+0x1g", 13, "a::b"},
	        {"[.]a::b(int)", 11, "[.]a::b"},
	        {"a(int), b(int)", 10, "a(int),..."},
	        {"a(int,long)", 8, "a"},
	};

	(void)state;
	CHECK(cut_symbol, rows);
}

static void screen_width_is_between_60_and_100000(void **state)
{
	(void)state;
	setenv("COLUMNS", "60", 1);
	assert_int_equal(screen_width(), 60);
	setenv("COLUMNS", "61", 1);
	assert_int_equal(screen_width(), 61);
	setenv("COLUMNS", "59", 1);
	assert_int_equal(screen_width(), 60);
	setenv("COLUMNS", "100000", 1);
	assert_int_equal(screen_width(), 100000);
	setenv("COLUMNS", "100001", 1);
	assert_int_equal(screen_width(), 100000);
}

/* Only control characters (C0, DEL, C1) and characters that change the direction of text are
 * unfit. */
static void only_control_and_direction_characters_are_unfit(void **state)
{
	static const unsigned turning[] = {0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c,
	                                   0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069};
	const unsigned count = sizeof(turning) / sizeof(turning[0]);
	unsigned unfit = 0;

	(void)state;
	for (unsigned c = 0; c <= 0x10ffff; c++)
		unfit += !is_fit(c);
	assert_int_equal(unfit, 32 + 1 + 32 + count);
	for (unsigned c = 0; c < 32; c++)
		assert_false(is_fit(c) || is_fit(0x80 + c));
	assert_false(is_fit(0x7f));
	for (unsigned i = 0; i < count; i++)
		assert_false(is_fit(turning[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(text_is_cut_at_its_end),
	        cmocka_unit_test(path_is_cut_in_its_middle),
	        cmocka_unit_test(symbol_is_shortened_by_its_parts),
	        cmocka_unit_test(screen_width_is_between_60_and_100000),
	        cmocka_unit_test(only_control_and_direction_characters_are_unfit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
