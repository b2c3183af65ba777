/* SPDX-License-Identifier: MIT */
/*
 * The freedoms of the architecture, chosen at run time: every IMPLEMENTATION DEFINED and
 * CONSTRAINED UNPREDICTABLE behavior of arch/choices.txt, separately for each PE.
 *
 *   if (spemu_choice_set(pe, SPEMU_CHOICE_RESERVED_NSPB, SPEMU_RESERVED_NSPB_REALM) ||
 *       spemu_choice_set(pe, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM))   // whatever is permitted
 *           return -1;
 *
 * <spemu/choice_list.h> is generated from arch/choices.txt: enum spemu_choice, and one enum of
 * options for each choice, counted from 0. spemu-choices(7) lists them with their rules. The
 * numbers of choices and options may change from one version to the next, but their names do not.
 *
 * A choice has one of two kinds: impdef is a property of the implementation that stays the same,
 * and unpredictable may differ each time. A random choice takes its option from the generator that
 * spemu_pe_config.seed starts:
 * - An impdef choice is drawn once, when it is set.
 * - An unpredictable choice is drawn when it is set, and again each time that it may have been
 *   used: after every spemu_spu_msr(), spemu_spu_mrs() and spemu_reg_set(), and after every
 *   finished sample.
 *
 * Only options that exist at the feature level are drawn. The same seed and the same calls give the
 * same run. The effects of a draw (whether profiling is enabled, the distance to the next sample,
 * PMBIRQ) are reported as after a register write.
 *
 * Objects are independent. One thread at a time may use an object. All texts are constant.
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

/* Pass this instead of an option to draw the option from the seed. */
#define SPEMU_CHOICE_RANDOM 0xff

/*
 * Set a choice, for all units of the PE. option is a member of the choice's own enum, or
 * SPEMU_CHOICE_RANDOM. The choice SPEMU_CHOICE_COUNT with SPEMU_CHOICE_RANDOM makes every choice
 * random. Setting an option ends the randomness of the choice. The change takes effect at once, so
 * PMBIRQ may change in the call. Do not call it from a callback.
 *
 * Return SPEMU_OK; SPEMU_ERR_INVALID for a choice or an option that does not exist;
 * SPEMU_ERR_NOT_SUPPORTED for an option that does not exist at the PE's feature level. After an
 * error nothing has changed.
 */
int spemu_choice_set(struct spemu_pe *pe, enum spemu_choice choice, unsigned option);

/* Return the current option of a choice, 0 to 31, or SPEMU_ERR_INVALID if the choice does not
 * exist. */
int spemu_choice_get(const struct spemu_pe *pe, enum spemu_choice choice);

/*
 * Parse "name=option", "name=random" or "all=random". For "all=random" *choice is
 * SPEMU_CHOICE_COUNT and *option is SPEMU_CHOICE_RANDOM. Return SPEMU_OK, or SPEMU_ERR_INVALID if
 * text has another form or an unknown name. *error_offset (may be NULL) is then the offset of the
 * unknown part in text: 0 for an unknown name, the offset after "=" for an unknown option, or the
 * length of text if the "=" is missing. After an error *option is 0. *choice is the choice if its
 * name is known, otherwise SPEMU_CHOICE_COUNT.
 */
int spemu_choice_parse(enum spemu_choice *choice, unsigned *option, size_t *error_offset,
                       const char *text);

/* The kind of a choice. */
enum spemu_choice_kind {
	SPEMU_CHOICE_KIND_IMPDEF = 0, /* IMPLEMENTATION DEFINED: a constant property */
	/* CONSTRAINED UNPREDICTABLE or UNKNOWN: may differ each time */
	SPEMU_CHOICE_KIND_UNPREDICTABLE,
};

struct spemu_choice_option {
	const char *name;  /* name in options and files: "non-secure" */
	const char *text;  /* effect of the option, as a phrase */
	const char *needs; /* features that the option requires ("FEAT_A") or excludes
	                      ("-FEAT_B"), separated by blanks; "" if it always exists */
};
struct spemu_choice_description {
	const char *name;     /* name in options and files: "reserved-nspb" */
	const char *rule;     /* rule IDs and sections of DDI 0487 M.a, separated by blanks */
	const char *text;     /* the condition under which the choice matters, as a phrase */
	uint8_t kind;         /* enum spemu_choice_kind */
	uint8_t option_count; /* number of options, 2 to 32 */
	const struct spemu_choice_option *option; /* array of option_count options */
};
/* Return the description of a choice, or NULL if the choice does not exist. It is constant. */
const struct spemu_choice_description *spemu_choice_describe(enum spemu_choice choice);

/* Return true if a PE with these features has the option, false if not or if the choice or option
 * does not exist. */
bool spemu_choice_permitted(const struct spemu_features *features, enum spemu_choice choice,
                            unsigned option);

/* Return the option of a new object with these features, which is always permitted; or
 * SPEMU_ERR_INVALID if the choice does not exist. */
int spemu_choice_default(const struct spemu_features *features, enum spemu_choice choice);

SPEMU_END_DECLS
#endif
