/* SPDX-License-Identifier: Apache-2.0
 *
 * The host memory buffer as the host sees it: feature 0Dh, descriptor list, fields of Identify. NVM
 * Express base 1.4 sections 5.21.1.13 and 8.9. What firmware keeps there is in map/hmb.h.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_HOST_BUFFER_H
#define SSDVP_FIRMWARE_HOST_NVME_HOST_BUFFER_H

#include <stdbool.h>

#include "firmware/drv/front_end.h"

enum host_buffer_state {
    HOST_BUFFER_OFF = 0,
    HOST_BUFFER_FETCHES = 1, /* the list of a command that lends memory is on its way */
    HOST_BUFFER_ON = 2,
    HOST_BUFFER_LEAVES = 3 /* a command that takes it back waits for moves under way */
};

struct host_buffer {
    uint32_t state;   /* enum host_buffer_state */
    uint32_t slot;    /* of that command */
    uint32_t enabled; /* dword 11 as it was set */
    struct nvme_host_memory set;
};

#define HOST_BUFFER_ENABLE 1u /* EHM of dword 11 */

/* true = the drive asks for host memory. */
bool host_buffer_wanted(const struct env* e);
void host_buffer_identify(const struct env* e, uint8_t* page);
/* A reset of the controller or of the drive, or a shutdown: once hmb.under_way is 0 the memory is
 * the host's again. */
void host_buffer_reset(struct env* e);
uint32_t host_buffer_set(struct env* e, uint32_t slot, const struct nvme_sqe* q);
/* current: false = the default, which is also what is saved. */
uint32_t host_buffer_get(struct env* e, uint32_t slot, bool current);
/* maps_asks->host_move, and its end, which the index of a mover completion's tag names. */
void host_buffer_move(struct env* e, uint32_t move, uint64_t host, uint64_t buffer);
void host_buffer_moved(struct env* e, uint32_t index, bool failed);

#endif
