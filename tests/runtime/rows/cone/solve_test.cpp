// SPDX-License-Identifier: Apache-2.0
// Tests the contact problem with random impacts and rest. Every condition is checked, and the solver must find
// multipliers wherever they are known to exist. It is compared with the dense method without friction and with
// enumeration for few contacts. The minimum-norm choice of multipliers that are not unique is also tested.
// MBC_RANDOM_MODELS=n gives n/50 problems of each kind and mass ratio.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "runtime/rows/cone/natural_map.h"
#include "runtime/rows/decompositions.h"
#include "tests/random/how_many.h"
#include "tests/runtime/rows/cone/drawn_problem.h"

using namespace mbc::runtime;
using namespace mbc::test;

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

// Returns a problem with unilateral rows only.
ConeProblem problem_of(const Matrix& B, const Vector& wanted, double size) {
  ConeProblem p;
  p.rows = rows_of(B);
  p.n = static_cast<std::uint32_t>(B.cols());
  p.wanted.assign(wanted.begin(), wanted.end());
  for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(wanted.size()); ++k) p.unilateral.push_back(k);
  p.size = size;
  p.tolerance = 1e-12;
  return p;
}

// Returns contacts of discs in a row of piles. Each row touches two discs, or one disc and the floor.
Matrix random_contacts(std::mt19937& source, int discs, int contacts) {
  std::uniform_int_distribution<int> which(0, discs - 1);
  std::uniform_real_distribution<double> angle(0, 6.283);
  Matrix out = Matrix::Zero(contacts, 2 * discs);
  for (int k = 0; k < contacts; ++k) {
    const int a = which(source), b = which(source);
    // The directions form a lattice, so that sets of rows are dependent as in piles.
    const double at = k % 2 == 0 ? 1.0471975511965976 * (k % 6) : angle(source);
    out.block(k, 2 * a, 1, 2) += Eigen::RowVector2d(std::cos(at), std::sin(at));
    if (a != b && k % 4 != 0) out.block(k, 2 * b, 1, 2) -= Eigen::RowVector2d(std::cos(at), std::sin(at));
  }
  return out;
}

// Returns the violation of the laws by the multipliers if rows yield: the same laws with other wanted speeds.
double error_with(const DrawnProblem& p, const Vector& q, double compliance) {
  DrawnProblem other = p;
  other.wanted -= compliance * q;
  return other.error(q);
}

// Enumerates every state of contacts, active or not, and of frictions of one row that stick or slide in either
// direction. Returns the multipliers of the states that are solutions, where active rows yield as springs do.
std::vector<Vector> solutions_by_enumeration(const DrawnProblem& p, double compliance) {
  const Matrix G = p.rows * p.rows.transpose() + compliance * Matrix::Identity(p.rows.rows(), p.rows.rows());
  const auto m = static_cast<Eigen::Index>(p.wanted.size());
  std::size_t states = std::size_t{1} << p.unilateral.size();
  for (std::size_t k = 0; k < p.frictions.size(); ++k) states *= 3;
  std::vector<Vector> out;
  for (std::size_t state = 0; state < states; ++state) {
    std::size_t left = state;
    Matrix A = G;
    Vector b = p.wanted;
    for (const std::uint32_t row : p.unilateral) {
      if (left % 2 == 0) {
        A.row(row) = Vector::Unit(m, row).transpose();
        b[row] = 0;
      }
      left /= 2;
    }
    for (const DrawnProblem::Friction& f : p.frictions) {
      if (const double side = static_cast<double>(left % 3) - 1; side != 0) {
        A.row(f.row) = Vector::Unit(m, f.row).transpose();
        A(f.row, f.pressed_by) -= side * f.coefficient;
        b[f.row] = 0;
      }
      left /= 3;
    }
    const Vector q = minimum_norm_by_svd(A, b, 1e-14).x;
    if (q.size() > 0 && q.allFinite() && error_with(p, q, compliance) <= 1e-9) out.push_back(q);
  }
  return out;
}

// Of those solutions the motions that differ.
std::vector<Vector> motions_by_enumeration(const DrawnProblem& p) {
  std::vector<Vector> out;
  for (const Vector& q : solutions_by_enumeration(p, 0)) {
    const Vector w = p.rows.transpose() * q;
    if (std::none_of(out.begin(), out.end(), [&](const Vector& x) { return (x - w).norm() <= 1e-6 * p.size; }))
      out.push_back(w);
  }
  return out;
}

int problems() { return random_models(40, 50); }

}  // namespace

TEST_CASE("contact problems: drawn impacts and rest fulfil every condition") {
  for (const double decades : {0.0, 3.0, 6.0})
    for (const DrawnKind kind : kDrawnKinds) {
      int settled = 0, unsettled = 0;
      const int count = problems();
      const std::uint64_t first = first_random_seed() - 1;
      for (int k = 0; k < count; ++k) {
        const std::uint64_t seed = first + static_cast<std::uint64_t>(k);
        const DrawnProblem drawn = draw_problem(kind, seed, decades);
        const ConeSolution made = solve_cones(drawn.problem(1e-13), Vector());
        CAPTURE(seed);
        CAPTURE(static_cast<int>(kind));
        CAPTURE(decades);
        if (!made.settled) {
          // If nothing must separate again, rest is one of the motions, and multipliers exist.
          unsettled += drawn.rebounds ? 0 : 1;
          if (decades <= 3 && !long_run_of_models()) CHECK(drawn.rebounds);
          continue;
        }
        ++settled;
        CHECK(drawn.error(made.multipliers) <= (decades > 3 ? 1e-8 : 1e-10));
        CHECK((made.jump - drawn.rows.transpose() * made.multipliers).norm() <= 1e-9 * drawn.size);
      }
      CHECK(settled >= 0.8 * count);
      CHECK(unsettled <= std::ceil(0.01 * count));
      if (long_run_of_models())
        MESSAGE("kind " << static_cast<int>(kind) << ", mass ratio 1e" << decades << ": " << settled << " of " << count
                        << " settled, " << unsettled << " of the others do not rebound");
    }
}

TEST_CASE("contact problems: without friction the conditions hold that have one jump") {
  std::mt19937 source(7);
  std::normal_distribution<double> normal;
  int dependent = 0;
  for (int k = 0; k < 400; ++k) {
    const int discs = 1 + k % 12, contacts = 1 + k % 40;
    Matrix B = random_contacts(source, discs, contacts);
    if (contacts > 3) B.row(1) = 2 * B.row(0);
    Vector inside(2 * discs);
    for (double& x : inside) x = normal(source);
    Vector wanted = B * inside;  // This point satisfies all rows, some of them with a margin.
    for (int i = 0; i < contacts; i += 3) wanted[i] -= 0.5;
    CAPTURE(k);
    const ConeSolution made = solve_cones(problem_of(B, wanted, 1), Vector::Zero(contacts));
    const double size = 1 + made.jump.norm();
    REQUIRE(made.settled);
    CHECK(made.jump.norm() <= inside.norm() * (1 + 1e-9));
    CHECK((made.jump - B.transpose() * made.multipliers).norm() <= 1e-12 * size * (1 + made.multipliers.norm()));
    CHECK(made.multipliers.minCoeff() >= 0);
    CHECK((wanted - B * made.jump).maxCoeff() <= 1e-11 * size);
    for (int i = 0; i < contacts; ++i)
      CHECK(std::min(made.multipliers[i] * B.row(i).norm(), (B * made.jump - wanted)[i]) <= 1e-10 * size);
    dependent += contacts > 2 * discs ? 1 : 0;
  }
  CHECK(dependent > 50);
}

TEST_CASE("contact problems: sides that leave no room have no multipliers") {
  std::mt19937 source(8);
  for (int k = 0; k < 50; ++k) {
    const int discs = 2 + k % 8;
    Matrix B = random_contacts(source, discs, 10 + k % 20);
    B.row(3) = -B.row(2);  // This is a disc between two walls that approach each other.
    Vector wanted = Vector::Constant(B.rows(), -1.0);
    wanted[2] = wanted[3] = 0.25;
    CAPTURE(k);
    CHECK(!solve_cones(problem_of(B, wanted, 1), Vector::Constant(B.rows(), 0.125)).settled);
  }
}

TEST_CASE("contact problems: a large pile of rows that depend on each other") {
  // The pile is a lattice of discs on a floor. Each disc is on two discs of the layer below, and all have weight.
  constexpr int kSide = 30;
  const double c = 0.5, s = std::sqrt(0.75);
  RowList rows;
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
  ConeProblem p = problem_of(Matrix(0, n), Vector(0), fall.norm());
  p.rows = rows;
  for (std::uint32_t k = 0; k < rows.size(); ++k) {
    p.wanted.push_back(-rows.times(k, fall.data()));
    p.unilateral.push_back(k);
  }
  const ConeSolution made = solve_cones(p, Vector());
  REQUIRE(made.settled);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double left = rows.times(k, made.jump.data()) - p.wanted[k], norm = std::sqrt(rows.square(k));
    const double pressure = made.multipliers[static_cast<Eigen::Index>(k)] * norm;
    REQUIRE(pressure >= 0);
    REQUIRE(std::fabs(std::min(pressure, left / norm)) <= 1e-11 * p.size);
  }
  CHECK(made.error <= 1e-11);
}

TEST_CASE("contact problems: what enumeration of up to four contacts solves is solved, with one of its motions") {
  int with_motion = 0, several = 0;
  for (const DrawnKind kind : {DrawnKind::rows, DrawnKind::plane_bodies, DrawnKind::plane_stack})
    for (int k = 0; k < problems(); ++k) {
      const DrawnProblem drawn = draw_problem(kind, 1'000'000u + static_cast<std::uint64_t>(k), 2, 4);
      const bool lines =
          std::all_of(drawn.frictions.begin(), drawn.frictions.end(), [](const auto& f) { return f.count == 1; });
      if (!lines || drawn.unilateral.size() > 4) continue;
      const std::vector<Vector> motions = motions_by_enumeration(drawn);
      const ConeSolution made = solve_cones(drawn.problem(1e-13), Vector());
      CAPTURE(k);
      CAPTURE(static_cast<int>(kind));
      if (motions.empty()) continue;
      ++with_motion;
      several += motions.size() > 1 ? 1 : 0;
      REQUIRE(made.settled);
      if (motions.size() == 1) CHECK((made.jump - motions[0]).norm() <= 1e-6 * drawn.size);
    }
  CHECK(with_motion > 40);
  MESSAGE("problems with several motions: " << several << " of " << with_motion);
}

TEST_CASE("contact problems: where multipliers are open they are those of stiff springs, to four contacts") {
  int open = 0, unique = 0;
  for (const DrawnKind kind : {DrawnKind::rows, DrawnKind::plane_bodies, DrawnKind::plane_stack})
    for (int k = 0; k < problems(); ++k) {
      const DrawnProblem drawn = draw_problem(kind, 2'000'000u + static_cast<std::uint64_t>(k), 1, 4);
      const bool lines =
          std::all_of(drawn.frictions.begin(), drawn.frictions.end(), [](const auto& f) { return f.count == 1; });
      if (!lines || drawn.unilateral.size() > 4) continue;
      // The limit is extrapolated from springs of 1e6 and of 1e7 N/m.
      const std::vector<Vector> softer = solutions_by_enumeration(drawn, 1e-6);
      const std::vector<Vector> stiffer = solutions_by_enumeration(drawn, 1e-7);
      const ConeSolution made = solve_cones(drawn.problem(1e-13), Vector());
      CAPTURE(k);
      CAPTURE(static_cast<int>(kind));
      if (softer.size() != 1 || stiffer.size() != 1 || !made.settled) continue;
      ++unique;
      const Vector limit = stiffer[0] + (stiffer[0] - softer[0]) / 9;
      if ((stiffer[0] - softer[0]).norm() > 1e-3 * limit.norm()) continue;  // They are not yet near their limit.
      const auto holding = (limit.array() != 0).count();
      open += singular_values(drawn.rows)(std::min(drawn.rows.rows(), drawn.rows.cols()) - 1) < 1e-9 ||
                      holding > drawn.rows.cols()
                  ? 1
                  : 0;
      CHECK((made.multipliers - limit).norm() <= 1e-5 * limit.norm());
    }
  CHECK(unique > 30);
  MESSAGE("problems with open multipliers: " << open << " of " << unique);
}

// The coordinates of a table are its height and two small angles with their masses.
namespace {

struct Table {
  std::vector<Eigen::Vector2d> legs;
  Eigen::Vector2d load = Eigen::Vector2d::Zero();  // the point at which its weight acts
};

Matrix rows_of_legs(const Table& table, const Eigen::Vector3d& masses) {
  Matrix A(static_cast<Eigen::Index>(table.legs.size()), 3);
  for (std::size_t k = 0; k < table.legs.size(); ++k)
    A.row(static_cast<Eigen::Index>(k)) = Eigen::RowVector3d(1, table.legs[k][1], -table.legs[k][0]);
  return A * masses.cwiseSqrt().cwiseInverse().asDiagonal();
}

Vector loads_of_legs(const Table& table, const Eigen::Vector3d& masses) {
  const Matrix B = rows_of_legs(table, masses);
  const Eigen::Vector3d force(-1, -table.load[1], table.load[0]);
  const Vector free = force.cwiseQuotient(masses.cwiseSqrt());
  const ConeSolution made = solve_cones(problem_of(B, -B * free, free.norm()), Vector());
  REQUIRE(made.settled);
  return made.multipliers;
}

}  // namespace

TEST_CASE("contact problems: the legs of a table share its weight as springs do, whatever its inertia") {
  Table table{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, {0.2, 0.1}};
  for (const Eigen::Vector3d& masses :
       {Eigen::Vector3d(1, 1, 1), Eigen::Vector3d(1, 0.01, 7), Eigen::Vector3d(50, 3, 0.2)}) {
    // For k z = F on a square the loads are 1/4 (1 +- 0.2 +- 0.1).
    const Vector loads = loads_of_legs(table, masses);
    CHECK((loads - Vector(Eigen::Vector4d(0.7, 1.1, 1.3, 0.9) / 4)).norm() <= 1e-12);
  }
  // If the weight is near one leg, the opposite leg lifts off and three legs carry it.
  table.load = {0.8, 0.7};
  const Vector three = loads_of_legs(table, {1, 0.1, 5});
  CHECK(three[0] == 0);
  CHECK((three - Vector(Eigen::Vector4d(0, 0.15, 0.75, 0.1))).norm() <= 1e-12);
}

TEST_CASE("contact problems: a hundred legs share as springs of 1e9 N/m do") {
  std::mt19937 source(3);
  std::uniform_real_distribution<double> place(-1, 1);
  Table table{{}, {0.1, -0.1}};
  for (int k = 0; k < 100; ++k) table.legs.emplace_back(place(source), place(source));
  // All legs are loaded. The loads are k (z + y a - x b).
  const Matrix A = rows_of_legs(table, Eigen::Vector3d::Ones());
  const Vector springs = A * minimum_norm_by_svd(A.transpose() * A, Eigen::Vector3d(1, -0.1, -0.1), 1e-14).x;
  REQUIRE(springs.minCoeff() > 0);
  CHECK((loads_of_legs(table, {1, 0.1, 20}) - springs).norm() <= 1e-9);
}

TEST_CASE("contact problems: the derivative of the natural map is that of differences") {
  for (int k = 0; k < 30; ++k) {
    const DrawnProblem drawn = draw_problem(kDrawnKinds[k % 5], 77u + static_cast<std::uint64_t>(k), 1, 6);
    const ConeProblem problem = drawn.problem(1e-13);
    NaturalMap map(problem);
    std::mt19937 source(static_cast<unsigned>(k));
    std::uniform_real_distribution<double> entry(-1, 1);
    Vector q(map.size());
    for (double& x : q) x = entry(source);
    for (const std::uint32_t row : problem.unilateral) q[row] = std::fabs(q[row]);
    map.give_way(0.1);
    map.evaluate(q);
    const Vector here = map.residual();
    NaturalMap::Derivative made;
    map.differentiate(q, made);
    Matrix J = Matrix::Zero(q.size(), static_cast<Eigen::Index>(made.unknowns.size()));
    for (const NaturalMap::Entry& e : made.entries) J(made.unknowns[e.row], e.column) += e.value;
    for (std::size_t j = 0; j < made.unknowns.size(); ++j) {
      Vector moved = q;
      moved[made.unknowns[j]] += 1e-7;
      map.evaluate(moved);
      const Vector slope = (map.residual() - here) / 1e-7;
      for (const std::uint32_t row : made.unknowns)
        CHECK(std::fabs(slope[row] - J(row, static_cast<Eigen::Index>(j))) <= 1e-5);
    }
  }
}

TEST_CASE("contact problems: rows that are held, and forces that are given by other multipliers") {
  // A block of mass 2 is on a floor with y up. Its slip is known to be along x, with a friction of 0.3 N against it.
  // The force of the floor causes a drag of 0.1 N along y. A rail fixes z.
  Matrix B = Matrix::Zero(4, 3);
  B.row(0) << 0, 1, 0;
  B.row(1) << -1, 0, 0;
  B.row(2) << 0, -1, 0;
  B.row(3) << 0, 0, 1;
  B /= std::sqrt(2.0);
  const Eigen::Vector3d free = Eigen::Vector3d(0.5, -10, 3) * std::sqrt(2.0);
  ConeProblem p;
  p.rows = rows_of(B);
  p.n = 3;
  const Vector wanted = -B * free;
  p.wanted.assign(wanted.begin(), wanted.end());
  p.unilateral = {0};
  p.given = {1, 2};
  p.held = {3};
  p.limits = [](const Vector& q, std::vector<double>& out) {
    out[0] = 0.3 * q[0];
    out[1] = 0.1 * q[0];
  };
  p.size = free.norm();
  p.tolerance = 1e-13;
  const ConeSolution made = solve_cones(p, Vector());
  REQUIRE(made.settled);
  const double floor = 20 / 0.9;  // The equation is N - 0.1 N = 20.
  CHECK((made.multipliers - Vector(Eigen::Vector4d(floor, 0.3 * floor, 0.1 * floor, -6))).norm() <= 1e-11);
}
