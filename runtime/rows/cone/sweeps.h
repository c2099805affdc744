// SPDX-License-Identifier: Apache-2.0
// Projected Gauss-Seidel for a contact problem: its rows are gone through one after the other, each with the others
// held (M. Jean, Computer Methods in Applied Mechanics and Engineering 177 (1999) 235-257); the limits of friction are
// evaluated anew for each sweep. With limits that are given it is a convex problem, and the sweeps always get there.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "runtime/rows/cone/natural_map.h"

namespace mbc::runtime {

class ConeSweeps {
 public:
  // The map outlives the object; its compliance is not looked at.
  explicit ConeSweeps(const NaturalMap& map);

  // As many sweeps from q, in the scale of the map, or until one changes no speed by more than that; the largest jump
  // of a speed in the last one is returned.
  double sweep(Eigen::VectorXd& q, int times, double enough = 0);

 private:
  double push(std::uint32_t row, double least, Eigen::VectorXd& q);
  double give(std::uint32_t row, double force, Eigen::VectorXd& q);
  double rub(std::size_t friction, Eigen::VectorXd& q);

  const NaturalMap& map_;
  Eigen::VectorXd w_;
  std::vector<double> limits_,
      steps_;  // limits_: and given forces; steps_: by friction the most that a unit of it gives its slip
};

}  // namespace mbc::runtime
