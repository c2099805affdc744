// SPDX-License-Identifier: Apache-2.0
// What the functions of Program that live in files of their own work with.
#pragma once
#include "base/source_file.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/model.h"
#include "mbc/mbc.h"
#include "runtime/equations/equations.h"
#include "runtime/equations/model_info.h"

namespace mbc {

struct Program::Parts {
  runtime::Equations& equations;
  const runtime::ModelInfo& info;
  sema::Model& model;  // its graph grows by derivatives of initial targets
  const SourceSet& sources;
  const std::vector<double>& params;
  std::vector<double> given;  // initial values as written, y
  std::string description;    // what stands above the first statement
};

}  // namespace mbc
