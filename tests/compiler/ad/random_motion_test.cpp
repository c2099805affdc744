// SPDX-License-Identifier: Apache-2.0
// Tests ad::differentiate and ad::time_derivative on random guarded expressions of all three levels, with Cartesian
// coordinates, a quaternion body and random kinematics q' = W(q,t) u + X(q,t).
#include <doctest/doctest.h>

#include <string>

#include "tests/compiler/ad/error_stats.h"
#include "tests/compiler/ad/motion_oracle.h"

namespace mbc::test {
namespace {

using graph::Graph;
using graph::NodeId;

struct Errors {
  std::string name;
  ErrorStats rate{name + ": e'"}, bias{name + ": g"}, jacobian{name + ": J by duals"},
      complex{name + ": J by complex step"};
  ErrorStats prime{name + ": primes"}, row{name + ": J u' + g"};
  std::size_t malformed = 0;  // number of rows that are out of order or have no rate
};

void add(ErrorStats& stats, double got, const Guarded& expected, std::size_t case_number) {
  if (expected.well_conditioned)
    stats.add(got, expected.value, case_number);
  else
    stats.skip();
}

// Returns the row as numbers: rate, bias, and then J for every speed (0 for absent entries).
std::vector<double> row_numbers(const Graph& g, const ad::Row& row, const Point& point) {
  std::vector<NodeId> roots{row.rate.valid() ? row.rate : row.bias, row.bias};
  for (const auto& entry : row.jacobian) roots.push_back(entry.second);
  const std::vector<double> values = evaluate_graph(g, roots, point);
  std::vector<double> result(2 + point.u.size(), 0);
  result[0] = values[0];
  result[1] = values[1];
  for (std::size_t i = 0; i < row.jacobian.size(); ++i) result[2 + row.jacobian[i].first] = values[2 + i];
  return result;
}

bool ascending(const ad::Row& row) {
  for (std::size_t i = 1; i < row.jacobian.size(); ++i)
    if (row.jacobian[i - 1].first >= row.jacobian[i].first) return false;
  return true;
}

void compare(Errors& errors, const std::vector<double>& got, const std::vector<Guarded>& expected,
             const std::vector<Real>& by_complex, std::size_t n) {
  add(errors.rate, got[0], expected[0], n);
  add(errors.bias, got[1], expected[1], n);
  for (std::size_t j = 0; j < by_complex.size(); ++j) {
    add(errors.jacobian, got[2 + j], expected[2 + j], n);
    if (expected[2 + j].well_conditioned && expected[2 + j].value != 0)
      errors.complex.add(got[2 + j], by_complex[j], n);
  }
}

// Compares J u' + g of the row, in double, with the whole derivative at these accelerations.
void compare_sum(Errors& errors, const std::vector<double>& row, double prime, const Point& point,
                 const Guarded& expected, std::size_t n) {
  add(errors.prime, prime, expected, n);
  Real sum = row[1], scale = std::fabs(row[1]);
  for (std::size_t j = 0; j < point.u.size(); ++j) {
    sum += static_cast<Real>(row[2 + j]) * point.a[j];
    scale += std::fabs(row[2 + j] * point.a[j]);
  }
  if (expected.well_conditioned)
    errors.row.add(static_cast<double>(sum), expected.value, std::max(scale, std::fabs(expected.value)), n);
}

void check_position(Errors& errors, const Tree& e, const Kinematics& k, const Point& point, std::size_t n) {
  Graph g;
  const NodeId root = build(g, e);
  const ad::Motion motion = build_motion(g, k);
  const ad::Row row = ad::differentiate(g, root, ad::Level::position, motion);
  errors.malformed += !ascending(row) || !row.rate.valid();
  const std::vector<double> got = row_numbers(g, row, point);
  const auto expected = guarded([&](SplitMix64* noise) { return position_by_duals(e, k, point, noise).flat(); }, n);
  compare(errors, got, expected, position_jacobian(e, k, point), n);

  const NodeId twice = ad::time_derivative(g, ad::time_derivative(g, root, motion), motion);
  const auto whole = guarded([&](SplitMix64* noise) { return std::vector<Real>{second_rate(e, k, point, noise)}; }, n);
  compare_sum(errors, got, evaluate_graph(g, {&twice, 1}, point)[0], point, whole[0], n);
}

void check_velocity(Errors& errors, const Tree& e, const Kinematics& k, const Point& point, std::size_t n) {
  Graph g;
  const NodeId root = build(g, e);
  const ad::Motion motion = build_motion(g, k);
  const ad::Row row = ad::differentiate(g, root, ad::Level::velocity, motion);
  errors.malformed += !ascending(row) || row.rate.valid();
  const std::vector<double> got = row_numbers(g, row, point);
  const auto expected = guarded([&](SplitMix64* noise) { return velocity_by_duals(e, k, point, noise).flat(); }, n);
  compare(errors, got, expected, velocity_jacobian(e, point), n);

  const NodeId once = ad::time_derivative(g, root, motion);
  const auto whole = guarded([&](SplitMix64* noise) { return std::vector<Real>{first_rate(e, k, point, noise)}; }, n);
  compare_sum(errors, got, evaluate_graph(g, {&once, 1}, point)[0], point, whole[0], n);

  // The time derivative is an acceleration-level expression and must have the same row.
  if (ad::level_of(g, once) != ad::Level::acceleration) return;
  const ad::Row again = ad::differentiate(g, once, ad::Level::acceleration, motion);
  const std::vector<double> same = row_numbers(g, again, point);
  add(errors.bias, same[1], expected[1], n);
  for (std::size_t j = 0; j < point.u.size(); ++j) add(errors.jacobian, same[2 + j], expected[2 + j], n);
}

void check_stats(ErrorStats& stats, double nonzero_part) {
  MBC_FIGURES(stats);
  CHECK(stats.quantile(0.9999) <= 1e-12);
  CHECK(stats.worst() <= 1e-10);
  CHECK(stats.kept() >= 0.8);
  CHECK(static_cast<double>(stats.nonzero()) >= nonzero_part * static_cast<double>(stats.count()));
}

void check_all(Errors& errors) {
  CHECK(errors.malformed == 0);
  check_stats(errors.rate, 0.6);
  check_stats(errors.bias, 0.6);
  check_stats(errors.jacobian, 0.2);
  check_stats(errors.complex, 0.9);
  check_stats(errors.prime, 0.7);
  check_stats(errors.row, 0.7);
}

using Check = void (*)(Errors&, const Tree&, const Kinematics&, const Point&, std::size_t);

// Tests `cases` expressions, ten at each point. `kinematics_at` makes a motion that is valid there.
template <class F>
void run(const char* name, std::uint64_t seed, std::uint32_t cases, bool with_speeds, F&& kinematics_at, Check check) {
  Errors errors{name};
  Rng rng(seed);
  for (std::size_t n = 0; n < random_cases(cases);) {
    Point point;
    const Kinematics k = kinematics_at(rng, point);
    LeafCounts counts = k.counts;
    if (!with_speeds) counts.u = 0;
    Generator generator(rng, point, counts);
    for (int i = 0; i < 10; ++i, ++n) check(errors, generator.make(3 + rng.below(10u)), k, point, n);
  }
  check_all(errors);
}

Kinematics cartesian_at(Rng& rng, Point& point) {
  const Kinematics k = cartesian(3);
  point = random_point(rng, k.counts);
  return k;
}
Kinematics rigid_body_at(Rng& rng, Point& point) {
  const Kinematics k = rigid_body();
  point = random_point(rng, k.counts);
  double norm = 0;
  for (std::size_t i = 0; i < 4; ++i) norm += point.q[i] * point.q[i];
  for (std::size_t i = 0; i < 4; ++i) point.q[i] /= std::sqrt(norm);
  return k;
}
Kinematics random_at(Rng& rng, Point& point) {
  const LeafCounts counts{3, 2, 0, 2};
  point = random_point(rng, counts);
  return random_kinematics(rng, point, counts);
}
Kinematics with_states_at(Rng& rng, Point& point) {
  const LeafCounts counts{2, 2, 2, 1};
  point = random_point(rng, counts);
  return random_kinematics(rng, point, counts);
}

TEST_CASE("position level, Cartesian coordinates") { run("cartesian", 1, 10000, false, cartesian_at, check_position); }
TEST_CASE("position level, quaternion body") { run("quaternion", 2, 5000, false, rigid_body_at, check_position); }
TEST_CASE("position level, random W and X") { run("random W, X", 3, 10000, false, random_at, check_position); }
TEST_CASE("position level, first-order states") { run("states", 8, 5000, false, with_states_at, check_position); }
TEST_CASE("velocity level, Cartesian coordinates") { run("cartesian v", 4, 5000, true, cartesian_at, check_velocity); }
TEST_CASE("velocity level, quaternion body") { run("quaternion v", 5, 5000, true, rigid_body_at, check_velocity); }
TEST_CASE("velocity level, random W and X") { run("random v", 6, 5000, true, random_at, check_velocity); }
TEST_CASE("velocity level, first-order states") { run("states v", 7, 5000, true, with_states_at, check_velocity); }

// For f plus the sum of m_k u'_k with random m_k and f, the row is (m_k, f).
TEST_CASE("acceleration level, random coefficients") {
  ErrorStats jacobian("linear: J"), bias("linear: g");
  Rng rng(9);
  for (std::size_t n = 0; n < random_cases(5000); ++n) {
    Point point;
    const Kinematics k = cartesian_at(rng, point);
    Generator generator(rng, point, k.counts);
    std::vector<Tree> parts;
    for (std::size_t j = 0; j <= point.u.size(); ++j) parts.push_back(generator.make(2 + rng.below(5u)));
    Tree e = parts.back();
    for (std::uint32_t j = 0; j < point.u.size(); ++j) {
      const std::uint32_t sum = e.root(), m = e.append(parts[j]);
      e.op(Op::add, sum, e.op(Op::mul, e.leaf(LeafKind::accel, j), m));
    }
    Graph g;
    const NodeId root = build(g, e);
    const ad::Row row = ad::differentiate(g, root, ad::Level::acceleration, build_motion(g, k));
    const std::vector<double> got = row_numbers(g, row, point);
    const auto expected = guarded(
        [&](SplitMix64* noise) {
          std::vector<Real> values;
          for (const Tree& part : parts) values.push_back(evaluate(part, lift<Real>(point), noise));
          return values;
        },
        n);
    for (std::size_t j = 0; j < point.u.size(); ++j) add(jacobian, got[2 + j], expected[j], n);
    add(bias, got[1], expected.back(), n);
  }
  check_stats(jacobian, 0.9);
  check_stats(bias, 0.9);
}

}  // namespace
}  // namespace mbc::test
