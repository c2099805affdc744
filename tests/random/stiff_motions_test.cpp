// SPDX-License-Identifier: Apache-2.0
// Compares `bdf` with the explicit method at a tolerance of 1e-11 on random whole models: both give the same motions
// for 1 s, or both stop. MBC_RANDOM_MODELS=n tests n/10 models.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"
#include "tests/random/how_many.h"
#include "tests/random/whole_model.h"

using namespace mbc;
using namespace mbc::test;
using Version = WholeModel::Version;

namespace {

constexpr double kSame = 1e-6;  // difference of places at a tolerance of 1e-8

std::uint64_t models() { return static_cast<std::uint64_t>(random_models(40, 10)); }

double apart(const Run& a, const Run& b) {
  double most = 0;
  for (const std::string& name : a.names)
    for (std::size_t row = 0; name.starts_with("place") && row < a.rows(); ++row)
      most = std::max(most, std::fabs(a.at(row, name) - b.at(row, name)));
  return most;
}

}  // namespace

TEST_CASE("random whole models move alike by bdf and by dopri5") {
  constexpr Version kVersions[] = {Version::plain, Version::quaternion, Version::euler_parameters, Version::natural};
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= models(); ++seed) {
    const std::string text = WholeModel(seed).text(kVersions[seed % 4]);
    const Run exact = run(text, Engine::interpreter, {}, "move");
    const Run stiff = run(replaced(text, "dopri5(rtol = 1e-11, atol = 1e-11)", "bdf(rtol = 1e-8, atol = 1e-8)"),
                          Engine::interpreter, {}, "move");
    CHECK_MESSAGE(exact.result.status == stiff.result.status, "seed " << seed << "\n" << stiff.result.rendered);
    if (exact.result.status != Status::complete || stiff.result.status != Status::complete) continue;
    CHECK_MESSAGE(apart(exact, stiff) < kSame, "seed " << seed << "\n" << text);
    ++compared;
  }
  CHECK(compared > 0);
}
