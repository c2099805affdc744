// SPDX-License-Identifier: Apache-2.0
// Derives the problem from the model: what runtime and interface know of the model beside the kernel.
#pragma once
#include "compiler/sema/model.h"

namespace mbc::lower {

problem::Problem describe(const sema::Model& model);

}  // namespace mbc::lower
