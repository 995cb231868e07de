/* SPDX-License-Identifier: Apache-2.0
 *
 * Times at which something is due, in ns since power-on; 0 = never.
 */
#ifndef SSDVP_FIRMWARE_LIB_DUE_H
#define SSDVP_FIRMWARE_LIB_DUE_H

#include <stdint.h>

static inline uint64_t due_first(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

#endif
