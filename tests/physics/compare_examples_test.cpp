// SPDX-License-Identifier: Apache-2.0
// Compares every example under every applicable formulation and every representation of its bodies. They give the same
// accelerations at random consistent states, including redundant and singular mechanisms. MBC_RANDOM_MODELS=n uses n
// states for each.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kAgree = 1e-9;

int wanted_states() {
  const char* text = std::getenv("MBC_RANDOM_MODELS");
  return text ? std::max(1, std::atoi(text)) : 25;
}

// The result includes the examples of the seeds, such as "seeds/004_bodies/triple_pendulum".
std::vector<std::string> examples() {
  const std::filesystem::path root = MBC_SOURCE_DIR "/examples";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".mbd")
      names.push_back(entry.path().lexically_relative(root).replace_extension().string());
  std::sort(names.begin(), names.end());
  return names;
}

CompareOptions accelerations_only(const std::string& name) {
  CompareOptions options;
  options.compile.interpret = true;
  options.compile.folder = std::filesystem::path(MBC_SOURCE_DIR "/examples/" + name).parent_path();
  options.run = false;
  options.simulation = Model::from_string(example(name), name, options.compile).simulations().front();
  options.samples = wanted_states();
  return options;
}

// If unilateral constraints leave little room (balls in a row keep their order), few random states are consistent, and
// more are drawn.
constexpr int kMany = 100;

Comparison compared(const std::string& name, CompareOptions options) {
  Comparison c = compare_text(example(name), name, options);
  if (c.samples > 0) return c;
  options.samples = kMany;
  return compare_text(example(name), name, options);
}

// Near a singular position accelerations are known only to eps over the distance, and the elimination of `augmented`
// ends with a pivot that is the square of the distance.
constexpr double kNear = 1e-6, kConditioned = 1e-15;

void check(const Comparison& c) {
  CHECK(c.samples > 0);
  const double agree = std::max(kAgree, kConditioned / c.nearest_singular);
  for (std::size_t k = 0; k < c.methods.size(); ++k) {
    const ComparedMethod& m = c.methods[k];
    if (!m.applied || k == c.reference || !m.acceleration) continue;
    CAPTURE(m.formulation);
    CAPTURE(m.bodies);
    CAPTURE(m.acceleration->name);
    if (m.formulation == "augmented" && c.nearest_singular < kNear) continue;
    CHECK(m.acceleration->relative <= agree);
  }
}

}  // namespace

TEST_CASE("formulations give every example the same accelerations") {
  const std::vector<std::string> names = examples();
  CHECK(names.size() >= 30);
  for (const std::string& name : names) {
    CAPTURE(name);
    const Comparison c = compared(name, accelerations_only(name));
    REQUIRE(c.reference);
    CHECK(c.applied() >= 2);
    check(c);
  }
}

TEST_CASE("representations give every example with bodies the same accelerations") {
  int seen = 0;
  for (const std::string& name : examples()) {
    CAPTURE(name);
    CompareOptions options = accelerations_only(name);
    options.formulations = {"udwadia_kalaba", "augmented"};
    options.bodies = {"quaternion", "euler_parameters", "natural"};
    const Comparison c = compared(name, options);
    if (c.applied() < 3) continue;  // The model has no bodies or is in the plane.
    ++seen;
    CHECK(c.applied() == 6);
    for (const ComparedMethod& m : c.methods) CHECK(m.states_failed == 0);
    check(c);
  }
  CHECK(seen >= 12);
}
