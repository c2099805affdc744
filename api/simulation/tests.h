// SPDX-License-Identifier: Apache-2.0
// Turns the tests of a model into the checks that the runtime evaluates, and its verdicts into diagnostics.
#pragma once
#include "compiler/pipeline.h"
#include "mbc/mbc.h"
#include "runtime/run/check_run.h"

namespace mbc::api {

// `equations` belong to a kernel with the values of checks (lower::lower).
runtime::CheckRun check_run(const sema::Model& model, const sema::Test& test, runtime::Equations& equations);
// Returns one diagnostic for each check that failed or was not made.
std::vector<Diagnostic> failures(const sema::Model& model, const sema::Test& test, const runtime::CheckRun& run);

}  // namespace mbc::api
