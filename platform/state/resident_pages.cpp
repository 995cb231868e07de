// SPDX-License-Identifier: Apache-2.0
#include "platform/state/resident_pages.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ssdvp::platform {

namespace {

static_assert(page_bytes % 4096 == 0);

/// What the kernel says of pages (Documentation/admin-guide/mm/pagemap.rst): bit 63 present, bit
/// 62 swapped out. Where it does not tell, every page counts as touched.
class page_map {
public:
    page_map() : m_file(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
    ~page_map()
    {
        if (m_file >= 0) {
            ::close(m_file);
        }
    }
    page_map(const page_map&) = delete;
    page_map& operator=(const page_map&) = delete;

    [[nodiscard]] bool touched(const unsigned char* page)
    {
        const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(page) / page_bytes;
        if (number - m_first >= m_count) {
            look(number);
        }
        return m_count == 0 || (m_entries[number - m_first] >> 62 & 3) != 0;
    }

private:
    void look(std::uintptr_t number)
    {
        const ssize_t got = m_file < 0 ? 0
                                       : ::pread(m_file, m_entries.data(), sizeof m_entries,
                                                 static_cast<off_t>(number * sizeof m_entries[0]));
        m_first = number;
        m_count = got > 0 ? static_cast<std::size_t>(got) / sizeof m_entries[0] : 0;
    }

    int m_file;
    std::array<std::uint64_t, 4096> m_entries{};
    std::uintptr_t m_first = 0;
    std::size_t m_count = 0;
};

bool all_zero(const unsigned char* page, std::size_t bytes)
{
    static constexpr std::array<unsigned char, page_bytes> zeros{};
    return std::memcmp(page, zeros.data(), bytes) == 0;
}

} // namespace

void for_each_stretch(const unsigned char* at, std::size_t bytes,
                      const std::function<void(std::size_t, std::size_t)>& run)
{
    page_map map;
    std::size_t begin = 0;
    std::size_t length = 0;
    for (std::size_t offset = 0; offset < bytes; offset += page_bytes) {
        const std::size_t size = std::min(page_bytes, bytes - offset);
        if (map.touched(at + offset) && !all_zero(at + offset, size)) {
            begin = length == 0 ? offset : begin;
            length += size;
        } else if (length != 0) {
            run(begin, length);
            length = 0;
        }
    }
    if (length != 0) {
        run(begin, length);
    }
}

} // namespace ssdvp::platform
