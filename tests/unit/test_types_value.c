/* SPDX-License-Identifier: MIT */
/*
 * Test the abstract values of the analysis of types (tools/types/value.h), the parts of types
 * (tools/types/type.h) and the votes about heap objects (tools/types/votes.h). The types are made
 * by hand:
 *
 *     struct pair { int a; short b[2]; };            8 bytes
 *     struct node { struct node *next; struct pair p; };   16 bytes
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../tools/types/value.h"
#include "../../tools/types/votes.h"

static struct type number = {.kind = TYPE_SCALAR, .name = "int", .size = 4};
static struct type half = {.kind = TYPE_SCALAR, .name = "short", .size = 2};
static struct type halves = {.kind = TYPE_ARRAY, .name = "short[]", .size = 4, .target = &half};
static struct type_member pair_members[] = {{"a", &number, 0, 4, 0, 0}, {"b", &halves, 4, 4, 0, 0}};
static struct type pair = {.kind = TYPE_STRUCT,
                           .name = "struct pair",
                           .size = 8,
                           .members = pair_members,
                           .member_count = 2,
                           .has_members = true};
static struct type node;
static struct type pointer = {
        .kind = TYPE_POINTER, .name = "struct node*", .size = 8, .target = &node};
static struct type_member node_members[] = {{"next", &pointer, 0, 8, 0, 0},
                                            {"p", &pair, 8, 8, 0, 0}};
static struct type node = {.kind = TYPE_STRUCT,
                           .name = "struct node",
                           .size = 16,
                           .members = node_members,
                           .member_count = 2,
                           .has_members = true};

static void path_leads_to_the_innermost_member(void **state)
{
	static const struct {
		uint64_t offset;
		const char *path;
	} rows[] = {{0, "next"}, {8, "p.a"}, {12, "p.b[]"}, {14, "p.b[]"}};
	struct type_step steps[TYPE_STEPS_MAX];
	char text[100];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = type_steps(NULL, steps, &node, rows[i].offset, 2);

		type_path(text, sizeof(text), steps, n);
		assert_string_equal(text, rows[i].path);
	}
}

/* An enumeration of Rust with two variants, one of them empty. The tag is the pointer. */
static struct type word = {.kind = TYPE_SCALAR, .name = "u64", .size = 8};
static struct type none = {.kind = TYPE_STRUCT, .name = "None", .size = 16, .has_members = true};
static struct type_member option_members[] = {{NULL, &word, 0, 8, 0, 0, true},
                                              {"None", &none, 0, 16, 0, 0},
                                              {"Some", &node, 0, 16, 0, 0}};
static struct type option = {.kind = TYPE_STRUCT,
                             .name = "Option",
                             .size = 16,
                             .members = option_members,
                             .member_count = 3,
                             .has_members = true};

static void a_variant_with_data_says_more(void **state)
{
	static const struct {
		uint64_t offset;
		unsigned access;
		const char *path;
	} rows[] = {
	        {0, 8, "Some.next"}, {8, 4, "Some.p.a"}, {8, 8, "Some.p.a"}, {0, 16, "Some.next"}};
	struct type_step steps[TYPE_STEPS_MAX];
	char text[100];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = type_steps(NULL, steps, &option, rows[i].offset, rows[i].access);

		type_path(text, sizeof(text), steps, n);
		assert_string_equal(text, rows[i].path);
	}
}

static void another_variant_has_a_pointer(void **state)
{
	/* union { u64 number; struct node *node; } behind a number */
	struct type_member members[] = {{"number", &word, 0, 8, 0, 0},
	                                {"node", &pointer, 0, 8, 0, 0}};
	struct type either = {.kind = TYPE_UNION,
	                      .name = "union",
	                      .size = 8,
	                      .members = members,
	                      .member_count = 2,
	                      .has_members = true};
	struct type_member outer_members[] = {{"a", &word, 0, 8, 0, 0}, {"b", &either, 8, 8, 0, 0}};
	struct type outer = {.kind = TYPE_STRUCT,
	                     .name = "struct outer",
	                     .size = 16,
	                     .members = outer_members,
	                     .member_count = 2,
	                     .has_members = true};

	(void)state;
	assert_ptr_equal(type_pointer_at(NULL, &outer, 8), &pointer);
	assert_null(type_pointer_at(NULL, &outer, 0));
	assert_null(type_pointer_at(NULL, &outer, 12));
}

static void views_of_one_address_agree(void **state)
{
	(void)state;
	assert_true(type_agrees(NULL, &node, 12, &pair, 4));
	assert_true(type_agrees(NULL, &pair, 4, &node, 12));
	assert_true(type_agrees(NULL, &node, 8, &number, 0));
	assert_false(type_agrees(NULL, &node, 8, &pair, 4));
	assert_false(type_agrees(NULL, &node, 0, &number, 0));
}

static void index_adds_a_stride(void **state)
{
	struct value p = {.kind = VALUE_POINTER, .type = &node, .offset = 8}, i = {0}, v;

	(void)state;
	v = value_indexed(&p, &i, 16);
	assert_true(v.kind == VALUE_POINTER && v.type == &node);
	assert_int_equal(v.offset, 8);
	assert_int_equal(v.stride, 16);
	/* The offset of an integer counts: p + (i + 3) * 8. */
	i = value_plus(i, 3);
	v = value_indexed(&p, &i, 8);
	assert_int_equal(v.offset, 32);
	assert_int_equal(v.stride, 8);
	/* An exact number adds no stride. */
	i = (struct value){.kind = VALUE_INTEGER, .offset = 5};
	v = value_indexed(&p, &i, 2);
	assert_int_equal(v.offset, 18);
	assert_int_equal(v.stride, 0);
	/* The sum of two addresses is unknown. */
	assert_int_equal(value_indexed(&p, &p, 1).kind, VALUE_UNKNOWN);
}

static void product_has_the_factors(void **state)
{
	struct value some = {0}, three = {.kind = VALUE_INTEGER, .offset = 3}, v;

	(void)state;
	v = value_times(&some, &three);
	assert_true(v.kind == VALUE_INTEGER && !v.offset);
	assert_int_equal(v.stride, 3);
	v = value_times(&v, &v);
	assert_int_equal(v.stride, 9);
}

static void a_slice_points_to_several_elements(void **state)
{
	struct type_member members[] = {{"data_ptr", &pointer, 0, 8, 0, 0},
	                                {"length", &word, 8, 8, 0, 0}};
	struct type slice = {.kind = TYPE_STRUCT,
	                     .name = "&[node]",
	                     .size = 16,
	                     .members = members,
	                     .member_count = 2,
	                     .has_members = true};
	struct type_step steps[TYPE_STEPS_MAX];
	struct value v;

	(void)state;
	v = value_of_part(steps, type_steps(NULL, steps, &slice, 0, 8));
	assert_true(v.kind == VALUE_POINTER && v.type == &node && v.stride == 16);
	v = value_of_part(steps, type_steps(NULL, steps, &slice, 8, 8));
	assert_int_equal(v.kind, VALUE_DATA);
	v = value_of_part(steps, type_steps(NULL, steps, &node, 0, 8));
	assert_true(v.kind == VALUE_POINTER && !v.stride);
}

static void paths_join(void **state)
{
	struct value a = {.kind = VALUE_POINTER, .type = &node}, b = a, v;
	const struct value null = {.kind = VALUE_INTEGER},
	                   other = {.kind = VALUE_POINTER, .type = &pair};

	(void)state;
	b.offset = 48;
	v = value_join(NULL, &a, &b);
	assert_int_equal(v.offset, 0);
	assert_int_equal(v.stride, 48);
	b.offset = 32;
	v = value_join(NULL, &v, &b);
	assert_int_equal(v.stride, 16);
	/* A loop comes to an end. */
	b = value_plus(v, 16);
	assert_true(value_equal(&v, &(struct value){0}) == false);
	b = value_join(NULL, &v, &b);
	assert_true(value_equal(&v, &b));
	v = value_join(NULL, &null, &a);
	assert_true(value_equal(&v, &a));
	assert_int_equal(value_join(NULL, &a, &other).kind, VALUE_UNKNOWN);
}

static void pointers_to_one_scalar_join(void **state)
{
	const struct value plain = {.kind = VALUE_POINTER, .type = &number, .stride = 4},
	                   member = {.kind = VALUE_POINTER, .type = &node, .offset = 8},
	                   inside = {.kind = VALUE_POINTER, .type = &node, .offset = 10};
	struct value v;

	(void)state;
	/* node.p.a is an int, like the target of the other pointer. */
	v = value_join(NULL, &member, &plain);
	assert_true(v.kind == VALUE_POINTER && v.type == &number);
	assert_int_equal(v.offset, 0);
	v = value_join(NULL, &plain, &member);
	assert_true(value_equal(&v, &plain));
	/* The middle of an int is not an int. */
	assert_int_equal(value_join(NULL, &inside, &plain).kind, VALUE_UNKNOWN);
}

static void slots_are_forgotten_where_they_are_written(void **state)
{
	struct values values = {0};
	const struct value v = {.kind = VALUE_POINTER, .type = &node};

	(void)state;
	values_store(&values, -16, &v);
	values_store(&values, -8, &v);
	assert_non_null(values_slot(&values, -16));
	values_forget(&values, -12, 2);
	assert_null(values_slot(&values, -16));
	assert_non_null(values_slot(&values, -8));
	for (int i = 0; i < 2 * SLOTS_MAX; i++)
		values_store(&values, 8 * i, &v);
	assert_int_equal(values.slot_count, SLOTS_MAX);
	/* Offsets of hostile code wrap. */
	values_forget(&values, INT64_MIN, 8);
	values_forget(&values, INT64_MAX, UINT64_MAX);
	assert_int_equal(values.slot_count, SLOTS_MAX);
}

static void slots_join_by_their_places(void **state)
{
	struct values to = {0}, from = {0};
	const struct value v = {.kind = VALUE_POINTER, .type = &node},
	                   w = {.kind = VALUE_POINTER, .type = &pair};

	(void)state;
	for (int at = 32; at >= 0; at -= 8)
		values_store(&to, at, &v);
	values_store(&from, 24, &v);
	values_store(&from, 8, &v);
	values_store(&from, 16, &w);
	assert_true(values_join(NULL, &to, &from));
	assert_int_equal(to.slot_count, 2);
	assert_true(to.slots[0].at == 8 && to.slots[1].at == 24);
	assert_false(values_join(NULL, &to, &from));
}

static void an_unknown_value_keeps_its_origin(void **state)
{
	struct value a = value_origin(0x1000, 0), b = value_origin(0x1000, 1), v,
	             p = {.kind = VALUE_POINTER, .type = &node};

	(void)state;
	assert_false(value_equal(&a, &b));
	assert_int_equal(value_join(NULL, &a, &b).kind, VALUE_UNKNOWN);
	v = value_plus(a, 8);
	assert_true(v.kind == VALUE_ORIGIN && v.call == a.call && v.offset == 8);
	/* An index may be any number. Its offset counts. */
	v = value_indexed(&p, &v, 4);
	assert_true(v.kind == VALUE_POINTER && v.offset == 32 && v.stride == 4);
	/* The base of an array stays an address. */
	v = value_indexed(&a, &b, 8);
	assert_true(v.kind == VALUE_ORIGIN && v.call == a.call && v.stride == 8);
	assert_int_equal(value_indexed(&a, &b, 1).kind, VALUE_INTEGER);
	/* 32 bits of it are not an address. */
	assert_int_equal(value_number(&a).kind, VALUE_UNKNOWN);
	v = value_plus(a, 3);
	v = value_number(&v);
	assert_true(v.kind == VALUE_INTEGER && v.offset == 3 && v.stride == 1);
}

static void copies_of_an_unknown_value_learn_its_type(void **state)
{
	const struct value a = value_origin(0x1000, 0), other_value = value_origin(0x1004, 0),
	                   p = {.kind = VALUE_POINTER, .type = &node};
	struct values values = {0};

	(void)state;
	values.x[0] = a;
	values.x[1] = value_plus(a, 8);
	values.x[2] = other_value;
	values_store(&values, -8, &a);
	values_store(&values, -16, &other_value);
	values_learn(&values, &values.x[0], &p);
	for (unsigned i = 0; i < 2; i++)
		assert_true(values.x[i].kind == VALUE_POINTER && values.x[i].type == &node);
	assert_int_equal(values.x[1].offset, 8);
	assert_ptr_equal(values_slot(&values, -8)->type, &node);
	assert_true(value_equal(&values.x[2], &other_value));
	assert_true(value_equal(values_slot(&values, -16), &other_value));
}

static const struct voted object = {1, 11, 21}, like = {2, 11, 21}, mixed = {3, 13, 23},
                          like_mixed = {4, 13, 23}, wrapped = {5, 15, 25},
                          other_wrapped = {6, 16, 25}, like_wrapped = {7, 15, 25},
                          other = {8, 18, 28};

static void vote(struct votes *votes, const struct voted *voted, struct type *type, uint64_t offset,
                 unsigned count)
{
	while (count--)
		votes_add(votes, voted, NULL, type, offset);
}

static void votes_name_the_rest_of_an_object(void **state)
{
	struct votes *votes = votes_new();
	struct types *types;
	uint64_t offset;

	(void)state;
	vote(votes, &object, &node, 0, 10);
	vote(votes, &object, &node, 32, 10);
	/* Two types at one place contradict each other. */
	vote(votes, &mixed, &node, 0, 5);
	vote(votes, &mixed, &pair, 0, 5);
	/* A site allocates objects of two types. */
	vote(votes, &wrapped, &node, 0, 5);
	vote(votes, &other_wrapped, &pair, 0, 5);
	votes_finish(votes);
	assert_ptr_equal(votes_of_object(votes, &types, &offset, &object, 12), &node);
	assert_int_equal(offset, 12);
	/* Votes at multiples of the size make an array. */
	assert_ptr_equal(votes_of_object(votes, &types, &offset, &object, 100), &node);
	assert_int_equal(offset, 100 % 16);
	assert_null(votes_of_object(votes, &types, &offset, &mixed, 0));
	assert_null(votes_of_object(votes, &types, &offset, &other, 0));
	assert_ptr_equal(votes_of_kind(votes, &types, &offset, &like, 4), &node);
	assert_null(votes_of_kind(votes, &types, &offset, &like_mixed, 0));
	assert_ptr_equal(votes_of_object(votes, &types, &offset, &wrapped, 4), &node);
	assert_null(votes_of_kind(votes, &types, &offset, &like_wrapped, 4));
	votes_free(votes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(path_leads_to_the_innermost_member),
	        cmocka_unit_test(a_variant_with_data_says_more),
	        cmocka_unit_test(another_variant_has_a_pointer),
	        cmocka_unit_test(views_of_one_address_agree),
	        cmocka_unit_test(index_adds_a_stride),
	        cmocka_unit_test(product_has_the_factors),
	        cmocka_unit_test(a_slice_points_to_several_elements),
	        cmocka_unit_test(paths_join),
	        cmocka_unit_test(pointers_to_one_scalar_join),
	        cmocka_unit_test(slots_are_forgotten_where_they_are_written),
	        cmocka_unit_test(slots_join_by_their_places),
	        cmocka_unit_test(an_unknown_value_keeps_its_origin),
	        cmocka_unit_test(copies_of_an_unknown_value_learn_its_type),
	        cmocka_unit_test(votes_name_the_rest_of_an_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
