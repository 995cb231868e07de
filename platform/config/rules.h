// SPDX-License-Identifier: Apache-2.0
//
// Computed defaults, and the rules that tie keys to each other.
#pragma once

#include <initializer_list>
#include <string>

#include "platform/config/config.h"
#include "platform/config/preset_fit.h"
#include "platform/config/raw.h"
#include "platform/plan/firmware_planner.h"

namespace ssdvp::platform {

/// Where `key` was given, or null.
inline const raw_entry* entry_of(const raw_tree& raw, const std::string& key)
{
    const auto it = raw.values.find(key);
    return it == raw.values.end() ? nullptr : &it->second;
}

inline bool is_given(const raw_tree& raw, const std::string& key)
{
    return entry_of(raw, key) != nullptr;
}

/// Throws a config_error at the place where `key` was written, or the first of `keys` that was.
struct rejection {
    const raw_tree& raw;
    [[noreturn]] void operator()(const char* key, const std::string& what,
                                 const std::string& remedy) const
    {
        const raw_entry* given = entry_of(raw, key);
        fail(given == nullptr ? origin{"defaults", 0, 0} : given->at, key, what, remedy);
    }
    [[noreturn]] void operator()(std::initializer_list<const char*> keys, const std::string& what,
                                 const std::string& remedy) const
    {
        for (const char* key : keys) {
            if (is_given(raw, key)) {
                (*this)(key, what, remedy);
            }
        }
        (*this)(*keys.begin(), what, remedy);
    }
};

/// "key value (place)", for the other keys of a message.
std::string told(const raw_tree& raw, const ssd_config& c, const char* key);

/// `size`, doubled until it holds what is needed or the option `key` takes no more.
std::uint64_t doubled_to(const char* key, std::uint64_t size, std::uint64_t needed);

/// Fills what follows from other keys: computed defaults and copies that the models carry. Values
/// of presets that the other keys do not allow give way through `fit`.
void complete(const raw_tree& raw, ssd_config& c, preset_fit& fit);
/// Throws config_error when keys that are each legal cannot be combined.
void check(const raw_tree& raw, const ssd_config& c);

/// The rest of both, which the firmware is asked for; `own` is null: the one that is built in.
void fit_firmware(const raw_tree& raw, ssd_config& c, const firmware_planner* own, preset_fit& fit);
/// What the host is to send.
void check_workload(const raw_tree& raw, const ssd_config& c);
/// No key of the other interface was given.
void check_interface(const raw_tree& raw, const ssd_config& c, const std::string& presets);
/// Of cores that have a partition each: before what is counted by partition (partition.cpp).
void check_partitions(const raw_tree& raw, const ssd_config& c);

} // namespace ssdvp::platform
