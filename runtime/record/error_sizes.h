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
//   states           the largest value of each so far
//   work             the largest work or energy so far
//
// A size is never below kOfPlace of the largest coordinate of its kind, where rounding would be measured, of a
// coordinate whose kind is not known below kOfOthers of the largest such size (the pitch of a bicycle that rides
// straight is a square of what is small), nor below kOfRate of the change in the whole time span at the rate at hand: a
// quantity that was 0 until a force jumps has no size of its own. Steps below kOfSpan of the time span count as that
// long there: beside a pole rates, and the sizes with them, would go to infinity, and a step across it would be as good
// as any.
//
// A part that rests because forces balance moves by their rounding only. A rate of terms T is off by eps T, and a step
// of h = kOfRoundedStep of the time span has to be within the tolerance. No size of a speed or state is therefore below
// h eps T/rtol, none of a length below h times that, and none of the work below the terms of the force times that
// length. This bound ends for an entry that has moved by more than rounding does in the whole time span, because it has
// a size of its own.
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
  // Takes the radii of gyration and what rounding moves. rtol is what an error of a step may be of a size.
  void know(const ModelSize& model, double rtol);

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
  // The step at hand, of size h, from y to y_new; it counts until take(). Where nothing is known before, no step counts
  // as longer: of a motion that begins as t^n every step has the same relative error.
  template <class EntryOf>
  void look_at_change(const ErrorSizes& before, const std::vector<double>& y, const std::vector<double>& y_new,
                      double h, EntryOf&& entry_of) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::uint32_t box = box_of_[entry_of(i)];
      const double least = before.sizes_[box] > kNothing ? kOfSpan : 0;
      sizes_[box] = std::max(sizes_[box], kOfRate * std::fabs(y_new[i] - y[i]) / std::max(h / span_, least));
    }
  }
  // The same of a step that is still to be made, from the rate at its beginning.
  template <class EntryOf>
  void look_at_rate(const std::vector<double>& rate, EntryOf&& entry_of) {
    for (std::size_t i = 0; i < rate.size(); ++i) {
      double& size = sizes_[box_of_[entry_of(i)]];
      size = std::max(size, kOfRate * span_ * std::fabs(rate[i]));
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
  struct Box {
    Kind kind{};
    std::uint32_t of = 0;  // of a rate: the box of what it is the rate of
    double low = 0, high = 0, top = 0;
    double least = 0, rounding = 0;  // the size of what rounding moves; as far as it moves that in the time span
    bool any = false;
    void extend(double x);
    void raise(double size, double drift) {
      least = std::max(least, size);
      rounding = std::max(rounding, drift);
    }
    // Returns the size that what has moved so far has at least.
    [[nodiscard]] double floor(double moved) const { return moved > rounding ? 0 : least; }
    void transfer(Archive& archive) { archive(low, high, top, least, rounding, any); }
  };
  std::uint32_t add(Kind kind, std::uint32_t of = 0);
  void know_rounding(const ModelSize& model, double rtol);
  void measure();

  double smallest_ = kNothing, span_, energy_ = 0, radius_ = 0;  // the largest radius of gyration
  std::size_t first_speed_ = 0;
  std::vector<std::uint32_t> box_of_;
  std::vector<Box> boxes_;
  std::vector<double> sizes_;  // by box
};

}  // namespace mbc::runtime
