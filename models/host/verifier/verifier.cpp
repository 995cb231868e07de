// SPDX-License-Identifier: Apache-2.0
#include "models/host/verifier/verifier.h"

#include <algorithm>
#include <utility>

#include "models/regs/nvme_status.h"

namespace ssdvp::host {

void verifier::start(const std::vector<shadow::extent>& what, std::function<void()> done)
{
    m_pieces.clear();
    for (const shadow::extent& e : what) {
        m_pieces.push_back({e, 0});
    }
    m_next = 0;
    m_in_flight = 0;
    m_first_done = sim_time();
    m_done = std::move(done);
    m_driver.set_private(true);
    pump();
    m_driver.ring();
}

void verifier::pump()
{
    while (m_next < m_pieces.size() && m_in_flight < depth) {
        const shadow::extent& e = m_pieces[m_next].what;
        request read;
        read.lba = e.lba;
        read.sectors = e.sectors;
        read.arrival = now();
        if (!m_driver.submit(read, nullptr, *this, m_next)) {
            return;
        }
        ++m_next;
        ++m_in_flight;
    }
    if (m_in_flight == 0 && m_done) {
        m_driver.set_private(false);
        std::exchange(m_done, nullptr)();
    }
}

void verifier::on_done(std::uint64_t cookie, const request_result& result)
{
    --m_in_flight;
    m_first_done = m_first_done == sim_time() ? now() : m_first_done;
    const auto [e, spoiled] = m_pieces[cookie]; // a copy: more pieces may follow
    if (result.status == 0) {
        m_sectors += e.sectors;
    } else if (e.sectors > piece_sectors) {
        for (std::uint32_t at = 0; at < e.sectors; at += piece_sectors) {
            m_pieces.push_back({{e.lba + at, std::min(piece_sectors, e.sectors - at)}, 0});
        }
    } else if (result.status == NVME_SC_DATA_TRANSFER_ERROR && spoiled + 1 < attempts) {
        m_pieces.push_back({e, spoiled + 1});
    } else {
        m_sectors += e.sectors;
        m_shadow.unreadable(e, result.status);
    }
}

void verifier::on_lost(std::uint64_t, const request&)
{
    m_done = nullptr;
    m_pieces.clear();
}

} // namespace ssdvp::host
