// SPDX-License-Identifier: Apache-2.0
// Model::info().
#pragma once
#include "api/shape.h"
#include "mbc/model.h"

namespace mbc::api {

// What to do where a model has no parameter of this name: the nearest one, or how an argument of an instance becomes
// one.
[[nodiscard]] std::string help_for_parameter(const Shape& shape, const std::string& name);

[[nodiscard]] ModelInfo model_info(const Model& model, const Shape& shape, bool momenta);

}  // namespace mbc::api
