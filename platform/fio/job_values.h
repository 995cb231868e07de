// SPDX-License-Identifier: Apache-2.0
//
// Values of fio's options. All throw config_error, named after the option.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/common/time.h"
#include "platform/fio/job_text.h"

namespace ssdvp::platform::fio {

/// The value of an option, and how to read it.
struct value {
    const entry& from;
    unsigned kb_base = 1024; // 1024: k is 1024 and kib 1000, fio's default; 1000: the other way
    [[nodiscard]] const word& text() const { return from.value; }
    [[nodiscard]] const std::string& name() const { return from.name.text; }
    [[noreturn]] void refuse(const word& at, const std::string& what,
                             const std::string& remedy) const;
};

/// Bytes, or a share of something.
struct amount {
    std::uint64_t bytes = 0;
    double share = -1.0; // >= 0: of the drive, or of the file
    origin at;
    bool given = false;
};

std::uint64_t number(const value& v, const word& w, std::uint64_t low, std::uint64_t high);
double real(const value& v, const word& w, double low, double high);
/// Bytes with fio's suffixes: 4k, 4kib, 1m, 0x1000.
std::uint64_t bytes(const value& v, const word& w);
/// The same, whole sectors of 512 bytes.
std::uint64_t whole_sectors(const value& v, const word& w);
amount bytes_or_share(const value& v, const word& w);
/// `unit`: of a number without one.
sim_time duration(const value& v, const word& w, sim_time unit);
/// Without a value: true.
bool flag(const value& v);
/// The index of the text in the list.
std::size_t choice(const value& v, const word& w, const std::vector<std::string>& choices);

/// Values for reads, writes and trims, separated by commas. The last is that of those behind it;
/// an empty one leaves its kind alone. `set(kind, word)`.
void by_kind(const value& v, const std::function<void(std::size_t, const word&)>& set);

} // namespace ssdvp::platform::fio
