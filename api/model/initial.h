// SPDX-License-Identifier: Apache-2.0
// Turns the initial values of a model into the problem that the assembly solves, and its solution into a report.
#pragma once
#include <memory>
#include <vector>

#include "api/model/leaf_values.h"
#include "mbc/mbc.h"
#include "runtime/constraints/assembly.h"

namespace mbc::api {

// Returns what is wrong if these values of the parameters draw the bodies of a tree where its joints do not hold.
std::optional<Diagnostic> drawn_apart(const sema::Model& model, const std::vector<double>& params);
[[nodiscard]] bool has_soft_values(const sema::Model& model);

// Keeps the soft values and the targets with their derivatives. It does not need the model any more.
class InitialProblem {
 public:
  // Differentiates the targets, which adds nodes to the model's graph.
  explicit InitialProblem(sema::Model& model);
  // Returns the problem at these parameters; both outlive the result.
  [[nodiscard]] runtime::AssemblyProblem at(const std::vector<double>& params) const;

 private:
  void stays_as_drawn(const sema::Model& model, const sema::InitialTarget& t);

  runtime::AssemblyProblem problem_;  // without `evaluate`
  PlacesInState places_in_y_;
  std::size_t n_speeds_ = 0, n_targets_ = 0;
  graph::Graph graph_;
  std::vector<char> turns_;           // by target: whether it is an angle of atan2, where whole turns do not count
  std::vector<graph::NodeId> nodes_;  // all residuals, then their derivatives, then the weights
  std::vector<std::size_t> weighed_;  // targets with weights of their own
  std::vector<graph::NodeId> weights_;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> places_;  // places of these in the matrix
};

// Takes over the state for a run. Returns false if it is not consistent; the result has the reason.
[[nodiscard]] bool take(const InitialState& start, std::vector<double>& y, RunResult& result);

[[nodiscard]] std::vector<InitialMove> moves_between(const sema::Model& model, const std::vector<double>& before,
                                                     const std::vector<double>& after);

}  // namespace mbc::api
