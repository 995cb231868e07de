// SPDX-License-Identifier: Apache-2.0
#include "platform/state/state_format.h"

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <xxhash.h>

namespace ssdvp::platform {

namespace {

class packer {
public:
    template <typename List>
    void list(const List& all)
    {
        const std::uint64_t count = all.size();
        put(&count, sizeof count);
        put(all.data(), count * sizeof all[0]);
    }
    std::string text;

private:
    void put(const void* at, std::size_t bytes)
    {
        text.append(static_cast<const char*>(at), bytes);
    }
};

class unpacker {
public:
    explicit unpacker(const std::string& text) : m_text(text) {}
    template <typename List>
    void list(List& all)
    {
        static_assert(std::is_trivially_copyable_v<typename List::value_type>);
        std::uint64_t count = 0;
        take(&count, sizeof count);
        if (count > (m_text.size() - m_at) / sizeof all[0]) {
            m_good = false;
            count = 0;
        }
        all.resize(count);
        take(all.data(), count * sizeof all[0]);
    }
    [[nodiscard]] bool good() const { return m_good; }
    [[nodiscard]] bool through() const { return m_good && m_at == m_text.size(); }

private:
    void take(void* to, std::size_t bytes)
    {
        m_good = m_good && bytes <= m_text.size() - m_at;
        if (m_good && bytes != 0) {
            std::memcpy(to, m_text.data() + m_at, bytes);
            m_at += bytes;
        }
    }

    const std::string& m_text;
    std::size_t m_at = 0;
    bool m_good = true;
};

} // namespace

std::string state_index::pack() const
{
    packer p;
    p.list(identity);
    p.list(values);
    std::vector<std::uint64_t> sizes;
    for (const state_section& s : sections) {
        sizes.push_back(s.bytes);
    }
    p.list(sizes);
    for (const state_section& s : sections) {
        p.list(s.extents);
    }
    p.list(sums);
    return p.text;
}

bool state_index::unpack(const std::string& text)
{
    unpacker u(text);
    std::vector<std::uint64_t> sizes;
    u.list(identity);
    u.list(values);
    u.list(sizes);
    sections.assign(sizes.size(), {});
    for (std::size_t i = 0; i < sizes.size() && u.good(); ++i) {
        sections[i].bytes = sizes[i];
        u.list(sections[i].extents);
    }
    u.list(sums);
    return u.through();
}

std::uint64_t checksum(const void* bytes, std::size_t count)
{
    return XXH3_64bits(bytes, count);
}

state_first_page first_page(const state_header& h)
{
    state_first_page page{};
    std::memcpy(page.data(), &h, sizeof h);
    return page;
}

std::uint64_t header_sum(const state_first_page& page)
{
    state_first_page summed = page;
    std::memset(summed.data() + offsetof(state_header, header_sum), 0, sizeof(std::uint64_t));
    return checksum(summed.data(), summed.size());
}

} // namespace ssdvp::platform
