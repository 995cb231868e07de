// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/pointer_walker.h"

#include <algorithm>
#include <cstring>

namespace ssdvp::nvme {

static_assert(sizeof(nvme_sgl) == 16);

namespace {

nvme_psdt psdt_of(const nvme_sqe& sqe)
{
    return static_cast<nvme_psdt>(sqe.flags >> NVME_PSDT_SHIFT);
}

nvme_sgl descriptor_of(const nvme_sqe& sqe)
{
    nvme_sgl d;
    static_assert(offsetof(nvme_sqe, prp2) == offsetof(nvme_sqe, prp1) + 8);
    std::memcpy(&d.address, &sqe.prp1, sizeof sqe.prp1);
    std::memcpy(reinterpret_cast<unsigned char*>(&d) + 8, &sqe.prp2, sizeof sqe.prp2);
    return d;
}

constexpr std::uint32_t type_of(const nvme_sgl& d)
{
    return d.type >> 4;
}
constexpr bool is_segment(const nvme_sgl& d)
{
    return type_of(d) == NVME_SGL_SEGMENT || type_of(d) == NVME_SGL_LAST_SEGMENT;
}
/// Subtype 0, an address, is the only one that there is over PCIe.
constexpr bool is_known(const nvme_sgl& d)
{
    return d.type % 16 == 0 && type_of(d) <= NVME_SGL_LAST_SEGMENT;
}
/// A whole number of descriptors, but none, at a quadword.
constexpr bool is_sound_segment(const nvme_sgl& d)
{
    return d.length != 0 && d.length % sizeof(nvme_sgl) == 0 && d.address % 8 == 0;
}

/// Opcodes tell the direction in their last two bits: 10b is to the host.
constexpr bool moves_to_host(const nvme_sqe& sqe)
{
    return sqe.opcode % 4 == 2;
}

} // namespace

sim_time pointer_walker::walk(const nvme_sqe& sqe, const transfer_size& size, data_map& data,
                              data_map& metadata, sim_time from)
{
    data.length = static_cast<std::uint32_t>(size.data);
    metadata.length = static_cast<std::uint32_t>(size.metadata);
    m_to_host = moves_to_host(sqe);
    switch (psdt_of(sqe)) {
    case NVME_PSDT_PRP:
        from = walk_prps(sqe, data, from);
        break;
    case NVME_PSDT_SGL:
    case NVME_PSDT_SGL_MPTR:
        data.by_runs = true;
        if (data.length != 0) {
            from = walk_sgl(descriptor_of(sqe), data, NVME_SC_DATA_SGL_LENGTH_INVALID, from);
        }
        break;
    default: // reserved
        data.by_runs = true;
        data.error = NVME_SC_INVALID_FIELD;
        break;
    }
    return metadata.length == 0 ? from : walk_metadata(sqe, metadata, from);
}

sim_time pointer_walker::walk_prps(const nvme_sqe& sqe, data_map& data, sim_time from)
{
    data.first = sqe.prp1;
    const auto bad = [&](std::uint64_t page) {
        data.bad_page = page;
        data.error = NVME_SC_PRP_OFFSET_INVALID;
        return from;
    };
    if (data.length == 0) {
        return from;
    }
    if (data.first % 4 != 0) {
        return bad(0);
    }
    const std::uint64_t pages = data.page_count();
    if (pages < 2) {
        return from;
    }
    if (pages > 2) {
        return walk_list(sqe, data, from);
    }
    data.pages.push_back(sqe.prp2);
    return sqe.prp2 % host_page != 0 ? bad(1) : from;
}

/// A list may start anywhere in its page; where it reaches the page's end with entries still to
/// come, its last entry points to the next list.
sim_time pointer_walker::walk_list(const nvme_sqe& sqe, data_map& data, sim_time from)
{
    std::uint64_t list = sqe.prp2;
    std::uint64_t left = data.page_count() - 1;
    const auto bad = [&](std::uint16_t status) {
        data.bad_page = data.pages.size() + 1;
        data.error = status;
        return from;
    };
    if (list % sizeof(std::uint64_t) != 0) {
        return bad(NVME_SC_PRP_OFFSET_INVALID);
    }
    while (left != 0) {
        const std::uint64_t here = (host_page - list % host_page) / sizeof(std::uint64_t);
        const std::uint64_t entries = std::min(left, here);
        const dma_result r = m_host.read_host(
            list, m_list.data(), static_cast<std::uint32_t>(entries * sizeof(std::uint64_t)), from);
        from = r.end;
        if (!r.ok) {
            return bad(NVME_SC_DATA_TRANSFER_ERROR);
        }
        const bool chained = left > here;
        const std::uint64_t data_entries = chained ? entries - 1 : entries;
        for (std::uint64_t i = 0; i < data_entries; ++i) {
            if (m_list[i] % host_page != 0) {
                return bad(NVME_SC_PRP_OFFSET_INVALID);
            }
            data.pages.push_back(m_list[i]);
        }
        left -= data_entries;
        if (chained) {
            list = m_list[entries - 1];
            if (list % host_page != 0) {
                return bad(NVME_SC_PRP_OFFSET_INVALID);
            }
        }
    }
    return from;
}

/// MPTR is the address of the metadata, or of one SGL descriptor.
sim_time pointer_walker::walk_metadata(const nvme_sqe& sqe, data_map& metadata, sim_time from)
{
    metadata.by_runs = true;
    if (psdt_of(sqe) != NVME_PSDT_SGL_MPTR) {
        if (psdt_of(sqe) == NVME_PSDT_PRP && sqe.mptr % 4 != 0) {
            metadata.error = NVME_SC_INVALID_FIELD;
            return from;
        }
        metadata.runs.push_back({sqe.mptr, metadata.length, false});
        return from;
    }
    if (sqe.mptr % 8 != 0) {
        metadata.error = NVME_SC_INVALID_SGL_SEGMENT;
        return from;
    }
    nvme_sgl first{};
    const dma_result r = m_host.read_host(sqe.mptr, &first, sizeof first, from);
    if (!r.ok) {
        metadata.error = NVME_SC_DATA_TRANSFER_ERROR;
        return r.end;
    }
    return walk_sgl(first, metadata, NVME_SC_METADATA_SGL_LENGTH_INVALID, r.end);
}

sim_time pointer_walker::walk_sgl(nvme_sgl first, data_map& map, std::uint16_t length_error,
                                  sim_time from)
{
    std::uint32_t budget = sgl_descriptors_max;
    m_length_error = length_error;
    if (!is_known(first)) {
        map.error = NVME_SC_SGL_TYPE_INVALID;
    } else if (!is_segment(first)) {
        add(first, map);
    } else {
        // walk_segment() leaves the next segment's descriptor, and of the last one none.
        for (nvme_sgl segment = first; segment.length != 0 && map.error == 0;) {
            from = walk_segment(segment, map, budget, from);
        }
        if (first.length == 0) {
            map.error = NVME_SC_INVALID_SGL_SEGMENT;
        }
    }
    const std::uint32_t end = map.runs.empty() ? 0 : map.runs.back().end;
    if (map.error == 0 && end != map.length) {
        map.error = length_error;
    }
    return from;
}

sim_time pointer_walker::walk_segment(nvme_sgl& segment, data_map& map, std::uint32_t& budget,
                                      sim_time from)
{
    const auto bad = [&](std::uint16_t status) {
        map.error = status;
        return from;
    };
    const bool last = type_of(segment) == NVME_SGL_LAST_SEGMENT;
    if (!is_sound_segment(segment)) {
        return bad(NVME_SC_INVALID_SGL_SEGMENT);
    }
    std::uint64_t at = segment.address;
    std::uint32_t left = segment.length / sizeof(nvme_sgl);
    if (left > budget) {
        return bad(NVME_SC_INVALID_SGL_COUNT);
    }
    budget -= left;
    segment.length = 0;
    while (left != 0) {
        const auto count = std::min(left, static_cast<std::uint32_t>(m_descriptors.size()));
        const dma_result r =
            m_host.read_host(at, m_descriptors.data(), count * sizeof(nvme_sgl), from);
        from = r.end;
        if (!r.ok) {
            return bad(NVME_SC_DATA_TRANSFER_ERROR);
        }
        at += count * sizeof(nvme_sgl);
        left -= count;
        for (std::uint32_t i = 0; i < count; ++i) {
            const nvme_sgl& d = m_descriptors[i];
            if (!is_known(d)) {
                return bad(NVME_SC_SGL_TYPE_INVALID);
            }
            if (!is_segment(d)) {
                if (!add(d, map)) {
                    return from;
                }
                continue;
            }
            if (left != 0 || i + 1 != count) {
                return bad(NVME_SC_INVALID_SGL_COUNT);
            }
            if (last || d.length == 0) {
                return bad(NVME_SC_INVALID_SGL_SEGMENT);
            }
            segment = d;
        }
    }
    // One that is not the last leads to another.
    return last || segment.length != 0 ? from : bad(NVME_SC_INVALID_SGL_SEGMENT);
}

/// A bit bucket takes part only in data for the host (figure 117 of base 1.4).
bool pointer_walker::add(const nvme_sgl& descriptor, data_map& map)
{
    const bool bucket = type_of(descriptor) == NVME_SGL_BIT_BUCKET;
    const std::uint32_t end = map.runs.empty() ? 0 : map.runs.back().end;
    if (descriptor.length == 0 || (bucket && !m_to_host)) {
        return true;
    }
    if (descriptor.length > map.length - end) {
        map.error = m_length_error;
        return false;
    }
    map.runs.push_back({descriptor.address, end + descriptor.length, bucket});
    return true;
}

} // namespace ssdvp::nvme
