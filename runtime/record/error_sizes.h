// SPDX-License-Identifier: Apache-2.0
// The sizes that errors of a state are relative to, taken from the model itself: the norm of `auto`. Entries of one
// kind share one size, so that a coordinate that passes through 0 does not ask for small steps, and units do not
// matter:
//
//   places           the largest side of the box around all places so far, at least the way of a point that goes round
//                    with a body in its radius of gyration: of one that turns about its origin no place changes
//   other lengths, and coordinates whose kind is not known: how far each has moved
//   angles, entries of quaternions and rotations: 1
//   speeds           the largest of their kind so far, at least what crosses that size in the time span
//   states           the largest value of each so far, at least kOfOthers of the largest of its array
//   work             the largest work or energy so far
//
// A size is never below kOfPlace of the largest coordinate of its kind, where rounding would be measured, of a
// coordinate whose kind is not known below kOfOthers of the largest such size (the pitch of a bicycle that rides
// straight is a square of what is small), nor below kOfRate of the change in the whole time span at the rate at hand: a
// quantity that was 0 until a force jumps has no size of its own. Steps below kOfSpan of the time span count as that
// long there, so that no step may be off by more than rtol of some ten times what it moves: a rate that lasts for a
// short time only says nothing of the whole span, and beside a pole a step across it would be as good as any.
//
// A part that rests because forces balance moves by their rounding only. A rate of terms T is off by eps T, so that no
// step of h can be told to be more accurate than h eps T, of a length h times that, and of the work the terms of the
// force times that length. Where steps are rejected for want of a size the terms of the state at hand are measured, and
// what a step of that size rounds (kRoundingsOfTerms) is no error. A method that cannot be asked for the size of its
// step gets sizes with which a step of kOfRoundedStep of the time span passes, until the entry has moved by more than
// rounding moves it in the whole time span.
//
// An entry can stay at zero although the terms of its rate do not: the way along a normal of the constraints, the heat
// of a friction that sticks. In a step of h such a rate changes it by h T if its terms do not cancel. This is its size
// as long as it has moved by no more than rtol T times the whole time span, which is nothing within the tolerance.
// Places, lengths, speeds and the work need no such size, because they have that of their kind. Terms are measured by
// sizes without those of other terms: sizes of terms that follow from such sizes would grow without bound from step to
// step. What is rounded follows from the last measurement: terms that were large at the start may be small later.
//
// No size is absolute where anything at all is known at the start. A model in which all places, speeds, states and
// rates are exactly zero has sizes of kFromNothing in SI units.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "kernel/layout.h"
#include "kernel/problem/problem.h"
#include "runtime/constraints/model_size.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

class ErrorSizes {
 public:
  static constexpr double kOfPlace = 1e-3;
  static constexpr double kNothing = 1e-150;  // in the place of 0: squares of quotients by it are numbers
  static constexpr double kOfOthers = 1e-6;
  static constexpr double kOfRate = 1e-5;
  static constexpr double kOfSpan = 1e-6;

  // span: the length of the run in time.
  ErrorSizes(const problem::Problem& info, const kernel::SystemLayout& layout, double span);
  // Takes the radii of gyration, and what rounding at the start moves.
  void know(const ModelSize& model);
  // Takes the terms of the rates, from terms_of_rates() with reach(). rtol is what an error of a step may be of a size,
  // h the size of a step, whose own rounding is no error, or 0 if it is not known; or the time span (of_span). What was
  // rounded before is forgotten, and of what stayed at zero the largest size is kept, unless they are looked at anew.
  struct ByTerms {
    double rtol = 0, h = 0;
    bool of_span = false, anew = false;
  };
  void look_at_terms(const ModelSize& model, const std::vector<double>& terms, const ByTerms& by);
  void forget_rounding();

  // Ends the beginning, at which the state has been looked at; this is its rate.
  void begin(const std::vector<double>& rate);
  // A state, which counts from now on: y as [q; u; s], or in independent speeds, whose places `entry_of` gives.
  template <class EntryOf>
  void look(const std::vector<double>& y, EntryOf&& entry_of) {
    for (std::size_t i = 0; i < y.size(); ++i) boxes_[box_of_[entry_of(i)]].extend(y[i]);
    measure();
  }
  void look(const std::vector<double>& y) {
    look(y, [](std::size_t entry) { return entry; });
  }
  // The step at hand, from y with this rate to y_new; it counts until take(). `shrunk` is the size of the first attempt
  // at it over its own. A motion that begins as t^n, with n above the order of the method, has the same relative error
  // in steps of any size, and no size is known before. Where steps have shrunk to the part kFirstSteps what it moves is
  // nothing, and the step does not count as longer.
  struct Attempt {
    const std::vector<double>&y, &rate, &y_new;
    double h, shrunk;
  };
  template <class EntryOf>
  void look_at_change(const ErrorSizes& before, const Attempt& step, EntryOf&& entry_of) {
    for (std::size_t i = 0; i < step.y.size(); ++i) {
      const std::uint32_t box = box_of_[entry_of(i)];
      const bool begins = before.sizes_[box] <= kNothing && step.rate[i] == 0 && step.shrunk * kFirstSteps > 1;
      const double part = std::max(step.h / span_, begins ? 0 : kOfSpan);
      sizes_[box] = std::max(sizes_[box], kOfRate * std::fabs(step.y_new[i] - step.y[i]) / part);
    }
  }
  // The same of a step that is still to be made, of about that size, from the rate at its beginning.
  void look_at_rate(const std::vector<double>& rate, double h) {
    const double part = h > 0 ? std::min(1.0, h / (kOfSpan * span_)) : 1;
    for (std::size_t i = 0; i < rate.size(); ++i) {
      double& size = sizes_[box_of_[i]];
      size = std::max(size, kOfRate * span_ * part * std::fabs(rate[i]));
    }
  }
  // Looks at a rate only where nothing else is known.
  void look_at_rate_of_nothing(const std::vector<double>& rate) {
    for (std::size_t i = 0; i < rate.size(); ++i) {
      double& size = sizes_[box_of_[i]];
      if (size <= kNothing) size = std::max(size, kOfRate * span_ * std::fabs(rate[i]));
    }
  }
  // Takes the sizes that another object of the same model has found.
  void take(const ErrorSizes& other) {
    boxes_ = other.boxes_;
    sizes_ = other.sizes_;
    energy_ = other.energy_;
    radius_ = other.radius_;
    smallest_ = other.smallest_;
  }
  // The values of y = [q; u; s] without their signs, at least kOfReach of their sizes and what rounding makes of these
  // beside an error of rtol: a value that is zero may be so at this state only. The sizes are those without terms.
  [[nodiscard]] std::vector<double> reach(const std::vector<double>& y, double rtol) const;
  // The kinetic energy.
  void look_at_energy(double energy);

  [[nodiscard]] double operator[](std::size_t entry) const { return sizes_[box_of_[entry]]; }
  // In words, and the largest of each kind: "lengths" 1.5.
  [[nodiscard]] std::vector<std::pair<std::string, double>> summary() const;

  void transfer(Archive& archive) {
    archive(boxes_, energy_, radius_);
    archive.expect(boxes_.size() == sizes_.size());
    archive(smallest_);
    archive.expect(smallest_ == kNothing || smallest_ == kFromNothing);
    if (archive.reading() && archive.good()) measure();
  }

 private:
  enum class Kind : std::uint8_t { place, length, own, one, speed, turning, own_rate, state, work };
  // The least size of an entry while it has moved by no more than `still`.
  struct Least {
    double still = 0, size = 0;
    void raise(double least, double drift) {
      size = std::max(size, least);
      still = std::max(still, drift);
    }
    [[nodiscard]] double of(double moved) const { return moved > still ? 0 : size; }
    void transfer(Archive& archive) { archive(still, size); }
  };
  struct Box {
    Kind kind{};
    std::uint32_t of = 0;  // of a rate: the box of what it is the rate of
    double low = 0, high = 0, top = 0;
    double drift = 0;  // what rounding of the terms at the start moves in the time span
    Least by_rounding = {}, by_terms = {};
    bool any = false;
    void extend(double x);
    void transfer(Archive& archive) { archive(low, high, top, drift, by_rounding, by_terms, any); }
  };
  std::uint32_t add(Kind kind, std::uint32_t of = 0);
  void raise_by_rounding(const ModelSize& model, const std::vector<double>& terms, const ByTerms& by);
  void measure() { measure(sizes_, true); }
  void measure(std::vector<double>& sizes, bool with_terms) const;

  double smallest_ = kNothing, span_, energy_ = 0, radius_ = 0;  // the largest radius of gyration
  std::size_t first_speed_ = 0;
  std::vector<std::uint32_t> box_of_;
  std::vector<Box> boxes_;
  std::vector<double> sizes_;  // by box
};

}  // namespace mbc::runtime
