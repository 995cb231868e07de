// SPDX-License-Identifier: Apache-2.0
//
// What a drive keeps without power, in a file: the cells of its flash. All else the firmware finds
// again by itself at power-up, as after a power cut. The simulation's thread gathers what changed,
// a thread of its own writes it.
#pragma once

#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "platform/serve/image_file.h"
#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

class drive_image {
public:
    /// `ok`: it is durable. Called by the writing thread, or by commit().
    using callback = std::function<void(bool ok)>;

    /// `failed` hears once why the file takes no more. Throws serve_error, see image_file.
    drive_image(const std::string& path, const ssd_config& config,
                std::function<void(const std::string&)> failed);
    /// Writes what is still to be written.
    ~drive_image();
    drive_image(const drive_image&) = delete;
    drive_image& operator=(const drive_image&) = delete;

    /// Fills the cells of a drive without power and follows their changes from here on. True: there
    /// was something to fill them with. Throws serve_error.
    bool fill(ssd& drive);
    /// All that the cells hold now is to be in the file.
    void commit(ssd& drive, callback done);
    /// Waits until all that was committed is written. False: something failed, ever.
    bool finish();
    [[nodiscard]] std::uint64_t bytes() const;
    /// What a user should hear of the file as it was found; empty: nothing.
    [[nodiscard]] const std::string& remark() const { return m_file.remark(); }

private:
    /// What the writing thread takes at once. A snapshot may come in several, of which none counts
    /// before the last: so the memory for it is bounded whatever has changed.
    struct piece {
        std::vector<unsigned char> records;
        std::vector<callback> done; // when all snapshots that begin in it are durable
        bool more = false;          // of the last snapshot follows
    };

    void gather(ssd& drive, std::unique_lock<std::mutex>& lock);
    void make_room(std::unique_lock<std::mutex>& lock);
    void append(piece& p);
    void add(flash::die_index die, flash::cell_array& cells, const flash::block_change& c,
             std::vector<unsigned char>& to);
    void put_pages(const flash::cell_array& cells, flash::lun_block_index block,
                   flash::page_index first, std::vector<unsigned char>& to);
    void gather_boot_flash(const nor::nor_flash& from, std::unique_lock<std::mutex>& lock);
    void take_boot_flash(ssd& drive, const image_record& r, const unsigned char* payload);
    void take(ssd& drive, const image_record& r, const unsigned char* payload);
    void write();

    image_geometry m_geometry;
    image_file m_file; // of the writing thread, once that runs
    std::function<void(const std::string&)> m_failed;
    std::vector<callback> m_held; // of the writing thread: until the last piece is durable
    bool m_broken_file = false;   // likewise: the file takes no more
    bool m_in_order = true;
    using pages_kept = indexed<flash::lun_block_index, std::uint32_t>;
    indexed<flash::die_index, pages_kept> m_kept; // pages of a block in the file
    std::uint64_t m_kept_boot = 0;                // changes() of the boot flash in the file
    std::uint32_t m_active = NOR_AREA_BUILT_IN;
    std::array<std::vector<unsigned char>, NOR_AREAS> m_kept_areas;

    std::thread m_thread;
    mutable std::mutex m_mutex; // of what follows
    std::condition_variable m_changed;
    piece m_next;
    std::vector<unsigned char> m_spare; // empty, with the room of a piece before
    std::uint64_t m_bytes = 0;
    bool m_writing = false;
    bool m_broken = false;
    bool m_stop = false;
};

} // namespace ssdvp::platform
