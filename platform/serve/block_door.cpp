// SPDX-License-Identifier: Apache-2.0
#include "platform/serve/block_door.h"

namespace ssdvp::platform {

namespace {

bool is_durable(const block_request& r)
{
    return r.kind == host::request_kind::flush || r.fua;
}

} // namespace

void block_request::enter()
{
    door->enter(*this);
}

void block_door::open(host::drive& drive, std::uint64_t capacity, fault_log& faults,
                      std::string who)
{
    m_drive = &drive;
    m_check.configure(capacity, faults, std::move(who));
}

session_counts block_door::counts() const
{
    session_counts n = m_counts;
    n.sectors_checked = m_check.sectors_checked();
    n.mismatches = m_check.mismatches();
    return n;
}

void block_door::enter(block_request& r)
{
    ++m_under_way;
    r.status = 0;
    r.lost = r.image_failed = false;
    if (m_drive == nullptr) {
        r.lost = true;
        finish(r);
        give_back();
    } else if (!m_waiting.empty() || !submit(r)) {
        m_waiting.push_back(&r);
    }
}

bool block_door::submit(block_request& r)
{
    host::request req;
    req.kind = r.kind;
    req.fua = r.fua;
    req.lba = r.lba;
    req.sectors = r.sectors;
    req.arrival = now();
    const auto cookie = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&r));
    // A pointer, even to nothing, says that the shadow copy has no part in it.
    unsigned char* data = r.data != nullptr ? r.data : &m_nothing;
    if (!m_drive->submit(req, data, *this, cookie)) {
        return false;
    }
    content_check::begin(r, m_inside);
    r.place = m_inside.size();
    m_inside.push_back(&r);
    ++m_counts.in;
    m_submitted = true;
    return true;
}

void block_door::ring()
{
    if (m_submitted) {
        m_submitted = false;
        m_drive->ring();
    }
}

void block_door::finish(block_request& r)
{
    --m_under_way;
    if (m_hold && is_durable(r) && !r.lost && r.status == 0) {
        m_durable.push_back(&r);
    } else {
        m_ended.push_back(&r);
    }
}

void block_door::leave(block_request& r)
{
    m_inside[r.place] = m_inside.back();
    m_inside[r.place]->place = r.place;
    m_inside.pop_back();
}

void block_door::on_done(std::uint64_t cookie, const host::request_result& result)
{
    auto& r = *reinterpret_cast<block_request*>(static_cast<std::uintptr_t>(cookie));
    r.status = result.status;
    ++m_counts.out;
    leave(r);
    m_check.end(r, r.status == 0);
    finish(r);
}

void block_door::on_lost(std::uint64_t cookie, const host::request&)
{
    auto& r = *reinterpret_cast<block_request*>(static_cast<std::uintptr_t>(cookie));
    leave(r);
    m_check.end(r, false);
    r.lost = true;
    ++m_counts.lost;
    finish(r);
}

void block_door::on_batch_end()
{
    while (!m_waiting.empty() && submit(*m_waiting.front())) {
        m_waiting.pop_front();
    }
    m_submitted = false; // the driver rings after this
    give_back();
}

void block_door::give_back()
{
    answer(m_ended);
    m_ended.clear();
}

void block_door::answer(const std::vector<block_request*>& requests)
{
    if (requests.empty()) {
        return;
    }
    bool first = false;
    {
        const std::lock_guard lock(m_mutex);
        first = m_returned.empty();
        m_returned.insert(m_returned.end(), requests.begin(), requests.end());
    }
    if (first) {
        m_wake();
    }
}

void block_door::take(std::vector<block_request*>& returned)
{
    returned.clear();
    const std::lock_guard lock(m_mutex);
    m_returned.swap(returned);
}

void block_door::close()
{
    m_drive = nullptr;
    std::vector<block_request*> lost(m_waiting.begin(), m_waiting.end());
    lost.insert(lost.end(), m_inside.begin(), m_inside.end());
    m_waiting.clear();
    m_inside.clear();
    for (block_request* r : lost) {
        r->lost = true;
        finish(*r);
    }
    m_ended.insert(m_ended.end(), m_durable.begin(), m_durable.end());
    for (block_request* r : m_durable) {
        r->image_failed = true;
    }
    m_durable.clear();
    give_back();
}

} // namespace ssdvp::platform
