// SPDX-License-Identifier: Apache-2.0
// From the model's tests to what the runtime looks at, and from its verdicts to diagnostics.
#pragma once
#include "compiler/pipeline.h"
#include "mbc/mbc.h"
#include "runtime/run/check_run.h"

namespace mbc::api {

// `equations` of a kernel with watched values (lower::lower).
runtime::CheckRun check_run(const sema::Model& model, const sema::Test& test, runtime::Equations& equations);
// The checks that failed.
std::vector<Diagnostic> failures(const sema::Model& model, const sema::Test& test, const runtime::CheckRun& run);

}  // namespace mbc::api
