/* SPDX-License-Identifier: Apache-2.0
 *
 * Which LUN takes the next write unit, where its address does not say.
 *
 *   shortest_queue  the one with the fewest operations queued, the lowest index of equals
 *   channel_die     an idle LUN of an idle channel; else an idle LUN, of the channel with the
 *                   fewest operations; else the lowest of: operations of the LUN times LUNs of a
 *                   channel, plus operations of its channel. The lowest index of equals
 *   round_robin, channel_rr   in turns: channels, chips of each channel, dies of each chip
 *
 * Operations are those of all kinds that firmware has submitted and not seen the end of.
 * Preconditioning has none, so that every placement takes turns there.
 */
#include "firmware/space/asks.h"
#include "firmware/space/blocks.h"
#include "firmware/space/lanes_parts.h"

/* Chip that has its turn of each channel, then die of each chip. */
static uint32_t* turns_of(struct env* e)
{
    FW_ASSERT(e, e->blocks->lanes.turns != 0);
    return (uint32_t*)env_dram(e, e->blocks->lanes.turns);
}

/* LUN of the n-th turn from now on of a channel. */
static uint32_t turn_lun(struct env* e, uint32_t channel, uint32_t n)
{
    const uint32_t* count = e->blocks->lanes.shape.count;
    const uint32_t* turns = turns_of(e);
    const uint32_t way = (turns[channel] + n) % count[PLACE_WAY];
    const uint32_t chip = channel * count[PLACE_WAY] + way;
    const uint32_t die =
        (turns[count[PLACE_CHANNEL] + chip] + n / count[PLACE_WAY]) % count[PLACE_DIE];
    FW_ASSERT(e, channel < count[PLACE_CHANNEL]);
    return (way * count[PLACE_DIE] + die) * count[PLACE_CHANNEL] + channel;
}

void lanes_picked(struct env* e, uint32_t lun)
{
    struct lanes* l = &e->blocks->lanes;
    const uint32_t* count = l->shape.count;
    uint32_t* turns = turns_of(e);
    const uint32_t channel = lun % count[PLACE_CHANNEL];
    const uint32_t way = lun / count[PLACE_CHANNEL] / count[PLACE_DIE];
    const uint32_t die = lun / count[PLACE_CHANNEL] % count[PLACE_DIE];
    FW_ASSERT(e, lun < e->geo->part.luns);
    if (l->kind != PLACEMENT_CHANNEL_RR && !lanes_keyed(e)) {
        l->channel_turn = (channel + 1) % count[PLACE_CHANNEL];
    }
    turns[channel] = (way + 1) % count[PLACE_WAY];
    turns[count[PLACE_CHANNEL] + channel * count[PLACE_WAY] + way] = (die + 1) % count[PLACE_DIE];
}

static uint32_t by_turns(struct env* e, uint32_t stream, uint32_t channel)
{
    const uint32_t channels = e->geo->channels;
    const uint32_t from = channel == INDEX_NONE ? e->blocks->lanes.channel_turn : channel;
    const uint32_t step = channel == INDEX_NONE ? channels : 1;
    FW_ASSERT(e, from < channels);
    for (uint32_t n = 0; n < e->geo->luns_per_channel * step; ++n) {
        const uint32_t lun = turn_lun(e, (from + n % step) % channels, n / step);
        if (lanes_lun_has_room(e, stream, lun)) {
            return lun;
        }
    }
    return INDEX_NONE;
}

static uint32_t channel_load(struct env* e, uint32_t channel)
{
    uint32_t load = 0;
    for (uint32_t n = 0; n < e->geo->luns_per_channel; ++n) {
        load += e->space_asks->queued(e, n * e->geo->channels + channel);
    }
    FW_ASSERT(e, channel < e->geo->channels);
    return load;
}

/* The lower, the sooner. */
static uint64_t cost_of(struct env* e, uint32_t lun)
{
    const uint32_t queued = e->space_asks->queued(e, lun);
    FW_ASSERT(e, lun < e->geo->part.luns);
    if (e->blocks->lanes.kind == PLACEMENT_SHORTEST_QUEUE) {
        return queued;
    }
    const uint64_t load = channel_load(e, lun % e->geo->channels);
    /* An idle LUN of an idle channel costs 0, another idle one less than any busy one. */
    return queued == 0 ? load : (UINT64_C(1) << 32) + queued * e->geo->luns_per_channel + load;
}

uint32_t lanes_pick(struct env* e, uint32_t stream, uint32_t channel)
{
    const struct lanes* l = &e->blocks->lanes;
    uint32_t best = INDEX_NONE;
    uint64_t least = UINT64_MAX;
    if (l->kind >= PLACEMENT_CHANNEL_RR || l->functional != 0) {
        return by_turns(e, stream, channel);
    }
    FW_ASSERT(e, channel == INDEX_NONE);
    for (uint32_t lun = 0; lun < e->geo->part.luns; ++lun) {
        const uint64_t cost = cost_of(e, lun);
        if (cost < least && lanes_lun_has_room(e, stream, lun)) {
            least = cost;
            best = lun;
        }
    }
    return best;
}
