/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks with metadata: the formats there are, what a command says of their protection, and how
 * they lie in a staging and on the drive.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_METADATA_BLOCKS_H
#define SSDVP_FIRMWARE_HOST_NVME_METADATA_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/durable/drive_state.h"
#include "firmware/host/core/hil.h"

/* End-to-end protection information: 8 bytes of a block's metadata, big-endian: guard (CRC of the
 * data), application tag, reference tag. NVM Express base 1.4 section 8.3. */
#define PROTECTION_BYTES 8u
#define PRINFO_ACT 8u   /* PRACT: the controller makes it */
#define PRINFO_CHECK 7u /* PRCHK: guard 4, application tag 2, reference tag 1 */

struct protection_form {
    uint32_t block;    /* bytes of its data */
    uint32_t metadata; /* bytes of it */
    uint32_t type;     /* 1 to 3; 0 = there is none */
    uint32_t first;    /* 1 = the first bytes of the metadata, else the last ones */
};

struct protection_tags { /* of one block */
    uint32_t reference;
    uint32_t application;
    uint32_t mask;  /* bits of the application tag that are checked */
    uint32_t check; /* PRINFO_CHECK */
};

/* Offset in the metadata. What lies before it belongs to the guard. */
uint32_t protection_place(const struct protection_form* f);
/* What is wrong with PRINFO, in a command whose first block is `block`: 0 = nothing. */
uint32_t protection_refuse(uint32_t type, uint32_t prinfo, uint32_t reference, uint64_t block);
void protection_make(struct env* e, const struct protection_form* f, const uint8_t* data,
                     uint8_t* meta, const struct protection_tags* t);
/* Status of a block: 0 = as it should be. */
uint32_t protection_check(struct env* e, const struct protection_form* f, const uint8_t* data,
                          const uint8_t* meta, const struct protection_tags* t);

#define STAGINGS 4u         /* commands at a time; others wait */
#define STAGED_METADATA 64u /* bytes of a block, at most */
#define METADATA_FORMATS 8u /* of LBAs, with those that have no metadata */

enum staging_phase {
    STAGING_META = 0, /* metadata, then data or ranges, come from the host */
    STAGING_DATA = 1,
    STAGING_READ = 2,
    STAGING_WRITE = 3,
    STAGING_SEND = 4, /* on their way to the host */
    STAGING_OVER = 5
};

struct nvme_staging {
    bool busy;
    uint8_t opcode;
    uint8_t phase; /* enum staging_phase */
    bool step;     /* true = the run is over: what comes next comes in a round of its own */
    bool act;      /* PRACT with metadata of nothing else: the host has none */
    bool joined;   /* true = metadata follow their block's data */
    uint16_t slot;
    uint32_t next;  /* Copy: source */
    uint32_t base;  /* block staged first of the current run */
    uint32_t run;   /* blocks of it */
    uint32_t left;  /* blocks behind it */
    uint64_t block; /* first one of the run, of the namespace */
    uint64_t data;  /* areas: of a whole transfer ... */
    uint64_t meta;  /* ... its metadata ... */
    uint64_t kept;  /* ... and those that Compare reads, or the ranges of Copy */
    struct protection_form form;
    struct protection_tags tags; /* of what is read or written now, block 0 of the staging */
};

struct nvme_protection { /* of a command, as it came */
    uint32_t dword12;
    uint32_t reference;   /* ILBRT, EILBRT */
    uint16_t application; /* LBAT, ELBAT */
    uint16_t mask;
    uint32_t form; /* its namespace's, then */
};

struct metadata_format {
    uint8_t shift;
    uint8_t metadata;
};

/* LBA formats of this drive; how many there are. */
uint32_t metadata_formats(const struct env* e);
struct metadata_format metadata_format_of(uint32_t format);
/* FLBAS of a namespace. */
uint32_t metadata_flbas(const struct drive_namespace* n);
/* The format of a namespace to be: shift, metadata and flags of struct drive_namespace in bytes 0,
 * 1 and 2, 0 = there is none such. dps: bits 0 to 3 of DPS. */
uint32_t metadata_choose(const struct env* e, uint32_t format, uint32_t extended, uint32_t dps);

/* Differs after another format, and for a namespace made anew. */
uint32_t metadata_form_key(const struct drive_namespace* n);
struct protection_form metadata_form(const struct drive_namespace* n);

static inline struct nvme_protection* metadata_protection(struct env* e, uint32_t slot)
{
    FW_ASSERT(e, e->hil->protections != 0);
    return (struct nvme_protection*)env_dram_entry(e, e->hil->protections, slot,
                                                   sizeof(struct nvme_protection));
}

static inline uint32_t metadata_prinfo(const struct nvme_protection* p)
{
    return (p->dword12 >> NVME_PRINFO_SHIFT) & 0xFu;
}

/* The protection information is all that there is, and the controller's business. */
bool metadata_is_stripped(const struct protection_form* f, uint32_t prinfo);
/* true = the transfer of the command is longer than MDTS. Its sectors are blocks, as yet. */
bool metadata_too_long(struct env* e, const struct command* c);

/* Block i of a staging: its data, its metadata, and where metadata go that are read, which is
 * beside the host's for Compare. */
uint8_t* metadata_data(struct env* e, const struct nvme_staging* s, uint32_t i);
uint8_t* metadata_of(struct env* e, const struct nvme_staging* s, uint32_t i);
uint8_t* metadata_read(struct env* e, const struct nvme_staging* s, uint32_t i);
/* A move of the current run, between the staging and the drive's own memory. */
void metadata_carry(struct env* e, struct nvme_staging* s, const struct fe_move* move);

#endif
