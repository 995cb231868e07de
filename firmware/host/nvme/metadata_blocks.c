/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks with metadata: the formats there are, and how they lie in a staging and on the drive.
 */
#include "firmware/host/nvme/metadata_blocks.h"

#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/mem.h"

enum { LARGE_SHIFT = 12 };

static const struct metadata_format formats[METADATA_FORMATS] = {
    {SECTOR_SHIFT, 0},  {LARGE_SHIFT, 0}, {SECTOR_SHIFT, 8}, {SECTOR_SHIFT, 16},
    {SECTOR_SHIFT, 64}, {LARGE_SHIFT, 8}, {LARGE_SHIFT, 16}, {LARGE_SHIFT, 64}};

/* ---- Formats ---- */

/* A block with its metadata is to lie in one unit, and sectors are to hold all their bytes. */
uint32_t metadata_formats(const struct env* e)
{
    const uint32_t sectors = e->geo->unit_sectors;
    if (e->geo->data_mode != DATA_FULL || sectors < 2) {
        return 2;
    }
    return sectors << SECTOR_SHIFT > 1u << LARGE_SHIFT ? METADATA_FORMATS : 5u;
}

struct metadata_format metadata_format_of(uint32_t format)
{
    return formats[format < METADATA_FORMATS ? format : 0];
}

uint32_t metadata_flbas(const struct drive_namespace* n)
{
    uint32_t format = 0;
    for (uint32_t i = 0; i < METADATA_FORMATS; ++i) {
        if (formats[i].shift == n->shift && formats[i].metadata == n->metadata) {
            format = i;
        }
    }
    return format | ((n->flags & NS_EXTENDED) != 0 ? 0x10u : 0u);
}

uint32_t metadata_choose(const struct env* e, uint32_t format, uint32_t extended, uint32_t dps)
{
    const uint32_t type = dps & NS_PROTECTION;
    if (format >= metadata_formats(e) || type > 3 ||
        (type != 0 && formats[format].metadata < PROTECTION_BYTES)) {
        return 0;
    }
    uint32_t flags = type != 0 ? dps & (NS_PROTECTION | NS_FIRST) : 0u;
    if (formats[format].metadata != 0 && extended != 0) {
        flags |= NS_EXTENDED;
    }
    return formats[format].shift | (uint32_t)formats[format].metadata << 8 | flags << 16;
}

uint32_t metadata_form_key(const struct drive_namespace* n)
{
    return n->shift | (uint32_t)n->metadata << 8 | (uint32_t)n->flags << 16 |
           (uint32_t)(n->made & 0xFFu) << 24;
}

struct protection_form metadata_form(const struct drive_namespace* n)
{
    return (struct protection_form){.block = 1u << n->shift,
                                    .metadata = n->metadata,
                                    .type = n->flags & NS_PROTECTION,
                                    .first = (n->flags & NS_FIRST) != 0};
}

bool metadata_is_stripped(const struct protection_form* f, uint32_t prinfo)
{
    return f->type != 0 && f->metadata == PROTECTION_BYTES && (prinfo & PRINFO_ACT) != 0;
}

bool metadata_too_long(struct env* e, const struct command* c)
{
    const struct command* first = command_of(e, 0);
    const struct drive_namespace* n = drive_namespace_at(e, c->ns);
    const struct protection_form f = metadata_form(n);
    const bool joined =
        (n->flags & NS_EXTENDED) != 0 &&
        !metadata_is_stripped(&f, metadata_prinfo(metadata_protection(e, (uint32_t)(c - first))));
    FW_ASSERT(e, f.block >= SECTOR_SIZE && f.metadata != 0);
    return c->sectors * (f.block + (joined ? f.metadata : 0u)) > front_end_mdts(e);
}

/* ---- In a staging ---- */

uint8_t* metadata_data(struct env* e, const struct nvme_staging* s, uint32_t i)
{
    const uint32_t pitch = s->form.block + (s->joined ? s->form.metadata : 0u);
    FW_ASSERT(e, (uint64_t)i * pitch + s->form.block <= front_end_mdts(e));
    return (uint8_t*)env_dram(e, s->data) + (uint64_t)i * pitch;
}

uint8_t* metadata_of(struct env* e, const struct nvme_staging* s, uint32_t i)
{
    return s->joined ? (uint8_t*)env_dram(e, s->data) +
                           (uint64_t)i * (s->form.block + s->form.metadata) + s->form.block
                     : (uint8_t*)env_dram(e, s->meta) + (uint64_t)i * s->form.metadata;
}

uint8_t* metadata_read(struct env* e, const struct nvme_staging* s, uint32_t i)
{
    return s->opcode == NVME_IO_COMPARE
               ? (uint8_t*)env_dram(e, s->kept) + (uint64_t)i * s->form.metadata
               : metadata_of(e, s, i);
}

/* ---- Blocks as they lie on the drive ---- */

#define MARK_OFFSET 504u /* in the sector of the metadata: nothing else is there */
#define MARKED UINT64_C(0x4154454D44564C42)

static void write_meta(uint8_t* sector, const uint8_t* meta, uint32_t bytes)
{
    mem_zero(sector, SECTOR_SIZE);
    mem_copy(sector, meta, bytes);
    *(uint64_t*)(void*)(sector + MARK_OFFSET) = MARKED;
}

/* Of a block that was never written, or was deallocated, metadata are zero as its data are, and
 * protection information is FFh, which no check looks at. */
static void read_meta(const struct protection_form* f, const uint8_t* sector, uint8_t* meta)
{
    if (*(const uint64_t*)(const void*)(sector + MARK_OFFSET) == MARKED) {
        mem_copy(meta, sector, f->metadata);
        return;
    }
    mem_zero(meta, f->metadata);
    if (f->type != 0) {
        uint8_t* at = meta + protection_place(f);
        for (uint32_t i = 0; i < PROTECTION_BYTES; ++i) {
            at[i] = 0xFF;
        }
    }
}

static bool equal(const uint8_t* a, const uint8_t* b, uint32_t from, uint32_t to)
{
    uint32_t other = 0;
    for (uint32_t i = from; i < to; ++i) {
        other |= (uint32_t)(a[i] ^ b[i]);
    }
    return other == 0;
}

/* Compare looks at metadata, but for protection information, which is checked. */
static bool equal_meta(const struct protection_form* f, const uint8_t* a, const uint8_t* b)
{
    const uint32_t hole = f->type != 0 ? protection_place(f) : f->metadata;
    const uint32_t behind = f->type != 0 ? hole + PROTECTION_BYTES : f->metadata;
    return equal(a, b, 0, hole) && equal(a, b, behind, f->metadata);
}

struct block_part { /* of a block on the drive: never more than the data, or the metadata */
    uint32_t block;
    uint32_t at; /* byte of it */
    uint32_t bytes;
};

static void carry(struct env* e, struct nvme_staging* s, uint8_t* buffer,
                  const struct block_part* p)
{
    const uint32_t i = p->block;
    const uint32_t at = p->at;
    const uint32_t bytes = p->bytes;
    bool same = true;
    FW_ASSERT(e, (at & (SECTOR_SIZE - 1)) == 0 && bytes != 0);
    if (at > s->form.block) { /* nothing is there */
        if (s->phase == STAGING_WRITE) {
            mem_zero(buffer, bytes);
        }
    } else if (at == s->form.block && s->phase == STAGING_WRITE) {
        write_meta(buffer, metadata_of(e, s, i), s->form.metadata);
    } else if (at == s->form.block) {
        read_meta(&s->form, buffer, metadata_read(e, s, i));
        same = s->opcode != NVME_IO_COMPARE ||
               equal_meta(&s->form, metadata_read(e, s, i), metadata_of(e, s, i));
    } else if (s->phase == STAGING_WRITE) {
        mem_copy(buffer, metadata_data(e, s, i) + at, bytes);
    } else if (s->opcode == NVME_IO_COMPARE) {
        same = equal(metadata_data(e, s, i) + at, buffer, 0, bytes);
    } else {
        mem_copy(metadata_data(e, s, i) + at, buffer, bytes);
    }
    if (!same && command_of(e, s->slot)->status == NVME_SC_SUCCESS) {
        command_of(e, s->slot)->status = NVME_SC_COMPARE_FAILURE;
    }
}

void metadata_carry(struct env* e, struct nvme_staging* s, const struct fe_move* move)
{
    uint8_t* buffer = env_dram(e, move->buffer);
    const uint32_t block = 2 * s->form.block;
    FW_ASSERT(e, (move->offset & (SECTOR_SIZE - 1)) == 0);
    for (uint32_t done = 0; done < move->length;) {
        const uint32_t i = (move->offset + done) / block;
        const uint32_t at = (move->offset + done) & (block - 1);
        const uint32_t end = at < s->form.block    ? s->form.block
                             : at == s->form.block ? s->form.block + SECTOR_SIZE
                                                   : block;
        const uint32_t left = move->length - done;
        const uint32_t bytes = end - at < left ? end - at : left;
        const struct block_part p = {s->base + i, at, bytes};
        carry(e, s, buffer + done, &p);
        done += bytes;
    }
}
