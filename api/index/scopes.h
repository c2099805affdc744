// SPDX-License-Identifier: Apache-2.0
// The names of a text as it is written, without an elaboration: nested scopes, one symbol for each declared name. Works
// on texts with errors too.
#pragma once
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/source_file.h"
#include "compiler/ast/ast.h"
#include "compiler/sema/modules.h"
#include "mbc/source_index.h"

namespace mbc::api {

struct NameScope {
  const NameScope* parent = nullptr;
  std::uint32_t owner = kNoSymbol;  // the joint or model that the scope belongs to or is inside of
  std::map<std::string, std::uint32_t> names{};
  std::vector<const NameScope*> imports{};

  [[nodiscard]] std::uint32_t here(const std::string& name) const {
    const auto found = names.find(name);
    return found == names.end() ? kNoSymbol : found->second;
  }
  [[nodiscard]] std::uint32_t find(const std::string& name) const {
    for (const NameScope* s = this; s; s = s->parent) {
      if (const std::uint32_t found = s->here(name); found != kNoSymbol) return found;
      for (const NameScope* module : s->imports)
        if (const std::uint32_t found = module->here(name); found != kNoSymbol) return found;
    }
    return kNoSymbol;
  }
};

// The expression of a symbol's value and its scope, for symbols whose kind follows from it.
struct Origin {
  const ast::Expr* value = nullptr;
  const NameScope* scope = nullptr;
  const ast::Instance* instance = nullptr;
};

// All declarations of a model's file and of the files and modules it uses.
class Declarations {
 public:
  Declarations(const SourceSet& sources, const sema::ModuleSet& modules, SourceIndex& out)
      : sources_(sources), modules_(modules), out_(out) {}

  // Returns the scope of the file, which contains or imports every other scope.
  NameScope& file(const ast::File& file);

  // Returns a scope that file() made: that of a loop, of a joint or model, of a used file.
  NameScope& of(const void* node) { return *scopes_.at(node); }
  NameScope& inside(const NameScope& parent) { return all_.emplace_back(NameScope{&parent, parent.owner, {}, {}}); }
  // Adds a symbol to `scope`.
  std::uint32_t add(NameScope& scope, IndexSymbol symbol, Origin origin = {});
  [[nodiscard]] const Origin& origin(std::uint32_t symbol) const { return origins_[symbol]; }
  [[nodiscard]] std::uint32_t simulation(const std::string& name) const {
    const auto found = simulations_.find(name);
    return found == simulations_.end() ? kNoSymbol : found->second;
  }
  [[nodiscard]] std::uint32_t of_place(Span name) const {
    const auto found = by_place_.find({name.file, name.begin});
    return found == by_place_.end() ? kNoSymbol : found->second;
  }
  [[nodiscard]] static TextRange range(Span span) { return {span.file, span.begin, span.end}; }

 private:
  NameScope& module(const sema::Module& module);
  void imports(const ast::File& file, NameScope& scope);
  void block(const std::vector<ast::StmtPtr>& statements, NameScope& home, NameScope& here);
  void statement(const ast::Stmt& s, NameScope& home, NameScope& here);
  void run_or_test(const ast::Stmt& s);
  void component(const ast::Component& c, const ast::Stmt& s, NameScope& home);
  void arguments(const std::vector<ast::Parameter>& parameters, const ast::Stmt& s, NameScope& scope,
                 std::uint32_t owner);
  void named(const ast::Declared& name, SymbolKind kind, const ast::Stmt& s, NameScope& scope, Origin origin = {});
  void outputs(const std::vector<ast::StmtPtr>& statements, NameScope& home, NameScope& here);
  void apart(const std::string& name, Span place, SymbolKind kind, const ast::Stmt& s);
  [[nodiscard]] IndexSymbol described(const std::string& name, Span place, SymbolKind kind, const ast::Stmt& s) const;
  [[nodiscard]] std::string head_of(const ast::Stmt& s, SymbolKind kind) const;

  const SourceSet& sources_;
  const sema::ModuleSet& modules_;
  SourceIndex& out_;
  std::deque<NameScope> all_;
  std::map<const void*, NameScope*> scopes_;
  std::vector<Origin> origins_;
  std::map<std::string, std::uint32_t> simulations_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> by_place_;  // by place of the declaration
};

}  // namespace mbc::api
