// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/watch/dips.h"

#include <algorithm>

namespace mbc::runtime {

double Dip::lowest() const {
  const double a = theta[1] - theta[0], b = theta[2] - theta[1], down = (value[1] - value[0]) / a,
               up = (value[2] - value[1]) / b, bend = up - down;
  const double part = theta[1] - 0.5 * (b * down + a * up) / bend;
  return std::clamp(part, theta[0] + 0.05 * a, theta[2] - 0.05 * b);
}

void Dip::refine(double part, double of) {
  const bool left = part < theta[1];
  if (of < value[1]) {
    theta[left ? 2 : 0] = theta[1];
    value[left ? 2 : 0] = value[1];
    theta[1] = part;
    value[1] = of;
  } else {
    theta[left ? 0 : 2] = part;
    value[left ? 0 : 2] = of;
  }
}

void Dips::push(double theta, const std::vector<double>& values) {
  std::rotate(theta_.begin(), theta_.begin() + 1, theta_.end());
  std::rotate(values_.begin(), values_.begin() + 1, values_.end());
  theta_[2] = theta;
  values_[2] = values;
}

}  // namespace mbc::runtime
