// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/settings.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/diagnostics/render.h"
#include "base/numbers.h"

namespace mbc::sema {

namespace {

// What a number given as an argument may be.
enum class Range : std::uint8_t {
  fraction,  // a pure number between 0 and 1
  positive,  // a pure number above 0
  rate,      // above 0, a pure number (per unit of time) or with the dimension 1/time
  time       // a time above 0
};

struct NumberArgument {
  const char* name;
  Range range = Range::fraction;
};

struct Method {
  const char* name;
  std::vector<NumberArgument> numbers;  // arguments `key = value`
  std::vector<const char*> words;       // arguments that are words; a word given excludes the numbers
};

const std::vector<Method>& methods(const std::string& key) {
  static const std::map<std::string, std::vector<Method>> table = {
      {"integrator",
       {{"rk4", {}, {}},
        {"ab4", {}, {}},
        {"dopri5",
         {{"rtol"}, {"atol", Range::positive}, {"max_step", Range::time}, {"initial_step", Range::time}},
         {"fixed"}}}},
      {"formulation",
       {{"udwadia_kalaba", {{"rank_tol"}}, {"literal"}},
        {"augmented", {{"rank_tol"}}, {}},
        {"projection", {{"rank_tol"}}, {}},
        {"lagrange", {{"rank_tol"}}, {}},
        {"maggi", {{"rank_tol"}}, {}},
        {"kane", {{"rank_tol"}}, {}},
        {"gibbs_appell", {{"rank_tol"}}, {}},
        {"volterra", {{"rank_tol"}}, {}},
        {"efficient_volterra", {{"rank_tol"}}, {}},
        {"routh", {{"rank_tol"}}, {}},
        {"boltzmann_hamel", {{"rank_tol"}}, {}}}},
      {"stabilise",
       {{"project", {{"tol"}}, {}},
        {"none", {}, {}},
        {"baumgarte", {{"alpha", Range::rate}, {"beta", Range::rate}}, {}},
        {"partition", {{"tol"}}, {}}}},
      {"bodies", {{"quaternion", {}, {}}, {"euler_parameters", {}, {}}, {"natural", {}, {}}}},
  };
  return table.at(key);
}

class Settings {
 public:
  Settings(const Scope& scope, Model& model, Evaluator& evaluator, Sink& sink)
      : scope_(scope), model_(model), evaluator_(evaluator), sink_(sink) {}

  Simulation made;

  void set(const std::string& key, Span key_span, const ast::Expr* value) {
    if (key == "integrator") return choice(key, key_span, value, made.integrator);
    if (key == "formulation") return choice(key, key_span, value, made.formulation);
    if (key == "stabilise") return choice(key, key_span, value, made.stabilise);
    if (key == "assemble") return assemble(key_span, value);
    if (key == "bodies") return bodies(key_span, value);
    if (!value) {
      sink_.report(Kind::setting_value, key_span, printable(key), std::string("given: `" + printable(key) + " = ...`"));
      return;
    }
    if (key == "time") return time(*value);
    if (key == "time.begin") return number(*value, "the beginning of `time`", made.begin);
    if (key == "time.end") return number(*value, "the end of `time`", made.end);
    if (key == "time.step") return number(*value, "the step of `time`", made.step);
    if (key == "save") return save(*value);
    const std::vector<std::string> known{"time", "integrator", "formulation", "stabilise",
                                         "save", "assemble",   "bodies"};
    Diagnostic& d = sink_.report(Kind::unknown_setting, key_span, printable(key), std::string("`simulate`"));
    const std::string near = nearest(key, known);
    d.hint(near.empty() ? "the settings are time, integrator, formulation, bodies, stabilise, save, assemble"
                        : "did you mean `" + near + "`?");
  }

  // begin, end and step fit together: done last, so that overrides of parts are in.
  void check_time() {
    if (broken_) return;
    const auto bad = [&](const std::string& text) -> Diagnostic& {
      return sink_.report(Kind::time_span, made.time_span, text);
    };
    if (!std::isfinite(made.begin) || !std::isfinite(made.end) || !std::isfinite(made.step)) {
      if (!sink_.has_errors()) bad("the time span is not finite");  // a parameter that is not finite was said already
      return;
    }
    if (!(made.end > made.begin)) {
      bad("the end of the time span is not after its beginning: " + shown(made.begin) + " .. " + shown(made.end));
      return;
    }
    if (!(made.step > 0)) {
      bad("the step of the time span is not positive: " + shown(made.step));
      return;
    }
    const double steps = (made.end - made.begin) / made.step, whole = std::round(steps);
    if (steps > 1e9)
      bad("the time span has " + (std::isfinite(steps) ? shown(steps) : "more than 1e308") +
          " steps; at most 1e9 are possible");
    else if (std::fabs(steps - whole) > 1e-6 || whole < 1)
      bad("the time span is not a whole number of steps: " + shown(made.end - made.begin) + " / " + shown(made.step) +
          " = " + shown(steps))
          .hint("`count " + shown(std::max(1.0, whole)) + "` in place of the step divides it evenly");
    else if (made.step < 1e-12 * std::max(std::fabs(made.begin), std::fabs(made.end)))
      bad("the step " + shown(made.step) + " is lost in the digits of the time " +
          shown(std::max(std::fabs(made.begin), std::fabs(made.end))));
  }

  bool has_time = false;

 private:
  static std::string shown(double x) { return text::short_number(x, 10); }

  void number(const ast::Expr& e, const std::string& what, double& out) { broken_ |= !read_number(e, what, out); }

  bool read_number(const ast::Expr& e, const std::string& what, double& out) {
    const Value v = evaluator_.evaluate(e, scope_);
    if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what)) return false;
    if (from_outside && !model_.has_units && !v.type.dimension.dimensionless()) {
      sink_.report(Kind::override_value, e.span, printable(path), std::string("the model has no units"));
      return false;
    }
    const bool bare = v.type.dimension.dimensionless() && evaluator_.number(v).has_value() && from_outside;
    if (!bare && !evaluator_.expect_dimension(v, time_dimension(), what)) return false;
    note_params(v.node());
    out = constant_values(model_, {v.node()}, parameter_values(model_))[0];
    return true;
  }

  void note_params(NodeId node) {
    for (NodeId id : graph::leaves(model_.graph, {&node, 1}))
      if (model_.graph.node(id).leaf == graph::LeafKind::param) made.params.push_back(model_.graph.node(id).a);
  }

  void time(const ast::Expr& e) {
    made.time_span = e.span;
    has_time = true;
    const auto* range = std::get_if<ast::Range>(&e.node);
    if (!range || !range->lo || !range->hi || (!range->step && !range->count)) {
      sink_.report(Kind::time_setting, e.span);
      return;
    }
    number(*range->lo, "the beginning of `time`", made.begin);
    number(*range->hi, "the end of `time`", made.end);
    if (range->step) number(*range->step, "the step of `time`", made.step);
    if (range->count) count(*range->count);
  }

  void count(const ast::Expr& e) {
    const Value v = evaluator_.evaluate(e, scope_);
    const std::optional<double> n = evaluator_.number(v);
    if (n && *n >= 1 && *n == std::floor(*n) && v.type.dimension.dimensionless()) {
      made.step = (made.end - made.begin) / *n;
      return;
    }
    broken_ = true;
    if (!v.invalid())
      sink_.report(Kind::setting_value, e.span, std::string("count"), std::string("a whole number of steps"));
  }

  void save(const ast::Expr& e) {
    const auto* text = std::get_if<ast::String>(&e.node);
    if (!text || text->text.empty())
      sink_.report(Kind::setting_value, e.span, std::string("save"), std::string("a file name in quotes"));
    else
      made.save = text->text;
  }

  void assemble(Span key_span, const ast::Expr* value) {
    if (value) {
      sink_.report(Kind::setting_value, key_span, std::string("assemble"),
                   std::string("absent: the word alone asks for it"));
      return;
    }
    made.assemble = true;
  }

  void bodies(Span key_span, const ast::Expr* value) {
    choice("bodies", key_span, value, made.bodies);
    if (model_.space == 2 && made.bodies.written)
      sink_.report(Kind::body_argument_unfit, key_span, std::string("bodies"),
                   std::string("bodies in `space 2` have x, y and an angle"));
  }

  void choice(const std::string& key, Span key_span, const ast::Expr* value, Choice& out) {
    const ast::Call* call = value ? std::get_if<ast::Call>(&value->node) : nullptr;
    const ast::Name* name = value ? std::get_if<ast::Name>(&value->node) : nullptr;
    if (call) name = std::get_if<ast::Name>(&call->callee->node);
    if (!name) {
      sink_.report(Kind::setting_value, value ? value->span : key_span, key, std::string("the name of a method"))
          .hint("the choices are " + choices(key));
      return;
    }
    std::vector<std::string> known;
    for (const Method& m : methods(key)) {
      known.emplace_back(m.name);
      if (name->text != m.name) continue;
      out.name = name->text;
      out.span = value->span;
      out.written = true;
      out.arguments.clear();
      if (call) arguments(*call, m, out);
      return;
    }
    Diagnostic& d = sink_.report(Kind::unknown_choice, value->span, printable(name->text), "`" + key + "`");
    const std::string near = nearest(name->text, known);
    d.hint(near.empty() ? "the choices are " + choices(key) : "did you mean `" + near + "`?");
  }

  static std::string choices(const std::string& key) {
    std::string list;
    for (const Method& m : methods(key)) list += (list.empty() ? "" : ", ") + std::string(m.name);
    return list;
  }

  void arguments(const ast::Call& call, const Method& method, Choice& out) {
    for (const ast::Argument& a : call.args) {
      const auto* word = a.name.empty() ? std::get_if<ast::Name>(&a.value->node) : nullptr;
      const std::string& given = word ? word->text : a.name;
      const NumberArgument* number = nullptr;
      bool is_word = false;
      if (word)
        for (const char* w : method.words) is_word |= given == w;
      else
        for (const NumberArgument& n : method.numbers)
          if (given == n.name) number = &n;
      if (is_word) {
        add(given, 1.0, a.value->span, out);
      } else if (number) {
        argument(*number, *a.value, out);
      } else if (given.empty() && method.numbers.size() == 1 && call.args.size() == 1) {
        argument(method.numbers[0], *a.value, out);  // project(1e-12): the number stands for the only one there is
      } else if (given.empty()) {
        sink_.report(Kind::wrong_arity, a.value->span, std::string(method.name), accepted(method),
                     std::to_string(call.args.size()));
        return;
      } else {
        sink_
            .report(Kind::unknown_argument, word ? a.value->span : a.name_span, std::string(method.name),
                    printable(given))
            .hint("it takes " + accepted(method));
      }
    }
    // dopri5(fixed, rtol = 1e-6): a step that is given has no tolerance to keep
    if (std::string_view(method.name) == "dopri5" && out.arguments.size() > 1)
      for (const auto& [name, unused] : out.arguments)
        if (name == "fixed")
          sink_.report(Kind::setting_value, out.span, std::string("integrator"),
                       std::string("`dopri5(fixed)` or `dopri5` with tolerances: a fixed step has none"));
  }

  static std::string accepted(const Method& method) {
    std::string list;
    for (const NumberArgument& n : method.numbers)
      list += (list.empty() ? "`" : ", `") + std::string(n.name) + " = ...`";
    for (const char* w : method.words) list += (list.empty() ? "`" : ", `") + std::string(w) + "`";
    return list.empty() ? "no arguments" : list;
  }

  void add(const std::string& name, double value, Span span, Choice& out) {
    for (const auto& [other, unused] : out.arguments)
      if (other == name) sink_.report(Kind::duplicate_setting, span, name);
    out.arguments.emplace_back(name, value);
  }

  void argument(const NumberArgument& wanted, const ast::Expr& e, Choice& out) {
    const Value v = evaluator_.evaluate(e, scope_);
    const std::string what = "`" + std::string(wanted.name) + "`";
    if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what)) return;
    const bool pure = v.type.dimension.dimensionless();
    if (from_outside && !model_.has_units && !pure) {
      sink_.report(Kind::override_value, e.span, printable(path), std::string("the model has no units"));
      return;
    }
    const bool may_be_pure = wanted.range == Range::rate || (from_outside && evaluator_.number(v).has_value());
    Dimension dimension;
    if (wanted.range == Range::time) dimension = time_dimension();
    if (wanted.range == Range::rate) dimension = Dimension{} / time_dimension();
    if (!(pure && may_be_pure) && !evaluator_.expect_dimension(v, dimension, what)) return;
    note_params(v.node());
    const double x = constant_values(model_, {v.node()}, parameter_values(model_))[0];
    const bool fraction = wanted.range == Range::fraction;
    if (!(x > 0) || !(fraction ? x < 1 : std::isfinite(x))) {
      sink_.report(Kind::setting_value, e.span, std::string(wanted.name),
                   std::string(fraction ? "a number between 0 and 1" : "a number above 0"));
      return;
    }
    add(wanted.name, x, e.span, out);
  }

 public:
  bool from_outside = false;
  std::string path;  // then: the one of `--set`

 private:
  bool broken_ = false;  // a part of `time` was not understood
  const Scope& scope_;
  Model& model_;
  Evaluator& evaluator_;
  Sink& sink_;
};

}  // namespace

std::vector<std::string> method_names(const std::string& key) {
  std::vector<std::string> names;
  for (const Method& m : methods(key)) names.emplace_back(m.name);
  return names;
}

Simulation simulation(const ast::Simulate& s, Span span, const Scope& scope, Model& model, Evaluator& evaluator,
                      const std::vector<Override>& overrides, Sink& sink) {
  Settings settings(scope, model, evaluator, sink);
  settings.made.name = s.name.name;
  settings.made.span = s.name.name.empty() ? span : s.name.span;
  settings.made.time_span = settings.made.span;
  settings.made.integrator.name = "rk4";
  settings.made.formulation.name = "udwadia_kalaba";
  settings.made.stabilise.name = "project";
  settings.made.bodies.name = to_text(Representation::quaternion);
  const std::size_t errors = sink.error_count();
  for (const Simulation& other : model.simulations)
    if (other.name == s.name.name) {
      const bool anonymous = other.name.empty();
      Diagnostic& d = sink.report(anonymous ? Kind::repeated_statement : Kind::duplicate_name, settings.made.span,
                                  anonymous ? std::string("simulate") : printable(other.name));
      d.label(other.span, anonymous ? "the first" : "first declared here");
      if (anonymous) d.hint("give each a name, `simulate fine { ... }`");
    }
  std::map<std::string, Span> seen;
  for (const ast::Setting& setting : s.settings) {
    const auto [it, fresh] = seen.try_emplace(setting.key, setting.key_span);
    if (!fresh) {
      sink.report(Kind::duplicate_setting, setting.key_span, printable(setting.key))
          .label(it->second, "first set here");
      continue;
    }
    settings.set(setting.key, setting.key_span, setting.value.get());
  }
  settings.from_outside = true;
  static const char* keys[] = {"time",        "time.begin", "time.end", "time.step", "integrator",
                               "formulation", "stabilise",  "save",     "bodies"};
  for (const Override& o : overrides)
    for (const char* key : keys) {
      const Symbol* symbol = scope.find(key).symbol;  // a parameter `save` hides the setting of that name
      const bool here = o.path == s.name.name + "." + key || (o.path == key && !symbol);
      if (!here) continue;
      o.used = true;
      settings.path = o.path;
      settings.set(key, o.span, o.value);
    }
  if (!settings.has_time && sink.error_count() == errors)
    sink.report(Kind::setting_missing, settings.made.span, std::string("time"))
        .hint("write `time = 0 .. 10 step 0.001`");
  else if (sink.error_count() == errors)
    settings.check_time();
  return settings.made;
}

}  // namespace mbc::sema
