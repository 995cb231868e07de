// SPDX-License-Identifier: Apache-2.0
#include "platform/serve/image_file.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <zlib.h>

namespace ssdvp::platform {

namespace {

constexpr std::array<char, 8> image_magic = {'S', 'S', 'D', 'V', 'P', 'I', 'M', 'G'};
constexpr std::uint32_t little_endian = 0x01020304;

std::uint32_t crc_of(const void* bytes, std::size_t length, std::uint32_t before = 0)
{
    return static_cast<std::uint32_t>(
        ::crc32_z(before, static_cast<const unsigned char*>(bytes), length));
}

std::uint32_t crc_of(image_record r, const unsigned char* payload)
{
    r.crc = 0;
    return crc_of(payload, r.payload, crc_of(&r, sizeof r));
}

std::uint64_t key_of(const image_record& r)
{
    return std::uint64_t{r.die} << 32 | r.block;
}

void write_all(int file, const void* bytes, std::size_t length, std::uint64_t offset)
{
    const auto* at = static_cast<const unsigned char*>(bytes);
    while (length != 0) {
        const ssize_t n = ::pwrite(file, at, length, static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            throw serve_error(std::strerror(n < 0 ? errno : ENOSPC));
        }
        at += n;
        offset += static_cast<std::uint64_t>(n);
        length -= static_cast<std::size_t>(n);
    }
}

/// False at the end of the file or on an error.
bool read_all(int file, void* bytes, std::size_t length, std::uint64_t offset)
{
    auto* at = static_cast<unsigned char*>(bytes);
    while (length != 0) {
        const ssize_t n = ::pread(file, at, length, static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        at += n;
        offset += static_cast<std::uint64_t>(n);
        length -= static_cast<std::size_t>(n);
    }
    return true;
}

void sync(int file)
{
    if (::fdatasync(file) != 0) {
        throw serve_error(std::strerror(errno));
    }
}

} // namespace

image_file::image_file(std::string path, const image_geometry& geometry, const std::string& digest,
                       std::uint64_t slack)
    : m_path(std::move(path)), m_geometry(geometry), m_digest(digest), m_slack(slack)
{
    m_digest.resize(sizeof header::digest, '0');
    open_locked();
    try {
        check_header();
        m_end = m_committed;
        ::unlink((m_place + ".tmp").c_str()); // of a compaction that something interrupted
    } catch (...) {
        ::close(m_file);
        throw;
    }
}

image_file::~image_file()
{
    if (m_made && m_sequence == 0 && at_its_name()) { // by a server that was refused, say
        ::unlink(m_place.c_str());
    }
    ::close(m_file);
}

/// A server that compacted meanwhile has put another file in its place.
bool image_file::at_its_name() const
{
    struct stat here {};
    struct stat there {};
    return ::fstat(m_file, &here) == 0 && ::stat(m_path.c_str(), &there) == 0 &&
           here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

void image_file::open_locked()
{
    for (;;) {
        m_file = ::open(m_path.c_str(), O_RDWR | O_CLOEXEC);
        m_made = m_file < 0 && errno == ENOENT;
        if (m_made) {
            m_file = ::open(m_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        }
        if (m_file < 0) {
            throw serve_error(fmt::format("--image {}: {}; give a file in a folder that can be "
                                          "written",
                                          m_path, std::strerror(errno)));
        }
        if (::flock(m_file, LOCK_EX | LOCK_NB) != 0) {
            ::close(m_file);
            throw serve_error(fmt::format("--image {}: another server uses it; stop it, or give "
                                          "another file",
                                          m_path));
        }
        if (at_its_name()) {
            // A compaction replaces the file, not a link to it.
            std::error_code error;
            const auto target = std::filesystem::canonical(m_path, error);
            m_place = error ? m_path : target.string();
            return;
        }
        ::close(m_file);
    }
}

void image_file::damaged(const std::string& what) const
{
    throw serve_error(fmt::format("--image {}: {}; it is left as it is: restore it from a copy, or "
                                  "give another file",
                                  m_path, what));
}

/// Empty, or why the image is not this drive's.
std::string image_file::mismatch(const header& h) const
{
    if (h.version != format_version || h.byte_order != little_endian) {
        return fmt::format("format version {}, and this program knows {}", h.version,
                           format_version);
    }
    const image_geometry g = {h.geometry[0], h.geometry[1], h.geometry[2],
                              h.geometry[3], h.geometry[4], h.geometry[5]};
    if (!(g == m_geometry)) {
        return fmt::format("of {} dies of {} planes of {} blocks of {} pages of {} + {} bytes, and "
                           "the configuration has {} of {} of {} of {} of {} + {}",
                           g.dies, g.planes, g.blocks_per_plane, g.pages_per_block, g.page_size,
                           g.spare_size, m_geometry.dies, m_geometry.planes,
                           m_geometry.blocks_per_plane, m_geometry.pages_per_block,
                           m_geometry.page_size, m_geometry.spare_size);
    }
    if (std::memcmp(h.digest, m_digest.data(), sizeof h.digest) != 0) {
        return "of a drive with other nand, flash, ftl or write keys, or another run.seed: "
               "start it with those that it was made with";
    }
    return {};
}

void image_file::check_header()
{
    struct stat s {};
    if (::fstat(m_file, &s) != 0 || !S_ISREG(s.st_mode)) {
        damaged("no regular file");
    }
    if (s.st_size == 0) {
        m_committed = log_begin;
        return;
    }
    bool ours = false;
    bool spoiled = false;
    for (std::uint64_t slot = 0; slot < 2; ++slot) {
        header h{};
        if (!read_all(m_file, &h, sizeof h, slot * slot_size) || h.magic != image_magic) {
            spoiled = spoiled || h.sequence != 0; // a slot that was never written holds zeroes
            continue;
        }
        ours = true;
        if (h.crc != crc_of(&h, offsetof(header, crc))) {
            spoiled = true;
            continue;
        }
        if (const std::string why = mismatch(h); !why.empty()) {
            damaged("an image " + why);
        }
        if (h.sequence > m_sequence) {
            m_sequence = h.sequence;
            m_committed = h.committed;
        }
    }
    // Beside one that promises nothing it may be the only promise there ever was.
    if (m_sequence == 0 || (spoiled && m_committed == log_begin)) {
        damaged(ours ? "its header is damaged (CRC)" : "no image of ssdvp");
    }
    // Without records a file may end within its header slots.
    if (m_committed > log_begin && static_cast<std::uint64_t>(s.st_size) < m_committed) {
        damaged(fmt::format("{} bytes, of which {} were promised", s.st_size, m_committed));
    }
    if (spoiled) { // of a write that was interrupted, as a rule: then nobody was promised more
        m_remark =
            fmt::format("one of its two headers is damaged (CRC): it goes on from snapshot {}, "
                        "and {} bytes behind that are left aside",
                        m_sequence, static_cast<std::uint64_t>(s.st_size) - m_committed);
    }
}

void image_file::write_header(int file, std::uint64_t sequence, std::uint64_t committed) const
{
    header h{};
    h.magic = image_magic;
    h.version = format_version;
    h.byte_order = little_endian;
    const std::uint32_t g[6] = {m_geometry.dies,
                                m_geometry.planes,
                                m_geometry.blocks_per_plane,
                                m_geometry.pages_per_block,
                                m_geometry.page_size,
                                m_geometry.spare_size};
    std::copy(std::begin(g), std::end(g), std::begin(h.geometry));
    std::copy(m_digest.begin(), m_digest.end(), std::begin(h.digest));
    h.sequence = sequence;
    h.committed = committed;
    h.crc = crc_of(&h, offsetof(header, crc));
    write_all(file, &h, sizeof h, sequence % 2 * slot_size);
    sync(file);
}

void image_file::note(const image_record& r, std::uint64_t offset)
{
    std::vector<place>& places = m_places[key_of(r)];
    if ((r.flags & image_record::WHOLE) != 0) {
        for (const place& p : places) {
            m_living -= p.length;
        }
        places.clear();
    }
    const std::uint64_t length = sizeof r + r.payload;
    places.push_back({offset, length});
    m_living += length;
}

bool image_file::fits(const image_record& r) const
{
    if (r.die == image_record::BOOT_FLASH) {
        return r.block <= image_record::ACTIVE && r.payload <= NOR_AREA_SIZE;
    }
    const std::uint64_t bitmap = (m_geometry.pages_per_block + 7) / 8;
    const std::uint64_t page = std::uint64_t{m_geometry.page_size} + m_geometry.spare_size;
    return r.die < m_geometry.dies && r.block < m_geometry.planes * m_geometry.blocks_per_plane &&
           r.payload == 2 * bitmap + r.pages * page;
}

void image_file::read(
    const std::function<void(const image_record&, const unsigned char* payload)>& each)
{
    std::vector<unsigned char> payload;
    for (std::uint64_t at = log_begin; at < m_committed;) {
        image_record r;
        if (m_committed - at < sizeof r || !read_all(m_file, &r, sizeof r, at) ||
            r.magic != image_record::MAGIC || r.payload > m_committed - at - sizeof r) {
            damaged(fmt::format("no record at byte {}", at));
        }
        payload.resize(r.payload);
        if (!read_all(m_file, payload.data(), payload.size(), at + sizeof r) ||
            r.crc != crc_of(r, payload.data())) {
            damaged(fmt::format("the record at byte {} is damaged (CRC)", at));
        }
        if (!fits(r)) {
            damaged(fmt::format("the record at byte {} does not fit the drive", at));
        }
        each(r, payload.data());
        note(r, at);
        at += sizeof r + r.payload;
    }
}

void image_file::verify()
{
    read([](const image_record&, const unsigned char*) {});
    m_places.clear();
    m_living = 0;
}

/// What was appended since the last promise is forgotten.
void image_file::give_up(const std::string& why)
{
    m_added.clear();
    m_end = m_committed;
    throw serve_error(fmt::format("--image {}: {}", m_path, why));
}

void image_file::append(std::vector<unsigned char>& records)
{
    for (std::size_t at = 0; at < records.size();) {
        image_record r;
        std::memcpy(&r, records.data() + at, sizeof r);
        r.crc = crc_of(r, records.data() + at + sizeof r);
        std::memcpy(records.data() + at, &r, sizeof r);
        m_added.emplace_back(r, m_end + at);
        at += sizeof r + r.payload;
    }
    try {
        if (m_sequence == 0) { // what an interruption leaves is an image, and empty
            write_header(m_file, m_sequence + 1, m_end);
            ++m_sequence;
            sync_folder();
        }
        write_all(m_file, records.data(), records.size(), m_end);
    } catch (const serve_error& e) {
        give_up(e.what());
    }
    m_end += records.size();
}

void image_file::promise()
{
    if (m_added.empty() && m_sequence != 0) {
        return;
    }
    try {
        sync(m_file);
        write_header(m_file, m_sequence + 1, m_end);
    } catch (const serve_error& e) {
        give_up(e.what());
    }
    ++m_sequence;
    m_committed = m_end;
    for (const auto& [r, offset] : m_added) {
        note(r, offset);
    }
    m_added.clear();
    if (m_committed - log_begin > 2 * m_living + m_slack) {
        compact();
    }
}

/// A failure leaves FILE as it was, which still holds everything.
void image_file::compact()
{
    const std::string name = m_place + ".tmp";
    const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) {
        return;
    }
    std::vector<std::uint64_t> keys; // in order: the file must not depend on a hash
    for (const auto& [key, places] : m_places) {
        keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end());
    auto places = m_places;
    std::uint64_t end = log_begin;
    try {
        if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
            throw serve_error("locked");
        }
        std::vector<unsigned char> record;
        for (const std::uint64_t key : keys) {
            for (place& p : places[key]) {
                record.resize(p.length);
                if (!read_all(m_file, record.data(), record.size(), p.offset)) {
                    throw serve_error("unreadable");
                }
                write_all(file, record.data(), record.size(), end);
                p.offset = end;
                end += p.length;
            }
        }
        sync(file);
        write_header(file, m_sequence + 1, end);
        if (::rename(name.c_str(), m_place.c_str()) != 0) {
            throw serve_error(std::strerror(errno));
        }
    } catch (const serve_error&) {
        ::close(file);
        ::unlink(name.c_str());
        return;
    }
    ::close(std::exchange(m_file, file));
    ++m_sequence;
    m_committed = m_end = end;
    m_places = std::move(places);
    sync_folder();
}

/// So that the file's name is durable too. A file system that cannot does without.
void image_file::sync_folder() const
{
    const std::string folder = std::filesystem::path(m_place).parent_path().string();
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        (void)::fsync(file);
        ::close(file);
    }
}

} // namespace ssdvp::platform
