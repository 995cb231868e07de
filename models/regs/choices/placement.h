/* SPDX-License-Identifier: Apache-2.0
 *
 * ftl.placement: where a write lands (firmware/space/lanes.h).
 */
#ifndef SSDVP_REGS_CHOICES_PLACEMENT_H
#define SSDVP_REGS_CHOICES_PLACEMENT_H

#include <stdint.h>

#define PLACEMENTS(ROW)                                                                            \
    ROW(STRIPE, stripe, "LUN after LUN, all planes at once")                                       \
    ROW(STATIC, static_order, "by the address of the page, in one of 24 orders")                   \
    ROW(SHORTEST_QUEUE, shortest_queue, "the LUN with the fewest operations queued")               \
    ROW(CHANNEL_DIE, channel_die, "an idle LUN of an idle channel first, else as shortest_queue")  \
    ROW(CHANNEL_RR, channel_rr, "the channel by the address, then in turns")                       \
    ROW(ROUND_ROBIN, round_robin, "channel, chip and die in turns")

#define PLACEMENT_ID(ID, ...) PLACEMENT_##ID,
enum placement_id { PLACEMENTS(PLACEMENT_ID) };
#undef PLACEMENT_ID

/* An order of channels (0), chips of a channel (1), dies of a chip (2), planes of a die (3): the
 * first varies fastest. */
#define PLACEMENT_ORDER(a, b, c, d)                                                                \
    ((uint32_t)(a) | (uint32_t)(b) << 2 | (uint32_t)(c) << 4 | (uint32_t)(d) << 6)
#define PLACEMENT_LETTER(order, n) (((order) >> (2u * (n))) & 3u)
#define PLACEMENT_WINDOW_MOST 8u /* superblocks that a stream may have open */

#endif
