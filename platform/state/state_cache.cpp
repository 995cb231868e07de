// SPDX-License-Identifier: Apache-2.0
#include "platform/state/state_cache.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "platform/input/value.h"
#include "platform/state/state_error.h"

namespace ssdvp::platform {

namespace fs = std::filesystem;

namespace {

constexpr const char* suffix = ".state";
constexpr auto patience = std::chrono::milliseconds(50);
constexpr const char* size_variable = "SSDVP_STATE_CACHE_SIZE";

fs::path folder_of_user()
{
    const char* own = std::getenv("SSDVP_STATE_CACHE");
    if (own != nullptr && *own != '\0') {
        return own;
    }
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') { // others are to be ignored
        return fs::path(cache) / "ssdvp";
    }
    const char* home = std::getenv("HOME");
    return home != nullptr && *home != '\0' ? fs::path(home) / ".cache" / "ssdvp" : fs::path();
}

std::uint64_t limit_of_user()
{
    const char* text = std::getenv(size_variable);
    if (text == nullptr || *text == '\0') {
        return state_cache::default_limit;
    }
    value_spec spec;
    spec.kind = value_kind::size;
    try {
        return std::get<std::uint64_t>(parse_value(spec, {text}, false));
    } catch (const value_error& e) {
        throw state_error(
            fmt::format("{}: {}; {}, or unset it", size_variable, e.what(), e.remedy()));
    }
}

} // namespace

state_lock::~state_lock()
{
    if (m_file >= 0) {
        ::close(m_file);
    }
}

state_lock::state_lock(state_lock&& other) noexcept : m_file(std::exchange(other.m_file, -1)) {}

state_lock& state_lock::operator=(state_lock&& other) noexcept
{
    std::swap(m_file, other.m_file);
    return *this;
}

state_cache::state_cache(fs::path folder, std::uint64_t limit)
    : m_folder(std::move(folder)), m_limit(limit)
{}

state_cache state_cache::of_user()
{
    return {folder_of_user(), limit_of_user()};
}

fs::path state_cache::file(const std::string& key) const
{
    return m_folder / (key + suffix);
}

void state_cache::open() const
{
    std::error_code error;
    if (m_folder.empty()) {
        throw state_error("neither XDG_CACHE_HOME nor HOME names a folder for kept states");
    }
    fs::create_directories(m_folder, error);
    if (error || ::access(m_folder.c_str(), R_OK | W_OK | X_OK) != 0) {
        throw state_error(fmt::format("{}: states cannot be kept there: {}", m_folder.string(),
                                      error ? error.message() : std::strerror(errno)));
    }
}

state_lock state_cache::lock(const std::string& key, const std::function<bool()>& waits) const
{
    const fs::path name = m_folder / (key + ".lock");
    const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    state_lock lock(file);
    const auto take = [&] { return file < 0 ? -1 : ::flock(file, LOCK_EX | LOCK_NB); };
    while (take() != 0) {
        if (file < 0 || errno != EWOULDBLOCK) {
            throw state_error(fmt::format("{}: {}", name.string(), std::strerror(errno)));
        }
        if (!waits()) {
            throw state_error(name.string() + ": another process makes this state");
        }
        std::this_thread::sleep_for(patience);
    }
    return lock;
}

void state_cache::used(const std::string& key) const
{
    std::error_code ignored; // then it counts as used when it was made
    fs::last_write_time(file(key), fs::file_time_type::clock::now(), ignored);
}

std::vector<state_cache::entry> state_cache::list() const
{
    std::vector<entry> all;
    std::error_code error;
    for (const fs::directory_entry& e : fs::directory_iterator(m_folder, error)) {
        const fs::path& p = e.path();
        if (p.extension() != suffix || !e.is_regular_file(error)) {
            continue;
        }
        const std::uintmax_t bytes = e.file_size(error);
        if (error) {
            continue; // another process has removed it
        }
        all.push_back({p.stem().string(), bytes, e.last_write_time(error)});
    }
    std::sort(all.begin(), all.end(), [](const entry& a, const entry& b) {
        return a.used != b.used ? a.used > b.used : a.key < b.key;
    });
    return all;
}

void state_cache::shrink() const
{
    std::uint64_t sum = 0;
    for (const entry& e : list()) {
        sum += e.bytes;
        if (sum > m_limit) {
            remove(e.key);
            sum -= e.bytes;
        }
    }
}

void state_cache::remove(const std::string& key) const
{
    std::error_code ignored; // what another process removed is gone
    fs::remove(file(key), ignored);
    fs::remove(m_folder / (key + ".lock"), ignored);
}

} // namespace ssdvp::platform
