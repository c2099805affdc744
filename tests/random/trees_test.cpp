// SPDX-License-Identifier: Apache-2.0
// Tests random mechanisms whose joints become coordinates (`bodies = tree`) against the same text with free bodies and
// rows: places, velocities, accelerations, reactions and outputs along a motion. Both engines give the same bits.
// MBC_RANDOM_MODELS=n tests n/10 mechanisms from MBC_RANDOM_SEED on.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "tests/physics/run.h"
#include "tests/random/how_many.h"
#include "tests/random/mechanism.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kSame = 1e-7;         // of the largest number of a column in the run
constexpr double kSameAtStart = 1e-9;  // of the largest number of the first row, reactions among them

// Returns whether the column is an entry of a quaternion, which is known up to its sign.
bool is_quaternion(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  return last.size() == 2 && last[0] == 'p' && last[1] >= '0' && last[1] <= '3';
}

// An angle of `init` leads a body in the plane that rows hold along the shorter way.
bool is_angle_of_body(const std::string& name) { return name[0] == 'b' && name.ends_with(".angle"); }

double apart(const std::string& name, double x, double y) {
  if (is_angle_of_body(name)) return std::fabs(std::remainder(x - y, 2 * M_PI));
  return is_quaternion(name) ? std::fmin(std::fabs(x - y), std::fabs(x + y)) : std::fabs(x - y);
}

bool is_reaction(const std::string& name) {
  return name.find(".lambda") != std::string::npos || name.find(".reaction") != std::string::npos ||
         name.find(".moment") != std::string::npos;
}

// Rows that depend on each other have no unique multipliers: then reactions are left out.
bool is_unique(const Run& run, const std::string& name) {
  return run.result.rank == static_cast<int>(run.result.constraints.size()) || !is_reaction(name);
}

struct Worst {
  double value = 0;
  std::string where;
};

// Returns the largest difference of a column, relative to its largest number and 1.
Worst difference(const Run& found, const Run& expected) {
  Worst worst;
  REQUIRE(found.rows() == expected.rows());
  for (const std::string& name : expected.names) {
    if (!is_unique(expected, name)) continue;
    double size = 1, most = 0;
    for (std::size_t row = 0; row < expected.rows(); ++row) {
      size = std::fmax(size, std::fabs(expected.at(row, name)));
      most = std::fmax(most, apart(name, found.at(row, name), expected.at(row, name)));
    }
    if (!(most <= worst.value * size)) worst = {most / size, name};
  }
  return worst;
}

// Returns the largest difference in the first row, relative to its largest number and 1.
Worst difference_at_start(const Run& found, const Run& expected) {
  Worst worst;
  double size = 1;
  for (const std::string& name : expected.names)
    if (is_unique(expected, name)) size = std::fmax(size, std::fabs(expected.at(0, name)));
  for (const std::string& name : expected.names) {
    if (!is_unique(expected, name)) continue;
    const double off = apart(name, found.at(0, name), expected.at(0, name)) / size;
    if (!(off <= worst.value)) worst = {off, name};
  }
  return worst;
}

}  // namespace

TEST_CASE("random mechanisms move alike with joints as coordinates and as rows") {
  const std::uint64_t first = first_random_seed();
  const int count = random_models(100, 10);
  std::size_t rows_left = 0, rows_of_all = 0, reactions = 0;
  int stopped = 0;
  std::string stops;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(count); ++seed) {
    const Mechanism model(seed);
    INFO(seed << "\n" << model.text());
    const Run rows = run(model.text());
    if (rows.result.status != Status::complete) continue;  // beside a singular position of its rows, or no such start
    const Run tree = run(model.text(), Engine::interpreter, {"bodies=tree"});
    if (tree.result.status != Status::complete) {  // beside one of the rows that are left, with a reason that it says
      REQUIRE(tree.result.diagnostic.has_value());
      stops += std::to_string(seed) + ": " + tree.code() + " " + tree.result.diagnostic->message + "\n";
      ++stopped;
      continue;
    }
    rows_left += tree.result.constraints.size();
    rows_of_all += rows.result.constraints.size();
    for (const std::string& name : rows.names) reactions += is_reaction(name) && is_unique(rows, name) ? 1 : 0;
    const Worst first_row = difference_at_start(tree, rows);
    CHECK_MESSAGE(first_row.value <= kSameAtStart, first_row.where << " begins off by " << first_row.value);
    const Worst worst = difference(tree, rows);
    CHECK_MESSAGE(worst.value <= kSame, worst.where << " is off by " << worst.value);
  }
  CHECK(rows_left < rows_of_all / 2);
  CHECK_MESSAGE(stopped <= count / 500, stops);
  CHECK(reactions > static_cast<std::size_t>(count));
}

// Articulated inertias are cheaper than the entries of M only in trees of about 20 joints.
TEST_CASE("random large mechanisms move alike with joints as coordinates and as rows") {
  const std::uint64_t first = first_random_seed();
  const int count = random_models(3, 100);
  int compared = 0;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(count); ++seed) {
    const Mechanism model(seed, 22);
    INFO(seed << "\n" << model.text());
    const Run rows = run(model.text());
    if (rows.result.status != Status::complete) continue;
    const Run tree = run_both(model.text(), {"bodies=tree"});
    REQUIRE(tree.result.status == Status::complete);
    const Worst first_row = difference_at_start(tree, rows);
    CHECK_MESSAGE(first_row.value <= kSameAtStart, first_row.where << " begins off by " << first_row.value);
    const Worst worst = difference(tree, rows);
    CHECK_MESSAGE(worst.value <= kSame, worst.where << " is off by " << worst.value);
    ++compared;
  }
  CHECK(compared > 0);
}

// The angles of joints count turns with rows as with coordinates: they are not compared modulo whole turns.
TEST_CASE("random mechanisms turn on over half a turn alike with joints as coordinates and as rows") {
  const std::uint64_t first = first_random_seed();
  const int count = random_models(60, 10);
  int compared = 0, turned = 0, rubbing = 0;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(count); ++seed) {
    const Mechanism model(seed, 0, true);
    INFO(seed << "\n" << model.text());
    const Run rows = run(model.text());
    if (rows.result.status != Status::complete) continue;
    const Run tree = run(model.text(), Engine::interpreter, {"bodies=tree"});
    if (tree.result.status != Status::complete) continue;
    ++compared;
    rubbing += model.text().find("JointFriction") != std::string::npos ? 1 : 0;
    for (const std::string& name : rows.names)
      if (name.ends_with("angle") && name[0] == 'j') turned += std::fabs(rows.last(name)) > M_PI ? 1 : 0;
    const Worst worst = difference(tree, rows);
    CHECK_MESSAGE(worst.value <= kSame, worst.where << " is off by " << worst.value);
  }
  CHECK(compared >= count / 2);
  CHECK(turned >= count / 10);
  CHECK(rubbing > 0);
}

TEST_CASE("random mechanisms with joints as coordinates: both engines give the same bits") {
  const std::uint64_t first = first_random_seed();
  std::vector<std::uint64_t> seeds{97};  // LLVM's SLPVectorizer made a wrong mass matrix of it.
  for (int k = 0; k < random_models(10, 100); ++k) seeds.push_back(first + static_cast<std::uint64_t>(k));
  for (const std::uint64_t seed : seeds) {
    const Mechanism model(seed);
    INFO(seed);
    run_both(model.text(), {"bodies=tree"});
  }
}
