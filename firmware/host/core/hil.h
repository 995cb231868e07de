/* SPDX-License-Identifier: Apache-2.0
 *
 * Host interface layer: the state of the host's commands, and what all of them share. One context
 * per front-end slot, and in this folder a slot is nothing else: those of the buffer and of
 * firmware images have other names. A command that lacks a resource waits in a list and goes on
 * where it stopped.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_HIL_H
#define SSDVP_FIRMWARE_HOST_CORE_HIL_H

#include <stdbool.h>

#include "firmware/buffer/cache.h"
#include "firmware/drv/cores.h"
#include "firmware/drv/front_end.h"
#include "firmware/host/ata/ata.h"
#include "firmware/host/core/command.h"
#include "firmware/host/core/parked_reads.h"
#include "firmware/host/core/read_ahead.h"
#include "firmware/host/power/heat.h"
#include "firmware/host/power/power.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/list.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"

/* Why no new commands are taken: the drive is too hot, has drawn too much, or sleeps. */
enum { CLOSED_HEAT = 1, CLOSED_LIMIT = 2, CLOSED_POWER = 4 };

enum hil_state {
    HIL_DISABLED = 0,
    HIL_READY = 1,
    HIL_STOPPING = 2, /* the host has shut the drive down: no command begins until a reset */
    HIL_RESETTING = 3 /* waits for moves under way */
};

/* Of a shutdown: what had begun ends first, then the buffer and the maps go to the flash. */
enum hil_shutting { SHUTTING_NOT = 0, SHUTTING_DRAINS = 1, SHUTTING_FLUSHES = 2 };

/* What unmaps units waits for collection; nothing is under way there: it may go on for a round. */
enum hil_unmap { UNMAP_GOES = 0, UNMAP_WAITS = 1, UNMAP_ANYWAY = 2 };

/* Reads wait for map pages that never come in: in the next round they fail instead. */
enum hil_barren { BARREN_NOT = 0, BARREN_NEXT = 1, BARREN_NOW = 2 };

#define QUEUES_MAX 256u /* I/O queue ids 1..255: the BAR has 256 MSI-X vectors */
#define META_BUFFERS 16u
#define META_SIZE 4096u

struct hil {
    uint64_t table;      /* struct command per slot */
    uint64_t wait_links; /* uint32_t per slot */
    uint64_t meta;       /* metadata buffers */
    uint32_t meta_links[META_BUFFERS];
    struct fifo meta_free;
    struct fifo reads_waiting; /* in order of arrival */
    struct parked_reads parked;
    struct fifo writes_waiting; /* writes, zeroing, DSM: in order of arrival */
    struct fifo flushes;
    struct fifo deletes;
    struct fifo fetched; /* they wait for a metadata buffer */
    uint64_t fetch_links;
    uint32_t state;
    uint32_t closed;       /* CLOSED_*: no new commands are taken */
    uint32_t opened;       /* 1 = they are again, and nobody has looked at the ring since */
    uint32_t takes;        /* 1 = neither: the controller is ready, and takes what is in the ring */
    uint32_t cc_unchecked; /* the line was pending, but rings explained it */
    uint32_t active;       /* commands not completed */
    uint32_t waits; /* 1 = who waits for what a completion brings may be others (hil_wants_quiet) */
    uint32_t cc;
    uint32_t csts;
    uint32_t generation; /* of the controller: operations of an earlier one are nobody's */
    uint32_t max_sectors;
    uint32_t queue_pairs;
    uint32_t trim;
    uint32_t unmap;       /* enum hil_unmap */
    uint32_t barren;      /* enum hil_barren */
    uint32_t write_cache; /* volatile write cache enabled */
    uint32_t shutting;    /* enum hil_shutting */
    uint64_t shutdown_ticket;
    uint32_t more;  /* 1 = work left over for the next round */
    uint32_t spare; /* a flash read that the host role gave for the command, INDEX_NONE = none */
    uint32_t commands_of[QUEUES_MAX + 1]; /* whose completion entry is not with the host */
    uint8_t cq_of[QUEUES_MAX];            /* completion queue of each submission queue, 0 = none */
    bool cq_exists[QUEUES_MAX];
    struct read_ahead read_ahead;
    uint64_t busy_since;   /* ns, while commands are in the drive */
    struct fifo saves;     /* commands that wait for the drive's state to be on the flash */
    struct fifo transfers; /* comparisons and copies whose turn has not come */
    uint32_t stepping;     /* 1 = a copy goes on */
    uint32_t spoilt;       /* ranges that Write Uncorrectable has left */
    uint32_t unspoilt;     /* ticket of the drive's state that a Flush waits for, 0 = none */
    uint32_t asks_map;     /* 1 = one of reads_waiting waits for an entry of the map */
    uint32_t queue_up;     /* 1 = one of reads_waiting lacks a flash read: a later one gets none */
    uint64_t nvme;         /* struct nvme (nvme.h) */
    uint32_t plain;        /* 1 = namespace 1 is the whole drive in sectors of 512 bytes */
    uint32_t watch;        /* 1 = the host wants to hear of the drive's health */
    uint32_t zoned;        /* 1 = there may be zoned namespaces */
    uint32_t zoned_mask;   /* of namespaces: those that are */
    uint64_t zones;        /* struct zones (zones.h) */
    uint64_t joined;    /* first partition of a divided drive: struct joined per slot (divided.h) */
    uint32_t finding;   /* 1 = the host waits for write pointers to be found */
    uint32_t streams;   /* that the host may have open by directive, 0 = no directives */
    uint32_t protect;   /* 1 = a namespace has metadata (metadata.h) */
    struct fifo staged; /* commands of such namespaces that wait for a staging */
    uint64_t stagings;  /* struct nvme_staging, 0 = none of the formats has metadata */
    uint64_t protections; /* struct nvme_protection per slot */
    struct ata ata;
    struct heat heat;
    uint32_t io_taken; /* queue identifiers of commands taken, or-ed */
    struct power power;
};

static inline struct command* command_of(struct env* e, uint32_t slot)
{
    return (struct command*)env_dram_entry(e, e->hil->table, slot, sizeof(struct command));
}

/* A command is in one list at most. */
static inline uint32_t* hil_wait_links(const struct env* e)
{
    return (uint32_t*)env_dram(e, e->hil->wait_links);
}

/* The command is of a zoned namespace. */
static inline bool hil_in_zones(const struct env* e, const struct command* c)
{
    return ((e->hil->zoned_mask >> c->ns) & 1u) != 0;
}

static inline uint32_t hil_reads_wait(const struct hil* h)
{
    return h->reads_waiting.count | h->parked.count;
}

/* The slot of the command that a move is made for, HAL_NO_COMMAND. */
static inline uint32_t hil_command_of_move(uint32_t tag, uint32_t slot)
{
    return tag >> MOVE_KIND_SHIFT == MOVE_HOST_MEMORY ? HAL_NO_COMMAND : slot;
}

/* ---- Of the host role ---- */

/* A command has come: its context, and it counts in its queue. context: that alone. */
void hil_accept(struct env* e, uint32_t slot, uint32_t sq_id, uint32_t cid);
void hil_context(struct env* e, uint32_t slot, uint32_t sq_id, uint32_t cid);
/* Its completion entry is with the host; nothing that came before counts any more. */
void hil_left(struct env* e, uint32_t slot);
void hil_forget_left(struct env* e);

/* ---- The rest is of the ftl role ---- */

/* After a change of what it goes by. */
static inline void hil_takes_anew(struct hil* h)
{
    h->takes = h->state == HIL_READY && (h->closed | h->opened) == 0 ? 1 : 0;
}
static inline void hil_state(struct env* e, uint32_t state)
{
    e->hil->state = state;
    hil_takes_anew(e->hil);
}

/* A command more that somebody waits for. */
static inline void hil_begin(struct env* e)
{
    if (e->hil->active++ == 0) {
        e->hil->busy_since = hal_time_ns(e->hal);
        run_busy(e);
    }
}

/* A copy, or what carries metadata, goes on in a round of its own. */
static inline void hil_steps_on(struct env* e)
{
    e->hil->stepping = 1;
    e->hil->more = 1;
    run_due(e, DUE_STEPS);
}

void hil_close(struct env* e, uint32_t why, bool on); /* CLOSED_* */
/* The command, which is marked, came while the drive took none: that is what it has waited for. */
void hil_kept_out(struct env* e, uint32_t slot);
/* A look-up engine may take reads: they are of the whole drive, and any data can be read. */
bool hil_may_look_up(const struct env* e);

/* A page for what a command moves beside data, of zeroes; INDEX_NONE = there is none now. */
uint32_t hil_meta_take(struct env* e);
void hil_meta_free(struct env* e, uint32_t buffer);
static inline uint64_t hil_meta_address(const struct env* e, uint32_t buffer)
{
    return e->hil->meta + (uint64_t)buffer * META_SIZE;
}

/* One of a command, for the host; NULL = there is none now. send: the last move of the command, of
 * so much of it as length says, from `buffer` of it on. */
uint8_t* hil_page(struct env* e, uint32_t slot);
void hil_send_page(struct env* e, uint32_t slot, struct fe_move* move);
void hil_drop_page(struct env* e, struct command* c); /* if it has one */

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
/* What writes goes on, or waits behind what came before. */
void hil_start_write(struct env* e, uint32_t slot);

/* Sends a move of a command; the last one carries its completion entry. */
void hil_finish_move(struct env* e, struct fe_move* move, bool last);
void hil_complete(struct env* e, uint32_t slot, uint32_t status, uint32_t dw0);
/* The last move of a command is ordered: its context is the host role's. */
void hil_retire(struct env* e, uint32_t slot);
/* Tickets of struct command_until, of buffer and journal: all of that is on the flash; the command
 * ends when it is. */
bool hil_is_flushed(struct env* e, const struct command* c);
void hil_end_flushed(struct env* e, uint32_t slot);
/* The command ends with dw0 when the drive's state is there too. await_save: as `until` says. */
void hil_save(struct env* e, uint32_t slot, uint32_t dw0);
void hil_await_save(struct env* e, uint32_t slot);

#endif
