// SPDX-License-Identifier: Apache-2.0
//
// A firmware image: the built-in one, or one from a shared object.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "firmware/hal/hal.h"

namespace ssdvp::platform {

/// The image cannot be loaded: the message names the file, the reason and the remedy.
class firmware_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A firmware image, the built-in one or one from a shared object that stays loaded with it.
class loaded_firmware {
public:
    /// Empty path: the firmware that is built in. Throws firmware_error.
    explicit loaded_firmware(const std::string& path);
    ~loaded_firmware();
    loaded_firmware(const loaded_firmware&) = delete;
    loaded_firmware& operator=(const loaded_firmware&) = delete;

    [[nodiscard]] const firmware_image& image() const { return *m_image; }
    /// Throws firmware_error when the image lacks the entries that preconditioning calls.
    void need_precondition() const;

private:
    struct library;
    std::string m_path;
    std::unique_ptr<library> m_library;
    const firmware_image* m_image = nullptr;
};

} // namespace ssdvp::platform
