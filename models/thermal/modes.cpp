// SPDX-License-Identifier: Apache-2.0
#include "models/thermal/modes.h"

#include <algorithm>
#include <cmath>

#include "models/common/real_functions.h"

namespace ssdvp::thermal {

namespace {

using matrix = std::array<node_values, nodes>;

constexpr double farthest = 700.0; // e^-x is no number beyond

/// Makes a[p][q] zero (Jacobi): exact operations of IEEE 754 only, so the same bits anywhere.
void rotate(matrix& a, matrix& v, std::size_t p, std::size_t q)
{
    if (a[p][q] == 0.0) {
        return;
    }
    const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double t =
        (theta < 0.0 ? -1.0 : 1.0) / (std::fabs(theta) + std::sqrt(theta * theta + 1.0));
    const double c = 1.0 / std::sqrt(t * t + 1.0);
    const double s = t * c;
    for (std::size_t k = 0; k < nodes; ++k) {
        const double x = a[k][p];
        const double y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (std::size_t k = 0; k < nodes; ++k) {
        const double x = a[p][k];
        const double y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
    for (std::size_t k = 0; k < nodes; ++k) {
        const double x = v[k][p];
        const double y = v[k][q];
        v[k][p] = c * x - s * y;
        v[k][q] = s * x + c * y;
    }
}

} // namespace

double gone_after(double rate, double seconds)
{
    return -portable_expm1(-std::min(rate * seconds, farthest));
}

modes::modes(const matrix& conductance, const node_values& capacity)
{
    matrix a{};
    for (std::size_t i = 0; i < nodes; ++i) {
        m_root[i] = std::sqrt(capacity[i]);
        m_vector[i] = {};
        m_vector[i][i] = 1.0;
    }
    for (std::size_t i = 0; i < nodes; ++i) {
        for (std::size_t j = 0; j < nodes; ++j) {
            a[i][j] = conductance[i][j] / (m_root[i] * m_root[j]);
        }
    }
    constexpr int sweeps = 30; // a handful is enough: convergence is quadratic
    for (int n = 0; n < sweeps; ++n) {
        rotate(a, m_vector, 0, 1);
        rotate(a, m_vector, 0, 2);
        rotate(a, m_vector, 1, 2);
    }
    for (std::size_t i = 0; i < nodes; ++i) {
        m_rate[i] = a[i][i];
    }
}

modes::result modes::after(double seconds, const node_values& above, const node_values& power) const
{
    result r{};
    for (std::size_t k = 0; k < nodes; ++k) {
        double begin = 0.0;
        double drive = 0.0;
        for (std::size_t i = 0; i < nodes; ++i) {
            begin += m_vector[i][k] * m_root[i] * above[i];
            drive += m_vector[i][k] / m_root[i] * power[i];
        }
        const double end = drive / m_rate[k];
        const double gone = gone_after(m_rate[k], seconds);
        const double now = begin + (end - begin) * gone;
        const double integral = end * seconds + (begin - end) * gone / m_rate[k];
        for (std::size_t i = 0; i < nodes; ++i) {
            r.end[i] += m_vector[i][k] * now / m_root[i];
            r.integral[i] += m_vector[i][k] * integral / m_root[i];
        }
    }
    return r;
}

} // namespace ssdvp::thermal
