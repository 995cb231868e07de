// SPDX-License-Identifier: Apache-2.0
#include "platform/report/waves/slice_signals.h"

#include "models/regs/channel_records.h"

namespace ssdvp::platform {

slice_fields fields_of(const told_slices& told)
{
    slice_fields f;
    sim_time busy_until;
    for (const timeline_record::entry* e : told) {
        const timeline_slice& s = e->slice;
        f.overlap = f.overlap || s.begin < busy_until;
        busy_until = later(busy_until, s.end);
        f.purpose = f.purpose || s.purpose < FLASH_PURPOSES;
        f.slot = f.slot || s.slot != latency_ledger::no_slot;
        for (const timeline_slice::detail& d : s.details) {
            if (d.name == nullptr) {
                continue;
            }
            const auto same = [&d](const auto& one) { return one.first == d.name; };
            const auto found = std::find_if(f.details.begin(), f.details.end(), same);
            if (found == f.details.end()) {
                f.details.emplace_back(d.name, d.value);
            } else {
                found->second = std::max(found->second, d.value);
            }
        }
    }
    return f;
}

std::uint64_t detail_of(const timeline_slice& s, std::string_view name)
{
    for (const timeline_slice::detail& d : s.details) {
        if (d.name != nullptr && name == d.name) {
            return d.value;
        }
    }
    return wave_set::floating;
}

} // namespace ssdvp::platform
