// SPDX-License-Identifier: Apache-2.0
#include "platform/serve/content_check.h"

#include <fmt/format.h>
#include <functional>
#include <string_view>
#include <utility>

#include "platform/serve/block_door.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t unknown = 0;

std::uint64_t sum_of(const unsigned char* sector)
{
    const std::string_view bytes(reinterpret_cast<const char*>(sector), sector_size);
    const std::uint64_t sum = std::hash<std::string_view>{}(bytes);
    return sum == unknown ? 1 : sum;
}

bool changes(const block_request& r)
{
    return r.kind == host::request_kind::write || r.kind == host::request_kind::trim;
}

bool overlap(const block_request& a, const block_request& b)
{
    // A flush has no sectors, whatever address it carries.
    return a.sectors != 0 && b.sectors != 0 && a.lba < b.lba + b.sectors &&
           b.lba < a.lba + a.sectors;
}

} // namespace

void content_check::configure(std::uint64_t capacity, fault_log& faults, std::string who)
{
    m_sums = lazy_array<std::uint64_t>(capacity);
    m_faults = &faults;
    m_who = std::move(who);
}

void content_check::begin(block_request& r, const std::vector<block_request*>& inside)
{
    r.contested = false;
    for (block_request* other : inside) {
        if ((changes(r) || changes(*other)) && overlap(r, *other)) {
            r.contested = other->contested = true;
        }
    }
}

bool content_check::covers(const block_request& r) const
{
    // A request past the end is refused by the drive and moves no data.
    return r.sectors <= m_sums.size() && r.lba <= m_sums.size() - r.sectors;
}

void content_check::end(const block_request& r, bool ok)
{
    if (!covers(r)) {
        return;
    }
    const bool sure = ok && !r.contested && r.data != nullptr;
    if (r.kind == host::request_kind::read && sure) {
        compare(r);
    } else if (r.kind == host::request_kind::write && sure) {
        remember(r);
    } else if (changes(r)) {
        forget(r); // what a trimmed sector reads as is the firmware's choice
    }
}

void content_check::compare(const block_request& r)
{
    for (std::uint32_t i = 0; i < r.sectors; ++i) {
        const std::uint64_t sum = std::as_const(m_sums)[r.lba + i];
        if (sum == unknown) {
            continue;
        }
        ++m_checked;
        if (sum != sum_of(r.data + std::size_t{i} * sector_size)) {
            mismatch(r.lba + i);
        }
    }
}

void content_check::remember(const block_request& r)
{
    for (std::uint32_t i = 0; i < r.sectors; ++i) {
        m_sums[r.lba + i] = sum_of(r.data + std::size_t{i} * sector_size);
    }
}

void content_check::forget(const block_request& r)
{
    for (std::uint32_t i = 0; i < r.sectors; ++i) {
        // A trim of a whole drive takes no memory for what nobody wrote.
        if (std::as_const(m_sums)[r.lba + i] != unknown) {
            m_sums[r.lba + i] = unknown;
        }
    }
}

void content_check::mismatch(std::uint64_t lba)
{
    if (++m_mismatches <= fault_log::kept) {
        m_faults->record(m_who,
                         fmt::format("read of sector {}: not what a client wrote there last", lba));
    }
}

} // namespace ssdvp::platform
