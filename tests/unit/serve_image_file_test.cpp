// SPDX-License-Identifier: Apache-2.0
//
// The file of --image: its size stays bounded, whatever interrupts it, what was promised is there,
// and a file that does not fit is left as it is.
#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "platform/serve/image_file.h"

namespace serve_image_file_test {

using namespace ssdvp::platform;
using Catch::Contains;

namespace {

constexpr image_geometry small = {2, 1, 8, 8, 512, 16};
constexpr std::uint64_t slack = 16 * 1024;
constexpr std::uint64_t begin_of_log = 8192;
const std::string digest(64, 'd');

class folder {
public:
    folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "imageXXXXXX").string();
        m_path = ::mkdtemp(name.data());
    }
    ~folder() { std::filesystem::remove_all(m_path); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
    [[nodiscard]] std::string file() const { return (m_path / "drive.img").string(); }

private:
    std::filesystem::path m_path;
};

std::string bytes_of(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void replace(const std::string& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

/// A block with all its pages, each byte of which is the low one of `turn`.
void add(std::vector<unsigned char>& to, std::uint32_t die, std::uint32_t block, std::uint32_t turn)
{
    image_record r;
    r.die = die;
    r.block = block;
    r.erases = turn;
    r.flags = image_record::WHOLE;
    r.pages = small.pages_per_block;
    r.payload = 2 + r.pages * (small.page_size + small.spare_size);
    const auto* bytes = reinterpret_cast<const unsigned char*>(&r);
    to.insert(to.end(), bytes, bytes + sizeof r);
    to.insert(to.end(), r.payload, static_cast<unsigned char>(turn));
}

void append(image_file& f, std::uint32_t die, std::uint32_t block, std::uint32_t turn)
{
    std::vector<unsigned char> records;
    add(records, die, block, turn);
    f.append(records);
    f.promise();
}

/// The last turn of each block; every byte is looked at.
std::map<std::uint32_t, std::uint32_t> turns_of(image_file& f)
{
    std::map<std::uint32_t, std::uint32_t> last;
    f.read([&last](const image_record& r, const unsigned char* payload) {
        for (std::uint32_t i = 0; i < r.payload; ++i) {
            REQUIRE(payload[i] == static_cast<unsigned char>(r.erases));
        }
        last[r.die * 100 + r.block] = r.erases;
    });
    return last;
}

std::map<std::uint32_t, std::uint32_t> reopened(const std::string& path)
{
    image_file f(path, small, digest, slack);
    return turns_of(f);
}

std::string refusal(const std::string& path, const image_geometry& g, const std::string& d)
{
    const std::string before = bytes_of(path);
    std::string why;
    try {
        image_file(path, g, d, slack).verify();
    } catch (const serve_error& e) {
        why = e.what();
    }
    CHECK(bytes_of(path) == before);
    return why;
}

/// Turn after turn, each told to `tell` when it is durable, until somebody kills the process.
[[noreturn]] void write_for_ever(const std::string& path, std::uint32_t turn, int tell)
{
    image_file f(path, small, digest, slack);
    f.verify();
    for (;; ++turn) {
        append(f, 1, 3, turn);
        if (::write(tell, &turn, sizeof turn) != sizeof turn) {
            std::_Exit(1);
        }
    }
}

/// What the child told last, of at least `turns` turns.
std::uint32_t killed_after(const std::string& path, std::uint32_t first, std::uint32_t turns)
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::close(ends[0]);
        write_for_ever(path, first, ends[1]);
    }
    ::close(ends[1]);
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < turns; ++i) {
        REQUIRE(::read(ends[0], &last, sizeof last) == sizeof last);
    }
    ::usleep(turns * 37 % 500); // us: into the middle of the next one, or of a compaction
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(ends[0], &last, sizeof last) == sizeof last) {
    }
    ::close(ends[0]);
    return last;
}

} // namespace

TEST_CASE("image: after many flushes it is as large as what lives allows", "[serve]")
{
    const folder d;
    std::uint64_t most = 0;
    std::uint64_t least = ~std::uint64_t{0};
    {
        image_file f(d.file(), small, digest, slack);
        CHECK(f.is_new());
        for (std::uint32_t turn = 0; turn < 400; ++turn) {
            append(f, turn % 2, turn % 5, turn);
            const std::uint64_t size = std::filesystem::file_size(d.file());
            REQUIRE(size == f.bytes());
            REQUIRE(size - begin_of_log <= 2 * f.living() + slack);
            most = std::max(most, size);
            least = turn > 200 ? std::min(least, size) : least;
        }
        CHECK(f.living() == 10 * (sizeof(image_record) + 2 + 8 * 528));
    }
    CHECK(least < most); // it was compacted
    CHECK_FALSE(std::filesystem::exists(d.file() + ".tmp"));
    const auto last = reopened(d.file());
    REQUIRE(last.size() == 10);
    for (std::uint32_t turn = 390; turn < 400; ++turn) {
        CHECK(last.at(turn % 2 * 100 + turn % 5) == turn);
    }
}

TEST_CASE("image: a compaction replaces the file behind a link, not the link", "[serve]")
{
    const folder f;
    std::filesystem::create_symlink("far.img", f.file());
    {
        image_file image(f.file(), small, digest, slack);
        for (std::uint32_t turn = 0; turn < 50; ++turn) {
            append(image, 1, 3, turn);
        }
    }
    CHECK(std::filesystem::is_symlink(f.file()));
    CHECK(std::filesystem::file_size(f.file()) < 50 * 8 * 528); // there were compactions
    CHECK(reopened(f.file()).at(103) == 49);
}

TEST_CASE("image: kill -9 at any point keeps what was promised", "[serve]")
{
    const folder d;
    std::uint32_t next = 1;
    for (std::uint32_t round = 1; round <= 40; ++round) {
        const std::uint32_t promised = killed_after(d.file(), next, round % 11 + 1);
        const auto last = reopened(d.file());
        REQUIRE(last.size() == 1);
        REQUIRE(last.at(103) >= promised);
        REQUIRE(last.at(103) <= promised + 1);
        REQUIRE_FALSE(std::filesystem::exists(d.file() + ".tmp"));
        next = last.at(103) + 1;
    }
    CHECK(std::filesystem::file_size(d.file()) < 100 * 1024);
}

TEST_CASE("image: what an interrupted compaction left is removed, and the former file counts",
          "[serve]")
{
    const folder d;
    {
        image_file f(d.file(), small, digest, slack);
        append(f, 0, 1, 7);
    }
    const std::string kept = bytes_of(d.file());
    replace(d.file() + ".tmp", kept.substr(0, kept.size() / 2));
    CHECK(reopened(d.file()).at(1) == 7);
    CHECK_FALSE(std::filesystem::exists(d.file() + ".tmp"));
    CHECK(bytes_of(d.file()) == kept);
}

TEST_CASE("image: a header torn in two leaves the one before", "[serve]")
{
    const folder d;
    {
        image_file f(d.file(), small, digest, slack);
        append(f, 0, 1, 1); // sequence 1 promises nothing; 2: slot 0
        append(f, 0, 1, 2); // sequence 3: slot 1
    }
    const std::string kept = bytes_of(d.file());
    std::string torn = kept;
    torn[4096 + 110] = static_cast<char>(torn[4096 + 110] ^ 1); // of `committed`
    replace(d.file(), torn);
    CHECK(reopened(d.file()).at(1) == 1);
    {
        const image_file f(d.file(), small, digest, slack);
        CHECK_THAT(f.remark(),
                   Contains("goes on from snapshot 2, and ") &&
                       Contains(fmt::format("{} bytes behind", torn.size() - f.bytes())));
        CHECK(torn.size() > f.bytes());
    }
    std::string renamed = kept;
    renamed[4096] = 'X'; // of the magic
    replace(d.file(), renamed);
    CHECK_FALSE(image_file(d.file(), small, digest, slack).remark().empty());
    replace(d.file(), kept);
    CHECK(image_file(d.file(), small, digest, slack).remark().empty());
    replace(d.file(), torn);
    torn[110] = static_cast<char>(torn[110] ^ 1);
    replace(d.file(), torn);
    CHECK_THAT(refusal(d.file(), small, digest), Contains("header is damaged (CRC)"));
}

TEST_CASE("image: damage to the only header that promises anything does not make it a new one",
          "[serve]")
{
    const folder d;
    {
        image_file f(d.file(), small, digest, slack);
        append(f, 0, 1, 1);
    }
    const std::string kept = bytes_of(d.file());
    for (const std::size_t at : {100u, 110u}) { // in slot 0: its sequence and `committed`
        std::string spoiled = kept;
        spoiled[at] = static_cast<char>(spoiled[at] ^ 1);
        replace(d.file(), spoiled);
        CHECK_THAT(refusal(d.file(), small, digest), Contains("header is damaged (CRC)"));
        CHECK(bytes_of(d.file()) == spoiled);
    }
    replace(d.file(), kept);
    CHECK(reopened(d.file()).at(1) == 1);
}

TEST_CASE("image: a batch of several parts counts with its promise, or not at all", "[serve]")
{
    const folder d;
    std::vector<unsigned char> records;
    {
        image_file f(d.file(), small, digest, slack);
        add(records, 0, 1, 1);
        f.append(records); // the first ever, interrupted
    }
    {
        image_file f(d.file(), small, digest, slack);
        CHECK(f.is_new());
        CHECK(turns_of(f).empty());
        append(f, 0, 1, 2);
        append(f, 0, 2, 2);
        for (std::uint32_t block = 1; block < 4; ++block) {
            records.clear();
            add(records, 0, block, 3);
            f.append(records);
        }
    }
    CHECK(reopened(d.file()) == std::map<std::uint32_t, std::uint32_t>{{1, 2}, {2, 2}});
    {
        image_file f(d.file(), small, digest, slack);
        CHECK_FALSE(f.is_new());
        for (std::uint32_t block = 1; block < 4; ++block) {
            records.clear();
            add(records, 0, block, 4);
            f.append(records);
        }
        f.promise();
    }
    CHECK(reopened(d.file()) == std::map<std::uint32_t, std::uint32_t>{{1, 4}, {2, 4}, {3, 4}});
}

TEST_CASE("image: a file that was never written to does not stay", "[serve]")
{
    const folder d;
    image_file(d.file(), small, digest, slack).verify();
    CHECK_FALSE(std::filesystem::exists(d.file()));
    replace(d.file(), ""); // somebody's, empty
    image_file(d.file(), small, digest, slack).verify();
    CHECK(std::filesystem::exists(d.file()));
}

TEST_CASE("image: another version, geometry, drive, or damage is refused and untouched", "[serve]")
{
    const folder d;
    {
        image_file f(d.file(), small, digest, slack);
        append(f, 0, 1, 1);
        append(f, 0, 2, 2);
    }
    const std::string kept = bytes_of(d.file());
    CHECK(refusal(d.file(), small, digest).empty());
    image_geometry other = small;
    other.pages_per_block = 16;
    CHECK_THAT(refusal(d.file(), other, digest), Contains("of 8 pages") && Contains("of 16 of"));
    CHECK_THAT(refusal(d.file(), small, std::string(64, 'e')), Contains("run.seed"));
    for (const std::uint32_t version :
         {image_file::format_version - 1, image_file::format_version + 1}) {
        std::string bytes = kept;
        for (const std::size_t slot : {0u, 4096u}) {
            std::memcpy(bytes.data() + slot + 8, &version, sizeof version);
            const auto crc = static_cast<std::uint32_t>(
                ::crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data() + slot), 124));
            std::memcpy(bytes.data() + slot + 124, &crc, sizeof crc);
        }
        replace(d.file(), bytes);
        CHECK_THAT(refusal(d.file(), small, digest),
                   Contains("format version " + std::to_string(version)));
    }
    std::string bytes = kept;
    bytes[begin_of_log + 1000] = static_cast<char>(bytes[begin_of_log + 1000] ^ 0x10);
    replace(d.file(), bytes);
    CHECK_THAT(refusal(d.file(), small, digest),
               Contains("record at byte 8192") && Contains("CRC"));
    replace(d.file(), kept.substr(0, kept.size() - 1));
    CHECK_THAT(refusal(d.file(), small, digest), Contains("were promised"));
    replace(d.file(), "something else");
    CHECK_THAT(refusal(d.file(), small, digest), Contains("no image of ssdvp"));
}

TEST_CASE("image: a second server is refused", "[serve]")
{
    const folder d;
    image_file f(d.file(), small, digest, slack);
    append(f, 0, 1, 1);
    CHECK_THROWS_WITH(image_file(d.file(), small, digest), Contains("another server uses it"));
    for (std::uint32_t turn = 2; turn < 20; ++turn) {
        append(f, 0, 1, turn); // compacted: the lock is the new file's
    }
    CHECK_THROWS_WITH(image_file(d.file(), small, digest), Contains("another server uses it"));
}

TEST_CASE("image: a full disk loses nothing that was promised", "[serve]")
{
    const folder d;
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    std::uint32_t promised = 0;
    {
        image_file f(d.file(), small, digest, slack);
        const rlimit full = {30000, before.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &full) == 0);
        try {
            for (std::uint32_t turn = 1; turn < 100; ++turn) {
                append(f, turn % 2, turn % 8, turn);
                promised = turn;
            }
        } catch (const serve_error& e) {
            CHECK_THAT(e.what(), Contains("File too large"));
        }
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    }
    std::signal(SIGXFSZ, handler);
    CHECK(promised == 5); // of 4,262 bytes each, behind 8,192
    const auto last = reopened(d.file());
    CHECK(last.size() == promised);
    CHECK(last.at(promised % 2 * 100 + promised % 8) == promised);
}

TEST_CASE("image: areas of the boot flash outlive compaction", "[serve]")
{
    const folder d;
    image_record r;
    r.die = image_record::BOOT_FLASH;
    r.flags = image_record::WHOLE;
    r.block = 2;
    r.payload = 9;
    {
        image_file f(d.file(), small, digest, slack);
        std::vector<unsigned char> records(sizeof r + 9, 'i');
        std::memcpy(records.data(), &r, sizeof r);
        f.append(records);
        f.promise();
        for (std::uint32_t turn = 1; turn < 40; ++turn) {
            append(f, 0, 1, turn);
        }
    }
    image_file f(d.file(), small, digest, slack);
    std::uint32_t found = 0;
    f.read([&found](const image_record& record, const unsigned char* payload) {
        if (record.die == image_record::BOOT_FLASH) {
            ++found;
            CHECK(record.block == 2);
            CHECK(std::string(payload, payload + record.payload) == "iiiiiiiii");
        }
    });
    CHECK(found == 1);
}

} // namespace serve_image_file_test
