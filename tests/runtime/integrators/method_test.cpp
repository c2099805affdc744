// SPDX-License-Identifier: Apache-2.0
// What the list of settings says of each integrator, compared with what its class does.
#include "runtime/integrators/method.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace mbc;
using namespace mbc::runtime;

namespace {

struct Made {
  double error = 0;
  int evaluations = 0;
};

// y' = y cos t, y = exp(sin t), in so many steps from 0 to 4. The rate at the beginning of a step is one evaluation.
Made solved(Integrator integrator, int steps) {
  Method method(integrator, 1);
  Made made;
  const auto rhs = [&](double t, const double* y, double* dy) {
    dy[0] = y[0] * std::cos(t);
    ++made.evaluations;
    return std::int32_t{0};
  };
  const double h = 4.0 / steps;
  std::vector<double> y{1}, rate(1);
  for (int i = 0; i < steps; ++i) {
    rhs(i * h, y.data(), rate.data());
    REQUIRE(method.step(rhs, i * h, h, y, rate) == 0);
  }
  made.error = std::fabs(y[0] - std::exp(std::sin(4.0)));
  return made;
}

std::vector<Integrator> fixed_ones() {
  std::vector<Integrator> out;
  for (std::size_t k = 0; k < settings::choices(settings::Key::integrator).size(); ++k)
    if (settings::info_of(static_cast<Integrator>(k)).calls > 0) out.push_back(static_cast<Integrator>(k));
  return out;
}

}  // namespace

TEST_CASE("a step of fixed size has the order that the list says") {
  REQUIRE(fixed_ones().size() == 7);
  for (const Integrator integrator : fixed_ones()) {
    CAPTURE(to_text(integrator));
    const int steps = settings::info_of(integrator).order > 6 ? 12 : 64;
    const double order = std::log2(solved(integrator, steps).error / solved(integrator, 2 * steps).error);
    CHECK(order > settings::info_of(integrator).order - 0.4);
    CHECK(order < settings::info_of(integrator).order + 1.2);
  }
}

TEST_CASE("explicit methods evaluate as often as the list says, behind the first steps") {
  for (const Integrator integrator : {Integrator::rk4, Integrator::ab4, Integrator::dopri5, Integrator::dop853}) {
    CAPTURE(to_text(integrator));
    const int more = solved(integrator, 20).evaluations - solved(integrator, 10).evaluations;
    CHECK(more == 10 * settings::info_of(integrator).calls);
  }
}

TEST_CASE("what makes single steps of the order of a method makes steps of fixed size, and remembers nothing") {
  for (std::size_t k = 0; k < settings::choices(settings::Key::integrator).size(); ++k) {
    const auto integrator = static_cast<Integrator>(k);
    CAPTURE(to_text(integrator));
    const settings::IntegratorInfo& single = settings::info_of(settings::info_of(integrator).single);
    CHECK(single.calls > 0);
    CHECK(settings::info_of(single.single).single == single.single);
    CHECK_FALSE(settings::remembers_rates(single.single));
    CHECK(settings::remembers_rates(integrator) == (integrator == Integrator::ab4));
  }
}

TEST_CASE("a method that remembers rates forgets them") {
  Method method(Integrator::ab4, 1);
  const auto rhs = [](double, const double*, double* dy) {
    dy[0] = 1;
    return std::int32_t{0};
  };
  std::vector<double> y{0};
  for (int i = 0; i < 4; ++i) REQUIRE(method.step(rhs, i, 1, y, {1}) == 0);
  CHECK(y[0] == doctest::Approx(4));
  method.forget_history();
  REQUIRE(method.step(rhs, 4, 1, y, {7}) == 0);  // by Runge and Kutta: (7 + 2 + 2 + 1)/6
  CHECK(y[0] == doctest::Approx(6));
}
