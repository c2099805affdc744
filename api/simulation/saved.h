// SPDX-License-Identifier: Apache-2.0
// Saved bytes of simulations (saved.cpp) and of runs (checkpoint.cpp), which identify their model.
#pragma once
#include <cstdint>
#include <string>

#include "api/simulation/simulation_impl.h"
#include "base/archive.h"

namespace mbc::api {

// Returns a digest of everything that the variant was compiled from, the version of mbc included.
std::uint64_t model_digest(const EquationVariant& variant);

// Returns the saved run together with digests of the model, the values, and the settings as RunResult names them.
std::string checkpoint_bytes(const Simulation::Impl& impl, const RunResult& named, const RunOptions& options,
                             const std::string& run);
// Returns the run in such bytes, or the reason why they contain none.
Result<std::string> run_in_checkpoint(const Simulation::Impl& impl, const RunResult& named, const RunOptions& options);

}  // namespace mbc::api
