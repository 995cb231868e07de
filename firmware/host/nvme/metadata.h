/* SPDX-License-Identifier: Apache-2.0
 *
 * Namespaces with metadata. NVM Express base 1.4 sections 8.2 (metadata) and 8.3 (protection).
 *
 * On the drive such a block is twice as many sectors as its data: the data, a sector with the
 * metadata, and what is left. So it lies in one unit of the map, and is as whole as any unit, all
 * the way through buffer, collection and losses of power (docs/DESIGN.md). A command's data and
 * metadata are staged as the host has them; what is read or written of the drive is taken apart
 * and put together on its way.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_METADATA_H
#define SSDVP_FIRMWARE_HOST_NVME_METADATA_H

#include <stdbool.h>

#include "firmware/durable/drive_state.h"
#include "firmware/host/core/hil.h"
#include "firmware/host/nvme/protection.h"

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

int metadata_init(struct env* e);
void metadata_reset(struct env* e);
/* LBA formats of this drive; how many there are. */
uint32_t metadata_formats(const struct env* e);
struct metadata_format metadata_format_of(uint32_t format);
/* FLBAS of a namespace. */
uint32_t metadata_flbas(const struct drive_namespace* n);
/* The format of a namespace to be: shift, metadata and flags of struct drive_namespace in bytes 0,
 * 1 and 2, 0 = there is none such. dps: bits 0 to 3 of DPS. */
uint32_t metadata_choose(const struct env* e, uint32_t format, uint32_t extended, uint32_t dps);

/* Block i of a staging: its data, its metadata, and where metadata go that are read, which is
 * beside the host's for Compare. */
uint8_t* metadata_data(struct env* e, const struct nvme_staging* s, uint32_t i);
uint8_t* metadata_of(struct env* e, const struct nvme_staging* s, uint32_t i);
uint8_t* metadata_read(struct env* e, const struct nvme_staging* s, uint32_t i);
/* A move of the current run, between the staging and the drive's own memory. */
void metadata_carry(struct env* e, struct nvme_staging* s, const struct fe_move* move);

/* Of the host role: keeps what an I/O command says of protection. */
void metadata_parse(struct env* e, uint32_t slot, const struct nvme_sqe* q);
/* true = the transfer of the command is longer than MDTS. Its sectors are blocks, as yet. */
bool metadata_too_long(struct env* e, const struct command* c);
/* true = the command is of a namespace with metadata, and is taken care of. */
bool metadata_io(struct env* e, uint32_t slot, uint32_t opcode);
void metadata_landed(struct env* e, uint32_t slot);
bool metadata_divert(struct env* e, struct command* c, struct fe_move* move, bool last);
void metadata_step(struct env* e);
/* Bytes have left for the host: from a metadata buffer, or from a staging. */
void metadata_left(struct env* e, uint32_t index);

#endif
