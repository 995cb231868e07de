// SPDX-License-Identifier: Apache-2.0
//
// The folder where preconditioned states are kept by themselves: $SSDVP_STATE_CACHE, else
// $XDG_CACHE_HOME/ssdvp, else ~/.cache/ssdvp. Its size is bounded: the state that was not used for
// the longest time leaves first. Any number of processes share it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ssdvp::platform {

/// While it lives, no other process makes the state of the same key.
class state_lock {
public:
    state_lock() = default;
    explicit state_lock(int file) : m_file(file) {}
    ~state_lock();
    state_lock(state_lock&& other) noexcept;
    state_lock& operator=(state_lock&& other) noexcept;

private:
    int m_file = -1;
};

class state_cache {
public:
    static constexpr std::uint64_t default_limit = 20ull << 30; // bytes

    struct entry {
        std::string key;
        std::uint64_t bytes;
        std::filesystem::file_time_type used;
    };

    state_cache(std::filesystem::path folder, std::uint64_t limit);
    /// The user's; the limit is that of $SSDVP_STATE_CACHE_SIZE, where it is given. Throws
    /// state_error when that is no size.
    static state_cache of_user();

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    [[nodiscard]] std::uint64_t limit() const { return m_limit; }
    [[nodiscard]] std::filesystem::path file(const std::string& key) const;
    /// Makes the folder. Throws state_error when nothing can be written there.
    void open() const;
    /// Waits while another process makes this state; `waits` is asked now and then, false = give
    /// up, which throws state_error.
    [[nodiscard]] state_lock lock(const std::string& key, const std::function<bool()>& waits) const;
    /// It is the one used last from now on.
    void used(const std::string& key) const;
    /// States leave until those that stay are within the limit.
    void shrink() const;
    /// The one used last first.
    [[nodiscard]] std::vector<entry> list() const;
    void remove(const std::string& key) const;

private:
    std::filesystem::path m_folder;
    std::uint64_t m_limit; // bytes
};

} // namespace ssdvp::platform
