// SPDX-License-Identifier: Apache-2.0
// The context in which every kind of statement is elaborated. Each kind has a class of its own that derives from this.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/sema/expressions/elaboration.h"
#include "compiler/sema/free_bodies.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

// Returns a number with ten digits, for messages.
std::string shown(double x);
// Returns the suffix of a component in the results: `.x`, or `[4]` if axes have no names.
std::string component_text(std::size_t k, std::size_t count);
// Returns an expression as one line without comments, "max_over( E )", as the name of a column.
std::string one_line(std::string_view text);
// Returns the last modifier of a kind, or null; the parser refuses a second one.
const ast::Expr* modifier(const std::vector<ast::Modifier>& list, ast::ModifierKind kind);
// Adds values for the checks of a test or the records of a sweep; returns the index of the first.
std::uint32_t add_probe(Model& model, const Value& v);

// The hints for a constant that moves.
inline constexpr const char* kLedAlong = "what is led through space has `follows` in the place of `at`";
inline constexpr const char* kVaryingMass =
    "an inertia that varies is an energy beside the constant one: `kinetic more: t*norm(p.vel)^2/2`";

class Statement {
 protected:
  explicit Statement(Elaboration& shared)
      : shared_(shared),
        sources_(shared.sources),
        sink_(shared.sink),
        model_(shared.model),
        evaluator_(shared.evaluator),
        item_(shared.item) {}

  Value value(const ast::Expr& e) { return evaluator_.evaluate(e, *item_.scope); }
  // The same for a particle, body or frame; with `turns` only a body or frame. The hint for an unknown name is then one
  // of these declarations and no `param`.
  Value part(const ast::Expr& e, bool turns = true);
  // Reports a place to follow that depends on anything moving but coordinates and time.
  bool only_places(const Value& v);
  // Returns a value that does not depend on the motion. Reports one that does not fit, and returns nothing. `help` is
  // the hint for a value that varies.
  std::optional<NodeId> constant_scalar(const ast::Expr& e, const Dimension& wanted, const std::string& what,
                                        const char* help = nullptr);
  std::optional<std::vector<NodeId>> constant_vector(const ast::Expr& e, const Dimension& wanted,
                                                     const std::string& what, const char* help = nullptr);
  // Returns a value from outside; a bare number is taken in the SI unit of the value it replaces.
  std::optional<Value> override_value(const Override& o, const Dimension& wanted, const std::string& what);
  // Notes that a bare number from outside is taken in the SI unit, if the value of `path` that it replaces is written
  // in another unit; `unit` may be null.
  void note_unit(const std::string& path, const Value& given, const ast::Expr& number, const ast::Unit* unit);

  // factor_of() returns the factor from a unit to SI, and reports a unit in which a value cannot be shown; show_in()
  // divides the value by it. text_of_unit() is the unit without its brackets.
  std::optional<double> factor_of(const ast::Unit& written, const Value& shown);
  bool show_in(const ast::Unit& written, Value& v);
  [[nodiscard]] std::string text_of_unit(const ast::Unit& unit) const;

  // Returns whether a value may take the place of another one: it has its shape or its labels. Reports one that may
  // not.
  bool fits(const Value& target, const Value& value, const std::string& what);
  // Returns the `simulate` block with a name; reports `unknown` if there is none.
  std::optional<std::uint32_t> run_named(const std::string& name, Kind unknown, Span span);

  void set_symbol(const ast::Declared& d, Value v);
  // Lets the name of a joint's coordinate count turns.
  void count_turns(const ast::Declared& d, Value& v);
  void set_entity(const ast::Declared& d, Shape shape, std::size_t index);
  [[nodiscard]] std::string path_of_item() const;      // of the instance it belongs to, "" outside of components
  [[nodiscard]] std::string line_of(Span span) const;  // "in line 7"

  // Adds `.count` and `.time` of an event, by its name.
  void add_counts(Event& event, Span span);
  std::uint32_t add_event(Event::Kind kind, const Name& name, Span span);

  // While it lives, errors name the instance that a scope belongs to. Statements read at the end need it, because the
  // sink does not know their instance.
  class InInstance {
   public:
    InInstance(Sink& sink, const Scope& scope);
    ~InInstance() { sink_.set_around(outer_); }
    InInstance(const InInstance&) = delete;
    InInstance& operator=(const InInstance&) = delete;

   private:
    Sink& sink_;
    Sink::Around outer_;
  };

  void refuse(const std::string& what, Span span) { sink_.report(Kind::not_built, span, what); }
  void refuse_modifiers(const std::vector<ast::Modifier>& list, std::initializer_list<ast::ModifierKind> allowed,
                        const std::string& what);
  // Reports, and returns true, if a load or rate depends on results of the accelerations. The loads of `nonideal`
  // blocks may depend on the ideal multipliers, those without these loads.
  bool refuse_results(const Value& v, const std::string& what, bool nonideal = false, bool multipliers = false);

  Elaboration& shared_;
  const SourceSet& sources_;
  Sink& sink_;
  Model& model_;
  Evaluator& evaluator_;
  CurrentItem& item_;
};

}  // namespace mbc::sema
