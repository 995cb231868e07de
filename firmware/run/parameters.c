/* SPDX-License-Identifier: Apache-2.0
 *
 * The first step of start-up: what the boot parameters say, and what is wrong with it.
 */
#include "firmware/run/parameters.h"

#include "firmware/lib/bits.h"
#include "firmware/map/schemes.h"
#include "firmware/space/spare.h"
#include "models/regs/boot_params.h"
#include "models/regs/choices/host_interface.h"
#include "models/regs/choices/stripe.h"

int boot_refuse(struct env* e, const char* what, uint64_t a, uint64_t b)
{
    hal_log(e->hal, HAL_LOG_ERROR, what, a, b);
    return -1;
}

static int check_sizes(struct env* e, const struct boot_params* p)
{
    if (p->geometry.channels == 0 || p->geometry.channels > MAP_CHANNEL_MAX ||
        p->geometry.luns_per_channel == 0) {
        return boot_refuse(e, "channels, LUNs per channel", p->geometry.channels,
                           p->geometry.luns_per_channel);
    }
    if (p->geometry.planes == 0 || p->geometry.planes > 8) {
        return boot_refuse(e, "planes: 1 to 8", p->geometry.planes, 0);
    }
    if (p->geometry.luns_per_channel > 255 ||
        p->geometry.channels * p->geometry.luns_per_channel > 4096) {
        return boot_refuse(e, "LUNs per channel, channels", p->geometry.luns_per_channel,
                           p->geometry.channels);
    }
    if (p->geometry.blocks_per_plane == 0 || p->geometry.pages_per_block == 0 ||
        p->geometry.pages_per_block > 0xFFFFu) {
        return boot_refuse(e, "blocks, pages", p->geometry.blocks_per_plane,
                           p->geometry.pages_per_block);
    }
    if (!is_power_of_two(p->ftl.map_unit) || p->ftl.map_unit < SECTOR_SIZE ||
        p->ftl.map_unit > 32768 || p->geometry.page_size == 0 ||
        p->geometry.page_size % p->ftl.map_unit != 0) {
        return boot_refuse(e, "map unit: a power of two that divides the page", p->ftl.map_unit,
                           p->geometry.page_size);
    }
    if (p->geometry.page_size / p->ftl.map_unit > 32 ||
        p->geometry.page_size / p->ftl.map_unit * p->geometry.planes > GROUP_MAX) {
        return boot_refuse(e, "units per page, planes", p->geometry.page_size / p->ftl.map_unit,
                           p->geometry.planes);
    }
    if ((1 + p->geometry.page_size / p->ftl.map_unit) * sizeof(uint64_t) > p->geometry.oob_size) {
        return boot_refuse(e, "spare bytes needed, found",
                           (1 + p->geometry.page_size / p->ftl.map_unit) * 8, p->geometry.oob_size);
    }
    return 0;
}

static int check_modes(struct env* e, const struct boot_params* p)
{
    /* SLC mode or not is a block's, whoever programs it. */
    if ((p->flash.array_mode != FLASH_MODE_NORMAL && p->flash.array_mode != FLASH_MODE_SLC) ||
        p->flash.host_program_mode > FLASH_MODE_SLC ||
        (p->flash.array_mode == FLASH_MODE_SLC) != (p->flash.host_program_mode == FLASH_MODE_SLC)) {
        return boot_refuse(e, "program modes of the array, of the host", p->flash.array_mode,
                           p->flash.host_program_mode);
    }
    if (p->ftl.stripe > STRIPE_PLANE) {
        return boot_refuse(e, "no such stripe: 0 = drive, 1 = block, 2 = plane", p->ftl.stripe, 0);
    }
    if (p->ftl.stripe == STRIPE_PLANE &&
        (!ftl_has(p->ftl.scheme, SCHEME_MAP_IN_DRAM) || p->placement.kind == PLACEMENT_STRIPE ||
         p->host.streams != 0)) {
        return boot_refuse(
            e, "planes apart: page_map, a placement, no streams; found scheme, placement",
            p->ftl.scheme, p->placement.kind);
    }
    if (p->host.interface > HOST_INTERFACE_SATA) {
        return boot_refuse(e, "no such host interface: 0 = NVMe, 1 = SATA", p->host.interface, 0);
    }
    if (p->ftl.stripe != STRIPE_DRIVE && p->gc.copyback != 0) {
        return boot_refuse(e,
                           "copyback moves page groups of superblocks of the drive: stripe drive",
                           p->ftl.stripe, p->gc.copyback);
    }
    return 0;
}

static void fill_geometry(struct env* e, const struct boot_params* p)
{
    struct geometry* g = e->geo;
    g->channels = p->geometry.channels;
    g->luns_per_channel = p->geometry.luns_per_channel;
    g->stripe = p->ftl.stripe;
    g->part.luns = p->geometry.channels * p->geometry.luns_per_channel;
    g->part.planes = p->geometry.planes;
    g->part.blocks = p->geometry.blocks_per_plane;
    const bool narrow = geometry_narrow(g);
    g->luns = narrow ? 1 : g->part.luns;
    g->planes = narrow ? 1 : g->part.planes;
    g->plane_all = (1u << g->planes) - 1u;
    g->blocks = narrow ? g->part.luns * g->part.planes * g->part.blocks : g->part.blocks;
    g->pages = p->geometry.pages_per_block;
    g->page_size = p->geometry.page_size;
    g->unit_size = p->ftl.map_unit;
    g->unit_shift = bits_for(p->ftl.map_unit);
    g->unit_sectors = p->ftl.map_unit / SECTOR_SIZE;
    g->unit_mask = ones(g->unit_sectors);
    g->sector_shift = bits_for(g->unit_sectors);
    g->page_units = p->geometry.page_size / p->ftl.map_unit;
    g->group = g->page_units * g->planes;
    g->oob_bytes = spare_words(g) * (uint32_t)sizeof(uint64_t);
    g->unit_bits = bits_for(g->page_units);
    g->lun_shift = g->unit_bits + bits_for(g->planes);
    g->row_shift = g->lun_shift + bits_for(g->luns);
    g->pages_shift = is_power_of_two(g->pages) ? bits_for(g->pages) : 32;
    g->data_mode = p->host.data_mode;
    g->multi_plane = p->ftl.multi_plane;
    g->lun_programs = p->flash.lun_programs == 0 ? 1 : p->flash.lun_programs;
    g->word_line = p->geometry.word_line;
    g->user_units = p->ftl.user_units;
    g->sectors = p->ftl.user_units << g->sector_shift;
    g->sectors_all = g->sectors;
    if (p->partition.count > 1) {
        g->partition.bits = bits_for(p->partition.count);
        g->partition.index = p->partition.index;
        g->partition.stripe = p->partition.stripe_shift;
        g->sectors_all <<= g->partition.bits;
    }
    FW_ASSERT(e, g->unit_size == 1u << g->unit_shift);
}

int boot_parameters(struct env* e, const struct boot_params* p)
{
    if (p->magic != BOOT_PARAMS_MAGIC || p->version != BOOT_PARAMS_VERSION) {
        return boot_refuse(e, "no boot parameters of this version", p->magic, p->version);
    }
    if (check_sizes(e, p) != 0 || check_modes(e, p) != 0) {
        return -1;
    }
    const uint64_t all = (uint64_t)p->geometry.channels * p->geometry.luns_per_channel *
                         p->geometry.planes * p->geometry.blocks_per_plane *
                         p->geometry.pages_per_block;
    if (p->ftl.stripe != STRIPE_DRIVE && all > UINT32_MAX) {
        return boot_refuse(e, "superblocks of one block: pages, at most; use stripe drive", all,
                           UINT32_MAX);
    }
    fill_geometry(e, p);
    const uint64_t rows = (uint64_t)e->geo->blocks * e->geo->pages;
    if (e->geo->row_shift >= 31 || rows > UINT32_MAX) {
        return boot_refuse(e, "pages of a plane, bits of the rest of an address", rows,
                           e->geo->row_shift);
    }
    if (p->ftl.user_units > SPARE_INDEXES) {
        return boot_refuse(e, "units that a spare word can name, found", SPARE_INDEXES,
                           p->ftl.user_units);
    }
    if (p->ftl.user_units == 0 || p->ftl.user_units >= rows * e->geo->luns * e->geo->group) {
        return boot_refuse(e, "user units, physical units", p->ftl.user_units,
                           rows * e->geo->luns * e->geo->group);
    }
    if (p->flash.retry_levels > 254) {
        return boot_refuse(e, "read retry levels: at most 254", p->flash.retry_levels, 0);
    }
    if (!cores_agree(p)) {
        return boot_refuse(e, "roles of cores: one that has each, or partitions; cores, partitions",
                           p->cores.count, p->partition.count);
    }
    if (!is_power_of_two(p->host.mdts) || p->host.mdts < 4096) {
        return boot_refuse(e, "largest transfer: a power of two from 4096", p->host.mdts, 0);
    }
    FW_ASSERT(e, e->geo->group <= GROUP_MAX);
    return 0;
}
