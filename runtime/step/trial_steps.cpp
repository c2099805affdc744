// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/trial_steps.h"

#include <cmath>

namespace mbc::runtime {

namespace {
constexpr double kNextTo = 1e-8;  // of a step: no curvature counts over a shorter part
}

void TrialSteps::begin(double t, double h) {
  t_ = t;
  whole_ = at_hand_ = h;
  extended_ = false;
  end_size_ = located_size_ = 0;
  n_ends_ = 0;
  row_.resize(state_.y().size());
}

void TrialSteps::shorten(double h) {
  whole_ = h;
  end_size_ = 0;
  n_ends_ = 0;
}

bool TrialSteps::make(double size) {
  if (makes_none() || at_hand_ == size) return true;
  at_hand_ = size;
  extended_ = false;
  return integration_.method().with<bool>([&](EstimatesErrors auto& method) {
    return method.step(stepping_.fast_rhs(), t_, size, state_.integrated().state(), state_.integrated().rate()) == 0 &&
           method.estimate(stepping_.rhs(), t_) == 0;
  });
}

std::vector<double>* TrialSteps::dense(double theta) {
  if (!make(whole_)) return nullptr;
  extended_ = integration_.method().with<bool>([&](DenseOutput auto& method) {
    if (!extended_ && method.extend(stepping_.fast_rhs(), t_, state_.integrated().state()) != 0) return false;
    method.interpolate({t_ + theta * whole_, theta}, state_.integrated().state(), row_);
    return true;
  });
  return extended_ ? &row_ : nullptr;
}

bool TrialSteps::make_end(double size) {
  at_hand_ = end_size_ = 0;
  const bool went = integration_.method().with<bool>([&](MakesSteps auto& method) {
    if (method.step(stepping_.fast_rhs(), t_, size, state_.integrated().state(), state_.integrated().rate()) != 0)
      return false;
    end_ = method.y_new();
    return true;
  });
  if (!went) return false;
  end_rate_.resize(end_.size());
  if (stepping_.fast_rhs(t_ + size, end_.data(), end_rate_.data()) == 0) end_size_ = size;
  return true;
}

bool TrialSteps::is_next_to_end(double size) const {
  return end_size_ > 0 && std::fabs(size - end_size_) <= kNextTo * whole_;
}

void TrialSteps::move_end(double size, std::vector<double>& y) const {
  y = end_;
  for (std::size_t i = 0; size != end_size_ && i < y.size(); ++i) y[i] += (size - end_size_) * end_rate_[i];
}

const std::vector<double>* TrialSteps::looked_at(double size) const {
  for (std::size_t k = 0; k < n_ends_; ++k)
    if (ends_[k].size == size) return &ends_[k].state;
  return nullptr;
}

void TrialSteps::keep(double size, const std::vector<double>& y) {
  if (n_ends_ == ends_.size()) ends_.emplace_back();
  ends_[n_ends_].size = size;
  ends_[n_ends_].state = y;
  ++n_ends_;
}

std::vector<double>* TrialSteps::made(double size) {
  if (makes_none()) {
    integration_.method().get<Bdf>()->interpolate({t_ + size, 0}, row_, row_);
  } else if (const std::vector<double>* known = looked_at(size)) {
    row_ = *known;
  } else {
    if (is_next_to_end(size))
      move_end(size, row_);
    else if (make_end(size))
      row_ = end_;
    else
      return nullptr;
    keep(size, row_);
  }
  normalise(state_.info(), row_.data());
  if (!state_.integrated().in_quasi_velocities()) constraints_.after_trial(t_ + size, row_.data());
  return &row_;
}

bool TrialSteps::end_at(double size) {
  if (const std::vector<double>* known = looked_at(size)) {
    located_ = *known;
    located_size_ = size;
    if (size != whole_) return true;  // the inside is computed on request
  }
  return make(size);
}

}  // namespace mbc::runtime
