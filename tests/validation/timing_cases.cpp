// SPDX-License-Identifier: Apache-2.0
#include "tests/validation/timing_cases.h"
#include "models/regs/choices/ftl_scheme.h"

#include <algorithm>
#include <random>

#include "tests/support/named.h"
#include "tests/support/schemes.h"

namespace ssdvp::test {

namespace {

constexpr std::uint32_t unit_sectors = 8;   // 4 KiB
constexpr std::uint32_t large_sectors = 64; // 32 KiB

constexpr std::uint32_t log_blocks = 6; // of hybrid mapping

/// Part of the map in memory: look-ups hit and miss. Units of 1 KiB, a map of ten pages of 512
/// entries, blocks of four pages.
void use_paged(boot_params& p)
{
    constexpr std::uint32_t user_superblocks = 80;
    p.geometry.page_size = 2048;
    p.ftl.map_unit = 1024;
    p.geometry.oob_size = 32;
    p.geometry.pages_per_block = 4;
    p.ftl.user_units = user_superblocks * 64ull; // 4 LUNs, 2 planes, 4 pages, 2 units
    p.geometry.blocks_per_plane = user_superblocks * 3 / 2;
    p.cache.capacity = 64ull * p.ftl.map_unit;
    p.map.batch = 1;
    p.map.segments = p.ftl.scheme == FTL_SCHEME_VM_MAP ? 1 : 0;
    p.map.cache = p.ftl.scheme == FTL_SCHEME_DFTL ? p.ftl.user_units / 4 * BOOT_MAP_CACHE_ENTRY
                                                  : 2ull * p.geometry.planes * p.geometry.page_size;
}

/// Block and hybrid mapping: a page is a unit, a superblock is a block.
void use_placed(ram_config& c)
{
    boot_params& p = c.params;
    const bool last = p.ftl.scheme == FTL_SCHEME_LAST;
    p.geometry.page_size = p.ftl.map_unit = 4096;
    p.geometry.oob_size = 32;
    use_own_options(c);
    p.map.placed.moving_blocks = p.ftl.scheme == FTL_SCHEME_LM ? 3 : 0;
    p.map.placed.partial_merge =
        p.ftl.scheme == FTL_SCHEME_BAST || p.ftl.scheme == FTL_SCHEME_FAST ? 1 : 0;
    p.map.placed.associativity =
        p.ftl.scheme == FTL_SCHEME_KAST || p.ftl.scheme == FTL_SCHEME_SAST ? 2 : 0;
    p.map.placed.hot_blocks = last ? 1 : 0;
    p.map.placed.hot_window = last ? 24 : 0;
    const std::uint32_t lblocks = 96;
    p.ftl.user_units =
        std::uint64_t{lblocks} * (p.geometry.pages_per_block - p.map.placed.spare_pages) - 3;
    p.geometry.blocks_per_plane =
        placed_blocks(p, lblocks, 80) /
        (p.geometry.channels * p.geometry.luns_per_channel * p.geometry.planes);
}

/// In percent of all commands; what is left are reads. Sequential: one after the other.
struct mix_name {
    const char* name;
    bool sequential;
    std::uint32_t writes;
    bool varied; // sizes and places that are no whole units, flushes, trims, FUA, zeroes
};

constexpr mix_name mixes[] = {
    {"sequential_read", true, 0, false},    {"random_read", false, 0, false},
    {"sequential_write", true, 100, false}, {"random_write", false, 100, false},
    {"mixed_70_30", false, 30, false},      {"varied", false, 45, true},
};

/// The addresses and kinds of a mix, one after the other.
class command_source {
public:
    command_source(std::uint64_t sectors, const mix_name& m, std::uint64_t seed)
        : m_sectors(sectors), m_mix(m), m_random(seed)
    {}
    host_command next();

private:
    host_command varied(std::uint64_t kind);
    std::uint64_t below(std::uint64_t limit) { return m_random() % limit; }

    std::uint64_t m_sectors;
    const mix_name& m_mix;
    std::mt19937_64 m_random;
    std::uint64_t m_next = 0;
};

host_command command_source::next()
{
    const std::uint64_t kind = below(100);
    if (m_mix.varied) {
        return varied(kind);
    }
    const std::uint32_t sectors = m_mix.sequential ? large_sectors : unit_sectors;
    const std::uint64_t places = m_sectors / sectors;
    const std::uint64_t place = m_mix.sequential ? m_next++ % places : below(places);
    host_command c;
    c.opcode = kind < m_mix.writes ? NVME_IO_WRITE : NVME_IO_READ;
    c.lba = place * sectors;
    c.sectors = sectors;
    return c;
}

host_command command_source::varied(std::uint64_t kind)
{
    host_command c;
    c.lba = below(m_sectors);
    c.sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(1 + below(24), //
                                                                   m_sectors - c.lba));
    c.opcode = kind < m_mix.writes ? NVME_IO_WRITE
               : kind < 85         ? NVME_IO_READ
               : kind < 90         ? NVME_IO_DSM
               : kind < 95         ? NVME_IO_WRITE_ZEROES
                                   : NVME_IO_FLUSH;
    c.fua = kind >= 40 && kind < m_mix.writes;
    return c;
}

} // namespace

std::vector<std::string> timing_schemes()
{
    return list_of(ftl_schemes);
}

std::vector<std::string> timing_mixes()
{
    return list_of(mixes);
}

ram_config timing_drive(const std::string& scheme)
{
    const ftl_scheme_id of = find_name(ftl_schemes, scheme).scheme;
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    c.quiet = true;
    p.ftl.scheme = of;
    p.map.log_blocks = is_hybrid(of) ? log_blocks : 0;
    if (is_placed(of)) {
        use_placed(c);
    } else if (of != FTL_SCHEME_PAGE_MAP) {
        use_paged(p);
    }
    return c;
}

void age(timing_host& h)
{
    const mix_name fill{"fill", true, 100, false};
    const mix_name again{"again", false, 100, false};
    command_source all(h.sectors(), fill, 1);
    for (std::uint64_t n = 0; n < h.sectors() / large_sectors; ++n) {
        h.start(all.next());
    }
    command_source some(h.sectors(), again, 2);
    for (std::uint64_t n = 0; n < h.sectors() / unit_sectors / 4; ++n) {
        h.start(some.next());
    }
    h.finish();
}

void run_mix(timing_host& h, const std::string& mix, std::uint64_t commands, std::uint64_t seed)
{
    command_source source(h.sectors(), find_name(mixes, mix), seed);
    for (std::uint64_t n = 0; n < commands; ++n) {
        h.start(source.next());
    }
    h.finish();
}

} // namespace ssdvp::test
