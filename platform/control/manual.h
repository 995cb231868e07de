// SPDX-License-Identifier: Apache-2.0
//
// The manual page ssdvp(1).
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace ssdvp::platform {

/// In the language of man(7): what `--help` says of each command, every configuration key, and
/// what else one asks a manual for. It has no date, so that the same program writes the same page.
[[nodiscard]] std::string manual_page(const CLI::App& app);

} // namespace ssdvp::platform
