// SPDX-License-Identifier: Apache-2.0
// The terms that change the momenta, as numbers at random states.
#pragma once
#include <set>
#include <vector>

#include "compiler/graph/evaluate.h"
#include "compiler/lower/momentum_terms.h"
#include "compiler/lower/names.h"
#include "compiler/lower/null_directions.h"

namespace mbc::lower {

class MomentumNumbers {
 public:
  MomentumNumbers(const sema::Model& model, const MomentumTerms& terms, const std::vector<double>& params);

  // Returns for each source of kinetic energy the columns in which its terms add up to zero at random states and
  // parameters. Only analytic expressions are considered (sums, products, quotients, square roots, sines and cosines),
  // which are then zero everywhere; other sources have no columns. The numbers are needed because normal forms of
  // successive rotations can be very long.
  [[nodiscard]] std::vector<std::set<std::uint32_t>> silent_columns() const;

  // Returns for each direction whether something moves along it and every condition is zero to round-off wherever it
  // has a value, at two states or more, with the given parameters.
  [[nodiscard]] std::vector<bool> confirmed(const std::vector<SparseForm>& directions) const;

 private:
  struct Number {
    double value = 0, size = 0;  // size: that of the terms added up to the value
    void add(double c, const graph::SizedValue& x);
    [[nodiscard]] bool finite() const;
  };
  struct Draw {
    double time = 0;
    std::vector<double> coordinates, speeds, params, others;
  };
  struct Use {
    std::uint32_t form = 0;  // 0: the rate of the momentum with all of its parts; else a row, or a form of inertia
    NodeId value;
  };

  void draw(const sema::Model& model, const std::vector<double>& params);
  static double leaf(const Draw& d, const Node& n);
  // Returns the values of the nodes at one draw.
  [[nodiscard]] std::vector<graph::SizedValue> values(const std::vector<NodeId>& nodes, const Draw& d) const;
  [[nodiscard]] bool analytic(const std::vector<MomentumTerm>& terms) const;

  const MomentumTerms& terms_;
  std::vector<Draw> generic_, given_;  // with random parameters; with the given ones
};

}  // namespace mbc::lower
