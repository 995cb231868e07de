// SPDX-License-Identifier: Apache-2.0
//
// A ring in the controller's memory, reached through a direct memory pointer.
#pragma once

#include <cstdint>
#include <tlm_utils/simple_initiator_socket.h>

namespace ssdvp {

class ring_view {
public:
    /// Asks for the pointer and returns to the first entry. False: the memory refuses direct
    /// access to that range. A size of 0 takes the ring away.
    bool open(tlm::tlm_fw_transport_if<>& memory, std::uint32_t entries, std::uint32_t entry_size);

    [[nodiscard]] bool is_open() const { return m_entries != nullptr; }
    [[nodiscard]] std::uint32_t size() const { return m_size; }
    [[nodiscard]] unsigned char* at(std::uint32_t index)
    {
        return m_entries + std::size_t{index} * m_entry_size;
    }
    [[nodiscard]] std::uint32_t after(std::uint32_t index) const
    {
        return index + 1 == m_size ? 0 : index + 1;
    }
    /// Entries from index `from` up to index `to`.
    [[nodiscard]] std::uint32_t distance(std::uint32_t from, std::uint32_t to) const
    {
        return to >= from ? to - from : to + m_size - from;
    }

    std::uint64_t base = 0; // controller address, as the registers hold it
    std::uint32_t head = 0; // first entry not consumed
    std::uint32_t tail = 0; // first entry not produced
    std::uint8_t phase = 1; // of the entry at tail, where the front end produces

    /// Room for one more entry: head = tail means empty, so one entry stays free.
    [[nodiscard]] std::uint32_t room() const
    {
        return m_size == 0 ? 0 : m_size - 1 - distance(head, tail);
    }
    void produced()
    {
        tail = after(tail);
        phase = static_cast<std::uint8_t>(phase ^ (tail == 0 ? 1 : 0));
    }

private:
    unsigned char* m_entries = nullptr;
    std::uint32_t m_size = 0;
    std::uint32_t m_entry_size = 0;
};

} // namespace ssdvp
