// SPDX-License-Identifier: Apache-2.0
// From the model to the problem: what runtime and interface know of it beside the kernel.
#pragma once
#include "compiler/sema/model.h"

namespace mbc::lower {

problem::Problem describe(const sema::Model& model);

}  // namespace mbc::lower
