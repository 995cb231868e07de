// SPDX-License-Identifier: Apache-2.0
//
// The guest's ATA commands as requests, as command_record.h has those of NVMe. A command that trims
// is one request for each of its ranges.
#pragma once

#include <cstdint>

#include "models/common/latency_ledger.h"
#include "models/host/request.h"
#include "models/sata/environment.h"

namespace ssdvp::platform {

class ata_record final : public sata::command_watch {
public:
    explicit ata_record(host::request_observer& to) : m_to(to) {}
    /// Where the times of commands are kept, by the adapter's slot.
    void read(const latency_ledger& ledger) { m_ledger = &ledger; }

    void on_command(const ended& command, sim_time when) override;

private:
    void trims(const ended& command, host::request_result& r);
    void tell(host::request_result& r);

    host::request_observer& m_to;
    const latency_ledger* m_ledger = nullptr;
    std::uint64_t m_sequence = 0;
};

} // namespace ssdvp::platform
