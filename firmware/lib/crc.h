/* SPDX-License-Identifier: Apache-2.0
 *
 * Check sums of what is kept on the flash.
 */
#ifndef SSDVP_FIRMWARE_LIB_CRC_H
#define SSDVP_FIRMWARE_LIB_CRC_H

#include <stdint.h>

#define CRC16_START 0xFFFFu
#define CRC32_START 0u

/* CRC-16/CCITT-FALSE (polynomial 1021h, not reflected) of a word and those that follow it, as bytes
 * of little-endian memory. */
uint32_t crc16_words(uint64_t first, const uint64_t* words, uint32_t count);
/* CRC-32 of IEEE 802.3 (reflected, inverted); start with CRC32_START, go on with what was
 * returned. */
uint32_t crc32(uint32_t crc, const void* data, uint32_t bytes);

#define CONTENT_CHECK_BITS 24u
#define CONTENT_WORD 8u /* bytes */

/* The check of a unit's content that its spare word carries, of words of little-endian memory,
 * 16 at a time. Firmware computes it for each map page that it reads or writes, on the path of a
 * request, so it is a Fletcher sum and not a CRC: 4 KiB take 1,400 instructions instead of 18,000.
 */
uint32_t content_check(const uint64_t* words, uint32_t count);

/* The two sums that it is made of; a word, behind which there are `after` others, is more by that,
 * and its content need not be looked through again. */
struct content_sums {
    uint64_t sum;
    uint64_t weighted;
};
struct content_sums content_sum(const uint64_t* words, uint32_t count);
uint32_t content_fold(struct content_sums s);
static inline void content_add(struct content_sums* s, uint32_t after, uint64_t more)
{
    s->sum += more;
    s->weighted += (after + UINT64_C(1)) * more;
}

#endif
