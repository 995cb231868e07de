// SPDX-License-Identifier: Apache-2.0
//
// The address space of the host that a run takes. Little of it ever is memory, but where it is
// limited (ulimit -v) a run that does not fit is refused before it begins.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/config/loader.h"

namespace ssdvp::platform {

class memory_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct memory_part {
    std::string what; // with the key that decides how much
    std::uint64_t bytes;
};

/// What grows with the configuration of a drive. `session`: clients write what is checked apart.
[[nodiscard]] std::vector<memory_part> memory_parts(const ssd_config& c, bool session);
/// ... with that of an array, of such members, and with the number of drives that run together.
[[nodiscard]] memory_part memory_of_array(const named_array& a, const ssd_config& member);
[[nodiscard]] memory_part memory_of_threads(std::size_t threads);

/// Throws memory_error, which names the parts, when the host has no room for all of them.
void need_memory(std::vector<memory_part> parts);
/// ... no memory for what they fill.
void need_filled(const std::vector<memory_part>& parts);

/// What the run is sure to fill of it, the rest being a reservation.
[[nodiscard]] std::vector<memory_part> memory_filled(const ssd_config& c);
/// Memory that the host can still give this process; 0 = unknown.
[[nodiscard]] std::uint64_t memory_there();
/// Why so much does not go into it, with both figures; empty: it does.
[[nodiscard]] std::string memory_lack(const std::vector<memory_part>& filled, std::uint64_t there);

/// The run begins: what fails from here on is no refusal.
void run_begins();
/// For who got no memory, as the exception says in `what`: says so on stderr, with what was asked
/// for and what there is, and returns the exit code. It allocates nothing.
int out_of_memory(const char* what);
/// From now on the heap says so too, also where nobody can catch it, instead of "terminate called".
void name_memory();

} // namespace ssdvp::platform
