// SPDX-License-Identifier: Apache-2.0
//
// Accesses of firmware to registers, with the names of both: what the trace of them is told.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "platform/report/traces/register_access.h"
#include "platform/ssd/register_guard.h"

namespace ssdvp::platform {

class access_tap {
public:
    struct access {
        sim_time when;
        std::uint32_t core;
        bool write;
        std::uint64_t address;
        std::uint32_t value;
        const void* from; // return address of the call
    };

    /// Both outlive this.
    access_tap(access_trace& to, const register_guard& registers) : m_to(to), m_registers(registers)
    {}
    void accessed(const access& a);

private:
    const traced_function& function_of(const void* from);

    access_trace& m_to;
    const register_guard& m_registers;
    std::unordered_map<std::uint64_t, traced_register> m_named; // by address
    std::unordered_map<const void*, traced_function> m_functions;
};

} // namespace ssdvp::platform
