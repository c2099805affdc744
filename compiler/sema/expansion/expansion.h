// SPDX-License-Identifier: Apache-2.0
// Expands statements to items: declarations are announced, then loops, conditions, arrays and instances are written out
// in the order of the text. Numbers that shape a model (bounds, indices, conditions) are evaluated here, after the
// names in them. `home` is the scope in which names are declared, `here` the one in which they are looked up: the same,
// or one pass of a loop in it.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/sema/expansion/instances.h"
#include "compiler/sema/expansion/items.h"
#include "compiler/sema/expansion/order.h"
#include "compiler/sema/expansion/size_limit.h"
#include "compiler/sema/expressions/elaboration.h"

namespace mbc::sema {

// Reports `space`, `simulate`, `use` and their like outside of a file's top level, and returns true.
bool misplaced_in_component(const ast::Stmt& s, Sink& sink);

class Expansion {
 public:
  Expansion(Elaboration& shared, Items& items, Order& order);

  void file(const ast::File& file);
  void block(const std::vector<ast::StmtPtr>& statements, Scope& home, Scope& here);
  // `repeated`: in an array, where a name needs an index as in a loop.
  void declare(const ast::Stmt& s, Scope& home, Scope& here, bool repeated = false);
  void expand(const ast::Stmt& s, Scope& home, Scope& here);

  [[nodiscard]] const Instances& instances() const { return instances_; }
  SizeLimit& size() { return size_; }
  struct Final {  // a statement that is read when the model is complete
    const ast::Stmt* statement;
    const Scope* scope;
  };
  [[nodiscard]] const std::vector<Final>& finals() const { return finals_; }

 private:
  void declare_array(const ast::Declared& d, Scope& home);
  void refuse(const ast::Declared& d, Scope& home);
  void refuse_loop_name(const ast::Stmt& s, const ast::Declared& d, Scope& home);
  void add_named_outputs(const std::vector<ast::StmtPtr>& statements, Scope& home, Scope& here);
  bool leave_to_declaration(const Symbol& symbol);
  void expand_for(const ast::For& loop, Scope& home, Scope& here);
  void expand_if(const ast::IfBlock& block, Scope& home, Scope& here);
  void expand_plain(const ast::Stmt& s, Scope& home, Scope& here);
  void expand_nonideal(const ast::Stmt& s, Scope& home, Scope& here);
  void expand_indexed(const ast::Stmt& s, const ast::Declared& d, std::size_t binder, Scope& home, Scope& here);
  void element(const ast::Stmt& s, const ast::Declared& d, Scope& home, Scope& here);
  std::optional<Indices> indices_of(const ast::Declared& d, const Scope& here);
  bool fresh_element(const ast::Declared& d, const Elements& elements, const Indices& at, const Symbol* known);
  using WholeRange = std::pair<std::int64_t, std::int64_t>;
  // Calls expand(scope) for each pass of a loop or array; `span` is its place in the text.
  template <class Expand>
  void passes(const WholeRange& range, const ast::Binder& b, Span span, Scope& here, Expand&& expand);
  std::optional<WholeRange> whole_range(const ast::Expr& range, const Scope& here, const std::string& what);
  std::optional<double> whole_number(const ast::Expr& e, const Scope& here, const std::string& what);
  bool may_bind(const std::string& name, Span span, bool called = false);  // called: a function, a model or a joint

  Elaboration& shared_;
  Sink& sink_;
  Evaluator& evaluator_;
  Items& items_;
  Order& order_;
  SizeLimit size_;
  Instances instances_;
  std::deque<Scope> loops_;  // one for every pass of every loop
  std::vector<Final> finals_;
  int conditions_ = 0;  // around the statement that is written out
};

}  // namespace mbc::sema
