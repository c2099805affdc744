// SPDX-License-Identifier: Apache-2.0
// Random mechanisms: bodies and joints in random frames, in either direction, as trees, forests and loops, with
// springs, dampers, moments and rows of the user's. The bodies are drawn where all joints hold. `init` moves all joints
// of models without loops, and gives rates of some joints, also of models with loops. `far`: joints begin beyond half a
// turn, some of them by wishes, and turn fast; loads depend on their turns, and frictions on reactions.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "tests/compiler/ad/rng.h"

namespace mbc::test {

class Mechanism {
 public:
  explicit Mechanism(std::uint64_t seed, int more_bodies = 0, bool far = false);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool plane() const { return plane_; }
  [[nodiscard]] bool loops() const { return loops_; }

 private:
  using Vector = std::array<double, 3>;
  using Matrix = std::array<Vector, 3>;  // rows
  struct Place {
    Vector r{};
    Matrix R{};
  };
  Matrix rotation();
  Vector vector(double size);
  std::string frame_on(int body, const Place& place);
  std::string entries(const Vector& v);
  std::string rotated(const Matrix& R);
  void body(int i);
  void joint(int i);
  void close();
  void loads();
  void init();
  [[nodiscard]] std::string rubs(const std::string& joint) const;

  Rng rng_;
  bool plane_, far_, loops_ = false, guided_ = false;
  int bodies_;
  std::vector<Place> places_;                  // of body i at i + 1; the ground is first
  std::vector<std::string> measures_, rates_;  // rates of a screw depend on each other: one of them
  bool measured_ = true;                       // the freedom of all joints
  std::string text_;
};

}  // namespace mbc::test
