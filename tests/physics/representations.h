// SPDX-License-Identifier: Apache-2.0
// Runs models in every representation of bodies, with the generalised inverse and the augmented system.
#pragma once
#include <cmath>
#include <string>
#include <vector>

namespace mbc::test {

inline const std::vector<std::string> kRepresentations{"quaternion", "euler_parameters", "natural"};
inline const std::vector<std::string> kFormulations{"udwadia_kalaba", "augmented"};

inline bool near(double value, double wanted, double tolerance) { return std::fabs(value - wanted) <= tolerance; }

inline std::vector<std::string> choose(const std::string& bodies, const std::string& formulation) {
  return {"bodies=" + bodies, "formulation=" + formulation};
}

}  // namespace mbc::test
