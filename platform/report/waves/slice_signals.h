// SPDX-License-Identifier: Apache-2.0
//
// The slices of a track as signals: which they need, and what is shown when.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/report/timeline/record.h"
#include "platform/report/waves/waves.h"

namespace ssdvp::platform {

/// Numbers of a track's signals.
struct slice_signals {
    std::uint32_t state = 0;
    std::optional<std::uint32_t> active; // how many slices go on
    std::optional<std::uint32_t> purpose;
    std::optional<std::uint32_t> slot;
    std::vector<std::pair<std::string_view, std::uint32_t>> details;
};

/// What slices say beside their names.
struct slice_fields {
    bool overlap = false;
    bool purpose = false;
    bool slot = false;
    std::vector<std::pair<std::string_view, std::uint64_t>> details; // with the largest value
};

using told_slices = std::vector<const timeline_record::entry*>; // in order of their beginnings

[[nodiscard]] slice_fields fields_of(const told_slices& told);
[[nodiscard]] std::uint64_t detail_of(const timeline_slice& s, std::string_view name);

/// Calls show(time, slice, how many go on) when the slice that began last changes, with null when
/// none goes on.
template <typename Show>
void sweep(const told_slices& told, const Show& show)
{
    std::vector<const timeline_slice*> active; // in order of their beginnings
    const auto retire = [&](sim_time until) {
        while (!active.empty()) {
            const auto first = std::min_element(
                active.begin(), active.end(),
                [](const timeline_slice* a, const timeline_slice* b) { return a->end < b->end; });
            if ((*first)->end > until) {
                return;
            }
            const sim_time end = (*first)->end;
            active.erase(first);
            show(end, active.empty() ? nullptr : active.back(), active.size());
        }
    };
    for (const timeline_record::entry* e : told) {
        if (e->slice.end <= e->slice.begin) {
            continue;
        }
        retire(e->slice.begin);
        active.push_back(&e->slice);
        show(e->slice.begin, &e->slice, active.size());
    }
    retire(sim_time(~std::uint64_t{0}));
}

} // namespace ssdvp::platform
