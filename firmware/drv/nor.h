/* SPDX-License-Identifier: Apache-2.0
 *
 * The boot flash: areas for firmware images, and the loader that starts them.
 */
#ifndef SSDVP_FIRMWARE_DRV_NOR_H
#define SSDVP_FIRMWARE_DRV_NOR_H

#include "firmware/lib/env.h"
#include "models/regs/nor_regs.h"

static inline void nor_set(struct env* e, uint32_t offset, uint32_t value)
{
    hal_write32(e->hal, MAP_NOR_BASE + offset, value);
}

static inline uint32_t nor_status(struct env* e)
{
    return hal_read32(e->hal, MAP_NOR_BASE + NOR_REG_STATUS);
}

/* Each raises IRQ_LINE_NOR when it has ended, but for those that start another image. */
static inline void nor_command(struct env* e, uint32_t command, uint32_t area, uint32_t length)
{
    FW_ASSERT(e, area < NOR_AREAS || (area == NOR_AREA_BUILT_IN && command != NOR_PROGRAM));
    nor_set(e, NOR_REG_AREA, area);
    nor_set(e, NOR_REG_LENGTH, length);
    nor_set(e, NOR_REG_COMMAND, command);
}

/* A multiple of four bytes, a page at most, at a multiple of pages. */
static inline void nor_program(struct env* e, uint32_t area, uint32_t offset, const uint8_t* data,
                               uint32_t bytes)
{
    FW_ASSERT(e, bytes % 4 == 0 && bytes <= NOR_PAGE);
    FW_ASSERT(e, offset % 4 == 0 && offset <= NOR_AREA_SIZE - bytes);
    nor_set(e, NOR_REG_OFFSET, offset);
    for (uint32_t i = 0; i < bytes; i += 4) {
        nor_set(e, NOR_REG_DATA,
                (uint32_t)data[i] | (uint32_t)data[i + 1] << 8 | (uint32_t)data[i + 2] << 16 |
                    (uint32_t)data[i + 3] << 24);
    }
    nor_command(e, NOR_PROGRAM, area, bytes);
}

#endif
