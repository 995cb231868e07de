// SPDX-License-Identifier: Apache-2.0
//
// What a block keeps from one process to the next. Each has one function for both ways,
// keep(state_archive&), which names its parts in order: written when a state is saved, replaced
// when it is loaded. Large tables hold indices, never addresses: their pages come from the file as
// they are touched, copied when they are written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "models/common/lazy_array.h"

namespace ssdvp {

class state_archive {
public:
    state_archive() = default;
    virtual ~state_archive() = default;
    state_archive(const state_archive&) = delete;
    state_archive& operator=(const state_archive&) = delete;

    [[nodiscard]] virtual bool loading() const = 0;

    template <typename T>
    void value(T& v)
    {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
        bytes(&v, sizeof v);
    }
    /// All elements; as many as were saved when it is loaded.
    template <typename T>
    void list(std::vector<T>& v)
    {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
        std::uint64_t count = v.size();
        value(count);
        v.resize(count);
        bytes(v.data(), count * sizeof(T));
    }
    /// A set of trivial values.
    template <typename Set>
    void set(Set& s)
    {
        std::vector<typename Set::key_type> keys(s.begin(), s.end());
        list(keys);
        s = Set(keys.begin(), keys.end());
    }
    /// A map of them.
    template <typename Map>
    void map(Map& m)
    {
        std::vector<typename Map::key_type> keys;
        std::vector<typename Map::mapped_type> values;
        for (const auto& [key, mapped] : m) {
            keys.push_back(key);
            values.push_back(mapped);
        }
        list(keys);
        list(values);
        m.clear();
        for (std::size_t i = 0; i < keys.size(); ++i) {
            m[keys[i]] = values[i];
        }
    }
    /// The first `used` elements, which `used` says the same for when it is loaded; the others are
    /// zeros. Pages of zeros take no room in the file.
    template <typename T>
    void pages(lazy_array<T>& a, std::size_t used)
    {
        pages(reinterpret_cast<unsigned char*>(a.data()), used * sizeof(T));
        if (loading()) {
            a.came_from_file(used * sizeof(T));
        }
    }

protected:
    virtual void bytes(void* at, std::size_t count) = 0;
    /// `at`: where pages of the host begin.
    virtual void pages(unsigned char* at, std::size_t used) = 0;
};

} // namespace ssdvp
