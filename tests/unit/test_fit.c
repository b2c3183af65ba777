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

#define MAP "std::map<int, std::vector<long, std::allocator<long> > >::at(int const&) const"
#define ITERATOR "<core::slice::Iter<u8> as core::iter::Iterator>::position::<a::b::{closure#1}>"

static void symbol_is_shortened_by_its_parts(void **state)
{
	static const struct cut rows[] = {
	        /* Nested arguments are replaced first, and the outermost ones last: parameters,
	         * then arguments of templates. " const" and the parameters go after them. */
	        {MAP, 78, MAP},
	        {MAP, 77,
	         "std::map<int, std::vector<long, std::allocator<...> > >::at(int const&) const"},
	        {MAP, 76, "std::map<int, std::vector<...> >::at(int const&) const"},
	        {MAP, 53, "std::map<int, std::vector<...> >::at(...) const"},
	        {MAP, 46, "std::map<...>::at(...) const"},
	        {MAP, 27, "std::map<...>::at(...)"},
	        {MAP, 21, "std::map<...>::at"},
	        {"std::vector<int, std::allocator<int>>::push_back(int const&, long)", 40,
	         "std::vector<...>::push_back(...)"},
	        {"a::b(int) const", 15, "a::b(int) const"},
	        {"a::b(int) const", 14, "a::b(int)"},
	        {"a::b(int) const", 8, "a::b"},
	        /* The return type of a template goes before anything else. */
	        {"void f<int, long>(int)", 21, "f<int, long>(int)"},
	        {"void f<int, long>(int)", 11, "f<...>(int)"},
	        {"std::set<int> a<b>::f<x>(int)", 28, "a<b>::f<x>(int)"},
	        /* Signs of operators are not brackets, and a conversion is part of the name. */
	        {"a::operator()(long, int) const", 23, "a::operator()(...)"},
	        {"a::operator<<(long, int) const", 23, "a::operator<<(...)"},
	        {"a::operator->(long, int) const", 23, "a::operator->(...)"},
	        {"a::operator[](long, int) const", 23, "a::operator[](...)"},
	        {"bool a::operator<(b::c, b::d)", 20, "a::operator<(...)"},
	        {"bool operator==<long, char>(a)", 20, "operator==<...>(a)"},
	        {"bool operator><long, char>(a)", 20, "operator><...>(a)"},
	        {"bool operator< <long, char>(a)", 20, "operator< <...>(a)"},
	        {"bool operator<=><long, char>(a)", 20, "operator<=><...>(a)"},
	        {"a::operator new(unsigned long)", 20, "a::operator new(...)"},
	        {"a::operator std::vector<int>() const", 31, "a::operator std::vector<int>()"},
	        {"my_operator(long, int)", 20, "my_operator(...)"},
	        {"f<(a)1, &(b::c<long>)>(d)", 20, "f<(a)1, &(...)>(d)"},
	        {"f<(1>2), (1<2)>::g(long, int)", 25, "f<(1>2), (1<2)>::g(...)"},
	        /* Closures keep the function around them. */
	        {"f(long, int)::{lambda(long, int)#1}::operator()(long) const", 50,
	         "f(...)::{lambda(...)#1}::operator()(...) const"},
	        {"one::f(long, int)::{lambda(long)#1}::operator()() const", 36,
	         "f(...)::{lambda(...)#1}::operator()"},
	        {"(anonymous namespace)::f(int)", 28, "(anonymous namespace)::f"},
	        /* The type of a method in Rust keeps its last parts. */
	        {ITERATOR, 77, "<core::slice::Iter<u8> as core::iter::Iterator>::position::<...>"},
	        {ITERATOR, 60, "<Iter<u8> as Iterator>::position::<...>"},
	        {ITERATOR, 38, "...::position::<...>"},
	        {"<alloc::vec::Vec<u8>>::push", 26, "<Vec<u8>>::push"},
	        {"<&mut a::b as c::d<e::f>>::g", 20, "<b as d<...>>::g"},
	        {"core::drop<alloc::vec::Vec<alloc::string::String>>", 40,
	         "core::drop<alloc::vec::Vec<...>>"},
	        {"a::b::{closure#0}::{closure#1}", 29, "b::{closure#0}::{closure#1}"},
	        /* Components go from the second on, then the first one. */
	        {"one::two::three::four::five", 26, "one::...::four::five"},
	        {"one::twotwo::three::four::five", 27, "one::...::three::four::five"},
	        {"one::twotwo::three::four()", 18, "one::...::four"},
	        {"one::two::three::four()", 13, "...::four"},
	        {"abc::two::three", 14, "...::three"},
	        /* Last, the middle of the function's name goes. */
	        {"one::two::three::a_long_function()", 14, "a_..._function"},
	        {"a_long_name_of_a_function", 15, "a_l..._function"},
	        /* A mark before the name and an offset after it are kept. */
	        {"[.] a::b(long)+0x12", 18, "[.] a::b(...)+0x12"},
	        {"[.] a::b(int)+0x12", 16, "[.] a::b+0x12"},
	        {"[k] a_long_name_of_a_function+0x1c", 24, "[k] a_l..._function+0x1c"},
	        {"a::b(long, int)@plt", 18, "a::b(...)@plt"},
	        {"[.] a::b(long) (inlined)", 23, "[.] a::b(...) (inlined)"},
	        {"[.] int a::b<int, long>() (inlined)", 26, "[.] a::b<...>() (inlined)"},
	        {"a::b(int)+0x1g", 13, "a::b(int)"},
	        {"[.]a::b(int)", 11, "[.]a::b"},
	        /* Names in a list are shortened one by one. */
	        {"a<b, c, d>::e(f), a::g(long, long)", 28, "a<...>::e(f), a::g(...)"},
	        {"a(int), b(int)", 10, "a(int),..."},
	        {"a(int,long)", 8, "a(...)"},
	        {"a(int,long)", 5, "a"},
	        /* Brackets without partners, and methods of Go. */
	        {"a<b<c(d>e)f::g", 8, "a<b<c"},
	        {"main.(*Server).Serve", 19, "main...erver).Serve"},
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

	setenv("LC_ALL", "C", 1); /* dots() */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
