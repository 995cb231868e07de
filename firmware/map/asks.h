/* SPDX-License-Identifier: Apache-2.0
 *
 * What the maps ask of the parts above them, and tell them. Each env has the table
 * (run/fw.c).
 */
#ifndef SSDVP_FIRMWARE_MAP_ASKS_H
#define SSDVP_FIRMWARE_MAP_ASKS_H

#include <stdbool.h>

#include "firmware/lib/env.h"

struct maps_asks {
    /* The buffer, and reads that wait: a page of level 1 has come. */
    void (*came)(struct env* e, uint64_t page);
    /* Recovery. What power-up found is applied to map pages that have come in; to one that is
     * derived (maps_frames.h). Whether it found the block of an address erased, or none of a
     * superblock that is written to its end. */
    void (*apply)(struct env* e, uint64_t from, uint64_t to);
    void (*derive)(struct env* e, uint64_t page);
    bool (*erased)(const struct env* e, uint64_t address);
    bool (*whole)(const struct env* e, uint32_t block);
    /* Units of the journal, which go out as map pages do: one is at that address now; it has to
     * leave it, 0 = not now; which one lies there, UINT64_MAX = none. */
    void (*unit_written)(struct env* e, uint64_t index, uint64_t address);
    bool (*unit_relocate)(struct env* e, uint64_t index, uint64_t address);
    uint64_t (*unit_at)(struct env* e, uint64_t address);
    /* A map unit goes to, or comes from, an address in the host's memory (hmb.h), which `move`
     * says; maps_host_moved() when it is over. */
    void (*host_move)(struct env* e, uint32_t move, uint64_t host, uint64_t buffer);
};

#endif
