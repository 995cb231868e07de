// SPDX-License-Identifier: Apache-2.0
//
// Values of presets beside those of others. A preset describes a part or a whole drive; with
// another part, or with keys that a user gives, a value of it may not be possible. Then it yields,
// by as little as is needed, and is named. What a user gives is never changed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/config.h"
#include "platform/config/raw.h"

namespace ssdvp::platform {

/// What the firmware needs of a memory.
struct memory_need {
    const char* key;
    std::uint64_t grain; // the memory is a multiple of it
    std::uint64_t bytes;
    std::function<std::uint64_t(raw_tree presets)> of_presets; // without the keys of a user
    std::string why;
};

class preset_fit {
public:
    /// `presets`: their folder. The tree gets the values that take the place of those that yield.
    preset_fit(raw_tree& raw, std::string presets) : m_raw(raw), m_presets(std::move(presets)) {}

    /// nand.interface.rate, once the mode is known.
    void interface_rate(ssd_config& c);
    /// nand.oob_size, beside a page of another part that is much smaller.
    void spare_area(ssd_config& c);
    /// cache.capacity, once the geometry is complete.
    void buffer(ssd_config& c);
    /// sram.capacity or dram.capacity. A memory is as large as presets of other parts need it; for
    /// keys of a user it grows by less than a factor of two, else it is theirs to say what it is to
    /// be: then it stays, and is refused.
    void memory(ssd_config& c, const memory_need& need);

    /// "place: key: what it was, what it is now and why", of each that yielded.
    [[nodiscard]] std::vector<std::string> notices() const { return m_notices; }

private:
    [[nodiscard]] bool yields(const char* key) const;
    [[nodiscard]] raw_tree presets_alone() const;
    void replace(ssd_config& c, const char* key, std::uint64_t value, const std::string& why);

    raw_tree& m_raw;
    std::string m_presets;
    std::vector<std::string> m_notices;
};

} // namespace ssdvp::platform
