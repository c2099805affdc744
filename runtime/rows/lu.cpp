// SPDX-License-Identifier: Apache-2.0
// Partial pivoting LU.
#include <Eigen/LU>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

struct LuFactors::Factors {
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
};

LuFactors::LuFactors() : factors_(std::make_unique<Factors>()) {}
LuFactors::~LuFactors() = default;
LuFactors::LuFactors(LuFactors&&) noexcept = default;
LuFactors& LuFactors::operator=(LuFactors&&) noexcept = default;

void LuFactors::compute(const Eigen::MatrixXd& A) { factors_->lu.compute(A); }
void LuFactors::solve(const Eigen::MatrixXd& B, Eigen::MatrixXd& X) const { X.noalias() = factors_->lu.solve(B); }

}  // namespace mbc::runtime
