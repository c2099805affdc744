// SPDX-License-Identifier: Apache-2.0
#include "bench/chain_by_hand.h"

#include <cstring>

namespace mbc::bench {

namespace {
constexpr int kBlocks = 8;
constexpr double kGravity = 9.81;
}  // namespace

ChainByHand::ChainByHand(int rods) : n_(rods), block_((rods + kBlocks - 1) / kBlocks) {
  const auto padded = static_cast<std::size_t>(block_ * kBlocks + kBlocks);
  for (auto* list : {&dx_, &dy_, &dz_, &next_, &right_, &lambda_}) list->assign(padded, 0.0);
  diagonal_.assign(padded, 1.0);
  for (auto* list : {&inverse_, &coupling_, &known_, &by_left_, &by_right_})
    list->assign(static_cast<std::size_t>(block_), Eight{});
  last_.assign(kBlocks + 1, 0.0);
}

// Computes d of each rod, S_kk = 2 d.d (d.d for the first rod), S_k,k+1 = -d_k.d_k+1 and r = -|relative velocity|^2.
// Gravity enters only the row of the first rod, because all particles fall with the same acceleration.
void ChainByHand::rows(const double* state) {
  const double *x = state, *y = x + n_, *z = y + n_, *u = z + n_, *v = u + n_, *w = v + n_;
  double *dx = dx_.data(), *dy = dy_.data(), *dz = dz_.data(), *s = diagonal_.data(), *r = right_.data();
  dx[0] = x[0];
  dy[0] = y[0];
  dz[0] = z[0];
  s[0] = x[0] * x[0] + y[0] * y[0] + z[0] * z[0];
  r[0] = kGravity * z[0] - (u[0] * u[0] + v[0] * v[0] + w[0] * w[0]);
#pragma GCC ivdep
  for (int i = 1; i < n_; ++i) {
    const double a = x[i] - x[i - 1], b = y[i] - y[i - 1], c = z[i] - z[i - 1];
    const double p = u[i] - u[i - 1], q = v[i] - v[i - 1], o = w[i] - w[i - 1];
    dx[i] = a;
    dy[i] = b;
    dz[i] = c;
    s[i] = 2 * (a * a + b * b + c * c);
    r[i] = -(p * p + q * q + o * o);
  }
  double* e = next_.data();
#pragma GCC ivdep
  for (int i = 0; i + 1 < n_; ++i) e[i] = -(dx[i] * dx[i + 1] + dy[i] * dy[i + 1] + dz[i] * dz[i + 1]);
  e[n_ - 1] = 0;
}

// Eliminates all rows of a block except the last: lambda = known - by_left * (last multiplier of the preceding block) -
// by_right * (last multiplier of this block).
void ChainByHand::eliminate() {
  const int inner = block_ - 1;
  const auto across = [this](const std::vector<double>& list, int j) {
    Eight all;
    for (int b = 0; b < kBlocks; ++b) all[b] = list[static_cast<std::size_t>(b * block_ + j)];
    return all;
  };
  if (inner == 0) return;
  Eight pivot = across(diagonal_, 0), right = across(right_, 0), left = {};
  for (int b = 1; b < kBlocks; ++b) left[b] = next_[static_cast<std::size_t>(b * block_ - 1)];
  for (int j = 0;; ++j) {
    const auto k = static_cast<std::size_t>(j);
    const Eight inverse = 1.0 / pivot, e = across(next_, j);
    inverse_[k] = inverse;
    known_[k] = right;
    by_left_[k] = left;
    coupling_[k] = e;
    if (j + 1 == inner) break;
    const Eight l = e * inverse;
    pivot = across(diagonal_, j + 1) - l * e;
    right = across(right_, j + 1) - l * right;
    left = -(l * left);
  }
  Eight known = {}, by_left = {}, by_right = {};
  for (int j = inner; j-- > 0;) {
    const auto k = static_cast<std::size_t>(j);
    const Eight l = coupling_[k] * inverse_[k];
    const bool first = j + 1 == inner;
    known = known_[k] * inverse_[k] - (first ? Eight{} : l * known);
    by_left = by_left_[k] * inverse_[k] - (first ? Eight{} : l * by_left);
    by_right = first ? l : -(l * by_right);
    known_[k] = known;
    by_left_[k] = by_left;
    by_right_[k] = by_right;
  }
}

// Solves the tridiagonal system of the last rows of the blocks, and then computes all multipliers.
void ChainByHand::join() {
  const int inner = block_ - 1;
  double lower[kBlocks], diagonal[kBlocks], upper[kBlocks], right[kBlocks];
  for (int b = 0; b < kBlocks; ++b) {
    const auto row = static_cast<std::size_t>(b * block_ + inner);
    lower[b] = upper[b] = 0;
    diagonal[b] = diagonal_[row];
    right[b] = right_[row];
    if (inner > 0) {
      const auto k = static_cast<std::size_t>(inner - 1);
      const double e = next_[row - 1];
      diagonal[b] -= e * by_right_[k][b];
      right[b] -= e * known_[k][b];
      lower[b] = -e * by_left_[k][b];
    } else if (b > 0) {
      lower[b] = next_[row - 1];
    }
    if (b + 1 == kBlocks) break;
    const double e = next_[row];
    if (inner > 0) {
      diagonal[b] -= e * by_left_[0][b + 1];
      right[b] -= e * known_[0][b + 1];
      upper[b] = -e * by_right_[0][b + 1];
    } else {
      upper[b] = e;
    }
  }
  for (int b = 1; b < kBlocks; ++b) {
    const double l = lower[b] / diagonal[b - 1];
    diagonal[b] -= l * upper[b - 1];
    right[b] -= l * right[b - 1];
  }
  last_[kBlocks - 1] = right[kBlocks - 1] / diagonal[kBlocks - 1];
  for (int b = kBlocks - 1; b-- > 0;)
    last_[static_cast<std::size_t>(b)] = (right[b] - upper[b] * last_[static_cast<std::size_t>(b + 1)]) / diagonal[b];
  Eight own, before = {};
  for (int b = 0; b < kBlocks; ++b) own[b] = last_[static_cast<std::size_t>(b)];
  for (int b = 1; b < kBlocks; ++b) before[b] = own[b - 1];
  for (int j = 0; j < inner; ++j) {
    const auto k = static_cast<std::size_t>(j);
    const Eight all = known_[k] - by_left_[k] * before - by_right_[k] * own;
    for (int b = 0; b < kBlocks; ++b) lambda_[static_cast<std::size_t>(b * block_ + j)] = all[b];
  }
  for (int b = 0; b < kBlocks; ++b) lambda_[static_cast<std::size_t>(b * block_ + inner)] = own[b];
  lambda_[static_cast<std::size_t>(n_)] = 0;
}

void ChainByHand::accelerate(const double* state, double* rate) const {
  const double *dx = dx_.data(), *dy = dy_.data(), *dz = dz_.data(), *l = lambda_.data();
  double *ax = rate + 3 * n_, *ay = ax + n_, *az = ay + n_;
#pragma GCC ivdep
  for (int i = 0; i < n_; ++i) {
    ax[i] = dx[i] * l[i] - dx[i + 1] * l[i + 1];
    ay[i] = dy[i] * l[i] - dy[i + 1] * l[i + 1];
    az[i] = dz[i] * l[i] - dz[i + 1] * l[i + 1] - kGravity;
  }
  std::memcpy(rate, state + 3 * n_, 3 * static_cast<std::size_t>(n_) * sizeof(double));
}

void ChainByHand::operator()(const double* state, double* rate) {
  rows(state);
  eliminate();
  join();
  accelerate(state, rate);
}

}  // namespace mbc::bench
