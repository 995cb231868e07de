/* SPDX-License-Identifier: Apache-2.0
 *
 * End-to-end protection information: 8 bytes of a block's metadata, big-endian: guard (CRC of the
 * data), application tag, reference tag. NVM Express base 1.4 section 8.3.
 */
#ifndef SSDVP_FIRMWARE_HOST_NVME_PROTECTION_H
#define SSDVP_FIRMWARE_HOST_NVME_PROTECTION_H

#include <stdint.h>

struct env;

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

#endif
