/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/core/hil.h"
#include "firmware/host/nvme/nvme_io.h"

bool hil_may_look_up(const struct env* e)
{
    const struct hil* h = e->hil;
    FW_ASSERT(e, h->state <= HIL_RESETTING);
    return h->state == HIL_READY && h->plain != 0 && h->zoned == 0 && h->protect == 0 &&
           h->spoilt == 0;
}
