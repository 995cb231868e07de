/* SPDX-License-Identifier: Apache-2.0
 *
 * Read retry: a read that came back uncorrectable goes again with other read levels, each once at
 * most. The first of them is the one that was right last in the same superblock: its pages were
 * programmed within a short time, so that their levels have shifted alike.
 *
 * Metadata go again at all levels in turns, the plain one too: what the cells' noise adds to the
 * errors is another one with each read, and a page of a map that is lost costs a thousand units.
 */
#include "firmware/lib/telemetry.h"
#include "firmware/ops/flash.h"
#include "firmware/space/blocks.h"

void flash_read_restart(struct flash_request* r)
{
    r->level = 0;
    r->tries = 0;
}

bool flash_read_again(struct env* e, struct flash_request* r)
{
    const uint32_t levels = e->flash->retry_levels;
    const bool turns = r->metadata && e->flash->metadata_tries > levels;
    const uint32_t most = turns ? e->flash->metadata_tries : levels;
    const uint32_t known = superblock_of(e, e->blocks, r->block)->level;
    FW_ASSERT(e, r->op == FLASH_OP_READ);
    FW_ASSERT(e, r->tries <= most && r->level <= levels);
    if (r->tries == most) {
        return false;
    }
    if (r->tries == 0 && known != 0) {
        r->level = (uint8_t)known;
    } else if (r->level == levels) {
        r->level = turns ? 0 : 1;
    } else {
        ++r->level;
    }
    ++r->tries;
    const uint32_t last = TELEMETRY_RETRY_LEVELS;
    if (r->level != 0) {
        ++e->telemetry->retries[(r->level < last ? r->level : last) - 1];
    }
    return true;
}

void flash_read_ended(struct env* e, const struct flash_request* r, uint32_t status)
{
    FW_ASSERT(e, r->op == FLASH_OP_READ);
    if (status == FLASH_STATUS_OK && r->level != 0) {
        ++e->telemetry->recovered_reads;
        superblock_of(e, e->blocks, r->block)->level = r->level;
    }
    FW_ASSERT(e, r->tries != 0 || r->level == 0);
}
