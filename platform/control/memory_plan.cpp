// SPDX-License-Identifier: Apache-2.0
#include "platform/control/memory_plan.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "models/cpu/native_core.h"
#include "models/host/shadow/shadow.h"
#include "platform/config/derived.h"
#include "platform/control/exit_code.h"

namespace ssdvp::platform {

namespace {

constexpr double gib = 1ull << 30;
constexpr std::uint64_t slack = 128ull << 20; // tables that are not listed, and the heap

/// Bytes that the process may have; 0 = no limit.
std::uint64_t limit()
{
    rlimit l{};
    const bool known = getrlimit(RLIMIT_AS, &l) == 0 && l.rlim_cur != RLIM_INFINITY;
    return known ? l.rlim_cur : 0;
}

std::uint64_t buffers(const ssd_config& c)
{
    constexpr std::uint64_t page = 4096;
    const std::uint64_t most = std::min<std::uint64_t>(c.max_transfer, 1u << 20);
    const std::uint64_t entries = std::uint64_t{c.driver.queue_pairs} * c.driver.queue_entries;
    return is_sata(c) ? 32 * (c.driver.sata.max_transfer + page)
                      : entries * (most + page + most / 512 * c.driver.metadata.bytes);
}

std::uint64_t cores(const ssd_config& c)
{
    return c.roles == core_roles::together ? 1 : c.roles == core_roles::each_apart ? 3 : 2;
}

bool fits(std::uint64_t bytes)
{
    void* space =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return space != MAP_FAILED && munmap(space, bytes) == 0;
}

std::string allowed()
{
    const std::uint64_t bytes = limit();
    return bytes == 0 ? std::string("the host has no room for it")
                      : fmt::format("this process may have {:.1f} GiB in all (ulimit -v)",
                                    static_cast<double>(bytes) / gib);
}

} // namespace

std::vector<memory_part> memory_parts(const ssd_config& c, bool session)
{
    const std::uint64_t sectors = host_bytes(c) / 512;
    std::vector<memory_part> parts = {
        {"the drive's DRAM (dram.capacity)", c.dram.capacity},
        {"the firmware's stacks (cpu.cores)",
         cores(c) * (cpu::native_core::stack_size + cpu::native_core::stack_guard)},
    };
    if (c.driver.guest) {
        return parts;
    }
    parts.push_back({"the driver's buffers (host.driver.queue_entries)", buffers(c)});
    if (c.driver.data != data_mode::none) {
        parts.push_back({"the check of what the host reads (data)",
                         host::shadow::address_space(sectors, c.power.any())});
    }
    if (session) {
        parts.push_back({"the check of what clients read", sectors * sizeof(std::uint64_t)});
    }
    return parts;
}

void need_memory(std::vector<memory_part> parts)
{
    std::uint64_t all = slack;
    for (const memory_part& p : parts) {
        all += p.bytes;
    }
    if (fits(all)) {
        return;
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const memory_part& a, const memory_part& b) { return a.bytes > b.bytes; });
    std::string list;
    for (const memory_part& p : parts) {
        list += fmt::format("{}{:.2f} GiB {}", list.empty() ? "" : ", ",
                            static_cast<double>(p.bytes) / gib, p.what);
    }
    throw memory_error(fmt::format("this run needs {:.2f} GiB of address space more, and {}: {}; "
                                   "raise the limit, or make the drive or its DRAM smaller",
                                   static_cast<double>(all) / gib, allowed(), list));
}

namespace {

[[noreturn]] void end()
{
    try {
        if (const std::exception_ptr e = std::current_exception()) {
            std::rethrow_exception(e);
        }
    } catch (const std::bad_alloc&) {
        std::_Exit(out_of_memory());
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ssdvp: the platform ended by itself: %s\n", e.what());
    } catch (...) {
    }
    std::abort();
}

/// The terminate handler of a run: that it is the one in force says that the run has begun.
[[noreturn]] void end_of_run()
{
    end();
}

} // namespace

int out_of_memory()
{
    const bool began = std::get_terminate() == &end_of_run;
    unsigned long pages = 0; // of address space
    if (std::FILE* statm = std::fopen("/proc/self/statm", "r")) {
        pages = std::fscanf(statm, "%lu", &pages) == 1 ? pages : 0;
        std::fclose(statm);
    }
    const double has = static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
    std::array<char, 64> may{};
    if (limit() != 0) {
        std::snprintf(may.data(), may.size(), " of %.2f GiB that it may have (ulimit -v)",
                      static_cast<double>(limit()) / gib);
    }
    std::array<char, 400> text{};
    const int n = std::snprintf(text.data(), text.size(),
                                "ssdvp: %s the host gives no more memory: this process has %.2f "
                                "GiB of address space%s; raise the limit, or make the drive or its "
                                "DRAM smaller\n",
                                began ? "the run failed:" : "error:", has / gib, may.data());
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, text.data(), static_cast<std::size_t>(n));
    return began ? EXIT_RUN_FAILED : EXIT_BAD_INPUT;
}

void name_memory_at_terminate()
{
    std::set_terminate(&end);
}

void run_begins()
{
    std::set_terminate(&end_of_run);
}

} // namespace ssdvp::platform
