// SPDX-License-Identifier: Apache-2.0
//
// Reads a command's PRP lists and SGL segments. What is wrong with them is remembered in the map,
// not reported: a command fails only when data must move through what is wrong.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/dma_result.h"
#include "models/nvme/data_map.h"

namespace ssdvp::nvme {

/// Reads of host memory, with their time.
class host_reader {
public:
    /// When the bytes are there; ok: the host has memory there.
    virtual dma_result read_host(std::uint64_t address, void* bytes, std::uint32_t length,
                                 sim_time earliest) = 0;

protected:
    ~host_reader() = default;
};

class pointer_walker {
public:
    explicit pointer_walker(host_reader& host) : m_host(host) {}

    /// Finds `size.data` bytes of data and `size.metadata` of metadata. Lists are read from `from`
    /// on; returns when the last has arrived.
    sim_time walk(const nvme_sqe& sqe, const transfer_size& size, data_map& data,
                  data_map& metadata, sim_time from);

private:
    sim_time walk_prps(const nvme_sqe& sqe, data_map& data, sim_time from);
    sim_time walk_list(const nvme_sqe& sqe, data_map& data, sim_time from);
    sim_time walk_metadata(const nvme_sqe& sqe, data_map& metadata, sim_time from);
    /// `length_error`: status where the descriptors do not add up to the map's length.
    sim_time walk_sgl(nvme_sgl first, data_map& map, std::uint16_t length_error, sim_time from);
    sim_time walk_segment(nvme_sgl& segment, data_map& map, std::uint32_t& budget, sim_time from);
    /// False: it is no data block or bit bucket, or there are more bytes than the map's length.
    bool add(const nvme_sgl& descriptor, data_map& map);

    host_reader& m_host;
    bool m_to_host = false;           // the command that is looked at moves data to the host
    std::uint16_t m_length_error = 0; // see walk_sgl
    std::array<std::uint64_t, host_page / 8> m_list{};
    std::array<nvme_sgl, host_page / sizeof(nvme_sgl)> m_descriptors{};
};

} // namespace ssdvp::nvme
