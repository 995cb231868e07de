// SPDX-License-Identifier: Apache-2.0
//
// Whole small drives, real firmware included, whose host is a string of bytes: it writes registers,
// doorbells, entries and memory as no driver would. The first byte says to which of the drives.
// After each string the drive has to come back by a controller reset and read a block.
//
// The drives serve all strings of a process, because SystemC elaborates once: what one string wrote
// to the flash is there for the next. A failure may therefore need the strings before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/fuzz/nvme_drives.h"

namespace ssdvp::fuzz {

class nvme_target {
public:
    /// Boots the drives and looks whether they work.
    nvme_target();

    /// Does what `bytes` say, then recovers. Aborts the process where the drive is at fault.
    void execute(const std::uint8_t* bytes, std::size_t length);

private:
    class script;

    void step(script& s);
    void ask_for_queues();
    void go_down(script& s, std::uint8_t what);
    void shut_down(std::uint8_t how);
    void order_long_work(std::uint8_t how);
    void put_entry(script& s);
    void write_memory(script& s);
    void write_register(script& s);
    [[nodiscard]] test::raw_host& host() { return m_drive->host(); }

    std::vector<std::unique_ptr<nvme_drive>> m_drives;
    nvme_drive* m_drive = nullptr; // of the string that is executed
};

} // namespace ssdvp::fuzz
