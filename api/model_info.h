// SPDX-License-Identifier: Apache-2.0
// From the compiler's structures to what the runtime and the host are told about a model.
#pragma once
#include "compiler/pipeline.h"
#include "mbc/mbc.h"
#include "runtime/equations/model_info.h"

namespace mbc::api {

runtime::ModelInfo describe(const sema::Model& model);

}  // namespace mbc::api
