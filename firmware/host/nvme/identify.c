/* SPDX-License-Identifier: Apache-2.0
 *
 * Identify. NVM Express base 1.4 section 5.15; offsets are those of its figures 245 to 253. Of
 * command sets: base 2.0 section 5.17, Zoned Namespace Command Set 1.1 section 4.1.5.
 */
#include "firmware/host/nvme/metadata_blocks.h"
#include "firmware/host/nvme/namespaces.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/host/zones/zones.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "models/regs/parts/power.h"

enum {
    CNS_NAMESPACE = 0x00,
    CNS_CONTROLLER = 0x01,
    CNS_ACTIVE_LIST = 0x02,
    CNS_DESCRIPTORS = 0x03,
    CNS_SET_NAMESPACE = 0x05, /* of command sets: to 07h, and ... */
    CNS_SET_CONTROLLER = 0x06,
    CNS_SET_ACTIVE = 0x07,
    CNS_ALLOCATED_LIST = 0x10,
    CNS_ALLOCATED = 0x11,
    CNS_ATTACHED_CONTROLLERS = 0x12,
    CNS_CONTROLLERS = 0x13,
    CNS_SET_ALLOCATED_LIST = 0x1A, /* ... from here on */
    CNS_SET_ALLOCATED = 0x1B,
    CNS_COMMAND_SETS = 0x1C
};

enum { FORMAT_EXTENSIONS = 2816, READS_ACROSS = 1 }; /* of zoned namespaces */
enum { DESCRIPTOR_EUI64 = 1, DESCRIPTOR_NGUID = 2, DESCRIPTOR_CSI = 4 };

static void put_text(uint8_t* at, const char* text, uint32_t length)
{
    uint32_t i = 0;
    for (; i < length && text[i] != 0; ++i) {
        at[i] = (uint8_t)text[i];
    }
    for (; i < length; ++i) {
        at[i] = ' ';
    }
}

/* What the controller can do beside reading and writing. */
static void put_abilities(const struct env* e, uint8_t* page)
{
    put32(page + 92, (1u << 8) | (1u << 9)); /* OAES: namespace attribute, firmware activation */
    page[111] = 1;                           /* CNTRLTYPE: I/O controller */
    put16(page + 256, nvme_oacs(e));
    page[258] = ABORTS_MOST - 1; /* ACL */
    page[259] = AERS_MOST - 1;   /* AERL */
    /* FRMW: slot 1 is read only; an image can be active without a reset */
    page[260] = 0x01 | (FIRMWARE_SLOTS << 1) | (e->host_remote | e->flash_remote ? 0 : 1u << 4);
    page[261] = (1u << 1) | (1u << 2) | (1u << 3);        /* LPA: effects, extended, telemetry */
    page[262] = ERRORS_MOST - 1;                          /* ELPE */
    page[263] = (uint8_t)(power_states(e) - 1);           /* NPSS */
    page[265] = power_has_states(e) ? 1 : 0;              /* APSTA */
    put16(page + 266, e->hil->heat.setup.warning);        /* WCTEMP */
    put16(page + 268, e->hil->heat.setup.critical);       /* CCTEMP */
    put64(page + 280, e->geo->sectors_all * SECTOR_SIZE); /* TNVMCAP */
    put64(page + 296, nvme_unallocated(e) * SECTOR_SIZE); /* UNVMCAP */
    page[319] = 0xFF;                                     /* FWUG: no restriction */
    if (heat_is_known(e)) {
        put16(page + 322, 1); /* HCTMA: host controlled thermal management */
        put16(page + 324, HEAT_MANAGED_LEAST);
        put16(page + 326, HEAT_MANAGED_MOST);
    }
}

static void put_commands(const struct env* e, uint8_t* page)
{
    page[512] = 0x66;                    /* SQES: 64 bytes */
    page[513] = 0x44;                    /* CQES: 16 bytes */
    put32(page + 516, DRIVE_NAMESPACES); /* NN */
    /* ONCS: Compare, Write Uncorrectable, DSM, Write Zeroes, saved features, Timestamp, Verify,
     * Copy */
    put16(page + 520, 0x1F | (1u << 6) | (1u << 7) |
                          (e->geo->partition.bits == 0 ? 1u << 8 : 0u)); /* between partitions */
    page[524] = 0; /* FNA: formats and erases one namespace */
    /* VWC: present, and Flush takes FFFFFFFFh */
    page[525] = (uint8_t)(cache_writes_through(e) ? 0x6 : 0x7);
    put16(page + 534, 1);             /* OCFS: source ranges of format 0 */
    put32(page + 536, 1u | 1u << 16); /* SGLS: data blocks at any byte, bit buckets */
    put_text(page + 768, "nqn.2026-01.org.ssdvp:0001", 26); /* SUBNQN, then zeroes */
}

enum { STATE_FINE = 1u << 0, STATE_NON_OPERATIONAL = 1u << 1 };
enum { SCALE_FINE = 1u << 6, SCALE_HUNDREDTHS = 2u << 6 }; /* of 100 uW, of 10 mW */
enum { WORKLOAD_ALL = 2 }; /* of those that ACTP can be about, the one that takes most */

/* Figures of 100 uW as the field has them: 16 bits of that unit, or of 10 mW. */
static uint32_t put_watts(uint8_t* at, uint32_t figure)
{
    const bool fine = figure <= 0xFFFFu && figure % 100 != 0;
    put16(at, fine ? figure : figure / 100);
    return fine ? SCALE_FINE : SCALE_HUNDREDTHS;
}

/* Base 1.4, figure 252. Each state takes longer than those before it. Firmware keeps the mean of
 * one that works within MP, so ACTP is the same. */
static void put_power_state(const struct env* e, uint32_t index, uint8_t* at)
{
    const struct boot_power_state* s = &e->told.power->state[index];
    const bool works = power_works(e, index);
    FW_ASSERT(e, index < power_count(e));
    const uint32_t scale = put_watts(at, s->max_power);
    at[3] = (uint8_t)((scale == SCALE_FINE ? (uint32_t)STATE_FINE : 0u) |
                      (works ? 0u : (uint32_t)STATE_NON_OPERATIONAL));
    put32(at + 4, s->entry_us); /* ENLAT */
    put32(at + 8, s->exit_us);  /* EXLAT */
    for (uint32_t i = 12; i < 16; ++i) {
        at[i] = (uint8_t)index; /* RRT, RRL, RWT, RWL */
    }
    if (works) {
        at[22] = (uint8_t)(put_watts(at + 20, s->max_power) | WORKLOAD_ALL); /* ACTP */
    } else {
        at[18] = (uint8_t)put_watts(at + 16, s->idle); /* IDLP */
    }
}

/* Without figures two: one that works and one that does not, which the next I/O command ends. How
 * much power they take is not reported (MP 0). */
static void put_power_states(const struct env* e, uint8_t* page)
{
    uint8_t* idle = page + 2048 + 32;
    for (uint32_t i = 0; i < power_count(e); ++i) {
        put_power_state(e, i, page + 2048 + 32 * i);
    }
    if (power_has_states(e)) {
        return;
    }
    idle[3] = 1u << 1;  /* NOPS */
    put32(idle + 4, 1); /* ENLAT, us */
    put32(idle + 8, 1); /* EXLAT */
    idle[12] = 1;       /* RRT, RRL, RWT, RWL: worse than the state before */
    idle[13] = 1;
    idle[14] = 1;
    idle[15] = 1;
}

static void identify_controller(const struct env* e, uint8_t* page)
{
    const uint32_t mdts = e->hil->max_sectors / 8; /* in pages of CAP.MPSMIN, 4 KiB */
    FW_ASSERT(e, is_power_of_two(mdts));
    put16(page + 0, 0x1B36);             /* VID */
    put16(page + 2, 0x1AF4);             /* SSVID */
    put_text(page + 4, "SSDVP0001", 20); /* SN */
    put_text(page + 24, "ssdvp", 40);    /* MN */
    nvme_fw_revision(e, drive_state_of(e)->slot, page + 64);
    page[77] = (uint8_t)bits_for(mdts); /* MDTS */
    put16(page + 78, CONTROLLER_ID);
    put32(page + 80, NVME_VS_RESET); /* VER */
    put_abilities(e, page);
    host_buffer_identify(e, page);
    put_commands(e, page);
    put_power_states(e, page);
}

/* A number of its own for each namespace ever: of the drive, the identifier and how often it was
 * made. */
static uint64_t eui64_of(const struct env* e, uint32_t index)
{
    FW_ASSERT(e, index < DRIVE_NAMESPACES);
    return UINT64_C(0x5353440000000000) | (uint64_t)drive_namespace_at(e, index)->made << 16 |
           (index + 1u);
}

static void put_be64(uint8_t* at, uint64_t value)
{
    for (uint32_t i = 0; i < 8; ++i) {
        at[i] = (uint8_t)(value >> (56 - 8 * i));
    }
}

/* What any namespace of this drive can be. */
static void put_formats(const struct env* e, uint8_t* page)
{
    const uint32_t count = metadata_formats(e);
    page[25] = (uint8_t)(count - 1); /* NLBAF */
    page[33] =
        (uint8_t)(e->hil->trim != 0 ? 0x9 : 0x0); /* DLFEAT: zeroes; Write Zeroes may unmap */
    put16(page + 74, e->hil->max_sectors < 0xFFFFu ? e->hil->max_sectors : 0xFFFFu); /* MSSRL */
    put32(page + 76, e->hil->max_sectors);                                           /* MCL */
    page[80] = COPY_RANGES_MOST - 1;                                                 /* MSRC */
    if (count > 2) {
        page[27] = 0x3;  /* MC: behind the data of each block, or at MPTR */
        page[28] = 0x1F; /* DPC: types 1 to 3, first or last bytes of the metadata */
    }
    for (uint32_t i = 0; i < count; ++i) { /* LBAF; RP: all as good */
        const struct metadata_format f = metadata_format_of(i);
        page[128 + 4 * i] = f.metadata;
        page[130 + 4 * i] = f.shift;
    }
}

/* Sectors that hold something, in all partitions of the drive. */
static uint64_t sectors_in_use(const struct env* e)
{
    uint64_t units = e->telemetry->mapped;
    for (uint32_t i = 1; i < 1u << e->geo->partition.bits; ++i) {
        struct hal hal;
        struct env other;
        e->of_partition(e, i, &hal, &other);
        units += other.telemetry->mapped;
    }
    return units * e->geo->unit_sectors;
}

/* All that is mapped belongs to it: what no namespace has is unmapped. */
static bool is_alone(const struct env* e, uint32_t index)
{
    const struct drive_namespace* all = drive_state_of(e)->ns;
    FW_ASSERT(e, index < DRIVE_NAMESPACES && all[index].sectors != 0);
    for (uint32_t i = 0; i < DRIVE_NAMESPACES; ++i) {
        if (i != index && all[i].sectors != 0) {
            return false;
        }
    }
    return !is_zoned(e, index);
}

static void identify_namespace(const struct env* e, uint32_t index, uint8_t* page)
{
    const struct drive_namespace* ns = drive_namespace_at(e, index);
    const uint32_t down = drive_ns_up(ns);
    const uint32_t bits = e->geo->partition.bits; /* others have as much of it */
    const uint64_t size = ns->sectors << bits >> down;
    const bool counted = is_alone(e, index);
    const uint64_t used = counted ? sectors_in_use(e) >> down : size;
    FW_ASSERT(e, ns->sectors != 0 && ns->shift >= SECTOR_SHIFT);
    put64(page + 0, size); /* NSZE */
    put64(page + 8, size); /* NCAP */
    /* NUSE: nobody counts what one of several namespaces has written. */
    put64(page + 16, used < size ? used : size);         /* telemetry.c says why it may be more */
    page[24] = counted && e->hil->trim != 0 ? 1 : 0;     /* NSFEAT: thin provisioning */
    page[26] = (uint8_t)metadata_flbas(ns);              /* FLBAS */
    page[29] = ns->flags & (NS_PROTECTION | NS_FIRST);   /* DPS */
    put64(page + 48, ns->sectors * SECTOR_SIZE << bits); /* NVMCAP */
    put_be64(page + 104, eui64_of(e, index));            /* NGUID, then zeroes */
    put_be64(page + 120, eui64_of(e, index));            /* EUI64 */
    put_formats(e, page);
    if (is_zoned(e, index)) {
        page[33] = 1;      /* DLFEAT: zeroes; Write Zeroes writes them */
        page[128 + 2] = 0; /* LBAF0: not there for zones */
    }
}

static uint32_t identify_one(const struct env* e, uint32_t cns, uint32_t nsid, uint8_t* page)
{
    const uint32_t index = cns == CNS_NAMESPACE ? nvme_ns_active(e, nsid) : nvme_ns_of(e, nsid);
    if (nsid == NSID_ALL && cns == CNS_NAMESPACE) {
        put_formats(e, page); /* what namespaces have in common (section 5.15.2.1) */
        return NVME_SC_SUCCESS;
    }
    if (nsid == 0 || nsid > DRIVE_NAMESPACES) {
        return DNR(NVME_SC_INVALID_NAMESPACE);
    }
    if (index != NS_NONE) {
        identify_namespace(e, index, page);
    }
    return NVME_SC_SUCCESS; /* of an inactive or unallocated one: zeroes */
}

static uint32_t namespace_list(const struct env* e, uint32_t after, bool all, uint8_t* page)
{
    uint8_t* at = page;
    if (after >= 0xFFFFFFFEu) {
        return DNR(NVME_SC_INVALID_NAMESPACE);
    }
    for (uint32_t nsid = after + 1; nsid <= DRIVE_NAMESPACES; ++nsid) {
        if ((all ? nvme_ns_of(e, nsid) : nvme_ns_active(e, nsid)) != NS_NONE) {
            put32(at, nsid);
            at += 4;
        }
    }
    return NVME_SC_SUCCESS;
}

static uint32_t descriptors(const struct env* e, uint32_t nsid, uint8_t* page)
{
    const uint32_t index = nvme_ns_active(e, nsid);
    if (index == NS_NONE) {
        return DNR(NVME_SC_INVALID_NAMESPACE);
    }
    page[0] = DESCRIPTOR_EUI64;
    page[1] = 8;
    put_be64(page + 4, eui64_of(e, index));
    page[12] = DESCRIPTOR_NGUID;
    page[13] = 16;
    put_be64(page + 16, eui64_of(e, index));
    page[32] = DESCRIPTOR_CSI;
    page[33] = 1;
    page[36] = drive_state_of(e)->command_set[index];
    FW_ASSERT(e, index < DRIVE_NAMESPACES);
    return NVME_SC_SUCCESS;
}

/* The only controller, if its identifier is no smaller and, of a namespace, if it is attached. */
static uint32_t controllers(const struct env* e, const struct nvme_sqe* q, uint8_t* page)
{
    const bool of_one = (q->cdw10 & 0xFFu) == CNS_ATTACHED_CONTROLLERS;
    if (of_one && (q->nsid == 0 || q->nsid > DRIVE_NAMESPACES)) {
        return DNR(NVME_SC_INVALID_NAMESPACE);
    }
    if (q->cdw10 >> 16 <= CONTROLLER_ID && (!of_one || nvme_ns_active(e, q->nsid) != NS_NONE)) {
        put16(page, 1);
        put16(page + 2, CONTROLLER_ID);
    }
    return NVME_SC_SUCCESS;
}

/* ---- Of command sets ---- */

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

static uint32_t identify_of_set(const struct env* e, const struct nvme_sqe* q, uint32_t set,
                                uint8_t* page)
{
    const bool any = (q->cdw10 & 0xFFu) == CNS_SET_ALLOCATED;
    const uint32_t ns = any ? nvme_ns_of(e, q->nsid) : nvme_ns_active(e, q->nsid);
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

static uint32_t list_of_set(const struct env* e, const struct nvme_sqe* q, uint32_t set,
                            uint8_t* page)
{
    const bool any = (q->cdw10 & 0xFFu) == CNS_SET_ALLOCATED_LIST;
    uint8_t* at = page;
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

static uint32_t identify_set(const struct env* e, const struct nvme_sqe* q, uint8_t* page)
{
    const uint32_t cns = q->cdw10 & 0xFFu;
    const uint32_t set = q->cdw11 >> 24;
    if (cns == CNS_COMMAND_SETS) { /* one combination: all that there are */
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
    case CNS_SET_NAMESPACE:
    case CNS_SET_ALLOCATED:
        return identify_of_set(e, q, set, page);
    case CNS_SET_CONTROLLER:
        return NVME_SC_SUCCESS; /* zeroes: ZASL 0, appends are as long as MDTS; no other limits */
    default:
        FW_ASSERT(e, cns == CNS_SET_ACTIVE || cns == CNS_SET_ALLOCATED_LIST);
        return list_of_set(e, q, set, page);
    }
}

/* ---- Dispatch ---- */

static uint32_t fill(const struct env* e, const struct nvme_sqe* q, uint8_t* page)
{
    const uint32_t cns = q->cdw10 & 0xFFu;
    const bool managed = drive_state_fits(e);
    if (cns >= CNS_ALLOCATED_LIST && cns != CNS_COMMAND_SETS && !managed) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if ((cns >= CNS_SET_NAMESPACE && cns <= CNS_SET_ACTIVE) ||
        (cns >= CNS_SET_ALLOCATED_LIST && cns <= CNS_COMMAND_SETS)) {
        return identify_set(e, q, page);
    }
    switch (cns) {
    case CNS_NAMESPACE:
    case CNS_ALLOCATED:
        return identify_one(e, cns, q->nsid, page);
    case CNS_CONTROLLER:
        identify_controller(e, page);
        return NVME_SC_SUCCESS;
    case CNS_ACTIVE_LIST:
    case CNS_ALLOCATED_LIST:
        return namespace_list(e, q->nsid, cns == CNS_ALLOCATED_LIST, page);
    case CNS_DESCRIPTORS:
        return descriptors(e, q->nsid, page);
    case CNS_ATTACHED_CONTROLLERS:
    case CNS_CONTROLLERS:
        return controllers(e, q, page);
    default: /* NVM sets: not this drive */
        return DNR(NVME_SC_INVALID_FIELD);
    }
}

uint32_t nvme_identify(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)dw0;
    uint8_t* page = hil_page(e, slot);
    if (page == NULL) {
        return NVME_NO_PAGE;
    }
    const uint32_t status = fill(e, q, page);
    if (status == NVME_SC_SUCCESS) {
        nvme_send_page(e, slot, 0, META_SIZE);
        return NVME_LATER;
    }
    FW_ASSERT(e, (status & NVME_STATUS_DNR) != 0);
    return status;
}
