// SPDX-License-Identifier: Apache-2.0
//
// Carries out descriptors on the cells at once: no bus, no array time, no kernel. The contents
// afterwards are those of the timed path. For preconditioning.
#pragma once

#include <vector>

#include "models/flash/channel/descriptor.h"
#include "models/flash/channel/dma.h"
#include "models/flash/config.h"
#include "models/flash/die/cell_array.h"

namespace ssdvp::flash {

class functional_executor {
public:
    struct outcome {
        flash_status status = FLASH_STATUS_OK;
        plane_set plane_fail;
    };

    functional_executor(const channel_config& config, dma& memory);
    void attach(cell_array& cells) { m_luns.push_back(&cells); }

    /// Precondition: descriptor_error(d) is null.
    outcome execute(const flash_desc& d);

private:
    flash_status copy(const flash_desc& d, const cell_address& from, const std::uint64_t* list,
                      std::uint32_t index);
    flash_status one_plane(const flash_desc& d, plane_index plane, std::uint32_t index);
    bool fill(const flash_desc& d, const std::uint64_t* list, std::uint32_t index);
    bool read_out(const flash_desc& d, const cell_address& from, const std::uint64_t* list,
                  std::uint32_t index);
    bool address_list(const flash_desc& d, const std::uint64_t*& list);

    const channel_config& m_config;
    dma& m_memory;
    indexed<lun_index, cell_array*> m_luns;
    page_register m_page;
    std::vector<unsigned char> m_copy;
};

} // namespace ssdvp::flash
