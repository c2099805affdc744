// SPDX-License-Identifier: Apache-2.0
// The nearest singular position: from states on the constraints the smallest singular value of the rows of position
// level is made smaller along what they leave free, until it is 0 or does not fall any more.
//
// With W G = U S V^T, rows scaled by their norm at the first state, s_r the least value that counts and z a free
// direction, ds_r = u_r^T W dG(z) v_r; steps are Newton's for s_r = 0 along the gradient, and every state is projected.
// States are y = [q; u; s], t in s.
#pragma once
#include <optional>
#include <vector>

#include "runtime/constraints/constraint_projector.h"
#include "runtime/rows/truncated_inverse.h"

namespace mbc::runtime {

class SingularSearch {
 public:
  // A state on the constraints, from which distances and norms of rows are measured. All outlive the object.
  SingularSearch(Equations& equations, const problem::Problem& info, ConstraintProjector& projector, double t,
                 const std::vector<double>& y);

  struct Found {
    double smallest = 1;  // singular value
    double distance = 0;  // of the coordinates from the first state, mass-weighted
    std::size_t row = 0;  // that depends most on others there
    std::vector<double> y;
  };
  // Rows of position level that can be looked at.
  [[nodiscard]] bool possible() const { return possible_; }
  // Returns whether the search has used up its cost limit; from() then finds nothing more.
  [[nodiscard]] bool spent() const { return work_ > kMostWork; }
  // From another state on the constraints: the least value of each part of the rows, one after the other.
  std::vector<Found> from(const std::vector<double>& y);
  // The nearest of those that are singular, else the one that came closest.
  [[nodiscard]] static const Found* best(const std::vector<Found>& found);

 private:
  bool decompose(const std::vector<double>& y);
  std::optional<Eigen::VectorXd> gradient(std::size_t part, const std::vector<double>& y);
  bool step(std::size_t part, const Eigen::VectorXd& w, std::vector<double>& y);
  [[nodiscard]] Found at(std::size_t part, const std::vector<double>& y) const;

  Equations& equations_;
  const problem::Problem& info_;
  ConstraintProjector& projector_;
  double t_;
  std::vector<double> first_;
  TruncatedInverse rows_;
  Assembled here_, there_;
  Eigen::MatrixXd G_;
  bool possible_ = false;
  static constexpr double kMostWork = 2e8;  // rows times speeds times the smaller of both, of all decompositions
  double work_ = 0;
};

}  // namespace mbc::runtime
