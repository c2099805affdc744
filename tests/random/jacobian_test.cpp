// SPDX-License-Identifier: Apache-2.0
// Compares the Jacobian of the rates of random whole models with differences of the rates: Richardson's extrapolation
// of central differences, for every formulation that integrates [q; u; s] and every representation of the bodies, at
// states off the constraints. Compiled partial derivatives have the bits of interpreted ones. The slopes of loads that
// time steps ask for are compared with differences of M u'.
// MBC_RANDOM_MODELS=n tests n/10 models.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "compiler/formulate/partials.h"
#include "jit/engine.h"
#include "runtime/contact/timestep/load_slopes.h"
#include "runtime/equations/rate_jacobian.h"
#include "tests/compiler/formulate/model_kernel.h"
#include "tests/random/how_many.h"
#include "tests/random/whole_model.h"

using namespace mbc;
using namespace mbc::test;
using runtime::Equations;
using runtime::RateJacobian;
using Version = WholeModel::Version;

namespace {

constexpr double kSame = 1e-8;     // relative to the largest entry, times the error that the differences show
constexpr double kDoubtful = 1e3;  // Rounding dominates the differences of larger entries.

std::uint32_t models() { return static_cast<std::uint32_t>(random_models(60, 10)); }

// A Subject is one text in one formulation.
struct Subject {
  Subject(const std::string& text, const formulate::Formulation& method, std::uint64_t unrolled_limit) {
    compilation = analyse("model.mbd", text, {});
    for (const Diagnostic& d : compilation.sink.sorted()) CHECK_MESSAGE(false, d.message());
    REQUIRE(compilation.ok());
    formulate::FormulateOptions options;
    options.formulation = &method;
    options.unrolled_limit = unrolled_limit;
    made = formulate::formulate(compilation.system, options);
    code.partials = formulate::formulate_partials(compilation.system, made.layout);
    CHECK(kernel::verify(code.partials.kernel) == "");
    equations.emplace(made.kernel, made.layout, nullptr, sema::parameter_values(compilation.model));
    jacobian.emplace(code, *equations);
  }

  [[nodiscard]] std::vector<double> initial() const { return initial_state(compilation, made.layout.n_y()); }

  Compilation compilation;
  formulate::Formulated made;
  runtime::PartialsCode code;
  std::optional<Equations> equations;
  std::optional<RateJacobian> jacobian;
};

// Returns the derivative of the rates by entry `by` from extrapolated central differences T(h), T(h/2), ... The last
// two extrapolations differ by `error`.
std::vector<double> differences(Equations& e, double t, const std::vector<double>& y, std::size_t by, double& error) {
  constexpr int kLevels = 6;
  const std::size_t n = y.size();
  std::array<std::vector<double>, kLevels> row, before;
  std::vector<double> best(n), plus(n), minus(n);
  error = 1e300;
  double h = 0.04 * std::max(1.0, std::fabs(y[by]));
  for (int level = 0; level < kLevels; ++level, h /= 2) {
    std::vector<double> at = y;
    at[by] = y[by] + h;
    e.rhs(t, at.data(), plus.data());
    at[by] = y[by] - h;
    e.rhs(t, at.data(), minus.data());
    row[0].resize(n);
    for (std::size_t i = 0; i < n; ++i) row[0][i] = (plus[i] - minus[i]) / (2 * h);
    double power = 1;
    for (std::size_t k = 1; k <= static_cast<std::size_t>(level); ++k) {
      power *= 4;
      row[k].resize(n);
      double change = 0;
      for (std::size_t i = 0; i < n; ++i) {
        row[k][i] = row[k - 1][i] + (row[k - 1][i] - before[k - 1][i]) / (power - 1);
        change = std::max({change, std::fabs(row[k][i] - row[k - 1][i]), std::fabs(row[k][i] - before[k - 1][i])});
      }
      if (change < error) {
        error = change;
        best = row[k];
      }
    }
    before = row;
  }
  return best;
}

struct Tally {
  std::uint32_t compared = 0, doubtful = 0;
  double largest = 0;
};

void compare(Subject& s, double t, const std::vector<double>& y, const std::string& told, Tally& tally) {
  REQUIRE_MESSAGE(s.jacobian->evaluate(t, y.data()), told);
  const Eigen::MatrixXd J = s.jacobian->matrix();
  const double size = std::max(1.0, J.cwiseAbs().maxCoeff());
  if (size > kDoubtful || s.equations->skipped_row()) {
    ++tally.doubtful;
    return;
  }
  for (std::uint32_t j = 0; j < s.jacobian->size(); ++j) {
    double error = 0;
    const std::vector<double> d = differences(*s.equations, t, y, j, error);
    if (!(error < 0.1 * kSame * size)) {  // A discontinuity or a fast function makes the differences inaccurate.
      ++tally.doubtful;
      continue;
    }
    for (std::uint32_t i = 0; i < s.jacobian->size(); ++i) {
      const double off = std::fabs(J(i, j) - d[i]) / size;
      tally.largest = std::max(tally.largest, off);
      CHECK_MESSAGE(off <= kSame, told << "entry " << i << ", " << j << ": " << J(i, j) << " and " << d[i]);
    }
    ++tally.compared;
  }
}

// A displacement satisfies the row, and stiff forces lead to another displacement than masses do.
void displaced(Subject& s, const std::vector<double>& y) {
  REQUIRE(s.jacobian->evaluate(0.4, y.data()));
  std::vector<double> before;
  for (const double gamma : {0.0, 0.5}) {
    s.jacobian->weigh(gamma);
    const double e = 0.3;
    const std::vector<double> w = s.jacobian->displacement(&e);
    double row = 0;
    for (std::uint32_t k = 0; k < s.made.layout.row_ptr[1]; ++k)
      row += s.equations->row_values()[k] * w[s.made.layout.column[k]];
    CHECK(row == doctest::Approx(-e).epsilon(1e-12));
    CHECK(w != before);
    before = w;
  }
}

// Returns null without a back end.
std::unique_ptr<jit::Engine> native_engine() {
#ifdef MBC_HAVE_JIT
  std::string error;
  return jit::load_engine(error);
#else
  return nullptr;
#endif
}

}  // namespace

TEST_CASE("the Jacobian with friction that depends on reactions, and with states") {
  const char* const texts[] = {
      "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle p(1.7) at (1, 0.4) moving (-0.5, -0.4)\n"
      "particle c(0.4) at (1.5, 0.9) moving (0, 0.3)\nforce s on c from p: -20*(c.pos - p.pos)\n"
      "constraint wire: p.y == 0.4*p.x^2 nonideal { force rub on p: "
      "-0.2*norm(wire.ideal)*p.vel/sqrt(dot(p.vel, p.vel) + 0.0025) }\n",
      "mbd 1\ncoord x = 0.3 rate 0.2\nstate i = 0.1 where i' = 3*(x - i) + sin(x')*i\nkinetic T: (1 + x^2)*x'^2/2\n"
      "load f on x: -4*i*x' - i^2*cos(t)\n"};
  for (const char* text : texts)
    for (const formulate::Formulation* method : {&formulate::kUdwadiaKalaba, &formulate::kAugmented})
      for (const std::uint64_t limit : {0u, 1u << 30}) {
        Subject s(text, *method, limit);
        std::vector<double> y = s.initial();
        Rng rng(7);
        Tally tally;
        for (std::uint32_t k = 0; k < s.made.layout.work_at(); ++k) y[k] += rng.between(-0.05, 0.05);
        compare(s, 0.4, y, text, tally);
        CHECK(tally.compared == s.jacobian->size());
        if (s.made.layout.n_rows > 0) displaced(s, y);
      }
}

TEST_CASE("the Jacobian of random whole models is that of differences, in every formulation and representation") {
  const std::unique_ptr<jit::Engine> engine = native_engine();
  Tally tally;
  std::uint32_t native = 0;
  for (std::uint64_t seed = 1; seed <= models(); ++seed) {
    const WholeModel model(seed);
    Rng rng(seed);
    const std::array versions{Version::plain, Version::quaternion, Version::euler_parameters, Version::natural};
    const std::array methods{&formulate::kUdwadiaKalaba, &formulate::kAugmented, &formulate::kMaggi};
    const Version version = versions[seed % versions.size()];
    const formulate::Formulation& method = *methods[seed / versions.size() % methods.size()];
    const std::string text = model.text(version), told = "seed " + std::to_string(seed) + " " + text + "\n";
    Subject s(text, method, seed % 2 == 0 ? 0 : 1u << 30);
    std::vector<double> y = s.initial();
    for (std::uint32_t k = 0; k < s.made.layout.work_at(); ++k) y[k] += rng.between(-0.05, 0.05);
    const double t = rng.between(0, 2);
    compare(s, t, y, told, tally);
    if (!engine || seed % 4 != 0) continue;
    std::string error;
    const kernel::Kernel& k = s.code.partials.kernel;
    const auto code = engine->compile(k, {}, error);
    REQUIRE_MESSAGE(code, error);
    const std::vector<double> params = s.equations->params(), inputs(k.n_inputs), mask(k.n_mask, 1.0);
    const KernelArguments a{t, y, params, inputs, mask};
    CHECK_MESSAGE(same_bits(interpreted(k, "partials", a).work, executed(k, code->function("partials"), a).work), told);
    ++native;
  }
  CHECK(tally.compared > 9 * tally.doubtful);
  if (engine) CHECK(native > 0);
  if (!long_run_of_models()) return;
  std::printf("%u columns compared, largest difference %.2g, %u doubtful\n", tally.compared, tally.largest,
              tally.doubtful);
}

namespace {

// M u' at a state of a model without rows, which is the sum of the loads where gyroscopic terms vanish.
std::vector<double> loads_at(const Subject& s, Equations& e, double t, const std::vector<double>& y) {
  const kernel::SystemLayout& l = s.made.layout;
  std::vector<double> rate(l.n_y()), f(l.n_speeds);
  REQUIRE(e.rhs(t, y.data(), rate.data()) == 0);
  e.assemble(t, y.data());
  for (std::size_t k = 0; k < l.mass.size(); ++k) {
    const auto [i, j] = l.mass[k];
    f[i] += e.mass_values()[k] * rate[l.speeds_at() + j];
    if (i != j) f[j] += e.mass_values()[k] * rate[l.speeds_at() + i];
  }
  return f;
}

// The derivative of the loads along a change of the state, by central differences of order 4.
std::vector<double> along(const Subject& s, Equations& e, double t, const std::vector<double>& y,
                          const std::vector<double>& way) {
  constexpr double h = 1e-3;
  std::vector<double> out(s.made.layout.n_speeds);
  for (const auto& [at, weight] : {std::pair{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}}) {
    std::vector<double> there = y;
    for (std::size_t i = 0; i < way.size(); ++i) there[i] += at * h * way[i];
    const std::vector<double> f = loads_at(s, e, t, there);
    for (std::size_t i = 0; i < f.size(); ++i) out[i] += weight * f[i] / (12 * h);
  }
  return out;
}

}  // namespace

TEST_CASE("slopes of loads are differences of the loads along positions and speeds") {
  struct Case {
    const char* text;
    bool moves;  // M is constant in all coordinates, so that the speeds may be anything
  };
  const Case cases[] = {
      {"mbd 1\nspace 3\nparticle p(1.7) at (1, 0.4, 0)\nparticle c(0.4) at (1.5, 0.9, 0.3)\nparticle d(2) at (0, 2, "
       "1)\n"
       "force s on c from p: -20*(norm(c.pos - p.pos) - 1)*(c.pos - p.pos) - 3*(c.vel - p.vel)*norm(c.vel - p.vel)\n"
       "potential V: 0.5*dot(d.pos - c.pos, d.pos - c.pos)^2\ndissipation D: 0.5*(d.vx - p.vy)^2*(1 + p.x^2)\n",
       true},
      {"mbd 1\nspace 3\nparticle p(1) at (1, 0, 0)\n"
       "body b(mass = 2, inertia = diag(0.3, 0.4, 0.5)) at (0, 0, 1) rotated rot(ez, 0.4)*rot(ex, 0.7)\n"
       "force s on b.at(0.1, 0.2, 0.3) from p: -20*(b.at(0.1, 0.2, 0.3).pos - p.pos) - 2*b.at(0.1, 0.2, 0.3).vel\n"
       "torque twist on b: -3*b.omega - 0.5*(b.rot*(1, 2, 3))\npotential V: dot(b.rot*ex, p.pos)^2\n",
       false},
      {"mbd 1\ncoord x = 0.3\ncoord z = -0.2\nkinetic T: (1 + x^2)*x'^2/2 + (2 + sin(z))*z'^2/2 + 0.3*x'*z'\n"
       "load f on x: -4*x^3 - 2*x'*(1 + z^2) + cos(t)\npotential V: 5*sin(x - z)\ndissipation D: 0.5*(x' - 2*z')^2\n",
       false},
      {"mbd 1\nuse planar_joints\nspace 2\nbody a(mass = 3, inertia = 0.2) at (0, 0)\nbody b(mass = 1, inertia = 0.1) "
       "at (1, 0.2)\n"
       "force s on b.at((0.1, 0.2)) from a.at((0.3, 0)): -50*(b.at((0.1, 0.2)).pos - a.at((0.3, 0)).pos)\n"
       "torque twist on b from a: -7*(b.angle - a.angle)^3 - 2*(b.omega - a.omega)\n",
       true},
  };
  for (const Case& c : cases) {
    const std::string text = c.text;
    CAPTURE(text);
    Subject s(text, formulate::kUdwadiaKalaba, 0);
    const kernel::SystemLayout& l = s.made.layout;
    runtime::PartialsCode code;
    code.partials = formulate::formulate_partials(s.compilation.system, l, kernel::PartialsScope::loads);
    REQUIRE(kernel::verify(code.partials.kernel) == "");
    runtime::LoadSlopes slopes(code, *s.equations);
    REQUIRE(slopes.any());
    Rng rng(11);
    for (int state = 0; state < 4; ++state) {
      std::vector<double> y = s.initial();
      for (std::uint32_t k = 0; k < (c.moves ? l.states_at() : l.speeds_at()); ++k) y[k] += rng.between(-0.3, 0.3);
      Eigen::MatrixXd K = Eigen::MatrixXd::Zero(l.n_speeds, l.n_speeds), C = K, by_q = K, by_u = K;
      for (const auto& e : slopes.evaluate(0.4, y.data())) {
        K(e.i, e.j) += e.stiffness;
        C(e.i, e.j) += e.damping;
      }
      for (std::uint32_t j = 0; j < l.n_speeds; ++j) {
        std::vector<double> at = y, way(l.n_y()), speed(l.n_y());
        std::fill_n(at.begin() + l.speeds_at(), l.n_speeds, 0.0);
        at[l.speeds_at() + j] = speed[l.speeds_at() + j] = 1;
        s.equations->rates(0.4, at.data(), way.data());
        std::fill(way.begin() + l.speeds_at(), way.end(), 0.0);
        const std::vector<double> q = along(s, *s.equations, 0.4, y, way), u = along(s, *s.equations, 0.4, y, speed);
        for (std::uint32_t i = 0; i < l.n_speeds; ++i) by_q(i, j) = -q[i], by_u(i, j) = -u[i];
      }
      CHECK((K - by_q).cwiseAbs().maxCoeff() <= kSame * by_q.cwiseAbs().maxCoeff());
      CHECK((C - by_u).cwiseAbs().maxCoeff() <= kSame * by_u.cwiseAbs().maxCoeff());
    }
  }
}
