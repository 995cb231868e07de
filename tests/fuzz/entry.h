// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer's entry for a target; replay_main.cpp calls the same without libFuzzer.
//
// One drive serves all strings of a process, so a failure may need strings before the last one:
// SSDVP_FUZZ_LAST names a folder that keeps the last ones, in the order of their names. They are
// written before they are executed, because what fails aborts the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <systemc>

namespace ssdvp::fuzz {

class last_strings {
public:
    static constexpr std::uint64_t kept = 512;

    last_strings()
    {
        const char* folder = std::getenv("SSDVP_FUZZ_LAST");
        m_folder = folder == nullptr ? "" : folder;
    }
    void keep(const std::uint8_t* bytes, std::size_t length)
    {
        if (m_folder.empty()) {
            return;
        }
        if (std::FILE* file = std::fopen(name_of(m_next).c_str(), "wb")) {
            std::fwrite(bytes, 1, length, file);
            std::fclose(file);
        }
        if (m_next >= kept) {
            std::remove(name_of(m_next - kept).c_str());
        }
        ++m_next;
    }

private:
    [[nodiscard]] std::string name_of(std::uint64_t n) const
    {
        char name[24];
        std::snprintf(name, sizeof name, "/%020llu", static_cast<unsigned long long>(n));
        return m_folder + name;
    }

    std::string m_folder;
    std::uint64_t m_next = 0;
};

template <typename Target>
int execute(const std::uint8_t* bytes, std::size_t length)
{
    static const bool quiet = [] {
        ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
        sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
        return true;
    }();
    static auto* const target = new Target;     // until the process ends
    static auto* const last = new last_strings; // likewise
    (void)quiet;
    last->keep(bytes, length);
    target->execute(bytes, length);
    return 0;
}

} // namespace ssdvp::fuzz
