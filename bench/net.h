// SPDX-License-Identifier: Apache-2.0
// Measures factorisation and solve of square nets by mbc and by other solvers on the same matrix, for bench/large.cpp
// and bench/targets.cpp.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mbc::bench {

struct NetSolver {
  std::string name;
  double seconds = 0;
};

// The net has width x width particles. mbc assembles S = A M^-1 A^T, factorises it, solves and recovers the
// accelerations. The other solvers get S with its pattern already analysed, and they factorise and solve.
struct NetSeconds {
  std::uint32_t rows = 0;
  std::size_t factor = 0;  // number of entries of mbc's L
  double mbc = 0;
  NetSolver eigen;                 // SimplicialLDLT with approximate minimum degree
  std::vector<NetSolver> cholmod;  // empty if CHOLMOD is not installed
  double plan = 0;                 // seconds for making mbc's plan
  double difference = 0;  // largest relative difference (in norms) of the multipliers from those of another solver

  // Returns the fastest solver of CHOLMOD, or that of Eigen if there is no CHOLMOD.
  [[nodiscard]] const NetSolver& best_other() const;
};

NetSeconds measure_net(std::uint32_t width);

}  // namespace mbc::bench
