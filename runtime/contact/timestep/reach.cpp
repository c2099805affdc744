// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/timestep/reach.h"

#include <algorithm>

namespace mbc::runtime {

namespace {
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
}

Reach::Reach(const problem::Problem& info, std::uint32_t n_rows)
    : events_(info.events), of_row_(n_rows, kNone), near_(events_.unilaterals.size()) {
  const std::vector<char> of_contact = events_.rows_of_contact(n_rows);
  for (std::uint32_t row = 0; row < n_rows; ++row)
    if (of_contact[row] == 0) equations_.push_back(row);
  for (const problem::Unilateral& u : events_.unilaterals) {
    of_row_[u.row] = static_cast<std::uint32_t>(lipschitz_.size());
    const bool known = info.rows[u.row].level == problem::Level::position;
    lipschitz_.push_back(known ? u.lipschitz : std::numeric_limits<double>::infinity());
  }
  take(std::vector<double>(events_.n_values), way_);
}

// A gap that is no number is within reach: what is looked at there says so.
void Reach::take(const std::vector<double>& values, double way) {
  way_ = way;
  inequalities_.clear();
  rows_.clear();
  for (std::uint32_t k = 0; k < lipschitz_.size(); ++k)
    if (!(values[events_.unilaterals[k].gap] > lipschitz_[k] * way)) inequalities_.push_back(k);
  for (const std::uint32_t k : inequalities_) rows_.push_back(events_.unilaterals[k].row);
  take_frictions();
}

void Reach::take_frictions() {
  frictions_.clear();
  if (events_.frictions.empty()) return;
  std::fill(near_.begin(), near_.end(), 0);
  for (const std::uint32_t k : inequalities_) near_[k] = 1;
  for (std::uint32_t k = 0; k < events_.frictions.size(); ++k) {
    const problem::Friction& f = events_.frictions[k];
    const auto presses = [this](std::uint32_t row) { return near_[of_row_[row]] != 0; };
    if (!f.pressed_by.empty() && std::none_of(f.pressed_by.begin(), f.pressed_by.end(), presses)) continue;
    frictions_.push_back(k);
    for (std::uint32_t i = 0; i < f.count; ++i) rows_.push_back(f.row + i);
  }
}

}  // namespace mbc::runtime
