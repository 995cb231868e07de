// SPDX-License-Identifier: Apache-2.0
//
// The drives that a string of bytes may choose from, and one of them with its host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/raw_host.h"

namespace ssdvp::fuzz {

/// A namespace as the host makes it: Namespace Management, dwords 0 to 7 of its data.
struct nvme_namespace {
    std::uint64_t blocks;
    std::uint8_t flbas;      // LBA format; bit 4: metadata behind the data of each block
    std::uint8_t protection; // type
    std::uint8_t command_set;
};

struct nvme_choice {
    const char* name;
    std::vector<std::string> sets;          // as with --set
    std::uint32_t cc;                       // more bits of CC
    bool laid_out;                          // new drives have their namespaces made by the host
    std::vector<nvme_namespace> namespaces; // empty: there is no Namespace Management
};

/// Their order is that of the first byte of a string.
const std::vector<nvme_choice>& nvme_choices();

class nvme_drive {
public:
    explicit nvme_drive(const nvme_choice& choice);

    [[nodiscard]] test::raw_host& host() { return m_host; }
    [[nodiscard]] const nvme_choice& choice() const { return m_choice; }
    /// The drive comes back by a controller reset and reads block 0 of namespace 1; where what it
    /// was told has left no such block, that is made again first. Aborts the process if not.
    void recover();
    void check(const char* when);
    /// A controller reset by the rules, and queues; the process aborts when the drive does not.
    void restart();
    void enable(); // the second half of it

private:
    [[nodiscard]] std::uint32_t access(std::uint8_t opcode);
    [[nodiscard]] std::uint32_t access_when_ready(std::uint8_t opcode);
    void save_something();
    void lay_out();
    [[noreturn]] void fail(const std::string& what, const char* when) const;

    const nvme_choice& m_choice;
    test::raw_host m_host;
    bool m_new = true;
};

} // namespace ssdvp::fuzz
