// SPDX-License-Identifier: Apache-2.0
#include "tests/validation/timing_host.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace ssdvp::test {

namespace {

nvme_sqe entry_of(const host_command& c)
{
    nvme_sqe q{};
    q.opcode = c.opcode;
    q.nsid = 1;
    if (c.opcode == NVME_IO_DSM) {
        q.cdw11 = NVME_DSM_DEALLOCATE; // one range
    } else if (c.opcode != NVME_IO_FLUSH) {
        q.cdw10 = static_cast<std::uint32_t>(c.lba);
        q.cdw11 = static_cast<std::uint32_t>(c.lba >> 32);
        q.cdw12 = (c.sectors - 1) | (c.fua ? NVME_RW_FUA : 0u);
    }
    return q;
}

nvme_sqe queue_entry(std::uint8_t opcode, std::uint32_t cdw11)
{
    constexpr std::uint32_t first_of_64_entries = 1 | (63u << 16);
    nvme_sqe q{};
    q.opcode = opcode;
    q.cdw10 = first_of_64_entries;
    q.cdw11 = cdw11;
    return q;
}

} // namespace

timing_host::timing_host(const ram_config& c) : m_nand(c), m_data(c.slots)
{
    must_be_well();
    m_nand.enable();
    const nvme_sqe cq = queue_entry(NVME_ADMIN_CREATE_CQ, 3);            // contiguous, interrupts
    const nvme_sqe sq = queue_entry(NVME_ADMIN_CREATE_SQ, 1 | 1u << 16); // contiguous, of that one
    if (m_nand.execute(0, cq).status != 0 || m_nand.execute(0, sq).status != 0) {
        throw std::runtime_error("the drive refuses its queues");
    }
    for (std::size_t i = 0; i < m_data.size(); ++i) {
        m_free.push_back(i);
    }
}

std::uint64_t timing_host::sectors() const
{
    return m_nand.config.params.ftl.user_units * (m_nand.config.params.ftl.map_unit / sector);
}

void timing_host::start(const host_command& c)
{
    while (m_free.empty()) {
        step();
    }
    const std::size_t buffer = m_free.back();
    m_free.pop_back();
    std::vector<std::uint8_t>& data = m_data[buffer];
    data.assign(std::size_t{c.sectors} * sector, 0);
    if (c.opcode == NVME_IO_DSM) {
        const nvme_dsm_range range{0, c.sectors, c.lba};
        std::memcpy(data.data(), &range, sizeof range);
    } else {
        for (std::size_t at = 0; at < data.size(); at += sector) {
            std::memcpy(data.data() + at, &++m_version, sizeof m_version);
        }
    }
    const std::int64_t id = m_nand.submit(1, entry_of(c), &data);
    if (id < 0) {
        throw std::runtime_error("the drive has fewer slots than it says");
    }
    m_busy.emplace_back(static_cast<std::uint32_t>(id), buffer);
}

void timing_host::finish()
{
    while (!m_busy.empty()) {
        step();
    }
}

void timing_host::settle()
{
    m_nand.settle();
    must_be_well();
}

void timing_host::step()
{
    if (!m_nand.step()) {
        throw std::runtime_error("commands never complete: " + m_nand.panic_text());
    }
    host_completion done;
    while (m_nand.completion(done)) {
        const auto at = std::find_if(m_busy.begin(), m_busy.end(),
                                     [&done](const auto& b) { return b.first == done.id; });
        if (at == m_busy.end() || done.status != 0) {
            throw std::runtime_error("a command failed, status " + std::to_string(done.status));
        }
        m_free.push_back(at->second);
        m_busy.erase(at);
    }
}

void timing_host::must_be_well() const
{
    if (m_nand.panicked()) {
        throw std::runtime_error("firmware panic: " + m_nand.panic_text());
    }
    if (!m_nand.broken().empty()) {
        throw std::runtime_error("the drive broke a rule: " + m_nand.broken().front());
    }
}

} // namespace ssdvp::test
