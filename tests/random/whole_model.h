// SPDX-License-Identifier: Apache-2.0
// Random whole models as .mbd text: free and following bodies and particles, points, terms of every kind (kinetic,
// potential, dissipation, forces, torques, loads, springs), joints and constraints of every level. Each model is
// written in versions that are the same system: its free bodies in plain coordinates (three places and three Euler
// angles, or the coordinates that a joint leaves, which the body follows) or in one of the three representations, with
// their joints. What is compared are outputs that every version has.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/compiler/ad/rng.h"

namespace mbc::test {

class WholeModel {
 public:
  // `probe`: plain coordinates without the constraints, whose values and rates are outputs instead.
  enum class Version : std::uint8_t { plain, quaternion, euler_parameters, natural, probe };

  explicit WholeModel(std::uint64_t seed);

  // Two blocks: `look`, one short step, whose first row is looked at; `move`, 1 s by dopri5.
  [[nodiscard]] std::string text(Version version) const;
  [[nodiscard]] bool constrained() const { return !held_.empty(); }
  // Values of the parameters that make the k-th random state.
  [[nodiscard]] std::vector<std::pair<std::string, double>> state(std::uint32_t k) const;
  // (parameter, output of the probe whose value it takes): with them the state satisfies the constraints.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& held() const { return held_; }

 private:
  struct Variable {  // a parameter that is part of the state
    std::string name;
    double low = 0, high = 0;
  };

  struct Start {  // of a body, as expressions of parameters
    std::string place, velocity, rotation, omega;
  };

  void free_bodies();
  void hung_body();
  void represented_body(const std::string& b, const std::string& masses, const Start& start);
  void free_particles();
  void coordinates();
  void followers();
  void points();
  void states();
  void term();
  void kinetic();
  void potential();
  void dissipation();
  void force();
  void torque();
  void spring();
  void load();
  void constraint();
  void hold(const std::string& name, const std::string& e, bool rate);
  void record_body(const std::string& name);
  void record(const std::string& kind, const std::string& value);

  [[nodiscard]] std::string number(double low, double high);
  [[nodiscard]] std::string vector(double size);
  [[nodiscard]] std::string variable(const std::string& name, double low, double high);
  [[nodiscard]] std::string next(const char* stem);
  [[nodiscard]] std::string masses();
  std::string plain_coordinate(const std::string& stem, const std::string& letter, double limit);
  void plain_angles(const std::string& stem);
  [[nodiscard]] const std::string& one_of(const std::vector<std::string>& names);
  [[nodiscard]] std::pair<std::string, std::string> two_movers();
  [[nodiscard]] std::string moving();                   // what a follower hangs on
  [[nodiscard]] std::string place(bool moves = false);  // a scalar of coordinates; moves: not of one body's shape
  [[nodiscard]] std::string rate();                     // a scalar linear in velocities
  [[nodiscard]] std::string factor();                   // a positive scalar of coordinates, time and states, about 1
  [[nodiscard]] std::string direction();                // a vector that turns with a body, or a fixed one

  Rng rng_;
  std::uint64_t seed_;
  std::vector<Variable> variables_;
  std::vector<std::pair<std::string, std::string>> held_;
  std::vector<std::string> bodies_, free_, movers_, points_, coordinates_, states_;  // movers: what has .pos and .vel
  std::string parameters_, plain_, represented_, shared_, constraints_, probes_, outputs_;
  std::uint32_t count_ = 0;
};

}  // namespace mbc::test
