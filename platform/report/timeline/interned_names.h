// SPDX-License-Identifier: Apache-2.0
//
// Names in a Perfetto trace: literals, told apart by where they lie. Each has a number, which a
// track's packets use once one of them has told the name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ssdvp::platform {

class interned_names {
public:
    struct known {
        const char* name = nullptr;
        std::uint64_t told_on = 0; // a track
        std::uint64_t number = 0;
        std::array<char, 8> start{}; // of an annotation of that name: up to the value, a number
        std::size_t length = 0;      // of it
    };

    /// `field`: of InternedData, where they are told.
    explicit interned_names(std::uint32_t field) : m_field(field) {}

    /// Of a literal, for a packet of the track `on`.
    [[nodiscard]] const known& find(const char* name, std::uint64_t on)
    {
        // Where it lies says where to look first; what is there may be another one.
        known& k = m_recent[reinterpret_cast<std::uintptr_t>(name) / 4 % m_recent.size()];
        if (k.name != name || k.told_on != on) {
            look_up(k, name, on);
        }
        return k;
    }
    /// Some were found that their tracks have not told.
    [[nodiscard]] bool fresh() const { return !m_fresh.empty(); }
    /// Tells these.
    void put_fresh(protozero::pbf_writer& data);

private:
    void look_up(known& k, const char* name, std::uint64_t on);

    std::uint32_t m_field;
    std::array<known, 512> m_recent{};
    std::unordered_map<const char*, std::uint64_t> m_all;
    std::vector<std::vector<bool>> m_told; // by track and number
    std::vector<std::pair<const char*, std::uint64_t>> m_fresh;
};

} // namespace ssdvp::platform
