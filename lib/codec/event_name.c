/* SPDX-License-Identifier: MIT */
/*
 * Lookup of the names of events, which options, scenarios and records use.
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6
 */
#include <spemu/codec.h>

#include "codec/event.h"

const char *spemu_event_name(unsigned bit)
{
	return bit < 64 ? spemu__event_words[bit].name : NULL;
}

const char *spemu_event_meaning(unsigned bit)
{
	return bit < 64 ? spemu__event_words[bit].meaning : NULL;
}
