// SPDX-License-Identifier: Apache-2.0
// Factorisation and solve of square nets, beside others on the same matrix: what bench/large.cpp and bench/targets.cpp
// time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mbc::bench {

struct NetSolver {
  std::string name;
  double seconds = 0;
};

// A net of width x width particles. mbc assembles S = A M^-1 A^T, factorises, solves and recovers the accelerations;
// the others are given S, with the analysis of its pattern done, and factorise and solve.
struct NetSeconds {
  std::uint32_t rows = 0;
  std::size_t factor = 0;  // entries of mbc's L
  double mbc = 0;
  NetSolver eigen;                 // SimplicialLDLT, approximate minimum degree
  std::vector<NetSolver> cholmod;  // empty where it is not installed
  double plan = 0;                 // seconds to make mbc's plan
  double difference = 0;           // of the multipliers, the largest from any of the others, relative (norms)

  // the fastest of CHOLMOD's; of Eigen's where there is no CHOLMOD
  [[nodiscard]] const NetSolver& best_other() const;
};

NetSeconds measure_net(std::uint32_t width);

}  // namespace mbc::bench
