// SPDX-License-Identifier: Apache-2.0
#include "platform/serve/drive_image.h"

#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <pthread.h>
#include <utility>

#include "platform/config/derived.h"
#include "platform/config/loader.h"

namespace ssdvp::platform {

namespace {

/// Bytes of a piece, but for its last record: the simulation waits for the disk when one is full
/// and the one before is not written yet.
constexpr std::size_t piece_size = 16u << 20;

image_geometry geometry_of(const ssd_config& c)
{
    const flash::geometry& g = c.channel.die.geo;
    return {c.channels * c.channel.luns, g.planes,    g.blocks_per_plane,
            g.pages_per_block,           g.page_size, c.channel.die.stored_oob};
}

template <typename Visit>
void for_each_die(ssd& drive, const Visit& visit)
{
    flash::die_index die;
    for (const flash::channel_index c : drive.channels()) {
        for (const flash::lun_index l : drive.channel(c).luns()) {
            visit(die, drive.channel(c).lun(l).cells());
            ++die;
        }
    }
}

bool bit(const unsigned char* bits, flash::page_index page)
{
    return (bits[page.value() / 8] >> page.value() % 8 & 1) != 0;
}

void set_bit(unsigned char* bits, flash::page_index page)
{
    unsigned char& byte = bits[page.value() / 8];
    byte = static_cast<unsigned char>(byte | 1u << page.value() % 8);
}

} // namespace

drive_image::drive_image(const std::string& path, const ssd_config& config,
                         std::function<void(const std::string&)> failed)
    : m_geometry(geometry_of(config)), m_file(path, m_geometry, cells_sha256(config)),
      m_failed(std::move(failed)), m_in_order(config.channel.die.order != flash::page_order::any),
      m_kept(m_geometry.dies)
{
    for (auto& die : m_kept) {
        die = pages_kept(std::size_t{m_geometry.planes} * m_geometry.blocks_per_plane);
    }
    const std::size_t room =
        piece_size + sizeof(image_record) + 2 * ((m_geometry.pages_per_block + 7) / 8) +
        std::size_t{m_geometry.pages_per_block} * (m_geometry.page_size + m_geometry.spare_size);
    m_next.records.reserve(room);
    m_spare.reserve(room);
    m_file.verify();
}

drive_image::~drive_image()
{
    if (m_thread.joinable()) {
        {
            const std::lock_guard lock(m_mutex);
            m_stop = true;
        }
        m_changed.notify_all();
        m_thread.join();
    }
}

bool drive_image::fill(ssd& drive)
{
    m_file.read([&](const image_record& r, const unsigned char* p) {
        r.die == image_record::BOOT_FLASH ? take_boot_flash(drive, r, p) : take(drive, r, p);
    });
    if (!drive.restore_firmware(m_active)) {
        throw serve_error(fmt::format("--image: the firmware in area {} of its boot flash cannot "
                                      "run here (the log says why); use the host and the "
                                      "configuration that it ran with",
                                      m_active));
    }
    const bool filled = !m_file.is_new();
    for_each_die(drive, [](flash::die_index, flash::cell_array& cells) { cells.follow_changes(); });
    m_bytes = m_file.bytes();
    sigset_t all;
    sigset_t before;
    sigfillset(&all); // signals are the simulation's
    pthread_sigmask(SIG_SETMASK, &all, &before);
    m_thread = std::thread([this] { write(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return filled;
}

void drive_image::take_boot_flash(ssd& drive, const image_record& r, const unsigned char* payload)
{
    if (r.block == image_record::ACTIVE) {
        m_active = r.erases;
        return;
    }
    m_kept_areas.at(r.block).assign(payload, payload + r.payload);
    drive.boot_flash().restore(r.block, m_kept_areas.at(r.block));
}

void drive_image::take(ssd& drive, const image_record& r, const unsigned char* payload)
{
    const std::uint32_t luns = drive.config().channel.luns;
    const flash::lun_block_index block(r.block);
    flash::cell_array& cells = drive.channel(flash::channel_index(r.die / luns))
                                   .lun(flash::lun_index(r.die % luns))
                                   .cells();
    flash::block_image image;
    image.erases = r.erases;
    image.shallow_from = flash::page_index(r.shallow_from);
    image.failed = (r.flags & image_record::FAILED) != 0;
    image.slc = (r.flags & image_record::SLC) != 0;
    image.torn = static_cast<flash::torn_state>(r.torn);
    cells.restore(block, image, (r.flags & image_record::WHOLE) != 0);
    const std::uint32_t bitmap = (m_geometry.pages_per_block + 7) / 8;
    const unsigned char* at = payload + std::size_t{2} * bitmap;
    flash::page_register page(m_geometry.page_size, m_geometry.spare_size);
    for (const flash::page_index i : each<flash::page_index>(m_geometry.pages_per_block)) {
        if (!bit(payload, i)) {
            continue;
        }
        page.begin(flash::data_form::bytes);
        page.put_oob(at, m_geometry.spare_size);
        page.put_data(0, at + m_geometry.spare_size, m_geometry.page_size);
        at += m_geometry.spare_size + m_geometry.page_size;
        cells.restore_page(block, i, page, bit(payload + bitmap, i));
    }
    m_kept[flash::die_index(r.die)][block] = cells.contents().programmed(block);
}

void drive_image::gather(ssd& drive, std::unique_lock<std::mutex>& lock)
{
    for_each_die(drive, [&](flash::die_index die, flash::cell_array& cells) {
        for (const flash::block_change& c : cells.take_changes()) {
            make_room(lock);
            add(die, cells, c, m_next.records);
        }
    });
    gather_boot_flash(drive.boot_flash(), lock);
}

/// Waits until the writing thread has taken a piece that is full.
void drive_image::make_room(std::unique_lock<std::mutex>& lock)
{
    if (m_next.records.size() < piece_size) {
        return;
    }
    m_next.more = true;
    m_changed.notify_all();
    m_changed.wait(lock, [this] { return !m_next.more; });
}

void drive_image::gather_boot_flash(const nor::nor_flash& from, std::unique_lock<std::mutex>& lock)
{
    if (from.changes() == m_kept_boot) {
        return;
    }
    m_kept_boot = from.changes();
    const auto put = [&](image_record r, const std::vector<unsigned char>& bytes) {
        make_room(lock);
        std::vector<unsigned char>& to = m_next.records;
        r.die = image_record::BOOT_FLASH;
        r.flags = image_record::WHOLE;
        r.payload = static_cast<std::uint32_t>(bytes.size());
        const auto* at = reinterpret_cast<const unsigned char*>(&r);
        to.insert(to.end(), at, at + sizeof r);
        to.insert(to.end(), bytes.begin(), bytes.end());
    };
    image_record r;
    for (r.block = 0; r.block < NOR_AREAS; ++r.block) {
        if (from.area(r.block) != m_kept_areas.at(r.block)) {
            m_kept_areas.at(r.block) = from.area(r.block);
            put(r, m_kept_areas.at(r.block));
        }
    }
    if (from.active() != m_active) {
        m_active = from.active();
        r.block = image_record::ACTIVE;
        r.erases = m_active;
        put(r, {});
    }
}

void drive_image::add(flash::die_index die, flash::cell_array& cells, const flash::block_change& c,
                      std::vector<unsigned char>& to)
{
    const flash::block_image image = cells.image_of(c.block);
    const bool whole = c.what == flash::block_change::whole || !m_in_order;
    image_record r;
    r.die = die.value();
    r.block = c.block.value();
    r.erases = image.erases;
    r.shallow_from = image.shallow_from.value();
    r.flags = static_cast<std::uint8_t>((image.failed ? image_record::FAILED : 0) |
                                        (image.slc ? image_record::SLC : 0) |
                                        (whole ? image_record::WHOLE : 0));
    r.torn = static_cast<std::uint8_t>(image.torn);
    const std::uint32_t first = whole ? 0 : m_kept[die][c.block];
    r.pages = image.programmed - first;
    r.payload = 2 * ((m_geometry.pages_per_block + 7) / 8) +
                r.pages * (m_geometry.page_size + m_geometry.spare_size);
    const auto* bytes = reinterpret_cast<const unsigned char*>(&r);
    to.insert(to.end(), bytes, bytes + sizeof r);
    put_pages(cells, c.block, flash::page_index(first), to);
    m_kept[die][c.block] = image.programmed;
}

void drive_image::put_pages(const flash::cell_array& cells, flash::lun_block_index block,
                            flash::page_index first, std::vector<unsigned char>& to)
{
    const std::uint32_t bitmap = (m_geometry.pages_per_block + 7) / 8;
    const std::size_t bits = to.size();
    to.resize(bits + std::size_t{2} * bitmap);
    const flash::store& store = cells.contents();
    for (flash::page_index i = first; i.value() < m_geometry.pages_per_block; ++i) {
        if (!store.holds(block, i)) {
            continue;
        }
        set_bit(to.data() + bits, i);
        if (cells.torn_page(block, i)) {
            set_bit(to.data() + bits + bitmap, i);
        }
        const std::size_t at = to.size();
        to.resize(at + m_geometry.spare_size + m_geometry.page_size);
        store.read_oob(block, i, to.data() + at, m_geometry.spare_size);
        store.read_data(block, {i, 0, m_geometry.page_size}, flash::data_form::bytes,
                        to.data() + at + m_geometry.spare_size);
    }
}

void drive_image::commit(ssd& drive, callback done)
{
    std::unique_lock lock(m_mutex);
    if (m_broken) {
        lock.unlock();
        done(false);
        return;
    }
    gather(drive, lock);
    m_next.done.push_back(std::move(done));
    lock.unlock();
    m_changed.notify_all();
}

/// Hands the piece to the file, and answers when no more of its last snapshot follows.
void drive_image::append(piece& p)
{
    std::string why;
    try {
        if (!m_broken_file) {
            m_file.append(p.records);
            if (!p.more) {
                m_file.promise();
            }
        }
    } catch (const std::exception& e) {
        m_broken_file = true;
        m_failed(e.what());
    }
    m_held.insert(m_held.end(), std::make_move_iterator(p.done.begin()),
                  std::make_move_iterator(p.done.end()));
    if (!p.more) {
        for (const callback& c : m_held) {
            c(!m_broken_file);
        }
        m_held.clear();
    }
}

void drive_image::write()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_stop || m_next.more || !m_next.done.empty(); });
        if (m_next.done.empty() && !m_next.more) {
            return;
        }
        piece now = std::exchange(m_next, {});
        m_next.records.swap(m_spare);
        m_writing = true;
        lock.unlock();
        m_changed.notify_all(); // there is room
        append(now);
        lock.lock();
        now.records.clear();
        m_spare.swap(now.records);
        m_bytes = m_file.bytes();
        m_broken = m_broken_file;
        m_writing = now.more;
        m_changed.notify_all();
    }
}

bool drive_image::finish()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_next.done.empty() && !m_writing; });
    return !m_broken;
}

std::uint64_t drive_image::bytes() const
{
    const std::lock_guard lock(m_mutex);
    return m_bytes;
}

} // namespace ssdvp::platform
