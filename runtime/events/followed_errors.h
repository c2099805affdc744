// SPDX-License-Identifier: Apache-2.0
// FollowedErrors is what an instant asks of the errors that a run tells (step/companion_steps.h): they are carried
// across the events and discontinuities that happen there.
#pragma once
#include <vector>

namespace mbc::runtime {

class FollowedErrors {
 public:
  FollowedErrors() = default;
  FollowedErrors(const FollowedErrors&) = delete;
  FollowedErrors& operator=(const FollowedErrors&) = delete;
  virtual ~FollowedErrors() = default;

  // Returns whether errors are carried across what happens at the next instant.
  [[nodiscard]] virtual bool follows_events() const = 0;
  // Looks at the steps that end at the state at t, before something happens there.
  virtual void reach(double t) = 0;
  // Sets y to that state displaced along the errors. Returns the part of them by which it is, or 0 if there are none.
  virtual double displace(std::vector<double>& y) const = 0;
  // Sets y to a state a little before it on the motion. Returns the time between both, or 0.
  virtual double go_back(std::vector<double>& y) const = 0;
  // Carries the errors across the instant, which the displaced motion meets later by `late`.
  virtual void pass(double late) = 0;
};

}  // namespace mbc::runtime
