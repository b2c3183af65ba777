/* SPDX-License-Identifier: MIT */
/*
 * The freedoms of the architecture, chosen at run time: every IMPLEMENTATION DEFINED and
 * CONSTRAINED UNPREDICTABLE behavior of arch/choices.txt, for each PE on its own.
 *
 *   if (spemu_choice_set(pe, SPEMU_CHOICE_RESERVED_NSPB, SPEMU_RESERVED_NSPB_REALM) ||
 *       spemu_choice_set(pe, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM))   // whatever is permitted
 *           return -1;
 *
 * <spemu/choice_list.h> is made from arch/choices.txt: enum spemu_choice, and one enum of options
 * for each choice, counted from 0. spemu-choices(7) lists them with their rules. The numbers of
 * choices and options may change from one version to the next; their names do not.
 *
 * A choice is impdef, a property of the implementation that stays the same, or unpredictable: it
 * may differ each time. Random means, from the generator that spemu_pe_config.seed starts:
 * - for an impdef choice, drawn once, when it is set;
 * - for an unpredictable one, drawn when it is set and again each time that it may have been used:
 *   after every spemu_spu_msr(), spemu_spu_mrs() and spemu_reg_set(), and after every finished
 *   sample.
 * Only options that the feature level has are drawn. The same seed and the same calls give the same
 * run. What a draw changes (whether profiling is enabled, the distance to the next sample, PMBIRQ)
 * is reported as after a register write.
 *
 * Objects are independent; one object is used by one thread at a time. All texts are constant.
 */
#ifndef SPEMU_CHOICES_H
#define SPEMU_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/api.h>
#include <spemu/choice_list.h>
#include <spemu/pe.h>

SPEMU_BEGIN_DECLS

/* In the place of an option: drawn from the seed. */
#define SPEMU_CHOICE_RANDOM 0xff

/*
 * Set a choice, for all units of the PE. option is a member of the choice's own enum, or
 * SPEMU_CHOICE_RANDOM; choice SPEMU_CHOICE_COUNT with SPEMU_CHOICE_RANDOM makes every choice
 * random. Setting an option ends randomness. It takes effect at once: what depends on it is derived
 * anew, PMBIRQ may change in the call. Not to be called from a callback. SPEMU_OK;
 * SPEMU_ERR_INVALID for a choice or an option that does not exist; SPEMU_ERR_NOT_SUPPORTED for an
 * option that the PE's feature level does not have. Then nothing has changed.
 */
int spemu_choice_set(struct spemu_pe *pe, enum spemu_choice choice, unsigned option);

/* Return the present option, 0 to 31, or SPEMU_ERR_INVALID if the choice does not exist. */
int spemu_choice_get(const struct spemu_pe *pe, enum spemu_choice choice);

/*
 * Read "name=option", "name=random" or "all=random" (then *choice is SPEMU_CHOICE_COUNT and *option
 * SPEMU_CHOICE_RANDOM). SPEMU_OK; SPEMU_ERR_INVALID with *error_offset (may be NULL) set to where
 * the unknown part starts: 0 for the name; after the "=" for the option, *choice being set then;
 * the length of the text where the "=" is missing. After an error *option is 0, and *choice is
 * SPEMU_CHOICE_COUNT unless the name is known.
 */
int spemu_choice_parse(enum spemu_choice *choice, unsigned *option, size_t *error_offset,
                       const char *text);

enum spemu_choice_kind {
	SPEMU_CHOICE_KIND_IMPDEF = 0,
	SPEMU_CHOICE_KIND_UNPREDICTABLE,
};

struct spemu_choice_option {
	const char *name;  /* "non-secure" */
	const char *text;  /* what happens then, a phrase */
	const char *needs; /* the features with which ("FEAT_A") and without which ("-FEAT_B") the
	                      option exists, blanks between them; "" for all */
};
struct spemu_choice_description {
	const char *name;     /* "reserved-nspb" */
	const char *rule;     /* rule IDs and sections of DDI 0487 M.a, blanks between them */
	const char *text;     /* when the choice is made, a phrase */
	uint8_t kind;         /* enum spemu_choice_kind */
	uint8_t option_count; /* 2 to 32 */
	const struct spemu_choice_option *option; /* option_count of them */
};
/* Describe a choice; NULL out of range. */
const struct spemu_choice_description *spemu_choice_describe(enum spemu_choice choice);

/* Return true if a PE with these features may choose the option; false out of range. */
bool spemu_choice_permitted(const struct spemu_features *features, enum spemu_choice choice,
                            unsigned option);

/* The option of a new object with these features, which is permitted; SPEMU_ERR_INVALID. */
int spemu_choice_default(const struct spemu_features *features, enum spemu_choice choice);

SPEMU_END_DECLS
#endif
