// SPDX-License-Identifier: Apache-2.0
#include "runtime/rows/threads.h"

#include <Eigen/Core>

namespace mbc::runtime {

void prepare_for_threads() { Eigen::initParallel(); }

}  // namespace mbc::runtime
