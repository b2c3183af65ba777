/* SPDX-License-Identifier: MIT */
/* The table of choices that is generated from arch/choices.txt. */
#ifndef SPEMU_PE_CHOICE_H
#define SPEMU_PE_CHOICE_H

#include <spemu/choices.h>
#include "pe/pe_object.h"

struct choice_need {
	uint8_t feature; /* enum spemu_feature */
	uint8_t wanted;  /* 1: the feature is required; 0: it is excluded */
};

struct choice_option {
	uint32_t id; /* hash of the name, for saved states */
	uint8_t need_count;
	struct choice_need need[4];
};

struct choice_desc {
	struct spemu_choice_description public;
	uint32_t id;                          /* hash of the name, for saved states */
	uint8_t default_option, default_with; /* defaults without and with default_feature */
	int8_t default_feature;               /* enum spemu_feature, or -1 if the default is
	                                         always the same */
	const struct choice_option *option;
};
extern const struct choice_desc spemu__choice_table[SPEMU_CHOICE_COUNT];

_Static_assert(SPEMU_FEATURE_COUNT <= 127, "features are numbered in a byte");

/* Return true if the choice and its option exist. */
bool spemu__choice_has_option(enum spemu_choice choice, unsigned option);

/* Set every choice of a PE to its default, and none to random. */
void spemu__pe_choices_init(struct spemu_pe *pe);

/* Update the count of random choices after changes of pe->random_choice[]. */
void spemu__pe_choices_count_random(struct spemu_pe *pe);

#endif
