// SPDX-License-Identifier: Apache-2.0
// The values that a host gives to parameters, checked as those of a text are. What the checks look at is a copy: the
// model may be dropped (analysed_text.h).
#pragma once
#include <optional>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/sema/model.h"

namespace mbc::api {

class HostValues {
 public:
  HostValues() = default;
  explicit HostValues(const sema::Model& model);

  // Returns why no model can have these values of its parameters, a mass of 0 for example; nothing if one can.
  [[nodiscard]] std::optional<Diagnostic> refused(const std::vector<double>& params) const;

 private:
  sema::Model checked_;  // what depends on parameters: masses, inertias, shapes, requirements
};

}  // namespace mbc::api
