// SPDX-License-Identifier: Apache-2.0
// Loads whose size depends on the multipliers, which depend on them: friction with the true normal force. Such a size
// is an input of the kernel, and what it should be a value behind its outputs. Each evaluation of the accelerations
// starts from sizes of zero, so that it is a function of the state alone.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace mbc::runtime {

struct ImplicitLoad {
  std::uint32_t input = 0, output = 0;  // its size; what that should be, among the outputs
  std::vector<std::uint32_t> acts;      // inputs: it acts where one of them is not zero
};

class ImplicitLoads {
 public:
  void set(std::vector<ImplicitLoad> loads) { loads_ = std::move(loads); }
  // Whether one of them acts.
  [[nodiscard]] bool act(std::span<const double> inputs) const;
  // Whether an input is the size of one of them, which solve() finds.
  [[nodiscard]] bool is_size(std::uint32_t input) const {
    return std::any_of(loads_.begin(), loads_.end(), [&](const ImplicitLoad& l) { return l.input == input; });
  }
  // With `evaluate`, which gives the outputs by the inputs at hand, or null where they are not defined. The inputs are
  // those of the solution, and it was evaluated last, where this is true.
  bool solve(std::span<double> inputs, const std::function<const double*()>& evaluate);
  // Among the loads: one that the last solve() has found no size for.
  [[nodiscard]] std::optional<std::uint32_t> unsolved() const { return unsolved_; }
  void solved() { unsolved_.reset(); }

 private:
  std::vector<ImplicitLoad> loads_;
  std::vector<std::uint32_t> acting_;
  std::optional<std::uint32_t> unsolved_;
};

}  // namespace mbc::runtime
