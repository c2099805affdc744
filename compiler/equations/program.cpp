// SPDX-License-Identifier: Apache-2.0
#include "compiler/equations/program.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "compiler/equations/program_frames.h"
#include "compiler/graph/evaluate.h"
#include "compiler/reading/print.h"
#include "compiler/reading/simplify.h"
#include "compiler/sema/overrides.h"

namespace mbc::equations {

namespace {

using graph::Node;
using graph::Op;
using reading::Expression;
using reading::filled;

constexpr std::size_t kMostUnknowns = 400;

std::string why_refused(const sema::Model& model, const lower::System& system, const Graph& graph,
                        const std::vector<NodeId>& roots) {
  const std::string instead = ": `mbc compile -o model.so` makes code for it, `mbc compile -o model.fmu` an FMU";
  if (!model.unilaterals.empty()) return "source code holds no contacts" + instead;
  if (!model.frictions.empty()) return "source code holds no friction that sticks" + instead;
  if (!model.reaction_dependent.empty())
    return "source code holds no forces that depend on reactions, here `" + model.reaction_dependent[0].force.name +
           "`" + instead;
  if (system.n_speeds + system.n_rows > kMostUnknowns)
    return counted(system.n_speeds, "speed") + " and " + counted(system.n_rows, "row") +
           " are too many for source code with full matrices" + instead;
  for (const NodeId id : graph::reachable(graph, roots))
    if (graph.node(id).op == Op::table) return "source code holds no tables" + instead;
  return "";
}

void note_symbols(const Expression& e, std::set<std::uint32_t>& used) {
  if (e.form == reading::Form::symbol) used.insert(e.symbol);
  for (const Expression& part : e.parts) note_symbols(part, used);
}

class Writer {
 public:
  Writer(const ProgramSources& sources, reading::Language language)
      : model_(sources.model),
        written_(sources.model, sources.system, sources.numbers),
        graph_(written_.graph()),
        language_(language),
        frame_(frame_of(language)),
        title_(sources.title),
        terms_(written_.terms_of(sources.system)) {}

  Program run() {
    Program out;
    collect();
    std::vector<NodeId> roots;
    for (const Assigned& t : targets_) roots.push_back(t.value);
    out.refusal = why_refused(model_, written_.system(), graph_, roots);
    if (!out.refusal.empty()) return out;
    name_leaves(roots);
    name_shared(roots);
    leave_unused_out();
    out.text = text();
    return out;
  }

 private:
  // Returns the place of a value: dy, K or r, at these indices from 0.
  enum class Place : std::uint8_t { derivative, matrix, right_side, prescribed };
  struct Assigned {
    Place place{};
    std::size_t i = 0, j = 0;
    NodeId value;
  };
  struct Named {
    NodeId node;
    std::uint32_t symbol = 0;
    bool after_ideal = false;  // depends on the multipliers without C
  };

  void collect() {
    const std::size_t nq = model_.coordinates.size(), nu = model_.speeds.size();
    std::map<std::pair<std::size_t, std::size_t>, NodeId> sums[3];  // K, r, C
    const auto add = [&](std::size_t which, std::size_t i, std::size_t j, NodeId value) {
      NodeId& sum = sums[which].try_emplace({i, j}, graph_.zero()).first->second;
      sum = graph_.add(sum, value);
    };
    for (const Term& t : terms_) {
      const std::size_t row = nu + t.item;
      if (t.target == Target::rate) targets_.push_back({Place::derivative, t.item, 0, t.value});
      if (t.target == Target::state_rate) targets_.push_back({Place::derivative, nq + nu + t.item, 0, t.value});
      if (t.target == Target::mass) {
        add(0, t.i, t.j, t.value);
        if (t.i != t.j) add(0, t.j, t.i, t.value);
      }
      if (t.target == Target::force) add(1, t.i, 0, t.value);
      if (t.target == Target::nonideal_force) add(2, t.i, 0, t.value);
      if (t.target == Target::right_side) add(1, row, 0, t.value);
      if (t.target == Target::jacobian) {
        add(0, row, t.i, t.value);
        add(0, t.i, row, graph_.neg(t.value));
      }
    }
    constexpr Place kPlaces[] = {Place::matrix, Place::right_side, Place::prescribed};
    for (std::size_t k = 0; k < 3; ++k)
      for (const auto& [ij, value] : sums[k])
        if (!graph_.is_zero(value)) targets_.push_back({kPlaces[k], ij.first, ij.second, value});
  }

  [[nodiscard]] std::string index(std::size_t k) const {
    return std::to_string(k + static_cast<std::size_t>(frame_.first));
  }
  [[nodiscard]] std::string entry(const std::string& array, std::size_t k) const {
    return filled(frame_.entry, {array, index(k)});
  }

  // Returns the place of a leaf: "y[2]", "p[0]"; "" for the time, and for what is solved for.
  [[nodiscard]] std::string place_of(const Node& n) const {
    const std::size_t nq = model_.coordinates.size(), nu = model_.speeds.size();
    switch (n.leaf) {
      case LeafKind::coordinate:
        return entry("y", n.a);
      case LeafKind::speed:
        return entry("y", nq + n.a);
      case LeafKind::state:
        return entry("y", nq + nu + n.a);
      case LeafKind::param:
        return entry("p", n.a);
      case LeafKind::input:
        return entry("p", model_.params.size() + n.a);
      case LeafKind::ideal:
        return entry("solution", nu + n.a);
      case LeafKind::time:
      case LeafKind::accel:
      case LeafKind::state_rate:
      case LeafKind::slot_constant:
      case LeafKind::multiplier:
      case LeafKind::mask:
        break;
    }
    return "";
  }

  void name_leaves(const std::vector<NodeId>& roots) {
    for (const NodeId id : graph::reachable(graph_, roots)) {
      const Node n = graph_.node(id);
      if (n.op != Op::leaf) continue;
      const std::string name = n.leaf == LeafKind::time ? "t" : identifiers_.of(name_of_leaf(model_, n.leaf, n.a));
      const std::uint32_t symbol = symbols_.add(id, name);
      if (n.leaf != LeafKind::time) leaves_.push_back({id, symbol, n.leaf == LeafKind::ideal});
    }
    std::sort(leaves_.begin(), leaves_.end(), [&](const Named& a, const Named& b) {
      const Node &x = graph_.node(a.node), &y = graph_.node(b.node);
      return std::pair(x.leaf, x.a) < std::pair(y.leaf, y.a);
    });
  }

  // Expressions that are used more than once, or would be too long to be read, have names.
  void name_shared(const std::vector<NodeId>& roots) {
    constexpr std::size_t kLong = 30;
    std::unordered_map<std::uint32_t, std::size_t> uses, size;
    const std::vector<NodeId> nodes = graph::reachable(graph_, roots);
    for (const NodeId id : nodes)
      for (const NodeId x : graph::Operands(graph_.node(id))) ++uses[x.value];
    for (const NodeId root : roots) ++uses[root.value];
    std::unordered_map<std::uint32_t, bool> late;
    for (const NodeId id : nodes) {
      const Node n = graph_.node(id);
      std::size_t own = 1;
      bool after = n.op == Op::leaf && n.leaf == LeafKind::ideal;
      for (const NodeId x : graph::Operands(n)) {
        own += size[x.value];
        after |= late[x.value];
      }
      late[id.value] = after;
      size[id.value] = own;
      if (kernel::arity(n.op) == 0 || n.op == Op::neg || kernel::is_truth(n.op)) continue;
      if (uses[id.value] < 2 && own < kLong) continue;
      named_.push_back({id, symbols_.add(id, name_of(n)), after});
      size[id.value] = 1;
    }
  }

  std::string name_of(const Node& n) {
    const Node& of = graph_.node({n.a});
    const auto known = symbols_.of({n.a});
    if ((n.op == Op::sin || n.op == Op::cos) && of.op == Op::leaf && known)
      return identifiers_.of({std::string(kernel::op_text(n.op)) + "_" + symbols_.name(*known)});
    return identifiers_.of({"z" + std::to_string(++count_)});
  }

  [[nodiscard]] Expression written(NodeId node, bool by_name) const {
    const std::optional<std::uint32_t> known = by_name ? symbols_.of(node) : std::nullopt;
    std::optional<Expression> e = known ? reading::symbol(*known) : reading::plain(graph_, node, symbols_);
    CHECK(e, "what is long has been named");
    return *std::move(e);
  }

  // An expression that meets others of its kind on paper, as 4*z and -4*z in a sum, may not need its name.
  void leave_unused_out() {
    std::set<std::uint32_t> used;
    for (const Assigned& t : targets_) note_symbols(written(t.value, true), used);
    for (auto n = named_.rbegin(); n != named_.rend(); ++n)
      if (used.contains(n->symbol)) note_symbols(written(n->node, false), used);
    const auto unused = [&](const Named& n) { return !used.contains(n.symbol); };
    std::erase_if(named_, unused);
    std::erase_if(leaves_, unused);
  }

  // The right side of an assignment.
  [[nodiscard]] std::string right(NodeId node, std::size_t used, bool by_name) const {
    const std::string marked =
        reading::print(written(node, by_name), language_, [&](std::uint32_t s) { return symbols_.name(s); });
    const std::string lines = reading::on_lines(marked, 98, used + 8, frame_.broken);
    return lines.find('\n') == std::string::npos ? lines : filled(frame_.grouped, {lines});
  }

  [[nodiscard]] std::string comment(const std::string& line) const { return std::string(frame_.comment) + line + "\n"; }
  [[nodiscard]] std::string inner_comment(const std::string& line) const {
    const std::size_t indent = std::min(frame_.let.find('$'), frame_.let.find("const"));
    return std::string(indent, ' ') + comment(line);
  }

  [[nodiscard]] std::string header() const {
    std::string out = comment("The equations of motion of " + title_ + ": dy = rhs(t, y, p).");
    std::size_t k = 0;
    const auto list = [&](const auto& of) {
      for (const auto& one : of) {
        const std::string unit = model_.has_units ? " [" + sema::to_text(one.dimension) + "]" : "";
        out += comment("  " + entry("y", k++) + " = " + std::string(one.name) + unit);
      }
    };
    list(model_.coordinates);
    list(model_.speeds);
    list(model_.states);
    std::vector<std::string> events;
    for (const problem::Event& e : model_.events)
      if (!e.name.empty()) events.push_back(e.name);
    if (!events.empty()) out += comment("Between events, with the discrete state in p; not in here are the events:");
    for (const std::string& event : events) out += comment("  " + event);
    return out + "\n";
  }

  // Parameters, inputs, then what is constant between events, as at the start.
  [[nodiscard]] std::string defaults() const {
    std::string out;
    std::size_t k = 0;
    const std::vector<double> params = sema::parameter_values(model_);
    const auto value_of = [&](NodeId node) {
      return graph::evaluate(model_.graph, {&node, 1}, [&](const Node& n) { return params[n.a]; })[0];
    };
    const auto add = [&](double value, const std::string& name, const sema::Dimension& d) {
      Expression number;
      number.number = value;
      const std::string unit = model_.has_units ? " [" + sema::to_text(d) + "]" : "";
      out += filled(frame_.value, {reading::print(number, language_, {}), entry("p", k++) + " = " + name + unit});
    };
    for (std::size_t i = 0; i < params.size(); ++i) add(params[i], model_.params[i].name, model_.params[i].dimension);
    for (const sema::Input& i : model_.inputs) add(value_of(i.value), i.name, i.dimension);
    for (const sema::Held& h : model_.held) add(value_of(h.initial), h.variable.name, h.dimension);
    return out;
  }

  [[nodiscard]] std::string lets(const std::vector<Named>& list, bool after_ideal, bool leaves) const {
    std::string out;
    for (const Named& n : list) {
      if (n.after_ideal != after_ideal) continue;
      const std::string& name = symbols_.name(n.symbol);
      out +=
          filled(frame_.let, {name, leaves ? place_of(graph_.node(n.node)) : right(n.node, name.size() + 12, false)});
    }
    return out;
  }

  [[nodiscard]] std::string assignments(Place place) const {
    std::string out;
    for (const Assigned& t : targets_) {
      if (t.place != place) continue;
      std::string left = entry(place == Place::derivative ? "dy" : "r", t.i);
      if (place == Place::matrix) left = filled(frame_.matrix, {index(t.i), index(t.j)});
      std::string value = right(t.value, left.size() + 8, true);
      if (place == Place::prescribed) value = left + " + (" + value + ")";
      out += filled(frame_.set, {left, value});
    }
    return out;
  }

  [[nodiscard]] std::string text() const {
    const std::size_t nq = model_.coordinates.size(), nu = model_.speeds.size(), rows = model_.equations.size();
    const std::size_t ny = nq + nu + model_.states.size(), np = model_.params.size() + model_.first_run_value();
    const std::string n = std::to_string(nu + rows), unknowns = std::to_string(std::max<std::size_t>(nu + rows, 1));
    std::string out = header() + filled(frame_.begin, {std::to_string(ny), std::to_string(np), unknowns}) + defaults() +
                      std::string(frame_.end_values) + std::string(frame_.head);
    out += lets(leaves_, false, true) + lets(named_, false, false);
    out += filled(frame_.derivative, {std::to_string(ny)});
    if (nu > 0) out += solution(n, rows > 0);
    out += assignments(Place::derivative);
    for (std::size_t i = 0; i < nu; ++i) out += filled(frame_.set, {entry("dy", nq + i), entry("solution", i)});
    return out + std::string(frame_.tail);
  }

  [[nodiscard]] std::string solution(const std::string& n, bool rows) const {
    const std::string solve(rows ? frame_.solve_rows : frame_.solve), prescribed = assignments(Place::prescribed);
    const bool ideal = std::any_of(leaves_.begin(), leaves_.end(), [](const Named& l) { return l.after_ideal; });
    std::string out =
        inner_comment(rows ? "[M, -A^T; A, 0] [u'; lambda] = [f; b], as K and r" : "M u' = f, as K and r");
    out += filled(frame_.zeros, {n}) + assignments(Place::matrix) + assignments(Place::right_side);
    if (ideal)
      out += solve + inner_comment("the multipliers without C") + lets(leaves_, true, true) + lets(named_, true, false);
    if (!prescribed.empty())
      out += inner_comment("C, the prescribed forces of constraints that are not ideal") + prescribed;
    return out + solve;
  }

  const sema::Model& model_;
  WrittenSystem written_;
  Graph& graph_;
  reading::Language language_;
  const Frame& frame_;
  std::string title_;
  std::vector<Term> terms_;
  std::vector<Assigned> targets_;
  reading::Symbols symbols_;
  reading::Identifiers identifiers_;
  std::vector<Named> leaves_, named_;
  std::size_t count_ = 0;
};

}  // namespace

Program program_of(const ProgramSources& sources, reading::Language language) {
  return Writer(sources, language).run();
}

}  // namespace mbc::equations
