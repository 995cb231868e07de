/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequential streams of reads, and reading ahead of them into the buffer.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_READ_AHEAD_H
#define SSDVP_FIRMWARE_HOST_CORE_READ_AHEAD_H

#include "firmware/ops/flash.h"

#define READ_STREAMS 16u

struct read_stream {
    uint64_t next;   /* sector that continues it */
    uint64_t ahead;  /* unit from which on nothing was read ahead */
    uint32_t length; /* commands that continued it, saturating */
    uint32_t used;   /* count of reads at its last one */
};

struct read_ahead {
    struct read_stream streams[READ_STREAMS];
    uint32_t count; /* of reads */
};

/* A read command of the host: reads ahead of the stream that it continues. */
void hil_read_ahead(struct env* e, uint64_t lba, uint32_t sectors);
void hil_read_ahead_done(struct env* e, const struct flash_result* result);

#endif
