// SPDX-License-Identifier: Apache-2.0
// This file evaluates expressions of the language and prints the stages of the compiler.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "api/model/equation_variant.h"
#include "api/model/leaf_values.h"
#include "mbc/model.h"

namespace mbc::api {

// An expression, as nodes of a model that was elaborated for it.
struct Elaborated {
  sema::Model model;
  std::vector<graph::NodeId> nodes;
};
[[nodiscard]] Result<Elaborated> elaborate(const EquationVariant& variant, const std::string& expression);
[[nodiscard]] std::vector<double> evaluate(const sema::Model& model, const std::vector<graph::NodeId>& nodes,
                                           const LeafValues& values);

// The values that an expression needs besides coordinates, speeds and constants.
struct Needs {
  bool rows = false;   // accelerations, multipliers
  bool rates = false;  // rates of states
  // The number of the kernel's inputs that it needs, from the first: those of the model, then the discrete state.
  std::size_t inputs = 0;
};
// Returns the value of an expression. `values` is called once the expression is known to have a value;
// value_of_constants() supplies parameters only.
[[nodiscard]] Result<Evaluated> value_of(const EquationVariant& variant, const std::string& expression,
                                         const std::function<Result<LeafValues>(const Needs&)>& values);
// Returns an error if the functions of the kernel need more than their arguments: formulations in independent speeds
// depend on a choice of speeds that a run makes and renews.
[[nodiscard]] Result<void> check_callable(const EquationVariant& variant);
[[nodiscard]] Result<Evaluated> value_of_constants(const EquationVariant& variant, const std::string& expression);

[[nodiscard]] Result<std::string> emit(const EquationVariant& variant, Stage stage, const std::string& prefix,
                                       const std::string& processor);

}  // namespace mbc::api
