/* SPDX-License-Identifier: Apache-2.0
 *
 * log_set with a block as the unit of D (Min et al., 2011, 2.3): block mapping, and with a W-log
 * of pages for small writes hybrid mapping. M1 has an entry per logical block, the address of its
 * data block; all of M1 stays in DRAM. What D appends is a whole block: firmware/blocks has the
 * merges, and W.
 */
#include "firmware/blocks/hybrid.h"
#include "firmware/map/ftl.h"

const struct ftl_ops ftl_log_set_block = {
    .layout = &hybrid_layout,
    .init = hybrid_init,
    .lookup = hybrid_lookup,
    .pin = hybrid_pin,
    .unpin = hybrid_unpin,
    .commit = hybrid_commit,
    .lose = hybrid_lose,
    .owner = logical_owner,
    .move = logical_move,
    .trim = hybrid_trim,
    .holes = hybrid_holes,
    .trim_run = hybrid_trim_run,
    .prefetch = logical_prefetch,
};
