// SPDX-License-Identifier: Apache-2.0
// What the host is told about a sweep before it runs.
#pragma once
#include "compiler/sema/model.h"
#include "mbc/mbc.h"

namespace mbc::api {

// Without records of its own, those of its block; sweep() fills in what is recorded when there are none.
SweepInfo sweep_info(const sema::Model& model, const sema::Sweep& sweep);

}  // namespace mbc::api
