// SPDX-License-Identifier: Apache-2.0
// Formulates the equations of a model in a kernel with chosen options.
#pragma once
#include <string>
#include <vector>

#include "runtime/equations/equations.h"
#include "tests/compiler/formulate/model_kernel.h"

namespace mbc::test {

// The model must outlive its equations.
struct FormulatedModel {
  Compilation compilation;
  formulate::Formulated made;

  FormulatedModel(const std::string& text, const formulate::FormulateOptions& options)
      : compilation(compile("model.mbd", text, {})) {
    if (!compilation.ok()) return;
    made = formulate::formulate(compilation.system, options);
    kernel::require_verified(made.kernel);
  }
  [[nodiscard]] runtime::Equations equations() const {
    return {made.kernel, made.layout, {}, sema::parameter_values(compilation.model)};
  }
  [[nodiscard]] std::vector<double> initial() const { return initial_state(compilation, made.layout.n_y()); }
};

}  // namespace mbc::test
