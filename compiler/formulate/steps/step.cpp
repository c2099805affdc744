// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/steps/step.h"

#include "compiler/formulate/steps/code_builder.h"
#include "kernel/interpreter.h"
#include "kernel/limits.h"
#include "kernel/tableaux.h"

namespace mbc::formulate {

using kernel::Function;

namespace {

using Value = CodeBuilder::Value;
using Values = std::vector<Value>;
using Stored = CodeBuilder::Stored;

// A step with more instructions is not written out, because compiling it would take seconds.
constexpr std::size_t kLongestStep = 20'000;

class StepWriter {
 public:
  StepWriter(const kernel::Kernel& kernel, const SystemLayout& layout, const StepShape& shape, std::uint32_t lanes)
      : kernel_(kernel), l_(layout), shape_(shape), lanes_(lanes) {}

  std::optional<StepFunction> run() {
    const Function* rates = function("step_rates");
    if (!rates || l_.quasi || rates->blocks.front().code.size() > kLongestStep / 4) return std::nullopt;
    if (together() && reads_works()) return std::nullopt;
    out_.lanes = lanes_;
    out_.n_entries = together() ? l_.work_at() : l_.n_y();
    out_.least_pivots = kernel_.n_params;
    out_.residual_limits = kernel_.n_params + (together() ? l_.n_rows : 0);
    out_.signs = out_.residual_limits + 2;
    out_.n_watched = together() ? static_cast<std::uint32_t>(shape_.watched.size()) : 0;
    out_.half = lanes_ * n_params();
    out_.whole = out_.half + 1;
    out_.moved = out_.verdict + lanes_;
    Values y;
    for (std::uint32_t i = 0; i < out_.n_entries; ++i) y.push_back(b_.load(Space::state, i));
    time_ = b_.load_for_all(Space::time, 0);
    half_ = b_.load_for_all(Space::params, out_.half);
    whole_ = b_.load_for_all(Space::params, out_.whole);
    const Values start = y;
    Values first;
    if (!runge_kutta(*rates, y, first)) return std::nullopt;
    normalise(y);
    if (shape_.project && l_.n_rows > 0 && !(correct(true, y) && correct(false, y))) return std::nullopt;
    if (out_.n_watched > 0 && !looked_along(*rates, start, first, y)) return std::nullopt;
    for (std::uint32_t i = 0; i < y.size(); ++i) b_.store(Space::deriv, i, y[i]);
    out_.n_checked = out_.n_entries;
    if (powers_) rows_.push_back(*powers_);
    for (const Value v : rows_) b_.store(Space::deriv, out_.n_checked++, v);
    b_.store(Space::work, out_.verdict, least(guards_));
    if (!together()) b_.store(Space::work, out_.moved, moved_ ? *moved_ : b_.constant(0));
    return finished();
  }

 private:
  [[nodiscard]] bool together() const { return lanes_ > 1; }

  // Returns the number of parameters of a lane.
  [[nodiscard]] std::uint32_t n_params() const { return out_.signs + out_.n_watched; }

  [[nodiscard]] const Function* function(const char* name) const {
    const Function* f = kernel_.function(name);
    return f && f->blocks.size() == 1 && f->calls.empty() ? f : nullptr;
  }

  // Returns whether the kernel reads the integrals of work, which are left out otherwise.
  [[nodiscard]] bool reads_works() const {
    for (const Function& f : kernel_.functions)
      for (const Block& block : f.blocks)
        for (const Inst& inst : block.code)
          if (inst.kind == Inst::Kind::load && inst.space == Space::state && inst.b >= l_.work_at()) return true;
    return false;
  }

  // ---- values

  Value product(Value a, Value b) { return b_.op(Op::mul, a, b); }
  Value multiple(double c, Value a, Value to) { return b_.op(Op::fma, b_.constant(c), a, to); }
  Value least(Values values) {  // in pairs, so that few comparisons wait for each other
    if (values.empty()) return b_.constant(1);
    while (values.size() > 1) {
      Values next;
      for (std::size_t k = 0; k + 1 < values.size(); k += 2) next.push_back(b_.op(Op::min, values[k], values[k + 1]));
      if (values.size() % 2 != 0) next.push_back(values.back());
      values = std::move(next);
    }
    return values.front();
  }

  // Adds the code of a function at a state, and its guards.
  std::optional<Stored> evaluated(const Function& f, const Values& y, Value time) {
    std::optional<Stored> stored =
        b_.inlined(f.blocks.front(), [&](const Inst& inst) { return loaded(inst, y, time); });
    for (std::uint32_t k = f.guard_begin; stored && k < f.guard_end; ++k)
      if (const auto at = stored->find({Space::work, k}); at != stored->end()) guards_.push_back(at->second);
    return stored;
  }

  std::optional<Value> loaded(const Inst& inst, const Values& y, Value time) {
    switch (inst.space) {
      case Space::time:
        return time;
      case Space::state:
        return y[inst.b];
      case Space::params:
      case Space::inputs:
        return b_.load(inst.space, inst.b);
      case Space::mask:
        return b_.constant(1);  // guards only: every row is certified
      case Space::work:
      case Space::deriv:
        break;
    }
    return std::nullopt;
  }

  // ---- the step (runtime/integrators/rk4.h, with its roundings)

  bool rate(const Function& f, const Values& y, Value time, Values& k, Stored* all = nullptr) {
    const std::optional<Stored> stored = evaluated(f, y, time);
    if (!stored) return false;
    k.clear();
    for (std::uint32_t i = 0; i < out_.n_entries; ++i) {
      const auto at = stored->find({Space::deriv, i});
      if (at == stored->end()) return false;
      k.push_back(at->second);
    }
    for (std::uint32_t i = out_.n_entries; i < l_.n_y(); ++i)
      if (const auto at = stored->find({Space::deriv, i}); at != stored->end()) look_at_power(at->second);
    if (all) *all = *stored;
    return true;
  }

  // The integrals of work are not kept, but powers that are not finite end a run as other rates do. Therefore this adds
  // a sum that is 0 for finite powers.
  void look_at_power(Value power) {
    const Value zero = b_.constant(0);
    if (power == zero) return;
    powers_ = powers_ ? b_.op(Op::fma, zero, power, *powers_) : product(zero, power);
  }

  Values stage(const Values& y, Value c, const Values& k) {
    Values out;
    for (std::size_t i = 0; i < y.size(); ++i) out.push_back(b_.op(Op::fma, c, k[i], y[i]));
    return out;
  }

  bool runge_kutta(const Function& f, Values& y, Values& k1) {
    Values k2, k3, k4;
    if (!first_rate(f, y, k1)) return false;
    const Value middle = b_.op(Op::add, time_, half_);
    end_ = b_.op(Op::add, time_, whole_);
    if (!rate(f, stage(y, half_, k1), middle, k2) || !rate(f, stage(y, half_, k2), middle, k3) ||
        !rate(f, stage(y, whole_, k3), end_, k4))
      return false;
    const Value sixth = b_.constant(kernel::rk4::kSixth);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Value sum =
          b_.op(Op::add, multiple(kernel::rk4::kMiddle, k3[i], multiple(kernel::rk4::kMiddle, k2[i], k1[i])), k4[i]);
      y[i] = b_.op(Op::fma, whole_, product(sum, sixth), y[i]);
    }
    return true;
  }

  bool first_rate(const Function& f, const Values& y, Values& k) {
    if (!together()) {
      for (std::uint32_t i = 0; i < out_.n_entries; ++i) k.push_back(b_.load(Space::deriv, i));
      return true;
    }
    Stored first;
    if (!rate(f, y, time_, k, &first)) return false;
    stands_apart(first);
    return shape_.extremes.empty() || look_at_row(y, first);
  }

  // Certification::rows_apart at the accepted state.
  void stands_apart(const Stored& at) {
    for (std::uint32_t k = 0; k < l_.n_rows; ++k) {
      const Value pivot = at.at({Space::work, l_.pivot + k}), scale = at.at({Space::work, l_.pivot_scale + k});
      guards_.push_back(pivot == scale ? pivot : multiple(-kernel::kQuietPivot * kernel::kBoundMargin, scale, pivot));
      guards_.push_back(b_.op(Op::sub, pivot, b_.load(Space::params, out_.least_pivots + k)));
    }
  }

  // Computes the values that a row is needed for if rows are not kept: extremes (TestRun::gather), and a sum that is 0
  // while all recorded values are finite (Recording::row).
  bool look_at_row(const Values& y, const Stored& rates) {
    const Function* outputs = function("outputs");
    if (!outputs) return false;
    const std::optional<Stored> stored =
        b_.inlined(outputs->blocks.front(), [&](const Inst& inst) -> std::optional<Value> {
          if (inst.space != Space::deriv && inst.space != Space::work) return loaded(inst, y, time_);
          const auto at = rates.find({inst.space, inst.b});
          if (at == rates.end()) return std::nullopt;
          return at->second;
        });
    if (!stored) return false;
    out_.n_extremes = static_cast<std::uint32_t>(shape_.extremes.size());
    for (std::uint32_t k = 0; k < out_.n_extremes; ++k) {
      const StepShape::Extreme& e = shape_.extremes[k];
      const Value before = b_.load(Space::state, l_.work_at() + k),
                  v = stored->at({Space::work, l_.outputs + e.output});
      rows_.push_back(b_.op(e.maximum ? Op::max : Op::min, v, before));
    }
    const Value zero = b_.constant(0);
    Value sum =
        product(zero, b_.op(Op::add, stored->at({Space::work, l_.kinetic}), stored->at({Space::work, l_.potential})));
    for (std::uint32_t k = 0; k < shape_.n_recorded; ++k)
      sum = b_.op(Op::fma, zero, stored->at({Space::work, l_.outputs + k}), sum);
    rows_.push_back(sum);
    return true;
  }

  // EventRun::piece without a change: the event functions are finite, and clear of zero on their present side, along
  // the whole step.
  bool looked_along(const Function& f, const Values& from, const Values& first, const Values& to) {
    const Function* outputs = function("outputs");
    Values last;
    if (!outputs || outputs->blocks.front().code.size() > kLongestStep / 4 || !rate(f, to, end_, last)) return false;
    const Value zero = b_.constant(0);
    Value sum = zero;
    for (const Value k : last) sum = b_.op(Op::fma, zero, k, sum);
    rows_.push_back(sum);
    std::vector<Stored> seen;
    for (const double theta : shape_.looks) {
      Values y = between(theta, from, first, to, last);
      normalise(y);
      std::optional<Stored> stored = alone(*outputs, y, b_.op(Op::add, time_, product(b_.constant(theta), whole_)));
      if (!stored) return false;
      seen.push_back(std::move(*stored));
    }
    out_.sizes = out_.n_entries + static_cast<std::uint32_t>(rows_.size());
    for (std::uint32_t k = 0; k < out_.n_watched; ++k) watch(k, seen);
    return true;
  }

  // Adds the code of a function with 0 for the values that other functions leave in work and deriv; event functions and
  // rates do not depend on these values.
  std::optional<Stored> alone(const Function& function, const Values& y, Value time) {
    return b_.inlined(function.blocks.front(), [&](const Inst& inst) -> std::optional<Value> {
      if (inst.space == Space::work || inst.space == Space::deriv) return b_.constant(0);
      return loaded(inst, y, time);
    });
  }

  // runtime/events/event_run.cpp: between
  Values between(double theta, const Values& y0, const Values& dy0, const Values& y1, const Values& dy1) {
    const double s = 1 - theta;
    const Value a = b_.constant(s * s * (1 + 2 * theta)), b = b_.constant(theta * theta * (3 - 2 * theta)),
                part = b_.constant(theta), rest = b_.constant(s),
                c = product(product(product(whole_, part), rest), rest),
                d = product(product(product(b_.op(Op::neg, whole_), part), part), rest);
    Values out;
    for (std::size_t i = 0; i < y0.size(); ++i) {
      const Value ends = b_.op(Op::add, product(a, y0[i]), product(b, y1[i]));
      out.push_back(b_.op(Op::add, b_.op(Op::add, ends, product(c, dy0[i])), product(d, dy1[i])));
    }
    return out;
  }

  // Checks one event function at all points.
  void watch(std::uint32_t k, const std::vector<Stored>& seen) {
    const StepShape::Watched& w = shape_.watched[k];
    const Value sign = b_.load(Space::params, out_.signs + k);
    Value size = b_.load(Space::state, out_.sizes + k);
    Values beyond;
    for (const Stored& stored : seen) {
      Value v = stored.at({Space::work, l_.outputs + w.output});
      if (w.truth) v = b_.op(Op::sub, v, b_.constant(0.5));
      size = b_.op(Op::max, size, b_.op(Op::abs, v));
      beyond.push_back(product(sign, v));
    }
    guards_.push_back(multiple(-shape_.clear_of_zero, size, least(std::move(beyond))));
    rows_.push_back(size);
  }

  // runtime/constraints/constraint_projector.h: normalise
  void normalise(Values& y) {
    for (const std::uint32_t first : shape_.quaternions) {
      Value norm2 = product(y[first], y[first]);
      for (std::uint32_t k = 1; k < 4; ++k) norm2 = b_.op(Op::add, norm2, product(y[first + k], y[first + k]));
      const Value scale = b_.op(Op::div, b_.constant(1), b_.op(Op::sqrt, norm2));
      for (std::uint32_t k = 0; k < 4; ++k) y[first + k] = product(y[first + k], scale);
    }
  }

  // Projector::newton with one iteration.
  bool correct(bool position, Values& y) {
    const Function* f = function(position ? "step_position" : "step_velocity");
    if (!f) return false;
    const std::optional<Stored> stored = evaluated(*f, y, end_);
    if (!stored) return false;
    const std::uint32_t residual = position ? l_.position_residual : l_.velocity_residual;
    Value size = b_.constant(0);  // size of all residuals: if it is 0, nothing is moved
    bool any = false;
    for (std::uint32_t k = 0; k < l_.n_rows; ++k) {
      const Value e = stored->at({Space::work, residual + k});
      if (e == b_.constant(0)) continue;
      const Value scale = stored->at({Space::work, l_.pivot_scale + k});
      const Value bound = product(b_.load(Space::params, out_.residual_limits + (position ? 0 : 1)), scale);
      guards_.push_back(b_.op(Op::fma, b_.op(Op::neg, e), e, bound));
      const Value magnitude = b_.op(Op::abs, e);
      size = any ? b_.op(Op::add, size, magnitude) : magnitude;
      any = true;
    }
    if (!any) return true;
    Values w;
    for (std::uint32_t j = 0; j < l_.n_speeds; ++j) w.push_back(stored->at({Space::work, l_.correction + j}));
    if (position && !together()) look_at_size(w, size);
    Values moved = y;
    if (!displaced(position, moved, w)) return false;
    for (std::size_t i = 0; i < y.size(); ++i)
      if (moved[i] != y[i]) y[i] = b_.op(Op::select, size, moved[i], y[i]);
    return true;
  }

  // StabiliseReport::moved
  void look_at_size(const Values& w, Value any) {
    Value norm2 = product(w[0], w[0]);
    for (std::size_t j = 1; j < w.size(); ++j) norm2 = b_.op(Op::add, norm2, product(w[j], w[j]));
    moved_ = b_.op(Op::select, any, norm2, b_.constant(0));
  }

  // Projector::displace
  bool displaced(bool position, Values& y, const Values& w) {
    if (!position || shape_.quaternions.empty()) {
      for (std::uint32_t j = 0; j < l_.n_speeds; ++j) {
        const std::uint32_t at = position ? shape_.coordinate_of_speed[j] : l_.speeds_at() + j;
        if (at >= y.size()) return false;
        y[at] = b_.op(Op::add, y[at], w[j]);
      }
      return true;
    }
    Values along = y, at_rest = y;
    for (std::uint32_t j = 0; j < l_.n_speeds; ++j) {
      along[l_.speeds_at() + j] = w[j];
      at_rest[l_.speeds_at() + j] = b_.constant(0);
    }
    const Function* assemble = function("assemble");
    if (!assemble) return false;
    const std::optional<Stored> there = alone(*assemble, along, end_), here = alone(*assemble, at_rest, end_);
    if (!there || !here) return false;
    for (std::uint32_t i = 0; i < l_.n_coordinates; ++i) {
      y[i] = b_.op(Op::add, y[i], there->at({Space::deriv, i}));
      y[i] = b_.op(Op::sub, y[i], here->at({Space::deriv, i}));
    }
    normalise(y);
    return true;
  }

  std::optional<StepFunction> finished() {
    Function f;
    f.name = "step";
    f.blocks.push_back(b_.finish("step", lanes_));
    if (f.blocks.front().code.size() > kLongestStep) return std::nullopt;
    f.steps.push_back({true, 0});
    f.check_end = lanes_ * out_.n_checked;
    f.guard_begin = out_.verdict;
    f.guard_end = out_.verdict + lanes_;
    kernel::Kernel& k = out_.kernel;
    k.name = kernel_.name + (together() ? " in lanes" : ", steps");
    k.n_state = lanes_ * out_.n_checked;
    k.n_params = lanes_ * n_params() + 2;
    k.n_inputs = lanes_ * kernel_.n_inputs;
    k.n_work = together() ? lanes_ : 2;
    k.functions.push_back(std::move(f));
    return std::move(out_);
  }

  const kernel::Kernel& kernel_;
  const SystemLayout& l_;
  const StepShape& shape_;
  std::uint32_t lanes_;
  CodeBuilder b_;
  StepFunction out_;
  Value time_ = 0, half_ = 0, whole_ = 0, end_ = 0;
  Values guards_, rows_;
  std::optional<Value> powers_, moved_;
};

std::optional<StepFunction> checked(std::optional<StepFunction> made) {
#ifndef NDEBUG
  if (made) kernel::require_verified(made->kernel);
#endif
  return made;
}

}  // namespace

std::optional<StepFunction> rk4_in_lanes(const kernel::Kernel& kernel, const SystemLayout& layout,
                                         const StepShape& shape) {
  return checked(StepWriter(kernel, layout, shape, kStepLanes).run());
}

std::optional<StepFunction> rk4_after_rates(const kernel::Kernel& kernel, const SystemLayout& layout,
                                            const StepShape& shape) {
  return checked(StepWriter(kernel, layout, shape, 1).run());
}

}  // namespace mbc::formulate
