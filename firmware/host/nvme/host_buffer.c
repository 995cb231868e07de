/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/nvme/host_buffer.h"

#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/mem.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_reads.h"

enum { PAGE = 4096 };                   /* CC.MPS is 0: CAP.MPSMAX is */
enum { MOVE_LIST = HMB_MOVES };         /* index of the list's move, behind those of map pages */
enum { IDENTIFY_UNIT = 4096 };          /* of HMPRE, HMMIN, HMMINDS, whatever CC.MPS is */
enum { LIST_MASK = 0xF, RETURNED = 2 }; /* HMDLLA is a multiple of 16; MR of dword 11 */

static struct host_buffer* host_buffer_of(const struct env* e)
{
    return &nvme_of(e)->host_buffer;
}

static uint32_t identify_units(uint64_t bytes)
{
    return (uint32_t)((bytes + IDENTIFY_UNIT - 1) / IDENTIFY_UNIT);
}

bool host_buffer_wanted(const struct env* e)
{
    return hmb_wanted(e);
}

void host_buffer_identify(const struct env* e, uint8_t* page)
{
    const uint32_t preferred = identify_units(hmb_most_bytes(e));
    if (!host_buffer_wanted(e)) {
        return;
    }
    put32(page + 272, preferred);                         /* HMPRE */
    put32(page + 276, identify_units(hmb_minimum(e)));    /* HMMIN */
    put32(page + 332, identify_units(e->geo->unit_size)); /* HMMINDS: a map page */
    put16(page + 336, HMB_AREAS);                         /* HMMAXD */
}

void host_buffer_reset(struct env* e)
{
    struct host_buffer* b = host_buffer_of(e);
    hmb_return(e);
    b->state = HOST_BUFFER_OFF;
    b->enabled = 0;
    mem_zero(&b->set, sizeof b->set);
}

/* ---- Moves ---- */

static void send(struct env* e, struct fe_move* move, uint32_t index)
{
    move->flags = FE_MOVE_NOTIFY | (move->op == FE_MOVE_READ_MEMORY ? FE_MOVE_IRQ : 0u);
    move->tag = ((uint32_t)MOVE_HOST_MEMORY << MOVE_KIND_SHIFT) | index;
    FW_ASSERT(e, index <= MOVE_LIST && move->length != 0);
    front_end_move(e, move);
}

void host_buffer_move(struct env* e, uint32_t move, uint64_t host, uint64_t buffer)
{
    const uint32_t op = move < HMB_WRITES ? FE_MOVE_WRITE_MEMORY : FE_MOVE_READ_MEMORY;
    struct fe_move m = {
        .op = (uint8_t)op, .length = e->geo->unit_size, .buffer = buffer, .host = host};
    FW_ASSERT(e, move < HMB_MOVES);
    send(e, &m, move);
}

/* ---- Lending ---- */

/* Base 1.4 figure 285: page-aligned, of one page or more; and no byte twice. */
static bool is_sound(const struct nvme_host_descriptor* d, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t end = d[i].address + (uint64_t)d[i].pages * PAGE;
        if (d[i].address % PAGE != 0 || d[i].pages == 0 || end < d[i].address) {
            return false;
        }
        for (uint32_t k = 0; k < i; ++k) {
            const uint64_t other = d[k].address + (uint64_t)d[k].pages * PAGE;
            if (d[i].address < other && d[k].address < end) {
                return false;
            }
        }
    }
    return true;
}

/* Descriptors that are read: those behind HMMAXD are not used. */
static uint32_t descriptors(const struct nvme_host_memory* set)
{
    return set->entries < HMB_AREAS ? set->entries : HMB_AREAS;
}

static bool adds_up(const struct nvme_host_memory* set, const struct nvme_host_descriptor* d)
{
    uint64_t pages = 0;
    for (uint32_t i = 0; i < descriptors(set); ++i) {
        pages += d[i].pages;
    }
    return set->entries > HMB_AREAS ? pages < set->size : pages == set->size;
}

/* The status of the command whose list this is. */
static uint32_t take_list(struct env* e, const struct nvme_host_descriptor* d)
{
    struct host_buffer* b = host_buffer_of(e);
    const uint32_t count = descriptors(&b->set);
    uint32_t areas = 0;
    FW_ASSERT(e, count != 0);
    if (!is_sound(d, count) || !adds_up(&b->set, d)) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    for (uint32_t i = 0; i < count; ++i) {
        areas += hmb_offer(e, areas, d[i].address, (uint64_t)d[i].pages * PAGE) ? 1u : 0u;
    }
    if (areas == 0) {
        return DNR(NVME_SC_INVALID_FIELD); /* all are below HMMINDS */
    }
    hmb_lend(e, areas);
    return NVME_SC_SUCCESS;
}

static void list_came(struct env* e, bool failed)
{
    struct host_buffer* b = host_buffer_of(e);
    const uint32_t slot = b->slot;
    if (b->state != HOST_BUFFER_FETCHES) {
        return; /* a reset came between */
    }
    const uint64_t at = hil_meta_address(e, command_of(e, slot)->buffer);
    const uint32_t status =
        failed ? DNR(NVME_SC_DATA_TRANSFER_ERROR) : take_list(e, env_dram(e, at));
    b->state = status == NVME_SC_SUCCESS ? HOST_BUFFER_ON : HOST_BUFFER_OFF;
    if (status != NVME_SC_SUCCESS) {
        b->enabled = 0;
        mem_zero(&b->set, sizeof b->set);
    }
    hil_complete(e, slot, status, 0);
}

static uint32_t lend(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    struct host_buffer* b = host_buffer_of(e);
    struct command* c = command_of(e, slot);
    const uint64_t list = (uint64_t)q->cdw14 << 32 | q->cdw13;
    FW_ASSERT(e, c->buffer == INDEX_NONE);
    if (q->cdw12 < identify_units(hmb_minimum(e)) || q->cdw12 == 0 || q->cdw15 == 0 ||
        (q->cdw13 & LIST_MASK) != 0) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    c->buffer = hil_meta_take(e);
    if (c->buffer == INDEX_NONE) {
        return NVME_NO_PAGE;
    }
    c->state = COMMAND_ADMIN;
    b->state = HOST_BUFFER_FETCHES;
    b->slot = slot;
    b->enabled = q->cdw11 & (HOST_BUFFER_ENABLE | RETURNED);
    b->set = (struct nvme_host_memory){q->cdw12, q->cdw13, q->cdw14, q->cdw15};
    struct fe_move m = {.op = FE_MOVE_READ_MEMORY,
                        .length =
                            descriptors(&b->set) * (uint32_t)sizeof(struct nvme_host_descriptor),
                        .buffer = hil_meta_address(e, c->buffer),
                        .host = list};
    send(e, &m, MOVE_LIST);
    return NVME_LATER;
}

/* No page is there alone, so nothing has to be written back: once no move is under way the drive
 * does not touch the memory any more. */
static uint32_t take_back(struct env* e, uint32_t slot)
{
    struct host_buffer* b = host_buffer_of(e);
    FW_ASSERT(e, b->state == HOST_BUFFER_OFF || b->state == HOST_BUFFER_ON);
    host_buffer_reset(e);
    if (!maps_host_moves(e)) {
        return NVME_SC_SUCCESS;
    }
    b->state = HOST_BUFFER_LEAVES;
    b->slot = slot;
    command_of(e, slot)->state = COMMAND_ADMIN;
    return NVME_LATER;
}

uint32_t host_buffer_set(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    const struct host_buffer* b = host_buffer_of(e);
    const bool enables = (q->cdw11 & HOST_BUFFER_ENABLE) != 0;
    FW_ASSERT(e, host_buffer_wanted(e));
    if (b->state == HOST_BUFFER_FETCHES || b->state == HOST_BUFFER_LEAVES ||
        (enables && b->state == HOST_BUFFER_ON)) {
        return DNR(NVME_SC_COMMAND_SEQUENCE);
    }
    return enables ? lend(e, slot, q) : take_back(e, slot);
}

uint32_t host_buffer_get(struct env* e, uint32_t slot, bool current)
{
    const struct host_buffer* b = host_buffer_of(e);
    uint8_t* page = hil_page(e, slot);
    if (page == NULL) {
        return NVME_NO_PAGE;
    }
    if (current) {
        mem_copy(page, &b->set, sizeof b->set);
    }
    FW_ASSERT(e, host_buffer_wanted(e));
    nvme_send_answer(e, slot, META_SIZE, current ? b->enabled : 0);
    return NVME_LATER;
}

void host_buffer_moved(struct env* e, uint32_t index, bool failed)
{
    struct host_buffer* b = host_buffer_of(e);
    FW_ASSERT(e, index <= MOVE_LIST);
    if (index == MOVE_LIST) {
        list_came(e, failed);
        return;
    }
    maps_host_moved(e, index, failed);
    if (b->state == HOST_BUFFER_LEAVES && !maps_host_moves(e)) {
        b->state = HOST_BUFFER_OFF;
        hil_complete(e, b->slot, NVME_SC_SUCCESS, 0);
    }
}
