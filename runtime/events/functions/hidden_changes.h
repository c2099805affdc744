// SPDX-License-Identifier: Apache-2.0
// Finds changes of sides between two samples of a step that the samples do not show, because the side changes back.
// Bounds of the event functions over the dense output exclude such changes. Otherwise the part between the samples is
// halved until bounds exclude them, until a change shows, until only rounding of zero is left, or until a cost limit is
// met. Event functions of accelerations, multipliers or contacts have no such bounds.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/events/functions/dense_polynomials.h"
#include "runtime/events/functions/event_bounds.h"
#include "runtime/events/functions/side.h"
#include "runtime/events/functions/time_functions.h"

namespace mbc::runtime {

class HiddenChanges {
 public:
  // `watched` lists events; zeros(number) is the size up to which a number counts as zero. References must outlive the
  // object.
  using Zero = std::function<double(std::uint32_t number)>;
  HiddenChanges(const problem::Events& events, const std::vector<std::uint32_t>& watched, EventBounds& bounds,
                const TimeFunctions& time_functions, Zero zero);

  [[nodiscard]] bool any() const { return !events_of_state_.empty(); }
  // Begins a look along a step of size h from t.
  void begin_step(double t, double h);
  // Bounds the states between the parts `first` and `last` of the step, before it is sampled there. `sides` holds those
  // at `first`, by event.
  void begin_piece(double first, double last, const DensePolynomials::Row& row, const std::vector<Side>& sides,
                   const std::vector<char>& idle);
  // Returns the first part of the step between a and b where an event has left its side and returned to it at b.
  // `sides` are those at a.
  std::optional<double> find(double a, double b, const std::vector<Side>& sides, const std::vector<char>& idle);
  // Returns whether a search in this step has ended at its cost limit.
  [[nodiscard]] bool unclear() const { return unclear_; }

 private:
  struct Suspect {  // an event that may change its side from a to b more than once
    std::uint32_t event = 0;
    Side at_a{}, at_b{};  // at_a: for a number at zero at a, the side before
    bool rests_at_a = false;
  };
  using Level = std::vector<Suspect>;  // of the search
  struct Over {
    Side side = Side::open;  // throughout the stretch; open if unknown
    bool once = false;       // the side changes at most once
  };
  static constexpr int kDeepest = 26;

  Over over(std::uint32_t event, double a, double b);
  Over of_number(std::uint32_t number, Reading reading, double a, double b);
  Side at(std::uint32_t event, double theta);
  bool may_hide(std::uint32_t event, Side at_a, double a, double b);
  void fill(Level& level, const Level& from, bool left, double a, double b, const std::vector<Side>& at_middle);
  std::optional<double> search(std::size_t depth, double a, double b);
  void enclose_states(double a, double b);

  const problem::Events& events_;
  EventBounds& bounds_;
  const TimeFunctions& time_functions_;
  Zero zero_;
  std::vector<std::uint32_t> events_of_state_;
  std::vector<std::uint32_t> loud_;  // events that bounds over the whole piece do not decide
  DensePolynomials polynomials_;
  std::vector<kernel::Enclosure> states_, in_middle_;
  std::array<Level, kDeepest + 1> levels_;
  std::vector<std::vector<Side>> middles_;  // by depth
  double t_ = 0, h_ = 0, from_ = 0, to_ = 0;
  int looks_ = 0;
  bool fits_ = false, unclear_ = false;
};

}  // namespace mbc::runtime
