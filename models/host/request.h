// SPDX-License-Identifier: Apache-2.0
//
// A host request: what a workload asks of the drive, and what became of it.
#pragma once

#include <cstdint>

#include "models/common/latency_ledger.h"
#include "models/common/time.h"

namespace ssdvp::host {

enum class request_kind : std::uint8_t { read, write, trim, flush };
constexpr std::size_t request_kinds = 4;

struct request {
    request_kind kind = request_kind::read;
    bool fua = false;
    std::uint16_t stream = 0;  // index of the workload stream
    std::uint64_t lba = 0;     // 512-byte sectors
    std::uint32_t sectors = 0; // 0 for flush
    sim_time arrival;          // when the workload wanted it: latency counts from here
};

struct request_result {
    request req;
    std::uint64_t sequence = 0; // order of completion, from 0
    sim_time submitted;         // first command handed to the drive
    sim_time completed;
    std::uint16_t status = 0; // NVMe status field; 0 = success
    latency_split parts{};    // sums to completed - arrival
    std::uint16_t queue = 0;  // id of the submission queue; of SATA 0
    latency_place place;      // as the parts: of the command that ended last
    [[nodiscard]] sim_time latency() const { return completed - req.arrival; }
};

/// Told of every request's end, in order of completion.
class request_observer {
public:
    virtual ~request_observer() = default;
    virtual void on_complete(const request_result& result) = 0;
};

} // namespace ssdvp::host
