// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/timestep/load_slopes.h"

#include <cmath>
#include <map>
#include <utility>

namespace mbc::runtime {

LoadSlopes::LoadSlopes(const PartialsCode& code, const Equations& equations)
    : layout_(code.partials.layout), runner_(code, equations), rates_(code.partials.kernel.n_state) {
  const std::uint32_t n_q = layout_.n_coordinates, motion = layout_.motion_at(), end = layout_.states_at();
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> rates(n_q);  // by coordinate: speed, value
  for (std::uint32_t k = 0; k < layout_.entries.size(); ++k)
    if (const auto [row, column] = layout_.entries[k]; row < motion && column >= n_q)
      rates[row].emplace_back(column - n_q, k);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> places;
  std::vector<std::vector<Term>> terms_of(layout_.entries.size());
  const auto add = [&](std::uint32_t i, std::uint32_t j, std::uint32_t load, std::uint32_t rate) {
    const auto [at, fresh] = places.try_emplace({i, j}, static_cast<std::uint32_t>(entries_.size()));
    if (fresh) entries_.push_back({i, j, 0, 0});
    terms_.push_back({at->second, load, rate});
    terms_of[load].push_back(terms_.back());
  };
  for (std::uint32_t k = 0; k < layout_.entries.size(); ++k) {
    const auto [row, column] = layout_.entries[k];
    if (row < motion || row >= end) continue;
    if (column >= n_q) add(row - motion, column - n_q, k, kNone);
    if (column >= n_q) continue;
    for (const auto& [speed, rate] : rates[column]) add(row - motion, speed, k, rate);
  }
  for (const kernel::PartialsLayout::Load& load : layout_.loads) {
    of_load_.emplace_back();
    for (const std::uint32_t k : load.entries)
      of_load_.back().insert(of_load_.back().end(), terms_of[k].begin(), terms_of[k].end());
  }
}

const std::vector<LoadSlopes::Entry>& LoadSlopes::evaluate(double t, const double* y) {
  runner_.prepare_native();
  runner_.run(t, y, rates_.data());
  for (Entry& e : entries_) e.stiffness = e.damping = 0;
  for (const Term& term : terms_) {
    const double slope = value(term);
    if (!std::isfinite(slope)) continue;
    (term.rate == kNone ? entries_[term.entry].damping : entries_[term.entry].stiffness) -= slope;
  }
  return entries_;
}

}  // namespace mbc::runtime
