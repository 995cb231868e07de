// SPDX-License-Identifier: Apache-2.0
#include "platform/report/progress.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "platform/report/format.h"

namespace ssdvp::platform {

namespace {

constexpr double bar_interval = 0.1;  // seconds between two bars
constexpr double line_interval = 5.0; // seconds between two plain lines
constexpr double wanted_check = 0.01; // seconds between two looks at the clock
constexpr std::uint64_t never = UINT64_MAX;

double steady_seconds()
{
    const auto t = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(t).count();
}

void to_stderr(const std::string& text)
{
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

} // namespace

progress_options progress_options_for(std::FILE* out)
{
    progress_options options;
    options.terminal = ::isatty(::fileno(out)) != 0;
    winsize size{};
    if (options.terminal && ::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
        options.columns = size.ws_col;
    }
    return options;
}

progress_reporter::progress_reporter(const progress_options& options)
    : progress_reporter(options, steady_seconds, to_stderr)
{}

progress_reporter::progress_reporter(const progress_options& options, clock wall, output out)
    : m_options(options), m_wall(std::move(wall)), m_out(std::move(out))
{
    begin("running");
}

void progress_reporter::begin(const std::string& phase)
{
    finish();
    m_phase = phase;
    m_calls = 0;
    m_stride = m_options.quiet ? never : 1;
    m_requests_before = m_requests;
    m_started = m_options.quiet ? 0.0 : m_wall();
    m_checked = m_started;
    m_printed = m_started;
}

void progress_reporter::check(std::uint64_t requests, sim_time simulated)
{
    if (!due()) {
        return;
    }
    const double rate = static_cast<double>(requests - m_requests_before) / (m_checked - m_started);
    show(share(requests, simulated),
         fmt::format("{} requests, {} simulated, {} requests/s", text_count(requests),
                     text_time(simulated), text_rough(rate)));
}

/// Looks at the clock: it is time for another bar or line.
bool progress_reporter::due()
{
    m_calls = 0;
    const double t = m_wall();
    const double since = t - m_checked;
    m_checked = t;
    if (since < wanted_check) {
        m_stride = std::min(m_stride * 2, largest_stride);
    } else if (since > 4 * wanted_check) {
        m_stride = std::max<std::uint64_t>(m_stride / 2, 1);
    }
    return t - m_printed >= (m_options.terminal ? bar_interval : line_interval);
}

void progress_reporter::show(double share, const std::string& facts)
{
    m_printed = m_checked;
    const std::string now_at = text(share, facts);
    if (m_options.terminal) {
        m_out("\r" + now_at + "\x1b[K");
        m_bar_shown = true;
    } else {
        m_out(now_at + "\n");
    }
}

/// Of the work, by whichever limit is nearer; 0 when there is none.
double progress_reporter::share(std::uint64_t requests, sim_time simulated) const
{
    double share = 0.0;
    if (m_options.total_requests != 0) {
        share = static_cast<double>(requests) / static_cast<double>(m_options.total_requests);
    }
    if (m_options.total_time != sim_time()) {
        share = std::max(share, static_cast<double>(simulated.ps()) /
                                    static_cast<double>(m_options.total_time.ps()));
    }
    return std::min(share, 1.0);
}

std::string progress_reporter::text(double share, std::string facts) const
{
    const double elapsed = m_checked - m_started;
    if (share > 0.0) {
        facts = fmt::format("{:3.0f} %  {}{}{} left", 100.0 * share, facts,
                            facts.empty() ? "" : ", ", text_wall(elapsed * (1.0 - share) / share));
    }
    if (!m_options.terminal) {
        return fmt::format("{}: {}", m_phase, facts);
    }
    std::string line = m_phase + ' ';
    const std::size_t taken = line.size() + facts.size() + 4;
    if (share > 0.0 && taken + 8 <= m_options.columns) {
        const std::size_t width = std::min<std::size_t>(m_options.columns - taken, 30);
        const auto full = static_cast<std::size_t>(share * static_cast<double>(width));
        line += fmt::format("[{}{}] ", std::string(full, '#'), std::string(width - full, '.'));
    }
    line += facts;
    if (line.size() >= m_options.columns) { // a line that wraps could not be redrawn
        line.resize(m_options.columns - 1);
    }
    return line;
}

void progress_reporter::finish()
{
    if (m_bar_shown) {
        m_out("\r\x1b[K");
        m_bar_shown = false;
    }
}

} // namespace ssdvp::platform
