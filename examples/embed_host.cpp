// SPDX-License-Identifier: Apache-2.0
// The smallest host of mbc: a pendulum compiled from a string, a parameter changed, the equations of motion evaluated,
// the motion followed. It needs mbc/mbc.h only and prints
//   released: az = -9.81
//   1000 steps to z = -0.1650; fastest 4.429, sqrt(2 g L) = 4.429
#include <mbc/mbc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

constexpr const char* kModel = R"(mbd 1
param L = 0.4 [m]
gravity (0, 0, -9.81) [m/s^2]
particle bob(2 [kg]) at (L, 0 [m], 0 [m])
constraint rod: dist(ground, bob) == L
output speed = norm(bob.vel)
simulate { time = 0 [s] .. 1 [s] step 1 [ms]; stabilise = project; integrator = rk4 })";

int main() {
  const mbc::Model model = mbc::Model::from_string(kModel, "pendulum");
  if (!model.ok()) {
    std::cerr << model.render_diagnostics();
    return 1;
  }
  mbc::Simulation simulation = mbc::Simulation::create(model).value();
  simulation.set_parameter("L", 1.0).value();        // nothing is compiled again
  simulation.reset();                                // the bob starts there, too
  const std::vector<double> y = simulation.state();  // position, velocity, two work integrals
  std::vector<double> dy(y.size());
  if (!simulation.rhs(0.0, y, dy)) return 1;
  std::printf("released: az = %.2f\n", dy[5]);

  double fastest = 0;
  const mbc::RunResult result = simulation.run({}, [&fastest](const mbc::Row& row) {
    fastest = std::max(fastest, row.values.back());  // columns as in model.columns(): the outputs are last
    return true;
  });
  std::cerr << result.rendered;  // warnings, or why it stopped
  std::printf("%d steps to z = %.4f; fastest %.3f, sqrt(2 g L) = %.3f\n", static_cast<int>(result.steps),
              result.state[2], fastest, std::sqrt(2 * 9.81 * 1.0));
  return result.status == mbc::Status::complete ? 0 : 1;
}
