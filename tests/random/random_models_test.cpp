// SPDX-License-Identifier: Apache-2.0
// Compares random models from text: interpreter and native code bit for bit, A and b with duals, straight-line code
// with loops. MBC_RANDOM_MODELS=10000 gives the usual numbers of models, and other values give multiples; the figures
// are then printed.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>

#include "compiler/pipeline.h"
#include "mbc/mbc.h"
#include "runtime/equations/equations.h"
#include "tests/random/how_many.h"
#include "tests/random/model_text.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr std::uint64_t kFirstSeed = 1;

std::uint32_t models(std::uint32_t usual) { return static_cast<std::uint32_t>(random_models(usual, 10000.0 / usual)); }

class Clock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Returns the bits of a list of numbers. All NaNs count as the same.
std::vector<std::uint64_t> bits(std::span<const double> values) {
  std::vector<std::uint64_t> out;
  for (double v : values) out.push_back(v != v ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(v));
  return out;
}

// `size` includes the integrals of work after coordinates and speeds.
std::vector<double> initial_state(const RandomModel& m, std::size_t size) {
  std::vector<double> y = m.initial.q;
  y.insert(y.end(), m.initial.u.begin(), m.initial.u.end());
  y.resize(size, 0.0);
  return y;
}

// Returns the initial state, a state near it, and one anywhere, at which expressions may leave their domains.
std::vector<std::vector<double>> states(const RandomModel& m, std::uint64_t seed, std::size_t size) {
  Rng rng(seed);
  std::vector<double> y = initial_state(m, size), near = y, far = y;
  for (double& x : near) x *= 1 + 1e-3 * rng.between(-1, 1);
  for (double& x : far) x = rng.sign() * rng.log_between(1e-6, 1e3);
  return {y, near, far};
}

// Everything holds all computed results as bits.
struct Everything {
  std::vector<std::uint64_t> numbers;
  std::string words, engine;
  Status status = Status::complete;

  void add(std::span<const double> values) {
    for (std::uint64_t b : bits(values)) numbers.push_back(b);
  }
};

Everything everything(Simulation& program, const RandomModel& m, std::uint64_t seed) {
  Everything out;
  for (const std::vector<double>& y : states(m, seed, program.initial_state().size())) {
    std::vector<double> dy(y.size(), -1.0);
    const Result<void> rhs = program.rhs(m.initial.t, y, dy);
    const std::size_t failed = rhs ? 0 : rhs.error().index + 1;
    out.words += std::to_string(failed) + ";";
    out.add(dy);
    if (failed == 0) {
      const RowSet rows = program.rows(m.initial.t, y).value();
      for (const auto* list : {&rows.M, &rows.A, &rows.f, &rows.b, &rows.acceleration, &rows.multiplier})
        out.add(*list);
      out.words += std::to_string(rows.rank);
      for (const std::string& name : rows.dependent_rows) out.words += "," + name;
    }
  }
  const RunResult run = program.run({}, [&](const Row& row) {
    out.add(row.values);
    return true;
  });
  out.status = run.status;
  out.engine = run.engine;
  out.words += "|" + run.rendered;
  for (const RankChange& c : run.rank_changes) out.words += "," + std::to_string(c.time);
  out.add(run.state);
  return out;
}

std::string seed_text(std::uint64_t seed, const RandomModel& m) {
  return "seed " + std::to_string(seed) + "\n" + m.text;
}

}  // namespace

TEST_CASE("random models compute the same bits by the interpreter and by native code") {
  if (back_end_version().empty()) return;
  const std::uint32_t count = models(3000);
  std::map<Status, int> seen;
  std::size_t values = 0;
  double native = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + count; ++seed) {
    const RandomModel m = random_model(seed);
    Simulation interpreted = Simulation::create(Model::from_string(m.text, "model.mbd", {{}, true, 2})).value();
    REQUIRE_MESSAGE(interpreted.model().ok(), seed_text(seed, m) << interpreted.model().render_diagnostics());
    const Everything expected = everything(interpreted, m, seed);
    const Clock clock;
    CompileOptions at_once;
    at_once.optimise = seed % 4 == 0 ? 2 : 0;
    at_once.native_at_once = true;
    Simulation compiled = Simulation::create(Model::from_string(m.text, "model.mbd", at_once)).value();
    const Everything found = everything(compiled, m, seed);
    native += clock.seconds();
    REQUIRE(expected.engine == "interpreter");
    REQUIRE(found.engine == "native code");
    REQUIRE_MESSAGE(found.words == expected.words, seed_text(seed, m));
    REQUIRE_MESSAGE(found.numbers == expected.numbers, seed_text(seed, m));
    ++seen[expected.status];
    values += expected.numbers.size();
  }
  // The comparison is meaningful only if most models run to their end.
  CHECK(seen[Status::complete] >= static_cast<int>(count) * 8 / 10);
  if (long_run_of_models())
    std::printf(
        "%u models, %zu values equal; runs: %d complete, %d stopped, %d inconsistent; %.1f ms a model natively\n",
        count, values, seen[Status::complete], seen[Status::stopped], seen[Status::inconsistent], 1e3 * native / count);
}

namespace {

// What `baumgarte(alpha = 3, beta = 4)` takes from b of a row: 2 alpha e' + beta^2 e, or alpha e of a row of
// velocities.
double decay(const std::string& text, const RowSet& rows, std::size_t row) {
  if (text.find("baumgarte(alpha = 3, beta = 4)") == std::string::npos) return 0;
  if (rows.levels[row] == mbc::Level::position)
    return 6 * rows.velocity_residual[row] + 16 * rows.position_residual[row];
  return rows.levels[row] == mbc::Level::velocity ? 3 * rows.velocity_residual[row] : 0;
}

}  // namespace

TEST_CASE("the rows of random models are what duals make of their expressions") {
  const std::uint32_t count = models(3000);
  double largest = 0;
  std::size_t compared = 0, refused = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + count; ++seed) {
    const RandomModel m = random_model(seed);
    Simulation program = Simulation::create(Model::from_string(m.text, "model.mbd", {{}, true, 2})).value();
    REQUIRE_MESSAGE(program.model().ok(), seed_text(seed, m) << program.model().render_diagnostics());
    const std::vector<double> y = initial_state(m, program.initial_state().size());
    REQUIRE_MESSAGE(program.initial_state() == y, seed_text(seed, m));
    std::vector<double> dy(y.size());
    if (!program.rhs(m.initial.t, y, dy)) continue;
    const RowSet rows = program.rows(m.initial.t, y).value();
    REQUIRE(rows.m == m.rows.size());
    REQUIRE(rows.n == m.coordinates());
    const Kinematics k = cartesian(m.coordinates());
    for (std::size_t i = 0; i < rows.m; ++i) {
      const RandomRow& row = m.rows[i];
      const auto numbers = [&](SplitMix64* noise) {
        std::vector<Real> out(rows.n + 1, 0);  // The entries are A and then b.
        if (row.level == test::Level::acceleration) {
          for (const auto& [j, tree] : row.factors) out[j] = evaluate(tree, lift<Real>(m.initial), noise);
          out[rows.n] = evaluate(row.right, lift<Real>(m.initial), noise);
          return out;
        }
        const RowNumbers r = row.level == test::Level::position
                                 ? position_by_duals(row.expression, k, m.initial, noise)
                                 : velocity_by_duals(row.expression, k, m.initial, noise);
        for (std::size_t j = 0; j < rows.n; ++j) out[j] = static_cast<Real>(row.factor) * r.jacobian[j];
        out[rows.n] = -static_cast<Real>(row.factor) * r.bias;
        return out;
      };
      const std::vector<Guarded> expected = guarded(numbers, seed);
      Real scale = 0;
      for (const Guarded& g : expected) scale = std::max(scale, std::fabs(g.value));
      for (std::size_t j = 0; j <= rows.n; ++j) {
        if (!expected[j].well_conditioned && expected[j].value != 0) {
          ++refused;
          continue;
        }
        const double found = j < rows.n ? rows.A[i * rows.n + j] : rows.b[i] + decay(m.text, rows, i);
        const double error = static_cast<double>(std::fabs(static_cast<Real>(found) - expected[j].value) /
                                                 std::max(std::fabs(expected[j].value), 1e-3L * scale));
        ++compared;
        largest = std::max(largest, error);
        CHECK_MESSAGE(error <= 1e-11, seed_text(seed, m) << row.name << " column " << j << ": " << found
                                                         << " instead of " << static_cast<double>(expected[j].value));
      }
    }
  }
  CHECK(compared > 3 * count);
  CHECK(refused < compared / 10);
  if (long_run_of_models())
    std::printf("%u models, %zu entries of A and b, %zu ill-conditioned, largest error %.2g\n", count, compared,
                refused, largest);
}

namespace {

// Returns the accelerations of the interpreter with the code in one of the two forms.
std::vector<double> accelerations(const RandomModel& m, std::uint64_t unrolled_limit, bool& straight) {
  PipelineOptions options;
  options.formulate.unrolled_limit = unrolled_limit;
  const Compilation c = compile("model.mbd", m.text, options);
  REQUIRE(c.ok());
  straight = c.formulated.unrolled;
  runtime::Equations equations(c.formulated.kernel, c.formulated.layout, nullptr);
  equations.set_params(m.initial.param);
  const std::vector<double> y = initial_state(m, c.formulated.layout.n_y());
  std::vector<double> dy(y.size());
  if (equations.rhs(m.initial.t, y.data(), dy.data()) != 0) return {};
  return {dy.begin() + m.coordinates(), dy.begin() + 2 * m.coordinates()};
}

double condition(const RowSet& rows) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Matrix A =
      Eigen::Map<const Matrix>(rows.A.data(), static_cast<Eigen::Index>(rows.m), static_cast<Eigen::Index>(rows.n));
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    A.col(j) /= std::sqrt(rows.M[static_cast<std::size_t>(j) * rows.n + static_cast<std::size_t>(j)]);
  A.rowwise().normalize();
  const Eigen::VectorXd s = Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues();
  return s.size() == 0 ? 1 : s(0) / s(s.size() - 1);
}

}  // namespace

TEST_CASE("straight-line code and loops give the same accelerations") {
  const std::uint32_t count = models(1000);
  double largest = 0;
  std::uint32_t compared = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + count; ++seed) {
    const RandomModel m = random_model(seed);
    if (m.rows.empty() || m.rows.size() != m.independent) continue;
    Simulation program = Simulation::create(Model::from_string(m.text, "model.mbd", {{}, true, 2})).value();
    const std::vector<double> y = initial_state(m, program.initial_state().size());
    std::vector<double> dy(y.size());
    if (!program.rhs(m.initial.t, y, dy)) continue;
    const double digits_lost = std::pow(condition(program.rows(m.initial.t, y).value()), 2);
    if (!(digits_lost < 1e4)) continue;
    bool straight = true, looped = true;
    const std::vector<double> a = accelerations(m, 1u << 30, straight), b = accelerations(m, 0, looped);
    CHECK(straight);
    CHECK_FALSE(looped);
    REQUIRE_MESSAGE(a.size() == b.size(), seed_text(seed, m));
    double size = 1, difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      size = std::max(size, std::fabs(a[i]));
      difference = std::max(difference, std::fabs(a[i] - b[i]));
    }
    largest = std::max(largest, difference / size);
    CHECK_MESSAGE(difference <= 1e-10 * size, seed_text(seed, m));
    ++compared;
  }
  CHECK(compared > count / 10);
  if (long_run_of_models()) std::printf("%u models compared, largest difference %.2g\n", compared, largest);
}
