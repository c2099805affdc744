// SPDX-License-Identifier: Apache-2.0
// Types of parameters, and frames, which joints connect. A body or the ground is a frame if one is wanted.
#pragma once
#include <string>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/sema/expressions/value_checks.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

class Types : public ValueChecks {
 public:
  using ValueChecks::ValueChecks;

  // Returns the names of the types that a parameter may be declared with.
  static const std::vector<std::string>& names();
  // Checks the declared parameters of functions and components: types exist, each name is used once.
  void check_parameters(const std::vector<ast::Parameter>& parameters);
  // Returns whether a parameter of this type takes the value without conversion: a number for a number.
  [[nodiscard]] static bool is_number(const Value& v, const std::string& type) {
    return v.scalar() && (type == "number" || type == "real");
  }
  // Converts a value to a parameter's type ("" any): a body is a frame and a point if those are wanted. Reports
  // mistakes.
  Value converted(const Value& v, const std::string& type, const std::string& what, Span declared);
  // Returns the axes of a body, frame or the ground, moved by a constant vector and turned by a constant rotation (in
  // its axes).
  Value frame_on(const Value& carrier, const std::vector<NodeId>& offset, const std::vector<NodeId>& turn,
                 const std::string& name, Span span);

 private:
  [[nodiscard]] bool fits(const Value& v, const std::string& type) const;
  Value whole_number(const Value& v, const std::string& what);
  Value unfit(const Value& v, const std::string& type, const std::string& what, Span declared);
  Frame axes_of(const Value& carrier, const std::string& name);
  void move(Frame& f, const std::vector<NodeId>& offset);
  void turn(Frame& f, const std::vector<NodeId>& by);
};

}  // namespace mbc::sema
