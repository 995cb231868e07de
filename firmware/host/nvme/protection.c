/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/nvme/protection.h"

#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/env.h"

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
