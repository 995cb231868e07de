// SPDX-License-Identifier: Apache-2.0
#include "platform/report/output.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace ssdvp::platform {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const char* what, int error, const std::string& remedy)
{
    throw output_error(
        fmt::format("{}: {}: {}; {}", path.string(), what, std::strerror(error), remedy));
}

/// Writes everything or returns errno.
int write_all(int fd, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return errno;
        }
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

} // namespace

output_folders::~output_folders()
{
    for (auto made = m_made.rbegin(); made != m_made.rend(); ++made) {
        std::error_code not_empty;
        fs::remove(*made, not_empty);
    }
}

void output_folders::make(const fs::path& directory, const std::string& remedy)
{
    std::error_code error;
    if (fs::exists(directory, error)) {
        return;
    }
    if (directory.has_parent_path() && directory.parent_path() != directory) {
        make(directory.parent_path(), remedy);
    }
    if (fs::create_directory(directory, error)) {
        m_made.push_back(directory);
    } else if (error) {
        fail(directory, "cannot create the output folder", error.value(), remedy);
    }
}

void output_folders::prepare(const fs::path& given, const char* option)
{
    const fs::path directory = fs::absolute(given);
    const std::string choose_another = fmt::format("name another folder with {}", option);
    std::error_code error;
    if (fs::exists(directory, error) && !fs::is_directory(directory, error)) {
        fail(given, "cannot be used as output folder", ENOTDIR, choose_another);
    }
    make(directory, choose_another);
    const fs::path probe = partial_name(directory / "probe");
    ::unlink(probe.c_str()); // left over by a killed process of the same number
    const int fd = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        fail(given, "cannot write to the output folder", errno, choose_another);
    }
    const int written = write_all(fd, "x");
    ::close(fd);
    ::unlink(probe.c_str());
    if (written != 0) {
        fail(given, "cannot write to the output folder", written,
             "make room there or " + choose_another);
    }
}

void write_file_atomically(const fs::path& file, std::string_view contents)
{
    try {
        output_file out(file, "--out");
        out.write(contents);
        out.finish();
    } catch (const write_error&) {
        throw;
    } catch (const output_error& e) { // what was fine when the run began
        throw write_error(e.what());
    }
}

} // namespace ssdvp::platform
