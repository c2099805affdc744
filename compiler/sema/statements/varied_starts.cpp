// SPDX-License-Identifier: Apache-2.0
// Initial values that sweeps vary and `--set` sets: `p.x`, `phi'`. Each becomes a parameter of the run by its path,
// whose value is that of the model until something gives it another one. It is then an entry of `init` with `=`.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/settings.h"
#include "base/text.h"
#include "compiler/sema/statements/bodies.h"
#include "compiler/sema/statements/initial_values.h"
#include "compiler/sema/statements/varied_quantities.h"

namespace mbc::sema {

namespace {

ast::ExprPtr expression(Span span, decltype(ast::Expr::node) node) {
  auto out = std::make_unique<ast::Expr>();
  out->span = span;
  out->node = std::move(node);
  return out;
}

// Reads a path, `arm[2].tip.x'`, as the parser reads it in an expression. Returns null if the text is none.
class PathReader {
 public:
  PathReader(const std::string& text, Span span) : text_(text), span_(span) {}

  ast::ExprPtr read() {
    const std::string first = word();
    if (first.empty()) return nullptr;
    ast::ExprPtr out = expression(span_, ast::Name{first});
    while (out && at_ < text_.size()) out = part(std::move(out));
    return out;
  }

 private:
  ast::ExprPtr part(ast::ExprPtr of) {
    switch (text_[at_++]) {
      case '.': {
        const std::string name = word();
        return name.empty() ? nullptr : expression(span_, ast::Member{std::move(of), name, span_});
      }
      case '[':
        return indexed(std::move(of));
      case '\'': {
        std::uint32_t order = 1;
        for (; at_ < text_.size() && text_[at_] == '\''; ++at_) ++order;
        return expression(span_, ast::Prime{std::move(of), order});
      }
      default:
        return nullptr;
    }
  }

  ast::ExprPtr indexed(ast::ExprPtr of) {
    ast::Index out{std::move(of), {}};
    for (char end = ','; end == ',';) {
      const std::size_t close = text_.find_first_of(",]", at_);
      if (close == std::string::npos) return nullptr;
      const std::string number = text_.substr(at_, close - at_);
      int value = 0;
      const auto [last, error] = std::from_chars(number.data(), number.data() + number.size(), value);
      if (error != std::errc() || last != number.data() + number.size()) return nullptr;
      out.indices.push_back(expression(span_, ast::Number{static_cast<double>(value), number, true}));
      end = text_[close];
      at_ = close + 1;
    }
    return expression(span_, std::move(out));
  }

  std::string word() {
    const std::size_t begin = at_;
    const auto fits = [&](unsigned char c) {
      return std::isalpha(c) != 0 || c == '_' || (at_ > begin && std::isdigit(c));
    };
    while (at_ < text_.size() && fits(static_cast<unsigned char>(text_[at_]))) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  const std::string& text_;
  Span span_;
  std::size_t at_ = 0;
};

// Returns the symbol that a part of a path, `arm` or `arm[2]`, names in a scope; null if it names none.
const Symbol* symbol_of(const Scope& scope, const std::string& part, bool outermost) {
  const std::size_t bracket = std::min(part.find('['), part.size());
  const std::string name = part.substr(0, bracket);
  const Symbol* symbol = outermost ? scope.find(name).symbol : scope.find_here(name);
  if (!symbol || bracket == part.size() || !symbol->elements) return symbol;
  Indices at;
  for (std::size_t k = bracket; k < part.size() && part[k] != ']'; k = part.find_first_of(",]", k + 1)) {
    int index = 0;
    std::from_chars(part.data() + k + 1, part.data() + part.size(), index);
    at.push_back(index);
  }
  const auto found = symbol->elements->of.find(at);
  return found == symbol->elements->of.end() ? nullptr : &found->second;
}

enum class Declared : std::uint8_t { no, yes, refused };

// Returns whether the names in front of a path are declared, as far as instances have them.
Declared declared(const Scope& file, const std::string& path) {
  const std::size_t end = std::min(path.find('\''), path.size());
  const Scope* scope = &file;
  for (std::size_t begin = 0; begin < end;) {
    const std::size_t dot = std::min(path.find('.', begin), end);
    const Symbol* symbol = symbol_of(*scope, path.substr(begin, dot - begin), scope == &file);
    if (!symbol || symbol->definition) return Declared::no;
    if (symbol->refused) return Declared::refused;
    if (!symbol->members) return Declared::yes;
    scope = symbol->members.get();
    begin = dot + 1;
  }
  return Declared::yes;
}

}  // namespace

// They are hard if the sweep that is run varies them, or `--set` sets them.
void InitialValues::read_varied(const std::vector<const ast::Sweep*>& blocks, const SweepRequest* request) {
  const auto vary = [&](const ast::Setting& setting, bool asked) {
    this->vary(setting.key, setting.key_span, asked);
    for (const DataColumn& c : columns_of_list(setting, shared_.context)) this->vary(c.name, c.header, asked);
  };
  for (const ast::Sweep* block : blocks) {
    const bool asked = request && (request->name.empty() ? blocks.size() == 1 : request->name == block->name.name);
    for (const ast::Setting& setting : block->settings) vary(setting, asked);
  }
  if (request)
    for (const ast::Setting* setting : request->vary) vary(*setting, true);
  for (const Override& o : shared_.overrides.all()) this->vary(o.path, o.span, true);
}

// Makes an initial value a parameter by its path. It keeps its value, and is hard if `asked`. Other paths are left
// alone.
void InitialValues::vary(const std::string& path, Span span, bool asked) {
  if (shared_.overrides.start(path) || is_known(path)) {
    if (asked) harden(path);
    return;
  }
  const Declared root = declared(shared_.scope, path);
  const ast::ExprPtr written = root == Declared::no ? nullptr : PathReader(path, span).read();
  if (!written) return;
  const Value target = root == Declared::refused ? Value() : value(*written);
  VariedStart made;
  if (target.invalid()) {
    (void)shared_.overrides.use(path);
    made.reported = true;
  } else if (target.numeric() && target.vector()) {
    made.why = "it is a vector";
    made.help = "name its components one by one";
  } else if (!target.scalar() || target.level == Level::acceleration) {
    return;
  } else {
    made = start_of(target, *written, path);
  }
  if (made.why.empty() && made.target.valid()) begin_at_parameter(path, span, made);
  if (made.reported || !made.why.empty() || made.target.valid()) shared_.overrides.add_start(path, std::move(made));
  if (asked) harden(path);
}

// Returns whether a path names what is no initial value: a parameter, an input or a setting.
bool InitialValues::is_known(const std::string& path) const {
  const auto is_setting = [&settings = settings::keys_to_set()](const std::string& key) {
    return key.starts_with("input.") || std::find(settings.begin(), settings.end(), key) != settings.end();
  };
  const std::size_t dot = path.find('.');
  const auto is_block = [&](const Simulation& s) { return s.name == path.substr(0, dot); };
  if (is_setting(path)) return true;
  if (dot != std::string::npos && is_setting(path.substr(dot + 1)) &&
      std::any_of(model_.simulations.begin(), model_.simulations.end(), is_block))
    return true;  // an event may have the name of a block
  const auto named = [&](const auto& declared) { return declared.name == path; };
  const std::vector<Name>& structural = shared_.overrides.structural();
  return std::any_of(model_.params.begin(), model_.params.end(), named) ||
         std::any_of(model_.inputs.begin(), model_.inputs.end(), named) ||
         std::any_of(structural.begin(), structural.end(), [&](const Name& n) { return n == path; });
}

// Returns the initial value of a target, or why none can be given. A value that does not move is neither.
VariedStart InitialValues::start_of(const Value& target, const ast::Expr& written, const std::string& path) {
  VariedStart out;
  const NodeId node = target.node();
  const Node leaf = model_.graph.node(node);
  out.dimension = target.type.dimension;
  for (const InitialTarget& t : model_.initial_targets)
    if (t.target == node) return out.target = node, out;
  if (held_state(target) || body_start(model_, node)) return out.target = node, out;
  if (is_state_leaf(leaf)) {
    const bool of_instance = this->of_instance(written);
    if (describes_rotation(model_, leaf)) {
      out.why = "a rotation begins as a whole";
      out.help = "vary a parameter that `rotated` or `init` uses";
    } else if (of_instance && leaf.leaf == LeafKind::speed) {
      out.why = "no entry of `init` gives it a value";
      out.help = "add one: `init { " + path + " = ... }`";
    } else {
      out.target = node;
      out.of_instance = of_instance && leaf.leaf == LeafKind::coordinate;
    }
    return out;
  }
  if (!graph::holds(model_.graph, node, {LeafKind::coordinate, LeafKind::speed})) return out;
  out.why = "no entry of `init` gives it a value";
  out.help = "a value that is no coordinate needs an entry of `init`";
  return out;
}

// Replaces the initial value by a parameter with that value.
void InitialValues::begin_at_parameter(const std::string& path, Span span, VariedStart& made) {
  NodeId* value = place_of(made.target).value;
  if (!value || !value->valid()) {
    made.why = "it has no value of its own";
    return;
  }
  if (const std::string row = row_of(made.target); !row.empty()) {
    made.why = "the constraint " + quoted(row) + " fixes it";
    made.help = "vary a parameter that the constraint uses";
    return;
  }
  Param p{path, made.dimension, *value, span, "initial value", false};
  if (const Override* o = shared_.overrides.use(path)) {
    const std::optional<Value> other = override_value(*o, made.dimension, "the initial value of " + quoted(path));
    if (!other) return;
    p.value = other->node();
    p.overridden = true;
  }
  *value = model_.graph.leaf(LeafKind::param, static_cast<std::uint32_t>(model_.params.size()));
  model_.params.push_back(std::move(p));
}

InitialValues::PlaceOfStart InitialValues::place_of(NodeId target) {
  for (InitialTarget& t : model_.initial_targets)
    if (t.target == target) return {&t.value, &t.start, nullptr};
  const Node leaf = model_.graph.node(target);
  if (model_.is_discrete(leaf, problem::DiscreteVariable::Use::state))
    return {&model_.held[*model_.discrete_index(leaf)].initial, nullptr, nullptr};
  if (const std::optional<StartValue> body = body_start(model_, target)) return {body->value, nullptr, body->given};
  if (leaf.leaf == LeafKind::state) return {&model_.states[leaf.a].initial, nullptr, nullptr};
  const auto of = [](auto& quantity) { return PlaceOfStart{&quantity.initial, &quantity.start, nullptr}; };
  return leaf.leaf == LeafKind::speed ? of(model_.speed(leaf.a)) : of(model_.coordinate(leaf.a));
}

// Makes an initial value hard, as `=` in `init`: nothing moves it when the model is assembled.
void InitialValues::harden(const std::string& path) {
  const VariedStart* start = shared_.overrides.start(path);
  if (!start || !start->target.valid() || !start->why.empty()) return;
  const PlaceOfStart place = place_of(start->target);
  if (place.start) *place.start = Start{true, false};
  if (place.given) *place.given = true;
  const bool said = std::find(said_.begin(), said_.end(), start->target) != said_.end();
  if (start->of_instance && !said) said_.push_back(start->target);
}

// Returns the constraint that gives a coordinate, and with it its speed, a value of its own: a row that is always
// there and depends on nothing else. Returns "" if there is none.
std::string InitialValues::row_of(NodeId target) const {
  const Node leaf = model_.graph.node(target);
  if (leaf.op != Op::leaf || (leaf.leaf != LeafKind::coordinate && leaf.leaf != LeafKind::speed)) return "";
  const std::optional<std::uint32_t> coordinate =
      leaf.leaf == LeafKind::coordinate ? leaf.a : model_.speed(leaf.a).coordinate;
  for (const Equation& row : model_.equations) {
    if (row.level != Level::position || row.of_body) continue;
    bool only = false;
    for (const Node& n : graph::leaves(model_.graph, row.residual)) {
      only = n.leaf == LeafKind::param || (n.leaf == LeafKind::coordinate && n.a == coordinate);
      if (!only) break;
    }
    const std::string name = model_.constraints[row.constraint].name.text();
    const auto switches = [&](const Held& h) { return h.variable.name == name + ".enabled"; };
    if (only && std::none_of(model_.held.begin(), model_.held.end(), switches)) return row.name.text();
  }
  return "";
}

}  // namespace mbc::sema
