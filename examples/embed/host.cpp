// SPDX-License-Identifier: Apache-2.0
// From C++: a model is compiled, looked at, and run with an observer of its rows. Build it with CMakeLists.txt, or
// c++ -std=c++20 host.cpp $(pkg-config --cflags --libs mbc) -o host && ./host ../spherical_pendulum.mbd
#include <mbc/mbc.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

int main(int argc, char** argv) {
  const mbc::Model model = mbc::Model::from_file(argc > 1 ? argv[1] : "spherical_pendulum.mbd");
  if (!model.ok()) {
    std::cerr << model.render_diagnostics();
    return 1;
  }
  mbc::Simulation simulation = mbc::Simulation::create(model).value();
  const std::vector<double> y = simulation.state();  // position, velocity, integrals of work
  std::vector<double> dy(y.size());
  simulation.rhs(0.0, y, dy).value();
  std::printf("%s'' = %.4f\n", model.coordinates()[2].name.c_str(), dy[5]);

  double lowest = 0;
  const mbc::RunResult result = simulation.run({}, [&lowest](const mbc::Row& row) {
    lowest = std::min(lowest, row.state[2]);
    return true;  // go on
  });
  std::cerr << result.rendered;  // warnings, or why it stopped
  std::printf("bob.z = %.8f at t = %.0f\nlowest: %.4f\n", result.state[2], result.reached, lowest);
  return result.status == mbc::Status::complete ? 0 : 1;
}
