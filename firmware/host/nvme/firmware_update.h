/* SPDX-License-Identifier: Apache-2.0
 *
 * Firmware images: how they come in, and how one takes over from another.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_FIRMWARE_UPDATE_H
#define SSDVP_FIRMWARE_HOST_NVME_FIRMWARE_UPDATE_H

#include <stdbool.h>

#include "firmware/drv/front_end.h"
#include "firmware/durable/drive_state.h"
#include "firmware/hal/package.h"
#include "firmware/lib/env.h"

#define FIRMWARE_SLOTS DRIVE_SLOTS

struct nvme_download {
    uint32_t size; /* bytes from the start that are there, without a hole */
    uint32_t crc;  /* of those behind the header */
    uint32_t area; /* of the boot flash */
    struct firmware_package head;
};
/* What the boot flash does; then what firmware waits for. */
enum update_phase {
    UPDATE_NONE = 0,
    UPDATE_PROGRAM = 1,  /* a piece of an image, for a command */
    UPDATE_LOAD_NOW = 2, /* for Commit with action 3 */
    UPDATE_LOAD = 3,     /* for a reset of the controller */
    UPDATE_FLUSH = 4,    /* ... the drive is shut down */
    UPDATE_STOPPED = 5,  /* ... the loader starts the image */
    UPDATE_SAVE = 6,     /* action 3: the slot is being saved */
    UPDATE_LEAVE = 7     /* ... the main loop returns */
};
struct nvme_update {
    uint32_t phase;   /* enum update_phase */
    uint32_t command; /* that waits, INDEX_NONE = none */
    uint32_t to;      /* firmware slot */
    uint32_t running; /* area whose image runs */
};
#define WATCH_HEALTH 1u /* hil.watch */
#define WATCH_UPDATE 2u

void nvme_fw_reset(struct env* e);
void nvme_fw_revision(const struct env* e, uint32_t image, uint8_t* text); /* 8 characters */
extern const struct firmware_about fw_about; /* of this image: run/main.c */

void nvme_update_boot(struct env* e, uint32_t area);
void nvme_update_reset(struct env* e);
bool nvme_update_pending(
    struct env* e); /* true = another image starts, or this one reverts: wait */
void nvme_update_step(struct env* e);
/* The drive is shut down: true = for another image, which starts. */
bool nvme_update_stop(struct env* e);
bool nvme_update_leaves(const struct env* e); /* true = the main loop is to return */
void nvme_update_taken(struct env* e);        /* this image goes on where another one returned */

#endif
