// SPDX-License-Identifier: Apache-2.0
//
// What a trace of register accesses is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/time.h"

namespace ssdvp::platform {

/// A register by the names of its description (models/regs/*.rdl).
struct traced_register {
    struct field {
        std::string name;
        std::uint32_t low; // bits
        std::uint32_t high;
    };
    std::string name; // "channel3.SQ_TAIL"
    std::vector<field> fields;
};

/// A place of the firmware's source.
struct traced_function {
    std::string name;
    std::string place; // "channel.c:77"; empty: not known
};

/// An access of a core. What it points to stays until the run is over.
struct register_access {
    sim_time when; // a write leaves the core, a read has its answer
    std::uint32_t core = 0;
    bool write = false;
    std::uint64_t address = 0;
    std::uint32_t value = 0;
    const traced_register* what = nullptr;
    const traced_function* by = nullptr;
};

class access_trace {
public:
    access_trace() = default;
    virtual ~access_trace() = default;
    access_trace(const access_trace&) = delete;
    access_trace& operator=(const access_trace&) = delete;

    virtual void accessed(const register_access& a) = 0;
};

} // namespace ssdvp::platform
