// SPDX-License-Identifier: Apache-2.0
#include "models/host/driver/request_driver.h"

#include <algorithm>

#include "models/common/data_mode.h"

namespace ssdvp::host {

request_driver::request_driver(const sc_core::sc_module_name& name, data_mode data,
                               const driver_links& links)
    : block(name), m_links(links), m_data(data)
{
    m_told.reserve(8);
    m_telling.reserve(8);
}

void request_driver::fault(const std::string& what)
{
    if (m_links.faults != nullptr) {
        m_links.faults->record(name(), what);
    }
}

void request_driver::reserve_requests(std::uint32_t slots)
{
    const std::uint32_t requests = slots + waiting_capacity;
    m_requests.resize(requests);
    m_waiting.resize(requests);
    m_free_requests.reserve(requests);
    free_requests();
}

void request_driver::free_requests()
{
    m_free_requests.clear();
    for (auto i = static_cast<std::uint32_t>(m_requests.size()); i-- > 0;) {
        m_free_requests.push_back(i);
    }
}

std::uint32_t request_driver::open_request(const request& req, unsigned char* data,
                                           request_client& client, std::uint64_t cookie)
{
    const std::uint32_t index = m_free_requests.back();
    m_free_requests.pop_back();
    pending_request& r = m_requests[index];
    r = {};
    r.result.req = req;
    r.client = &client;
    r.cookie = cookie;
    r.data = data;
    r.live = true;
    ++m_in_flight;
    return index;
}

void request_driver::note_client(request_client& client)
{
    if (std::find(m_told.begin(), m_told.end(), &client) == m_told.end()) {
        m_told.push_back(&client);
    }
}

void request_driver::open_command(pending_request& r, std::size_t ledger_index, sim_time opened)
{
    ++r.in_flight;
    if (!r.started) {
        r.started = true;
        r.result.submitted = opened;
    }
    if (m_links.ledger != nullptr) {
        m_links.ledger->open(ledger_index, opened);
    }
}

request_result& request_driver::close_request(std::uint32_t index)
{
    pending_request& r = m_requests[index];
    r.live = false;
    r.result.completed = now();
    r.result.sequence = m_private ? m_completed : m_completed++;
    --m_in_flight;
    m_free_requests.push_back(index);
    return r.result;
}

void request_driver::report(std::uint32_t index)
{
    pending_request& r = m_requests[index];
    if (m_links.observer != nullptr && !m_private) {
        m_links.observer->on_complete(r.result);
    }
    note_client(*r.client);
    r.client->on_done(r.cookie, r.result);
}

sim_time request_driver::fill_parts(request_result& result, std::size_t ledger_index,
                                    sim_time opened)
{
    latency_split& parts = result.parts;
    if (m_links.ledger == nullptr) {
        parts.fill(sim_time());
        parts[static_cast<std::size_t>(latency_part::completion)] = result.completed - opened;
        return result.completed - opened;
    }
    m_links.ledger->stamp(ledger_index, latency_part::completion, result.completed);
    parts = m_links.ledger->parts(ledger_index);
    result.place = m_links.ledger->place(ledger_index);
    sim_time sum;
    for (const sim_time part : parts) {
        sum += part;
    }
    return sum;
}

void request_driver::tell_clients()
{
    m_telling.swap(m_told); // who is refused meanwhile is told at the next batch
    for (request_client* client : m_telling) {
        client->on_batch_end();
    }
    m_telling.clear();
}

void request_driver::begin_data(const pending_request& r, const piece& p)
{
    const request& req = r.result.req;
    if (r.data != nullptr && req.kind == request_kind::write) {
        copy_payload(m_data, p.buffer, r.data + std::size_t{p.offset} * sector_size,
                     std::size_t{p.sectors} * sector_size);
    }
    if (!shadowed(r)) {
        return;
    }
    const shadow::span span = {p.slot, req.lba + p.offset, p.sectors};
    switch (req.kind) {
    case request_kind::read:
        m_links.check->begin_read(span, p.buffer);
        break;
    case request_kind::write:
        m_links.check->begin_write(span, p.buffer);
        break;
    case request_kind::trim:
        m_links.check->begin_trim(span);
        break;
    case request_kind::flush:
        m_links.check->begin_flush(p.slot);
        break;
    }
}

void request_driver::end_data(const pending_request& r, const piece& p, bool ok)
{
    const request& req = r.result.req;
    if (r.data != nullptr && req.kind == request_kind::read && ok) {
        copy_payload(m_data, r.data + std::size_t{p.offset} * sector_size, p.buffer,
                     std::size_t{p.sectors} * sector_size);
    }
    if (!shadowed(r)) {
        return;
    }
    const shadow::span span = {p.slot, req.lba + p.offset, p.sectors};
    switch (req.kind) {
    case request_kind::read:
        m_links.check->end_read(span, p.buffer, ok);
        break;
    case request_kind::write:
        m_links.check->end_write(span, ok, req.fua);
        break;
    case request_kind::trim:
        m_links.check->end_trim(span, ok);
        break;
    case request_kind::flush:
        m_links.check->end_flush(p.slot, ok);
        break;
    }
}

/// Completions on their way count as lost too: the host never learned of them.
void request_driver::lose_all()
{
    forget();
    m_waiting_first = m_waiting_count = 0;
    m_told.clear();
    for (pending_request& r : m_requests) {
        if (r.live) {
            r.live = false;
            m_lost += m_private ? 0 : 1;
            r.client->on_lost(r.cookie, r.result.req);
        }
    }
    m_in_flight = 0;
    m_private = false;
    free_requests();
}

void request_driver::power_lost()
{
    lose_all();
    if (m_links.check != nullptr) {
        m_links.check->power_lost();
    }
}

void request_driver::abandon()
{
    lose_all();
    if (m_links.check != nullptr) {
        m_links.check->controller_reset();
    }
}

} // namespace ssdvp::host
