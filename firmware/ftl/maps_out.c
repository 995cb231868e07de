/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps: the way to the flash. A page that is put out is copied, so that the map may change while
 * the copy is programmed; the page stays at its old place until the program has ended.
 */
#include "firmware/cache/cache.h"
#include "firmware/flash/blocks.h"
#include "firmware/flash/spare.h"
#include "firmware/ftl/ftl.h"
#include "firmware/ftl/log.h"
#include "firmware/ftl/maps.h"
#include "firmware/ftl/maps_frames.h"
#include "firmware/ftl/segments.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/crc.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/stats.h"
#include "firmware/recovery/recovery.h"

static uint32_t* links_of(struct env* e)
{
    return (uint32_t*)env_dram(e, e->maps->out_links);
}

static struct map_out* out_of(struct env* e, uint32_t i)
{
    FW_ASSERT(e, i < e->maps->outs);
    return (struct map_out*)env_dram(e, e->maps->out_table) + i;
}

static uint64_t buffer_of(struct env* e, uint32_t i)
{
    return e->maps->out_buffers + ((uint64_t)i << e->geo->unit_shift);
}

int maps_put_unit(struct env* e, uint64_t word, uint64_t from)
{
    struct maps* m = e->maps;
    const uint32_t i = fifo_pop(&m->out_free, links_of(e));
    if (i == INDEX_NONE) {
        m->urgent = 1;
        return 0;
    }
    uint8_t* to = env_dram(e, buffer_of(e, i));
    mem_copy(to, env_dram(e, from), e->geo->unit_size);
    const uint64_t check = crc32(CRC32_START, to, e->geo->unit_size) & 0xFFFFFFu;
    out_of(e, i)->word = word | (check << SPARE_CHECK_SHIFT);
    out_of(e, i)->order = ++m->out_order;
    fifo_push(&m->out_ready, links_of(e), i);
    FW_ASSERT(e, m->out_ready.count <= m->outs);
    return 1;
}

int maps_put(struct env* e, uint32_t level, uint64_t page)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, level, page);
    if (maps_framed(m, level)) {
        return maps_put_framed(e, page);
    }
    FW_ASSERT(e, (*flags & MAP_RESIDENT) != 0);
    if ((*flags & MAP_WRITING) != 0 ||
        (level < m->levels && !maps_load(e, level + 1, page >> m->entry_shift, 0)) ||
        !maps_put_unit(e, spare_pack(SPARE_MAP, ((uint64_t)level << 32) | page),
                       maps_home(e, m, level, page))) {
        return 0;
    }
    m->level[level].dirty -= (*flags & MAP_DIRTY) != 0 ? 1u : 0u;
    *flags = (uint8_t)((*flags | MAP_WRITING) & ~MAP_DIRTY);
    return 1;
}

int maps_outstanding(struct env* e, uint64_t order)
{
    FW_ASSERT(e, order <= e->maps->out_order);
    for (uint32_t i = 0; i < e->maps->outs; ++i) {
        const uint64_t o = out_of(e, i)->order;
        if (o != 0 && o <= order) {
            return 1;
        }
    }
    return e->maps->segment != 0 && segments_outstanding(e, order);
}

uint64_t maps_copy_of(struct env* e, uint32_t level, uint64_t page)
{
    const struct spare_unit wanted = {((uint64_t)level << 32) | page, SPARE_MAP, 0, 0};
    for (uint32_t i = 0; i < e->maps->outs; ++i) {
        const struct spare_unit u = spare_unpack(out_of(e, i)->word);
        if (out_of(e, i)->order != 0 && u.kind == wanted.kind && u.index == wanted.index) {
            return buffer_of(e, i);
        }
    }
    FW_ASSERT(e, 0 && "a page that is being written has a copy");
    return 0;
}

int maps_free_outs(const struct env* e)
{
    FW_ASSERT(e, e->maps->out_free.count <= e->maps->outs);
    return e->maps->out_free.count != 0;
}

void maps_recall(struct env* e)
{
    struct maps* m = e->maps;
    for (uint32_t i = fifo_pop(&m->out_ready, links_of(e)); i != INDEX_NONE;
         i = fifo_pop(&m->out_ready, links_of(e))) {
        const struct spare_unit u = spare_unpack(out_of(e, i)->word);
        uint8_t* flags = maps_flags(e, m, 1, u.index & 0xFFFFFFFFu);
        FW_ASSERT(e, u.kind == SPARE_MAP && u.index >> 32 == 1 && (*flags & MAP_WRITING) != 0);
        *flags = (uint8_t)(*flags & ~MAP_WRITING);
        out_of(e, i)->order = 0;
        fifo_push(&m->out_free, links_of(e), i);
    }
    FW_ASSERT(e, m->programs == 0 && m->out_free.count == m->outs);
}

int maps_starve(struct env* e)
{
    const struct maps* m = e->maps;
    FW_ASSERT(e, m->out_ready.count <= m->outs);
    return m->out_ready.count != 0 && m->programs == 0 && e->blocks->closed == BLOCKS_OPEN &&
           blocks_next_units(e, e->blocks->map_stream) == 0;
}

uint64_t maps_word(struct env* e, uint64_t address, const uint64_t* word)
{
    const struct maps* m = e->maps;
    if (word != NULL) {
        const uint32_t kind = spare_unpack(*word).kind;
        return kind == SPARE_MAP || kind == SPARE_JOURNAL ? *word : 0;
    }
    if (m->top == address) {
        return spare_pack(SPARE_MAP, (uint64_t)m->levels << 32);
    }
    for (uint32_t level = 2; level <= m->levels; ++level) {
        for (uint64_t page = 0; page < m->level[level - 1].pages; ++page) {
            if (maps_entry(e, level, page) == address) {
                return spare_pack(SPARE_MAP, ((uint64_t)(level - 1) << 32) | page);
            }
        }
    }
    const uint64_t unit = journal_at(e, address);
    return unit != UINT64_MAX ? spare_pack(SPARE_JOURNAL, unit) : 0;
}

int maps_relocate(struct env* e, uint64_t word, uint64_t address)
{
    struct maps* m = e->maps;
    const struct spare_unit u = spare_unpack(word);
    const uint32_t level = (uint32_t)(u.index >> 32);
    const uint64_t page = u.index & 0xFFFFFFFFu;
    if (u.kind == SPARE_JOURNAL) {
        return journal_relocate(e, u.index, address);
    }
    FW_ASSERT(e, u.kind == SPARE_MAP && level >= 1 && level <= m->levels);
    FW_ASSERT(e, page < m->level[level].pages);
    if (maps_framed(m, level)) {
        return (*maps_flags(e, m, level, page) & MAP_WRITING) != 0 || maps_put(e, level, page);
    }
    return maps_load(e, level, page, 0) &&
           ((*maps_flags(e, m, level, page) & MAP_WRITING) != 0 || maps_put(e, level, page));
}

static void program(struct env* e)
{
    struct maps* m = e->maps;
    const struct geometry* g = e->geo;
    struct write_unit w;
    const uint32_t i = flash_take(e, OWNER_MAP_PROGRAM);
    const int placed = blocks_place(e, e->blocks->map_stream, m->out_ready.count, &w);
    FW_ASSERT(e, i != INDEX_NONE && placed);
    struct flash_request* r = flash_request_of(e, e->flash, i);
    r->op = FLASH_OP_PROGRAM;
    r->purpose = e->recovery->functional ? FLASH_PURPOSE_PRECONDITION : FLASH_PURPOSE_MAP;
    r->priority = 2;
    r->plane_mask = (uint8_t)w.plane_mask;
    r->lun = (uint16_t)w.lun;
    r->block = w.block;
    r->page = w.page;
    r->column = 0;
    r->length = g->page_size;
    r->sg = 1;
    r->oob = 1;
    r->metadata = 1;
    for (uint32_t n = 0; n < w.units; ++n) {
        const uint32_t o = fifo_pop(&m->out_ready, links_of(e));
        flash_list(e, i)[n] = o == INDEX_NONE ? e->cache->zero : buffer_of(e, o);
        flash_oob(e, i)[spare_word(g, n)] =
            o == INDEX_NONE ? spare_pack(SPARE_PAD, 0) : out_of(e, o)->word;
    }
    ++m->programs;
    flash_submit(e, i);
}

void maps_step(struct env* e)
{
    struct maps* m = e->maps;
    if (m->frames.wanted != 0) {
        maps_frames_step(e);
    }
    while (m->out_ready.count != 0 &&
           e->flash->owned[OWNER_MAP_PROGRAM] < e->flash->limit[OWNER_MAP_PROGRAM]) {
        const uint32_t room = blocks_next_units(e, e->blocks->map_stream);
        if (room == 0 || (m->out_ready.count < room && m->urgent == 0)) {
            break;
        }
        program(e);
    }
    m->urgent = m->out_ready.count == 0 ? 0 : m->urgent;
    FW_ASSERT(e, m->programs <= e->flash->total);
}

/* The page lies at its new place now. */
static void page_written(struct env* e, uint64_t index, uint64_t address)
{
    struct maps* m = e->maps;
    const uint32_t level = (uint32_t)(index >> 32);
    const uint64_t page = index & 0xFFFFFFFFu;
    uint8_t* flags = maps_flags(e, m, level, page);
    FW_ASSERT(e, (*flags & MAP_WRITING) != 0);
    *flags = (uint8_t)(*flags & ~MAP_WRITING);
    if (m->counting != 0) {
        log_appended(e, level, page, address);
    } else { /* all is counted when power-up is through */
        const struct log_packet place = {LOG_WRITE, level, page, address};
        (void)log_send(e, place);
    }
}

static void unit_done(struct env* e, uint32_t o, uint64_t address, int failed)
{
    struct maps* m = e->maps;
    struct map_out* out = out_of(e, o);
    const struct spare_unit u = spare_unpack(out->word);
    if (failed) {
        fifo_push_front(&m->out_ready, links_of(e), o);
        m->urgent = 1;
        return;
    }
    if (u.kind == SPARE_MAP) {
        page_written(e, u.index, address);
    } else {
        journal_written(e, u.index, address);
    }
    out->order = 0;
    fifo_push_front(&m->out_free, links_of(e), o);
}

void maps_program_done(struct env* e, const struct flash_result* result)
{
    struct maps* m = e->maps;
    const struct geometry* g = e->geo;
    struct flash_request* r = flash_request_of(e, e->flash, result->request);
    const uint32_t masks[2] = {r->plane_mask, r->fail_mask};
    uint32_t n = 0;
    FW_ASSERT(e, r->owner == OWNER_MAP_PROGRAM && m->programs > 0);
    --m->programs;
    if (result->plane_fail != 0) {
        const struct erase_piece failed = {r->block, r->lun, result->plane_fail};
        blocks_retire(e, &failed, RETIRE_PROGRAM);
    }
    for (uint32_t k = 0; k < 2; ++k) {
        for (uint32_t rest = masks[k]; rest != 0; rest &= rest - 1) {
            const struct place p = {r->block, r->page, r->lun, lowest_bit(rest)};
            for (uint32_t s = 0; s < g->slots; ++s, ++n) {
                const uint64_t data = flash_list(e, result->request)[n];
                if (data != e->cache->zero) {
                    unit_done(e, (uint32_t)((data - m->out_buffers) >> g->unit_shift),
                              unit_address(g, &p, s), (int)((result->plane_fail >> p.plane) & 1u));
                }
            }
        }
    }
    e->stats->map_units_written += count_bits(r->plane_mask) * g->slots;
    blocks_unpend(e, r->block);
    flash_free(e, result->request);
}
