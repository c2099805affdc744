// SPDX-License-Identifier: Apache-2.0
// Integrates a planar chain of n particles on massless rods that hangs from the origin, in the n angles of the rods
// from the downward vertical: sum_j m_ij l_i l_j (cos(d_ij) a_j'' + sin(d_ij) a_j'^2) = -g l_i sin(a_i) m_ii with d_ij
// = a_i - a_j and m_ij the mass carried by the lower of the rods i and j. It uses extended precision and classical rk4
// with small steps.
#pragma once
#include "tests/oracles/closed_forms.h"

namespace mbc::oracle {

template <std::size_t N>
struct PlanarChain {
  std::array<Real, N> mass{}, length{};
  Real g = 9.81L;

  // x holds the angles and then the rates.
  [[nodiscard]] std::array<Real, 2 * N> derivative(const std::array<Real, 2 * N>& x) const {
    std::array<std::array<Real, N + 1>, N> s{};  // [matrix | right-hand side]
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < N; ++j) {
        const Real carried = carried_by(std::max(i, j)) * length[i] * length[j];
        s[i][j] = carried * std::cos(x[i] - x[j]);
        s[i][N] -= carried * std::sin(x[i] - x[j]) * x[N + j] * x[N + j];
      }
      s[i][N] -= g * length[i] * std::sin(x[i]) * carried_by(i);
    }
    for (std::size_t k = 0; k < N; ++k)  // The matrix is positive definite and needs no pivoting.
      for (std::size_t i = k + 1; i < N; ++i) {
        const Real factor = s[i][k] / s[k][k];
        for (std::size_t j = k; j <= N; ++j) s[i][j] -= factor * s[k][j];
      }
    std::array<Real, 2 * N> result{};
    for (std::size_t i = N; i-- > 0;) {
      Real sum = s[i][N];
      for (std::size_t j = i + 1; j < N; ++j) sum -= s[i][j] * result[N + j];
      result[N + i] = sum / s[i][i];
      result[i] = x[N + i];
    }
    return result;
  }

  [[nodiscard]] std::array<Real, 2 * N> at(std::array<Real, 2 * N> x, Real time, int steps) const {
    return integrate([this](const auto& y) { return derivative(y); }, x, time, steps);
  }

  // Returns x and y of particle k.
  [[nodiscard]] std::array<Real, 2> position(const std::array<Real, 2 * N>& x, std::size_t k) const {
    std::array<Real, 2> r{};
    for (std::size_t i = 0; i <= k; ++i) {
      r[0] += length[i] * std::sin(x[i]);
      r[1] -= length[i] * std::cos(x[i]);
    }
    return r;
  }

 private:
  [[nodiscard]] Real carried_by(std::size_t i) const {
    Real sum = 0;
    for (; i < N; ++i) sum += mass[i];
    return sum;
  }
};

}  // namespace mbc::oracle
