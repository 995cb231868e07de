// SPDX-License-Identifier: Apache-2.0
//
// The controller's memory master: host data by AT transactions that take their share of the
// memory's time, rings and address lists by DMI.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tlm>

#include "models/common/data_mode.h"
#include "models/common/dma_memory.h"
#include "models/common/fault_log.h"
#include "models/common/time.h"
#include "models/regs/channel_regs.h"

namespace ssdvp::flash {

class dma {
public:
    using socket = tlm::tlm_initiator_socket<>;

    /// `order`: address of the register that hands descriptors over.
    dma(socket& memory, std::string who, fault_log* faults, std::uint64_t order);

    /// One plane of an operation: its bytes here, and which of the descriptor's planes it is.
    struct plane_move {
        tlm::tlm_command command; // write: to memory
        std::uint32_t index;      // in descriptor order
        unsigned char* data;
        unsigned char* oob;
        data_mode mode;
    };
    /// Moves a plane's data between d's buffer and m.data, as one transfer or by the scatter-gather
    /// list, then its out-of-band bytes.
    std::optional<sim_time> move_plane(const flash_desc& d, const plane_move& m, sim_time at);

    /// Host pointer to [address, address + length); nullptr (and a fault that names `field`, which
    /// the address came from) when memory has no DMI.
    unsigned char* direct(std::uint64_t address, std::uint64_t length, const char* field);
    struct list_entry {
        std::uint32_t index;
        std::uint64_t address;
    };
    /// The first entry of d's scatter-gather list that lies elsewhere.
    std::optional<list_entry> wrong_entry(const flash_desc& d, const dma_memory& memory);
    void invalidate() { m_regions = {}; }

private:
    struct region {
        std::uint64_t begin = 1;
        std::uint64_t end = 0; // last byte
        unsigned char* host = nullptr;
    };
    /// One transfer between memory and the controller.
    struct transfer {
        std::uint64_t address = 0;
        unsigned char* data = nullptr;
        std::uint32_t length = 0;
        data_mode mode = data_mode::full;
        const char* field = "buffer"; // of the descriptor, where the address came from
    };
    void refused(const char* field, std::uint64_t address, std::uint64_t length);
    /// From `at` on; the time of the last byte, or nothing when memory refused.
    std::optional<sim_time> run(tlm::tlm_command command, const transfer& t, sim_time at);
    unsigned char* find(std::uint64_t address, std::uint64_t length) const;

    socket& m_socket;
    std::string m_who;
    fault_log* m_faults;
    std::uint64_t m_order;
    tlm::tlm_generic_payload m_payload;
    std::array<region, 4> m_regions;
    std::size_t m_next_region = 0;
};

/// Calls fn(address, offset, length) for each piece of memory that bytes [begin, begin + length) of
/// d's data occupy; pieces that touch are joined. `list` is the scatter-gather list, with
/// FLASH_FLAG_SG. Stops, and returns false, when fn does.
template <typename Fn>
bool for_each_piece(const flash_desc& d, const std::uint64_t* list, std::uint64_t begin,
                    std::uint32_t length, Fn fn)
{
    if ((d.flags & FLASH_FLAG_SG) == 0) {
        return fn(d.buffer + begin, std::uint32_t{0}, length);
    }
    std::uint32_t offset = 0;
    while (offset < length) {
        const std::uint64_t at = begin + offset;
        const std::uint64_t entry = at / d.sg_unit;
        const std::uint64_t address = list[entry] + at % d.sg_unit;
        std::uint64_t piece = d.sg_unit - at % d.sg_unit;
        for (std::uint64_t e = entry + 1; offset + piece < length; ++e) {
            if (list[e] != address + piece) {
                break;
            }
            piece += d.sg_unit;
        }
        const std::uint32_t left = length - offset;
        const std::uint32_t size = piece < left ? static_cast<std::uint32_t>(piece) : left;
        if (!fn(address, offset, size)) {
            return false;
        }
        offset += size;
    }
    return true;
}

} // namespace ssdvp::flash
