// SPDX-License-Identifier: Apache-2.0
// Generates random expressions over every operation of the language. Each operation's operands lie well inside its
// domain at the given point, and piecewise operations stay away from their discontinuities, so that every derivative
// exists there.
#pragma once
#include <array>
#include <vector>

#include "tests/compiler/ad/tree.h"

namespace mbc::test {

struct LeafCounts {
  std::uint32_t q = 0, u = 0, s = 0, param = 0;
};

// Returns leaf values of both signs away from 0.
Point random_point(Rng& rng, const LeafCounts& counts);

class Generator {
 public:
  // The expressions contain t and the first counts.x leaves of every kind, and they are valid at `point`.
  Generator(Rng& rng, const Point& point, const LeafCounts& counts)
      : rng_(rng), point_(lift<Real>(point)), counts_(counts) {}

  Tree make(std::uint32_t operations);

  // Returns how often each operation was used by all trees so far.
  [[nodiscard]] const std::array<std::size_t, graph::kOpCount>& uses() const { return uses_; }

 private:
  void add_leaves();
  bool grow();
  bool grow_unary(Op op);
  bool grow_binary(Op op);
  bool grow_power();
  bool grow_select();
  std::uint32_t condition();
  void join_unused();

  std::uint32_t pick();
  std::uint32_t push(const Term& term);
  std::uint32_t push(Op op, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0);
  std::uint32_t scaled_below(std::uint32_t x, double bound);
  std::uint32_t made_positive(std::uint32_t x);
  bool keep_last();

  Rng& rng_;
  Leaves<Real> point_;
  LeafCounts counts_;
  Tree tree_;
  std::vector<Real> value_;
  std::vector<bool> used_;
  std::array<std::size_t, graph::kOpCount> uses_{};
};

}  // namespace mbc::test
