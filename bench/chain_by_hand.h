// SPDX-License-Identifier: Apache-2.0
// A long chain of unit masses on unit rods from the origin, gravity along -z, as a specialist writes it for a processor
// with vector registers: rods evaluated along the chain, the tridiagonal system cut into eight blocks that are
// eliminated side by side, every last row of a block kept for a small system of eight.
#pragma once
#include <vector>

namespace mbc::bench {

class ChainByHand {
 public:
  explicit ChainByHand(int rods);
  // State and rates as [x; y; z; vx; vy; vz], `rods` numbers each.
  void operator()(const double* state, double* rate);

 private:
  using Eight [[gnu::vector_size(64)]] = double;
  void rows(const double* state);
  void eliminate();
  void join();
  void accelerate(const double* state, double* rate) const;

  int n_, block_;                                               // rods; rods of a block, its last one included
  std::vector<double> dx_, dy_, dz_, diagonal_, next_, right_;  // padded: rows of the unit matrix
  std::vector<double> lambda_;
  std::vector<Eight> inverse_, coupling_, known_, by_left_, by_right_;  // of the rows of the blocks but their last ones
  std::vector<double> last_;                                            // multipliers of the last rows
};

}  // namespace mbc::bench
