// SPDX-License-Identifier: Apache-2.0
// Simulation::doctor().
#pragma once
#include "mbc/simulation.h"

namespace mbc::api {

// Leaves `simulation` anywhere: it is the doctor's own.
[[nodiscard]] DoctorReport doctor(Simulation& simulation, const DoctorOptions& options);

}  // namespace mbc::api
