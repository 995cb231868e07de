/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/slc/route.h"

#include "firmware/flash/slc.h"
#include "firmware/lib/telemetry.h"

uint32_t slc_route(struct env* e)
{
    FW_ASSERT(e, e->blocks->routes != 0);
    return e->slc->on != 0 && blocks_next_units(e, STREAM_SLC) != 0 ? (uint32_t)STREAM_SLC
                                                                    : (uint32_t)STREAM_HOST;
}

void slc_wrote(struct env* e, uint32_t block, uint32_t units)
{
    struct telemetry_slc* s = &e->telemetry->slc;
    FW_ASSERT(e, units <= GROUP_MAX);
    s->hits += slc_holds(e, block) ? units : 0;
    s->bypassed += slc_holds(e, block) ? 0 : units;
}
