/* SPDX-License-Identifier: Apache-2.0
 *
 * What all of the drive is about, besides serving the host: all parts heed it. Who begins it, and
 * ends it, is above them.
 */
#ifndef SSDVP_FIRMWARE_MAP_MODES_H
#define SSDVP_FIRMWARE_MAP_MODES_H

#include <stdint.h>

struct ftl_modes {
    uint32_t functional; /* 1 = preconditioning */
    uint32_t stopping;   /* 1 = shutting down: nothing new begins */
    uint32_t hold;       /* 1 = a checkpoint is about to begin: no program is submitted */
    uint32_t spent;      /* 1 = the map takes no more changes: nothing is left to put them to */
    uint32_t clearing;   /* 1 = all that uses the map comes to rest: it is to be cleared */
    uint32_t clears;     /* how often it was ... */
    uint32_t cleared;    /* ... with a record that says so */
    uint32_t voids;      /* 1 = map pages may point to what was erased since they were written */
};

#endif
