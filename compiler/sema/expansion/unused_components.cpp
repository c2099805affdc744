// SPDX-License-Identifier: Apache-2.0
// Checks the names in joints and models without an instance, and in branches of a file that their conditions leave out,
// so that a mistake is found before somebody uses them. Properties that depend on values (shapes, dimensions,
// conditions) are not checked.
#include "compiler/sema/expansion/expansion.h"
#include "compiler/sema/expansion/instances.h"
#include "compiler/sema/expansion/shapes.h"

namespace mbc::sema {

namespace {

// `frame` is a function in places to follow; the other words are choices for `coordinates`.
bool known_word(const std::string& name) { return name == "frame" || settings::representation_named(name).has_value(); }

class UnusedStatements {
 public:
  UnusedStatements(const Scope& home, std::uint32_t space, Evaluator& evaluator, Sink& sink, bool shapes)
      : names_(&home), space_(space), evaluator_(evaluator), sink_(sink), shapes_(shapes) {}

  void check(const ast::Component& c) {
    for (const ast::Parameter& p : c.parameters) names_.add(p.name, {});
    for (const ast::Parameter& p : c.parameters)
      if (p.default_value) check_names(mentions_in(*p.default_value));
    declare_all(c.body);
    check_all(c.body);
  }

  // Checks branches of a file. One may use what another branch or a loop without passes would declare.
  void check(const std::vector<const std::vector<ast::StmtPtr>*>& branches, const std::vector<ast::StmtPtr>& file) {
    in_file_ = true;
    declare_all(file);
    for (const std::vector<ast::StmtPtr>* branch : branches) check_all(*branch);
  }

 private:
  // Statements of a file that a branch may hold: their names belong to runs.
  static bool of_runs(const ast::Stmt& s) {
    return std::holds_alternative<ast::Simulate>(s.node) || std::holds_alternative<ast::Test>(s.node) ||
           std::holds_alternative<ast::Sweep>(s.node);
  }

  void check_names(const std::vector<Mention>& mentions) {
    for (const Mention& m : mentions) {
      const std::string& name = m.path[0].name;
      const Scope::Found found = names_.find(name);
      if (!found.symbol && !found.number && !Names::builtin(name) && !known_word(name))
        evaluator_.names().unknown(name, m.span, names_);
    }
  }

  void check_event(const ast::When& event) {
    check_names(mentions_in(*event.condition));
    if (event.from) check_names(mentions_in(*event.from));
    for (const ast::Action& a : event.body)
      for (const ast::ExprPtr* e : {&a.target, &a.value})
        if (*e) check_names(mentions_in(**e));
  }

  // Declares all names of the body, whatever its conditions choose, without values.
  void declare_all(const std::vector<ast::StmtPtr>& list) {
    for (const auto& s : list) {
      if (const ast::Declared* d = declared_name(*s); d && in_file_ && names_.find(d->name).symbol) {
        for (const ast::Binder& b : d->binders) names_.add(b.name, {});  // the name is known already
      } else if (d) {
        Symbol& symbol = names_.find_here(d->name) ? *names_.find_here(d->name) : names_.add(d->name, {});
        const auto* component = std::get_if<ast::Component>(&s->node);
        symbol.definition =
            component ? std::make_unique<const Definition>(Definition{nullptr, component, nullptr}) : nullptr;
        symbol.refused = true;
        for (const ast::Binder& b : d->binders) names_.add(b.name, {});
      }
      if (const auto* loop = std::get_if<ast::For>(&s->node)) {
        names_.add(loop->binder.name, {});
        declare_all(loop->body);
      }
      if (const auto* choice = std::get_if<ast::IfBlock>(&s->node)) {
        declare_all(choice->then_body);
        declare_all(choice->else_body);
      }
      if (const auto* c = std::get_if<ast::Constraint>(&s->node)) declare_all(c->nonideal);
    }
  }

  void check_all(const std::vector<ast::StmtPtr>& list) {
    for (const auto& s : list) {
      if (in_file_ && of_runs(*s)) continue;
      if (!in_file_ && misplaced_in_component(*s, sink_)) continue;
      if (std::holds_alternative<ast::Def>(s->node)) continue;  // its parameters are names of its own
      check_names(mentions_in(*s));
      if (const ast::Declared* d = declared_name(*s))
        for (const ast::Binder& b : d->binders) check_names(mentions_in(*b.range));
      if (const auto* i = std::get_if<ast::Instance>(&s->node)) {
        if (!i->shape && !is_pair(*i, names_, shapes_)) component_of(*i, names_, space_, sink_);
        for (const ast::Argument& a : i->args) check_names(mentions_in(*a.value));
      }
      if (const auto* event = std::get_if<ast::When>(&s->node)) check_event(*event);
      if (const auto* loop = std::get_if<ast::For>(&s->node)) {
        check_names(mentions_in(*loop->binder.range));
        check_all(loop->body);
      }
      if (const auto* choice = std::get_if<ast::IfBlock>(&s->node)) {
        check_names(mentions_in(*choice->condition));
        check_all(choice->then_body);
        check_all(choice->else_body);
      }
      if (const auto* c = std::get_if<ast::Constraint>(&s->node)) check_all(c->nonideal);
    }
  }

  Scope names_;
  std::uint32_t space_;
  Evaluator& evaluator_;
  Sink& sink_;
  bool shapes_, in_file_ = false;
};

}  // namespace

void Instances::check_component(const ast::Component& c, const Scope& home) {
  evaluator_.types().check_parameters(c.parameters);
  components_.emplace_back(&c, &home);
}

void Instances::check_unused_components() {
  for (std::size_t k = 0; k < components_.size() && !sink_.full(); ++k) {
    const auto [component, home] = components_[k];
    if (!made_.contains(component))
      UnusedStatements(*home, shared_.model.space, evaluator_, sink_, shared_.modules.shapes() != nullptr)
          .check(*component);
  }
}

void Instances::check_left_out(const std::vector<ast::StmtPtr>& file) {
  if (left_out_.empty() || sink_.full()) return;
  UnusedStatements(shared_.scope, shared_.model.space, evaluator_, sink_, shared_.modules.shapes() != nullptr)
      .check(left_out_, file);
}

}  // namespace mbc::sema
