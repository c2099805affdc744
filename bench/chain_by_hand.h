// SPDX-License-Identifier: Apache-2.0
// ChainByHand is a long chain of unit masses on unit rods from the origin with gravity along -z, written as a
// specialist would for a processor with vector registers. It evaluates the rods along the chain and cuts the
// tridiagonal system into eight blocks that are eliminated side by side. The last rows of the blocks form a small
// system of eight rows.
#pragma once
#include <vector>

namespace mbc::bench {

class ChainByHand {
 public:
  explicit ChainByHand(int rods);
  // The state and the rates are [x; y; z; vx; vy; vz], with `rods` numbers each.
  void operator()(const double* state, double* rate);

 private:
  using Eight [[gnu::vector_size(64)]] = double;
  void rows(const double* state);
  void eliminate();
  void join();
  void accelerate(const double* state, double* rate) const;

  int n_, block_;  // number of rods; number of rods in a block, including its last one
  std::vector<double> dx_, dy_, dz_, diagonal_, next_, right_;  // padded with rows of the unit matrix
  std::vector<double> lambda_;
  // values of the rows of the blocks without their last rows
  std::vector<Eight> inverse_, coupling_, known_, by_left_, by_right_;
  std::vector<double> last_;  // multipliers of the last rows
};

}  // namespace mbc::bench
