/* SPDX-License-Identifier: Apache-2.0 */

#include "models/regs/parts/ftl.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/list.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/schemes.h"
#include "firmware/space/valid.h"
#include "models/regs/parts/map.h"

#define FTL_SCHEME_ROW(ID, id, ...) &ftl_##id,
const struct ftl_ops* const ftl_schemes[] = {FTL_SCHEMES(FTL_SCHEME_ROW)};
#undef FTL_SCHEME_ROW

#define SCHEMES (sizeof ftl_schemes / sizeof ftl_schemes[0])

#define FTL_SCHEME_HAS(ID, id, has, ...) has,
static const uint32_t abilities[] = {FTL_SCHEMES(FTL_SCHEME_HAS)};
#undef FTL_SCHEME_HAS

bool ftl_has(uint32_t scheme, uint32_t what)
{
    return scheme < SCHEMES && (abilities[scheme] & what) == what;
}

int ftl_init(struct env* e)
{
    const uint32_t scheme = e->told.ftl->scheme;
    FW_ASSERT(e, e->ftl != NULL);
    if (scheme >= SCHEMES || ftl_schemes[scheme] == NULL) {
        hal_log(e->hal, HAL_LOG_ERROR, "no such FTL scheme; schemes", scheme, SCHEMES);
        return -1;
    }
    e->ftl->scheme = scheme;
    e->ftl->stream_bytes = e->told.map->placed.stream_bytes;
    FW_ASSERT(e, ftl_schemes[scheme]->init != NULL);
    return ftl_schemes[scheme]->init(e);
}

void ftl_scanned(struct env* e, uint64_t unit)
{
    uint32_t block = INDEX_NONE;
    uint32_t page = e->geo->pages;
    FW_ASSERT(e, unit < e->geo->user_units);
    for (page = ftl_next_searched(e, unit, page, &block); page != INDEX_NONE;
         page = ftl_next_searched(e, unit, page, &block)) {
        ++e->telemetry->scan_page_reads;
    }
}
