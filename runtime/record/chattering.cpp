// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/chattering.h"

namespace mbc::runtime {

namespace {

constexpr std::uint64_t kChatteringAttempts = 1000, kLooks = 40, kJumps = 10;
constexpr double kChatteringProgress = 1e-3;

}  // namespace

std::optional<Span> Chattering::look(double length, double t_before, const std::vector<double>& before, double t,
                                     const std::vector<double>& y) {
  const std::uint64_t attempts = data_.steps + data_.rejected;
  if (looks_ == 0) {
    if (attempts < attempts_ + kChatteringAttempts) return {};
    if (attempts_ > 0 && t - since_ < kChatteringProgress * length) looks_ = kLooks;
    attempts_ = attempts;
    since_ = t;
    jumps_ = 0;
    return {};
  }
  --looks_;
  const std::optional<Span> jumped = equations_.jump_between(Equations::k_rhs, t_before, before.data(), t, y.data());
  if (!jumped || ++jumps_ < kJumps) return {};
  return jumped;
}

}  // namespace mbc::runtime
