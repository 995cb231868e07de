/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/lib/telemetry.h"
#include "firmware/lib/mem.h"
#include "firmware/run/fw.h"

void telemetry_begin(struct env* e)
{
    struct telemetry* t = e->telemetry;
    FW_ASSERT(e, BOOT_TELEMETRY_OFFSET + sizeof *t <= BOOT_FREE_OFFSET);
    mem_zero(t, sizeof *t);
    t->magic = TELEMETRY_MAGIC;
}

void telemetry_start(struct env* e)
{
    struct telemetry* t = e->telemetry;
    t->ram_bytes = arenas_used(e) + sizeof(struct fw);
    t->ready = 1;
    FW_ASSERT(e, t->ram_bytes != 0);
}

void telemetry_stop(struct env* e)
{
    FW_ASSERT(e, e->telemetry->magic == TELEMETRY_MAGIC);
    e->telemetry->ready = 0;
}
