/* SPDX-License-Identifier: Apache-2.0
 *
 * I/O command sets: which there are, and Identify of each. NVM Express base 2.0 sections 3.1.3.5
 * (CC.CSS) and 5.17, Zoned Namespace Command Set 1.1 section 4.1.5.
 *
 * A host that asks for the NVM command set alone (CC.CSS 0) does not see zoned namespaces: they are
 * inactive.
 */
#include "firmware/host/core/controller.h"
#include "firmware/host/zones/zones.h"
#include "firmware/lib/bytes.h"

enum {
    CNS_NAMESPACE = 0x05,
    CNS_CONTROLLER = 0x06,
    CNS_ACTIVE = 0x07,
    CNS_ALLOCATED_LIST = 0x1A,
    CNS_ALLOCATED = 0x1B,
    CNS_VECTORS = 0x1C
};

enum { CSS_ALL = 6, FORMAT_EXTENSIONS = 2816, READS_ACROSS = 1 };

uint32_t command_sets_chosen(const struct env* e)
{
    return (e->hil->cc & NVME_CC_CSS_MASK) >> NVME_CC_CSS_SHIFT == CSS_ALL;
}

uint32_t command_set_known(const struct env* e, uint32_t set)
{
    return set == NVME_CSI_NVM || (set == NVME_CSI_ZONED && e->hil->zoned != 0);
}

uint32_t command_set_enabled(const struct env* e, uint32_t set)
{
    FW_ASSERT(e, command_set_known(e, set));
    return set == NVME_CSI_NVM || command_sets_chosen(e);
}

/* Limits are zero-based, and FFFFFFFFh is none. */
static void put_zones(const struct env* e, uint8_t* page)
{
    const struct zones* zs = zones_of(e);
    uint8_t* format = page + FORMAT_EXTENSIONS + 16; /* LBAFE1; of format 0 there are no zones */
    FW_ASSERT(e, zs->size != 0);
    put16(page + 2, zs->read_across != 0 ? READS_ACROSS : 0u); /* OZCS */
    put32(page + 4, zs->active_most - 1);                      /* MAR */
    put32(page + 8, zs->open_most - 1);                        /* MOR */
    put64(format, zs->size);                                   /* ZSZE; ZDES 0 */
}

static uint32_t identify_namespace(const struct env* e, const struct nvme_sqe* q, uint32_t set,
                                   uint8_t* page)
{
    const bool any = (q->cdw10 & 0xFFu) == CNS_ALLOCATED;
    const uint32_t ns = any ? nvme_ns_of(e, q->nsid) : nvme_ns_active(e, q->nsid);
    FW_ASSERT(e, command_set_known(e, set));
    if (q->nsid == NSID_ALL && !any) { /* what they have in common */
        if (set == NVME_CSI_ZONED) {
            put_zones(e, page);
        }
        return NVME_SC_SUCCESS;
    }
    if (q->nsid == 0 || q->nsid > DRIVE_NAMESPACES) {
        return DNR(NVME_SC_INVALID_NAMESPACE);
    }
    if (ns == NS_NONE) {
        return NVME_SC_SUCCESS; /* zeroes */
    }
    if (drive_state_of(e)->command_set[ns] != set) {
        return DNR(NVME_SC_INVALID_COMMAND_SET);
    }
    if (set == NVME_CSI_ZONED) {
        put_zones(e, page);
    }
    return NVME_SC_SUCCESS; /* of NVM ones nothing but zeroes: no protection information */
}

static uint32_t list(const struct env* e, const struct nvme_sqe* q, uint32_t set, uint8_t* page)
{
    const bool any = (q->cdw10 & 0xFFu) == CNS_ALLOCATED_LIST;
    uint8_t* at = page;
    FW_ASSERT(e, command_set_known(e, set));
    if (q->nsid >= 0xFFFFFFFEu) {
        return DNR(NVME_SC_INVALID_NAMESPACE);
    }
    for (uint32_t nsid = q->nsid + 1; nsid <= DRIVE_NAMESPACES; ++nsid) {
        const uint32_t ns = any ? nvme_ns_of(e, nsid) : nvme_ns_active(e, nsid);
        if (ns != NS_NONE && drive_state_of(e)->command_set[ns] == set) {
            put32(at, nsid);
            at += 4;
        }
    }
    return NVME_SC_SUCCESS;
}

uint32_t command_set_identify(const struct env* e, const struct nvme_sqe* q, uint8_t* page)
{
    const uint32_t cns = q->cdw10 & 0xFFu;
    const uint32_t set = q->cdw11 >> 24;
    FW_ASSERT(e, page != NULL);
    if (cns == CNS_VECTORS) { /* one combination: all that there are */
        const uint32_t controller = q->cdw10 >> 16;
        if (controller != CONTROLLER_ID && controller != 0xFFFFu) {
            return DNR(NVME_SC_INVALID_FIELD);
        }
        put64(page, 1u << NVME_CSI_NVM | (e->hil->zoned != 0 ? 1u << NVME_CSI_ZONED : 0u));
        return NVME_SC_SUCCESS;
    }
    if (!command_set_known(e, set)) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    switch (cns) {
    case CNS_NAMESPACE:
    case CNS_ALLOCATED:
        return identify_namespace(e, q, set, page);
    case CNS_CONTROLLER:
        return NVME_SC_SUCCESS; /* zeroes: ZASL 0, appends are as long as MDTS; no other limits */
    default:
        FW_ASSERT(e, cns == CNS_ACTIVE || cns == CNS_ALLOCATED_LIST);
        return list(e, q, set, page);
    }
}
