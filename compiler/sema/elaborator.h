// SPDX-License-Identifier: Apache-2.0
// The elaborator: one object per compilation. Loops, conditions, arrays and instances of components are written out to
// a flat list of items (expand*.cpp), which are evaluated in an order in which each finds what it needs (order.cpp) and
// fill the model (elaborate*.cpp, by what they understand). Internal to sema.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "compiler/sema/dependencies.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/evaluate.h"
#include "compiler/sema/modules.h"

namespace mbc::sema {

// What a component is called in the results: `.x`, or `[4]` where axes have no names.
std::string component_text(std::size_t k, std::size_t count);

// Whether a unit is written anywhere: one makes the model one with units.
bool units_written(const ast::File& file);

// The value of a component's parameter.
struct Given {
  const ast::Parameter* parameter = nullptr;
  const ast::Expr* argument = nullptr;    // as given, or its default
  const Scope* argument_scope = nullptr;  // where the names of that are looked up
  const ast::Expr* replaced = nullptr;    // what would be the argument without `--set`; null without it
  const Scope* replaced_scope = nullptr;
};

// One statement in one place: written once, in a pass of a loop, or in an instance of a component. Or the value of a
// component's parameter.
struct Item {
  const ast::Stmt* statement = nullptr;
  const Given* given = nullptr;      // of a parameter, in place of the statement
  Scope* scope = nullptr;            // where the names of the statement are looked up
  Symbol* symbol = nullptr;          // what it gives a value to
  Elements* array = nullptr;         // that the symbol is an element of
  const Indices* indices = nullptr;  // which one
  enum class State : std::uint8_t { open, waiting, evaluating, done } state = State::open;
};
using ItemId = std::uint32_t;

class Elaborator {
 public:
  Elaborator(const SourceSet& sources, const ModuleSet& modules, const std::vector<Override>& overrides, Sink& sink)
      : sources_(sources), modules_read_(modules), overrides_(overrides), sink_(sink), evaluator_(model_, sink) {
    evaluator_.on_demand([this](const Symbol& symbol) { demand(symbol); });
  }

  Model run(const ast::File& file, std::vector<Query>* queries, const Structure& shape);

 private:
  void structure(const ast::File& file);
  void reserve();

  // expand.cpp: names and items. `home` is where names are declared, `here` where they are looked up: the same, or one
  // pass of a loop in it.
  using Statements = std::vector<ast::StmtPtr>;
  void block(const Statements& statements, Scope& home, Scope& here);
  // `repeated`: in an array, where a name needs an index as in a loop.
  void declare(const ast::Stmt& s, Scope& home, Scope& here, bool repeated = false);
  void declare_array(const ast::Declared& d, Scope& home);
  void expand(const ast::Stmt& s, Scope& home, Scope& here);
  void expand_for(const ast::For& loop, Scope& home, Scope& here);
  void expand_nonideal(const ast::Stmt& s, Scope& home, Scope& here);
  [[nodiscard]] int rank(const Item& item) const;
  void expand_if(const ast::IfBlock& block, Scope& home, Scope& here);
  void expand_indexed(const ast::Stmt& s, const ast::Declared& d, std::size_t binder, Scope& home, Scope& here);
  void element(const ast::Stmt& s, const ast::Declared& d, Scope& home, Scope& here);
  std::optional<std::pair<std::int64_t, std::int64_t>> whole_range(const ast::Expr& range, const Scope& here,
                                                                   const std::string& what);
  std::optional<double> whole_number(const ast::Expr& e, const Scope& here, const std::string& what);
  ItemId add_item(Item item);
  bool too_many_items(Span span);
  struct Written {  // so far; bytes of memory: an estimate
    double declarations = 0, passes = 0, bytes = 0;
  };
  [[nodiscard]] Written written() const;
  [[nodiscard]] double bytes_so_far() const;
  bool too_many_passes(double left, const Written& before, Span span);
  bool refuse_size(double declarations, double passes, double bytes, const std::string& what, Span span);
  bool misplaced_in_component(const ast::Stmt& s);

  // expand_components.cpp
  void check_component(const ast::Component& c, const Scope& home);
  void check_components_never_made();
  void check_body(const std::vector<ast::StmtPtr>& body, Scope& names);
  void check_names(const std::vector<Mention>& mentions, const Scope& names);
  const Symbol* component_of(const ast::Instance& i, const Scope& here);
  void check_function(const ast::Def& def, const Scope& home);
  void instance(const ast::Instance& i, Symbol& symbol, const std::string& name, Scope& here);
  void use(const ast::Use& u, Scope& into);
  const Scope* module_scope(const ast::Use::Item& item);
  void bind_parameter(const Item& item);

  // order.cpp
  void ensure(ItemId root);
  void ensure_mentioned(const ast::Expr& e, const Scope& here);
  void demand(const Symbol& symbol);
  void execute(ItemId id);
  void close(ItemId id);
  std::vector<ItemId> needs(const Item& item);
  void needs_of(const std::vector<Mention>& mentions, const Scope& scope, const Elements* own,
                std::vector<ItemId>& list);
  void needs_along(const Symbol& symbol, const Mention& m, std::size_t at, const Scope& scope, const Elements* own,
                   std::vector<ItemId>& list);
  std::optional<double> plain_number(const ast::Expr& e, const Scope& scope) const;
  const std::vector<Mention>& mentions(const void* key, const ast::Stmt* s, const ast::Expr* e);
  bool report_cycle(std::vector<ItemId> chain);
  void begin_with_argument(std::vector<ItemId>& chain) const;
  std::string name_of(const Item& item) const;
  [[nodiscard]] std::string path_of_item() const;  // of the instance it belongs to, "" outside of components

  void statement(const ast::Stmt& s);
  Value value(const ast::Expr& e) { return evaluator_.evaluate(e, *item_scope_); }
  void param(const ast::Param& p, const ast::Stmt& s);
  void let(const ast::Let& l);
  void particle(const ast::Entity& e, const ast::Stmt& s);
  bool follower(const ast::Entity& e, Particle& p);
  void add_particle(const ast::Entity& e, Particle p);
  void coord(const ast::Coord& c);
  // first-order states and inputs (elaborate_states.cpp)
  void state(const ast::StateVar& s, const ast::Stmt& statement);
  bool names_own_rate(const ast::StateVar& s) const;
  void input(const ast::Input& i, const ast::Stmt& s);
  void finish_states();  // when everything is declared: rates, and the rows and energies that hold states or inputs
  void quasi_velocity(const ast::Speed& s, const ast::Stmt& statement);  // elaborate_speeds.cpp
  void check_quasi_velocities();
  void ideal_without_loads(std::vector<Query>* queries);  // elaborate_loads.cpp
  bool order_rates();
  void replace_rates();
  void check_inputs();
  NodeId with_rates(NodeId e);
  [[nodiscard]] Dimension rate_dimension(const State& s) const;
  [[nodiscard]] static std::string shown_row(const Equation& e);
  void body(const ast::Entity& e, const ast::Stmt& s);
  bool body_arguments(const ast::Entity& e, bool free, Body& b);
  bool body_mass(const ast::Expr& mass, const ast::Expr& inertia, Body& b);
  bool body_axes(const ast::Argument* axes, Body& b);
  bool body_centre(const ast::Argument* com, const ast::Argument* about, Body& b);
  bool body_representation(const ast::Argument& a, bool free, Body& b);
  void choose_bodies(const ast::File& file, const Structure& shape);
  std::uint32_t add_turning(Body& b, const std::vector<std::string>& names);
  void quaternion_body(Body& b, Dimension rate);
  void euler_parameter_body(Body& b);
  void natural_body(Body& b);
  void mass_centre(Body& b);
  void representation_rows(Body& b);
  void record_body(Body& b, std::vector<Output>& outputs);
  struct StartValue {
    NodeId* value;  // the initial value to set
    bool* given;    // or null: says that it was set
    std::string name;
  };
  std::optional<StartValue> body_start(NodeId node);
  void start_bodies();
  bool free_body(const ast::Entity& e, Body& b);
  bool following_body(const ast::Expr& frame, Body& b);
  bool check_rotation(const std::vector<NodeId>& R, Span span, const std::string& what);
  void point(const ast::Entity& e);
  void torque(const ast::Load& f, const ast::Stmt& s);
  std::vector<NodeId> rates_of(const std::vector<NodeId>& nodes);
  std::vector<NodeId> turned(const std::vector<NodeId>& rotation, const std::vector<NodeId>& r);
  void record_followers();
  void gravity(const ast::Gravity& g, const ast::Stmt& s);
  void generalised_load(const ast::Load& f, const ast::Stmt& s);
  void energy_term(const ast::Load& f, const ast::Stmt& s);
  // Registers the name of a load, if it has one; `shown` in messages, `name` in results.
  struct LoadName {
    std::string shown, name;
  };
  LoadName name_load(const ast::Load& f, const ast::Stmt& s, const char* word);
  struct Carrier {
    std::string name;
    std::vector<NodeId> position, velocity;
  };
  std::optional<Carrier> carrier_of(const Value& v) const;
  [[nodiscard]] bool stands_still(const Value& v) const;
  bool refuse_results(const Value& v, const std::string& what, bool nonideal = false);
  void force(const ast::Load& f, const ast::Stmt& s);
  void constraint(const ast::Constraint& c, const ast::Stmt& s);
  bool add_row(const Name& name, const std::string& shown, NodeId e, const Value& difference, bool trivial_fits,
               Span span);
  bool never_moves(const std::string& shown, NodeId e, bool trivial_fits, Span span);
  std::string without_effect(NodeId e, Level level);
  void output(const ast::Output& o);
  bool columns_of(const std::string& name);
  bool shows_already(const std::string& name, const Value& v) const;
  void tests(const ast::File& file);
  void test(const ast::Test& t, const ast::Stmt& s, const Scope& scope);
  void check(const ast::Check& c, const ast::Expr& e, const Scope& scope, Test& out);
  bool check_moment(const ast::Check& c, const Scope& scope, const Simulation& run, Check& out);
  bool check_equation(const ast::Check& c, const ast::Compare& e, Span span, const Scope& scope, Check& out);
  bool check_condition(const ast::Expr& e, const Scope& scope, Check& out);
  std::uint32_t watch(const Value& v);
  // elaborate_sweeps.cpp
  struct SweepText {  // of a block, of the command line, or of both
    std::string name;
    std::uint32_t simulation = 0;
    std::vector<std::pair<const ast::Setting*, bool>> settings;  // true: from outside, where bare numbers are SI
    std::vector<const ast::Expr*> records;
    Span span;
    const Scope* scope = nullptr;
  };
  void sweeps(const SweepRequest* request);
  std::optional<SweepText> sweep_text(const ast::Sweep& s, Span span, const Scope& scope);
  std::optional<SweepText> asked_sweep(const SweepRequest& request, const std::vector<SweepText>& blocks);
  void sweep(const SweepText& text);
  bool vary(const ast::Setting& setting, bool outside, const SweepText& text, Sweep& out);
  std::optional<Varied> quantity_to_vary(const ast::Setting& setting, const SweepText& text);
  bool sweep_values(const ast::Setting& setting, bool outside, const Scope& scope, Varied& out);
  bool sweep_range(const ast::Range& range, bool outside, const Scope& scope, Varied& out);
  std::optional<double> sweep_number(const ast::Expr& e, bool outside, const Scope& scope, const Varied& of);
  bool fixed_in_sweep(const Sweep& sweep);
  bool sweep_records(const SweepText& text, Sweep& out);
  void initial_values(const ast::Init& init);
  void initial_entry(const ast::InitEntry& entry);
  void initial_leaf(NodeId target, NodeId value, const Start& start);
  bool is_initial_target(const Value& target, const ast::InitEntry& entry, const std::string& shown);
  void check_initial_targets();
  void check_masses();
  void check_initial_values();
  void check_overrides();
  const ast::Expr* modifier(const std::vector<ast::Modifier>& list, ast::ModifierKind kind);
  void refuse_modifiers(const std::vector<ast::Modifier>& list, std::initializer_list<ast::ModifierKind> allowed,
                        const std::string& what);
  void refuse(const std::string& what, Span span) { sink_.report(Kind::not_built, span, what); }
  const Override* override_for(const std::string& path) const;
  std::optional<NodeId> override_value(const Override& o, const Dimension& wanted, const std::string& what);
  void set_symbol(const ast::Declared& d, Value v);
  // elaborate_frames.cpp
  void frame(const ast::Entity& e);

  const SourceSet& sources_;
  const ModuleSet& modules_read_;
  const std::vector<Override>& overrides_;
  Sink& sink_;
  Model model_;
  Scope scope_;  // of the file
  Evaluator evaluator_;

  std::deque<Item> items_;
  std::deque<Given> given_;    // of items
  std::vector<ItemId> order_;  // as the text has them
  std::deque<Scope> loops_;    // one for every pass of every loop
  struct Final {               // what is looked at when the model is complete
    const ast::Stmt* statement;
    const Scope* scope;
  };
  std::vector<Final> finals_;
  std::set<const ast::Stmt*> nonideal_;  // loads in `nonideal` blocks
  std::map<const Module*, Scope> modules_;
  std::unordered_map<const void*, std::vector<Mention>> mentions_;
  std::vector<ItemId> evaluating_;  // innermost last
  std::vector<ItemId> system_;      // what `energy` and `momentum` are made of
  std::size_t system_open_ = 0;
  std::size_t instances_ = 0;
  double item_bytes_ = 0;                 // what the items take when all is made of them, about
  int conditions_ = 0;                    // around the statement that is written out
  std::set<const ast::Component*> made_;  // those that have an instance
  std::vector<std::pair<const ast::Component*, const Scope*>> components_;  // all, and where they stand
  bool too_large_ = false;                                                  // said; nothing is evaluated then
  bool expanded_ = false;                                                   // everything that will be declared is
  std::vector<std::string> settable_;                                       // parameters of components, for suggestions

  // Of the item that is evaluated now:
  const Scope* item_scope_ = &scope_;
  Symbol* item_symbol_ = nullptr;
  std::string item_name_;  // with the instances around it and its indices: "chain.p[3]"
  std::map<std::string, Span> outputs_;
  std::set<const Scope::Instance*> idle_;  // with a constraint that constrains nothing
  Span gravity_span_;
  struct PendingRate {
    const ast::Expr* rate;
    const Scope* scope;
    std::uint32_t state;
  };
  std::vector<PendingRate> pending_rates_;
  struct RangeNumber {  // of the sweep at hand
    NodeId node;
    Span span;
    std::string of;
  };
  std::vector<RangeNumber> range_numbers_;
  std::map<std::uint32_t, Span> initialised_;  // by `init`: node of the target, where
  std::set<const NodeId*> started_;            // by `init`: of a body's rotation
};

}  // namespace mbc::sema
