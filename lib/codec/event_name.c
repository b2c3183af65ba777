/* SPDX-License-Identifier: MIT */
/*
 * The events of the Events packet by the short names that options and scenarios take.
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6
 */
#include <spemu/codec.h>

const char *const spemu_event_names[] = {
        "exception",    "retired",       "l1d-access",    "l1d-refill",
        "l1d-miss",     "tlb-access",    "tlb-walk",      "not-taken",
        "mispredicted", "llc-access",    "llc-miss",      "remote-access",
        "misaligned",   "transactional", "partial-pred",  "empty-pred",
        "l2d-access",   "l2d-miss",      "data-modified", "recently-fetched",
        "snooped",      "streaming",     "smcu",          NULL,
};
const uint8_t spemu_event_bits[] = {
        SPEMU_EV_EXCEPTION,
        SPEMU_EV_RETIRED,
        SPEMU_EV_L1D_ACCESS,
        SPEMU_EV_L1D_REFILL,
        SPEMU_EV_L1D_REFILL,
        SPEMU_EV_TLB_ACCESS,
        SPEMU_EV_TLB_WALK,
        SPEMU_EV_NOT_TAKEN,
        SPEMU_EV_MISPREDICTED,
        SPEMU_EV_LLC_ACCESS,
        SPEMU_EV_LLC_MISS,
        SPEMU_EV_REMOTE_ACCESS,
        SPEMU_EV_MISALIGNED,
        SPEMU_EV_TRANSACTIONAL,
        SPEMU_EV_PARTIAL_PREDICATE,
        SPEMU_EV_EMPTY_PREDICATE,
        SPEMU_EV_L2D_ACCESS,
        SPEMU_EV_L2D_MISS,
        SPEMU_EV_CACHE_DATA_MODIFIED,
        SPEMU_EV_RECENTLY_FETCHED,
        SPEMU_EV_DATA_SNOOPED,
        SPEMU_EV_STREAMING_SVE,
        SPEMU_EV_SMCU,
};
