/* SPDX-License-Identifier: Apache-2.0
 *
 * Host interface layer: NVMe commands. One context per front-end slot, and in this folder a slot is
 * nothing else: those of the buffer and of firmware images have other names. A command that lacks a
 * resource waits in a list and goes on where it stopped.
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
#include "firmware/lib/list.h"
#include "firmware/lib/run.h"
#include "models/regs/parts/zones.h"

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
    uint32_t cc;
    uint32_t csts;
    uint32_t active;     /* commands not completed */
    uint32_t generation; /* of the controller: operations of an earlier one are nobody's */
    uint32_t max_sectors;
    uint32_t queue_pairs;
    uint32_t trim;
    uint32_t unmap;       /* enum hil_unmap */
    uint32_t barren;      /* enum hil_barren */
    uint32_t write_cache; /* volatile write cache enabled */
    uint32_t shutting;    /* enum hil_shutting */
    uint64_t shutdown_ticket;
    uint32_t cc_unchecked; /* the line was pending, but rings explained it */
    uint32_t more;         /* 1 = work left over for the next round */
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
    uint64_t nvme;         /* struct nvme (controller.h) */
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
    uint32_t closed;   /* CLOSED_*: no new commands are taken */
    uint32_t io_taken; /* queue identifiers of commands taken, or-ed */
    struct power power;
};

struct hil_setup {
    uint32_t mdts; /* bytes */
    uint32_t queue_pairs;
    uint32_t trim;
    uint32_t sata;    /* 1 = ATA commands, 0 = NVMe */
    uint32_t streams; /* that the host may have open by directive */
    const struct boot_zones* zones;
    const struct boot_thermal* thermal;
    const struct boot_power* power;
};

int hil_init(struct env* e, const struct hil_setup* setup);

/* A round has three parts. step: completions of moves, new commands; nvme_line = it was pending.
 * resume: commands that are done or can go on; before the buffer has its turn, which may have to
 * act on what they did. settle: after the buffer, what depends on where it stands. */
void hil_step(struct env* e, bool nvme_line);
void hil_resume(struct env* e);
void hil_settle(struct env* e);
/* Reads CC where the rings explained the interrupt, once that can matter; part of settle. */
void hil_look_at_cc(struct env* e);
/* Commands wait for something, or a shutdown is under way: 0 = none. asks: the same without those
 * that wait for a slot of the buffer or the end of a program, which are announced. */
uint32_t hil_waiting(struct env* e);
uint32_t hil_asks(struct env* e);
bool hil_wants_quiet(struct env* e); /* completions of quiet moves matter before anything else */

void hil_read_done(struct env* e, const struct flash_result* result);

static inline struct command* command_of(struct env* e, uint32_t slot)
{
    return (struct command*)env_dram(e, e->hil->table) + slot;
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

/* For the parts of this folder. Of the host role: a command has come: its context, what it asks for
 * and what is wrong with it; nothing of the drive is looked at but its size. Its completion entry
 * is with the host. Nothing that came before counts any more. */
void hil_accept(struct env* e, uint32_t slot, uint32_t sq_id, uint32_t cid);
void hil_context(struct env* e, uint32_t slot, uint32_t sq_id, uint32_t cid); /* that alone */
struct host_request hil_parse(struct env* e, const struct fe_command* f);
void hil_left(struct env* e, uint32_t slot);
void hil_forget_left(struct env* e);
/* The rest is of the ftl role. The last move of a command is ordered: its context is the host
 * role's. */
static inline uint32_t hil_reads_wait(const struct hil* h)
{
    return h->reads_waiting.count | h->parked.count;
}
void hil_retire(struct env* e, uint32_t slot);
/* Sends a move of a command; the last one carries its completion entry. */
void hil_finish_move(struct env* e, struct fe_move* move, bool last);
void hil_complete(struct env* e, uint32_t slot, uint32_t status, uint32_t dw0);
void hil_admin(struct env* e, const struct fe_command* command);
/* true = a command for hil_io, false = one for hil_admin; of either interface. */
bool hil_is_io(const struct env* e, const struct fe_command* f);
void hil_io(struct env* e, uint32_t slot, const struct host_request* q);
void hil_io_read(struct env* e, uint32_t slot); /* a read in whose form nothing is wrong */
void hil_start_read(struct env* e, uint32_t slot);
struct cache_done;
void hil_programmed(struct env* e, const struct cache_done* d); /* a command waited for it */
void hil_meta_landed(struct env* e, uint32_t slot);
enum hil_progress { PROGRESS_DONE = 0, PROGRESS_NO_BUFFER = 1, PROGRESS_NO_DATA = 2 };
enum hil_progress hil_read(struct env* e, uint32_t slot);
bool hil_write(struct env* e, uint32_t slot);
bool hil_zero(struct env* e, uint32_t slot);
bool hil_dsm(struct env* e, uint32_t slot);
void hil_retry(struct env* e);
void hil_start_write(struct env* e, uint32_t slot); /* or what else waits with writes */
void hil_begin_write(struct env* e, uint32_t slot); /* Write, as it comes in */
bool hil_zero_run(struct env* e, struct command* c, uint32_t* budget);
/* stuck.c */
void hil_fail_writes(struct env* e);
bool hil_is_barren(struct env* e);
bool hil_lacks_room(struct env* e);
void hil_retry_deletes(struct env* e);
uint32_t hil_meta_take(struct env* e);
void hil_meta_free(struct env* e, uint32_t buffer);
uint64_t hil_meta_address(const struct env* e, uint32_t buffer);
void hil_reset_queues(struct env* e);

/* The slot of the command that a move is made for, HAL_NO_COMMAND. */
static inline uint32_t hil_command_of_move(uint32_t tag, uint32_t slot)
{
    return tag >> MOVE_KIND_SHIFT == MOVE_HOST_MEMORY ? HAL_NO_COMMAND : slot;
}

#endif
