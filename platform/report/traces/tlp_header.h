// SPDX-License-Identifier: Apache-2.0
//
// Headers of TLPs as they go over the link (PCI Express base 5.0 section 2.2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/pcie/tlp_watch.h"

namespace ssdvp::platform {

/// Bus, device and function of whoever sent the request, or answers it.
[[nodiscard]] std::uint16_t requester_of(const pcie::packet& t);
[[nodiscard]] std::uint16_t completer_of(const pcie::packet& t);
/// "01:00.0"
[[nodiscard]] std::string text_of_id(std::uint16_t id);
/// Doublewords, the first byte on the wire on top.
[[nodiscard]] std::vector<std::uint32_t> header_of(const pcie::packet& t);

} // namespace ssdvp::platform
