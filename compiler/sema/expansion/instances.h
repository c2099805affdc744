// SPDX-License-Identifier: Apache-2.0
// Joints, models, modules: text that is written once and used many times. An instance is a scope of its own in which
// the component's body is written out; its parameters are names of that scope.
#pragma once
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/name.h"
#include "compiler/sema/dependencies.h"
#include "compiler/sema/expansion/items.h"
#include "compiler/sema/expansion/shapes.h"
#include "compiler/sema/expansion/size_limit.h"
#include "compiler/sema/expressions/elaboration.h"

namespace mbc::sema {

class Expansion;

// Returns the component that an instance is made from; reports a missing one and returns null.
const Symbol* component_of(const ast::Instance& i, const Scope& here, std::uint32_t space, Sink& sink);

class Instances {
 public:
  Instances(Elaboration& shared, Items& items, SizeLimit& size, Expansion& expansion);

  // Checks a function or component as far as that is possible without a call or instance.
  void check_function(const ast::Def& def, const Scope& home);
  void check_component(const ast::Component& c, const Scope& home);
  // Checks the names in components without an instance (unused_components.cpp).
  void check_unused_components();
  // Notes a branch of the file that its condition leaves out; the second function checks the names in all of them.
  void leave_out(const std::vector<ast::StmtPtr>& branch) { left_out_.push_back(&branch); }
  void check_left_out(const std::vector<ast::StmtPtr>& file);
  // Chain c(n = 50)
  void make(const ast::Instance& i, Symbol& symbol, const std::string& name, Scope& here);
  // use joints, "parts.mbd": the names declared there are found here, after this file's own.
  void use(const ast::Use& u, Scope& into);
  // Return the scopes of all shapes, and all pairs of shapes.
  [[nodiscard]] const std::vector<const Scope*>& shapes() const { return shapes_; }
  [[nodiscard]] const std::vector<PairOfShapes>& pairs() const { return pairs_; }

 private:
  // The source of an instance: the component it names, that of a kind of shape, or of a pair of shapes (shapes.cpp).
  struct Chosen {
    const Symbol* type = nullptr;
    bool pair = false, turned = false;       // turned: the component takes the other shape first
    const Scope *a = nullptr, *b = nullptr;  // the shapes of a pair
  };
  Chosen choose(const ast::Instance& i, Scope& here);
  const Symbol* shape_component(const ast::Instance& i);
  Chosen pair_component(const ast::Instance& i, Scope& here);
  const Scope* shape_given(const ast::Instance& i, const char* name, std::size_t place, Scope& here);
  void complete_pair(const ast::Component& component, const Chosen& chosen, const ast::Instance& i,
                     std::vector<const ast::Expr*>& given);
  bool too_deep(const ast::Instance& i, const Scope::Instance* around);
  void add_parameters(const ast::Component& component, const std::vector<const ast::Expr*>& given,
                      const std::vector<SharedText>& names, Scope& inside, Scope& here);
  const std::vector<SharedText>& names_of_parameters(const ast::Component& component);
  const Scope* module_scope(const ast::Use::Item& item);
  const Scope* module_scope(const Module& used, const ast::Use::Item& item);
  const ast::Stmt* declare_module(const Module& module, Scope& scope, std::size_t& misplaced);
  bool fits_space(const Module& module, const ast::Use::Item& item);
  static void refuse_definitions(const Module& module, Scope& scope);

  Elaboration& shared_;
  Sink& sink_;
  Evaluator& evaluator_;
  Items& items_;
  SizeLimit& size_;
  Expansion& expansion_;
  std::map<const Module*, Scope> modules_;
  std::vector<const Scope*> shapes_;
  std::vector<PairOfShapes> pairs_;
  std::deque<ast::Expr> numbers_;  // generated arguments
  // The components that have an instance, with the names of their parameters.
  std::unordered_map<const ast::Component*, std::vector<SharedText>> made_;
  std::vector<std::pair<const ast::Component*, const Scope*>> components_;  // all, and their scopes
  std::vector<const std::vector<ast::StmtPtr>*> left_out_;                  // branches
};

}  // namespace mbc::sema
