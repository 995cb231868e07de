// SPDX-License-Identifier: Apache-2.0
//
// Out-of-band bytes that do not follow the data of their page: the column moves to the spare area
// (ONFI, Change Write Column and Change Read Column).
#include "models/flash/channel/sequencer.h"

#include "models/flash/bus/onfi_bus.h"

namespace ssdvp::flash {

bool sequencer::spare_apart(const flash_desc& d) const
{
    const bool both = d.length != 0 && d.oob_length != 0;
    return both && m_config.spare == spare_layout::page_end &&
           d.column + d.length < m_config.die.geo.page_size;
}

/// The group after that of the data of `d`: command, column of the spare area, its bytes.
void sequencer::at_spare(const flash_desc& d, onfi::opcode first, onfi::opcode second)
{
    flash_desc spare = d;
    spare.column = m_config.die.geo.page_size;
    spare.length = 0;
    prepare(spare, m_group.plane);
    m_group.first = first;
    m_group.second = second;
    m_group.column_cycles = column_address;
    const bool in = first == onfi::CHANGE_WRITE_COLUMN;
    carry_data(in ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, spare);
}

/// 80h, addresses, data; 85h, column, out-of-band bytes. Cut-through, as in send_data_in().
bool sequencer::send_data_apart(const flash_desc& d, std::uint32_t index, sim_time& at)
{
    const onfi::opcode confirm = m_group.second;
    carry_data(tlm::TLM_WRITE_COMMAND, d);
    const auto fetched = m_memory.move_plane(d, plane_of_page(tlm::TLM_READ_COMMAND, d, index), at);
    if (!fetched) {
        return false;
    }
    m_group.oob_length = 0;
    m_group.second = onfi::NO_COMMAND;
    const sim_time data = m_timing.group(m_group, onfi_bus::bytes_of(m_payload, m_group));
    onfi::extension spare;
    spare.first = onfi::CHANGE_WRITE_COLUMN;
    spare.second = confirm;
    spare.column_cycles = column_address;
    spare.data_in = true;
    const sim_time length = data + m_timing.group(spare, d.oob_length);
    if (!send(later(at, *fetched - length), at)) {
        return false;
    }
    at_spare(d, onfi::CHANGE_WRITE_COLUMN, confirm);
    return send(at, at);
}

/// 05h, column, E0h, out-of-band bytes of the plane whose data are out.
bool sequencer::spare_out(const flash_desc& d, sim_time& at)
{
    at_spare(d, onfi::CHANGE_READ_COLUMN_1, onfi::CHANGE_READ_COLUMN_2);
    return send(at, at);
}

} // namespace ssdvp::flash
