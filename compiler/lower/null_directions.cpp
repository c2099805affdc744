// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/null_directions.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace mbc::lower {

namespace {

constexpr double kVanished = 1e-11;  // of the larger operand: coefficients are numbers of the text, of size 1 or so

// row - factor * other
void subtract(SparseForm& row, const SparseForm& other, double factor) {
  for (const auto& [column, value] : other) {
    const auto [at, fresh] = row.try_emplace(column, 0.0);
    const double before = std::fabs(at->second), taken = factor * value;
    at->second -= taken;
    if (std::fabs(at->second) <= kVanished * std::max(before, std::fabs(taken))) row.erase(at);
  }
}

// Puts every column that stands alone in a form into `zero`. Returns the other forms without such columns.
std::vector<SparseForm> without_single(std::vector<SparseForm> forms, std::set<std::uint32_t>& zero) {
  std::map<std::uint32_t, std::vector<std::size_t>> holders;
  std::vector<std::size_t> single;
  for (std::size_t k = 0; k < forms.size(); ++k) {
    for (const auto& [column, value] : forms[k]) holders[column].push_back(k);
    if (forms[k].size() == 1) single.push_back(k);
  }
  while (!single.empty()) {
    const std::size_t k = single.back();
    single.pop_back();
    if (forms[k].size() != 1) continue;
    const std::uint32_t column = forms[k].begin()->first;
    zero.insert(column);
    for (std::size_t other : holders[column])
      if (forms[other].erase(column) > 0 && forms[other].size() == 1) single.push_back(other);
  }
  std::erase_if(forms, [](const SparseForm& f) { return f.empty(); });
  return forms;
}

// Returns the fraction with a small denominator that is close to a number, else the number.
double simple(double x) {
  for (int q = 1; q <= 64; ++q)
    if (const double p = std::round(x * q); std::fabs(x * q - p) <= 1e-10 * std::max(1.0, std::fabs(p))) return p / q;
  return x;
}

}  // namespace

std::vector<SparseForm> null_directions(std::uint32_t columns, const std::vector<SparseForm>& forms) {
  std::vector<bool> held(columns, false);
  for (const SparseForm& f : forms)
    for (const auto& [column, value] : f) held[column] = true;
  std::set<std::uint32_t> zero;
  std::vector<SparseForm> open = without_single(forms, zero);
  std::sort(open.begin(), open.end());
  open.erase(std::unique(open.begin(), open.end()), open.end());

  std::map<std::uint32_t, SparseForm> rows;  // pivot column -> form with 1 there, reduced by all others
  for (SparseForm& form : open) {
    for (const auto& [pivot, row] : rows)
      if (const auto at = form.find(pivot); at != form.end()) subtract(form, row, double{at->second});
    if (form.empty()) continue;
    // the pivot is the largest coefficient, and the last of equal ones, so that free columns come first
    auto pivot = form.begin();
    for (auto at = form.begin(); at != form.end(); ++at)
      if (std::fabs(at->second) >= std::fabs(pivot->second) * (1 - kVanished)) pivot = at;
    const std::uint32_t column = pivot->first;
    const double scale = pivot->second;
    for (auto& [c, value] : form) value = c == column ? 1 : value / scale;
    for (auto& [c, row] : rows)
      if (const auto at = row.find(column); at != row.end()) subtract(row, form, double{at->second});
    rows.emplace(column, std::move(form));
  }

  std::map<std::uint32_t, SparseForm> basis;  // by free column
  for (std::uint32_t c = 0; c < columns; ++c)
    if (held[c] && zero.count(c) == 0 && rows.count(c) == 0) basis[c][c] = 1;
  for (const auto& [pivot, row] : rows)
    for (const auto& [c, value] : row)
      if (c != pivot) basis[c][pivot] = -value;
  std::vector<SparseForm> result;
  for (auto& [free, vector] : basis) {
    const double first = vector.begin()->second;
    for (auto& [c, value] : vector) value = simple(value / first);
    result.push_back(std::move(vector));
  }
  return result;
}

}  // namespace mbc::lower
