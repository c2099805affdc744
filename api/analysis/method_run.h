// SPDX-License-Identifier: Apache-2.0
// One formulation with one representation of bodies for `compare`: the recorded columns with their meaning,
// accelerations at states, a run, and the time of both. It uses the same public functions as a run of a user.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/problem/problem.h"
#include "mbc/mbc.h"

namespace mbc {

struct ComparedColumns {
  enum class Use : std::uint8_t { none, place, speed, acceleration, state };  // none: outputs of the user
  struct Column {
    std::string name, unit;
    Use use{};
  };
  std::vector<Column> all;
  std::vector<std::size_t> quaternions;  // first of the four columns of each quaternion; their sign is not determined

  // Returns the positions of these columns in another set; kMissing for those it does not have.
  static constexpr std::size_t kMissing = ~std::size_t{0};
  [[nodiscard]] std::vector<std::size_t> places_in(const ComparedColumns& other) const;
};

class MethodRun {
 public:
  MethodRun(Simulation simulation_of, std::string simulation, const volatile std::sig_atomic_t* stop)
      : moving_(std::move(simulation_of)), simulation_(std::move(simulation)), stop_(stop) {}

  // Computes accelerations and all other recorded values at one state (empty: the initial one) at the beginning of the
  // block. `values` stays empty if there is no such row; the result has the reason.
  RunResult look(const std::vector<double>& y, std::vector<double>& values);
  // Filled by the first successful look().
  [[nodiscard]] const ComparedColumns& columns() const { return columns_; }
  [[nodiscard]] const problem::Problem& info() const { return info_; }
  [[nodiscard]] const std::vector<double>& initial() const { return initial_; }
  [[nodiscard]] const std::string& bodies() const { return bodies_; }

  // Returns the state that some columns, by their names, show; other entries are those of the initial state.
  [[nodiscard]] std::vector<double> state_shown(const ComparedColumns& columns,
                                                const std::vector<double>& values) const;

  // Runs the whole block and calls `row` for every recorded row. kinetic: the largest kinetic energy of the rows.
  RunResult run(const Observer& row, const std::function<void(double t)>& progress, double& kinetic);

  // Returns consistent random states near the initial one; fewer than `count` if they are hard to find. nearest: over
  // all of them, the smallest singular value that counts, of rows scaled to norm 1.
  std::vector<std::vector<double>> random_states(int count, std::uint64_t seed, double& nearest);

  // Returns the largest change of momenta c.(dT/du) over states of a run; c is given by the names of speeds. The change
  // is relative to the bound of the momentum, sqrt(2 T c.Mc), T the largest kinetic energy of the states, or to its
  // largest value; nothing if there is no such momentum.
  using State = std::pair<double, std::vector<double>>;  // t, y
  std::optional<double> momentum_error(const std::vector<ConservedMomentum>& momenta, const std::vector<State>& states);

  // Returns the time of one evaluation of the accelerations at the initial state, in seconds: the best of several
  // batches.
  double rhs_seconds();

 private:
  void describe();
  [[nodiscard]] TimeSpan span() const { return moving_.model().time_span(simulation_).value_or(TimeSpan{0, 1, 1}); }

  Simulation moving_;
  std::string simulation_, bodies_;
  const volatile std::sig_atomic_t* stop_;
  ComparedColumns columns_;
  problem::Problem info_;
  std::vector<double> initial_;
};

}  // namespace mbc
