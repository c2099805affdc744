// The elaborator: one object per compilation that walks the statements of a file in dependency order and fills the
// model. Internal to sema; its members are spread over elaborate*.cpp by what they understand.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/sema/elaborate.h"
#include "compiler/sema/evaluate.h"

namespace mbc::sema {

// A name in backticks, safe to print.
std::string quoted(const std::string& name);

// Whether a unit is written anywhere: one makes the model one with units.
bool units_written(const ast::File& file);

class Elaborator {
 public:
  Elaborator(const SourceSet& sources, const std::vector<Override>& overrides, Sink& sink)
      : sources_(sources), overrides_(overrides), sink_(sink), evaluator_(model_, sink) {}

  Model run(const ast::File& file, std::vector<Query>* queries, const Structure& shape);

 private:
  void structure(const ast::File& file);
  void collect(const ast::File& file);
  void check_function(const ast::Def& def);
  void statement(const ast::Stmt& s);
  void param(const ast::Param& p, const ast::Stmt& s);
  void let(const ast::Let& l);
  void particle(const ast::Entity& e, const ast::Stmt& s);
  bool follower(const ast::Entity& e, Particle& p);
  void add_particle(const ast::Entity& e, Particle p);
  void coord(const ast::Coord& c);
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
  void check_inertias();
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
  bool refuse_results(const Value& v, const std::string& what);
  void force(const ast::Load& f, const ast::Stmt& s);
  void constraint(const ast::Constraint& c, const ast::Stmt& s);
  bool add_row(const std::string& name, const std::string& shown, NodeId e, const Value& difference, bool trivial_fits,
               Span span);
  bool never_moves(const std::string& shown, NodeId e, bool trivial_fits, Span span);
  std::string without_effect(NodeId e, Level level);
  void output(const ast::Output& o);
  bool columns_of(const std::string& name);
  void initial_values(const ast::Init& init);
  void check_masses();
  void check_initial_values();
  void check_overrides();
  const ast::Expr* modifier(const std::vector<ast::Modifier>& list, ast::ModifierKind kind);
  void refuse_modifiers(const std::vector<ast::Modifier>& list, std::initializer_list<ast::ModifierKind> allowed,
                        const std::string& what);
  void refuse(const std::string& what, Span span) { sink_.report(Kind::not_built, span, what); }
  const Override* override_for(const std::string& path) const;
  void set_symbol(const ast::Declared& d, Value v);
  bool refuse_arrays(const ast::Declared& d);

  const SourceSet& sources_;
  const std::vector<Override>& overrides_;
  Sink& sink_;
  Model model_;
  Scope scope_;
  Evaluator evaluator_;
  std::map<std::string, Span> outputs_;
  Span gravity_span_;
  std::set<std::pair<bool, std::uint32_t>> initialised_;  // by `init`: (is a speed, index)
  std::set<const NodeId*> started_;                       // by `init`: of a body's rotation
};

}  // namespace mbc::sema
