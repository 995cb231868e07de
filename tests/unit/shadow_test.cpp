// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <vector>

#include "models/host/shadow/shadow.h"
#include "tests/support/memory_archive.h"

namespace shadow_test {

using namespace ssdvp;
using host::shadow;

namespace {

constexpr std::uint64_t lba = 1000;

/// One-sector commands on one address, with a drive that is the test itself.
struct bench {
    fault_log faults;
    shadow s{data_mode::tag, "shadow", &faults};
    std::uint32_t next_slot = 0;

    bench() { s.configure(1u << 20, 256, 256); }

    struct write {
        shadow::span span;
        std::uint64_t tag;
    };
    write begin_write()
    {
        unsigned char sector[sector_size];
        const shadow::span span = {next_slot++, lba, 1};
        s.begin_write(span, sector);
        std::uint64_t tag = 0;
        std::memcpy(&tag, sector, 8);
        return {span, tag};
    }
    void end(const write& w, bool ok = true) { s.end_write(w.span, ok); }
    std::uint64_t wrote()
    {
        const write w = begin_write();
        end(w);
        return w.tag;
    }
    shadow::span begin_read()
    {
        unsigned char sector[sector_size];
        const shadow::span span = {next_slot++, lba, 1};
        s.begin_read(span, sector);
        return span;
    }
    /// Whether the read may return that tag.
    bool accepts(const shadow::span& read, std::uint64_t tag)
    {
        unsigned char sector[sector_size];
        std::memcpy(sector, &tag, 8);
        const std::uint64_t before = s.mismatches();
        s.end_read(read, sector, true);
        return s.mismatches() == before;
    }
    bool reads(std::uint64_t tag) { return accepts(begin_read(), tag); }
    shadow::span begin_trim()
    {
        const shadow::span span = {next_slot++, lba, 1};
        s.begin_trim(span);
        return span;
    }
    void trim() { s.end_trim(begin_trim(), true); }
};

} // namespace

TEST_CASE("what was never written reads as zero")
{
    bench b;
    CHECK(b.reads(0));
    CHECK_FALSE(b.reads(make_tag(lba, 1)));
    CHECK(b.s.sectors_checked() == 2);
}

TEST_CASE("a read returns the newest version, not an older one and not another sector's")
{
    bench b;
    const std::uint64_t v1 = b.wrote();
    const std::uint64_t v2 = b.wrote();
    CHECK(v1 == make_tag(lba, 1));
    CHECK(v2 == make_tag(lba, 2));
    CHECK(b.reads(v2));
    CHECK_FALSE(b.reads(v1)); // stale
    CHECK_FALSE(b.reads(0));  // lost
    CHECK_FALSE(b.reads(make_tag(lba + 1, 2)));
    CHECK_FALSE(b.reads(make_tag(lba, 3)));
    CHECK(b.s.mismatches() == 4);
    CHECK(b.faults.count() == 4);
    CHECK(b.faults.faults()[0].what.find("read of sector 1000: expected version 2..2, got "
                                         "version 1 of sector 1000") != std::string::npos);
}

TEST_CASE("a buffer that the drive did not fill never passes")
{
    bench b;
    b.wrote();
    unsigned char sector[sector_size];
    const std::uint64_t right = make_tag(lba, 1);
    std::memcpy(sector, &right, 8); // left from an earlier read
    const shadow::span read = {0, lba, 1};
    b.s.begin_read(read, sector);
    b.s.end_read(read, sector, true);
    CHECK(b.s.mismatches() == 1);
    CHECK(b.faults.faults()[0].what.find("no data at all") != std::string::npos);
}

TEST_CASE("a read in flight with a write may see either version")
{
    bench b;
    const std::uint64_t v1 = b.wrote();
    const bench::write w2 = b.begin_write();
    CHECK(b.reads(v1));
    CHECK(b.reads(w2.tag));
    const shadow::span read = b.begin_read();
    const shadow::span other = b.begin_read();
    b.end(w2);
    CHECK(b.accepts(read, v1)); // submitted before the write ended
    CHECK(b.accepts(other, w2.tag));
    CHECK_FALSE(b.reads(v1)); // submitted after
    CHECK(b.reads(w2.tag));
}

TEST_CASE("a read may see a write that was submitted after it")
{
    bench b;
    const std::uint64_t v1 = b.wrote();
    const shadow::span read = b.begin_read();
    const shadow::span again = b.begin_read();
    const std::uint64_t v2 = b.wrote();
    CHECK(b.accepts(read, v2));
    CHECK(b.accepts(again, v1));
}

TEST_CASE("writes in flight together may land in either order")
{
    bench b;
    const std::uint64_t v1 = b.wrote();
    const bench::write w2 = b.begin_write();
    const bench::write w3 = b.begin_write();
    b.end(w3);
    CHECK_FALSE(b.reads(v1)); // one of them has ended
    CHECK(b.reads(w2.tag));
    CHECK(b.reads(w3.tag));
    b.end(w2);
    CHECK(b.reads(w2.tag));
    CHECK(b.reads(w3.tag));
    CHECK_FALSE(b.reads(v1));
    const std::uint64_t v4 = b.wrote();
    CHECK(b.reads(v4));
    CHECK_FALSE(b.reads(w3.tag));
}

TEST_CASE("after a failed write the old and the new version are right")
{
    bench b;
    const std::uint64_t v1 = b.wrote();
    const bench::write w2 = b.begin_write();
    b.end(w2, false);
    CHECK(b.reads(v1));
    CHECK(b.reads(w2.tag));
    CHECK_FALSE(b.reads(0));
    const std::uint64_t v3 = b.wrote();
    CHECK(b.reads(v3));
    CHECK_FALSE(b.reads(v1));
    CHECK_FALSE(b.reads(w2.tag));
}

TEST_CASE("a trimmed sector reads as zero or as before, until it is written")
{
    bench b;
    const std::uint64_t v1 = b.wrote();
    const std::uint64_t v2 = b.wrote();
    b.trim();
    CHECK(b.reads(0));
    CHECK(b.s.trimmed_zeros() == 1);
    CHECK(b.reads(v2));
    CHECK_FALSE(b.reads(v1));
    const bench::write w3 = b.begin_write();
    CHECK(b.reads(0)); // not yet ended
    b.end(w3);
    CHECK(b.reads(w3.tag));
    CHECK_FALSE(b.reads(0));
    CHECK_FALSE(b.reads(v2));
}

TEST_CASE("a trim in flight with a write leaves zero or the written version")
{
    bench b;
    const std::uint64_t v1 = b.wrote();
    const shadow::span trim = b.begin_trim();
    const bench::write w2 = b.begin_write();
    CHECK(b.reads(0));
    CHECK(b.reads(v1));
    CHECK(b.reads(w2.tag));
    b.end(w2);
    b.s.end_trim(trim, true);
    CHECK(b.reads(0));
    CHECK(b.reads(w2.tag));
    CHECK_FALSE(b.reads(v1));
}

TEST_CASE("a read that spans a trim and the write after it may see the zeros between")
{
    bench b;
    b.wrote();
    const shadow::span before = b.begin_read();
    b.trim();
    const std::uint64_t v2 = b.wrote();
    CHECK(b.accepts(before, 0));
    CHECK(b.reads(v2));
    CHECK_FALSE(b.reads(0));
}

TEST_CASE("a preconditioned range holds version 1 and takes no room")
{
    bench b;
    b.s.set_preconditioned(500, 501); // to sector 1000
    CHECK(b.reads(make_tag(lba, 1)));
    CHECK_FALSE(b.reads(0));
    CHECK(b.wrote() == make_tag(lba, 2));
    CHECK(b.reads(make_tag(lba, 2)));
    unsigned char sector[sector_size] = {};
    for (const std::uint64_t outside : {499ull, 1001ull}) {
        const shadow::span read = {0, outside, 1};
        b.s.begin_read(read, sector);
        std::memset(sector, 0, 8);
        const std::uint64_t before = b.s.mismatches();
        b.s.end_read(read, sector, true);
        CHECK(b.s.mismatches() == before);
    }
}

TEST_CASE("versions start again at 1 after 2^24 - 1")
{
    bench b;
    std::uint64_t last = 0;
    std::uint64_t before = 0;
    for (std::uint32_t i = 0; i < (1u << 24) - 1; ++i) {
        before = last;
        last = b.wrote();
        b.next_slot = 0;
    }
    CHECK(last == make_tag(lba, (1u << 24) - 1));
    CHECK_FALSE(b.reads(before));
    const bench::write wrapped = b.begin_write();
    CHECK(wrapped.tag == make_tag(lba, 1));
    CHECK(b.reads(last));
    CHECK(b.reads(wrapped.tag));
    b.end(wrapped);
    CHECK(b.reads(wrapped.tag));
    CHECK_FALSE(b.reads(last));
}

TEST_CASE("mode full checks every byte, zeros are zeros throughout")
{
    fault_log faults;
    shadow s(data_mode::full, "shadow", &faults);
    s.configure(1024, 8, 64);
    std::vector<unsigned char> data(2 * sector_size);
    s.begin_write({0, 10, 2}, data.data());
    s.end_write({0, 10, 2}, true);
    const std::vector<unsigned char> written = data;
    auto read = [&](const std::vector<unsigned char>& returned) {
        std::vector<unsigned char> buffer(returned.size());
        s.begin_read({1, 10, 2}, buffer.data());
        const std::uint64_t before = s.mismatches();
        s.end_read({1, 10, 2}, returned.data(), true);
        return s.mismatches() - before;
    };
    CHECK(read(written) == 0);
    for (const std::size_t at : {8u, 511u, 512u + 300u}) {
        data = written;
        data[at] ^= 0x80;
        CHECK(read(data) == 1);
    }
    s.begin_trim({2, 10, 2});
    s.end_trim({2, 10, 2}, true);
    data.assign(data.size(), 0);
    CHECK(read(data) == 0);
    data[100] = 1;
    CHECK(read(data) == 1);
}

TEST_CASE("only the first 32 mismatches are described, all are counted")
{
    bench b;
    b.wrote();
    for (int i = 0; i < 100; ++i) {
        b.next_slot = 0;
        b.reads(0);
    }
    CHECK(b.s.mismatches() == 100);
    CHECK(b.faults.count() == 32);
    b.s.reset_counters();
    CHECK(b.s.mismatches() == 0);
    CHECK_FALSE(b.reads(0)); // what is known stays known
}

TEST_CASE("sectors of 4 KiB are remembered one by one only while they differ")
{
    shadow s(data_mode::tag, "shadow", nullptr);
    s.configure(1u << 20, 4, 256);
    s.set_preconditioned(0, 1u << 10);
    std::vector<unsigned char> data(256 * sector_size);
    const auto write = [&](std::uint64_t first, std::uint32_t sectors) {
        s.begin_write({0, first, sectors}, data.data());
        s.end_write({0, first, sectors}, true);
    };
    // Version of each sector of a read, by what the shadow takes for right.
    std::vector<std::uint32_t> version(256);
    const auto holds = [&](std::uint64_t first, std::uint32_t sectors) {
        s.begin_read({1, first, sectors}, data.data());
        for (std::uint32_t i = 0; i < sectors; ++i) {
            const std::uint64_t tag = make_tag(first + i, version.at(first + i));
            std::memcpy(&data[i * sector_size], &tag, sizeof tag);
        }
        s.end_read({1, first, sectors}, data.data(), true);
        return s.mismatches() == 0;
    };
    version.assign(256, 1);
    write(8, 16); // two groups, in version 2 from one end to the other
    std::fill_n(version.begin() + 8, 16, 2);
    CHECK(s.split_groups() == 0);
    CHECK(holds(0, 64));
    write(11, 2); // in the middle of one of them
    version[11] = version[12] = 3;
    CHECK(s.split_groups() == 1);
    CHECK(holds(0, 64));
    write(20, 8); // the end of the other one, the begin of one that was not written yet
    std::fill_n(version.begin() + 20, 4, 3);
    std::fill_n(version.begin() + 24, 4, 2);
    CHECK(s.split_groups() == 3);
    CHECK(holds(0, 64));
    write(13, 3);
    write(8, 3);
    std::fill_n(version.begin() + 8, 8, 3); // all of the first one once more
    CHECK(s.split_groups() == 2);
    CHECK(holds(0, 64));
    version[30] = 2;
    CHECK_FALSE(holds(24, 8));
}

TEST_CASE("a trim of whole 4 KiB takes no room, and zeros are right from then on")
{
    shadow s(data_mode::tag, "shadow", nullptr);
    s.configure(1u << 20, 4, 256);
    s.set_preconditioned(0, 1u << 10);
    s.begin_trim({0, 16, 8});
    CHECK(s.split_groups() == 1); // while it is in flight
    s.end_trim({0, 16, 8}, true);
    CHECK(s.split_groups() == 0);
    std::vector<unsigned char> data(8 * sector_size);
    s.begin_read({1, 16, 8}, data.data());
    std::fill(data.begin(), data.end(), static_cast<unsigned char>(0));
    s.end_read({1, 16, 8}, data.data(), true);
    CHECK(s.mismatches() == 0);
    CHECK(s.trimmed_zeros() == 8);
}

TEST_CASE("what was kept without power cuts is checked by a run with them")
{
    std::vector<unsigned char> data(64 * sector_size);
    shadow one(data_mode::tag, "one", nullptr);
    one.configure(1u << 12, 4, 256);
    one.begin_write({0, 8, 16}, data.data());
    one.end_write({0, 8, 16}, true); // two groups as one entry each; their leaves are free
    one.begin_write({0, 33, 2}, data.data());
    one.end_write({0, 33, 2}, true); // one of them holds these
    test::memory_archive archive;
    one.keep(archive);
    archive.rewind();
    shadow other(data_mode::tag, "other", nullptr);
    other.expect_power_cuts();
    other.configure(1u << 12, 4, 256);
    other.keep(archive);
    CHECK(archive.at_end());
    other.power_lost(); // all of it is durable
    CHECK(other.uncertain(64).empty());
    const std::vector<shadow::extent> written = other.written(64);
    REQUIRE(written.size() == 2);
    CHECK(written[0].lba == 8);
    CHECK(written[0].sectors == 16);
    CHECK(written[1].lba == 33);
    CHECK(written[1].sectors == 2);
    const auto reads = [&](std::uint64_t lba, std::uint64_t tag) {
        const std::uint64_t before = other.mismatches();
        other.begin_read({1, lba, 1}, data.data());
        std::memcpy(data.data(), &tag, sizeof tag);
        other.end_read({1, lba, 1}, data.data(), true);
        return other.mismatches() == before;
    };
    CHECK(reads(23, make_tag(23, 1)));
    CHECK(reads(33, make_tag(33, 1)));
    CHECK(reads(32, 0));
    CHECK_FALSE(reads(9, 0));
}

TEST_CASE("what was kept as trimmed may be zero after a cut, too")
{
    std::vector<unsigned char> data(8 * sector_size);
    shadow one(data_mode::tag, "one", nullptr);
    shadow other(data_mode::tag, "other", nullptr);
    for (shadow* s : {&one, &other}) {
        s->expect_power_cuts();
        s->configure(1u << 12, 4, 256);
    }
    one.begin_write({0, 8, 8}, data.data());
    one.end_write({0, 8, 8}, true);
    one.begin_trim({0, 8, 8});
    one.end_trim({0, 8, 8}, true);
    test::memory_archive archive;
    one.keep(archive);
    archive.rewind();
    other.keep(archive);
    other.begin_write({0, 8, 8}, data.data()); // which the cut takes
    other.power_lost();
    CHECK(other.uncertain(8).size() == 1);
    other.begin_read({1, 8, 8}, data.data());
    std::fill(data.begin(), data.end(), static_cast<unsigned char>(0));
    other.end_read({1, 8, 8}, data.data(), true);
    CHECK(other.mismatches() == 0);
}

TEST_CASE("checking a 4 KiB read costs little")
{
    bench b;
    std::vector<unsigned char> data(4096);
    const std::uint64_t blocks = (1u << 20) / 8;
    const int rounds = 200000;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) {
        const shadow::span span = {0, static_cast<std::uint64_t>(i) * 7919 % blocks * 8, 8};
        b.s.begin_read(span, data.data());
        for (std::size_t k = 0; k < 8; ++k) {
            std::memset(&data[k * sector_size], 0, 8);
        }
        b.s.end_read(span, data.data(), true);
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    CHECK(b.s.mismatches() == 0);
    const double each = spent.count() / rounds;
    INFO(each << " ns for each check");
    CHECK(each < 2000.0); // 50 ns when optimised: the bound holds with sanitizers, too
}

} // namespace shadow_test
