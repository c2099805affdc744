// SPDX-License-Identifier: Apache-2.0
// Tests the signs of singular values between two states, and the angles between the directions that the rows leave
// free.
#include "runtime/singular/sign_changes.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace mbc;
using runtime::RowComponent;
using runtime::SignChange;
using runtime::TruncatedInverse;

namespace {

RowComponent decomposed(const Eigen::MatrixXd& G, int rank) {
  TruncatedInverse inverse;
  inverse.parts.resize(1);
  for (Eigen::Index k = 0; k < G.rows(); ++k) inverse.parts[0].rows.push_back(k);
  for (Eigen::Index k = 0; k < G.cols(); ++k) inverse.parts[0].columns.push_back(k);
  inverse.parts[0].rank = rank;
  inverse.weight = Eigen::VectorXd::Ones(G.rows());
  REQUIRE(inverse.decompose(G));
  return inverse.parts[0];
}

// Returns rows with singular values 1 and s, turned by `angle` in the plane of their columns.
RowComponent two_rows(double s, double angle = 0) {
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
  turn(0, 0) = turn(2, 2) = std::cos(angle);
  turn(0, 2) = std::sin(angle);
  turn(2, 0) = -std::sin(angle);
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(2, 3);
  G(0, 1) = 1;
  G(1, 2) = s;
  return decomposed(G * turn, 2);
}

}  // namespace

TEST_CASE("a value that goes through 0 is found with its place and its combination of rows") {
  const std::vector<SignChange> found = runtime::sign_changes(two_rows(1e-3), two_rows(-3e-3), 1e-2);
  REQUIRE(found.size() == 1);
  CHECK(found[0].fraction == doctest::Approx(0.25).epsilon(1e-12));
  CHECK(std::fabs(found[0].left(1)) == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("no change where the sign stays, and none of values that are not weak") {
  CHECK(runtime::sign_changes(two_rows(1e-3), two_rows(2e-5), 1e-2).empty());
  CHECK(runtime::sign_changes(two_rows(-1e-3), two_rows(-1e-3), 1e-2).empty());
  CHECK(runtime::sign_changes(two_rows(1e-3), two_rows(-1e-3), 1e-4).empty());
}

TEST_CASE("two values that change together are two changes, each with its own place") {
  const Eigen::Vector2d from(1e-3, 1e-3), to(-1e-3, -4e-3);
  const auto diagonal = [](const Eigen::Vector2d& s) { return decomposed(s.asDiagonal(), 2); };
  std::vector<SignChange> found = runtime::sign_changes(diagonal(from), diagonal(to), 1e-2);
  REQUIRE(found.size() == 2);
  if (found[0].fraction > found[1].fraction) std::swap(found[0], found[1]);
  CHECK(found[0].fraction == doctest::Approx(0.2).epsilon(1e-12));
  CHECK(found[1].fraction == doctest::Approx(0.5).epsilon(1e-12));
  CHECK(std::fabs(found[0].left(1)) == doctest::Approx(1).epsilon(1e-12));
  CHECK(std::fabs(found[1].left(0)) == doctest::Approx(1).epsilon(1e-12));
}
