// SPDX-License-Identifier: Apache-2.0
// Makes random whole models as .mbd text: free and prescribed bodies and particles, points, terms of every kind
// (kinetic, potential, dissipation, forces, torques, loads, springs), joints and constraints of every level. Each model
// has several versions that describe the same system. Its free bodies use plain coordinates (three places and three
// Euler angles, or the coordinates that a joint leaves, which the body follows) or one of the three representations
// with their joints. The tests compare outputs that every version has.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/compiler/ad/rng.h"

namespace mbc::test {

class WholeModel {
 public:
  // The version `probe` uses plain coordinates without the constraints; their values and rates are outputs instead.
  enum class Version : std::uint8_t { plain, quaternion, euler_parameters, natural, probe };

  explicit WholeModel(std::uint64_t seed);

  // The text has two blocks: `look`, one short step whose first row is examined, and `move`, 1 s by dopri5.
  [[nodiscard]] std::string text(Version version) const;
  [[nodiscard]] bool constrained() const { return !held_.empty(); }
  // Returns the values of the parameters for the k-th random state.
  [[nodiscard]] std::vector<std::pair<std::string, double>> state(std::uint32_t k) const;
  // Returns pairs of a parameter and the output of the probe that gives its value. With these values the state
  // satisfies the constraints.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& held() const { return held_; }

 private:
  struct Variable {  // a parameter that is part of the state
    std::string name;
    double low = 0, high = 0;
  };

  struct Start {  // the start of a body as expressions of parameters
    std::string place, velocity, rotation, omega;
  };

  void free_bodies();
  void hung_body();
  void represented_body(const std::string& b, const std::string& masses, const Start& start);
  void free_particles();
  void coordinates();
  void prescribed_bodies();
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
  [[nodiscard]] std::string moving();  // an expression that a prescribed part follows
  // a scalar of coordinates; if `moves` is set, not of one body's shape alone
  [[nodiscard]] std::string place(bool moves = false);
  [[nodiscard]] std::string rate();       // a scalar that is linear in velocities
  [[nodiscard]] std::string factor();     // a positive scalar of coordinates, time and states, close to 1
  [[nodiscard]] std::string direction();  // a vector that turns with a body, or a fixed one

  Rng rng_;
  std::uint64_t seed_;
  std::vector<Variable> variables_;
  std::vector<std::pair<std::string, std::string>> held_;
  std::vector<std::string> bodies_, free_, movers_, points_, coordinates_, states_;  // movers_ have .pos and .vel
  std::string parameters_, plain_, represented_, shared_, constraints_, probes_, outputs_;
  std::uint32_t count_ = 0;
};

}  // namespace mbc::test
