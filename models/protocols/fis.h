// SPDX-License-Identifier: Apache-2.0
//
// Frame information structures of Serial ATA 3.x, section 10.5: what host and device send each
// other. Little-endian; sizes are multiples of a dword (DW, 4 bytes).
#pragma once

#include <cstdint>

namespace ssdvp::fis {

enum type : std::uint8_t {
    REGISTER_H2D = 0x27,
    REGISTER_D2H = 0x34,
    DMA_ACTIVATE = 0x39, // device to host
    DMA_SETUP = 0x41,
    DATA = 0x46,
    BIST_ACTIVATE = 0x58,   // neither sent nor answered here
    PIO_SETUP = 0x5F,       // device to host
    SET_DEVICE_BITS = 0xA1, // device to host
};

/// Second byte of all FIS; bits 3..0 are the port of a port multiplier, 0 here.
constexpr std::uint8_t FLAG_COMMAND = 0x80;       // H2D: the command register was written ...
constexpr std::uint8_t FLAG_AUTO_ACTIVATE = 0x80; // DMA Setup: the first DMA Activate is implied
constexpr std::uint8_t FLAG_INTERRUPT = 0x40;
constexpr std::uint8_t FLAG_TO_HOST = 0x20;      // DMA Setup, PIO Setup: direction D
constexpr std::uint8_t FLAG_NOTIFICATION = 0x80; // Set Device Bits

/// Status and error registers of ATA, as FIS carry them (ACS-3 section 6).
enum status : std::uint8_t {
    STATUS_ERR = 0x01,
    STATUS_DRQ = 0x08,
    STATUS_DSC = 0x10, // seek complete: always 1 beside DRDY
    STATUS_DF = 0x20,
    STATUS_DRDY = 0x40,
    STATUS_BSY = 0x80
};
enum error : std::uint8_t {
    ERROR_ABRT = 0x04,
    ERROR_IDNF = 0x10,
    ERROR_UNC = 0x40,
    ERROR_ICRC = 0x80
};
constexpr std::uint8_t CONTROL_SRST = 0x04; // device control: software reset
/// Set Device Bits carries status without BSY, DRQ and bit 3, whose places are others'.
constexpr std::uint8_t SDB_STATUS_MASK = 0x77;

struct register_h2d { // 5 DW
    std::uint8_t type = REGISTER_H2D;
    std::uint8_t flags = 0;
    std::uint8_t command = 0;
    std::uint8_t features = 0;
    std::uint8_t lba_low[3] = {};
    std::uint8_t device = 0;
    std::uint8_t lba_high[3] = {};
    std::uint8_t features_high = 0;
    std::uint8_t count = 0;
    std::uint8_t count_high = 0;
    std::uint8_t icc = 0;
    std::uint8_t control = 0;
    std::uint8_t auxiliary[4] = {};
};

/// How the FIS begin that carry the device's registers to the host.
template <std::uint8_t Type>
struct device_registers {
    std::uint8_t type = Type;
    std::uint8_t flags = 0;
    std::uint8_t status = 0;
    std::uint8_t error = 0;
    std::uint8_t lba_low[3] = {};
    std::uint8_t device = 0;
    std::uint8_t lba_high[3] = {};
    std::uint8_t reserved0 = 0;
    std::uint8_t count = 0;
    std::uint8_t count_high = 0;
};

struct register_d2h : device_registers<REGISTER_D2H> { // 5 DW
    std::uint8_t reserved1[6] = {};
};

struct set_device_bits { // 2 DW
    std::uint8_t type = SET_DEVICE_BITS;
    std::uint8_t flags = 0;
    std::uint8_t status = 0; // bits 6..4 and 2..0
    std::uint8_t error = 0;
    std::uint32_t active = 0; // SActive: tags that ended successfully
};

struct dma_activate { // 1 DW
    std::uint8_t type = DMA_ACTIVATE;
    std::uint8_t flags = 0;
    std::uint8_t reserved[2] = {};
};

struct dma_setup { // 7 DW
    std::uint8_t type = DMA_SETUP;
    std::uint8_t flags = 0;
    std::uint8_t reserved0[2] = {};
    std::uint32_t buffer_low = 0; // NCQ: the tag
    std::uint32_t buffer_high = 0;
    std::uint32_t reserved1 = 0;
    std::uint32_t offset = 0; // bytes, DW aligned; other than 0 only with non-zero offsets enabled
    std::uint32_t count = 0;  // bytes
    std::uint32_t reserved2 = 0;
};

struct pio_setup : device_registers<PIO_SETUP> { // 5 DW
    std::uint8_t reserved1 = 0;
    std::uint8_t end_status = 0;      // of the status register, after the data
    std::uint16_t transfer_count = 0; // bytes
    std::uint16_t reserved2 = 0;
};

struct data_header { // 1 DW, before 1 to 2,048 DW of data
    std::uint8_t type = DATA;
    std::uint8_t flags = 0;
    std::uint8_t reserved[2] = {};
};

constexpr std::uint32_t DATA_MAX = 8192; // bytes of data in a Data FIS
constexpr std::uint32_t HEADER_MAX = 28; // bytes: DMA Setup

static_assert(sizeof(register_h2d) == 20 && sizeof(register_d2h) == 20);
static_assert(sizeof(set_device_bits) == 8 && sizeof(dma_activate) == 4);
static_assert(sizeof(dma_setup) == HEADER_MAX && sizeof(pio_setup) == 20);
static_assert(sizeof(data_header) == 4);

/// Bytes of a FIS of that type; of Data without its data. 0 = no such type, or one not taken here.
constexpr std::uint32_t size_of(std::uint8_t t)
{
    switch (t) {
    case REGISTER_H2D:
    case REGISTER_D2H:
    case PIO_SETUP:
        return 20;
    case SET_DEVICE_BITS:
        return 8;
    case DMA_ACTIVATE:
    case DATA:
        return 4;
    case DMA_SETUP:
        return 28;
    default:
        return 0;
    }
}

/// 48 bits of address, and 16 of count or features, in the two halves of register FIS.
template <typename Fis>
constexpr std::uint64_t lba_of(const Fis& f)
{
    std::uint64_t lba = 0;
    for (unsigned i = 0; i < 3; ++i) {
        lba |= std::uint64_t{f.lba_low[i]} << (8 * i) | std::uint64_t{f.lba_high[i]}
                                                            << (24 + 8 * i);
    }
    return lba;
}
template <typename Fis>
constexpr void set_lba(Fis& f, std::uint64_t lba)
{
    for (unsigned i = 0; i < 3; ++i) {
        f.lba_low[i] = static_cast<std::uint8_t>(lba >> (8 * i));
        f.lba_high[i] = static_cast<std::uint8_t>(lba >> (24 + 8 * i));
    }
}
/// Address and count of the command; not the device register.
template <typename Fis>
constexpr void copy_address(Fis& to, const register_h2d& from)
{
    for (unsigned i = 0; i < 3; ++i) {
        to.lba_low[i] = from.lba_low[i];
        to.lba_high[i] = from.lba_high[i];
    }
    to.count = from.count;
    to.count_high = from.count_high;
}
template <typename Fis>
constexpr std::uint16_t count_of(const Fis& f)
{
    return static_cast<std::uint16_t>(f.count | f.count_high << 8);
}

} // namespace ssdvp::fis
