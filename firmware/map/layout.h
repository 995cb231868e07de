/* SPDX-License-Identifier: Apache-2.0
 *
 * What a scheme does beside mapping units, in the main loop, for the buffer and collection, at
 * checkpoints and at power-up. That follows from how the data of the host lie on the flash: any
 * unit anywhere (layout.c), logical blocks beside a log (hybrid/), or each page where the scheme
 * places it (blockmap/). One table for each of the three; no function of it is NULL.
 */
#ifndef SSDVP_FIRMWARE_MAP_LAYOUT_H
#define SSDVP_FIRMWARE_MAP_LAYOUT_H

#include <stdbool.h>

#include "firmware/lib/env.h"

struct flash_request;
struct spare_unit;
struct trims;

/* Of a superblock, in an anchor record. */
#define LAYOUT_PLACED 0x1u  /* it holds logical blocks whose pages are placed */
#define LAYOUT_FOLLOWS 0x2u /* pages may follow those that it has at the record's base */

struct ftl_layout {
    /* 1 = superblocks hold logical blocks, which merges move. */
    uint32_t logical_blocks;
    /* ... and pages are programmed in any order, where the scheme places them. */
    uint32_t any_page;
    /* Units that data and merges may fill beside those of the user. */
    uint64_t (*overhead)(const struct env* e);

    /* Main loop: merges go on. idle: 1 = none is at work. */
    void (*step)(struct env* e);
    bool (*idle)(const struct env* e);
    /* 1 = preconditioning ends, and what is in the log has to leave it: room tells whether it has.
     * 0 = it stays. Then that is over. */
    int (*settle)(struct env* e);
    void (*settled)(struct env* e);

    /* Buffer. room: true = the host's next units have a place, else a merge makes one. appends:
     * true = the unit goes there, else its logical block is going to be merged. appended: units go
     * to that superblock. starves: nothing that is due can go, and this unit is the first one of
     * it. */
    bool (*room)(struct env* e);
    bool (*appends)(struct env* e, uint64_t unit);
    void (*appended)(struct env* e, uint32_t block);
    void (*starves)(struct env* e, uint64_t unit);
    /* Collection: a superblock that is due to move holds data of a merge's: it will. */
    bool (*moves)(struct env* e, uint32_t block);

    /* Checkpoints. quiet: true = one may begin. begins: it does; recorded: its record is written.
     * reopens: one more record is written of it. kept: LAYOUT_* of a superblock. bytes, store,
     * load: what goes along with a record, which that brings back. */
    bool (*quiet)(struct env* e);
    void (*begins)(struct env* e);
    void (*recorded)(struct env* e);
    void (*reopens)(struct env* e);
    uint32_t (*kept)(struct env* e, uint32_t block);
    uint64_t (*bytes)(const struct env* e);
    void (*store)(struct env* e, void* to);
    void (*load)(struct env* e, const void* from);

    /* Power-up. counts: what the record brought along counts from now on. boot: after a clean
     * shutdown; 0 = done, -1 = power goes. */
    void (*counts)(struct env* e);
    int (*boot)(struct env* e);
    /* After a loss of power. merged: true = a page of that kind (spare.h) was written by a merge,
     * or where the scheme placed it. torn: nothing in a superblock can be read, and it is not
     * erased: that is what an erase leaves that was cut, or damage. check: before all else. scan:
     * before the pages of a window are read; read: a page that it or replay asked for was, words =
     * NULL when it is unreadable. replay: 1 = it has replayed all there is; 0 = that goes by
     * entries of the maps; -1 = power goes. unit: a program where an entry tells of more than a
     * unit. trim: units up to `end`. count: such an entry of a page that has come in. */
    bool (*merged)(uint32_t kind);
    void (*torn)(struct env* e, uint32_t block);
    void (*check)(struct env* e);
    void (*scan)(struct env* e);
    void (*read)(struct env* e, const struct flash_request* r, const uint64_t* words);
    int (*replay)(struct env* e, struct trims* trims);
    void (*unit)(struct env* e, const struct spare_unit* u, uint64_t address);
    void (*trim)(struct env* e, uint64_t unit, uint64_t end);
    void (*count)(struct env* e, uint64_t entry);
};

/* Of the schemes that map pages. */
extern const struct ftl_layout ftl_pages;

/* For a table that has nothing to do there. */
void layout_nothing(struct env* e);
bool layout_yes(struct env* e);
int layout_no(struct env* e);
uint32_t layout_keeps_nothing(struct env* e, uint32_t block);
int layout_by_maps(struct env* e, struct trims* trims);

#endif
