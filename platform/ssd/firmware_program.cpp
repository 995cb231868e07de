// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd/firmware_program.h"

#include <boost/dll/shared_library.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <unistd.h>

#include "models/cpu/flat_cost.h"

extern "C" const firmware_image ssdvp_firmware; // the built-in image

namespace ssdvp::platform {

struct loaded_firmware::library {
    boost::dll::shared_library handle;
};

loaded_firmware::loaded_firmware(const std::string& path, bool profiled) : m_path(path)
{
    if (!path.empty()) {
        load(path);
        load_timing();
        return;
    }
    m_image = &::ssdvp_firmware;
    const fw_timing* timing = builtin_timing();
    if (profiled && timing != nullptr) {
        load_builtin_profile();
    } else if (timing != nullptr) {
        m_timing = std::make_unique<firmware_timing>(*timing, builtin_timing_file(),
                                                     "the built-in firmware");
    }
}

/// The dynamic linker wants a file: one that nothing else sees.
void loaded_firmware::load_builtin_profile()
{
    const std::string_view image = builtin_profile_image();
    const int file = memfd_create("ssdvp_fw_profile.so", MFD_CLOEXEC);
    const bool whole =
        file >= 0 && write(file, image.data(), image.size()) == static_cast<ssize_t>(image.size());
    if (whole) {
        load(fmt::format("/proc/self/fd/{}", file));
    }
    if (file >= 0) {
        close(file);
    }
    if (!whole) {
        throw firmware_error("the built-in firmware: no memory for the image that is profiled");
    }
    m_timing =
        std::make_unique<firmware_timing>(m_library->handle.get<const fw_timing>(FW_TIMING_SYMBOL),
                                          builtin_timing_file(), "the built-in firmware");
}

void loaded_firmware::load(const std::string& path)
{
    if (!std::filesystem::is_regular_file(path)) {
        throw firmware_error(
            fmt::format("{}: no such firmware image; build one with `cmake --build --preset "
                        "release --target ssdvp_fw` or check the path",
                        path));
    }
    m_library = std::make_unique<library>();
    boost::dll::fs::error_code error;
    m_library->handle.load(std::filesystem::absolute(path).string(), error);
    if (error) {
        throw firmware_error(
            fmt::format("{}: not a loadable shared object ({}); build it for this host with "
                        "-shared -fPIC and no undefined symbols",
                        path, error.message()));
    }
    if (!m_library->handle.has(FIRMWARE_IMAGE_SYMBOL)) {
        throw firmware_error(
            fmt::format("{}: exports no `{}`; define `const struct firmware_image {}` as "
                        "firmware/hal/hal.h says",
                        path, FIRMWARE_IMAGE_SYMBOL, FIRMWARE_IMAGE_SYMBOL));
    }
    m_image = &m_library->handle.get<const firmware_image>(FIRMWARE_IMAGE_SYMBOL);
    if (m_image->magic != FIRMWARE_IMAGE_MAGIC || m_image->abi_version != HAL_ABI_VERSION ||
        m_image->main == nullptr) {
        throw firmware_error(
            fmt::format("{}: built for another port (magic {:#x}, version {}, this platform has "
                        "version {}); rebuild it against this firmware/hal/hal.h",
                        path, m_image->magic, m_image->abi_version, HAL_ABI_VERSION));
    }
}

loaded_firmware::~loaded_firmware() = default;

void loaded_firmware::load_timing()
{
    if (!m_library->handle.has(FW_TIMING_SYMBOL)) {
        return;
    }
    const auto& timing = m_library->handle.get<const fw_timing>(FW_TIMING_SYMBOL);
    const std::string path = m_path + ".timing";
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw firmware_error(fmt::format("{}: no such file: the image is timed and needs its "
                                         "tables; keep both files of a build together, or build "
                                         "them again (scripts/fw-build)",
                                         path));
    }
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    m_timing = std::make_unique<firmware_timing>(timing, bytes, path);
}

std::unique_ptr<cpu::instruction_cost> loaded_firmware::cost(const cpu::core_config& config,
                                                             cpu::call_profile* profile) const
{
    if (profile != nullptr && (config.core == "flat" || m_timing == nullptr)) {
        throw firmware_error("--fw-profile: nothing counts instructions at level flat; use a "
                             "cpu.core of its own, and a build with clang and LLVM 14 "
                             "(SSDVP_FW_TIMING=full)");
    }
    if (config.core == "flat" || (m_timing == nullptr && m_path.empty())) {
        return std::make_unique<cpu::flat_cost>(config);
    }
    if (m_timing == nullptr) {
        throw firmware_error(fmt::format("{}: does not count its instructions, which cpu.core {} "
                                         "needs; build it by scripts/fw-build, or use --set "
                                         "cpu.core=flat",
                                         m_path, config.core));
    }
    return m_timing->bind(config.core, config.timing, profile);
}

namespace {

cpu::native_core& core_of(void* ctx)
{
    return static_cast<firmware_program*>(ctx)->core();
}

std::uint32_t port_read32(void* ctx, std::uint64_t address)
{
    return core_of(ctx).read32(address);
}

void port_write32(void* ctx, std::uint64_t address, std::uint32_t value)
{
    core_of(ctx).write32(address, value);
}

std::uint64_t port_wait_irq(void* ctx)
{
    return core_of(ctx).wait_irq();
}

std::uint64_t port_time_ns(void* ctx)
{
    return core_of(ctx).time_ns();
}

void port_log(void* ctx, int level, const char* message, std::uint64_t a, std::uint64_t b)
{
    static constexpr spdlog::level::level_enum levels[] = {
        spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err};
    core_of(ctx).log();
    const auto i =
        static_cast<std::size_t>(level < 0 || level > HAL_LOG_ERROR ? HAL_LOG_ERROR : level);
    spdlog::log(levels[i], "{}: {} ({}, {})", core_of(ctx).name(), message, a, b);
}

void port_panic(void* ctx, const char* file, int line, const char* message)
{
    core_of(ctx).panic(fmt::format("{}:{}", file, line), message);
}

int port_stopping(void* ctx)
{
    return core_of(ctx).stopping() ? 1 : 0;
}

std::uint32_t port_core(void* ctx)
{
    return static_cast<firmware_program*>(ctx)->number();
}

void port_fence(void* ctx)
{
    core_of(ctx).fence();
}

void port_touch(void* ctx, std::uint64_t address, std::uint32_t bytes, int write)
{
    core_of(ctx).touch(address, bytes, write != 0);
}

/// A core without a data cache has no call for it: the firmware asks before it calls.
constexpr hal_ops make_ops(bool dcache)
{
    return {port_read32, port_write32,  port_wait_irq, port_time_ns, port_log,
            port_panic,  port_stopping, port_core,     port_fence,   dcache ? port_touch : nullptr};
}
constexpr hal_ops port_ops = make_ops(false);
constexpr hal_ops port_ops_with_dcache = make_ops(true);

} // namespace

firmware_program::firmware_program(const firmware_image& image, cpu::native_core& core,
                                   const firmware_place& place)
    : m_image(image), m_core(core),
      m_number(place.core), m_hal{core.has_dcache() ? &port_ops_with_dcache : &port_ops, this,
                                  place.sram, place.dram}
{
    core.load(*this);
}

void firmware_program::run()
{
    m_image.main(&m_hal);
}

int firmware_program::precondition(const std::uint64_t* units, std::uint32_t count,
                                   std::uint64_t buffer)
{
    m_core.set_functional(true);
    const int status = m_image.precondition(&m_hal, units, count, buffer);
    m_core.set_functional(false);
    return status;
}

int firmware_program::precondition_end()
{
    m_core.set_functional(true);
    const int status = m_image.precondition_end(&m_hal);
    m_core.set_functional(false);
    return status;
}

} // namespace ssdvp::platform
