// SPDX-License-Identifier: Apache-2.0
// Tests Baumgarte's terms in the kernel: A u' = b - 2 alpha e' - beta^2 e at states off the constraints, in straight
// and looped kernels and with all three solvers. A violation along the motion is compared with its closed form.
#include <doctest/doctest.h>

#include <cmath>

#include "compiler/pipeline.h"
#include "runtime/equations/equations.h"
#include "runtime/integrators/rk4.h"
#include "tests/compiler/formulate/formulated_model.h"

using namespace mbc;
using runtime::Equations;
using runtime::SolveMode;

namespace {

// The model has two lengths, one of them redundant, a prescribed motion and a knife edge, at position and velocity
// level. The states violate all of them.
const char* const kModel =
    "mbd 1\ngravity (0.3, -9.81, 2)\n"
    "particle a(2) at (0, 1, 0) moving (0.5, 0.2, 0)\nparticle b(3) at (1, 1.5, 0.2) moving (1, -1, 0.5)\n"
    "force f on a: (1, 2, 3) - 0.1*a.vel\n"
    "constraint rod: dist(a, b) == 1.1\nconstraint blade: b.vx*a.y - b.vy*a.x == 0.3*t\n"
    "constraint crank: a.x - 0.1*sin(3*t) == 0\nconstraint pull: a.az + b.az == 1\n";

formulate::FormulateOptions options_for(bool baumgarte, bool straight) {
  formulate::FormulateOptions options;
  options.baumgarte = baumgarte;
  if (!straight) options.unrolled_limit = 0;
  return options;
}

struct Kernel : test::FormulatedModel {
  Kernel(bool baumgarte, bool straight) : FormulatedModel(kModel, options_for(baumgarte, straight)) {
    REQUIRE(compilation.ok());
    REQUIRE(made.unrolled == straight);
  }
};

constexpr double kAlpha = 4, kBeta = 7;

}  // namespace

TEST_CASE("rows ask for e'' = -2 alpha e' - beta^2 e, or e' = -alpha e") {
  for (const bool straight : {true, false}) {
    CAPTURE(straight);
    const Kernel plain(false, straight), stabilised(true, straight);
    CHECK(stabilised.made.kernel.n_params == plain.made.kernel.n_params + 2);
    CHECK(!plain.made.layout.gains);
    Equations before = plain.equations(), after = stabilised.equations();
    before.set_gains(kAlpha, kBeta);  // The kernel has no gains, so the call does nothing.
    const std::vector<double> y = plain.initial();
    std::vector<double> dy(y.size()), unheld(y.size()), defects;
    const double t = 0.2;
    for (const SolveMode mode : {SolveMode::robust, SolveMode::literal, SolveMode::fast}) {  // The gains are 0.
      CAPTURE(static_cast<int>(mode));
      before.solve_by(mode);
      after.solve_by(mode);
      REQUIRE(before.rhs(t, y.data(), unheld.data()) == 0);
      REQUIRE(after.rhs(t, y.data(), dy.data()) == 0);
      if (!straight || mode != SolveMode::fast) CHECK(dy == unheld);
      // Other products are fused if sums have additional terms.
      for (std::size_t i = 0; i < dy.size(); ++i) CHECK(std::fabs(dy[i] - unheld[i]) <= 4e-15 * (1 + std::fabs(dy[i])));
    }
    after.set_gains(kAlpha, kBeta);
    for (const SolveMode mode : {SolveMode::fast, SolveMode::robust, SolveMode::literal}) {
      CAPTURE(static_cast<int>(mode));
      after.solve_by(mode);
      REQUIRE(after.rhs(t, y.data(), dy.data()) == 0);
      before.row_defects(t, y.data(), dy.data(), defects);  // The defects are A u' - b with b without the terms.
      before.residuals(t, y.data());
      const double *e = before.position_residual(), *rate = before.velocity_residual();
      const double wanted[] = {-2 * kAlpha * rate[0] - kBeta * kBeta * e[0], -kAlpha * rate[1],
                               -2 * kAlpha * rate[2] - kBeta * kBeta * e[2], 0};
      for (std::size_t k = 0; k < 4; ++k) {
        if (k < 3) CHECK(std::fabs(wanted[k]) > 0.1);
        CHECK(defects[k] == doctest::Approx(wanted[k]).epsilon(1e-12));
      }
      after.row_defects(t, y.data(), dy.data(), defects);
      for (const double d : defects) CHECK(std::fabs(d) < 1e-12);
    }
  }
}

TEST_CASE("a large violation decays as the linear equation says, whatever the row") {
  const Kernel stabilised(true, true);
  for (const auto& [alpha, beta] : {std::pair{4.0, 7.0}, std::pair{5.0, 5.0}, std::pair{6.0, 2.0}}) {
    CAPTURE(alpha);
    CAPTURE(beta);
    Equations equations = stabilised.equations();
    equations.set_gains(alpha, beta);
    std::vector<double> y = stabilised.initial(), k1(y.size());
    equations.residuals(0, y.data());
    const double e0 = equations.position_residual()[0], rate0 = equations.velocity_residual()[0],
                 blade0 = equations.velocity_residual()[1];
    REQUIRE(std::fabs(e0) > 1e-3);
    REQUIRE(std::fabs(blade0) > 1e-2);
    runtime::Rk4 rk4(y.size());
    const auto rhs = [&](double t, const double* x, double* dx) { return equations.rhs(t, x, dx); };
    const double h = 1e-4;
    for (int step = 1; step <= 8000; ++step) {
      const double t = (step - 1) * h;
      REQUIRE(rhs(t, y.data(), k1.data()) == 0);
      REQUIRE(rk4.step(rhs, t, h, y, k1) == 0);
      y = rk4.y_new();
      if (step % 1000 != 0) continue;
      const double now = step * h, d2 = beta * beta - alpha * alpha, d = std::sqrt(std::fabs(d2));
      const double c = d2 > 0 ? std::cos(d * now) : std::cosh(d * now);
      const double s = d2 == 0 ? now : (d2 > 0 ? std::sin(d * now) : std::sinh(d * now)) / d;
      equations.residuals(now, y.data());
      CHECK(std::fabs(equations.position_residual()[0] - std::exp(-alpha * now) * (e0 * c + (rate0 + alpha * e0) * s)) <
            1e-10);
      CHECK(std::fabs(equations.velocity_residual()[1] - blade0 * std::exp(-alpha * now)) < 1e-10);
    }
  }
}
