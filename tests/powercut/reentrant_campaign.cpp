// SPDX-License-Identifier: Apache-2.0
#include "tests/powercut/campaign_parts.h"

#include <memory>

namespace ssdvp::test {

namespace {

constexpr std::uint64_t requests_after = 8;
constexpr std::uint64_t recovery_points_most = 24; // of one recovery, spread when it has more

/// As many as have the drive do everything. Superblocks of `paged` take 128 units of a sector:
/// 2,000 requests fill most of them once, and no two are erased so unlike that wear levelling
/// minds.
std::uint64_t requests_of_workload(const std::string& geometry)
{
    return geometry == "paged" ? 3000 : 2000;
}

/// A moment of the workload at which power goes.
struct moment {
    std::uint64_t point;
    cut_kind kind;
    ram_image cells;
};

class reentrant {
public:
    reentrant(const campaign_options& o, bool nested)
        : m_options(o), m_nested(nested), m_drive(setup_for(o, o.seed)),
          m_twin(setup_for(o, o.seed)), m_work(o.seed)
    {}
    campaign_report run();

private:
    void watch(const flash_point& p);
    void cut_moments();
    void cut_here(const moment& m);
    void cut_recovery(const moment& m);
    void become(const moment& m);
    bool recover_to_the_end(const moment& m);
    bool go_on(const moment& m);
    bool again(const moment& m, cut_kind kind);
    std::uint64_t points_of_recovery(const moment& m);
    void note(const moment& m);

    const campaign_options& m_options;
    bool m_nested;
    cut_drive m_drive; // has power throughout
    cut_drive m_twin;  // loses it
    cut_workload m_work;
    std::vector<moment> m_moments;
    std::uint64_t m_points = 0;
    campaign_report m_report;
};

void reentrant::watch(const flash_point& p)
{
    const std::uint64_t n = ++m_points;
    if (n >= m_options.first && n <= m_options.last && n % m_options.stride == 0 &&
        m_report.good()) {
        m_moments.push_back({n, kind_of(p), m_drive.nand.image()});
    }
}

void reentrant::cut_moments()
{
    for (const moment& m : m_moments) {
        if (m_report.good()) {
            if (m_nested) {
                cut_recovery(m);
            } else {
                cut_here(m);
            }
        }
    }
    m_moments.clear();
}

void reentrant::note(const moment& m)
{
    collect(m_twin, m_report);
    fail(m_report, m_twin, "point " + std::to_string(m.point),
         command_of(m_options, " --seed " + std::to_string(m_options.seed) + " --first " +
                                   std::to_string(m.point) + " --last " + std::to_string(m.point)));
}

void reentrant::become(const moment& m)
{
    m_twin.become(m.cells, m_drive.shadow);
    ++m_report.cuts;
    ++m_report.kinds[m.kind];
    if (m_options.forget_everything) {
        m_twin.nand.insert(blank(m.cells));
    }
}

/// Some requests, then everything compared, then another cut.
bool reentrant::go_on(const moment& m)
{
    cut_workload more(m_options.seed * 1000003 + m.point);
    if (!more.run(m_twin, requests_after) || !m_twin.host.check_everything()) {
        return false;
    }
    m_report.requests.add(more.was_asked);
    return m_twin.host.found.good();
}

/// Cuts power now, at rest or at a point of some requests, and recovers.
bool reentrant::again(const moment& m, cut_kind kind)
{
    if (kind != CUT_QUIET) {
        cut_workload more(m_options.seed * 1000033 + m.point);
        m_twin.points.arm(1 + m.point % 17);
        more.run(m_twin, 40);
        kind = m_twin.nand.powered() ? CUT_QUIET : kind_of(m_twin.points.last);
    }
    m_twin.nand.power_cut();
    note_cut(m_twin, m_options, kind, m_report);
    m_twin.host.power_lost();
    return m_twin.host.found.good() && recover(m_twin, false, m_report);
}

void reentrant::cut_here(const moment& m)
{
    become(m);
    bool good = recover(m_twin, false, m_report) && go_on(m);
    const std::uint64_t cuts = m_options.cuts != 0 ? m_options.cuts : (m.point % 4 == 0 ? 2 : 1);
    for (std::uint64_t n = 1; good && n < cuts; ++n) {
        good = again(m, n % 2 != 0 ? CUT_ERASE : CUT_QUIET);
    }
    note(m);
}

std::uint64_t reentrant::points_of_recovery(const moment& m)
{
    become(m);
    m_twin.points.all = 0;
    const bool good = m_twin.host.power_up();
    const std::uint64_t points = m_twin.points.all;
    return good && m_twin.host.check_everything() ? points : 0;
}

/// The third cut comes as late in recovery as the second, or while only reads went on in between.
bool reentrant::recover_to_the_end(const moment& m)
{
    if (!recover(m_twin, false, m_report)) {
        return false;
    }
    return m.point % 3 != 0 || again(m, CUT_QUIET);
}

void reentrant::cut_recovery(const moment& m)
{
    const std::uint64_t points = points_of_recovery(m);
    const std::uint64_t step = 1 + points / recovery_points_most;
    for (std::uint64_t at = 1 + m.point % step; at <= points && m_twin.host.found.good();
         at += step) {
        become(m);
        const std::uint64_t deep = m_options.cuts != 0 ? m_options.cuts : 2 + at % 2;
        for (std::uint64_t n = 1; n < deep && m_twin.host.found.good(); ++n) {
            m_twin.points.arm(at, true);
            if (!m_twin.host.power_up() && m_twin.nand.powered()) {
                break; // says why
            }
            m_twin.nand.power_cut(); // what is left of recovery may be shorter
            note_cut(m_twin, m_options, CUT_RECOVERY, m_report);
            m_twin.host.power_lost();
        }
        if (!m_twin.host.found.good() || !recover_to_the_end(m)) {
            break;
        }
    }
    note(m);
}

campaign_report reentrant::run()
{
    m_report.runs = 1;
    bool good = m_drive.host.power_up() && m_work.fill(m_drive);
    m_drive.points.watch = [this](const flash_point& p) { watch(p); };
    m_drive.host.stepped = [this] { cut_moments(); };
    const std::uint64_t requests =
        m_options.requests != 0 ? m_options.requests : requests_of_workload(m_options.geometry);
    for (std::uint64_t i = 0; good && i < requests && m_report.good() && m_points < m_options.last;
         ++i) {
        good = m_work.run(m_drive, 1);
    }
    good = good && m_drive.host.check_everything();
    m_report.read_only = m_drive.host.found.refused != 0 ? 1 : 0;
    collect(m_drive, m_report);
    m_report.requests.add(m_work.was_asked);
    m_report.work.add(m_drive.nand.counters());
    m_report.work.copied += m_drive.nand.count(FLASH_PURPOSE_GC).copybacks;
    fail(m_report, m_drive, "the workload itself, without a cut",
         command_of(m_options, " --seed " + std::to_string(m_options.seed)));
    return m_report;
}

campaign_report several(const campaign_options& o, bool nested)
{
    campaign_report all;
    for (std::uint64_t i = 0; i < o.runs && all.good(); ++i) {
        campaign_options one = o;
        one.seed = o.seed + i;
        one.runs = 1;
        all.add(std::make_unique<reentrant>(one, nested)->run());
    }
    return all;
}

} // namespace

campaign_report reentrant_campaign(const campaign_options& o)
{
    return several(o, false);
}

campaign_report nested_campaign(const campaign_options& o)
{
    return several(o, true);
}

} // namespace ssdvp::test
