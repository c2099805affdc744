// SPDX-License-Identifier: Apache-2.0
// `param`, `let`, the parameters of instances, and what they have to satisfy.
#pragma once
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

class Parameters : private Statement {
 public:
  explicit Parameters(Elaboration& shared) : Statement(shared) {}
  void param(const ast::Param& p, const ast::Stmt& s);
  void let(const ast::Let& l);
  void bind(const Item& item);
  void requirement(const ast::Requirement& r);

 private:
  void structural(const ast::Param& p, const Value& written, const Param& made, const Override* o);
  void as_data(Value& v, const std::string& path, const ast::Parameter& p, bool overridden);
  bool as_usual(Value& v, const Given& g, const std::string& path, const std::string& what);
};

}  // namespace mbc::sema
