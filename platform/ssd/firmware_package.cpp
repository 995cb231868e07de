// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd/firmware_package.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "firmware/hal/hal.h"
#include "firmware/hal/package.h"
#include "platform/ssd/firmware_error.h"

namespace ssdvp::platform {

package_parts parts_of(const std::vector<unsigned char>& package, const std::string& name)
{
    firmware_package h{};
    static_assert(sizeof h == FIRMWARE_PACKAGE_HEADER);
    if (package.size() < sizeof h) {
        throw firmware_error(fmt::format("{}: {} bytes are no package", name, package.size()));
    }
    std::memcpy(&h, package.data(), sizeof h);
    if (h.magic != FIRMWARE_PACKAGE_MAGIC || h.version != FIRMWARE_PACKAGE_VERSION) {
        throw firmware_error(fmt::format("{}: no package of this platform; make one by "
                                         "scripts/fw-build --package",
                                         name));
    }
    if (h.abi != HAL_ABI_VERSION) {
        throw firmware_error(fmt::format("{}: built for version {} of the port, this platform has "
                                         "version {}",
                                         name, h.abi, HAL_ABI_VERSION));
    }
    const std::uint64_t sum = std::uint64_t{sizeof h} + h.image + h.timing;
    if (h.size != package.size() || sum != h.size) {
        throw firmware_error(
            fmt::format("{}: its parts have {} bytes, it has {}", name, sum, package.size()));
    }
    const auto* body = reinterpret_cast<const char*>(package.data()) + sizeof h;
    return {{body, h.image}, {body + h.image, h.timing}};
}

temporary_file::temporary_file(std::string_view bytes)
    : m_path((std::filesystem::temp_directory_path() / "ssdvp_fw_XXXXXX").string())
{
    const int file = mkstemp(m_path.data());
    const bool whole =
        file >= 0 && write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    const int why = errno;
    if (file >= 0) {
        close(file);
    }
    if (!whole) {
        if (file >= 0) {
            unlink(m_path.c_str());
        }
        throw firmware_error(fmt::format("{}: no room for a firmware image ({}); set TMPDIR to a "
                                         "folder that has some",
                                         m_path, std::strerror(why)));
    }
}

temporary_file::~temporary_file()
{
    unlink(m_path.c_str());
}

} // namespace ssdvp::platform
