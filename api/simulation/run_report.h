// SPDX-License-Identifier: Apache-2.0
// Translates the runtime's data of a run for the host: status, diagnostics in the user's words, rows by name.
#pragma once
#include <span>
#include <vector>

#include "api/simulation/simulation_impl.h"

namespace mbc::api {

// Inputs of the report besides the runtime's data.
struct ReportedRun {
  Simulation::Impl& impl;
  const sema::Simulation& block;
  const runtime::SimulateOptions& settings;
  runtime::Equations& equations;
  const std::vector<double>& given;  // the state before `assemble` moved it
  const std::vector<double>& held;   // the discrete state at the start
};

// Adds to the result of a run what was known before it started.
void report(const ReportedRun& run, const runtime::RunData& data, RunResult& result);

// Adds the distance by which the initial state was moved.
void name_assembly(RunResult& result, std::span<const double> distance);

}  // namespace mbc::api
