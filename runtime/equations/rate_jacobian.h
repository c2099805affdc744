// SPDX-License-Identifier: Apache-2.0
// The derivatives of the rates [q'; u'; s'] by the state [q; u; s], without the work integrals, which nothing depends
// on. Those of u' follow from the equations themselves, differentiated implicitly (docs/numerics.md, section 4):
//
//   [M A^T; A 0] [du'; -dlambda] = [dF; dR],   F = f + A^T lambda - M u',   R = b - A u'
//
// with the partial derivatives of F and R at held u' and lambda as compiled expressions (kernel/partials.h), so that no
// difference is formed, but where loads follow from the multipliers (implicit_loads.h). Rows left out of the certified
// set, and those that the elimination skips, take no part.
#pragma once
#include <Eigen/Core>
#include <functional>
#include <memory>
#include <vector>

#include "kernel/interpreter.h"
#include "kernel/native_slot.h"
#include "kernel/partials.h"
#include "runtime/equations/equations.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

// The function of one kernel, made once and never changed; any number of Jacobians on any threads share it.
struct PartialsCode {
  kernel::Partials partials;
  // Has native code made, or waits for it; empty: it is interpreted.
  std::function<std::shared_ptr<const kernel::NativeSlot>()> start;
  bool at_once = false;  // before the first call
};

class RateJacobian {
 public:
  // Both outlive the object; the code is of the kernel of the equations, whose state is [q; u; s].
  RateJacobian(const PartialsCode& code, Equations& equations);
  RateJacobian(const RateJacobian&) = delete;
  RateJacobian& operator=(const RateJacobian&) = delete;

  // Entries of the state without the work integrals.
  [[nodiscard]] std::uint32_t size() const { return layout_.n_columns(); }
  // At a state y of n_y entries; false where a rate or a derivative is not finite. matrix() is size() x size(). What
  // the equations hold in work is that of `assemble` at this state afterwards.
  bool evaluate(double t, const double* y);
  [[nodiscard]] const Eigen::MatrixXd& matrix() const { return matrix_; }

  // ---- displacements that stiff forces do not resist
  // In place of the mass the metric M - gamma F_u - gamma^2 F_q W of the last state that was evaluated: a displacement
  // small in it leaves the end of an implicit step with y = gamma y' + ... where it was, also where springs are stiff.
  void weigh(double gamma);
  // w with A w = -e, after weigh(); e: n_rows, those of rows without a part do not count. n_speeds entries.
  const std::vector<double>& displacement(const double* e);

 private:
  void take_partials(double t, const double* y, const double* accelerations, const double* lambda);
  void gather(bool prescribed);
  void add_nonideal(double t, const double* y);
  bool add_implicit_loads(double t, const double* y);
  void factor();
  [[nodiscard]] bool takes_part(std::uint32_t row) const;
  void prepare_native();

  const PartialsCode& code_;
  const kernel::PartialsLayout& layout_;
  Equations& equations_;
  kernel::Registers registers_;
  std::shared_ptr<const kernel::NativeSlot> slot_;
  std::uint32_t calls_ = 0, worth_ = 0;
  std::vector<double> work_, rate_, given_;
  std::vector<double> lambda_, ideal_, free_;  // with `nonideal` forces: multipliers, those without, u' without
  std::vector<bool> active_;
  Eigen::VectorXd scale_;      // of rows and columns of the factored matrix
  Eigen::MatrixXd augmented_;  // [M A^T; A 0], scaled
  Eigen::MatrixXd right_, solved_, matrix_;
  Eigen::MatrixXd one_right_, one_solved_;  // one column
  Eigen::MatrixXd weighed_;
  std::vector<double> displacement_;
  LuFactors factors_, weighed_factors_;
};

}  // namespace mbc::runtime
