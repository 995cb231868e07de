// SPDX-License-Identifier: Apache-2.0
//
// Opens a kept state. Its pages are mapped, copied when they are written to, and come in as they
// are touched. From the beginning on other threads read the file once and hold it against its
// checksums: nothing is taken from it before they are through.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "models/common/state_archive.h"
#include "platform/state/state_format.h"

namespace ssdvp::platform {

class state_reader final : public state_archive {
public:
    /// Throws state_error when the file is none, or not whole as far as its header and index tell.
    /// `remedy`: what a user does about it.
    state_reader(std::filesystem::path file, std::string remedy);
    ~state_reader() override;

    [[nodiscard]] const std::string& identity() const { return m_index.identity; }
    [[nodiscard]] bool loading() const override { return true; }
    /// Everything was loaded that there is. Throws state_error when it was not.
    void finish();
    /// Waits for the checksums. Throws state_error when they do not hold.
    void need_whole();
    /// They are known: need_whole() does not wait.
    [[nodiscard]] bool looked_through(std::chrono::milliseconds patience) const;

protected:
    void bytes(void* at, std::size_t count) override;
    void pages(unsigned char* at, std::size_t used) override;

private:
    void open();
    void read_index(const state_header& h);
    [[nodiscard]] bool sums_hold(std::size_t first) const;
    [[nodiscard]] bool fits(const state_section& s) const;
    [[noreturn]] void refuse(const std::string& what) const;

    std::filesystem::path m_name;
    std::string m_remedy;
    int m_file = -1;
    std::uint64_t m_pages_end = 0;
    state_index m_index;
    std::size_t m_values_read = 0;
    std::size_t m_sections_read = 0;
    std::atomic<bool> m_given_up{false};
    bool m_damaged = false;
    std::vector<std::future<bool>> m_whole; // of every so many blocks; empty: known to hold
};

} // namespace ssdvp::platform
