// SPDX-License-Identifier: Apache-2.0
//
// Shadow copy of a drive: per sector every value that it may hold. Reads that race with writes
// may return any version that a drive may legally hold then.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace ssdvp::test {

class shadow {
public:
    explicit shadow(std::uint64_t sectors) : m_sectors(sectors) {}
    std::uint64_t tag(std::uint64_t lba) { return (lba << 24) | ++m_version; }
    void begin_write(std::uint64_t lba, std::uint64_t value)
    {
        entry& e = m_sectors[lba];
        if (e.outstanding++ == 0) {
            e.base.swap(e.values);
            e.values.clear();
        }
        e.values.push_back(value);
        ++e.epoch;
        for (auto& r : e.readers) {
            r->push_back(value);
        }
    }
    void end_write(std::uint64_t lba)
    {
        entry& e = m_sectors[lba];
        --e.outstanding;
        e.base.clear();
    }
    /// What a read that starts now may return; grows with writes that start meanwhile.
    std::shared_ptr<std::vector<std::uint64_t>> begin_read(std::uint64_t lba)
    {
        entry& e = m_sectors[lba];
        auto r = std::make_shared<std::vector<std::uint64_t>>(e.values);
        r->insert(r->end(), e.base.begin(), e.base.end());
        e.readers.push_back(r);
        return r;
    }
    bool end_read(std::uint64_t lba, const std::shared_ptr<std::vector<std::uint64_t>>& r,
                  std::uint64_t value)
    {
        entry& e = m_sectors[lba];
        for (auto it = e.readers.begin(); it != e.readers.end(); ++it) {
            if (*it == r) {
                e.readers.erase(it);
                break;
            }
        }
        for (const std::uint64_t v : *r) {
            if (v == value) {
                return true;
            }
        }
        return false;
    }
    /// The only value the sector may hold, if it is certain.
    void set(std::uint64_t lba, std::uint64_t value) { m_sectors[lba].values = {value}; }
    [[nodiscard]] std::uint64_t size() const { return m_sectors.size(); }

private:
    struct entry {
        std::vector<std::uint64_t> values{0}; // of the writes under way or that ended together
        std::vector<std::uint64_t> base;      // before them, until one has ended
        std::vector<std::shared_ptr<std::vector<std::uint64_t>>> readers;
        std::uint32_t outstanding = 0;
        std::uint32_t epoch = 0;
    };
    std::vector<entry> m_sectors;
    std::uint64_t m_version = 0;
};

} // namespace ssdvp::test
