// SPDX-License-Identifier: Apache-2.0
// Contacts of a step without friction: the jump is that of the dense method, rows that depend on others included; where
// there are no impulses it says so.
#include "runtime/contact/timestep/cone_planes.h"

#include <doctest/doctest.h>

#include <random>

#include "runtime/rows/least_distance.h"

using namespace mbc::runtime;

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

RowList rows_of(const Matrix& B) {
  RowList out;
  for (Eigen::Index i = 0; i < B.rows(); ++i) {
    for (Eigen::Index j = 0; j < B.cols(); ++j)
      if (B(i, j) != 0) out.add(static_cast<std::uint32_t>(j), B(i, j));
    out.close();
  }
  return out;
}

ConeProblem problem_of(const Vector& wanted, double size) {
  ConeProblem p;
  p.wanted.assign(wanted.begin(), wanted.end());
  for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(wanted.size()); ++k) p.pushing.push_back(k);
  p.size = size;
  p.tolerance = 1e-12;
  return p;
}

// Contacts of discs in a row of piles: each row touches two discs, or one and the floor.
Matrix random_contacts(std::mt19937& source, int discs, int contacts) {
  std::uniform_int_distribution<int> which(0, discs - 1);
  std::uniform_real_distribution<double> angle(0, 6.283);
  Matrix out = Matrix::Zero(contacts, 2 * discs);
  for (int k = 0; k < contacts; ++k) {
    const int a = which(source), b = which(source);
    // directions of a lattice, so that sets of rows depend on others as they do in piles
    const double at = k % 2 == 0 ? 1.0471975511965976 * (k % 6) : angle(source);
    out.block(k, 2 * a, 1, 2) += Eigen::RowVector2d(std::cos(at), std::sin(at));
    if (a != b && k % 4 != 0) out.block(k, 2 * b, 1, 2) -= Eigen::RowVector2d(std::cos(at), std::sin(at));
  }
  return out;
}

}  // namespace

TEST_CASE("planes of contacts: the jump and the conditions are those of the dense method") {
  std::mt19937 source(7);
  std::normal_distribution<double> normal;
  int dependent = 0;
  for (int k = 0; k < 400; ++k) {
    const int discs = 1 + k % 12, contacts = 1 + k % 40;
    Matrix B = random_contacts(source, discs, contacts);
    if (contacts > 3) B.row(1) = 2 * B.row(0);
    Vector inside(2 * discs);
    for (double& x : inside) x = normal(source);
    Vector wanted = B * inside;  // a point that meets all, and some with room
    for (int i = 0; i < contacts; i += 3) wanted[i] -= 0.5;
    ConeSolution made;
    made.impulses = Vector::Zero(contacts);
    CAPTURE(k);
    REQUIRE(improve_by_planes(rows_of(B), static_cast<std::uint32_t>(2 * discs), problem_of(wanted, 1), made));
    const LeastDistance dense = least_distance(B, wanted, Vector::Constant(contacts, 1e-13));
    REQUIRE(dense.outcome == LeastDistance::Outcome::found);
    const double size = 1 + dense.w.norm();
    CHECK(made.settled);
    CHECK((made.jump - dense.w).norm() <= 1e-9 * size);
    CHECK((made.jump - B.transpose() * made.impulses).norm() <= 1e-12 * size * (1 + made.impulses.norm()));
    CHECK(made.impulses.minCoeff() >= 0);
    CHECK((wanted - B * made.jump).maxCoeff() <= 1e-11 * size);
    for (int i = 0; i < contacts; ++i)
      CHECK(std::min(made.impulses[i] * B.row(i).norm(), (B * made.jump - wanted)[i]) <= 1e-10 * size);
    dependent += contacts > 2 * discs ? 1 : 0;
  }
  CHECK(dependent > 50);
}

TEST_CASE("planes of contacts: sides that leave no room have no impulses, and nothing is changed") {
  std::mt19937 source(8);
  for (int k = 0; k < 50; ++k) {
    const int discs = 2 + k % 8;
    Matrix B = random_contacts(source, discs, 10 + k % 20);
    B.row(3) = -B.row(2);  // a disc between two walls that come to each other
    Vector wanted = Vector::Constant(B.rows(), -1.0);
    wanted[2] = wanted[3] = 0.25;
    ConeSolution made;
    made.impulses = Vector::Constant(B.rows(), 0.125);
    CAPTURE(k);
    CHECK(!improve_by_planes(rows_of(B), static_cast<std::uint32_t>(B.cols()), problem_of(wanted, 1), made));
    CHECK(!made.settled);
    CHECK(made.impulses == Vector::Constant(B.rows(), 0.125));
  }
}

TEST_CASE("planes of contacts: a large pile of rows that depend on each other") {
  constexpr int kSide = 30;  // a lattice of discs on a floor, each above two of the layer below, and weight on all
  const double c = 0.5, s = std::sqrt(0.75);
  RowList rows;
  std::vector<double> wanted;
  const auto disc = [](int layer, int i) { return static_cast<std::uint32_t>(2 * (layer * kSide + i)); };
  for (int layer = 0; layer < kSide; ++layer)
    for (int i = 0; i < kSide; ++i) {
      if (layer == 0) {
        rows.add(disc(0, i) + 1, 1);
        rows.close();
      }
      for (const int side : {-1, 1}) {
        const int below = i + (layer % 2 == 0 ? (side < 0 ? -1 : 0) : (side < 0 ? 0 : 1));
        if (layer == 0) continue;
        rows.add(disc(layer, i), -side * c);
        rows.add(disc(layer, i) + 1, s);
        if (below >= 0 && below < kSide) {
          rows.add(disc(layer - 1, below), side * c);
          rows.add(disc(layer - 1, below) + 1, -s);
        }
        rows.close();
      }
      if (i + 1 == kSide) continue;
      rows.add(disc(layer, i), -1);
      rows.add(disc(layer, i + 1), 1);
      rows.close();
    }
  const std::uint32_t n = 2 * kSide * kSide;
  Vector fall = Vector::Zero(n);
  for (std::uint32_t i = 1; i < n; i += 2) fall[i] = -1;
  for (std::size_t k = 0; k < rows.size(); ++k) wanted.push_back(-rows.times(k, fall.data()));
  ConeProblem p =
      problem_of(Eigen::Map<const Vector>(wanted.data(), static_cast<Eigen::Index>(wanted.size())), fall.norm());
  ConeSolution made;
  made.impulses = Vector::Zero(static_cast<Eigen::Index>(rows.size()));
  REQUIRE(improve_by_planes(rows, n, p, made));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double left = rows.times(k, made.jump.data()) - wanted[k], norm = std::sqrt(rows.square(k));
    const double pressure = made.impulses[static_cast<Eigen::Index>(k)] * norm;
    REQUIRE(pressure >= 0);
    REQUIRE(std::fabs(std::min(pressure, left / norm)) <= 1e-11 * p.size);
  }
  CHECK(made.error <= 1e-11);
}
