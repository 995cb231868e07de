// SPDX-License-Identifier: Apache-2.0
//
// A whole small drive, real firmware included, whose host is a string of bytes: it writes
// registers, doorbells, entries and memory as no driver would. After each string the drive has to
// come back by a controller reset and read a sector.
//
// One drive serves all strings of a process, because SystemC elaborates once: what one string wrote
// to the flash is there for the next. A failure may therefore need the strings before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/support/raw_host.h"

namespace ssdvp::fuzz {

class nvme_target {
public:
    /// Boots the drive and looks whether it works.
    nvme_target();

    /// Does what `bytes` say, then recovers. Aborts the process where the drive is at fault.
    void execute(const std::uint8_t* bytes, std::size_t length);

private:
    class script;

    void step(script& s);
    void ask_for_queues();
    void put_entry(script& s);
    void write_memory(script& s);
    void write_register(script& s);
    void recover();
    void check(const char* when);
    [[noreturn]] static void fail(const std::string& what, const char* when);

    test::raw_host m_host;
};

} // namespace ssdvp::fuzz
