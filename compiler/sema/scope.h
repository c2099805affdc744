// SPDX-License-Identifier: Apache-2.0
// Names. One namespace for values, entities, functions and components; scopes nest: file or module, component instance,
// one pass of a loop.
#pragma once
#include <algorithm>
#include <array>
#include <compare>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/text.h"
#include "compiler/ast/ast.h"
#include "compiler/sema/value.h"

namespace mbc::sema {

class Scope;
struct Elements;

inline constexpr std::uint32_t kNoItem = 0xffffffffu;

struct Symbol {
  const ast::Def* function = nullptr;
  const ast::Component* component = nullptr;
  const Scope* home = nullptr;         // of a function or component: where the names of its body are looked up
  std::unique_ptr<Elements> elements;  // of an array
  std::unique_ptr<Scope> members;      // of a component's instance
  std::uint32_t item = kNoItem;        // what gives it its value (expansion/items.h)
  Value value;
  Span span;
  bool refused = false;  // its declaration was; known without a value, so that this is said once
};

// p[1], p[2], ... or link[i, j]: any whole numbers, in any order. A few need no memory of their own.
class Indices {
 public:
  Indices() = default;
  Indices(const Indices& other) { *this = other; }
  Indices(Indices&&) noexcept = default;
  Indices& operator=(const Indices& other) {
    count_ = other.count_;
    few_ = other.few_;
    more_ = other.more_ ? std::make_unique<std::vector<std::int32_t>>(*other.more_) : nullptr;
    return *this;
  }
  Indices& operator=(Indices&&) noexcept = default;
  ~Indices() = default;

  void push_back(std::int32_t index) {
    if (count_ < few_.size()) {
      few_[count_] = index;
    } else {
      if (!more_) more_ = std::make_unique<std::vector<std::int32_t>>();
      more_->push_back(index);
    }
    ++count_;
  }
  [[nodiscard]] std::size_t size() const { return count_; }
  std::int32_t operator[](std::size_t k) const { return k < few_.size() ? few_[k] : (*more_)[k - few_.size()]; }
  // As sequences are ordered.
  friend std::strong_ordering operator<=>(const Indices& a, const Indices& b) {
    for (std::size_t k = 0; k < a.size() && k < b.size(); ++k)
      if (a[k] != b[k]) return a[k] <=> b[k];
    return a.count_ <=> b.count_;
  }
  friend bool operator==(const Indices& a, const Indices& b) { return (a <=> b) == 0; }

 private:
  std::uint32_t count_ = 0;
  std::array<std::int32_t, 3> few_{};
  std::unique_ptr<std::vector<std::int32_t>> more_;
};
struct Elements {
  std::string name;
  std::map<Indices, Symbol> of;
  std::size_t open = 0;  // elements without a value as yet
  bool unknown = false;  // a range was refused: nothing can be said of indices
};

class Scope {
 public:
  explicit Scope(const Scope* parent = nullptr) : parent_(parent) {}
  // One pass of a loop: `name` stands for a whole number.
  Scope(const Scope* parent, const std::string& name, double value, Span span)
      : parent_(parent), bound_(&name), bound_value_(value), bound_span_(span) {}

  Symbol* find_here(const std::string& name);
  [[nodiscard]] const Symbol* find_here(const std::string& name) const;
  struct Found {
    const Symbol* symbol = nullptr;
    std::optional<double> number;  // of a loop
    Span span;
  };
  [[nodiscard]] Found find(const std::string& name) const;
  Symbol& add(const std::string& name, Symbol symbol) { return own().symbols[name] = std::move(symbol); }
  // Names of `module` are found here too, after this scope's own.
  // False when they are already.
  bool import(const Scope& module) {
    for (const Scope* known : own().imports)
      if (known == &module) return false;
    own().imports.push_back(&module);
    return true;
  }
  // What another module than `but` brings in under this name.
  [[nodiscard]] const Symbol* imported(const std::string& name, const Scope& but) const {
    if (!contents_) return nullptr;
    for (const Scope* module : contents_->imports)
      if (const Symbol* symbol = module == &but ? nullptr : module->find_here(name)) return symbol;
    return nullptr;
  }
  // Every name visible here, for suggestions.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<std::string> names_here() const;

  struct Instance {
    std::string path;     // "chain.", put before the names declared in it
    std::string of;       // the component's name
    Span span;            // where it was made
    int depth = 0;        // instances around it, itself included
    const Scope* inside;  // where it was made
    const ast::Component* component = nullptr;
    bool shape = false;  // of a `shape`: `of` is its kind
    [[nodiscard]] Label made_here() const {
      return {span, "in `" + printable(path.substr(0, path.size() - 1), 60) + "`, made here"};
    }
  };
  std::unique_ptr<Instance> instance;
  // The instance that this scope belongs to, also from inside its loops; null outside of components.
  [[nodiscard]] const Instance* owner() const {
    const Scope* s = this;
    while (s->bound_) s = s->parent_;
    return s->instance.get();
  }

 private:
  const Scope* parent_;
  const std::string* bound_ = nullptr;
  double bound_value_ = 0;
  Span bound_span_;
  struct Contents {
    std::map<std::string, Symbol> symbols;
    std::vector<const Scope*> imports;
  };
  std::unique_ptr<Contents> contents_;  // most passes of loops have none
  Contents& own() {
    if (!contents_) contents_ = std::make_unique<Contents>();
    return *contents_;
  }
};

inline Symbol* Scope::find_here(const std::string& name) {
  if (!contents_) return nullptr;
  const auto it = contents_->symbols.find(name);
  return it == contents_->symbols.end() ? nullptr : &it->second;
}

inline const Symbol* Scope::find_here(const std::string& name) const {
  return const_cast<Scope*>(this)->find_here(name);
}

inline Scope::Found Scope::find(const std::string& name) const {
  for (const Scope* s = this; s; s = s->parent_) {
    if (s->bound_ && *s->bound_ == name) return {nullptr, s->bound_value_, s->bound_span_};
    if (const Symbol* symbol = s->find_here(name)) return {symbol, {}, symbol->span};
    if (!s->contents_) continue;
    for (const Scope* module : s->contents_->imports)
      if (const Symbol* symbol = module->find_here(name)) return {symbol, {}, symbol->span};
  }
  return {};
}

inline std::vector<std::string> Scope::names_here() const {
  std::vector<std::string> all;
  if (!contents_) return all;
  for (const auto& [name, symbol] : contents_->symbols) all.push_back(name);
  return all;
}

inline std::vector<std::string> Scope::names() const {
  std::vector<std::string> all;
  for (const Scope* s = this; s; s = s->parent_) {
    if (s->bound_) all.push_back(*s->bound_);
    if (!s->contents_) continue;
    std::ranges::move(s->names_here(), std::back_inserter(all));
    for (const Scope* module : s->contents_->imports) std::ranges::move(module->names_here(), std::back_inserter(all));
  }
  return all;
}

}  // namespace mbc::sema
