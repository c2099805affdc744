// SPDX-License-Identifier: Apache-2.0
// The tangent space of the states that satisfy the constraints. A displacement of a state is d = [w; du; ds]: w in the
// space of the speeds (dq = W w), then the changes of speeds and states. Along the manifold
//
//   e_q W w + e_s ds + e_t dt = 0                  rows of position level
//   e'_q W w + e'_u du + e'_s ds + e'_t dt = 0     the same rows differentiated, and rows of velocity level
//
// Some entries of d are chosen as independent; the rows give the others. The choice is that of an elimination with
// complete pivoting in columns scaled by the masses. The speeds that depend on the rows of position level are those of
// the dependent coordinates.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace mbc::runtime {

// Independent rows, of both levels. The columns are those of d, then one for the time.
struct ManifoldRows {
  std::uint32_t n_speeds = 0, n_states = 0;
  Eigen::MatrixXd position, velocity;
  std::uint32_t positions_in_velocity = 0;  // that many rows of `velocity` are rows of position level
  Eigen::VectorXd column_scale;             // n_speeds: the size of a displacement of each speed
  [[nodiscard]] Eigen::Index displacements() const { return 2 * Eigen::Index{n_speeds} + n_states; }
};

struct TangentSpace {
  std::vector<std::uint32_t> independent;  // entries of d, ascending
  Eigen::MatrixXd basis;                   // displacements x directions; the rows `independent` are the unit matrix
  Eigen::VectorXd by_time;                 // the displacement by dt while the independent entries stay
  std::uint32_t n_positions = 0, n_speeds = 0;  // directions of positions, then of speeds; those of states follow
  [[nodiscard]] Eigen::Index size() const { return static_cast<Eigen::Index>(independent.size()); }
};

TangentSpace tangent_space(const ManifoldRows& rows);

}  // namespace mbc::runtime
