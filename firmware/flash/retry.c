/* SPDX-License-Identifier: Apache-2.0
 *
 * Read retry: a read that came back uncorrectable goes again with other read levels, each once at
 * most. The first of them is the one that was right last in the same superblock: its pages were
 * programmed within a short time, so that their levels have shifted alike.
 */
#include "firmware/flash/blocks.h"
#include "firmware/flash/flash.h"
#include "firmware/lib/stats.h"

void flash_read_restart(struct flash_request* r)
{
    r->level = 0;
    r->tries = 0;
}

bool flash_read_again(struct env* e, struct flash_request* r)
{
    const uint32_t levels = e->flash->retry_levels;
    const uint32_t known = superblock_of(e, e->blocks, r->block)->level;
    FW_ASSERT(e, r->op == FLASH_OP_READ);
    FW_ASSERT(e, r->tries <= levels && r->level <= levels);
    if (r->tries == levels) {
        return false;
    }
    if (r->tries == 0) {
        r->level = (uint8_t)(known != 0 ? known : 1);
    } else {
        r->level = (uint8_t)(r->level == levels ? 1 : r->level + 1);
    }
    ++r->tries;
    const uint32_t last = TELEMETRY_RETRY_LEVELS;
    ++e->stats->retries[(r->level < last ? r->level : last) - 1];
    return true;
}

void flash_read_ended(struct env* e, const struct flash_request* r, uint32_t status)
{
    FW_ASSERT(e, r->op == FLASH_OP_READ);
    if (status == FLASH_STATUS_OK && r->level != 0) {
        ++e->stats->recovered_reads;
        superblock_of(e, e->blocks, r->block)->level = r->level;
    }
    FW_ASSERT(e, r->tries != 0 || r->level == 0);
}
