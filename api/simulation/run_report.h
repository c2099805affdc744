// SPDX-License-Identifier: Apache-2.0
// What the runtime tells of a run, as the host reads it: status, diagnostics in the user's words, rows by name.
#pragma once
#include <span>
#include <vector>

#include "api/simulation/simulation_impl.h"

namespace mbc::api {

// What the report is made of, besides what the runtime tells.
struct ReportedRun {
  Simulation::Impl& impl;
  const sema::Simulation& block;
  const runtime::SimulateOptions& settings;
  runtime::Equations& equations;
  const std::vector<double>& given;  // the state before `assemble` moved it
  const std::vector<double>& held;   // the discrete state at the start
};

// Adds to what is known of the run before it starts.
void report(const ReportedRun& run, const runtime::RunData& data, RunResult& result);

// Says by how much the initial state was moved.
void name_assembly(RunResult& result, std::span<const double> distance);

}  // namespace mbc::api
