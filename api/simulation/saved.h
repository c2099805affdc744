// SPDX-License-Identifier: Apache-2.0
// What is common to the bytes of simulations (saved.cpp) and those of runs (checkpoint.cpp): what they are of.
#pragma once
#include <cstdint>
#include <string>

#include "api/simulation/simulation_impl.h"
#include "base/archive.h"

namespace mbc::api {

// Of everything it was compiled from, the version of mbc included.
std::uint64_t model_digest(const EquationVariant& variant);

// What a run has saved, with what it is of: the model, the values, the settings as RunResult names them.
std::string checkpoint_bytes(const Simulation::Impl& impl, const RunResult& named, const RunOptions& options,
                             const std::string& run);
// The other way: the run in bytes of such a run, or why they are not that.
Result<std::string> run_in_checkpoint(const Simulation::Impl& impl, const RunResult& named, const RunOptions& options);

}  // namespace mbc::api
