// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd/register_guard.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ssdvp::platform {

namespace {

const std::vector<register_row>* rows_of(const std::string& window)
{
    const std::pair<const char*, const std::vector<register_row>*> blocks[] = {
        {"nvme", &nvme_fe_rows},   {"sata", &sata_fe_rows},    {"irq", &irq_rows},
        {"timer", &timer_rows},    {"channel", &channel_rows}, {"nor", &nor_rows},
        {"thermal", &thermal_rows}};
    for (const auto& [name, rows] : blocks) {
        if (window.rfind(name, 0) == 0) {
            return rows;
        }
    }
    return nullptr;
}

/// Bits that firmware may write. Channels refuse LUNS and SUSPEND by themselves.
std::uint32_t writable_of(const std::string& window, const register_row& row)
{
    const std::string name = row.name;
    const bool refused = window.rfind("channel", 0) == 0 && (name == "LUNS" || name == "SUSPEND");
    return refused ? ~0u : row.writable;
}

/// Null: no register begins there.
const register_row* row_at(const std::vector<register_row>& rows, std::uint64_t offset)
{
    for (const register_row& r : rows) {
        for (std::uint32_t i = 0; i < r.count; ++i) {
            if (offset == r.offset + std::uint64_t{i} * r.stride) {
                return &r;
            }
        }
    }
    return nullptr;
}

} // namespace

register_guard::register_guard(std::vector<interconnect::window> windows, std::string drive,
                               fault_log& faults)
    : m_windows(std::move(windows)), m_writable(m_windows.size()), m_drive(std::move(drive)),
      m_faults(faults)
{
    for (std::size_t i = 0; i < m_windows.size(); ++i) {
        m_rows.push_back(rows_of(m_windows[i].name));
        if (m_rows[i] == nullptr) {
            continue;
        }
        for (const register_row& r : *m_rows[i]) {
            for (std::uint32_t k = 0; k < r.count; ++k) {
                const std::size_t at = (r.offset + k * r.stride) / sizeof(std::uint32_t);
                m_writable[i].resize(std::max(m_writable[i].size(), at + 1), ~0u);
                m_writable[i][at] = writable_of(m_windows[i].name, r);
            }
        }
    }
}

void register_guard::watch(interconnect::interconnect& crossbar)
{
    for (std::size_t i = 0; i < m_windows.size(); ++i) {
        if (m_rows[i] != nullptr) {
            crossbar.guard(i, m_writable[i], *this);
        }
    }
}

/// As the modules are called.
std::string register_guard::block(std::size_t window) const
{
    const std::string& name = m_windows[window].name;
    return m_drive + "." + (name == "nvme" || name == "sata" ? "front_end" : name);
}

void register_guard::wrong_write(std::size_t window, std::uint64_t offset, std::uint32_t value)
{
    const register_row* row = row_at(*m_rows[window], offset);
    if (row == nullptr) {
        return; // nothing is there: the block refuses it
    }
    m_faults.misuse(block(window).c_str(), m_windows[window].base + offset, [&] {
        return row->writable == 0
                   ? fmt::format("{} is read-only; {:#x} was written", row->name, value)
                   : fmt::format("{} does not take {:#x}: its bits are {:#x}", row->name, value,
                                 row->writable);
    });
}

traced_register register_guard::trace_name(std::uint64_t address) const
{
    traced_register named;
    for (std::size_t i = 0; i < m_windows.size(); ++i) {
        const interconnect::window& w = m_windows[i];
        if (m_rows[i] == nullptr || address < w.base || address - w.base >= w.size) {
            continue;
        }
        const std::uint64_t offset = address - w.base;
        const register_row* row = row_at(*m_rows[i], offset);
        if (row == nullptr) {
            break;
        }
        named.name = w.name;
        if (*row->group != '\0') {
            named.name += fmt::format(".{}{}", row->group, (offset - row->offset) / row->stride);
        }
        named.name += fmt::format(".{}", row->name);
        for (const register_field& f : row->fields) {
            named.fields.push_back({f.name, f.low, f.high});
        }
    }
    return named;
}

std::string register_guard::name(std::uint64_t address, bool write) const
{
    for (std::size_t i = 0; i < m_windows.size(); ++i) {
        const interconnect::window& w = m_windows[i];
        if (address < w.base || address - w.base >= w.size) {
            continue;
        }
        const std::uint64_t offset = address - w.base;
        if (m_rows[i] == nullptr) {
            return fmt::format("{} is memory, not registers", block(i));
        }
        const register_row* row = row_at(*m_rows[i], offset);
        if (row == nullptr) {
            return fmt::format("{} has no register at offset {:#x}", block(i), offset);
        }
        const bool one_way = write ? row->writable == 0 : row->writable != 0;
        return fmt::format("{} of {} {}", row->name, block(i),
                           !one_way ? "does not take it now"
                           : write  ? "is read-only"
                                    : "is write-only");
    }
    return "no device has that address";
}

} // namespace ssdvp::platform
