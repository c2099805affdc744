// The second test of a direction: the numbers of its conditions at random states.
#pragma once
#include <vector>

#include "compiler/lower/momentum_terms.h"
#include "compiler/lower/null_directions.h"

namespace mbc::lower {

class MomentumNumbers {
 public:
  MomentumNumbers(const sema::Model& model, const MomentumTerms& terms, const std::vector<double>& params);

  // Every condition is zero to round-off wherever it has a value, at two states or more.
  [[nodiscard]] bool vanishes(const SparseForm& direction);
  // Something moves along it: not all of M c is zero.
  [[nodiscard]] bool inertia(const SparseForm& direction);

 private:
  struct Number {  // of a node: its value, and the size of what was added up to it
    double value = 0, size = 0;
  };
  struct State {
    std::vector<Number> of;  // by node; those evaluated
    std::vector<bool> known;
  };
  struct Use {
    std::uint32_t source = 0;  // number of the condition; inertia: of the form
    NodeId value;
  };

  void draw(const sema::Model& model, const std::vector<double>& params);
  double leaf(std::size_t state, const graph::Node& n) const;
  const Number& number(std::size_t state, NodeId node);

  const MomentumTerms& terms_;
  std::vector<std::vector<Use>> conditions_, inertia_;  // by column
  std::vector<double> params_;
  struct Draw {
    double time = 0;
    std::vector<double> coordinates, speeds, others;
  };
  std::vector<Draw> draws_;
  std::vector<State> states_;
};

}  // namespace mbc::lower
