// SPDX-License-Identifier: Apache-2.0
// Values of expressions of the language, and what the stages of the compiler print.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "api/model/equation_variant.h"
#include "mbc/model.h"

namespace mbc::api {

// What the leaves of an expression stand for; an entry that is missing is undefined.
struct LeafValues {
  double time = 0;
  std::span<const double> y;
  std::vector<double> params, inputs, rates, accelerations, multipliers, ideal;
};

// An expression, as nodes of a model that was elaborated for it.
struct Elaborated {
  sema::Model model;
  std::vector<graph::NodeId> nodes;
};
[[nodiscard]] Result<Elaborated> elaborate(const EquationVariant& variant, const std::string& expression);
[[nodiscard]] std::vector<double> evaluate(const sema::Model& model, const std::vector<graph::NodeId>& nodes,
                                           const LeafValues& values);

// What an expression is made of, beside coordinates, speeds and what is constant.
struct Needs {
  bool rows = false;       // accelerations, multipliers
  bool rates = false;      // of states
  std::size_t inputs = 0;  // so many of the kernel's first ones: those of the model, then the discrete state
};
// `values` is called when the expression is known to have a value; the one of `value_of_constants` knows parameters
// only.
[[nodiscard]] Result<Evaluated> value_of(const EquationVariant& variant, const std::string& expression,
                                         const std::function<Result<LeafValues>(const Needs&)>& values);
// Whether the functions of the kernel give rates by themselves. Those of formulations in independent speeds ask for a
// choice of these, which a run makes and makes anew.
[[nodiscard]] Result<void> check_callable(const EquationVariant& variant);
[[nodiscard]] Result<Evaluated> value_of_constants(const EquationVariant& variant, const std::string& expression);

[[nodiscard]] Result<std::string> emit(const EquationVariant& variant, Stage stage, const std::string& prefix,
                                       const std::string& processor);

}  // namespace mbc::api
