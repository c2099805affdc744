#include "compiler/sema/dependencies.h"

#include <map>
#include <set>
#include <string>

#include "compiler/ast/walk.h"
#include "compiler/diagnostics/render.h"

namespace mbc::sema {

namespace {

class NameCollector {
 public:
  void expr(const ast::ExprPtr& e) {
    if (e) expr(*e);
  }
  void expr(const ast::Expr& e) {
    if (const auto* n = std::get_if<ast::Name>(&e.node)) {
      if (!bound_.contains(n->text)) found.try_emplace(n->text, e.span);
    } else if (const auto* sum = std::get_if<ast::SumOver>(&e.node)) {
      expr(sum->binder.range);
      const bool inserted = bound_.insert(sum->binder.name).second;
      expr(sum->body);
      if (inserted) bound_.erase(sum->binder.name);
    } else {
      ast::for_each_part(e, [this](const ast::Expr& part) { expr(part); });
    }
  }
  void bind(const std::string& name) { bound_.insert(name); }

  std::map<std::string, Span> found;  // with the first place of each

 private:
  std::set<std::string> bound_;
};

std::map<std::string, Span> mentions(const ast::Stmt& s) {
  NameCollector c;
  const auto modifiers = [&](const std::vector<ast::Modifier>& list) {
    for (const ast::Modifier& m : list) c.expr(m.value);
  };
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<T, ast::Param> || std::is_same_v<T, ast::Let> || std::is_same_v<T, ast::Output> ||
                      std::is_same_v<T, ast::Gravity> || std::is_same_v<T, ast::StateVar> ||
                      std::is_same_v<T, ast::Input>) {  // the rate of a state is evaluated when all is declared
          c.expr(n.value);
        } else if constexpr (std::is_same_v<T, ast::Def>) {
          for (const ast::Parameter& p : n.parameters) c.expr(p.default_value);
          for (const ast::Parameter& p : n.parameters) c.bind(p.name);
          c.expr(n.body);
        } else if constexpr (std::is_same_v<T, ast::Entity>) {
          for (const ast::Argument& a : n.args) c.expr(a.value);
          modifiers(n.modifiers);
        } else if constexpr (std::is_same_v<T, ast::Coord>) {
          c.expr(n.value);
          modifiers(n.modifiers);
        } else if constexpr (std::is_same_v<T, ast::Load>) {
          modifiers(n.modifiers);
          c.expr(n.value);
        } else if constexpr (std::is_same_v<T, ast::Constraint>) {
          c.expr(n.equation);
        }
      },
      s.node);
  return c.found;
}

// Roots of the search, in this order, so that parameters, entities and rows keep the order of the file.
int rank(const ast::Stmt& s) {
  if (std::holds_alternative<ast::Param>(s.node)) return 0;
  if (std::holds_alternative<ast::StateVar>(s.node) || std::holds_alternative<ast::Input>(s.node)) return 0;
  if (std::holds_alternative<ast::Entity>(s.node) || std::holds_alternative<ast::Coord>(s.node)) return 1;
  if (std::holds_alternative<ast::Gravity>(s.node)) return 2;
  if (std::holds_alternative<ast::Load>(s.node)) return 3;
  if (std::holds_alternative<ast::Constraint>(s.node)) return 4;
  return 5;
}

struct Search {
  const std::vector<ast::StmtPtr>& statements;
  std::vector<std::vector<std::size_t>> needs;
  std::vector<std::uint8_t> state;  // 0 new, 1 on the stack, 2 done
  std::vector<std::size_t> order;
  const std::map<std::string, const ast::Expr*>& set;
  Sink& sink;

  std::string label(std::size_t i) const {
    const ast::Declared* d = declared_name(*statements[i]);
    return d ? printable(d->name) : "gravity";
  }

  void report_cycle(const std::vector<std::pair<std::size_t, std::size_t>>& stack, std::size_t again) {
    std::size_t k = stack.size();
    while (k > 0 && stack[k - 1].first != again) --k;
    std::string chain;
    const std::size_t length = stack.size() - (k - 1);
    for (std::size_t i = k - 1; i < stack.size(); ++i) {
      if (length > 8 && i == k + 3) chain += "... -> ";
      if (length > 8 && i >= k + 3 && i + 3 < stack.size()) continue;
      chain += label(stack[i].first) + " -> ";
    }
    const ast::Declared* d = declared_name(*statements[again]);
    Diagnostic& report = sink.report(Kind::circular_definition, d ? d->span : statements[again]->span, label(again),
                                     chain + label(again));
    for (std::size_t i = k - 1; i < stack.size(); ++i)
      if (set.contains(label(stack[i].first)))
        report.note("`" + label(stack[i].first) + "` has its value from `--set`");
  }

  void visit(std::size_t root) {
    if (state[root] != 0) return;
    std::vector<std::pair<std::size_t, std::size_t>> stack{{root, 0}};
    state[root] = 1;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == needs[node].size()) {
        state[node] = 2;
        order.push_back(node);
        stack.pop_back();
        continue;
      }
      const std::size_t child = needs[node][next++];
      if (state[child] == 1) report_cycle(stack, child);
      if (state[child] != 0) continue;
      state[child] = 1;
      stack.emplace_back(child, 0);
    }
  }
};

}  // namespace

std::vector<std::string> names_in(const ast::Expr& e) {
  NameCollector c;
  c.expr(e);
  std::vector<std::string> names;
  for (const auto& [name, place] : c.found) names.push_back(name);
  return names;
}

std::vector<std::pair<std::string, Span>> names_in(const ast::Def& def) {
  NameCollector c;
  for (const ast::Parameter& p : def.parameters) c.expr(p.default_value);
  for (const ast::Parameter& p : def.parameters) c.bind(p.name);
  c.expr(def.body);
  return {c.found.begin(), c.found.end()};
}

const ast::Declared* declared_name(const ast::Stmt& s) {
  return std::visit(
      [](const auto& n) -> const ast::Declared* {
        if constexpr (requires { n.name.name; }) {
          using T = std::decay_t<decltype(n)>;
          if constexpr (std::is_same_v<T, ast::Output> || std::is_same_v<T, ast::Simulate> ||
                        std::is_same_v<T, ast::Sweep>)
            return nullptr;
          else
            return n.name.name.empty() ? nullptr : &n.name;
        } else {
          return nullptr;
        }
      },
      s.node);
}

std::vector<std::size_t> dependency_order(const std::vector<ast::StmtPtr>& statements,
                                          const std::map<std::string, const ast::Expr*>& set, Sink& sink) {
  std::map<std::string, std::size_t> declared;
  std::vector<std::size_t> system;  // what `energy` and `momentum` are made of
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (const ast::Declared* d = declared_name(*statements[i])) declared.try_emplace(d->name, i);
    const int r = rank(*statements[i]);
    const auto* load = std::get_if<ast::Load>(&statements[i]->node);
    if (r == 1 || r == 2 || (load && load->kind >= ast::Load::Kind::potential)) system.push_back(i);
  }
  Search search{statements,
                std::vector<std::vector<std::size_t>>(statements.size()),
                std::vector<std::uint8_t>(statements.size(), 0),
                {},
                set,
                sink};
  const auto need = [&](std::size_t i, const std::string& name) {
    if (const auto it = declared.find(name); it != declared.end())
      search.needs[i].push_back(it->second);
    else if (name == "energy" || name == "momentum")
      search.needs[i].insert(search.needs[i].end(), system.begin(), system.end());
  };
  for (std::size_t i = 0; i < statements.size(); ++i) {
    for (const auto& [name, place] : mentions(*statements[i])) need(i, name);
    const auto* param = std::get_if<ast::Param>(&statements[i]->node);
    if (const auto it = param ? set.find(param->name.name) : set.end(); it != set.end())
      for (const std::string& name : names_in(*it->second)) need(i, name);
  }
  for (int wanted = 0; wanted <= 5; ++wanted)
    for (std::size_t i = 0; i < statements.size(); ++i)
      if (rank(*statements[i]) == wanted) search.visit(i);
  return search.order;
}

}  // namespace mbc::sema
