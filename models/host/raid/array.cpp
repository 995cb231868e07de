// SPDX-License-Identifier: Apache-2.0
#include "models/host/raid/array.h"

#include <algorithm>
#include <stdexcept>

namespace ssdvp::host {

namespace {

bool changes(const request& req)
{
    return req.kind == request_kind::write || req.kind == request_kind::trim;
}

bool overlap(const request& a, const request& b)
{
    return a.lba < b.lba + b.sectors && b.lba < a.lba + a.sectors;
}

} // namespace

array::array(const array_config& config, fault_log* faults, request_observer* observer)
    : m_config(config), m_faults(faults), m_observer(observer),
      m_check(config.data, config.name + ".shadow", faults)
{}

void array::open(const std::vector<member>& members, std::uint32_t slots, std::uint32_t most)
{
    if (members.size() < 2 || members.size() > array_members_max || slots == 0 || most == 0) {
        throw std::invalid_argument("array: takes 2 to 16 members, and requests of some size");
    }
    std::uint64_t smallest = UINT64_MAX;
    for (const member& m : members) {
        auto p = std::make_unique<port>();
        p->owner = this;
        p->index = static_cast<std::uint32_t>(m_ports.size());
        p->drive = m.drive;
        p->waiting.resize(slots);
        m_ports.push_back(std::move(p));
        smallest = std::min(smallest, m.capacity);
    }
    m_good = members.size();
    m_map = map_of(m_config, members.size());
    m_capacity = array_capacity(m_config, members.size(), smallest);
    m_most = most;
    m_slots.resize(slots);
    m_pieces.resize(slots * members.size());
    m_free.reserve(slots);
    for (std::uint32_t i = slots; i-- > 0;) {
        m_free.push_back(i);
    }
    m_writes.reserve(slots);
    m_blocked.reserve(slots);
    m_told.reserve(8);
    m_telling.reserve(8);
    const std::size_t bytes = std::size_t{slots} * most * sector_size;
    m_buffers = lazy_array<unsigned char>(bytes);
    m_gather = lazy_array<unsigned char>(mirrored() ? 0 : bytes);
    m_check.configure(m_capacity, slots, most);
}

unsigned char* array::buffer(std::uint32_t index)
{
    slot& s = m_slots[index];
    return s.data != nullptr ? s.data : &m_buffers[std::size_t{index} * m_most * sector_size];
}

void array::note_client(request_client& client)
{
    if (std::find(m_told.begin(), m_told.end(), &client) == m_told.end()) {
        m_told.push_back(&client);
    }
}

bool array::submit(const request& req, unsigned char* data, request_client& client,
                   std::uint64_t cookie)
{
    if (m_free.empty()) {
        note_client(client);
        return false;
    }
    const std::uint32_t index = m_free.back();
    m_free.pop_back();
    slot& s = m_slots[index];
    s = {};
    s.result.req = req;
    s.client = &client;
    s.cookie = cookie;
    s.data = data;
    ++m_counts.in;
    if (mirrored() && changes(req) && must_wait(req, m_blocked.size())) {
        ++m_counts.waited;
        m_blocked.push_back(index);
    } else {
        start(index);
    }
    return true;
}

/// Two writes of one sector that are under way together may end in another order on each mirror,
/// which would then differ for good.
bool array::must_wait(const request& req, std::size_t blocked) const
{
    const auto in_the_way = [&](std::uint32_t i) { return overlap(m_slots[i].result.req, req); };
    return std::any_of(m_writes.begin(), m_writes.end(), in_the_way) ||
           std::any_of(m_blocked.begin(), m_blocked.begin() + static_cast<std::ptrdiff_t>(blocked),
                       in_the_way);
}

void array::start(std::uint32_t index)
{
    begin_data(index);
    if (mirrored()) {
        start_mirrored(index);
    } else {
        start_striped(index);
    }
}

void array::start_striped(std::uint32_t index)
{
    slot& s = m_slots[index];
    const request& req = s.result.req;
    if (req.kind == request_kind::flush) {
        for (const auto& p : m_ports) {
            piece_of(index, p->index) = {{}, buffer(index), {}};
            offer(*p, index);
        }
        return;
    }
    s.gathered = req.kind != request_kind::trim && m_map.wraps(req.lba, req.sectors);
    unsigned char* whole =
        s.gathered ? &m_gather[std::size_t{index} * m_most * sector_size] : buffer(index);
    std::size_t at = 0; // of the member's data in it
    for (const auto& p : m_ports) {
        const stripe_map::extent where = m_map.on(p->index, req.lba, req.sectors);
        piece_of(index, p->index) = {where, whole + at, {}};
        at += s.gathered ? std::size_t{where.sectors} * sector_size : 0;
    }
    if (s.gathered && req.kind == request_kind::write) {
        gather(index);
    } else if (!s.gathered && req.kind != request_kind::trim) { // a chunk each at most
        m_map.for_each_chunk(req.lba, req.sectors,
                             [&](std::uint32_t m, std::uint32_t offset, std::uint32_t) {
                                 piece_of(index, m).data += std::size_t{offset} * sector_size;
                             });
    }
    for (const auto& p : m_ports) {
        if (piece_of(index, p->index).where.sectors != 0) {
            offer(*p, index);
        }
    }
}

void array::start_mirrored(std::uint32_t index)
{
    slot& s = m_slots[index];
    const request& req = s.result.req;
    const piece whole = {{req.lba, req.sectors}, buffer(index), {}};
    if (req.kind == request_kind::read) {
        port& from = *m_ports[choose_reader(0)];
        piece_of(index, from.index) = whole;
        offer(from, index);
        return;
    }
    if (changes(req)) {
        m_writes.push_back(index);
    }
    for (const auto& p : m_ports) {
        if (p->counts.good) {
            piece_of(index, p->index) = whole;
            offer(*p, index);
        }
    }
}

/// Between the buffer by the array's addresses and those of the members.
void array::gather(std::uint32_t index)
{
    const request& req = m_slots[index].result.req;
    const unsigned char* from = buffer(index);
    std::array<std::size_t, array_members_max> done{};
    m_map.for_each_chunk(req.lba, req.sectors,
                         [&](std::uint32_t m, std::uint32_t offset, std::uint32_t n) {
                             const std::size_t bytes = std::size_t{n} * sector_size;
                             copy_payload(m_config.data, piece_of(index, m).data + done[m],
                                          from + std::size_t{offset} * sector_size, bytes);
                             done[m] += bytes;
                         });
}

void array::scatter(std::uint32_t index)
{
    const request& req = m_slots[index].result.req;
    unsigned char* to = buffer(index);
    std::array<std::size_t, array_members_max> done{};
    m_map.for_each_chunk(req.lba, req.sectors,
                         [&](std::uint32_t m, std::uint32_t offset, std::uint32_t n) {
                             const std::size_t bytes = std::size_t{n} * sector_size;
                             copy_payload(m_config.data, to + std::size_t{offset} * sector_size,
                                          piece_of(index, m).data + done[m], bytes);
                             done[m] += bytes;
                         });
}

/// A good member that is not in `tried`, or the number of members when there is none.
std::uint32_t array::choose_reader(std::uint32_t tried)
{
    const auto n = static_cast<std::uint32_t>(m_ports.size());
    std::uint32_t best = n;
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t at = (m_turn + i) % n;
        if (!m_ports[at]->counts.good || (tried >> at & 1u) != 0) {
            continue;
        }
        const bool less = best == n || m_ports[at]->load < m_ports[best]->load;
        best = best == n || (m_config.reads == mirror_reads::least_loaded && less) ? at : best;
    }
    m_turn = best == n ? m_turn : (best + 1) % n;
    return best;
}

void array::offer(port& to, std::uint32_t index)
{
    if (to.count != 0 || !give(to, index)) {
        queue(to, index);
    }
    ++to.load;
    ++m_slots[index].outstanding;
    ++m_counts.pieces;
}

void array::queue(port& to, std::uint32_t index)
{
    piece& p = piece_of(index, to.index);
    p.offered = p.offered == sim_time() ? now() : p.offered;
    to.waiting[(to.first + to.count++) % to.waiting.size()] = index;
}

bool array::give(port& to, std::uint32_t index)
{
    piece& p = piece_of(index, to.index);
    p.offered = p.offered == sim_time() ? now() : p.offered;
    request part = m_slots[index].result.req;
    part.lba = p.where.lba;
    part.sectors = p.where.sectors;
    part.arrival = p.offered;
    if (!to.drive->submit(part, p.data, to, index)) {
        return false;
    }
    ++to.counts.in;
    to.to_ring = true;
    return true;
}

void array::drain(port& to)
{
    while (to.count != 0 && give(to, to.waiting[to.first])) {
        to.first = to.first + 1 == to.waiting.size() ? 0 : to.first + 1;
        --to.count;
    }
}

void array::piece_done(port& from, std::uint32_t index, const request_result& result)
{
    slot& s = m_slots[index];
    ++from.counts.out;
    --from.load;
    s.result.submitted =
        s.started ? earlier(s.result.submitted, result.submitted) : result.submitted;
    s.started = true;
    if (result.status != 0) {
        ++from.counts.errors;
        failed(from, index, result.status);
    } else if (s.tried != 0) {
        s.result.status = 0;
        ++m_counts.reads_recovered;
    }
    if (--s.outstanding == 0) {
        finish(index, result, piece_of(index, from.index).offered);
    }
}

/// What the failure of a piece means for the request and for the member.
void array::failed(port& from, std::uint32_t index, std::uint16_t status)
{
    slot& s = m_slots[index];
    if (!mirrored()) {
        s.result.status = s.result.status == 0 ? status : s.result.status;
    } else if (s.result.req.kind == request_kind::read) {
        s.result.status = s.result.status == 0 ? status : s.result.status;
        s.tried |= 1u << from.index;
        const std::uint32_t other = choose_reader(s.tried);
        if (other < m_ports.size()) {
            piece_of(index, other) = {piece_of(index, from.index).where, buffer(index), {}};
            queue(*m_ports[other], index); // given at the end of this batch
            ++m_ports[other]->load;
            ++s.outstanding;
            ++m_counts.pieces;
        }
    } else if (from.counts.good && m_good > 1) {
        from.counts.good = false; // it holds old data from here on
        --m_good;
    } else if (from.counts.good) { // the last one stays
        s.result.status = status;
    }
}

/// The parts of the piece that ended last, with all that was before it as `queue`.
void array::finish(std::uint32_t index, const request_result& last, sim_time offered)
{
    slot& s = m_slots[index];
    request_result& r = s.result;
    r.completed = last.completed;
    r.sequence = m_counts.out++;
    r.parts = last.parts;
    r.queue = last.queue;
    r.place = last.place;
    r.parts[static_cast<std::size_t>(latency_part::queue)] += offered - r.req.arrival;
    end_data(index);
    if (mirrored() && changes(r.req)) {
        forget_write(index);
    }
    m_free.push_back(index);
    if (m_observer != nullptr) {
        m_observer->on_complete(r);
    }
    note_client(*s.client);
    s.client->on_done(s.cookie, r);
}

void array::forget_write(std::uint32_t index)
{
    *std::find(m_writes.begin(), m_writes.end(), index) = m_writes.back();
    m_writes.pop_back();
    m_unblock = !m_blocked.empty();
}

void array::release_blocked()
{
    m_unblock = false;
    std::size_t kept = 0; // those still blocked come first, in order
    for (std::size_t i = 0; i < m_blocked.size(); ++i) {
        const std::uint32_t index = m_blocked[i];
        if (must_wait(m_slots[index].result.req, kept)) {
            m_blocked[kept++] = index;
        } else {
            start(index);
        }
    }
    m_blocked.resize(kept);
}

void array::begin_data(std::uint32_t index)
{
    const slot& s = m_slots[index];
    if (s.data != nullptr || !m_check.active()) {
        return;
    }
    const request& req = s.result.req;
    const shadow::span span = {index, req.lba, req.sectors};
    switch (req.kind) {
    case request_kind::read:
        m_check.begin_read(span, buffer(index));
        break;
    case request_kind::write:
        m_check.begin_write(span, buffer(index));
        break;
    case request_kind::trim:
        m_check.begin_trim(span);
        break;
    case request_kind::flush:
        m_check.begin_flush(index);
        break;
    }
}

void array::end_data(std::uint32_t index)
{
    const slot& s = m_slots[index];
    const request& req = s.result.req;
    const bool ok = s.result.status == 0;
    if (s.gathered && req.kind == request_kind::read && ok) {
        scatter(index);
    }
    if (s.data != nullptr || !m_check.active()) {
        return;
    }
    const shadow::span span = {index, req.lba, req.sectors};
    switch (req.kind) {
    case request_kind::read:
        m_check.end_read(span, buffer(index), ok);
        break;
    case request_kind::write:
        m_check.end_write(span, ok, req.fua);
        break;
    case request_kind::trim:
        m_check.end_trim(span, ok);
        break;
    case request_kind::flush:
        m_check.end_flush(index, ok);
        break;
    }
}

/// A member's batch has ended: what it made room for, then the clients.
void array::batch_end(const port& from)
{
    if (m_unblock) {
        release_blocked();
    }
    for (const auto& p : m_ports) {
        drain(*p);
    }
    m_telling.swap(m_told); // who is refused meanwhile is told at the next batch
    for (request_client* client : m_telling) {
        client->on_batch_end();
    }
    m_telling.clear();
    ring_all(&from); // its driver rings by itself
}

void array::ring_all(const port* but)
{
    for (const auto& p : m_ports) {
        if (p->to_ring && p.get() != but) {
            p->drive->ring();
        }
        p->to_ring = false;
    }
}

void array::port::on_lost(std::uint64_t, const request&)
{
    if (owner->m_faults != nullptr) {
        owner->m_faults->record(owner->m_config.name,
                                "member " + std::to_string(index) + " lost a request");
    }
}

} // namespace ssdvp::host
