/* SPDX-License-Identifier: Apache-2.0
 *
 * All state of the firmware. One struct fw lies at the start of the free SRAM; tables, rings and
 * buffers that it refers to by controller address lie in SRAM behind it and in DRAM.
 */
#ifndef SSDVP_FIRMWARE_RUN_FW_H
#define SSDVP_FIRMWARE_RUN_FW_H

#include "firmware/blocks/blockmap_state.h"
#include "firmware/blocks/hybrid.h"
#include "firmware/buffer/cache.h"
#include "firmware/drv/channel.h"
#include "firmware/drv/cores.h"
#include "firmware/drv/devices.h"
#include "firmware/drv/front_end.h"
#include "firmware/durable/recovery.h"
#include "firmware/gc/gc.h"
#include "firmware/host/core/hil.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/segments.h"
#include "firmware/ops/flash.h"
#include "firmware/slc/policy.h"
#include "firmware/space/retention.h"
#include "firmware/space/slc.h"
#include "models/regs/boot_layout.h"

enum append_phase {
    APPEND_FILLS,  /* unit by unit */
    APPEND_COUNTS, /* superblocks have counts, and their places no units yet */
    APPEND_BUSY,   /* a load writes, and leaves no idle time */
    APPEND_IDLE    /* ... and leaves as much as collection wants */
};

/* Units collected for a write unit while preconditioning, and where their data lie. */
struct append {
    uint32_t count;
    uint32_t phase;   /* enum append_phase */
    uint64_t list;    /* uint64_t addresses, geo.group of them */
    uint64_t oob;     /* spare words of a page group */
    uint64_t numbers; /* uint64_t logical units of the write unit, in order */
    uint64_t from;    /* uint64_t addresses that collected units come from */
    uint64_t units;   /* uint64_t numbers of the staged units */
    uint64_t staging; /* geo.group units that the caller's buffer cannot keep */
    /* Where units wait for others of their bin (lanes.h), a page of each: */
    uint64_t bin_filled; /* uint32_t, units there; then those that collection moves */
    uint64_t bin_units;  /* uint64_t numbers */
    uint64_t bin_data;
};

struct boot_params;

struct fw {
    uint32_t magic;
    uint32_t booted;
    struct geometry geo;
    struct smart smart;
    struct arenas arenas;
    struct front_end front_end;
    struct channels channels;
    struct flash flash;
    struct blocks blocks;
    struct ftl ftl;
    struct cache cache;
    struct gc gc;
    struct hil hil;
    struct maps maps;
    struct recovery recovery;
    struct segments segments;
    struct hybrid hybrid;
    struct blockmap blockmap;
    struct append append;
    struct timers timers;
    struct retention retention;
    struct slc slc;
    struct slc_policy slc_policy;
    struct cores cores;
    struct run run;
    uint32_t stuck; /* rounds in which somebody has waited for nothing but passes */
};

#define FW_MAGIC 0x4D525746u /* "FWRM" */

static inline struct fw* fw_of(struct hal* hal)
{
    return (struct fw*)(void*)(hal->sram + hal->part + BOOT_FREE_OFFSET);
}

static inline const struct boot_params* fw_params(const struct hal* hal)
{
    return (const struct boot_params*)(const void*)(hal->sram + hal->part + BOOT_PARAMS_OFFSET);
}

/* Who answers what parts ask of those above them. */
void fw_asks(struct env* e);
/* Pointers of this run to the parts of fw; and fw_asks(). */
void fw_bind(struct env* e, struct hal* hal);

extern const flash_handler fw_handlers[OWNERS]; /* of completions */

#endif
