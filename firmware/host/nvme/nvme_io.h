/* SPDX-License-Identifier: Apache-2.0
 *
 * What reads and writes of the NVM command set share: a command's next unit, and moves.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_NVME_IO_H
#define SSDVP_FIRMWARE_HOST_NVME_NVME_IO_H

#include "firmware/host/core/hil.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"

struct piece { /* the part of a command's next unit */
    uint64_t unit;
    uint32_t first; /* sector within the unit */
    uint32_t count;
    uint64_t mask;
};

static inline struct piece hil_next_piece(const struct env* e, const struct command* c)
{
    const struct geometry* g = e->geo;
    const uint64_t lba = c->lba + c->done;
    const uint32_t left = c->sectors - c->done;
    struct piece p;
    p.unit = lba >> g->sector_shift;
    p.first = (uint32_t)lba & (g->unit_sectors - 1);
    p.count = g->unit_sectors - p.first;
    p.count = p.count > left ? left : p.count;
    p.mask = ones(p.count) << p.first;
    return p;
}

static inline void hil_clear_move(struct fe_move* move, uint8_t op, uint32_t slot)
{
    mem_zero(move, sizeof *move);
    move->op = op;
    move->slot = (uint16_t)slot;
}

/* Why the command waited before it is handed on, for the latency parts. From there on it waits for
 * a core again. */
static inline uint8_t hil_waited(struct command* c)
{
    const uint8_t wait = c->wait;
    c->wait = FE_WAIT_FIRMWARE;
    return wait;
}

/* Why a command that writes has to wait, for the latency parts. */
void hil_note_wait(struct env* e, struct command* c);
/* Of a read from the flash alone: true = all that it reads is there. */
bool hil_commit(struct env* e, uint32_t slot);
/* The current run is zeroed: the command ends, with FUA when that is on the flash. */
void hil_end_zeroing(struct env* e, uint32_t slot);
/* nvme_dsm.c: it begins; its ranges are asked for, as soon as there is a buffer; they are here. */
void hil_dsm_start(struct env* e, uint32_t slot);
void hil_dsm_fetch(struct env* e, uint32_t slot);
void hil_dsm_landed(struct env* e, uint32_t slot);

/* Of the host role: the move of what a flash read has brought. */
void hil_page_move(struct env* e, struct fe_move* move, uint32_t request);

/* A look-up engine may take reads: they are of the whole drive, and any data can be read. */
bool hil_may_look_up(const struct env* e);

#endif
