// SPDX-License-Identifier: Apache-2.0
// Model::info().
#pragma once
#include "api/shape.h"
#include "mbc/model.h"

namespace mbc::api {

[[nodiscard]] ModelInfo model_info(const Model& model, const Shape& shape, bool momenta);

}  // namespace mbc::api
