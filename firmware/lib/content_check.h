/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of a unit's content that its spare word carries. Firmware computes it for each map page
 * that it reads or writes, on the path of a request, so it is a Fletcher sum and not a CRC: 4 KiB
 * take 2,700 instructions instead of 18,000.
 */
#ifndef SSDVP_FIRMWARE_LIB_CONTENT_CHECK_H
#define SSDVP_FIRMWARE_LIB_CONTENT_CHECK_H

#include <stdint.h>

#define CONTENT_CHECK_BITS 24u

/* Of words of little-endian memory, 2^15 at most and four at a time: no sum is above 64 bits. */
uint32_t content_check(const uint64_t* words, uint32_t count);

#endif
