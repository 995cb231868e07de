/* SPDX-License-Identifier: Apache-2.0
 *
 * A flash operation on its way: what it does and where, and what its owner holds on to meanwhile.
 */
#ifndef SSDVP_FIRMWARE_LIB_REQUEST_H
#define SSDVP_FIRMWARE_LIB_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

enum flash_owner {
    OWNER_READ = 0, /* host read; the pool's own page buffer */
    OWNER_FILL = 1, /* host read for the write buffer; likewise */
    OWNER_PROGRAM = 2,
    OWNER_GC_READ = 3,
    OWNER_GC_PROGRAM = 4,
    OWNER_ERASE = 5,
    OWNER_SCAN = 6,
    OWNER_GC_COPY = 7, /* a page that moves by copyback: its check, then the copy */
    OWNER_MAP_READ = 8,
    OWNER_MAP_PROGRAM = 9,
    OWNER_MERGE_READ = 10,
    OWNER_MERGE_PROGRAM = 11,
    OWNER_ANCHOR = 12,    /* records of recovery: programs and erases */
    OWNER_SEGMENT = 13,   /* map segments: programs and erases of their blocks */
    OWNER_FOLD_READ = 14, /* merges of block mapping */
    OWNER_FOLD_PROGRAM = 15,
    OWNER_PAD = 16, /* programs that fill word lines up (passes.h) */
    OWNERS = 17
};

/* Those that use blocks which are bad to everybody else. */
static inline bool owner_has_blocks(uint32_t owner)
{
    return owner == OWNER_ANCHOR || owner == OWNER_SEGMENT;
}

/* ---- What an owner holds on to ---- */

/* OWNER_READ. While pages are searched the request's own place is the one that is looked into. */
struct host_read {
    uint32_t command;    /* HOST_READ_NOBODY = it reads ahead, no command waits for it */
    uint32_t generation; /* of resets, when it began */
    uint32_t offset;     /* of its data in those of the command, bytes */
    uint8_t units;       /* of the buffer that it fills: its list has their data; 0 = none */
    uint8_t wait;        /* enum fe_wait: why the command waited before it */
    uint16_t sectors;    /* of them that the command wants */
    uint32_t block;      /* where the data are */
    uint32_t page;
};
#define HOST_READ_NOBODY UINT32_MAX

/* OWNER_PROGRAM */
struct host_program {
    uint8_t wait; /* enum fe_wait: why its data were held before it */
};

/* OWNER_FILL */
struct buffer_fill {
    uint32_t unit; /* of the buffer */
};

/* OWNER_GC_READ */
struct collect_read {
    uint32_t kind;  /* enum gc_kind */
    uint32_t first; /* unit in the page that its list begins with */
    uint32_t valid; /* units in the page that have not been taken yet, a bit each */
    bool alone;     /* true = it reads the first of them only */
};

/* OWNER_GC_PROGRAM */
struct collect_program {
    uint32_t kind; /* enum gc_kind */
};

/* OWNER_GC_COPY */
struct page_copy {
    uint32_t planes;   /* that are to be copied, a bit each */
    uint32_t to_block; /* destination, once it is a copyback */
    uint32_t to_page;
};

/* OWNER_SCAN, of spare words */
struct page_scan {
    uint32_t again;  /* planes to be read again, each alone; a bit each */
    uint32_t told;   /* collection: planes with words that the maps are asked about, a bit each */
    uint32_t number; /* boot: of its place among those that are looked at */
};

/* OWNER_MAP_READ, of a map in pages ... */
struct map_read {
    uint32_t level;
    uint32_t page;  /* the first; the others follow it in the map and on the flash */
    uint16_t count; /* pages */
    bool bulk;      /* true = nobody waits for them */
    bool reserved;  /* no hole: it is copied as a whole */
};

/* ... and of one in segments. */
struct segment_read {
    uint32_t slot; /* of the segment in memory, INDEX_NONE = a peek past the slots */
    bool worn;     /* true = what was read has to leave its block */
};

/* OWNER_SEGMENT */
struct segment_write {
    uint32_t slot;   /* of a program: of the segment in memory */
    uint32_t block;  /* of an erase: the map block */
    uint32_t buffer; /* the page of a program is copied to */
};

/* OWNER_MERGE_READ, OWNER_MERGE_PROGRAM */
struct merge_move {
    uint32_t job;  /* merge that it is part of */
    uint32_t page; /* of the logical block */
};

/* OWNER_FOLD_READ, OWNER_FOLD_PROGRAM */
struct fold_move {
    uint32_t job; /* fold that it is part of */
    bool host;    /* of a program: true = the data are of the buffer, false = they were read */
};

/* OWNER_ANCHOR */
struct record_write {
    uint32_t copy; /* of the record */
};

struct flash_request {
    uint8_t op;
    uint8_t owner;
    uint8_t purpose;
    uint8_t priority;
    uint8_t plane_mask;
    uint8_t fail_mask; /* planes that went bad while the request waited */
    bool sg;           /* true = the data are at the request's address list */
    bool oob;          /* true = move OOB bytes, to or from the request's OOB area */
    uint16_t lun;
    uint16_t trace;
    uint32_t block;
    uint32_t page;
    uint32_t column;
    uint32_t length; /* per plane */
    uint8_t level;   /* read retry level of the next try, 0 = the plain read */
    uint8_t tries;   /* levels tried */
    bool metadata;   /* true = bytes matter in every data mode */
    bool deep;       /* true = of the host, and programmed as everything else */
    union {          /* by owner */
        struct host_read host_read;
        struct host_program host_program;
        struct buffer_fill fill;
        struct collect_read gc_read;
        struct collect_program gc_program;
        struct page_copy copy;
        struct page_scan scan;
        struct map_read map_read;
        struct segment_read segment_read;
        struct segment_write segment_write;
        struct merge_move merge;
        struct fold_move fold;
        struct record_write anchor;
    };
    uint64_t buffer;   /* without sg; of several planes one behind the other */
    uint64_t sequence; /* of a program: what its spare words say; 0 = it is none */
};

struct flash_result {
    uint32_t request;
    uint32_t status; /* enum flash_status, the worst of the planes */
    uint32_t plane_fail;
    uint32_t corrected_bits;
};

#endif
