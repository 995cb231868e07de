// SPDX-License-Identifier: Apache-2.0
//
// The guest's commands as requests: for statistics, logs and traces. A command that trims is one
// request for each of its ranges.
#pragma once

#include <cstdint>

#include "models/host/guest/guest_driver.h"
#include "models/host/request.h"
#include "models/nvme/environment.h"

namespace ssdvp::platform {

class command_record final : public nvme::command_watch {
public:
    explicit command_record(host::request_observer& to) : m_to(to) {}
    /// Where the times of commands are kept, by slot; and the memory where ranges to trim lie.
    void read(const latency_ledger& ledger, const host::guest_driver& guest)
    {
        m_ledger = &ledger;
        m_guest = &guest;
    }

    void on_command(const ended& command, sim_time when) override;

    [[nodiscard]] std::uint64_t admin_commands() const { return m_admin; }
    /// I/O commands that are none of the four kinds of requests: Compare, Copy, ...
    [[nodiscard]] std::uint64_t other_commands() const { return m_others; }

private:
    void trims(const ended& command, host::request_result& r);
    void tell(host::request_result& r);

    host::request_observer& m_to;
    const host::guest_driver* m_guest = nullptr;
    const latency_ledger* m_ledger = nullptr;
    std::uint64_t m_sequence = 0;
    std::uint64_t m_admin = 0;
    std::uint64_t m_others = 0;
};

} // namespace ssdvp::platform
