// SPDX-License-Identifier: Apache-2.0
// Compares the Jacobian of the rates of random whole models with differences of the rates: Richardson's extrapolation
// of central differences, for every formulation that integrates [q; u; s] and every representation of the bodies, at
// states off the constraints. Compiled partial derivatives have the bits of interpreted ones.
// MBC_RANDOM_MODELS=n tests n/10 models.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "compiler/formulate/partials.h"
#include "jit/engine.h"
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
