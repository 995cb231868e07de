// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>
#include <utility>

namespace ssdvp::platform {

/// A file descriptor that is closed when nobody wants it any more.
class file_handle {
public:
    file_handle() = default;
    explicit file_handle(int fd) : m_fd(fd) {}
    file_handle(file_handle&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    file_handle& operator=(file_handle&& other) noexcept
    {
        if (this != &other) {
            close();
            m_fd = std::exchange(other.m_fd, -1);
        }
        return *this;
    }
    file_handle(const file_handle&) = delete;
    file_handle& operator=(const file_handle&) = delete;
    ~file_handle() { close(); }

    [[nodiscard]] int get() const { return m_fd; }
    explicit operator bool() const { return m_fd >= 0; }
    void close()
    {
        if (m_fd >= 0) {
            ::close(std::exchange(m_fd, -1));
        }
    }

private:
    int m_fd = -1;
};

} // namespace ssdvp::platform
