// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/timestep/mass_blocks.h"

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/disjoint_sets.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

// By speed the first one of its block.
std::vector<std::uint32_t> first_of_blocks(const kernel::SystemLayout& layout,
                                           const std::vector<std::vector<std::uint32_t>>& joined) {
  std::vector<std::uint32_t> first(layout.n_speeds);
  if (!layout.inertia_rows.empty()) return first;
  DisjointSets blocks(layout.n_speeds);
  for (const auto& [i, j] : layout.mass) blocks.join(i, j);
  for (const std::vector<std::uint32_t>& speeds : joined)
    for (const std::uint32_t i : speeds) blocks.join(speeds.front(), i);
  for (std::uint32_t i = 0; i < layout.n_speeds; ++i) first[i] = blocks.root(i);
  return first;
}

}  // namespace

MassBlocks::MassBlocks(const kernel::SystemLayout& layout, const std::vector<std::vector<std::uint32_t>>& joined)
    : layout_(layout), block_(layout.n_speeds), local_(layout.n_speeds), entries_(layout.n_speeds) {
  const std::vector<std::uint32_t> first = first_of_blocks(layout, joined);
  std::vector<std::vector<std::uint32_t>> members;
  for (std::uint32_t i = 0; i < layout.n_speeds; ++i) {
    if (first[i] == i) {
      block_[i] = static_cast<std::uint32_t>(members.size());
      members.emplace_back();
    }
    block_[i] = block_[first[i]];
    local_[i] = static_cast<std::uint32_t>(members[block_[i]].size());
    members[block_[i]].push_back(i);
  }
  std::size_t room = 0;
  for (const std::vector<std::uint32_t>& m : members) {
    speeds_.item.insert(speeds_.item.end(), m.begin(), m.end());
    speeds_.close();
    at_.push_back(room);
    room += m.size() * m.size();
  }
  lower_.resize(room);
}

bool MassBlocks::factor(const double* values, const std::vector<Added>& added) {
  std::fill(lower_.begin(), lower_.end(), 0.0);
  for (std::size_t k = 0; k < layout_.mass.size(); ++k) {
    const auto [i, j] = layout_.mass[k];
    const std::size_t n = speeds_[block_[i]].size();
    lower(block_[i])[local_[i] * n + local_[j]] = values[k];
  }
  return factor_blocks(added);
}

bool MassBlocks::factor(const Eigen::MatrixXd& M, const std::vector<Added>& added) {
  for (std::size_t b = 0; b < speeds_.size(); ++b) {
    const auto speeds = speeds_[b];
    for (std::size_t i = 0; i < speeds.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) lower(b)[i * speeds.size() + j] = M(speeds[i], speeds[j]);
  }
  return factor_blocks(added);
}

// Cholesky's factorisation in place, the rows below each other.
bool MassBlocks::factor_blocks(const std::vector<Added>& added) {
  for (const Added& a : added)
    for (std::size_t i = 0; i < a.speeds->size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const std::uint32_t row = (*a.speeds)[i], column = (*a.speeds)[j];
        lower(block_[row])[local_[row] * speeds_[block_[row]].size() + local_[column]] +=
            a.matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      }
  for (std::size_t b = 0; b < speeds_.size(); ++b) {
    const std::size_t n = speeds_[b].size();
    double* L = lower(b);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double x = L[i * n + j];
        for (std::size_t k = 0; k < j; ++k) x -= L[i * n + k] * L[j * n + k];
        if (i == j && !(x > kMassPivot * std::fabs(L[i * n + i]))) return false;
        L[i * n + j] = i == j ? std::sqrt(x) : x / L[j * n + j];
      }
  }
  return true;
}

void MassBlocks::add_scaled(std::span<const std::uint32_t> columns, const double* values, RowList& out) {
  touched_.clear();
  for (std::size_t e = 0; e < columns.size(); ++e) {
    entries_[columns[e]] += values[e];
    const std::uint32_t b = block_[columns[e]];
    add_once(touched_, b);
  }
  for (const std::uint32_t b : touched_) {
    const auto speeds = speeds_[b];
    const std::size_t n = speeds.size();
    const double* L = lower(b);
    for (std::size_t i = 0; i < n; ++i) {  // L x = a
      double x = entries_[speeds[i]];
      for (std::size_t j = 0; j < i; ++j) x -= L[i * n + j] * entries_[speeds[j]];
      entries_[speeds[i]] = x / L[i * n + i];
    }
    for (const std::uint32_t i : speeds) {
      if (entries_[i] != 0) out.add(i, entries_[i]);
      entries_[i] = 0;
    }
  }
  out.close();
}

Eigen::VectorXd MassBlocks::to_scaled(const double* u) const {
  Eigen::VectorXd out(layout_.n_speeds);
  for (std::size_t b = 0; b < speeds_.size(); ++b) {
    const auto speeds = speeds_[b];
    const std::size_t n = speeds.size();
    const double* L = lower(b);
    for (std::size_t j = 0; j < n; ++j) {
      double x = 0;
      for (std::size_t i = j; i < n; ++i) x += L[i * n + j] * u[speeds[i]];
      out[speeds[j]] = x;
    }
  }
  return out;
}

Eigen::VectorXd MassBlocks::from_scaled(const Eigen::VectorXd& w) const {
  Eigen::VectorXd out(layout_.n_speeds);
  for (std::size_t b = 0; b < speeds_.size(); ++b) {
    const auto speeds = speeds_[b];
    const std::size_t n = speeds.size();
    const double* L = lower(b);
    for (std::size_t j = n; j-- > 0;) {  // L^T u = w
      double x = w[speeds[j]];
      for (std::size_t i = j + 1; i < n; ++i) x -= L[i * n + j] * out[speeds[i]];
      out[speeds[j]] = x / L[j * n + j];
    }
  }
  return out;
}

}  // namespace mbc::runtime
