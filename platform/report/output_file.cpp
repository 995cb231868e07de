// SPDX-License-Identifier: Apache-2.0
#include "platform/report/output_file.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace ssdvp::platform {

namespace fs = std::filesystem;

namespace {

constexpr int most_links = 40; // as Linux follows

/// The descriptor that a link of /proc/self/fd stands for, where /dev/stdout and /dev/fd lead. To
/// open what it shows would begin at byte 0 of a file, and cannot be done with a socket.
std::optional<int> descriptor_of(const fs::path& link)
{
    std::error_code error;
    const fs::path own = fs::canonical("/proc/self/fd", error);
    if (error || fs::canonical(link.parent_path(), error) != own || error) {
        return std::nullopt;
    }
    const std::string name = link.filename().string();
    int number = -1;
    const auto r = std::from_chars(name.data(), name.data() + name.size(), number);
    return r.ec == std::errc{} && r.ptr == name.data() + name.size() ? std::optional(number)
                                                                     : std::nullopt;
}

/// Follows links, also to what does not exist yet, by at most most_links steps.
output_place follow(const fs::path& file)
{
    output_place place;
    std::error_code error;
    place.path = fs::absolute(file, error);
    for (int i = 0; i < most_links && fs::is_symlink(place.path, error); ++i) {
        if (const auto number = descriptor_of(place.path)) {
            place.replaced = false;
            place.open = *number;
            return place;
        }
        const fs::path target = fs::read_symlink(place.path, error);
        place.path = place.path.parent_path() / target; // an absolute one is all of it
    }
    return place;
}

const char* kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "is a folder";
    case S_IFBLK:
        return "is a block device";
    case S_IFSOCK:
        return "is a socket";
    default:
        return "is no file";
    }
}

} // namespace

output_place place_of(const fs::path& file, const char* option)
{
    const auto refuse = [&](const char* what) {
        throw output_error(fmt::format("{}: {}, and outputs go to files, FIFOs and character "
                                       "devices; name another place with {}",
                                       file.string(), what, option));
    };
    output_place place = follow(file);
    struct stat s {};
    if (place.open >= 0) {
        const int flags = ::fcntl(place.open, F_GETFL);
        if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
            refuse("is not open for writing");
        }
        return place;
    }
    if (::lstat(place.path.c_str(), &s) != 0) {
        return place; // a new file; what else is wrong shows when it is opened
    }
    if (S_ISLNK(s.st_mode)) {
        refuse(std::strerror(ELOOP));
    }
    place.replaced = S_ISREG(s.st_mode);
    if (!place.replaced && !S_ISFIFO(s.st_mode) && !S_ISCHR(s.st_mode)) {
        refuse(kind_of(s.st_mode));
    }
    return place;
}

namespace {

fs::path beside(const output_place& place)
{
    return place.path.parent_path() /
           fmt::format(".{}.{}.part", place.path.filename().string(), ::getpid());
}

} // namespace

fs::path partial_name(const fs::path& file)
{
    const output_place place = follow(file);
    struct stat s {};
    const bool other =
        place.open >= 0 || (::lstat(place.path.c_str(), &s) == 0 && !S_ISREG(s.st_mode));
    return other ? fs::path() : beside(place);
}

output_file::output_file(const fs::path& file, const char* option)
    : m_name(file.string()), m_place(place_of(file, option))
{
    if (m_place.replaced) {
        m_partial = beside(m_place);
        ::unlink(m_partial.c_str()); // left over by a killed process of the same number
        m_file = ::open(m_partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } else if (m_place.open >= 0) {
        m_file = ::fcntl(m_place.open, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    } else {
        m_file = ::open(m_place.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    }
    if (m_file < 0) {
        throw output_error(fmt::format("{}: cannot be written: {}; name a file in a folder that "
                                       "exists and may be written with {}",
                                       m_name, std::strerror(errno), option));
    }
}

output_file::~output_file()
{
    if (m_file >= 0) {
        ::close(m_file);
        ::unlink(m_partial.c_str());
    }
}

void output_file::write(std::string_view text)
{
    while (!text.empty() && m_error == 0) {
        const ssize_t n = ::write(m_file, text.data(), text.size());
        if (n >= 0) {
            text.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno != EINTR) {
            m_error = errno;
        }
    }
}

void output_file::finish()
{
    if (::close(m_file) != 0 && m_error == 0) {
        m_error = errno;
    }
    m_file = -1;
    if (m_place.replaced && m_error == 0 &&
        ::rename(m_partial.c_str(), m_place.path.c_str()) != 0) {
        m_error = errno;
    }
    if (m_error != 0) {
        ::unlink(m_partial.c_str());
        throw write_error(fmt::format("{}: is not whole: {}; make room or allow writing there, or "
                                      "name another place, and run again",
                                      m_name, std::strerror(m_error)));
    }
}

} // namespace ssdvp::platform
