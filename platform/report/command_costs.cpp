// SPDX-License-Identifier: Apache-2.0
#include "platform/report/command_costs.h"

#include <algorithm>
#include <cmath>

#include "models/cpu/instruction_cost.h"

namespace ssdvp::platform {

namespace {

constexpr int fit_rounds = 2000; // of all coordinates; they converge geometrically

command_kind kind_of(const host::request_result& r)
{
    switch (r.req.kind) {
    case host::request_kind::read:
        return r.parts[static_cast<std::size_t>(latency_part::array)] == sim_time()
                   ? command_kind::read_buffer
                   : command_kind::read_flash;
    case host::request_kind::write:
        return command_kind::write;
    case host::request_kind::trim:
        return command_kind::trim;
    case host::request_kind::flush:
        break;
    }
    return command_kind::flush;
}

} // namespace

std::array<double, command_kinds>
fit_positive(const std::array<std::array<double, command_kinds>, command_kinds>& normal,
             const std::array<double, command_kinds>& right)
{
    std::array<double, command_kinds> x{};
    for (int round = 0; round < fit_rounds; ++round) {
        for (std::size_t i = 0; i < command_kinds; ++i) {
            if (normal[i][i] == 0) {
                continue; // no such command
            }
            double rest = right[i];
            for (std::size_t j = 0; j < command_kinds; ++j) {
                rest -= j == i ? 0 : normal[i][j] * x[j];
            }
            x[i] = std::max(0.0, rest / normal[i][i]);
        }
    }
    return x;
}

void command_costs::begin(const std::vector<std::int64_t>& spent)
{
    *this = command_costs();
    m_last = spent;
}

bool command_costs::completed(const host::request_result& request)
{
    const auto k = static_cast<std::size_t>(kind_of(request));
    m_now[k] += 1;
    m_requests[k] += 1;
    m_bytes[k] += 512.0 * request.req.sectors;
    return ++m_count == window;
}

void command_costs::close(const std::vector<std::int64_t>& spent)
{
    m_last.resize(spent.size(), 0);
    m_right.resize(spent.size());
    double total = 0;
    for (std::size_t g = 0; g < spent.size(); ++g) {
        const double cost = static_cast<double>(spent[g] - m_last[g]) / cpu::spent_account::one;
        total += cost;
        for (std::size_t k = 0; k < command_kinds; ++k) {
            m_right[g][k] += m_now[k] * cost;
        }
    }
    for (std::size_t k = 0; k < command_kinds; ++k) {
        for (std::size_t j = 0; j < command_kinds; ++j) {
            m_normal[k][j] += m_now[k] * m_now[j];
        }
    }
    m_squares += total * total;
    m_sum += total;
    m_last = spent;
    m_now = {};
    m_count = 0;
    ++m_windows;
}

command_costs::result command_costs::fit() const
{
    result r;
    r.windows = m_windows;
    vector all{}; // of all groups together
    vector right{};
    for (const vector& group : m_right) {
        r.cost.push_back(fit_positive(m_normal, group));
        for (std::size_t k = 0; k < command_kinds; ++k) {
            all[k] += r.cost.back()[k];
            right[k] += group[k];
        }
    }
    double squares = m_squares; // of what is left over: |y|2 - 2 x'A'y + x'A'A x
    for (std::size_t k = 0; k < command_kinds; ++k) {
        squares -= 2 * all[k] * right[k];
        for (std::size_t j = 0; j < command_kinds; ++j) {
            squares += all[k] * m_normal[k][j] * all[j];
        }
        r.requests[k] = static_cast<std::uint64_t>(m_requests[k]);
        r.bytes[k] = m_requests[k] == 0 ? 0 : m_bytes[k] / m_requests[k];
    }
    const auto windows = static_cast<double>(m_windows);
    if (m_sum > 0) {
        r.error = std::sqrt(std::max(0.0, squares) / windows) / (m_sum / windows);
    }
    return r;
}

} // namespace ssdvp::platform
