// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd/firmware_program.h"

#include <boost/dll/shared_library.hpp>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <unistd.h>

#include "models/cpu/flat_cost.h"
#include "models/cpu/watched_cost.h"
#include "platform/plan/image_trap.h"
#include "platform/ssd/firmware_error.h"
#include "platform/ssd/firmware_package.h"
#include "platform/ssd/image_check.h"

extern "C" const firmware_image ssdvp_firmware; // the built-in image

namespace ssdvp::platform {

struct loaded_firmware::library {
    library() = default;
    ~library()
    {
        const image_trap trap(path, "one of its destructors");
        handle.unload();
        if (file >= 0) {
            close(file);
        }
    }
    library(const library&) = delete;
    library& operator=(const library&) = delete;

    boost::dll::shared_library handle;
    std::string path; // as messages name it
    int file = -1;    // it came from, when nothing else sees that
};

namespace {

constexpr const char* while_loading =
    "one of its constructors, or a pointer of its ssdvp_firmware,";

std::string bytes_of(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

image_use image_use_for(const cpu::core_config& core, bool profiled)
{
    return profiled || core.icache.cache.size != 0 ? image_use::watched : image_use::shared;
}

loaded_firmware::loaded_firmware(const std::string& path, image_use use) : m_path(path)
{
    if (!path.empty()) {
        const image_trap trap(path, while_loading);
        use == image_use::own ? load_bytes(bytes_of(path)) : load(path);
        load_timing();
        return;
    }
    m_image = &::ssdvp_firmware;
    const fw_timing* timing = builtin_timing();
    if (use != image_use::shared && timing != nullptr) {
        load_builtin_copy();
    } else if (timing != nullptr) {
        m_timing = std::make_unique<firmware_timing>(*timing, builtin_timing_file(),
                                                     "the built-in firmware");
    }
}

/// The dynamic linker wants a file: one that nothing else sees. It stays open, for the linker takes
/// a name that it knows for the image that it has.
void loaded_firmware::load_bytes(std::string_view image)
{
    m_library = std::make_unique<library>();
    m_library->file = memfd_create("ssdvp_fw.so", MFD_CLOEXEC);
    const int file = m_library->file;
    if (file >= 0 &&
        write(file, image.data(), image.size()) == static_cast<ssize_t>(image.size())) {
        load(fmt::format("/proc/self/fd/{}", file));
    } else {
        throw firmware_error(fmt::format("{}: no memory for a copy of the image",
                                         m_path.empty() ? "the built-in firmware" : m_path));
    }
}

/// The one that tells what it does: it spends what the other one does, and comes as a file.
void loaded_firmware::load_builtin_copy()
{
    load_bytes(builtin_profile_image());
    m_timing =
        std::make_unique<firmware_timing>(m_library->handle.get<const fw_timing>(FW_TIMING_SYMBOL),
                                          builtin_timing_file(), "the built-in firmware");
}

void loaded_firmware::load(const std::string& path)
{
    check_image_file(path);
    if (!m_library) {
        m_library = std::make_unique<library>();
    }
    m_library->path = m_path;
    boost::dll::fs::error_code error;
    m_library->handle.load(std::filesystem::absolute(path).string(), error,
                           boost::dll::load_mode::rtld_now);
    if (error) {
        const char* why = ::dlerror(); // names the symbol that is missing; error does not
        throw firmware_error(fmt::format(
            "{}: not loadable ({}); firmware may use memcpy and memset of the C library "
            "and nothing else: see what scripts/fw-build says",
            path, why == nullptr ? error.message() : why));
    }
    if (!m_library->handle.has(FIRMWARE_IMAGE_SYMBOL)) {
        throw firmware_error(
            fmt::format("{}: exports no `{}`; define `const struct firmware_image {}` as "
                        "firmware/hal/hal.h says",
                        path, FIRMWARE_IMAGE_SYMBOL, FIRMWARE_IMAGE_SYMBOL));
    }
    m_image = &m_library->handle.get<const firmware_image>(FIRMWARE_IMAGE_SYMBOL);
    check_image(path, *m_image);
}

/// The dynamic linker wants a file, of a name that it has not seen.
loaded_firmware::loaded_firmware(const std::vector<unsigned char>& package, const std::string& name)
    : m_path(name)
{
    const image_trap trap(name, while_loading);
    const package_parts parts = parts_of(package, name);
    const temporary_file file(parts.image);
    load(file.path());
    if (!parts.timing.empty() && m_library->handle.has(FW_TIMING_SYMBOL)) {
        m_timing = std::make_unique<firmware_timing>(
            m_library->handle.get<const fw_timing>(FW_TIMING_SYMBOL), parts.timing, name);
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
    if (!file || std::filesystem::is_directory(path)) {
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
    const bool fetches = config.icache.cache.size != 0;
    if (fetches && (config.core == "flat" || (m_timing == nullptr && m_path.empty()))) {
        throw firmware_error("cpu.icache.size: it is not known which instructions run at level "
                             "flat; use a cpu.core of its own, and a build with clang and LLVM 14 "
                             "(SSDVP_FW_TIMING=full), or remove it");
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
    return m_timing->bind(config.core, config.timing, {profile, fetches});
}

cpu::code_map loaded_firmware::code(const cpu::core_config& config) const
{
    return m_timing->code(config.core);
}

firmware_planner loaded_firmware::planner() const
{
    return {*m_image, m_timing == nullptr ? nullptr : &m_timing->image(), m_path};
}

void loaded_firmware::need_precondition() const
{
    if (m_image->precondition == nullptr) {
        throw firmware_error(
            fmt::format("{}: this image cannot precondition, but precondition.fill is not 0; add "
                        ".precondition and .precondition_end, or use --set precondition.fill=0",
                        m_path.empty() ? "the built-in firmware" : m_path));
    }
}

namespace {

cpu::native_core& core_of(void* ctx)
{
    return static_cast<firmware_program*>(ctx)->core();
}

/// For calls that wait: where the program is meanwhile.
cpu::native_core& core_called_from(void* ctx, const void* from)
{
    static_cast<firmware_program*>(ctx)->called(from);
    return core_of(ctx);
}

std::uint32_t port_read32(void* ctx, std::uint64_t address)
{
    return core_called_from(ctx, __builtin_return_address(0)).read32(address);
}

void port_write32(void* ctx, std::uint64_t address, std::uint32_t value)
{
    core_of(ctx).write32(address, value, __builtin_return_address(0));
}

std::uint64_t port_wait_irq(void* ctx)
{
    return core_called_from(ctx, __builtin_return_address(0)).wait_irq();
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

void port_mark(void* ctx, std::uint32_t slot)
{
    static_assert(HAL_NO_COMMAND == latency_ledger::no_slot &&
                  HAL_IN_VAIN == latency_ledger::in_vain && HAL_WAITS == latency_ledger::waits &&
                  HAL_KEPT_OUT == latency_ledger::kept_out);
    core_of(ctx).mark(slot);
}

std::uint32_t port_traced_read32(void* ctx, std::uint64_t address)
{
    const void* from = __builtin_return_address(0);
    const std::uint32_t value = core_called_from(ctx, from).read32(address);
    static_cast<firmware_program*>(ctx)->accessed(false, address, value, from);
    return value;
}

void port_traced_write32(void* ctx, std::uint64_t address, std::uint32_t value)
{
    core_of(ctx).write32(address, value, __builtin_return_address(0));
    static_cast<firmware_program*>(ctx)->accessed(true, address, value,
                                                  __builtin_return_address(0));
}

/// A core with neither data cache nor TLB, or that counts nothing between calls, has no call for
/// it: the firmware asks before it calls.
constexpr hal_ops make_ops(bool touches, bool marks, bool traced)
{
    return {traced ? port_traced_read32 : port_read32,
            traced ? port_traced_write32 : port_write32,
            port_wait_irq,
            port_time_ns,
            port_log,
            port_panic,
            port_stopping,
            port_core,
            port_fence,
            touches ? port_touch : nullptr,
            marks ? port_mark : nullptr};
}
constexpr hal_ops port_ops[2][2][2] = {
    {{make_ops(false, false, false), make_ops(false, false, true)},
     {make_ops(false, true, false), make_ops(false, true, true)}},
    {{make_ops(true, false, false), make_ops(true, false, true)},
     {make_ops(true, true, false), make_ops(true, true, true)}}};

/// Where platform code begins on a stack that firmware called the port from. hal_ops is nothing but
/// pointers to functions.
std::vector<const void*> port_functions()
{
    constexpr std::size_t count = sizeof(hal_ops) / sizeof(void (*)());
    static_assert(sizeof(hal_ops) % sizeof(void (*)()) == 0);
    std::vector<const void*> functions(count);
    std::memcpy(functions.data(), &port_ops[1][1][0], sizeof(hal_ops));
    functions.push_back(reinterpret_cast<const void*>(&port_traced_read32));
    functions.push_back(reinterpret_cast<const void*>(&port_traced_write32));
    functions.push_back(reinterpret_cast<const void*>(&cpu::watched_cost::fetched));
    return functions;
}

/// Where the stack of the caller ends: stack pointers of what it calls are this or less. Even that
/// of a function without a frame, which is below the return address.
[[gnu::noinline]] const void* stack_end_of_caller()
{
    return static_cast<const char*>(__builtin_frame_address(0)) + sizeof(void*);
}

/// Firmware runs below this place of the stack for as long as it lives.
class entered {
public:
    entered(const void*& slot, const void* end) : m_slot(slot) { m_slot = end; }
    ~entered() { m_slot = nullptr; }
    entered(const entered&) = delete;
    entered& operator=(const entered&) = delete;

private:
    const void*& m_slot;
};

std::uintptr_t place_of(const void* address)
{
    return reinterpret_cast<std::uintptr_t>(address);
}

constexpr std::uintptr_t main_stack = 8u << 20; // what hosts give; preconditioning runs there
constexpr std::uintptr_t beyond_stack = cpu::native_core::stack_guard;
constexpr std::uintptr_t last_of_stack = 128u << 10; // frames above the entry, and rounding

} // namespace

firmware_program::firmware_program(const firmware_image& image, cpu::native_core& core,
                                   const firmware_place& place)
    : m_image(&image), m_core(core), m_number(place.core), m_accesses(place.accesses),
      m_port(port_functions()),
      m_hal{&port_ops[core.hears_touches() ? 1 : 0][core.takes_marks() ? 1 : 0]
                     [place.accesses != nullptr ? 1 : 0],
            this, place.sram, place.dram, place.part}
{
    core.load(*this);
}

void firmware_program::run()
{
    const entered here(m_run_entry, stack_end_of_caller());
    m_image->main(&m_hal);
}

void firmware_program::accessed(bool write, std::uint64_t address, std::uint32_t value,
                                const void* from) const
{
    if (m_call_entry == nullptr) {
        // A read has waited until the device had it; a write left when the core had issued it.
        const sim_time when =
            write ? m_core.writes().find(address, m_core.local_time())->when : now();
        m_accesses->accessed({when, m_number, write, address, value, from});
    }
}

/// A functional entry of the image, called from outside of simulated time.
template <typename Fn>
auto firmware_program::call(Fn entry)
{
    const entered here(m_call_entry, stack_end_of_caller());
    ++m_calls;
    m_core.set_functional(true);
    const auto result = entry();
    m_core.set_functional(false);
    return result;
}

int firmware_program::precondition(const std::uint64_t* units, std::uint32_t count,
                                   std::uint64_t buffer)
{
    return call([&] { return m_image->precondition(&m_hal, units, count, buffer); });
}

int firmware_program::precondition_end()
{
    return call([&] { return m_image->precondition_end(&m_hal); });
}

bool firmware_program::begin_counts(const firmware_counted& what)
{
    return call([&] { return m_image->counts->begin(&m_hal, &what); }) == 0;
}

std::uint64_t firmware_program::write_counted(std::uint64_t count)
{
    return call([&] { return m_image->counts->write(&m_hal, count); });
}

std::uint32_t firmware_program::deal_counted(std::uint64_t* units, std::uint64_t buffer)
{
    return call([&] { return m_image->counts->deal(&m_hal, units, buffer); });
}

std::uint64_t firmware_program::counted_places()
{
    return call([&] { return m_image->counts->places(&m_hal); });
}

bool firmware_program::give_counted(const std::uint64_t* units, std::uint32_t count)
{
    return call([&] { return m_image->counts->give(&m_hal, units, count); }) == 0;
}

std::uint32_t firmware_program::counted_valid(std::uint32_t* units, std::uint32_t most)
{
    return call([&] { return m_image->counts->valid(&m_hal, units, most); });
}

bool firmware_program::on_stack(const void* stack_pointer) const
{
    const std::uintptr_t sp = place_of(stack_pointer);
    if (m_call_entry != nullptr) {
        return sp <= place_of(m_call_entry) &&
               sp > place_of(m_call_entry) - main_stack - beyond_stack;
    }
    return m_run_entry != nullptr && !m_core.waits() && sp <= place_of(m_run_entry) &&
           sp > place_of(m_run_entry) - cpu::native_core::stack_size - beyond_stack;
}

bool firmware_program::beyond_stack_end(const void* address) const
{
    const std::uintptr_t size = m_call_entry != nullptr ? main_stack : cpu::native_core::stack_size;
    const std::uintptr_t end = place_of(entry()) - size;
    return entry() != nullptr && place_of(address) < end + last_of_stack &&
           place_of(address) > end - beyond_stack;
}

void firmware_program::report(const std::string& what, const std::vector<std::string>& names,
                              report_of kind) const
{
    const auto level = kind == report_of::fault ? spdlog::level::err : spdlog::level::warn;
    spdlog::log(level, "{}: {}", m_core.name(), what);
    spdlog::log(level, "  at {} ns of simulated time, called by:", m_core.local_time().ns());
    for (std::size_t i = 0; i < names.size(); ++i) {
        spdlog::log(level, "  #{} {}", i, names[i]);
    }
}

std::string firmware_program::doing() const
{
    if (m_call_entry != nullptr) {
        return "preconditions";
    }
    if (!m_core.running() && !m_core.panicked()) {
        return "does not run";
    }
    const char* what = m_core.panicked() ? "was left" : m_core.asleep() ? "sleeps" : "works";
    if (m_called_from == nullptr) {
        return fmt::format("{}; it has not called the port yet", what);
    }
    const std::vector<std::string> places = call_stack::names_of(m_called_from);
    return fmt::format("{}; it last read a register or slept in {}", what,
                       fmt::join(places.begin(), places.end(), ", in "));
}

void firmware_program::leave()
{
    const call_stack stack(call_stack::from::interrupted, entry(), m_port);
    if (stack.in_port() || !stack.complete()) {
        return; // the platform's own frames, or code without unwinding tables
    }
    const std::vector<std::string> names = stack.names();
    report(fmt::format("runs and runs at {}, and simulated time does not go on",
                       names.empty() ? "an unknown place" : names.front()),
           names, report_of::place);
    m_core.give_up("dismissed");
}

void firmware_program::panicking(const std::string& why)
{
    if (m_names.empty()) {
        m_names = stack();
    }
    report(why, m_names);
    m_names.clear();
}

void firmware_program::interrupted(const std::string& why)
{
    const call_stack stack(call_stack::from::interrupted, entry(), m_port);
    m_names = stack.names();
    const std::string where = m_names.empty() ? "an unknown place" : m_names.front();
    if (stack.in_port() || !stack.complete()) {
        // The platform's own frames, or code without unwinding tables: nothing can be left in
        // order.
        report(fmt::format("firmware stopped at {}: {}{}", where, why,
                           stack.in_port() ? ", in a call of the port" : ""),
               m_names);
        std::fflush(nullptr);
        _exit(1); // EXIT_RUN_FAILED
    }
    m_core.panic(where, why);
}

void firmware_program::unreadable(const std::string& why)
{
    report(fmt::format("firmware stopped: {}; its stack cannot be read: overwritten", why), {});
    std::fflush(nullptr);
    _exit(1); // EXIT_RUN_FAILED
}

} // namespace ssdvp::platform
