/* SPDX-License-Identifier: Apache-2.0
 *
 * Directives: Identify and Streams. NVM Express base 1.4 section 9. A stream that is open has one
 * of the drive's streams of writes (space/blocks.h), and so a superblock of its own. All of it is
 * the ftl role's, and a reset forgets it.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_DIRECTIVES_H
#define SSDVP_FIRMWARE_HOST_NVME_DIRECTIVES_H

#include <stdbool.h>

#include "firmware/durable/drive_state.h"
#include "firmware/host/core/hil.h"
#include "firmware/space/reserve.h"

struct nvme_stream { /* of the drive, that with the same index */
    uint32_t used;   /* clock of its last write */
    uint16_t id;     /* the host's name for it */
    uint8_t ns;      /* index of its namespace */
    bool open;
};

struct nvme_directives {
    uint32_t enabled; /* streams, bit n = namespace of index n */
    uint32_t clock;
    uint16_t allocated[DRIVE_NAMESPACES]; /* streams that only this namespace may open */
    struct nvme_stream stream[RESERVE_DIRECTED_MOST];
};

/* What a write command says of directives: type and what is particular to it, 0 = nothing. */
static inline uint32_t nvme_directive_of(const struct nvme_sqe* q)
{
    const uint32_t type = (q->cdw12 >> NVME_RW_DTYPE_SHIFT) & 0xFu;
    return q->opcode == NVME_IO_WRITE ? type << 16 | q->cdw13 >> NVME_RW_DSPEC_SHIFT : 0;
}

/* Of a write that says something (request.directive): its stream, opened if it is not, into
 * c->stream; or what is wrong with it. */
uint32_t nvme_direct(struct env* e, struct command* c);
void nvme_directives_reset(struct env* e);
/* Of a namespace (index) that nobody can write any more, or whose streams are wanted no more. */
void nvme_directives_forget(struct env* e, uint32_t index);

#endif
