/* SPDX-License-Identifier: MIT */
/* A PE in its own memory, which free() releases. */
#ifndef PE_FIXTURE_H
#define PE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "field.h"
#include <spemu/pe.h>

static inline struct spemu_pe *pe_make_with(const char *features, struct spemu_pe_config config)
{
	void *memory = malloc(spemu_pe_size());
	struct spemu_pe *pe;

	config.size = sizeof(config);
	assert_non_null(memory);
	assert_int_equal(spemu_features_parse(&config.features, NULL, features), SPEMU_OK);
	assert_int_equal(spemu_pe_init(&pe, memory, spemu_pe_size(), &config), SPEMU_OK);
	assert_ptr_equal(pe, memory);
	return pe;
}

static inline struct spemu_pe *pe_make(const char *features)
{
	return pe_make_with(features, (struct spemu_pe_config){0});
}

#endif
