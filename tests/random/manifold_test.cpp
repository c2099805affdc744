// SPDX-License-Identifier: Apache-2.0
// Compares derivatives along the manifold of the constraints with differences, on random whole models in every
// representation of the bodies: accelerations, rates of states and multipliers by directions and time. A state is
// displaced along a direction and projected onto the constraints again, and the values are differentiated along that
// curve by Richardson's extrapolation of central differences. MBC_RANDOM_MODELS=n tests n/10 models.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "compiler/formulate/partials.h"
#include "compiler/lower/describe.h"
#include "runtime/linear/manifold_derivatives.h"
#include "tests/compiler/formulate/model_kernel.h"
#include "tests/random/how_many.h"
#include "tests/random/whole_model.h"

using namespace mbc;
using namespace mbc::test;
using Version = WholeModel::Version;

namespace {

constexpr double kAgree = 1e-8;    // relative to the largest entry
constexpr double kTooLarge = 1e3;  // Rounding dominates the differences of larger entries.
constexpr double kOnManifold = 1e-12;

struct Curve {  // the values at a parameter h of a curve; the result is false if there is no point
  std::function<bool(double h, std::vector<double>& values)> at;

  // Returns the derivative at 0; two extrapolations differ by `error`.
  [[nodiscard]] std::vector<double> slope(double& error) const {
    constexpr int kLevels = 5;
    std::array<std::vector<double>, kLevels> row, before;
    std::vector<double> best, plus, minus;
    error = 1e300;
    double h = 0.02;
    for (int level = 0; level < kLevels; ++level, h /= 2) {
      if (!at(h, plus) || !at(-h, minus)) return {};
      row[0].resize(plus.size());
      for (std::size_t i = 0; i < plus.size(); ++i) row[0][i] = (plus[i] - minus[i]) / (2 * h);
      double power = 1;
      for (std::size_t k = 1; k <= static_cast<std::size_t>(level); ++k) {
        power *= 4;
        row[k].resize(plus.size());
        double change = 0;
        for (std::size_t i = 0; i < plus.size(); ++i) {
          row[k][i] = row[k - 1][i] + (row[k - 1][i] - before[k - 1][i]) / (power - 1);
          change = std::max({change, std::fabs(row[k][i] - row[k - 1][i]), std::fabs(row[k][i] - before[k - 1][i])});
        }
        if (change >= error) continue;
        error = change;
        best = row[k];
      }
      before = row;
    }
    return best;
  }
};

struct Moved {
  Moved(const std::string& text, std::uint64_t unrolled_limit) : compilation(analyse("model.mbd", text, {})) {
    REQUIRE(compilation.ok());
    formulate::FormulateOptions options;
    options.unrolled_limit = unrolled_limit;
    made = formulate::formulate(compilation.system, options);
    code.partials = formulate::formulate_partials(compilation.system, made.layout, kernel::PartialsScope::manifold);
    CHECK(kernel::verify(code.partials.kernel) == "");
    info = lower::describe(compilation.model);
    equations.emplace(made.kernel, made.layout, nullptr, sema::parameter_values(compilation.model));
    projector.emplace(*equations, info);
    derivatives.emplace(code, *equations, info);
  }

  // Projects a state; the result is false if it stays off the constraints.
  bool project(double t, std::vector<double>& y) {
    if (made.layout.n_rows == 0) return true;
    projector->project(t, y.data(), 1e-15, true);
    return projector->worst(true, t, y.data()) <= kOnManifold && projector->worst(false, t, y.data()) <= kOnManifold;
  }

  // Returns u', s' and the multipliers at a state displaced by h times an argument.
  bool values(double t, const std::vector<double>& y, const Eigen::VectorXd& d, double dt, double h,
              std::vector<double>& out) {
    const kernel::SystemLayout& l = made.layout;
    std::vector<double> there = y, w(l.n_speeds), dy(y.size());
    for (std::uint32_t j = 0; j < l.n_speeds; ++j) w[j] = h * d[j];
    projector->displace(true, t, there.data(), w.data());
    for (std::uint32_t k = 0; k < l.n_speeds + l.n_states - l.n_works; ++k)
      there[l.n_coordinates + k] += h * d[Eigen::Index{l.n_speeds} + k];
    if (!project(t + h * dt, there) || equations->rhs(t + h * dt, there.data(), dy.data()) != 0) return false;
    out.assign(dy.begin() + l.speeds_at(), dy.begin() + l.work_at());
    out.insert(out.end(), equations->lambda(), equations->lambda() + l.n_rows);
    return true;
  }

  Compilation compilation;
  formulate::Formulated made;
  runtime::PartialsCode code;
  problem::Problem info;
  std::optional<runtime::Equations> equations;
  std::optional<runtime::ConstraintProjector> projector;
  std::optional<runtime::ManifoldDerivatives> derivatives;
};

struct Counts {
  std::uint32_t compared = 0, doubtful = 0;
  double largest = 0;
};

void compare_along(Moved& s, double t, const std::vector<double>& y, const std::string& told, Counts& counts) {
  REQUIRE_MESSAGE(s.derivatives->evaluate(t, y.data()), told);
  const kernel::SystemLayout& l = s.made.layout;
  const Eigen::Index n = l.n_speeds + l.n_states - l.n_works, d = s.derivatives->tangent().size();
  Eigen::MatrixXd all(n + l.n_rows, s.derivatives->time_at() + 1);
  all << s.derivatives->accelerations(), s.derivatives->state_rates_by_arguments(), s.derivatives->multipliers();
  const Eigen::MatrixXd displacements = s.derivatives->displacements();
  const double size = std::max(1.0, all.cwiseAbs().maxCoeff());
  if (size > kTooLarge || s.equations->skipped_row()) {
    ++counts.doubtful;
    return;
  }
  CHECK_MESSAGE(d == 2 * n - (l.n_states - l.n_works) - s.derivatives->position_rank() - s.derivatives->velocity_rank(),
                told);
  for (Eigen::Index k = 0; k <= d; ++k) {
    const Eigen::Index column = k < d ? k : s.derivatives->time_at();
    const Curve curve{[&](double h, std::vector<double>& out) {
      return s.values(t, y, displacements.col(column), k < d ? 0 : 1, h, out);
    }};
    double error = 0;
    const std::vector<double> found = curve.slope(error);
    if (!(error < 0.1 * kAgree * size)) {
      ++counts.doubtful;
      continue;
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double off = std::fabs(all(static_cast<Eigen::Index>(i), column) - found[i]) / size;
      counts.largest = std::max(counts.largest, off);
      CHECK_MESSAGE(off <= kAgree, told << "entry " << i << ", " << column << ": "
                                        << all(static_cast<Eigen::Index>(i), column) << " and " << found[i]);
    }
    ++counts.compared;
  }
}

}  // namespace

TEST_CASE("derivatives along the constraints are those of differences, on random whole models") {
  Counts counts;
  const auto models = static_cast<std::uint64_t>(random_models(60, 10));
  for (std::uint64_t seed = 1; seed <= models; ++seed) {
    const WholeModel model(seed);
    Rng rng(seed);
    const std::array versions{Version::plain, Version::quaternion, Version::euler_parameters, Version::natural};
    const std::string text = model.text(versions[seed % versions.size()]);
    Moved s(text, seed % 2 == 0 ? 0 : 1u << 30);
    std::vector<double> y = initial_state(s.compilation, s.made.layout.n_y());
    for (std::uint32_t k = 0; k < s.made.layout.work_at(); ++k) y[k] += rng.between(-0.05, 0.05);
    const double t = rng.between(0, 2);
    if (s.project(t, y))
      compare_along(s, t, y, "seed " + std::to_string(seed) + " " + text + "\n", counts);
    else
      ++counts.doubtful;
  }
  CHECK(counts.compared > 4 * counts.doubtful);
  if (!long_run_of_models()) return;
  std::printf("%u columns compared, largest difference %.2g, %u doubtful\n", counts.compared, counts.largest,
              counts.doubtful);
}
