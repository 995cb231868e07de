// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/basis.h"

#include <cmath>

namespace fwtime {

namespace {

constexpr double tiny = 1e-9;

/// A sum of flows over edges, and the counts that it is a sum of.
struct row {
    std::vector<double> flow;   // by edge
    std::vector<double> counts; // by block
};

/// Rows in echelon form: each has an edge, its pivot, that no later one has.
class echelon {
public:
    /// Takes what is in the rows out of `r`. True: something is left, and is a row now.
    bool add(row& r)
    {
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const double factor = r.flow[m_pivots[i]];
            if (std::fabs(factor) > tiny) {
                subtract(r.flow, m_rows[i].flow, factor);
                subtract(r.counts, m_rows[i].counts, factor);
            }
        }
        for (std::size_t e = 0; e < r.flow.size(); ++e) {
            if (std::fabs(r.flow[e]) > tiny) {
                const double scale = 1 / r.flow[e];
                for (double& f : r.flow) {
                    f *= scale;
                }
                for (double& c : r.counts) {
                    c *= scale;
                }
                m_rows.push_back(r);
                m_pivots.push_back(e);
                return true;
            }
        }
        return false;
    }

private:
    static void subtract(std::vector<double>& from, const std::vector<double>& what, double factor)
    {
        for (std::size_t i = 0; i < from.size(); ++i) {
            from[i] -= factor * what[i];
        }
    }

    std::vector<row> m_rows;
    std::vector<std::size_t> m_pivots;
};

struct edges {
    std::vector<std::vector<std::size_t>> in;  // by block
    std::vector<std::vector<std::size_t>> out; // the same
    std::size_t count = 0;
};

edges edges_of(const std::vector<graph_block>& blocks)
{
    edges e;
    e.in.resize(blocks.size());
    e.out.resize(blocks.size());
    e.in[0].push_back(e.count++); // calls
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        for (const unsigned next : blocks[i].next) {
            e.out[i].push_back(e.count);
            e.in[next].push_back(e.count++);
        }
        if (blocks[i].next.empty()) {
            e.out[i].push_back(e.count++);
        }
    }
    return e;
}

} // namespace

block_basis choose_counted(const std::vector<graph_block>& blocks)
{
    const std::size_t n = blocks.size();
    const edges e = edges_of(blocks);
    echelon rows;
    for (std::size_t i = 0; i < n; ++i) { // what enters a block leaves it
        row r{std::vector<double>(e.count, 0.0), std::vector<double>(n, 0.0)};
        for (const std::size_t in : e.in[i]) {
            r.flow[in] += 1;
        }
        for (const std::size_t out : e.out[i]) {
            r.flow[out] -= 1;
        }
        rows.add(r);
        if (blocks[i].dead) { // nor does anything enter it
            row none{std::vector<double>(e.count, 0.0), std::vector<double>(n, 0.0)};
            for (const std::size_t in : e.in[i]) {
                none.flow[in] += 1;
            }
            rows.add(none);
        }
    }
    block_basis basis;
    basis.counted.assign(n, false);
    basis.from.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (blocks[i].dead) {
            continue;
        }
        row r{std::vector<double>(e.count, 0.0), std::vector<double>(n, 0.0)};
        for (const std::size_t in : e.in[i]) {
            r.flow[in] += 1;
        }
        r.counts[i] = 1;
        if (rows.add(r)) {
            basis.counted[i] = true;
            basis.from[i] = {{static_cast<unsigned>(i), 1.0}};
            continue;
        }
        for (std::size_t k = 0; k < i; ++k) { // 0 = its count + the sum of those
            if (std::fabs(r.counts[k]) > tiny) {
                basis.from[i].emplace_back(static_cast<unsigned>(k), -r.counts[k]);
            }
        }
    }
    return basis;
}

} // namespace fwtime
