// SPDX-License-Identifier: Apache-2.0
#include "platform/input/sha256.h"

#include <array>
#include <openssl/evp.h>
#include <stdexcept>

#include <fmt/format.h>

namespace ssdvp::platform {

std::string sha256(std::string_view bytes)
{
    std::array<unsigned char, 32> digest{};
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) !=
        1) {
        throw std::runtime_error("libcrypto has no SHA-256");
    }
    return fmt::format("{:02x}", fmt::join(digest, ""));
}

} // namespace ssdvp::platform
