// SPDX-License-Identifier: Apache-2.0
// Tests random whole models: the same system with its free bodies in plain coordinates and in each of the three
// representations. At 8 states the accelerations of all points, bodies and coordinates agree, and so do places, speeds,
// energies, momenta and multipliers. One motion of 1 s by dopri5 ends in the same places. MBC_RANDOM_MODELS=n tests n/2
// models from MBC_RANDOM_SEED on. To stay below a minute, the usual run has three versions of each model (plain,
// quaternions and alternately one of the other two) and moves every eighth model.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <map>

#include "tests/physics/run.h"
#include "tests/random/how_many.h"
#include "tests/random/whole_model.h"

using namespace mbc;
using namespace mbc::test;

namespace {

using Version = WholeModel::Version;

constexpr std::uint32_t kUsual = 500, kStates = 8;
constexpr double kSame = 1e-10;  // difference of accelerations, times the condition
constexpr double kWorst = 1e6;   // Above this condition nothing is compared.
constexpr double kSameMotion = 1e-8;

std::uint32_t models() { return static_cast<std::uint32_t>(random_models(kUsual, 2)); }

const std::map<Version, const char*>& names() {
  static const std::map<Version, const char*> list{{Version::plain, "plain"},
                                                   {Version::quaternion, "quaternion"},
                                                   {Version::euler_parameters, "euler_parameters"},
                                                   {Version::natural, "natural"}};
  return list;
}

// A Machine is one compiled version of a model, with the part of the interface that is used here.
class Machine {
 public:
  explicit Machine(const std::string& text) : simulation_(compile_text(text, Engine::interpreter)) {}

  void set(const std::vector<std::pair<std::string, double>>& values) {
    for (const auto& p : values) REQUIRE_MESSAGE(simulation_.set_parameter(p.first, p.second).ok(), p.first);
  }
  Run run(const char* block) {
    RunOptions options;
    options.simulation = block;
    return test::run(simulation_, options);
  }
  // Returns the condition of the equations solved at the state, scaled to a diagonal of 1 and rows of length 1.
  double condition();

 private:
  Simulation simulation_;
};

double Machine::condition() {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowSet rows = simulation_.rows(0, simulation_.initial_state()).value();
  const auto n = static_cast<Eigen::Index>(rows.n), m = static_cast<Eigen::Index>(rows.m);
  const Eigen::Map<const Matrix> M(rows.M.data(), n, n), A(rows.A.data(), m, n);
  const Eigen::VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n + m, n + m);
  all.topLeftCorner(n, n) = scale.asDiagonal() * M * scale.asDiagonal();
  Eigen::MatrixXd scaled = A * scale.asDiagonal();
  scaled.rowwise().normalize();
  all.bottomLeftCorner(m, n) = scaled;
  all.topRightCorner(n, m) = scaled.transpose();
  const Eigen::VectorXd s = Eigen::JacobiSVD<Eigen::MatrixXd>(all).singularValues();
  return s(0) / s(s.size() - 1);
}

// Returns the kind of a column; "place_7.x" is a place.
std::string kind(const std::string& column) { return column.substr(0, column.find('_')); }
bool compared(const std::string& column) {
  for (const char* known : {"place", "speed", "acceleration", "energy", "momentum", "multiplier"})
    if (kind(column) == known) return true;
  return false;
}

struct Worst {
  double value = 0;
  std::string where;
};

// Columns holds the names and indices of the compared columns.
struct Columns {
  std::vector<std::string> names;
  std::vector<std::size_t> places;
};

Columns columns(const Run& run) {
  std::map<std::string, std::size_t> sorted;
  for (std::size_t k = 0; k < run.names.size(); ++k)
    if (compared(run.names[k])) sorted[run.names[k]] = k;
  Columns out;
  for (const auto& [name, place] : sorted) {
    out.names.push_back(name);
    out.places.push_back(place);
  }
  return out;
}

// Returns the largest difference of one row from that of the reference, relative to the largest number of the same kind
// and 1.
Worst difference(const Run& found, const Run& expected, std::size_t row, bool only_motion) {
  const Columns here = columns(found), there = columns(expected);
  REQUIRE(here.names == there.names);
  const auto value = [row](const Run& run, std::size_t column) { return run.values[row * run.names.size() + column]; };
  std::map<std::string, double> size;
  for (std::size_t k = 0; k < there.names.size(); ++k) {
    double& s = size.try_emplace(kind(there.names[k]), 1.0).first->second;
    s = std::max(s, std::fabs(value(expected, there.places[k])));
  }
  if (size.contains("multiplier")) size["multiplier"] = std::max(size["multiplier"], size["acceleration"]);
  Worst worst;
  for (std::size_t k = 0; k < there.names.size(); ++k) {
    const std::string of = kind(there.names[k]);
    if (only_motion && of != "place" && of != "speed") continue;
    const double d = std::fabs(value(found, here.places[k]) - value(expected, there.places[k])) / size[of];
    if (!(d <= worst.value)) worst = {d, there.names[k]};
  }
  return worst;
}

class Versions {
 public:
  explicit Versions(std::uint64_t seed) : seed_(seed), model_(seed) {
    const Version left_out = seed % 2 == 0 ? Version::natural : Version::euler_parameters;
    for (const auto& [version, name] : names())
      if (long_run_of_models() || version != left_out) machines_.emplace_back(version, model_.text(version));
    if (model_.constrained()) probe_.emplace(model_.text(Version::probe));
  }

  void states() {
    for (std::uint32_t k = 0; k < kStates; ++k) {
      place(k);
      state(k);
    }
  }
  void motion();

  std::uint32_t states_compared = 0, motions_compared = 0, ill = 0;
  std::map<std::string, std::uint32_t> stopped;  // number of runs by the code of their end
  double largest = 0, largest_motion = 0, largest_balance = 0;

 private:
  void place(std::uint32_t k);
  void state(std::uint32_t k);
  [[nodiscard]] std::string told(Version version, std::uint32_t k) const {
    std::string text = "seed " + std::to_string(seed_) + ", state " + std::to_string(k) + ", " + names().at(version);
    for (const auto& [name, value] : values_) text += "\n  " + name + " = " + number(value);
    return text + "\n" + model_.text(version);
  }

  std::uint64_t seed_;
  WholeModel model_;
  std::vector<std::pair<Version, Machine>> machines_;
  std::optional<Machine> probe_;
  std::vector<std::pair<std::string, double>> values_;
};

void Versions::place(std::uint32_t k) {
  values_ = model_.state(k);
  if (probe_) {
    probe_->set(values_);
    const Run values = probe_->run("look");
    REQUIRE_MESSAGE(values.rows() > 0, told(Version::plain, k));
    for (const auto& [parameter, output] : model_.held()) values_.emplace_back(parameter, values.at(0, output));
  }
  for (auto& [version, machine] : machines_) machine.set(values_);
}

void Versions::state(std::uint32_t k) {
  double condition = 0;
  for (auto& [version, machine] : machines_)
    if (version == Version::plain || version == Version::quaternion)
      condition = std::max(condition, machine.condition());
  if (!(condition < kWorst)) {
    ++ill;
    return;
  }
  std::optional<Run> expected;
  for (auto& each : machines_) {
    const Version version = each.first;
    Run found = each.second.run("look");
    CHECK_MESSAGE(found.rows() > 0, told(version, k) << found.result.rendered);
    if (found.rows() == 0) return;
    if (!expected) {
      expected = std::move(found);
      continue;
    }
    const Worst worst = difference(found, *expected, 0, false);
    largest = std::max(largest, worst.value / condition);
    CHECK_MESSAGE(worst.value <= kSame * condition,
                  told(version, k) << worst.where << " is off by " << worst.value << ", condition " << condition);
  }
  ++states_compared;
}

void Versions::motion() {
  place(0);
  std::optional<Run> expected;
  std::size_t complete = 0;  // number of complete runs among those whose coordinates have no poles
  for (auto& each : machines_) {
    const Version version = each.first;
    Run found = each.second.run("move");
    if (found.result.status != Status::complete) {  // The cause is a pole of the angles or a singular position.
      ++stopped[found.code()];
      continue;
    }
    complete += version == Version::plain ? 0 : 1;
    largest_balance = std::max(largest_balance, found.result.balance_error);
    if (!expected) {
      expected = std::move(found);
      continue;
    }
    REQUIRE(found.rows() == expected->rows());
    Worst worst;
    for (std::size_t row = 0; row < found.rows(); ++row)
      if (const Worst w = difference(found, *expected, row, true); !(w.value <= worst.value)) worst = w;
    largest_motion = std::max(largest_motion, worst.value);
    CHECK_MESSAGE(worst.value <= kSameMotion, told(version, 0) << worst.where << " is off by " << worst.value);
  }
  CHECK_MESSAGE((complete == 0 || complete == machines_.size() - 1), told(Version::quaternion, 0));
  ++motions_compared;
}

}  // namespace

TEST_CASE("whole models in plain coordinates and in three representations: the same accelerations and motions") {
  const std::uint32_t count = models();
  std::uint32_t states = 0, ill = 0, motions = 0;
  std::map<std::string, std::uint32_t> stopped;
  double largest = 0, motion = 0, balance = 0;
  const std::uint64_t first = first_random_seed();
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Versions comparison(seed);
    comparison.states();
    if (long_run_of_models() || seed % 8 == seed / 8 % 2) comparison.motion();
    states += comparison.states_compared;
    ill += comparison.ill;
    motions += comparison.motions_compared;
    for (const auto& [code, runs] : comparison.stopped) stopped[code] += runs;
    largest = std::max(largest, comparison.largest);
    motion = std::max(motion, comparison.largest_motion);
    balance = std::max(balance, comparison.largest_balance);
  }
  CHECK(states >= 9 * ill);
  if (!long_run_of_models()) return;
  std::printf("%u models: %u states, %u ill-conditioned, largest difference %.2g of the condition\n", count, states,
              ill, largest);
  std::printf("%u motions, largest difference %.2g, balance error %.2g; runs that stopped:", motions, motion, balance);
  for (const auto& [code, runs] : stopped) std::printf(" %u %s", runs, code.c_str());
  std::printf("\n");
}
