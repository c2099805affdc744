// SPDX-License-Identifier: Apache-2.0
// Names. Values, entities, functions and components share one namespace. Scopes nest: file or module, component
// instance, one pass of a loop.
#pragma once
#include <algorithm>
#include <array>
#include <compare>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/name.h"
#include "base/text.h"
#include "compiler/ast/ast.h"
#include "compiler/sema/value.h"

namespace mbc::sema {

class Scope;
struct Elements;

inline constexpr std::uint32_t kNoItem = 0xffffffffu;

// A function or a component.
struct Definition {
  const ast::Def* function = nullptr;
  const ast::Component* component = nullptr;
  const Scope* home = nullptr;  // the scope for the names of its body
};

struct Symbol {
  std::unique_ptr<const Definition> definition;
  std::unique_ptr<Elements> elements;  // of an array
  std::unique_ptr<Scope> members;      // of a component's instance
  Meaning value;
  Span span;
  std::uint32_t item = kNoItem;  // the item that gives it its value (expansion/items.h)
  bool refused = false;          // its declaration was refused; uses of it are then not reported again

  [[nodiscard]] const ast::Def* function() const { return definition ? definition->function : nullptr; }
  [[nodiscard]] const ast::Component* component() const { return definition ? definition->component : nullptr; }
  [[nodiscard]] const Scope* home() const { return definition ? definition->home : nullptr; }
};

// p[1], p[2], ... or link[i, j]: any whole numbers, in any order. A few indices need no memory of their own.
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
  // Indices are ordered lexicographically.
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
  std::size_t open = 0;  // elements without a value so far
  bool unknown = false;  // a range was refused, so that indices cannot be checked
};

// The symbols of one scope by their names. The names are those of the text and live as long. A model has as many tables
// as instances, most of them with a few names that are known beforehand.
class Symbols {
 public:
  // Reserves memory for so many symbols.
  void reserve(std::size_t count);
  [[nodiscard]] Symbol* find(const std::string& name) const;
  // Replaces a symbol of the same name. Symbols do not move in memory.
  Symbol& add(const std::string& name, Symbol symbol);
  [[nodiscard]] std::vector<std::string> names() const;  // sorted

 private:
  static constexpr std::size_t kFew = 16;                // up to here the search is linear
  static constexpr std::size_t kLeast = 2, kMost = 256;  // of a piece
  struct Entry {
    const std::string* name;
    Symbol* symbol;
  };
  std::vector<std::vector<Symbol>> pieces_;  // none grows beyond its reserved size
  std::vector<Entry> entries_;
  std::unique_ptr<std::unordered_map<std::string_view, Symbol*>> places_;  // only for more than a few
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
  // Reserves memory for so many names.
  void reserve(std::size_t count) { own().symbols.reserve(count); }
  // `name` has to outlive the scope.
  Symbol& add(const std::string& name, Symbol symbol) { return own().symbols.add(name, std::move(symbol)); }
  // Makes the names of `module` visible here, after this scope's own. Returns false if they are already.
  bool import(const Scope& module) {
    for (const Scope* known : own().imports)
      if (known == &module) return false;
    own().imports.push_back(&module);
    return true;
  }
  // Returns the symbol of this name in an imported module other than `but`.
  [[nodiscard]] const Symbol* imported(const std::string& name, const Scope& but) const {
    if (!contents_) return nullptr;
    for (const Scope* module : contents_->imports)
      if (const Symbol* symbol = module == &but ? nullptr : module->find_here(name)) return symbol;
    return nullptr;
  }
  // Returns every name visible here, for suggestions.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<std::string> names_here() const;

  struct Instance {
    Name name;              // "chain.", put before the names declared in it
    const std::string& of;  // the component's name, of the text
    Span span;              // the place of the instance
    int depth = 0;          // instances around it, itself included
    const Scope* inside;    // the scope of the instance
    const ast::Component* component = nullptr;
    bool shape = false;  // of a `shape`: `of` is its kind
    [[nodiscard]] const std::string& path() const { return name.stem(); }
    [[nodiscard]] Label made_here() const {
      return {span, "in `" + printable(path().substr(0, path().size() - 1), 60) + "`, made here"};
    }
    // Returns the place that errors name for an instance; `of` may be null.
    [[nodiscard]] static Sink::Around around(const Instance* of) {
      if (!of) return {};
      return {of, [](const void* made) { return static_cast<const Instance*>(made)->made_here(); }};
    }
  };
  std::unique_ptr<Instance> instance;
  // Returns the instance that this scope belongs to, also from inside its loops; null outside of components.
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
    Symbols symbols;
    std::vector<const Scope*> imports;
  };
  std::unique_ptr<Contents> contents_;  // most passes of loops have none
  Contents& own() {
    if (!contents_) contents_ = std::make_unique<Contents>();
    return *contents_;
  }
};

inline void Symbols::reserve(std::size_t count) {
  pieces_.emplace_back().reserve(count);
  entries_.reserve(entries_.size() + count);
}

inline Symbol* Symbols::find(const std::string& name) const {
  if (places_) {
    const auto found = places_->find(name);
    return found == places_->end() ? nullptr : found->second;
  }
  for (const Entry& e : entries_)
    if (*e.name == name) return e.symbol;
  return nullptr;
}

inline Symbol& Symbols::add(const std::string& name, Symbol symbol) {
  if (Symbol* known = find(name)) return *known = std::move(symbol);
  if (pieces_.empty() || pieces_.back().size() == pieces_.back().capacity())
    pieces_.emplace_back().reserve(std::clamp(entries_.size(), kLeast, kMost));
  Symbol& added = pieces_.back().emplace_back(std::move(symbol));
  entries_.push_back({&name, &added});
  if (places_) {
    places_->emplace(name, &added);
  } else if (entries_.size() > kFew) {
    places_ = std::make_unique<std::unordered_map<std::string_view, Symbol*>>();
    for (const Entry& e : entries_) places_->emplace(*e.name, e.symbol);
  }
  return added;
}

inline std::vector<std::string> Symbols::names() const {
  std::vector<std::string> all;
  for (const Entry& e : entries_) all.push_back(*e.name);
  std::sort(all.begin(), all.end());
  return all;
}

inline Symbol* Scope::find_here(const std::string& name) { return contents_ ? contents_->symbols.find(name) : nullptr; }

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
  return contents_ ? contents_->symbols.names() : std::vector<std::string>();
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
