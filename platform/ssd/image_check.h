// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a firmware image, in words that name file, reason and remedy.
#pragma once

#include <string>

#include "firmware/hal/hal.h"

namespace ssdvp::platform {

/// Before the loader sees the file: what that would say in words of its own, or not at all. Throws
/// firmware_error.
void check_image_file(const std::string& path);
/// What the file exports. Throws firmware_error.
void check_image(const std::string& path, const firmware_image& image);

} // namespace ssdvp::platform
