// SPDX-License-Identifier: Apache-2.0
// elaborate() takes the statements of a file and of the files it uses, in order, to a model. It is the top of sema.
#include "compiler/sema/elaborate.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "compiler/sema/check_values.h"
#include "compiler/sema/expansion/expansion.h"
#include "compiler/sema/expansion/shapes.h"
#include "compiler/sema/joint_angles.h"
#include "compiler/sema/statements/bodies.h"
#include "compiler/sema/statements/events.h"
#include "compiler/sema/statements/frames.h"
#include "compiler/sema/statements/frictions.h"
#include "compiler/sema/statements/initial_values.h"
#include "compiler/sema/statements/loads.h"
#include "compiler/sema/statements/model_memory.h"
#include "compiler/sema/statements/outputs.h"
#include "compiler/sema/statements/parameters.h"
#include "compiler/sema/statements/particles.h"
#include "compiler/sema/statements/quasi_velocities.h"
#include "compiler/sema/statements/rows.h"
#include "compiler/sema/statements/save_places.h"
#include "compiler/sema/statements/simulate.h"
#include "compiler/sema/statements/states.h"
#include "compiler/sema/statements/sweeps.h"
#include "compiler/sema/statements/tests.h"
#include "compiler/sema/tree/tree.h"
#include "compiler/sema/units_written.h"
#include "compiler/sema/watched/kinks.h"
#include "compiler/sema/watched/reaction_dependent_forces.h"

namespace mbc::sema {

constexpr int kRankOfRows = 4;  // rank_of: frictions and constraints

// One object elaborates one compilation. Loops, conditions, arrays and instances of components are written out to a
// flat list of items (expansion/). The items are evaluated in an order in which each finds what it needs, and fill the
// model (statements/).
class Elaborator {
 public:
  Elaborator(SourceSet& sources, const ModuleSet& modules, const std::vector<Override>& overrides,
             const std::set<std::string>& shaping, Sink& sink, Observed* observed,
             const std::set<std::string>& own_rotations)
      : shared_(sources, modules, overrides, shaping, sink), sink_(sink), model_(shared_.model) {
    shared_.context.observed = observed;
    shared_.own_rotations = own_rotations;
  }

  // Returns whether the model, which is not finished then, is to be elaborated again with rows in the place of trees.
  [[nodiscard]] bool rows_are_better() const { return tree_.declined(); }
  // Returns the bodies that are to keep rotations of their own when the model is elaborated again.
  [[nodiscard]] const std::set<std::string>& asked_rotations() const { return shared_.asked_rotations; }

  [[nodiscard]] Model take() { return std::move(model_); }
  void fill(const ast::File& file, std::vector<Query>* queries, const Structure& shape);
  // Evaluates an expression once the model is filled; mistakes go to the sink of the constructor.
  Value answer(const ast::Shown& expression);
  [[nodiscard]] const Model& model() const { return model_; }

 private:
  Value evaluate_question(const ast::Shown& expression);
  void choose_space(const ast::File& file);
  static const ast::Simulate* shaping_block(const ast::File& file, const Structure& shape);
  void choose_bodies(const ast::File& file, const Structure& shape);
  [[nodiscard]] Representation written_bodies(const ast::File& file, const Structure& shape) const;
  void note_wanted(const std::vector<ast::StmtPtr>& statements);
  void want(const ast::Setting& setting) {
    shared_.overrides.wanted(setting.key);
    for (const DataColumn& c : columns_of_list(setting, shared_.context)) shared_.overrides.wanted(c.name);
  }
  void note_joint_coordinates();
  void evaluate_items();
  [[nodiscard]] int rank(const Item& item) const;
  void evaluate(const Item& item);
  void statement(const ast::Param& n, const ast::Stmt& s) { parameters_.param(n, s); }
  void statement(const ast::Let& n, const ast::Stmt&) { parameters_.let(n); }
  void statement(const ast::Gravity& n, const ast::Stmt& s) { loads_.gravity(n, s); }
  void statement(const ast::Constraint& n, const ast::Stmt& s) { rows_.constraint(n, s); }
  void statement(const ast::Output& n, const ast::Stmt&) { outputs_.output(n); }
  void statement(const ast::Entity& n, const ast::Stmt& s);
  void statement(const ast::Load& n, const ast::Stmt& s) {
    n.kind == ast::Load::Kind::friction ? frictions_.friction(n, s) : loads_.load(n, s);
  }
  void statement(const ast::Requirement& n, const ast::Stmt&) { parameters_.requirement(n); }
  void statement(const ast::Visibility& n, const ast::Stmt&) { outputs_.visibility(n); }
  void statement(const ast::Coord& n, const ast::Stmt&) { particles_.coord(n); }
  void statement(const ast::Placement& n, const ast::Stmt&) { frames_.placement(n); }
  void statement(const ast::Speed& n, const ast::Stmt& s) { quasi_velocities_.quasi_velocity(n, s); }
  void statement(const ast::StateVar& n, const ast::Stmt& s) { states_.state(n, s); }
  void statement(const ast::Input& n, const ast::Stmt& s) { states_.input(n, s); }
  void statement(const ast::When& n, const ast::Stmt& s) { events_.declare(n, s); }
  void statement(const ast::ExprStmt&, const ast::Stmt& s) {
    sink_.report(Kind::not_built, s.span, "an expression as a statement of a file");
  }
  template <class Structural>  // expansion has handled these
  void statement(const Structural&, const ast::Stmt&) {}
  void finish(const ast::File& file, std::vector<Query>* queries, const Structure& shape);
  void decide_tree(std::vector<Query>* queries);
  void read_finals();
  void read_varied_starts(const SweepRequest* request);
  void check_values();

  Elaboration shared_;
  Sink& sink_;
  Model& model_;
  Items items_;
  Order order_{shared_, items_, [this](const Item& item) { evaluate(item); }};
  Expansion expansion_{shared_, items_, order_};
  Parameters parameters_{shared_};
  Particles particles_{shared_};
  Frames frames_{shared_};
  Bodies bodies_{shared_, frames_};
  Loads loads_{shared_};
  Rows rows_{shared_};
  Frictions frictions_{shared_, rows_};
  States states_{shared_};
  Events events_{shared_};
  QuasiVelocities quasi_velocities_{shared_};
  Outputs outputs_{shared_};
  InitialValues initial_values_{shared_};
  Sweeps sweeps_{shared_};
  DrawnJoints drawn_joints_;
  Tree tree_{shared_.model, shared_.evaluator.defined(), shared_.sink};
};

void Elaborator::fill(const ast::File& file, std::vector<Query>* queries, const Structure& shape) {
  model_.has_units = units_written(file) || file.statements.empty();  // an empty text: a session has just begun
  for (const auto& module : shared_.modules.all())
    if (!module->standard) model_.has_units |= units_written(module->file);
  choose_space(file);
  choose_bodies(file, shape);
  shared_.signals.choose(shaping_block(file, shape), shared_.overrides.all(), shape.inputs);
  note_wanted(file.statements);
  for (const std::string& path : shape.data) shared_.overrides.wanted(path);
  if (shape.sweep) {
    for (const ast::Setting* s : shape.sweep->vary) want(*s);
    for (const std::string& path : shape.sweep->fixed) shared_.overrides.of_member(path);
  }
  expansion_.file(file);
  if (expansion_.size().exceeded()) return;
  reserve(model_, items_);
  note_joint_coordinates();
  evaluate_items();
  finish(file, queries, shape);
}

// Evaluates a question to the finished model, where no event can be added any more that sets an `initial(..)`.
Value Elaborator::evaluate_question(const ast::Shown& expression) {
  const std::size_t held = model_.held.size(), values = model_.event_values.size(), events = model_.events.size();
  Value value = shared_.evaluator.evaluate(*expression.value, shared_.scope);
  if (expression.unit && !value.invalid() && !outputs_.show_in(*expression.unit, value)) return {};
  if (model_.held.size() == held) return value;
  model_.held.resize(held), model_.events.resize(events);
  model_.event_values.resize(values);
  list_held_at_begin(model_);
  return mbc::refuse(sink_, Kind::only_in_tests, expression.value->span, "`initial`").hint("an `output` can have it");
}

Value Elaborator::answer(const ast::Shown& expression) {
  shared_.item.scope = &shared_.scope;
  Value value = evaluate_question(expression);
  if (Tree::holds_gone_row(model_.graph, {value.nodes.begin(), value.nodes.end()})) {
    sink_.report(Kind::row_of_tree, expression.value->span, quoted("bodies = tree"));
    return {};
  }
  loads_.ideal_without_loads(value.nodes);
  return value;
}

// Evaluates the statements that need the whole model.
void Elaborator::finish(const ast::File& file, std::vector<Query>* queries, const Structure& shape) {
  states_.finish();
  quasi_velocities_.check();
  outputs_.record_prescribed();
  place_shapes(expansion_.instances().shapes(), model_);
  if (!sink_.has_errors()) check_masses(model_, parameter_values(model_), sink_);
  events_.read_bodies();
  read_finals();
  read_varied_starts(shape.sweep);
  outputs_.check_column_of_time();
  outputs_.check_column_of_events();
  events_.finish();
  name_held_at_begin(model_, shared_.sources);
  if (!sink_.has_errors()) find_kinks(model_);
  frictions_.finish(events_);
  finish_multiplier_loads(model_);
  find_save_places(model_, shared_.sources, shared_.modules, sink_);
  start_bodies(model_);
  shared_.item.scope = &shared_.scope;
  read_tests(shared_, file);
  if (!queries) {
    for (const Expansion::Final& f : expansion_.finals())
      if (const auto* s = std::get_if<ast::Sweep>(&f.statement->node); s && !sink_.full())
        sweeps_.block(*s, f.statement->span, *f.scope);
    if (shape.sweep) sweeps_.choose(*shape.sweep);
  }
  if (queries)
    for (Query& q : *queries) q.answer = evaluate_question(*q.expression);
  if (!sink_.has_errors()) drawn_joints_.read(model_, frames_.drawn_joints());
  if (!sink_.has_errors() && model_.bodies_default == Representation::tree) weigh_wishes(model_);
  decide_tree(queries);
  if (rows_are_better()) return;
  finish_joint_angles(model_);
  list_held_at_begin(model_);
  loads_.ideal_without_loads(queries);
  if (!queries && model_.coordinates.empty() && model_.states.empty() && !sink_.has_errors())
    sink_.report(Kind::nothing_moves, file.version_span);
  check_values();
  shared_.overrides.check_used(model_, shared_.scope, sink_);
  shared_.overrides.check_data(model_, shape.data, sink_);
  model_.arguments = shared_.overrides.take_structural();
}

namespace {

void nodes_of(Scope& scope, std::vector<NodeId*>& out);

void nodes_of(Symbol& symbol, std::vector<NodeId*>& out) {
  for (NodeId& n : symbol.value.nodes) out.push_back(&n);
  if (symbol.members) nodes_of(*symbol.members, out);
  if (symbol.elements)
    for (auto& [indices, element] : symbol.elements->of) nodes_of(element, out);
}

// Lists the expressions that the names of a scope and of the instances in it stand for.
void nodes_of(Scope& scope, std::vector<NodeId*>& out) {
  for (const std::string& name : scope.names_here()) nodes_of(*scope.find_here(name), out);
}

}  // namespace

void Elaborator::decide_tree(std::vector<Query>* queries) {
  if (sink_.has_errors()) return;
  std::vector<NodeId*> names;
  for (NodeId& n : initial_values_.said()) names.push_back(&n);
  for (NodeId* n : drawn_joints_.nodes()) names.push_back(n);
  if (queries) nodes_of(shared_.scope, names);  // later questions name them
  if (queries)
    for (Query& q : *queries)
      for (NodeId& n : q.answer.nodes) names.push_back(&n);
  tree_.decide(frames_.placements(), names);
}

void Elaborator::read_finals() {
  for (const Expansion::Final& f : expansion_.finals()) {
    shared_.item.scope = f.scope;
    if (const auto* init = std::get_if<ast::Init>(&f.statement->node)) {
      initial_values_.read(*init);
      events_.disabled_at_start(*init);
    }
    if (const auto* sim = std::get_if<ast::Simulate>(&f.statement->node)) {
      Simulation made =
          simulation(*sim, f.statement->span, *f.scope, model_, shared_.evaluator, shared_.overrides.all(), sink_);
      made.inputs = inputs_with_signal(model_, made.inputs, shared_.overrides.all());
      made.plots = outputs_.plots(*sim, *f.scope);
      model_.simulations.push_back(std::move(made));
    }
  }
  const auto unfit = [](const Simulation& s) { return s.unfit.has_value(); };
  if (!std::all_of(model_.simulations.begin(), model_.simulations.end(), unfit)) return;
  for (const Simulation& s : model_.simulations) sink_.add(*s.unfit);  // no block can be run
}

void Elaborator::read_varied_starts(const SweepRequest* request) {
  shared_.item.scope = &shared_.scope;
  std::vector<const ast::Sweep*> blocks;
  for (const Expansion::Final& f : expansion_.finals())
    if (const auto* block = std::get_if<ast::Sweep>(&f.statement->node)) blocks.push_back(block);
  initial_values_.read_varied(blocks, request);
}

void Elaborator::check_values() {
  if (sink_.has_errors()) return;
  check_initial_values(model_, parameter_values(model_), sink_);
  if (!sink_.has_errors()) check_rotations(model_, parameter_values(model_), sink_);
  initial_values_.free_prescribed();
  initial_values_.check_targets();
  drawn_joints_.keep(model_);
}

void Elaborator::evaluate_items() {
  constexpr int kRanks = 7;
  std::array<std::vector<ItemId>, kRanks> by_rank;  // each in the order of the text
  for (const ItemId id : items_.in_text_order()) by_rank.at(static_cast<std::size_t>(rank(items_[id]))).push_back(id);
  for (int rank = 0; rank < kRanks; ++rank) {
    if (rank == kRankOfRows && !sink_.has_errors()) {
      check_pairs(expansion_.instances().pairs(), model_, sink_);
      if (sink_.has_errors()) return;  // their rows would have the same errors
    }
    for (const ItemId id : by_rank[static_cast<std::size_t>(rank)]) {
      if (sink_.full()) break;
      order_.ensure(id);
    }
  }
}

void Elaborator::evaluate(const Item& item) {
  if (item.given) return parameters_.bind(item);
  std::visit([&](const auto& n) { statement(n, *item.statement); }, item.statement->node);
}

void Elaborator::statement(const ast::Entity& n, const ast::Stmt& s) {
  switch (n.kind) {
    case ast::Entity::Kind::particle:
      return particles_.particle(n, s);
    case ast::Entity::Kind::body:
      return bodies_.body(n, s);
    case ast::Entity::Kind::point:
      return frames_.point(n);
    case ast::Entity::Kind::frame:
      return frames_.frame(n);
  }
}

// Notes the names of `coordinates`, which stand where a coordinate may.
void Elaborator::note_joint_coordinates() {
  for (const ItemId id : items_.in_text_order()) {
    const ast::Stmt* s = items_[id].statement;
    const auto* p = s ? std::get_if<ast::Placement>(&s->node) : nullptr;
    for (std::size_t k = 0; p && k < p->names.size(); ++k)
      if (const Symbol* symbol = items_[id].scope->find(p->names[k].name).symbol)
        model_.joint_coordinates.insert({symbol->span.file, symbol->span.begin});
  }
}

// Loads of `nonideal` blocks come after all constraints, since they may hold their `.ideal`. Rows keep the order of the
// text.
int Elaborator::rank(const Item& item) const {
  return item.statement && !shared_.nonideal.contains(item.statement) ? rank_of(*item.statement) : 5;
}

// Reads the dimension of space, on which everything else depends.
void Elaborator::choose_space(const ast::File& file) {
  Span first;
  for (const auto& s : file.statements)
    if (const auto* space = std::get_if<ast::Space>(&s->node)) {
      if (first.known()) sink_.report(Kind::repeated_statement, s->span, "space").label(first, "first given here");
      first = s->span;
      // only a literal is allowed, because nothing else is known before the space
      const auto* n = std::get_if<ast::Number>(&space->dimension->node);
      if (!n || (n->value != 1 && n->value != 2 && n->value != 3))
        sink_.report(Kind::space_value, space->dimension->span,
                     printable(shared_.sources.text(space->dimension->span)));
      else
        model_.space = static_cast<std::uint32_t>(n->value);
    }
  if (sink_.has_errors()) shared_.context.any_length = true;
}

const ast::Simulate* Elaborator::shaping_block(const ast::File& file, const Structure& shape) {
  const ast::Simulate* block = nullptr;
  for (const auto& s : file.statements)
    if (const auto* sim = std::get_if<ast::Simulate>(&s->node))
      if (!block || (block->name.name != shape.simulation && sim->name.name == shape.simulation)) block = sim;
  return block;
}

// Reads the representation of free bodies from the `simulate` block that shapes the model, or from `--set`. The block
// itself is checked later with the other settings. `auto` begins as that of trees, if there are joints that may carry;
// what they carry shows once all statements are read.
void Elaborator::choose_bodies(const ast::File& file, const Structure& shape) {
  model_.bodies_alike = shape.bodies_alike;
  const Representation wanted = shape.bodies.value_or(written_bodies(file, shape));
  const auto has_joints = [&] {
    return place_frames(file.statements) || std::ranges::any_of(shared_.modules.all(), [](const auto& module) {
             return place_frames(module->file.statements);
           });
  };
  const bool automatic = wanted == Representation::automatic;
  tree_.may_decline(automatic);
  model_.bodies_default = !automatic ? wanted : has_joints() ? Representation::tree : Representation::quaternion;
}

Representation Elaborator::written_bodies(const ast::File& file, const Structure& shape) const {
  Representation written = settings::usual_representation();
  const ast::Simulate* block = shaping_block(file, shape);
  if (!block) return written;
  const auto choose = [&](const ast::Expr* value) {
    const auto* word = value ? std::get_if<ast::Name>(&value->node) : nullptr;
    written = (word ? settings::representation_named(word->text) : std::nullopt).value_or(written);
  };
  for (const ast::Setting& setting : block->settings)
    if (setting.key == "bodies") choose(setting.value.get());
  for (const Override& o : shared_.overrides.all())
    if (o.path == block->name.name + ".bodies" || (o.path == "bodies" && !shared_.scope.find_here("bodies")))
      choose(o.value);
  return written;
}

// Marks the names that `sweep` blocks vary. They are data in every run of the file, so that each run gives the bits of
// a member.
void Elaborator::note_wanted(const std::vector<ast::StmtPtr>& statements) {
  for (const ast::StmtPtr& s : statements) {
    if (const auto* choice = std::get_if<ast::IfBlock>(&s->node)) {
      note_wanted(choice->then_body);
      note_wanted(choice->else_body);
    }
    if (const auto* sweep = std::get_if<ast::Sweep>(&s->node))
      for (const ast::Setting& setting : sweep->settings) want(setting);
  }
}

namespace {

// The lessons of an elaboration for the next one: arguments that were taken for data and shape the model,
// bodies with rotations of their own, and whether rows are better than a tree.
struct Lessons {
  Structure wanted;
  std::set<std::string> shaping{}, own_rotations{};

  // Returns whether the model is to be elaborated again.
  bool learn(const Elaborator& made) {
    const std::size_t before = shaping.size() + own_rotations.size();
    const Model& model = made.model();
    shaping.insert(model.shaped_by.begin(), model.shaped_by.end());
    own_rotations.insert(made.asked_rotations().begin(), made.asked_rotations().end());
    if (shaping.size() + own_rotations.size() > before) return true;
    if (made.rows_are_better()) wanted.bodies = Representation::quaternion;
    return made.rows_are_better();
  }
};

}  // namespace

Model elaborate(const ast::File& file, SourceSet& sources, const ModuleSet& modules,
                const std::vector<Override>& overrides, Sink& sink, std::vector<Query>* queries,
                const Structure& structure, Observed* observed) {
  Lessons lessons{structure};
  for (;;) {
    Sink said = sink;
    if (observed) observed->clear();
    bool again = false;
    Model model = [&] {
      Elaborator elaborator(sources, modules, overrides, lessons.shaping, said, observed, lessons.own_rotations);
      elaborator.fill(file, queries, lessons.wanted);
      again = lessons.learn(elaborator);
      return elaborator.take();
    }();
    if (again) continue;
    sink = std::move(said);
    settle(model);  // after the memory of the elaboration is free
    return model;
  }
}

struct OpenModel::Impl {
  Sink sink;
  std::unique_ptr<Elaborator> elaborator;
};

OpenModel::OpenModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
OpenModel::~OpenModel() = default;

std::unique_ptr<OpenModel> OpenModel::open(const ast::File& file, SourceSet& sources, const ModuleSet& modules,
                                           const std::vector<Override>& overrides, const Structure& structure,
                                           Sink& sink, Query* asked) {
  Lessons lessons{structure};
  for (;;) {
    auto made = std::make_unique<Impl>();
    made->elaborator = std::make_unique<Elaborator>(sources, modules, overrides, lessons.shaping, made->sink, nullptr,
                                                    lessons.own_rotations);
    std::vector<Query> queries;
    if (asked) queries.push_back(*asked);
    made->elaborator->fill(file, &queries, lessons.wanted);
    if (lessons.learn(*made->elaborator)) continue;
    for (const Diagnostic& d : made->sink.sorted()) sink.add(d);
    if (made->sink.has_errors()) return nullptr;
    if (!asked) return std::unique_ptr<OpenModel>(new OpenModel(std::move(made)));
    *asked = std::move(queries.front());
    if (Tree::holds_gone_row(made->elaborator->model().graph, asked->answer.nodes)) {
      sink.report(Kind::row_of_tree, asked->expression->value->span, quoted("bodies = tree"));
      return nullptr;
    }
    return std::unique_ptr<OpenModel>(new OpenModel(std::move(made)));
  }
}

Value OpenModel::answer(const ast::Shown& expression, Sink& sink) {
  impl_->sink.clear();
  Value value = impl_->elaborator->answer(expression);
  for (const Diagnostic& d : impl_->sink.sorted()) sink.add(d);
  return value;
}

const Model& OpenModel::model() const { return impl_->elaborator->model(); }

}  // namespace mbc::sema
