// SPDX-License-Identifier: Apache-2.0
//
// Where configuration files are found.
#pragma once

#include <string>
#include <vector>

#include "platform/input/config_error.h"

namespace ssdvp::platform {

/// The folder of presets: `asked` when not empty, else $SSDVP_CONFIGS, else ../share/ssdvp/configs
/// of the program's own folder when that is there, else that of the sources that it was built from.
std::string presets_folder(const std::string& asked);

/// Fails at `at` where `folder` is none; `what` begins the message.
void need_presets(const std::string& folder, const origin& at, const std::string& what = {});

/// Names of all presets below `folder`, sorted: nand/tlc-3d, ...
std::vector<std::string> preset_names(const std::string& folder);

/// Whether a value was written in a file below `folder`.
bool is_preset(const origin& at, const std::string& folder);

/// Path of the file that `name` means: a path from `base` (the folder of the file that extends it;
/// empty: the working folder), else a preset below `folder`. Fails at `at`.
std::string find_config(const std::string& name, const std::string& base, const std::string& folder,
                        const origin& at, const std::string& key);

} // namespace ssdvp::platform
