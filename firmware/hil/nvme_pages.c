/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/hil/nvme_pages.h"

#include "firmware/hil/hil.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/bytes.h"
#include "firmware/lib/stats.h"

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

void nvme_identify_controller(struct env* e, uint8_t* page)
{
    const uint32_t mdts = e->hil->max_sectors / 8; /* in pages of CAP.MPSMIN, 4 KiB */
    FW_ASSERT(e, is_power_of_two(mdts));
    put16(page + 0, 0x1B36);                          /* VID */
    put16(page + 2, 0x1AF4);                          /* SSVID */
    put_text(page + 4, "SSDVP0001", 20);              /* SN */
    put_text(page + 24, "ssdvp", 40);                 /* MN */
    put_text(page + 64, "0.1", 8);                    /* FR */
    page[77] = (uint8_t)bits_for(mdts);               /* MDTS */
    put16(page + 78, 1);                              /* CNTLID */
    put32(page + 80, NVME_VS_RESET);                  /* VER */
    page[111] = 1;                                    /* CNTRLTYPE: I/O controller */
    page[258] = 3;                                    /* ACL, 0-based */
    page[259] = 3;                                    /* AERL, 0-based */
    page[260] = 0x02;                                 /* FRMW: one slot */
    page[261] = 0x04;                                 /* LPA: extended data for Get Log Page */
    page[262] = 0;                                    /* ELPE: one entry, 0-based */
    page[512] = 0x66;                                 /* SQES: 64 bytes */
    page[513] = 0x44;                                 /* CQES: 16 bytes */
    put32(page + 516, 1);                             /* NN */
    put16(page + 520, (1u << 2) | (1u << 3));         /* ONCS: DSM, Write Zeroes */
    page[525] = e->cache->write_through != 0 ? 0 : 1; /* VWC present */
    put32(page + 536, 1u | 1u << 16); /* SGLS: data blocks at any byte, bit buckets */
    put_text(page + 768, "nqn.2026-01.org.ssdvp:0001", 26); /* SUBNQN, then zeroes */
    FW_ASSERT(e, page[512] == 0x66);
}

void nvme_identify_namespace(struct env* e, uint8_t* page)
{
    const uint64_t sectors = e->geo->sectors;
    FW_ASSERT(e, sectors != 0);
    put64(page + 0, sectors);                                  /* NSZE */
    put64(page + 8, sectors);                                  /* NCAP */
    put64(page + 16, e->stats->mapped * e->geo->unit_sectors); /* NUSE */
    page[24] = e->hil->trim != 0 ? 1 : 0;                      /* NSFEAT: thin provisioning */
    page[25] = 0;                                              /* NLBAF: one format, 0-based */
    page[33] =
        (uint8_t)(e->hil->trim != 0 ? 0x9 : 0x0); /* DLFEAT: zeroes, Write Zeroes may unmap */
    page[128 + 2] = 9;                            /* LBAF0: 512 bytes */
    FW_ASSERT(e, page[130] == SECTOR_SHIFT);
}

void nvme_namespace_list(uint32_t after, uint8_t* page)
{
    if (after < 1) {
        put32(page, 1);
    }
}

uint32_t nvme_log_error(struct env* e, uint8_t* page)
{
    FW_ASSERT(e, page != NULL);
    put64(page, e->stats->error_entries); /* error count of the newest entry; 0 = no error yet */
    FW_ASSERT(e, META_SIZE >= 64);
    return 64;
}
