// SPDX-License-Identifier: Apache-2.0
// Joints, models, modules: what is written once and used many times. An instance is a scope of its own in which the
// component's body is written out; its parameters are names of that scope.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/sema/dependencies.h"
#include "compiler/sema/expansion/items.h"
#include "compiler/sema/expansion/size_limit.h"
#include "compiler/sema/expressions/elaboration.h"

namespace mbc::sema {

class Expansion;

// The component that an instance is made from; null, and reported, when there is none.
const Symbol* component_of(const ast::Instance& i, const Scope& here, std::uint32_t space, Sink& sink);

class Instances {
 public:
  Instances(Elaboration& shared, Items& items, SizeLimit& size, Expansion& expansion);

  // What can be said of a function or component without a call or instance of it.
  void check_function(const ast::Def& def, const Scope& home);
  void check_component(const ast::Component& c, const Scope& home);
  // Names in components of which no instance was made (unused_components.cpp).
  void check_unused_components();
  // Chain c(n = 50)
  void make(const ast::Instance& i, Symbol& symbol, const std::string& name, Scope& here);
  // use joints, "parts.mbd": the names declared there are found here, after this file's own.
  void use(const ast::Use& u, Scope& into);

 private:
  bool too_deep(const ast::Instance& i, const Scope::Instance* around);
  void add_parameters(const ast::Component& component, const std::vector<const ast::Expr*>& given, Scope& inside,
                      Scope& here);
  const Scope* module_scope(const ast::Use::Item& item);
  const ast::Stmt* declare_module(const Module& module, Scope& scope, std::size_t& misplaced);

  Elaboration& shared_;
  Sink& sink_;
  Evaluator& evaluator_;
  Items& items_;
  SizeLimit& size_;
  Expansion& expansion_;
  std::map<const Module*, Scope> modules_;
  std::set<const ast::Component*> made_;                                    // those that have an instance
  std::vector<std::pair<const ast::Component*, const Scope*>> components_;  // all, and where they stand
};

}  // namespace mbc::sema
