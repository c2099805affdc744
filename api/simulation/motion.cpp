// SPDX-License-Identifier: Apache-2.0
#include "api/simulation/motion.h"

#include <cmath>

namespace mbc::api {

namespace {

constexpr std::uint64_t kNoEnd = std::uint64_t{1} << 52;
constexpr double kWhole = 1e-6;  // a time may differ from a whole number of steps by this fraction of a step

}  // namespace

Motion::Motion(const EquationVariant& variant, runtime::SimulateOptions settings, double length,
               const std::vector<double>& params, const std::vector<double>& inputs, const std::vector<double>& held,
               std::vector<double>& y, bool model_exchange)
    : equations_(variant.equations(params)),
      settings_(std::move(settings)),
      adaptive_(!model_exchange && settings_.chooses_steps()),
      model_exchange_(model_exchange),
      block_step_(settings_.step),
      y_(y),
      held_(held) {
  settings_.exchange = model_exchange_;
  if (model_exchange_) settings_.integrator = Integrator::rk4;  // it has no memory; its steps are not made
  settings_.steps = kNoEnd;
  settings_.row_times.clear();
  settings_.horizon = length;
  settings_.rows_between = false;
  settings_.held = &held_;
  if (runtime::FusedCode* code = variant.fused_code(settings_)) fused_.emplace(*code);
  settings_.fused = fused_ ? &*fused_ : nullptr;
  settings_.partials = [this, &variant]() -> const runtime::PartialsCode& {
    return variant.partials(settings_.partials_scope());
  };
  if (settings_.time_stepping && variant.facts().large) settings_.partials = nullptr;
  settings_.jets = [&variant](std::uint32_t order, bool all_rows) -> const runtime::JetCode& {
    return variant.jets(order, all_rows);
  };
  equations_->set_inputs(inputs);
  run_.emplace(*equations_, variant.info(), settings_, y_, record_);
  time_ = settings_.begin;
}

bool Motion::begin() {
  if (!run_->begin() || !run_->first()) return false;
  if (model_exchange_) run_->begin_exchange();
  return true;
}

void Motion::set_inputs(const std::vector<double>& inputs) {
  equations_->set_inputs(inputs);
  inputs_changed_ = true;
  if (exchange()) exchange()->forget();
}

bool Motion::ready() {
  if (!inputs_changed_) return true;
  inputs_changed_ = false;
  return run_->look_again(time());
}

// Makes a step from the present state, which does not change on failure.
bool Motion::one_step(double h) {
  if (h != settings_.step) {
    settings_.begin = time();
    settings_.step = h;
    at_ = 0;
    run_->step_changed();
  }
  before_ = y_;
  if (run_->advance(at_) && run_->at(at_ + 1)) {
    ++at_;
    return true;
  }
  if (!run_->data().ended_by) {
    y_ = before_;
  } else {
    settings_.begin = run_->data().reached;
    at_ = 0;
  }
  return false;
}

bool Motion::adapt_to(double end) {
  const bool there = run_->go_to(end);
  time_ = run_->time();
  if (!there) y_ = run_->accepted_state();
  return there;
}

bool Motion::step(double h) {
  if (!ready() || !run_->can_reach(time(), time() + h)) return false;
  return adaptive_ ? adapt_to(time_ + h) : one_step(h);
}

bool Motion::run_until(double end) {
  if (!ready() || !run_->can_reach(time(), end)) return false;
  if (adaptive_) return end <= time_ || adapt_to(end);
  const double steps = (end - time()) / block_step_;
  if (steps < kWhole) return true;
  const double whole = std::round(steps);
  const bool fits = std::fabs(steps - whole) < kWhole;
  const auto count = static_cast<std::uint64_t>(fits ? whole : std::floor(steps));
  for (std::uint64_t k = 0; k < count; ++k)
    if (!run_->goes_on(time()) || !one_step(block_step_)) return false;
  return fits || one_step(end - time());
}

void Motion::transfer(Archive& archive) {
  archive(settings_.begin, settings_.step, at_, time_, inputs_changed_, *run_);
  archive.expect(settings_.step > 0 && at_ <= kNoEnd && std::isfinite(time()));
  archive.expect(!adaptive_ || time_ == run_->time());
  archive.expect(run_->stands_at(time()));
  if (archive.reading()) run_->restart_fused();
}

}  // namespace mbc::api
