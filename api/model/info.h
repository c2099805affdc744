// SPDX-License-Identifier: Apache-2.0
// Model::info(), and the description of a sweep that the host gets before it runs.
#pragma once
#include "api/model/equation_variant.h"
#include "compiler/sema/model.h"
#include "mbc/model.h"
#include "mbc/sweep.h"

namespace mbc::api {

// Returns advice for an unknown parameter name: the nearest name, or how an argument of an instance becomes a
// parameter.
[[nodiscard]] std::string help_for_parameter(const EquationVariant& variant, const std::string& name);

// Returns the description of a sweep. It has the records of its block; sweep() fills in the records if there are none.
[[nodiscard]] SweepInfo sweep_info(const sema::Model& model, const sema::Sweep& sweep);

// Return names, units and descriptions as a host gets them.
[[nodiscard]] Quantity quantity(const problem::Column& column);
[[nodiscard]] std::vector<Quantity> quantities(const problem::Quantities& columns);

[[nodiscard]] Level level_of(problem::Level level);

[[nodiscard]] ModelInfo model_info(const Model& model, const EquationVariant& variant, bool momenta);

}  // namespace mbc::api
