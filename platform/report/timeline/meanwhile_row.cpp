// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/meanwhile_row.h"

#include <array>
#include <cstring>
#include <fmt/format.h>

#include "platform/report/measurement.h"

namespace ssdvp::platform {

namespace {

// By meanwhile_piece::kind.
constexpr std::array<const char*, 3> where_names = {"lun", "channel", "drive"};

// By FLASH_PURPOSE_*; work for the host has more than one reason.
constexpr std::array<const char*, FLASH_PURPOSES> actions = {"",
                                                             "collection",
                                                             "map",
                                                             "merge",
                                                             "refresh",
                                                             "wear levelling",
                                                             "recovery",
                                                             "search for the newest copy",
                                                             "precondition",
                                                             "folding"};

bool has(const char* name, const char* word)
{
    return std::strstr(name, word) != nullptr;
}

/// Work for the host: of a command, or of the firmware's own accord. Names of bus cycles are those
/// of ONFI, in capitals.
const char* host_action(const flash_piece& w, bool flushing)
{
    if (w.slot != latency_ledger::no_slot) {
        return "command of the host";
    }
    if (has(w.name, "program") || has(w.name, "PROGRAM") || has(w.name, "DATA IN")) {
        return flushing ? "flush" : "write-back";
    }
    return has(w.name, "read") || has(w.name, "READ") ? "read-ahead" : "free space";
}

void put(std::string& to, std::uint64_t value)
{
    const fmt::format_int digits(value);
    to.append(digits.data(), digits.size());
}

/// In ns with three decimals.
void put(std::string& to, sim_time t)
{
    const auto rest = t.ps() % 1000;
    put(to, t.ns());
    to += '.';
    for (const std::uint64_t unit : {100u, 10u, 1u}) {
        to += static_cast<char>('0' + rest / unit % 10);
    }
}

/// Empty where it is not known.
template <typename Value>
void put_cell(std::string& to, bool known, Value value)
{
    to += ',';
    if (known) {
        put(to, value);
    }
}

} // namespace

const char* firmware_action(const flash_piece& what, bool flushing)
{
    if (what.purpose >= FLASH_PURPOSES) {
        return "";
    }
    return what.purpose == FLASH_PURPOSE_HOST ? host_action(what, flushing) : actions[what.purpose];
}

std::string meanwhile_row_header()
{
    return "sequence,where,channel,lun,operation,purpose,action,plane,block,page,begin_ns,end_ns,"
           "overlap_ns";
}

void put_meanwhile_row(std::string& to, const host::request_result& r, const meanwhile_piece& p,
                       const flush_times& flushes)
{
    const flash_piece& w = p.what;
    const bool one = w.end != sim_time(); // a piece of its own, and not the sum of several
    const bool on_lun = p.where == meanwhile_piece::on_lun;
    const bool flushing =
        one ? flushes.any(w.begin, w.end) : flushes.any(r.req.arrival, r.completed);
    put(to, r.sequence);
    (to += ',') += where_names[p.where];
    put_cell(to, p.where != meanwhile_piece::on_drive, std::uint64_t{r.place.channel});
    put_cell(to, one || on_lun, std::uint64_t{one ? w.lun : r.place.lun});
    (to += ',') += w.name;
    (to += ',') += w.purpose < FLASH_PURPOSES ? purpose_names[w.purpose] : "";
    (to += ',') += firmware_action(w, flushing);
    put_cell(to, one && on_lun, std::uint64_t{w.plane});
    put_cell(to, one && on_lun, std::uint64_t{w.block});
    put_cell(to, one && on_lun, std::uint64_t{w.page});
    put_cell(to, one, w.begin);
    put_cell(to, one, w.end);
    put_cell(to, true, p.overlap);
    to += '\n';
}

} // namespace ssdvp::platform
