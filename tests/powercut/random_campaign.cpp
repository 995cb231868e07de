// SPDX-License-Identifier: Apache-2.0
#include "tests/powercut/campaign_parts.h"

namespace ssdvp::test {

namespace {

constexpr std::uint64_t cuts_per_run = 20;

class life {
public:
    life(const campaign_options& o, std::uint64_t seed)
        : m_options(o), m_drive(setup_for(o, seed)), m_work(seed), m_random(scramble(seed))
    {}
    campaign_report run(const std::string& command);

private:
    cut_kind lose_power();
    bool come_back(bool clean);
    std::uint64_t below(std::uint64_t n) { return m_random() % n; }

    const campaign_options& m_options;
    cut_drive m_drive;
    cut_workload m_work;
    std::mt19937_64 m_random;
    campaign_report m_report;
};

/// Works until the power is gone.
cut_kind life::lose_power()
{
    const std::uint64_t how = below(100);
    const std::uint64_t requests = 1 + below(60);
    if (how < 70) {
        // Near points are likelier: recovery's first writes are among them.
        m_drive.points.arm(1 + below(1 + below(300)), below(8) == 0);
        m_work.run(m_drive, 400);
    } else {
        m_work.run(m_drive, requests);
    }
    if (!m_drive.nand.powered()) {
        return kind_of(m_drive.points.last);
    }
    m_drive.points.disarm();
    cut_kind kind = CUT_QUIET;
    if (how >= 90 && m_drive.host.shut_down()) {
        kind = CUT_SHUTDOWN;
    } else if (how >= 80) {
        m_drive.host.idle(0);
    }
    m_drive.nand.power_cut();
    return kind;
}

/// Recovers, perhaps not at the first attempt. Most times everything is compared at once; else what
/// is not read stays open until it is.
bool life::come_back(bool clean)
{
    for (std::uint64_t again = below(10) < 3 ? 1 + below(3) : 0; again != 0; --again) {
        m_drive.points.arm(1 + below(1 + below(60)), below(2) == 0);
        if (m_drive.host.power_up()) {
            break; // recovery had fewer operations
        }
        if (m_drive.nand.powered()) {
            return false;
        }
        note_cut(m_drive, m_options, CUT_RECOVERY, m_report);
        m_drive.host.power_lost();
        clean = false;
    }
    m_drive.points.disarm();
    if (m_drive.nand.powered() || below(5) != 0) {
        return m_drive.nand.powered() ? m_drive.host.check_everything() && m_drive.host.found.good()
                                      : recover(m_drive, clean, m_report);
    }
    return m_drive.host.power_up();
}

campaign_report life::run(const std::string& command)
{
    const std::uint64_t cuts = m_options.cuts != 0 ? m_options.cuts : cuts_per_run;
    m_report.runs = 1;
    bool good = m_drive.host.power_up() && m_work.fill(m_drive);
    std::uint64_t n = 0;
    while (good && n < cuts) {
        ++n;
        const cut_kind kind = lose_power();
        note_cut(m_drive, m_options, kind, m_report);
        m_drive.host.power_lost();
        good = m_drive.host.found.good() && come_back(kind == CUT_SHUTDOWN);
    }
    if (m_drive.nand.powered() && !m_drive.nand.panicked()) { // what was left open
        m_drive.host.check_everything();
    }
    m_report.read_only = m_drive.host.found.refused != 0 ? 1 : 0;
    collect(m_drive, m_report);
    m_report.requests.add(m_work.was_asked);
    if (m_drive.nand.powered()) {
        m_report.work.add(m_drive.nand.counters());
    }
    m_report.work.copied += m_drive.nand.count(FLASH_PURPOSE_GC).copybacks;
    fail(m_report, m_drive, "cut " + std::to_string(n), command);
    return m_report;
}

} // namespace

campaign_report random_campaign(const campaign_options& o)
{
    return run_each<life>(o);
}

} // namespace ssdvp::test
