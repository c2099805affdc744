// SPDX-License-Identifier: Apache-2.0
// Makes the steps of several runs in lanes.
#include "runtime/run/batch.h"

#include <algorithm>
#include <cmath>

#include "base/stop_flag.h"

namespace mbc::runtime {

using kernel::StepFunction;

namespace {
constexpr std::uint64_t kUnwatched = 256;  // steps between two looks at whether the run is to be stopped
}

bool steps_in_lanes(const SimulateOptions& options, const problem::Problem& info) {
  return steps_are_alike(options, info) && info.events.of_states() && !options.drive && !options.progress;
}

kernel::StepShape shape_in_lanes(const SimulateOptions& options, const problem::Problem& info) {
  kernel::StepShape shape = step_shape(options, info);
  for (const WatchedNumber& n : watched_numbers(info.events))
    shape.watched.push_back({info.events.first_value + n.value, n.truth});
  if (!shape.watched.empty())
    shape.looks = looks_along(options.step, options.step * static_cast<double>(options.output_every));
  shape.clear_of_zero = kClear;
  return shape;
}

Batch::Batch(const StepFunction& step, const problem::Problem& info, std::shared_ptr<const kernel::NativeSlot> slot)
    : step_(step),
      info_(info),
      numbers_(watched_numbers(info.events)),
      signs_(numbers_.size()),
      sizes_(numbers_.size()),
      slot_(std::move(slot)),
      registers_(kernel::make_registers(step.kernel)),
      state_(step.kernel.n_state),
      next_(step.kernel.n_state),
      params_(step.kernel.n_params),
      inputs_(step.kernel.n_inputs),
      work_(step.kernel.n_work) {}

void Batch::load(const Lane& lane, std::uint32_t k) {
  const std::vector<double>& params = lane.member->equations->params();
  const std::span<const double> inputs = lane.member->equations->inputs();
  for (std::size_t i = 0; i < params.size(); ++i) params_[kLanes * i + k] = params[i];
  const std::vector<double>& least = lane.run->least_pivots();
  for (std::size_t i = 0; i < least.size(); ++i) params_[kLanes * (step_.least_pivots + i) + k] = least[i];
  params_[kLanes * step_.residual_limits + k] = kernel::residual_limit(lane.run->size().position);
  params_[kLanes * (step_.residual_limits + 1) + k] = kernel::residual_limit(lane.run->size().speed);
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs_[kLanes * i + k] = inputs[i];
}

void Batch::enter(Lane& lane, std::uint32_t k) {
  load(lane, k);
  const std::vector<double>& y = *lane.member->y;
  for (std::size_t i = 0; i < step_.n_entries; ++i) state_[kLanes * i + k] = y[i];
  for (std::size_t i = 0; i < step_.n_extremes; ++i)
    state_[kLanes * (step_.n_entries + i) + k] = *lane.member->extremes[i];
  for (std::size_t i = 0; i < step_.n_watched; ++i) {
    params_[kLanes * (step_.signs + i) + k] = signs_[i];
    state_[kLanes * (step_.sizes + i) + k] = sizes_[i];
  }
  lane.inside = true;
}

// Takes the state out of a lane. Lanes do not hold the integrals of work, which keep their old values.
void Batch::leave(Lane& lane, std::uint32_t k) {
  if (!lane.inside) return;
  std::vector<double>& y = *lane.member->y;
  for (std::size_t i = 0; i < step_.n_entries; ++i) y[i] = state_[kLanes * i + k];
  for (std::size_t i = 0; i < step_.n_extremes; ++i)
    *lane.member->extremes[i] = state_[kLanes * (step_.n_entries + i) + k];
  for (std::size_t i = 0; i < step_.n_watched; ++i) sizes_[i] = state_[kLanes * (step_.sizes + i) + k];
  lane.run->come_back(numbers_, sizes_);
  lane.inside = false;
}

// Follows the angles of joints, which count turns, to the state in a lane before that step.
void Batch::follow_angles(Lane& lane, std::uint32_t k, std::uint64_t step) {
  if (info_.events.angles.empty()) return;
  std::vector<double>& y = *lane.member->y;
  for (std::size_t i = 0; i < step_.n_entries; ++i) y[i] = state_[kLanes * i + k];
  lane.run->follow_angles(step);
  const std::span<const double> inputs = lane.member->equations->inputs();
  for (const problem::JointAngle& a : info_.events.angles) {
    const std::uint32_t i = info_.events.discrete.input_of(a.near);
    inputs_[kLanes * i + k] = inputs[i];
  }
}

// Lets the run handle the accepted state before a step. Its state then enters a lane if it is regular and nothing is
// due.
void Batch::see(Lane& lane, std::uint32_t k, std::uint64_t step) {
  leave(lane, k);
  lane.seen = step + 1;
  lane.active = lane.run->at(step);
  if (lane.active && lane.run->regular() && !lane.run->is_shorter(step) && !lane.run->due(step) &&
      lane.run->stands_clear(step, numbers_, signs_, sizes_))
    enter(lane, k);
}

// Copies the numbers of a lane with a run to the lanes without one.
void Batch::fill_empty_lanes() {
  const auto full = std::find_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.inside; });
  const auto from = static_cast<std::uint32_t>(full - lanes_.begin());
  for (std::uint32_t k = 0; k < kLanes; ++k) {
    if (lanes_[k].inside) continue;
    for (std::vector<double>* array : {&state_, &params_, &inputs_})
      for (std::size_t i = 0; i + kLanes <= array->size(); i += kLanes) (*array)[i + k] = (*array)[i + from];
  }
}

bool Batch::good(std::uint32_t k) const {
  if (!(work_[step_.verdict + k] > 0)) return false;
  for (std::size_t i = 0; i < step_.n_checked; ++i)
    if (!std::isfinite(next_[kLanes * i + k])) return false;
  return true;
}

bool Batch::looked_at(std::uint64_t step) const {
  const SimulateOptions& options = lanes_.front().member->options;
  if (step == 0 || step == options.steps || lanes_.front().run->is_shorter(step)) return true;
  return lanes_.front().run->records(step) && (step_.n_extremes == 0 || options.output_every != 1);
}

// Returns whether any lane has an event at a known time in that step.
bool Batch::due(std::uint64_t step) {
  return std::any_of(lanes_.begin(), lanes_.end(), [step](Lane& lane) { return lane.inside && lane.run->due(step); });
}

std::int32_t Batch::call(double t) {
  if (code_ == nullptr && slot_) code_ = slot_->load(std::memory_order_acquire);
  if (code_ != nullptr) {
    used_.native = true;
    return code_(t, state_.data(), params_.data(), inputs_.data(), nullptr, work_.data(), next_.data());
  }
  used_.interpreter = true;
  return interpret(step_.kernel.functions.front(), t, state_.data(), params_.data(), inputs_.data(), nullptr,
                   work_.data(), next_.data(), registers_);
}

// Makes the step in all lanes. A run whose lane fails makes it alone. Returns whether no lane failed.
bool Batch::step_together(std::uint64_t step) {
  const bool all = call(lanes_.front().run->time_of(step)) == 0;
  std::vector<std::uint32_t> alone;
  for (std::uint32_t k = 0; k < kLanes; ++k) {
    Lane& lane = lanes_[k];
    if (!lane.inside) continue;
    if (all || good(k)) {
      lane.run->skipped(1, 4);
      ++together_;
      continue;
    }
    leave(lane, k);
    alone.push_back(k);
  }
  std::swap(state_, next_);
  for (std::uint32_t k = 0; k < kLanes; ++k)
    if (lanes_[k].inside) follow_angles(lanes_[k], k, step + 1);
  for (const std::uint32_t k : alone) {
    Lane& lane = lanes_[k];
    if (lane.seen != step + 1) {
      lane.seen = step + 1;
      lane.active = lane.run->at(step);
    }
    lane.active = lane.active && lane.run->advance(step);
    ++alone_;
  }
  if (!alone.empty() && std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.inside; }))
    fill_empty_lanes();
  return alone.empty();
}

// Makes the step of the runs that are not in lanes.
void Batch::step_apart(std::uint64_t step) {
  for (Lane& lane : lanes_) {
    if (!lane.active || lane.inside) continue;
    lane.active = lane.run->advance(step);
    ++alone_;
  }
}

bool Batch::interrupted() {
  const volatile std::sig_atomic_t* stop = lanes_.front().member->options.stop;
  if (!is_set(stop)) return false;
  for (Lane& lane : lanes_)
    if (lane.active) lane.run->interrupt();
  return true;
}

void Batch::begin(std::span<Member> members) {
  for (std::uint32_t k = 0; k < kLanes; ++k) {
    Lane& lane = lanes_[k];
    lane.run.reset();
    lane.active = lane.inside = false;
    lane.seen = 0;
    if (k >= members.size()) continue;
    lane.member = &members[k];
    lane.run.emplace(*members[k].equations, info_, members[k].options, *members[k].y, members[k].record);
    lane.active = lane.run->begin();
  }
  const SimulateOptions& common = members.front().options;
  params_[step_.half] = 0.5 * common.step;
  params_[step_.whole] = common.step;
}

// Lets the runs that need it handle their states before a step.
Batch::Seen Batch::look(std::uint64_t step) {
  Seen seen;
  const bool row = looked_at(step);
  for (std::uint32_t k = 0; k < kLanes; ++k) {
    Lane& lane = lanes_[k];
    if (!lane.active) continue;
    if (row || !lane.inside || lane.run->due(step)) {
      see(lane, k, step);
      seen.changed = true;
    }
    seen.active |= lane.active;
    seen.inside |= lane.inside;
  }
  return seen;
}

std::vector<RunData> Batch::run(std::span<Member> members) {
  begin(members);
  for (std::uint64_t step = 0;; ++step) {
    const Seen seen = look(step);
    if (!seen.active || interrupted()) break;
    if (!seen.inside) {
      step_apart(step);
      continue;
    }
    if (seen.changed) fill_empty_lanes();
    step_apart(step);
    bool all = step_together(step) &&
               std::none_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.active && !lane.inside; });
    // Nothing has to be decided until the next row, event or check of an interruption.
    for (const std::uint64_t next = step + kUnwatched; all && step < next && !looked_at(step + 1) && !due(step + 1);)
      all = step_together(++step);
  }
  std::vector<RunData> out;
  for (std::uint32_t k = 0; k < members.size(); ++k) out.push_back(lanes_[k].run->finish());
  return out;
}

}  // namespace mbc::runtime
