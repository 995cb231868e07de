// SPDX-License-Identifier: Apache-2.0
//
// Writes that cover whole groups of sectors are remembered once for the group. The shadow copy that
// may not do so, since power may be cut, is the oracle: both say the same of every read.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "models/common/rng.h"
#include "models/host/shadow/shadow.h"

namespace shadow_groups_test {

using namespace ssdvp;
using host::shadow;

namespace {

constexpr std::uint32_t sectors = 44; // five groups of eight, and half of one
constexpr std::uint32_t slots = 8;

struct copy {
    explicit copy(bool one_by_one) : check(data_mode::tag, "shadow", nullptr)
    {
        if (one_by_one) {
            check.expect_power_cuts();
        }
        check.configure(sectors, slots + 1, sectors);
        check.set_preconditioned(8, 12); // ends inside a group
    }
    std::vector<std::uint64_t> write(const shadow::span& s)
    {
        check.begin_write(s, data.data());
        std::vector<std::uint64_t> tags(s.sectors);
        for (std::uint32_t i = 0; i < s.sectors; ++i) {
            std::memcpy(&tags[i], &data[std::size_t{i} * sector_size], sizeof tags[i]);
        }
        return tags;
    }
    void begin_read(const shadow::span& s) { check.begin_read(s, data.data()); }
    /// How many sectors are wrong when all hold what `version` would leave there; 0: zeros.
    std::uint64_t end_read(const shadow::span& s, std::uint64_t version)
    {
        for (std::uint32_t i = 0; i < s.sectors; ++i) {
            const std::uint64_t tag = version == 0 ? 0 : make_tag(s.lba + i, version);
            std::memcpy(&data[std::size_t{i} * sector_size], &tag, sizeof tag);
        }
        const std::uint64_t before = check.mismatches();
        check.end_read(s, data.data(), true);
        return check.mismatches() - before;
    }

    shadow check;
    std::vector<unsigned char> data = std::vector<unsigned char>(sectors * sector_size);
};

enum class kind { none, write, trim, read };

struct command {
    kind what = kind::none;
    shadow::span where{};
};

/// Half of them aligned to groups.
shadow::span anywhere(rng& random, std::uint32_t slot)
{
    const std::uint32_t step = random.chance(0.5) ? 8 : 1;
    const auto lba = static_cast<std::uint32_t>(random.below(sectors / step) * step);
    const std::uint64_t most = (sectors - lba) / step;
    return {slot, lba, most == 0 ? 1 : static_cast<std::uint32_t>((1 + random.below(most)) * step)};
}

class story {
public:
    explicit story(std::uint64_t seed) : m_random(seed) {}

    void step()
    {
        const auto slot = static_cast<std::uint32_t>(m_random.below(slots));
        command& c = m_commands[slot];
        if (c.what == kind::none) {
            begin(c, slot);
        } else {
            end(c);
            c.what = kind::none;
        }
    }
    /// Ends what is under way; then each version of each sector is right in both, or in none.
    void compare()
    {
        for (command& c : m_commands) {
            if (c.what != kind::none) {
                end(c);
                c.what = kind::none;
            }
        }
        for (std::uint32_t lba = 0; lba < sectors; ++lba) {
            for (std::uint64_t version = 0; version <= m_writes + 1; ++version) {
                read({slots, lba, 1}, version);
            }
        }
    }
    [[nodiscard]] std::uint64_t split_groups() const { return m_groups.check.split_groups(); }

private:
    void begin(command& c, std::uint32_t slot)
    {
        c.where = anywhere(m_random, slot);
        const double dice = m_random.real();
        c.what = dice < 0.6 ? kind::write : dice < 0.7 ? kind::trim : kind::read;
        if (c.what == kind::write) {
            ++m_writes;
            REQUIRE(m_groups.write(c.where) == m_single.write(c.where));
        } else if (c.what == kind::trim) {
            m_groups.check.begin_trim(c.where);
            m_single.check.begin_trim(c.where);
        } else {
            m_groups.begin_read(c.where);
            m_single.begin_read(c.where);
        }
    }
    void end(const command& c)
    {
        const bool ok = m_random.chance(0.8);
        if (c.what == kind::write) {
            m_groups.check.end_write(c.where, ok);
            m_single.check.end_write(c.where, ok);
        } else if (c.what == kind::trim) {
            m_groups.check.end_trim(c.where, ok);
            m_single.check.end_trim(c.where, ok);
        } else {
            const std::uint64_t version = m_random.below(m_writes + 2);
            REQUIRE(m_groups.end_read(c.where, version) == m_single.end_read(c.where, version));
        }
    }
    void read(const shadow::span& s, std::uint64_t version)
    {
        m_groups.begin_read(s);
        m_single.begin_read(s);
        REQUIRE(m_groups.end_read(s, version) == m_single.end_read(s, version));
    }

    rng m_random;
    copy m_groups{false};
    copy m_single{true};
    std::array<command, slots> m_commands;
    std::uint64_t m_writes = 0;
};

} // namespace

TEST_CASE("shadow: groups written whole say what their sectors would say one by one")
{
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        CAPTURE(seed);
        story s(seed);
        for (int i = 0; i < 60; ++i) {
            s.step();
        }
        s.compare();
    }
}

TEST_CASE("shadow: a group that is written whole takes no leaf, also while writes are in flight")
{
    shadow check(data_mode::tag, "shadow", nullptr);
    check.configure(64, 4, 64);
    std::vector<unsigned char> data(64 * sector_size);
    check.begin_write({0, 0, 64}, data.data());
    check.begin_write({1, 8, 16}, data.data());
    CHECK(check.split_groups() == 0);
    check.begin_write({2, 20, 1}, data.data()); // a part of one: its sectors go their own ways
    CHECK(check.split_groups() == 1);
    check.end_write({0, 0, 64}, true);
    check.end_write({1, 8, 16}, true);
    check.end_write({2, 20, 1}, true);
    CHECK(check.split_groups() == 1);
    check.begin_write({0, 16, 8}, data.data());
    check.end_write({0, 16, 8}, true);
    CHECK(check.split_groups() == 1); // sector 20 has another version than its neighbours
}

} // namespace shadow_groups_test
