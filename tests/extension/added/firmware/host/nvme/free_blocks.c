/* SPDX-License-Identifier: Apache-2.0
 *
 * A command of the vendor: dword 0 of its completion is the number of free superblocks. */
#include "firmware/host/nvme/nvme.h"
#include "firmware/space/pool.h"

uint32_t nvme_free_blocks(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)slot;
    FW_ASSERT(e, q->opcode == NVME_ADMIN_FREE_BLOCKS);
    *dw0 = blocks_free(e);
    return NVME_SC_SUCCESS;
}
