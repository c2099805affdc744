// SPDX-License-Identifier: Apache-2.0
// The built-in functions, on values.
#pragma once
#include <string>
#include <vector>

#include "compiler/sema/expressions/value_checks.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

class Functions : public ValueChecks {
 public:
  using Args = std::vector<Value>;
  using ValueChecks::ValueChecks;

  static const std::vector<std::string>& names();
  // `callee` is one of the names.
  Value call(const std::string& callee, const Args& args, Span span);
  bool arity_is(const std::string& callee, const Args& args, std::size_t low, std::size_t high, Span span);

 private:
  Value of_number(Op op, const std::string& callee, const Args& args, Span span);
  Value sqrt_abs_sign(const std::string& callee, const Args& args, Span span);
  Value atan2(const Args& args, Span span);
  Value min_max(const std::string& callee, const Args& args, Span span);
  Value perpendicular(const std::string& callee, const Args& args, Span span);
  // of vectors
  Value of_vectors(const std::string& callee, const Args& args, Span span);
  std::optional<Args> vectors(const std::string& callee, const Args& args);
  Value length_or_unit(const std::string& callee, const Value& v, Span span);
  Value dot(const Value& a, const Value& b, Span span);
  Value cross(const Value& a, const Value& b, Span span);
  Value position_of(const Value& v, const std::string& callee);
  // of matrices (matrices.cpp)
  Value of_matrices(const std::string& callee, const Args& args, Span span);
  Value matrix(const Args& args, Span span);
  Value diagonal(const Args& args, Span span);
  Value transposed(const Args& args, Span span);
  Value rotation(const std::string& callee, const Args& args, Span span);
  Value rotation_about(const Value& direction, NodeId cosine, NodeId sine, Value made, Span span);
};

}  // namespace mbc::sema
