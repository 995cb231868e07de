// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/flow.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace fwtime {

namespace {

constexpr unsigned outside = ~0u; // where calls come from and returns go to

struct edge {
    unsigned from;
    unsigned to;
    bool taken;
    const class_costs* cost; // of its own, or null
};

const class_costs* way_of(const flow_block& b, std::size_t n)
{
    return n < b.way.size() ? &b.way[n] : nullptr;
}

std::vector<edge> edges_of(const std::vector<flow_block>& blocks)
{
    std::vector<edge> edges = {{outside, 0, false, nullptr}};
    for (unsigned i = 0; i < blocks.size(); ++i) {
        const flow_block& b = blocks[i];
        for (std::size_t n = 0; n < b.next.size(); ++n) {
            edges.push_back({i, b.next[n], b.taken[n], way_of(b, n)});
        }
        if (b.leaves || b.next.empty()) {
            edges.push_back({i, outside, b.returns, way_of(b, b.next.size())});
        }
    }
    return edges;
}

/// Natural weights: a block's instructions belong to its own first marker.
std::vector<class_costs> natural(const std::vector<flow_block>& blocks, unsigned markers,
                                 unsigned costs)
{
    std::vector<class_costs> weight(markers, class_costs(costs, 0.0));
    std::vector<unsigned> copies(markers, 0);
    for (const flow_block& b : blocks) {
        if (!b.markers.empty()) {
            ++copies[b.markers.front()];
        }
    }
    for (const flow_block& b : blocks) {
        for (unsigned c = 0; c < costs && !b.markers.empty(); ++c) {
            weight[b.markers.front()][c] += b.cost[c] / copies[b.markers.front()];
        }
    }
    return weight;
}

struct equations {
    Eigen::MatrixXd a; // by edge: weights of markers, then potentials of blocks
    Eigen::MatrixXd c; // by edge: what the natural weights leave over, by class
};

equations set_up(const std::vector<flow_block>& blocks, const std::vector<edge>& edges,
                 const std::vector<class_costs>& weight, unsigned costs)
{
    const auto markers = static_cast<Eigen::Index>(weight.size());
    const auto rows = static_cast<Eigen::Index>(edges.size());
    equations q{Eigen::MatrixXd::Zero(rows, markers + static_cast<Eigen::Index>(blocks.size())),
                Eigen::MatrixXd::Zero(rows, costs)};
    for (Eigen::Index r = 0; r < rows; ++r) {
        const edge& e = edges[static_cast<std::size_t>(r)];
        if (e.to != outside) {
            q.a(r, markers + e.to) += 1;
            for (unsigned c = 0; c < costs; ++c) {
                q.c(r, c) += blocks[e.to].cost[c];
            }
            for (unsigned k : blocks[e.to].markers) {
                q.a(r, k) += 1;
                for (unsigned c = 0; c < costs; ++c) {
                    q.c(r, c) -= weight[k][c];
                }
            }
        }
        if (e.from != outside) {
            q.a(r, markers + e.from) -= 1;
        }
        for (unsigned c = 0; e.cost != nullptr && c < e.cost->size(); ++c) {
            q.c(r, c) += (*e.cost)[c];
        }
        q.c(r, CLASS_TAKEN) += e.taken ? 1 : 0;
    }
    return q;
}

} // namespace

flow_solution solve_flow(const std::vector<flow_block>& blocks, unsigned markers, unsigned costs)
{
    flow_solution s;
    s.weight = natural(blocks, markers, costs);
    const std::vector<edge> edges = edges_of(blocks);
    const equations q = set_up(blocks, edges, s.weight, costs);
    if (q.c.cwiseAbs().maxCoeff() == 0) {
        return s;
    }
    const Eigen::MatrixXd z = q.a.completeOrthogonalDecomposition().solve(q.c);
    for (unsigned k = 0; k < markers; ++k) {
        for (unsigned c = 0; c < costs; ++c) {
            s.weight[k][c] += z(k, c);
        }
    }
    const Eigen::MatrixXd left = q.c - q.a * z;
    for (unsigned c = 0; c < CLASS_TAKEN; ++c) {
        s.worst = std::max(s.worst, left.col(c).cwiseAbs().maxCoeff());
    }
    return s;
}

} // namespace fwtime
