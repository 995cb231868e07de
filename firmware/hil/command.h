/* SPDX-License-Identifier: Apache-2.0
 *
 * Context of a command, one per slot of the front end, and what its moves hold on to.
 */
#ifndef SSDVP_FIRMWARE_HIL_COMMAND_H
#define SSDVP_FIRMWARE_HIL_COMMAND_H

#include <stdint.h>

enum command_state {
    COMMAND_IDLE = 0,
    COMMAND_READ = 1,
    COMMAND_WRITE = 2,
    COMMAND_ZERO = 3,    /* Write Zeroes */
    COMMAND_DSM = 4,     /* Dataset Management */
    COMMAND_FLUSH = 5,   /* waits for its ticket */
    COMMAND_DURABLE = 6, /* data in the buffer, waits for their programs */
    COMMAND_DELETE_SQ = 7,
    COMMAND_ADMIN = 8, /* waits for its data, or for an event */
    COMMAND_SAVE = 9,  /* waits until the drive's state is on the flash */
    COMMAND_WIPE = 10, /* Format NVM and deletion of namespaces: unmaps them */
    COMMAND_ZONE = 11, /* a reset of zones: unmaps them */
    COMMAND_REPORT = 12
};

/* What a command that waits for the drive's state (COMMAND_SAVE) does then, beside its end. */
enum save_next {
    SAVE_ENDS = 0,
    SAVE_WIPES = 1,   /* reset of zones: unmaps them */
    SAVE_EMPTIES = 2, /* ... they are empty */
    SAVE_FORMATS = 3  /* namespaces of `sectors` are open to commands */
};

/* Where a read's data go, if not to the host. */
enum divert {
    DIVERT_NOT = 0,
    DIVERT_VERIFY = 1,
    DIVERT_COMPARE = 2,
    DIVERT_COPY = 3,
    DIVERT_META = 4
};

struct command {
    uint8_t state;
    uint8_t fua;     /* of an admin command: 1 = it waits for an event */
    uint8_t wait;    /* enum fe_wait, for the latency parts */
    uint8_t zero_io; /* a zeroing command changed something */
    uint16_t sq_id;
    uint16_t status;
    uint32_t lba; /* lba_high:lba = first sector; of Dataset Management at first cdw10, cdw11 */
    uint32_t lba_high;
    uint32_t sectors; /* of the current run */
    uint32_t done;    /* of which handed on */
    uint32_t pending; /* flash reads under way; of a reset its zones, first and end */
    uint32_t buffer;  /* metadata buffer, INDEX_NONE */
    uint32_t range;   /* DSM: current range; ATA read: first sector that failed, from its first one;
                         Zone Append: block; zone commands: dword 13; Write Zeroes: 1 = maps them */
    uint32_t ranges;
    uint64_t ticket;  /* read: the map page that it waits for, + 1; flush: of the
                         buffer ... */
    uint64_t journal; /* ... and of the journal */
    uint8_t posted;   /* 1 = completion entry ordered, not yet known to be with the host */
    uint8_t missed;   /* read: 1 = its next buffered unit had to be completed from the flash; write:
                         number of its directive stream; COMMAND_SAVE: enum save_next */
    uint8_t divert;   /* enum divert */
    uint8_t ns;       /* index of its namespace, NS_NONE = no I/O command */
    uint16_t cid;
    uint16_t nsid; /* as short as it can be: nvme_short_nsid() */
};

/* What a mover completion releases: kind in the high four bits of its tag, index in the rest. */
enum move_kind {
    MOVE_NOTHING = 0,
    MOVE_READ_BUFFER = 1,
    MOVE_SLOT_IN = 2,
    MOVE_SLOT_OUT = 3,
    MOVE_META_IN = 4,
    MOVE_META_OUT = 5
};
#define MOVE_KIND_SHIFT 28u
#define MOVE_LAST (1u << 27) /* it carries the command's completion entry */
#define MOVE_INDEX_MASK (MOVE_LAST - 1u)

#endif
