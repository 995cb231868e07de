// SPDX-License-Identifier: Apache-2.0
//
// Bad input: cells that changed while the power was off. Nothing wrong may be read as good: right
// data, an error status, or firmware that refuses to start and says why. Older data may come back:
// of a page that was written since the last checkpoint only its own spare words tell whose it is.
// Not all of them: a drive of which nothing is left must not pass for a new one.
#include "tests/powercut/campaign_parts.h"

#include <algorithm>

#include "tests/powercut/log_drive.h"

namespace ssdvp::test {

namespace {

class damage {
public:
    damage(const campaign_options& o, std::uint64_t seed)
        : m_options(o), m_seed(seed), m_drive(setup_for(o, seed)), m_work(seed),
          m_random(scramble(seed + 77))
    {}
    campaign_report run(const std::string& command);

private:
    void flip_spare_bits(ram_image& image);
    void garbage_pages(ram_image& image);
    void torn_pages(ram_image& image);
    void random_cells(ram_image& image);
    void other_geometry(ram_image& image);
    bool damaged(const ram_image& image, const char* what);
    bool holds_something() const;
    bool check_everything();
    template <typename F>
    void each_page(ram_image& image, F f);
    std::uint64_t below(std::uint64_t n) { return m_random() % n; }

    const campaign_options& m_options;
    std::uint64_t m_seed;
    cut_drive m_drive;
    cut_workload m_work;
    std::mt19937_64 m_random;
    campaign_report m_report;
    const char* m_what = "";
};

template <typename F>
void damage::each_page(ram_image& image, F f)
{
    for (ram_block& b : image) {
        for (std::uint32_t page = 0; page < b.programmed; ++page) {
            if (b.holds(page)) {
                f(b, page);
            }
        }
    }
}

/// One to three bits in the spare area of one page in so many.
void damage::flip_spare_bits(ram_image& image)
{
    const std::uint32_t oob = m_drive.setup.config.params.geometry.oob_size;
    const std::uint64_t rate = 1 + below(40);
    each_page(image, [&](ram_block& b, std::uint32_t page) {
        if (below(rate) == 0) {
            std::vector<std::uint8_t>& bytes = m_drive.nand.pages_of(b).oob;
            for (std::uint64_t n = 1 + below(3); n != 0; --n) {
                bytes[std::size_t{page} * oob + below(oob)] ^=
                    static_cast<std::uint8_t>(1u << below(8));
            }
        }
    });
}

/// Pages of random bytes, data and spare area, that read as good.
void damage::garbage_pages(ram_image& image)
{
    const boot_params& g = m_drive.setup.config.params;
    const std::uint64_t rate = 1 + below(20);
    each_page(image, [&](ram_block& b, std::uint32_t page) {
        if (below(rate) == 0) {
            ram_pages& cells = m_drive.nand.pages_of(b);
            for (std::uint32_t i = 0; i < g.geometry.oob_size; ++i) {
                cells.oob[std::size_t{page} * g.geometry.oob_size + i] =
                    static_cast<std::uint8_t>(m_random());
            }
            const auto whole = cells.whole.find(page);
            for (std::size_t i = 0; whole != cells.whole.end() && i < whole->second.size(); ++i) {
                whole->second[i] = static_cast<std::uint8_t>(m_random());
            }
        }
    });
}

void damage::torn_pages(ram_image& image)
{
    const std::uint64_t rate = 1 + below(20);
    each_page(image, [&](ram_block& b, std::uint32_t page) {
        if (below(rate) == 0) {
            m_drive.nand.pages_of(b).torn[page] = 1;
        }
    });
    const std::uint32_t pages = m_drive.setup.config.params.geometry.pages_per_block;
    for (ram_block& b : image) { // full ones only: others a drive at rest goes on to program
        bool full = b.programmed == pages;
        for (std::uint32_t page = 0; page < pages && full; ++page) {
            full = b.holds(page);
        }
        b.torn = b.torn || (full && below(rate * 4) == 0);
    }
}

/// Every block full of bytes that nobody wrote.
void damage::random_cells(ram_image& image)
{
    const boot_params& g = m_drive.setup.config.params;
    for (ram_block& b : image) {
        b.torn = false;
        b.programmed = static_cast<std::uint32_t>(below(g.geometry.pages_per_block + 1));
        ram_pages& cells = m_drive.nand.pages_of(b);
        const bool any = m_drive.setup.config.any_order;
        for (std::uint8_t& held : cells.held) {
            held = !any || below(2) != 0 ? 1 : 0;
        }
        for (std::uint8_t& byte : cells.oob) {
            byte = static_cast<std::uint8_t>(m_random());
        }
        for (std::uint8_t& byte : cells.data) {
            byte = static_cast<std::uint8_t>(m_random());
        }
    }
}

/// The cells of a drive with units of another size. Where a page has no room for that, its blocks
/// lie elsewhere: those of the second half come first.
void damage::other_geometry(ram_image& image)
{
    cut_setup s = m_drive.setup;
    boot_params& p = s.config.params;
    if (p.geometry.page_size == 512) {
        std::rotate(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(image.size() / 2),
                    image.end());
        return;
    }
    p.ftl.user_units = p.ftl.user_units * p.ftl.map_unit;
    p.ftl.map_unit =
        p.ftl.map_unit == p.geometry.page_size ? p.geometry.page_size / 2 : p.geometry.page_size;
    p.ftl.user_units /= p.ftl.map_unit;
    cut_drive other(s);
    cut_workload work(m_seed);
    if (other.host.power_up() && work.fill(other)) {
        other.nand.power_cut();
        image = other.nand.image();
        m_drive.shadow = durable_shadow(m_drive.setup.sectors());
    }
}

/// Whatever the cut took. The reference firmware has no records and cannot know.
bool damage::holds_something() const
{
    bool any = false;
    if (m_options.scheme == reference_scheme) {
        return false;
    }
    for (std::uint64_t lba = 0; lba < m_drive.shadow.sectors() && !any; ++lba) {
        const std::vector<std::uint64_t> legal = m_drive.shadow.legal_after_cut(lba);
        any = std::find(legal.begin(), legal.end(), 0u) == legal.end();
    }
    return any;
}

bool damage::check_everything()
{
    findings& found = m_drive.host.found;
    const bool full = holds_something();
    const std::uint64_t unread = found.unread;
    found.held = 0;
    if (!m_drive.host.check_everything()) {
        return false;
    }
    if (full && found.held == 0 && found.unread == unread) {
        ++found.lost;
        found.wrong("all is lost, and the drive passes for a new one");
    }
    return found.good();
}

bool damage::damaged(const ram_image& image, const char* what)
{
    m_what = what;
    m_drive.nand.config.planted = true;
    const durable_shadow before = m_drive.shadow;
    m_drive.become(image, before);
    ++m_report.cuts;
    ++m_report.kinds[CUT_QUIET];
    m_drive.host.errors_allowed = true;
    m_drive.host.stale_allowed = !m_options.strict;
    if (!m_drive.host.power_up()) {
        // Refused in boot's own words is right; an assertion is not.
        const bool refused = m_drive.nand.panic_text().find("boot failed") != std::string::npos &&
                             !m_drive.nand.error_text().empty();
        m_report.refused += refused ? 1 : 0;
        if (refused) {
            m_drive.host.found.first.clear();
        }
        return refused;
    }
    return check_everything() && m_work.run(m_drive, 60) && m_drive.host.drain() &&
           m_drive.host.found.good();
}

campaign_report damage::run(const std::string& command)
{
    m_report.runs = 1;
    bool good = m_drive.host.power_up() && m_work.fill(m_drive) && m_work.run(m_drive, 150) &&
                (m_seed % 2 == 0 || m_drive.host.shut_down());
    m_drive.nand.power_cut();
    m_drive.host.power_lost();
    const ram_image whole = m_drive.nand.image();
    const durable_shadow shadow = m_drive.shadow;
    struct way {
        const char* name;
        void (damage::*spoil)(ram_image&);
    };
    static constexpr way ways[] = {{"flipped bits in spare words", &damage::flip_spare_bits},
                                   {"pages of garbage", &damage::garbage_pages},
                                   {"torn pages and blocks", &damage::torn_pages},
                                   {"random cells", &damage::random_cells},
                                   {"blocks of another geometry", &damage::other_geometry}};
    for (const way& w : ways) {
        if (good) {
            ram_image image = whole;
            m_drive.shadow = shadow;
            (this->*w.spoil)(image);
            good = damaged(image, w.name);
        }
    }
    collect(m_drive, m_report);
    fail(m_report, m_drive, m_what, command);
    return m_report;
}

} // namespace

campaign_report damage_campaign(const campaign_options& o)
{
    return run_each<damage>(o);
}

} // namespace ssdvp::test
