// SPDX-License-Identifier: Apache-2.0
#include "platform/control/warming.h"

#include <utility>

#include "models/common/data_mode.h"
#include "models/regs/choices/cache_policy.h"
#include "platform/config/derived.h"
#include "platform/control/steady_rounds.h"

namespace ssdvp::platform {

namespace {

/// Brings to the drive's buffer what it would hold, in the order in which it was used.
class refill final : public host::source {
public:
    refill(std::vector<write_buffer::held> what, std::uint64_t unit_sectors)
        : m_what(std::move(what)), m_unit_sectors(unit_sectors)
    {}
    bool next(sim_time elapsed, host::request& out) override
    {
        if (m_next == m_what.size()) {
            return false;
        }
        const write_buffer::held& h = m_what[m_next++];
        out = {};
        out.stream = UINT16_MAX; // none of the load's
        out.kind = h.dirty ? host::request_kind::write : host::request_kind::read;
        out.lba = h.unit * m_unit_sectors;
        out.sectors = static_cast<std::uint32_t>(m_unit_sectors);
        out.arrival = elapsed;
        return true;
    }
    [[nodiscard]] bool timed() const override { return false; }
    [[nodiscard]] std::uint32_t queue_depth() const override { return depth; }

private:
    static constexpr std::uint32_t depth = 16;
    std::vector<write_buffer::held> m_what;
    std::uint64_t m_unit_sectors;
    std::size_t m_next = 0;
};

} // namespace

warming::warming(ssd& drive, load_walk load, const address_function& address)
    : m_drive(drive), m_load(std::move(load)),
      m_buffer(buffer_held(drive.config()), buffer_has(drive.config(), CACHE_KEEPS_READS)),
      m_data(drive, address), m_writer(drive, m_data),
      m_unit_sectors(drive.config().ftl.map_unit / sector_size),
      m_superblock(superblock_units(drive.config()) * drive.config().ftl_cores)
{
    drive.set_functional(true);
    drive.open_service_buffer(true);
    const bool idle = drive.config().run.sampling.idle || written_range(drive.config()) == 0;
    for (std::uint32_t p = 0; p < drive.partitions(); ++p) {
        (void)drive.firmware(p).precondition(nullptr, 0, idle ? 1 : 0);
    }
}

void warming::go_on(std::uint64_t requests)
{
    for (std::uint64_t n = 0; n < requests; ++n) {
        apply(m_load.next());
    }
}

double warming::phase() const
{
    return static_cast<double>(m_written % m_superblock) / static_cast<double>(m_superblock);
}

void warming::to_flash(std::uint64_t unit)
{
    m_writer.add(unit);
    ++m_written;
}

void warming::apply(const host::request& r)
{
    if (r.kind == host::request_kind::flush) {
        m_buffer.flush([this](std::uint64_t unit) { to_flash(unit); });
        return;
    }
    const bool writes = r.kind == host::request_kind::write;
    const std::uint64_t end = (r.lba + r.sectors + m_unit_sectors - 1) / m_unit_sectors;
    for (std::uint64_t unit = r.lba / m_unit_sectors; unit < end; ++unit) {
        if (const auto leaves = writes ? m_buffer.write(unit) : m_buffer.read(unit)) {
            to_flash(*leaves);
        }
    }
}

load_walk::sources warming::end()
{
    m_writer.flush();
    for (std::uint32_t p = 0; p < m_drive.partitions(); ++p) {
        m_drive.firmware(p).precondition_end();
    }
    m_drive.open_service_buffer(false);
    m_drive.set_functional(false);
    load_walk::sources all = m_load.rest();
    all.push_back(std::make_unique<refill>(m_buffer.content(), m_unit_sectors));
    return all;
}

} // namespace ssdvp::platform
