// SPDX-License-Identifier: Apache-2.0
//
// Kept states in memory: what one object saves, another one of the same kind loads. Pages arrive as
// they do from a file, in full and aligned as the host's are.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "models/common/state_archive.h"

namespace ssdvp::test {

class memory_archive final : public state_archive {
public:
    [[nodiscard]] bool loading() const override { return m_loading; }
    /// What was saved is loaded from here on.
    void rewind()
    {
        m_loading = true;
        m_at = 0;
    }
    /// All of it was loaded.
    [[nodiscard]] bool at_end() const { return m_at == m_bytes.size(); }

protected:
    void pages(unsigned char* at, std::size_t used) override
    {
        REQUIRE(reinterpret_cast<std::uintptr_t>(at) % 4096 == 0);
        bytes(at, used);
    }
    void bytes(void* at, std::size_t count) override
    {
        if (count == 0) {
            return;
        }
        if (!m_loading) {
            m_bytes.append(static_cast<const char*>(at), count);
            return;
        }
        REQUIRE(count <= m_bytes.size() - m_at);
        std::memcpy(at, m_bytes.data() + m_at, count);
        m_at += count;
    }

private:
    bool m_loading = false;
    std::string m_bytes;
    std::size_t m_at = 0;
};

} // namespace ssdvp::test
