// SPDX-License-Identifier: Apache-2.0
// From the compiler's structures to what the runtime and the host are told about a model.
#pragma once
#include "compiler/pipeline.h"
#include "kernel/problem/problem.h"
#include "mbc/mbc.h"

namespace mbc::api {

problem::Problem describe(const sema::Model& model);
// Whether the model has instances, or elements of arrays of loads, rows, states or outputs: a place in the text does
// not say which of them it is.
bool written_many_times(const sema::Model& model);
// What ModelInfo::failed_item asks; of a compilation that has its model and system.
std::optional<problem::FailedItem> failed_item(const Compilation& c, const problem::FailedOperation& failed);

}  // namespace mbc::api
