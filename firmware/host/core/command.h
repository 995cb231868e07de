/* SPDX-License-Identifier: Apache-2.0
 *
 * Context of a command, one per slot of the front end, and what its moves hold on to.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_COMMAND_H
#define SSDVP_FIRMWARE_HOST_CORE_COMMAND_H

#include <stdbool.h>
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
    COMMAND_ADMIN = 8, /* waits for a page, for its data, or for an event */
    COMMAND_SAVE = 9,  /* waits until the drive's state is on the flash */
    COMMAND_WIPE = 10, /* Format NVM and deletion of namespaces: unmaps them */
    COMMAND_ZONE = 11, /* a reset of zones: unmaps them */
    COMMAND_REPORT = 12,
    COMMAND_COMMIT = 13, /* a read from the flash alone: waits until all of it is there */
    COMMAND_STATES
};

/* What a command that waits for the drive's state (COMMAND_SAVE) does then, beside its end. */
enum save_next {
    SAVE_ENDS = 0,
    SAVE_WIPES = 1,   /* reset of zones: unmaps them */
    SAVE_EMPTIES = 2, /* ... they are empty */
    SAVE_FORMATS = 3  /* its namespaces are open to commands */
};

/* Where a read's data go, if not to the host. */
enum divert {
    DIVERT_NOT = 0,
    DIVERT_VERIFY = 1,
    DIVERT_COMPARE = 2,
    DIVERT_COPY = 3,
    DIVERT_META = 4,
    DIVERTS
};

/* ---- What is of one kind of command only ---- */

/* As it came, until its kind is known. */
struct command_request {
    uint32_t dword13; /* Zone Management Send and Receive; an admin command that waits for a page */
    union {
        uint32_t directive; /* Write: nvme_directive_of() */
        uint32_t dword14;   /* the admin command */
    };
    uint32_t dword15; /* likewise */
    uint32_t nsid;
    uint8_t opcode;
};

#define STAGING_NONE 0xFFFFu

/* COMMAND_READ, COMMAND_WRITE, COMMAND_DURABLE: a read or a write, or a run of those that a
 * comparison, a copy or a command with metadata is made of. */
struct command_io {
    union {
        uint32_t failed; /* ATA read: first sector that failed, from its own first one */
        uint32_t dw0;    /* write: dword 0 of its completion, the block that Zone Append chose */
    };
    union {
        uint32_t copy_ranges; /* Copy without metadata */
        struct {              /* with metadata */
            uint16_t staging; /* STAGING_NONE = it waits for one */
            uint8_t opcode;
        };
    };
    union {
        uint64_t map_page;  /* read: the map page that it waits for, + 1 */
        uint32_t operation; /* durable write: cache_done.operation */
    };
    uint64_t copy_to; /* Copy with metadata: first block, of the namespace */
};

/* COMMAND_ZERO */
struct command_zeroes {
    uint32_t maps; /* 1 = zoned, zeroes are written: what lies below a write pointer is mapped */
};

/* COMMAND_DSM */
struct command_dsm {
    uint32_t range; /* the current one */
    uint32_t ranges;
};

/* COMMAND_FLUSH, COMMAND_SAVE: what is to be on the flash before it ends. */
struct command_until {
    uint32_t state;   /* ticket of the drive's state, 0 = none */
    uint32_t dw0;     /* of its completion, then */
    uint64_t ticket;  /* of the buffer, 0 = none */
    uint64_t journal; /* likewise */
};

/* COMMAND_WIPE */
struct command_wipe {
    uint32_t left;    /* namespaces that are still to be unmapped, bit n = index n */
    uint32_t format;  /* theirs then, 0 = they are deleted */
    uint64_t sectors; /* of the first one left that are done */
    uint64_t cleared; /* ticket of the drive's being cleared as a whole, 0 = it is not */
};

/* COMMAND_ZONE */
struct command_reset {
    uint32_t zone; /* of the drive, the current one */
};

/* COMMAND_REPORT */
struct command_report {
    uint32_t filter; /* state of the zones that it tells of */
};

/* COMMAND_DELETE_SQ */
struct command_delete {
    uint32_t queue;
};

/* Zones of the drive. */
struct zone_run {
    uint16_t first;
    uint16_t end; /* behind the last */
};

struct command {
    uint8_t state; /* enum command_state: says which members of the unions are meant */
    union {
        bool fua;
        bool awaits_event; /* of an admin command: true = it waits, and nobody waits for it */
    };
    uint8_t wait; /* enum fe_wait, for the latency parts */
    union {
        bool zero_io; /* a zeroing command changed something */
        bool media;   /* of a read, Compare, Verify: FUA, so from the flash alone */
    };
    uint16_t sq_id;
    uint16_t status;
    union {
        struct { /* as it came; cores are little-endian as the host's words are */
            uint32_t dword10;
            uint32_t dword11;
        };
        uint64_t ns_lba; /* both of them: first block, of its namespace */
        uint64_t lba; /* once it has been placed: first sector of the current run, of the drive */
        struct {      /* report of zones */
            uint32_t next; /* zone of the drive that is looked at next */
            uint32_t told; /* number of zones, as its header tells it */
        } report_at;
    };
    union {
        uint32_t sectors; /* of the current run; as it came, blocks of the namespace */
        uint32_t dwords;  /* as it came: of a report of zones, less one */
        uint32_t bytes;   /* of a report of zones, of an image */
    };
    uint32_t done; /* of which handed on */
    union {
        uint32_t reads;        /* pages that flash reads bring */
        uint32_t namespaces;   /* of a wipe, until it ends: bit n = index n */
        struct zone_run zones; /* of a reset, until it ends */
    };
    uint32_t buffer; /* metadata buffer, INDEX_NONE */
    union {
        struct command_request request;
        struct command_io io;
        struct command_zeroes zeroes;
        struct command_dsm dsm;
        struct command_until until;
        struct command_wipe wipe;
        struct command_reset reset;
        struct command_report report;
        struct command_delete deletion;
    };
    bool posted; /* true = completion entry ordered, not yet known to be with the host */
    union {
        bool missed;    /* read: true = its next buffered unit had to be completed from the flash */
        uint8_t stream; /* write: number of its directive stream, 0 = none */
        uint8_t save_next; /* COMMAND_SAVE: enum save_next */
    };
    uint8_t divert; /* enum divert */
    uint8_t ns;     /* index of its namespace, NS_NONE = no I/O command */
    uint16_t cid;
    uint16_t nsid; /* as short as it can be: nvme_short_nsid() */
};

/* What a mover completion releases: kind in the high four bits of its tag, index in the rest. */
enum move_kind {
    MOVE_NOTHING = 0,
    MOVE_PAGE_OUT = 1,   /* page buffer of a flash read */
    MOVE_BUFFER_IN = 2,  /* arrival in the write buffer */
    MOVE_BUFFER_OUT = 3, /* its slot */
    MOVE_META_IN = 4,    /* command */
    MOVE_META_OUT = 5,   /* metadata buffer, or staging */
    MOVE_HOST_MEMORY = 6 /* of no command (host_buffer.h) */
};
#define MOVE_KIND_SHIFT 28u
#define MOVE_LAST (1u << 27) /* it carries the command's completion entry */
#define MOVE_INDEX_MASK (MOVE_LAST - 1u)

struct env;
struct fe_move;

/* What commands of each kind do, for hil.c, which knows none of them: commands.c. */
struct command_table {
    /* By enum command_state, of what waits in order of arrival with writes: it goes on. true = it
     * waits no more. */
    bool (*resume[COMMAND_STATES])(struct env* e, uint32_t slot);
    /* By enum divert: a move of a command whose data do not go to the host; whether it is the last
     * one. */
    bool (*divert[DIVERTS])(struct env* e, struct command* c, struct fe_move* move, bool last);
    void (*failed)(struct env* e, struct command* c); /* it ends with an error */
};

#endif
