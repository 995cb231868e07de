/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning where a unit's address says where it goes (space/lanes.h): a page of each bin
 * is gathered before it is programmed, of what the host writes and of what collection moves.
 */
#include "firmware/run/precondition_lanes.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/ops/requests.h"
#include "firmware/space/erase.h"
#include "firmware/space/lanes.h"

uint32_t* precondition_filled(struct env* e, bool collected)
{
    uint32_t* filled = env_dram(e, append_of(e)->bin_filled);
    return filled + (collected ? lanes_bins(e) : 0);
}

/* Collection's lie in its buffers behind the one that it reads to. */
static uint64_t data_of(struct env* e, uint32_t n, bool collected)
{
    const struct geometry* g = e->geo;
    FW_ASSERT(e, n < lanes_bins(e) * g->page_units);
    FW_ASSERT(e, g->group + lanes_bins(e) * g->page_units <= gc_buffers(e));
    return collected ? gc_buffer_data(e, g->group + n)
                     : append_of(e)->bin_data + ((uint64_t)n << g->unit_shift);
}

int precondition_write_bin(struct env* e, uint32_t bin, bool collected)
{
    const struct append* a = append_of(e);
    uint64_t* list = env_dram(e, a->list);
    uint64_t* numbers = env_dram(e, a->numbers);
    uint64_t from[GROUP_MAX];
    uint32_t* filled = precondition_filled(e, collected);
    const uint32_t first = bin * e->geo->page_units;
    const uint32_t count = filled[bin];
    const struct source source = {0, collected ? from : NULL, bin, INDEX_NONE};
    FW_ASSERT(e, count != 0 && count <= e->geo->page_units);
    for (uint32_t n = 0; n < count; ++n) {
        const struct gc_unit* u = gc_unit_of(e, first + n);
        list[n] = data_of(e, first + n, collected);
        numbers[n] = collected ? u->unit : ((uint64_t*)env_dram(e, a->bin_units))[first + n];
        from[n] = collected ? u->from : 0;
    }
    filled[bin] = 0;
    if (precondition_program(e, collected ? STREAM_GC : STREAM_HOST, count, &source) != count) {
        return -1;
    }
    for (uint32_t n = 0; n < count && collected; ++n) {
        blocks_unpend(e, address_block(e->geo, gc_unit_of(e, first + n)->from));
    }
    return 0;
}

uint32_t precondition_to_bin(struct env* e, uint64_t unit, uint64_t data)
{
    const uint32_t bin = lanes_bin(e, unit);
    uint32_t* filled = precondition_filled(e, false);
    const uint32_t n = bin * e->geo->page_units + filled[bin]++;
    ((uint64_t*)env_dram(e, append_of(e)->bin_units))[n] = unit;
    sectors_copy(e, data_of(e, n, false), data, ones(e->geo->unit_sectors));
    return filled[bin] == e->geo->page_units ? bin : INDEX_NONE;
}

int precondition_lanes_collected(struct env* e, const struct gc_unit* unit, uint64_t data)
{
    const uint32_t bin = lanes_bin(e, unit->unit);
    uint32_t* filled = precondition_filled(e, true);
    const uint32_t n = bin * e->geo->page_units + filled[bin]++;
    *gc_unit_of(e, n) = *unit;
    sectors_copy(e, data_of(e, n, true), data, ones(e->geo->unit_sectors));
    ++superblock_of(e, e->blocks, address_block(e->geo, unit->from))->pending;
    FW_ASSERT(e, filled[bin] <= e->geo->page_units);
    return filled[bin] == e->geo->page_units ? precondition_write_bin(e, bin, true) : 0;
}

int precondition_lanes_flush(struct env* e)
{
    for (uint32_t bin = 0; bin < lanes_bins(e); ++bin) {
        if (precondition_filled(e, true)[bin] != 0 && precondition_write_bin(e, bin, true) != 0) {
            return -1;
        }
    }
    return 0;
}
