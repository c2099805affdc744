// SPDX-License-Identifier: Apache-2.0
// What every kind of statement is elaborated with. Each kind has a class of its own that derives from this.
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

// A number in a message, with ten digits.
std::string shown(double x);
// What a component is called in the results: `.x`, or `[4]` where axes have no names.
std::string component_text(std::size_t k, std::size_t count);
// "max_over( E )", over several lines and with comments, as one line without them: a name for a column.
std::string one_line(std::string_view text);
// The last modifier of a kind, or null; the parser refuses a second one.
const ast::Expr* modifier(const std::vector<ast::Modifier>& list, ast::ModifierKind kind);
// Values that the checks of a test, or the records of a sweep, look at; index of the first.
std::uint32_t add_probe(Model& model, const Value& v);

// What is written in the place of a constant that moves.
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
  // The same where a particle, body or frame stands, with `turns` none but the last two: what declares an unknown name
  // there is no `param`.
  Value part(const ast::Expr& e, bool turns = true);
  // A place that the item follows may hold nothing that moves but coordinates and time; else it is reported.
  bool only_places(const Value& v);
  // A value that does not depend on the motion; nothing, and reported, where it does not fit.
  // help: what is written where it varies.
  std::optional<NodeId> constant_scalar(const ast::Expr& e, const Dimension& wanted, const std::string& what,
                                        const char* help = nullptr);
  std::optional<std::vector<NodeId>> constant_vector(const ast::Expr& e, const Dimension& wanted,
                                                     const std::string& what, const char* help = nullptr);
  // A value from outside; a bare number is taken in the SI unit of what it replaces.
  std::optional<Value> override_value(const Override& o, const Dimension& wanted, const std::string& what);

  // The result is the `simulate` block with a name; `unknown` is reported where there is none.
  std::optional<std::uint32_t> run_named(const std::string& name, Kind unknown, Span span);

  void set_symbol(const ast::Declared& d, Value v);
  void set_entity(const ast::Declared& d, Shape shape, std::size_t index);
  [[nodiscard]] std::string path_of_item() const;      // of the instance it belongs to, "" outside of components
  [[nodiscard]] std::string line_of(Span span) const;  // "in line 7"

  // `.count` and `.time` of an event, by its name.
  void add_counts(Event& event, Span span);
  std::uint32_t add_event(Event::Kind kind, const Name& name, Span span);

  // While it lives, errors name the instance that a scope belongs to: what is read after all statements would not.
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
  // Reports, and returns true, where a load or rate depends on what accelerations are computed from. The loads of
  // `nonideal` blocks may depend on what the constraints would do without them.
  bool refuse_results(const Value& v, const std::string& what, bool nonideal = false, bool multipliers = false);

  Elaboration& shared_;
  const SourceSet& sources_;
  Sink& sink_;
  Model& model_;
  Evaluator& evaluator_;
  CurrentItem& item_;
};

}  // namespace mbc::sema
