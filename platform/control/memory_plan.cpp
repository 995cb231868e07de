// SPDX-License-Identifier: Apache-2.0
#include "platform/control/memory_plan.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#include "models/common/address_space.h"
#include "platform/control/exit_code.h"

namespace ssdvp::platform {

namespace {

constexpr double gib = 1ull << 30;
constexpr std::uint64_t slack = 128ull << 20; // tables that are not listed, and the heap

bool fits(std::uint64_t bytes)
{
    void* space =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return space != MAP_FAILED && munmap(space, bytes) == 0;
}

std::string allowed()
{
    const std::uint64_t bytes = address_space_limit();
    return bytes == 0 ? std::string("the host has no room for it")
                      : fmt::format("this process has {:.2f} GiB and may have {:.2f} GiB in all "
                                    "(ulimit -v)",
                                    static_cast<double>(address_space_taken()) / gib,
                                    static_cast<double>(bytes) / gib);
}

} // namespace

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

void need_filled(const std::vector<memory_part>& parts)
{
    const std::string lack = memory_lack(parts, memory_there());
    if (!lack.empty()) {
        throw memory_error(lack);
    }
}

namespace {

[[noreturn]] void end()
{
    try {
        if (const std::exception_ptr e = std::current_exception()) {
            std::rethrow_exception(e);
        }
    } catch (const std::bad_alloc& e) {
        std::_Exit(out_of_memory(e.what()));
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

/// operator new fails here, while what the process has is still what did not suffice.
[[noreturn]] void no_heap()
{
    throw address_space_error(0);
}

} // namespace

int out_of_memory(const char* what)
{
    const bool began = std::get_terminate() == &end_of_run;
    // SystemC puts the text into one of its own, of several lines.
    const char* from = std::strstr(what, address_space_error::begins);
    const address_space_error now(0);
    const char* text = from == nullptr ? now.what() : from;
    std::array<char, 400> line{};
    const int n = std::snprintf(
        line.data(), line.size(),
        "ssdvp: %s %.*s; raise the limit, or make the drive or its DRAM "
        "smaller\n",
        began ? "the run failed:" : "error:", static_cast<int>(std::strcspn(text, "\n")), text);
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, line.data(), static_cast<std::size_t>(n));
    return began ? EXIT_RUN_FAILED : EXIT_BAD_INPUT;
}

void name_memory()
{
    std::set_new_handler(&no_heap);
    std::set_terminate(&end);
}

void run_begins()
{
    std::set_terminate(&end_of_run);
}

} // namespace ssdvp::platform
