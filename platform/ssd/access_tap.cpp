// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd/access_tap.h"

#include <string>

#include "platform/ssd/call_stack.h"

namespace ssdvp::platform {

namespace {

/// "function at path/file:line" of call_stack.
traced_function split(const std::string& text)
{
    const std::size_t at = text.find(" at ");
    std::string place = text.substr(at + 4);
    place = place.substr(place.rfind('/') + 1);
    const std::size_t colon = place.rfind(":?"); // no line is known
    return {text.substr(0, at), place.substr(0, colon)};
}

/// Functions that were inlined into each other, the innermost first, as "outer>inner". The port's
/// own wrapper is left out: all of them call it.
traced_function caller(const std::vector<std::string>& names)
{
    traced_function all;
    for (const std::string& name : names) {
        const traced_function f = split(name);
        if (f.place.rfind("hal.h", 0) == 0) {
            continue;
        }
        all.name = all.name.empty() ? f.name : f.name + ">" + all.name;
        all.place = all.place.empty() ? f.place : all.place;
    }
    return all;
}

} // namespace

/// Asks binutils once for each place.
const traced_function& access_tap::function_of(const void* from)
{
    const auto known = m_functions.find(from);
    return known != m_functions.end()
               ? known->second
               : m_functions.emplace(from, caller(call_stack::names_of(from))).first->second;
}

void access_tap::accessed(const access& a)
{
    auto named = m_named.find(a.address);
    if (named == m_named.end()) {
        named = m_named.emplace(a.address, m_registers.trace_name(a.address)).first;
    }
    m_to.accessed(
        {a.when, a.core, a.write, a.address, a.value, &named->second, &function_of(a.from)});
}

} // namespace ssdvp::platform
