// SPDX-License-Identifier: Apache-2.0
//
// Metadata of the driver's blocks: a function of each sector's data and address, so that what
// comes back belongs to that data or is wrong. NVM Express base 1.4 sections 8.2 and 8.3.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/host/config.h"
#include "models/regs/nvme_regs.h"

namespace ssdvp::host {

class block_metadata {
public:
    explicit block_metadata(const metadata_config& config) : m_config(config) {}

    [[nodiscard]] std::uint32_t bytes() const { return m_config.bytes; }
    [[nodiscard]] bool any() const { return m_config.bytes != 0; }
    /// Metadata lie behind the data of their sector, else at MPTR.
    [[nodiscard]] bool extended() const { return any() && m_config.extended; }
    /// Bytes of a sector where its data are.
    [[nodiscard]] std::uint32_t pitch() const;
    /// DPS and FLBAS of the namespace that it wants, without the number of the format.
    [[nodiscard]] std::uint32_t dps() const { return m_config.protection; }

    /// What the command says of protection: everything is checked.
    void protect(nvme_sqe& sqe, std::uint64_t lba) const;
    /// Of `sectors` sectors of data from `lba` on, one after the other. Extended: spreads them to
    /// their pitch, and `metadata` is not used.
    void make(std::uint64_t lba, std::uint32_t sectors, unsigned char* data,
              unsigned char* metadata) const;
    /// The other way round: data one after the other, metadata too.
    void gather(std::uint32_t sectors, unsigned char* data, unsigned char* metadata) const;
    /// Whether the metadata are those of that sector; of zeroes, those of a deallocated one.
    [[nodiscard]] bool belongs(std::uint64_t lba, const unsigned char* sector,
                               const unsigned char* metadata) const;

private:
    static constexpr std::uint32_t most = 64;
    void make_one(std::uint64_t lba, const unsigned char* sector, unsigned char* to) const;

    metadata_config m_config;
};

} // namespace ssdvp::host
