// Names. One namespace for values, entities and functions; scopes nest.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/sema/value.h"

namespace mbc::sema {

class Scope;

struct Symbol {
  const ast::Def* function = nullptr;
  const Scope* home = nullptr;  // of a function: where its body's names are looked up
  Value value;
  Span span;
};

class Scope {
 public:
  explicit Scope(const Scope* parent = nullptr) : parent_(parent) {}
  Symbol* find_here(const std::string& name);
  [[nodiscard]] const Symbol* find(const std::string& name) const;
  Symbol& add(const std::string& name, Symbol symbol) { return symbols_[name] = std::move(symbol); }
  // Every name visible here, for suggestions.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  const Scope* parent_;
  std::map<std::string, Symbol> symbols_;
};

inline Symbol* Scope::find_here(const std::string& name) {
  const auto it = symbols_.find(name);
  return it == symbols_.end() ? nullptr : &it->second;
}

inline const Symbol* Scope::find(const std::string& name) const {
  for (const Scope* s = this; s; s = s->parent_)
    if (const auto it = s->symbols_.find(name); it != s->symbols_.end()) return &it->second;
  return nullptr;
}

inline std::vector<std::string> Scope::names() const {
  std::vector<std::string> all;
  for (const Scope* s = this; s; s = s->parent_)
    for (const auto& [name, symbol] : s->symbols_) all.push_back(name);
  return all;
}

}  // namespace mbc::sema
