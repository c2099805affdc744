// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/spectral_radius.h"

#include <cmath>

namespace mbc::runtime {

double SpectralRadius::of(const Eigen::MatrixXd& J) {
  constexpr int kBefore = 10, kSteps = 20;
  for (Eigen::Index i = 0; i < direction_.size(); ++i) direction_[i] = 1.0 + 0.1 * static_cast<double>(i % 7);
  double growth = 0;
  for (int k = 0; k < kBefore + kSteps; ++k) {
    const double before = direction_.norm();
    if (!(before > 0)) return 0;
    direction_ /= before;
    if (k > kBefore) growth += std::log(before);
    image_.noalias() = J * direction_;
    direction_.swap(image_);
  }
  return std::exp(growth / (kSteps - 1));
}

}  // namespace mbc::runtime
