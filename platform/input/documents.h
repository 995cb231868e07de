// SPDX-License-Identifier: Apache-2.0
//
// YAML files: one, or one with all that it extends.
#pragma once

#include <string>
#include <vector>
#include <yaml-cpp/yaml.h>

#include "platform/input/config_error.h"

namespace ssdvp::platform {

struct document {
    std::string path;
    YAML::Node root;
};

/// Of a file, or of the value of a command-line option.
[[noreturn]] void syntax_error(const origin& at, const YAML::Exception& e);

/// Throws config_error for what is no single YAML document.
YAML::Node load_document(const std::string& path);

/// The file and what it extends, each once, in the order in which they are merged: where several
/// extend one, it counts where it would come last. `folder`: of presets.
std::vector<document> documents_of(const std::string& path, const std::string& folder);

} // namespace ssdvp::platform
