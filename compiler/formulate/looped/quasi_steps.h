// SPDX-License-Identifier: Apache-2.0
// The steps of a kernel for formulations in independent speeds: calls of mbc_quasi_solve and the copies around them.
#pragma once
#include "compiler/formulate/looped/dense_steps.h"

namespace mbc::formulate {

class QuasiSteps {
 public:
  // `field` allocates in work. Layout and dense steps outlive the object.
  QuasiSteps(const SystemLayout& layout, const DenseSteps& dense, Solve solve, std::vector<Direction> momenta,
             const DenseSteps::Field& field);

  // Computes u at work[u ..] from [q; y; s], with A, c, Y, Z, M, N in work.
  void expand(kernel::Function& f) const;
  // Computes accelerations at work[u' ..] and multipliers from M, f, A, b and z in work; `factored`: expand() was
  // called before.
  void accelerations(kernel::Function& f, bool factored) const;
  // Copies u', or y' instead, from work to deriv.
  void store(kernel::Function& f, bool quasi) const;

  // Writes the directions of the momenta as constants in work.
  void directions(kernel::Function& f) const;

 private:
  void prepare(kernel::Function& f) const;
  void call(kernel::Function& f, std::uint32_t mode) const;

  const SystemLayout& layout_;
  const DenseSteps& dense_;
  Solve solve_;
  std::vector<Direction> momenta_;
  std::uint32_t scratch_ = 0;
};

}  // namespace mbc::formulate
