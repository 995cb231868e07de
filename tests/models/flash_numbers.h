// SPDX-License-Identifier: Apache-2.0
//
// Places in a LUN by plain numbers, as tests have them.
#pragma once

#include "models/flash/die/cell_array.h"

namespace ssdvp::flash {

constexpr cell_address page_at(std::uint32_t plane, std::uint32_t block, std::uint32_t page)
{
    return {plane_index(plane), block_index(block), page_index(page)};
}
inline worn_page worn_at(std::uint32_t block, std::uint32_t page, std::uint32_t erases)
{
    return {lun_block_index(block), page_index(page), erases};
}

} // namespace ssdvp::flash
