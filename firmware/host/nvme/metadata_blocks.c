/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks with metadata: the formats there are, and how they lie in a staging and on the drive.
 */
#include "firmware/host/nvme/metadata_blocks.h"

#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/env.h"
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

/* ---- Protection information ---- */

enum { GUARD = 4, APPLICATION = 2, REFERENCE = 1 }; /* PRCHK */
enum { UNCHECKED_TAG = 0xFFFF };

/* CRC-16 of T10 (SBC-4 section 4.21): polynomial 8BB7h, not reflected, start 0; of each first
 * byte. */
static const uint16_t table16[256] = {
    0x0000u, 0x8BB7u, 0x9CD9u, 0x176Eu, 0xB205u, 0x39B2u, 0x2EDCu, 0xA56Bu, 0xEFBDu, 0x640Au,
    0x7364u, 0xF8D3u, 0x5DB8u, 0xD60Fu, 0xC161u, 0x4AD6u, 0x54CDu, 0xDF7Au, 0xC814u, 0x43A3u,
    0xE6C8u, 0x6D7Fu, 0x7A11u, 0xF1A6u, 0xBB70u, 0x30C7u, 0x27A9u, 0xAC1Eu, 0x0975u, 0x82C2u,
    0x95ACu, 0x1E1Bu, 0xA99Au, 0x222Du, 0x3543u, 0xBEF4u, 0x1B9Fu, 0x9028u, 0x8746u, 0x0CF1u,
    0x4627u, 0xCD90u, 0xDAFEu, 0x5149u, 0xF422u, 0x7F95u, 0x68FBu, 0xE34Cu, 0xFD57u, 0x76E0u,
    0x618Eu, 0xEA39u, 0x4F52u, 0xC4E5u, 0xD38Bu, 0x583Cu, 0x12EAu, 0x995Du, 0x8E33u, 0x0584u,
    0xA0EFu, 0x2B58u, 0x3C36u, 0xB781u, 0xD883u, 0x5334u, 0x445Au, 0xCFEDu, 0x6A86u, 0xE131u,
    0xF65Fu, 0x7DE8u, 0x373Eu, 0xBC89u, 0xABE7u, 0x2050u, 0x853Bu, 0x0E8Cu, 0x19E2u, 0x9255u,
    0x8C4Eu, 0x07F9u, 0x1097u, 0x9B20u, 0x3E4Bu, 0xB5FCu, 0xA292u, 0x2925u, 0x63F3u, 0xE844u,
    0xFF2Au, 0x749Du, 0xD1F6u, 0x5A41u, 0x4D2Fu, 0xC698u, 0x7119u, 0xFAAEu, 0xEDC0u, 0x6677u,
    0xC31Cu, 0x48ABu, 0x5FC5u, 0xD472u, 0x9EA4u, 0x1513u, 0x027Du, 0x89CAu, 0x2CA1u, 0xA716u,
    0xB078u, 0x3BCFu, 0x25D4u, 0xAE63u, 0xB90Du, 0x32BAu, 0x97D1u, 0x1C66u, 0x0B08u, 0x80BFu,
    0xCA69u, 0x41DEu, 0x56B0u, 0xDD07u, 0x786Cu, 0xF3DBu, 0xE4B5u, 0x6F02u, 0x3AB1u, 0xB106u,
    0xA668u, 0x2DDFu, 0x88B4u, 0x0303u, 0x146Du, 0x9FDAu, 0xD50Cu, 0x5EBBu, 0x49D5u, 0xC262u,
    0x6709u, 0xECBEu, 0xFBD0u, 0x7067u, 0x6E7Cu, 0xE5CBu, 0xF2A5u, 0x7912u, 0xDC79u, 0x57CEu,
    0x40A0u, 0xCB17u, 0x81C1u, 0x0A76u, 0x1D18u, 0x96AFu, 0x33C4u, 0xB873u, 0xAF1Du, 0x24AAu,
    0x932Bu, 0x189Cu, 0x0FF2u, 0x8445u, 0x212Eu, 0xAA99u, 0xBDF7u, 0x3640u, 0x7C96u, 0xF721u,
    0xE04Fu, 0x6BF8u, 0xCE93u, 0x4524u, 0x524Au, 0xD9FDu, 0xC7E6u, 0x4C51u, 0x5B3Fu, 0xD088u,
    0x75E3u, 0xFE54u, 0xE93Au, 0x628Du, 0x285Bu, 0xA3ECu, 0xB482u, 0x3F35u, 0x9A5Eu, 0x11E9u,
    0x0687u, 0x8D30u, 0xE232u, 0x6985u, 0x7EEBu, 0xF55Cu, 0x5037u, 0xDB80u, 0xCCEEu, 0x4759u,
    0x0D8Fu, 0x8638u, 0x9156u, 0x1AE1u, 0xBF8Au, 0x343Du, 0x2353u, 0xA8E4u, 0xB6FFu, 0x3D48u,
    0x2A26u, 0xA191u, 0x04FAu, 0x8F4Du, 0x9823u, 0x1394u, 0x5942u, 0xD2F5u, 0xC59Bu, 0x4E2Cu,
    0xEB47u, 0x60F0u, 0x779Eu, 0xFC29u, 0x4BA8u, 0xC01Fu, 0xD771u, 0x5CC6u, 0xF9ADu, 0x721Au,
    0x6574u, 0xEEC3u, 0xA415u, 0x2FA2u, 0x38CCu, 0xB37Bu, 0x1610u, 0x9DA7u, 0x8AC9u, 0x017Eu,
    0x1F65u, 0x94D2u, 0x83BCu, 0x080Bu, 0xAD60u, 0x26D7u, 0x31B9u, 0xBA0Eu, 0xF0D8u, 0x7B6Fu,
    0x6C01u, 0xE7B6u, 0x42DDu, 0xC96Au, 0xDE04u, 0x55B3u,
};

static uint32_t crc_t10(uint32_t crc, const uint8_t* data, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        crc = ((crc << 8) & 0xFFFFu) ^ table16[(crc >> 8) ^ data[i]];
    }
    return crc;
}

static uint32_t be16(const uint8_t* at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static void put_be16(uint8_t* at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

uint32_t protection_place(const struct protection_form* f)
{
    return f->first != 0 ? 0 : f->metadata - PROTECTION_BYTES;
}

static uint32_t guard_of(const struct protection_form* f, const uint8_t* data, const uint8_t* meta)
{
    return crc_t10(crc_t10(0, data, f->block), meta, protection_place(f));
}

uint32_t protection_refuse(uint32_t type, uint32_t prinfo, uint32_t reference, uint64_t block)
{
    const bool checked = (prinfo & REFERENCE) != 0;
    return checked && (type == 3 || (type == 1 && reference != (uint32_t)block))
               ? DNR(NVME_SC_INVALID_PROTECTION)
               : (uint32_t)NVME_SC_SUCCESS;
}

void protection_make(struct env* e, const struct protection_form* f, const uint8_t* data,
                     uint8_t* meta, const struct protection_tags* t)
{
    uint8_t* at = meta + protection_place(f);
    FW_ASSERT(e, f->metadata >= PROTECTION_BYTES);
    put_be16(at, guard_of(f, data, meta));
    put_be16(at + 2, t->application);
    put_be16(at + 4, t->reference >> 16);
    put_be16(at + 6, t->reference & 0xFFFFu);
}

uint32_t protection_check(struct env* e, const struct protection_form* f, const uint8_t* data,
                          const uint8_t* meta, const struct protection_tags* t)
{
    const uint8_t* at = meta + protection_place(f);
    const uint32_t application = be16(at + 2);
    const uint32_t reference = be16(at + 4) << 16 | be16(at + 6);
    FW_ASSERT(e, f->metadata >= PROTECTION_BYTES);
    if (application == UNCHECKED_TAG && (f->type != 3 || reference == UINT32_MAX)) {
        return NVME_SC_SUCCESS;
    }
    if ((t->check & GUARD) != 0 && be16(at) != guard_of(f, data, meta)) {
        return NVME_SC_GUARD_CHECK;
    }
    if ((t->check & APPLICATION) != 0 && ((application ^ t->application) & t->mask) != 0) {
        return NVME_SC_APPLICATION_TAG_CHECK;
    }
    return (t->check & REFERENCE) != 0 && f->type != 3 && reference != t->reference
               ? NVME_SC_REFERENCE_TAG_CHECK
               : NVME_SC_SUCCESS;
}
