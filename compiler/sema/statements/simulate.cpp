// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/simulate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <type_traits>

#include "base/least_tolerance.h"
#include "base/numbers.h"
#include "base/settings.h"
#include "base/text.h"
#include "compiler/sema/statements/input_signals.h"
#include "compiler/sema/statements/statement.h"
#include "compiler/sema/statements/time_span.h"

namespace mbc::sema {

namespace {

using settings::ArgumentInfo;
using settings::ChoiceInfo;
using settings::Key;
using settings::Range;

std::string joined(std::span<const ChoiceInfo> choices) {
  std::string list;
  for (const ChoiceInfo& c : choices) list += (list.empty() ? "" : ", ") + std::string(c.name);
  return list;
}

bool is_number(const ArgumentInfo& a) { return a.range != Range::word; }

// "`tol = ...`, `fixed`"
std::string accepted(const ChoiceInfo& choice) {
  std::string list;
  for (const ArgumentInfo& a : choice.arguments)
    list +=
        (list.empty() ? "`" : ", `") + std::string(settings::to_text(a.argument)) + (is_number(a) ? " = ...`" : "`");
  return list.empty() ? "no arguments" : list;
}

// Returns whether `rows` lists times. Words (`steps`, `events`, unknown names), calls and strings are no lists.
bool is_list_of_rows(const ast::Expr* value) {
  return value && !std::holds_alternative<ast::Name>(value->node) && !std::holds_alternative<ast::Call>(value->node) &&
         !std::holds_alternative<ast::String>(value->node);
}

class Settings {
 public:
  Settings(const Scope& scope, Model& model, Evaluator& evaluator, Sink& sink)
      : scope_(scope), model_(model), evaluator_(evaluator), sink_(sink) {
    made.integrator.method = settings::usual_integrator();
    made.bodies.method = settings::usual_representation();
  }

  Simulation made;
  bool has_time = false;
  bool lists_rows = false;  // somewhere in the block

  // From here on values come from `--set`, and bare numbers are in SI units.
  void from_outside(const std::string& path) {
    outside_ = true;
    path_ = path;
    for_all_ = for_all_ || path.starts_with("time.");
  }

  // Takes the signal of an input that `--set BLOCK.input.NAME` gives.
  void signal_from_outside(const std::string& name, Span span, const ast::Expr* value) {
    if (value) input(name, span, *value);
  }

  void set(const std::string& key, Span key_span, const ast::Expr* value) {
    const std::optional<Key> known = settings::key_named(key);
    if (known) switch (*known) {
        case Key::integrator:
          return choose(*known, key_span, value, made.integrator);
        case Key::formulation:
          return choose(*known, key_span, value, made.formulation);
        case Key::stabilise:
          return choose(*known, key_span, value, made.stabilise);
        case Key::at_singular:
          return choose(*known, key_span, value, made.at_singular);
        case Key::kinks:
          return choose(*known, key_span, value, made.kinks);
        case Key::rows:
          return rows(key_span, value);
        case Key::impact:
          return choose(*known, key_span, value, made.impact);
        case Key::contact:
          return choose(*known, key_span, value, made.contact);
        case Key::reactions:
          return choose(*known, key_span, value, made.reactions);
        case Key::bodies:
          return bodies(key_span, value);
        case Key::assemble:
          return assemble(key_span, value);
        case Key::time:
        case Key::save:
          break;
      }
    if (value && key.starts_with(kInputPrefix))
      return input(key.substr(std::string(kInputPrefix).size()), key_span, *value);
    if (!value)
      return void(sink_.report(Kind::setting_value, key_span, printable(key), "given: `" + printable(key) + " = ...`"));
    if (known) return *known == Key::time ? time(*value) : save(*value);
    if (key == "time.begin") return number(*value, "the beginning of `time`", made.begin);
    if (key == "time.end") return number(*value, "the end of `time`", made.end);
    if (key == "time.step") {
      span_.has_step = true;
      if (outside_) span_.row_times.clear();
      return number(*value, "the step of `time`", made.step);
    }
    Diagnostic& d = sink_.report(Kind::unknown_setting, key_span, printable(key), "`simulate`");
    d.hint(where_it_stands(key));
  }

  // Returns the hint for an unknown setting.
  static std::string where_it_stands(const std::string& key) {
    if (key == "step" || key == "count")
      return "it stands behind the span: `time = 0 .. 10 " + key + (key == "step" ? " 0.01`" : " 1000`");
    if (key == "tol" || key == "tolerance") return "it goes with the method: `integrator = auto(tol = 1e-6)`";
    if (key == "rtol" || key == "atol")
      return "it goes with the method: `integrator = dopri5(rtol = 1e-8, atol = 1e-10)`";
    return did_you_mean(key, settings::keys(), "the settings are " + mbc::joined(settings::keys()));
  }

  [[nodiscard]] bool for_all() const { return for_all_; }

  // Runs last, when overrides of parts are read.
  void check_time() {
    const std::string of_all = "`--set` gives it to all blocks; `--set " + block_path() + "...` to this one";
    if (!broken_) check_time_span(span_, for_all_ ? of_all : "", made, sink_);
  }

 private:
  // Checks the signal of an input. The block that shapes the model has read its signals already; those of other blocks
  // are checked here.
  void input(const std::string& name, Span name_span, const ast::Expr& value) {
    const std::uint32_t known = model_.input_named(name);
    if (known == model_.inputs.size()) {
      std::vector<std::string> names;
      for (const Input& i : model_.inputs) names.push_back(i.name);
      sink_.report(Kind::input_unknown, name_span, printable(name)).hint(did_you_mean(name, names));
      return;
    }
    made.inputs.push_back(name);
    const std::vector<std::string>& read = model_.signals.inputs;
    if (model_.signals.block == made.name && std::find(read.begin(), read.end(), name) != read.end()) return;
    const std::optional<InputSignal> signal = read_signal(value, name, scope_, evaluator_, sink_);
    if (!signal) return;
    Value v = signal->value;
    v.type = signal->type;
    if (v.type.dimension.dimensionless()) return;  // in the unit of the declaration
    evaluator_.expect_dimension(v, model_.inputs[known].dimension, "the signal of the input " + quoted(name));
  }

  void number(const ast::Expr& e, const std::string& what, double& out) { broken_ |= !read_number(e, what, out); }

  bool read_number(const ast::Expr& e, const std::string& what, double& out) {
    const Value v = evaluator_.evaluate(e, scope_);
    if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what)) return false;
    if (unit_without_units(v, e.span)) return false;
    const bool bare = v.type.dimension.dimensionless() && evaluator_.number(v).has_value() && outside_;
    if (!bare && !evaluator_.expect_dimension(v, time_dimension(), what)) return false;
    out = value_of(v);
    return true;
  }

  bool unit_without_units(const Value& v, Span span) {
    if (!outside_ || model_.has_units || v.type.dimension.dimensionless()) return false;
    sink_.report(Kind::override_value, span, printable(path_), "the model has no units");
    return true;
  }

  double value_of(const Value& v) {
    const NodeId node = v.node();
    for (const Node& n : graph::leaves(model_.graph, node))
      if (n.leaf == LeafKind::param) made.params.push_back(n.a);
    return constant_values(model_, {node}, parameter_values(model_))[0];
  }

  void time(const ast::Expr& e) {
    made.time_span = e.span;
    has_time = true;
    const auto* range = std::get_if<ast::Range>(&e.node);
    span_.has_step = range && (range->step || range->count);
    if (outside_ && span_.has_step) span_.row_times.clear();
    if (!range || !range->lo || !range->hi || !(span_.has_step || lists_rows || !span_.row_times.empty()))
      return void(sink_.report(Kind::time_setting, e.span));
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
    if (!v.invalid()) sink_.report(Kind::setting_value, e.span, "count", "a whole number of steps");
  }

  // Reads `steps`, `events`, or the times themselves.
  void rows(Span key_span, const ast::Expr* value) {
    span_.row_times.clear();
    if (!is_list_of_rows(value)) return choose(Key::rows, key_span, value, made.rows);
    span_.rows_span = value->span;
    if (outside_) span_.has_step = false;
    for_all_ = for_all_ || (outside_ && path_ == "rows");
    if (const auto* list = std::get_if<ast::Tuple>(&value->node)) {
      for (const ast::ExprPtr& e : list->elements) row_time(*e);
      return;
    }
    if (const auto* list = std::get_if<ast::Measured>(&value->node);
        list && std::holds_alternative<ast::Tuple>(list->value->node)) {
      const Value v = evaluator_.evaluate(*value, scope_);
      broken_ |= v.invalid() || !evaluator_.expect_constant(v, "a time of `rows`") ||
                 !evaluator_.expect_dimension(v, time_dimension(), "a time of `rows`");
      if (broken_) return;
      for (const double t : constant_values(model_, v.nodes, parameter_values(model_)))
        span_.row_times.emplace_back(t, value->span);
      return;
    }
    row_time(*value);
  }

  void row_time(const ast::Expr& e) {
    double t = 0;
    number(e, "a time of `rows`", t);
    span_.row_times.emplace_back(t, outside_ ? span_.rows_span : e.span);
  }

  void save(const ast::Expr& e) {
    const auto* text = std::get_if<ast::String>(&e.node);
    if (!text || text->text.empty())
      sink_.report(Kind::setting_value, e.span, "save", "a file name in quotes");
    else {
      made.save = text->text;
      made.save_span = outside_ ? Span{} : e.span;
    }
  }

  void assemble(Span key_span, const ast::Expr* value) {
    if (value)
      return void(sink_.report(Kind::setting_value, key_span, "assemble", "absent: the word alone asks for it"));
    made.assemble = true;
  }

  void bodies(Span key_span, const ast::Expr* value) {
    choose(Key::bodies, key_span, value, made.bodies);
    const Representation r = made.bodies.method;
    const bool turns = r == Representation::euler_parameters || r == Representation::natural;
    if (model_.space == 2 && turns && made.bodies.written)
      sink_.report(Kind::body_argument_unfit, key_span, "bodies", "bodies in `space 2` have x, y and an angle");
  }

  template <class Method>
  void choose(Key key, Span key_span, const ast::Expr* value, Choice<Method>& out) {
    if (const std::optional<std::size_t> index = choice(key, key_span, value, out))
      out.method = static_cast<Method>(*index);
    if constexpr (std::is_same_v<Method, settings::Integrator>)
      tolerances_have_digits(out, settings::least_tolerance(out.method));
  }

  void tolerances_have_digits(const Arguments& integrator, double least) {
    for (const auto& [argument, value] : integrator.given)
      if ((argument == settings::Argument::rtol || argument == settings::Argument::tol) && value < least)
        sink_
            .report(Kind::setting_value, integrator.span, settings::to_text(argument),
                    "at least " + text::short_number(least, 1))
            .hint("numbers have 16 digits: what is asked for below that is met by none");
  }

  // Returns which of the choices is named; reports an unknown one.
  std::optional<std::size_t> choice(Key key, Span key_span, const ast::Expr* value, Arguments& out) {
    const std::string name_of_key = settings::to_text(key);
    const std::span<const ChoiceInfo> choices = settings::choices(key);
    const ast::Call* call = value ? std::get_if<ast::Call>(&value->node) : nullptr;
    const ast::Name* name = value ? std::get_if<ast::Name>(&value->node) : nullptr;
    if (call) name = std::get_if<ast::Name>(&call->callee->node);
    if (!name)
      return mbc::refuse(sink_, Kind::setting_value, value ? value->span : key_span, name_of_key,
                         "the name of a method")
          .hint("the choices are " + joined(choices));
    std::vector<std::string> known;
    for (std::size_t k = 0; k < choices.size(); ++k) {
      known.emplace_back(choices[k].name);
      if (name->text != choices[k].name) continue;
      out = Arguments{{}, value->span, true};
      if (call) arguments(*call, choices[k], out);
      return k;
    }
    return mbc::refuse(sink_, Kind::unknown_choice, value->span, printable(name->text), "`" + name_of_key + "`")
        .hint(did_you_mean(name->text, known, "the choices are " + joined(choices)));
  }

  void arguments(const ast::Call& call, const ChoiceInfo& choice, Arguments& out) {
    for (const ast::Argument& a : call.args) {
      const auto* word = a.name.empty() ? std::get_if<ast::Name>(&a.value->node) : nullptr;
      const std::string& given = word ? word->text : a.name;
      if (const ArgumentInfo* known = argument_of(choice, given, word != nullptr)) {
        if (word)
          add(*known, 1.0, a.value->span, out);
        else
          read_argument(*known, *a.value, out);
      } else if (given.empty() && single_number(choice) && call.args.size() == 1) {
        read_argument(choice.arguments[0], *a.value, out);  // project(1e-12)
      } else if (given.empty()) {
        sink_.report(Kind::wrong_arity, a.value->span, choice.name, accepted(choice), std::to_string(call.args.size()));
        return;
      } else {
        sink_.report(Kind::unknown_argument, word ? a.value->span : a.name_span, choice.name, printable(given))
            .hint("it takes " + accepted(choice));
      }
    }
    // dopri5(fixed, rtol = 1e-6): a fixed step has no tolerance
    if (out.given.size() < 2) return;
    for (const auto& [argument, unused] : out.given)
      if (argument == settings::Argument::fixed)
        sink_.report(Kind::setting_value, out.span, "integrator",
                     "`" + std::string(choice.name) + "(fixed)` or `" + choice.name +
                         "` with tolerances: a fixed step has none");
  }

  static const ArgumentInfo* argument_of(const ChoiceInfo& choice, const std::string& name, bool word) {
    for (const ArgumentInfo& a : choice.arguments)
      if (name == settings::to_text(a.argument) && word == !is_number(a)) return &a;
    return nullptr;
  }

  // Returns whether there is only one numeric argument, which comes first; a number without a name then is its value.
  static bool single_number(const ChoiceInfo& choice) {
    return std::count_if(choice.arguments.begin(), choice.arguments.end(), is_number) == 1;
  }

  void add(const ArgumentInfo& argument, double value, Span span, Arguments& out) {
    for (const auto& [other, unused] : out.given)
      if (other == argument.argument) sink_.report(Kind::duplicate_setting, span, settings::to_text(argument.argument));
    out.given.emplace_back(argument.argument, value);
  }

  void read_argument(const ArgumentInfo& wanted, const ast::Expr& e, Arguments& out) {
    const Value v = evaluator_.evaluate(e, scope_);
    const std::string name = settings::to_text(wanted.argument), what = "`" + name + "`";
    if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what)) return;
    if (unit_without_units(v, e.span)) return;
    const bool may_be_pure = wanted.range == Range::rate || (outside_ && evaluator_.number(v).has_value());
    Dimension dimension;
    if (wanted.range == Range::time) dimension = time_dimension();
    if (wanted.range == Range::rate) dimension = Dimension{} / time_dimension();
    const bool pure = v.type.dimension.dimensionless();
    if (!(pure && may_be_pure) && !evaluator_.expect_dimension(v, dimension, what)) return;
    const double x = value_of(v);
    const bool fraction = wanted.range == Range::fraction;
    if (!(x > 0) || !(fraction ? x < 1 : std::isfinite(x)))
      return void(
          sink_.report(Kind::setting_value, e.span, name, fraction ? "a number between 0 and 1" : "a number above 0"));
    add(wanted, x, e.span, out);
  }

  [[nodiscard]] std::string block_path() const { return made.name.empty() ? "" : printable(made.name) + ".time."; }

  bool outside_ = false;
  bool for_all_ = false;  // `--set` gives a part of `time` to all blocks
  std::string path_;      // of the value from `--set`
  bool broken_ = false;   // a part of `time` has a mistake
  TimeSpan span_;
  const Scope& scope_;
  Model& model_;
  Evaluator& evaluator_;
  Sink& sink_;
};

void check_name(const Model& model, const std::string& name, Span span, Sink& sink) {
  const auto& list = model.simulations;
  const auto first = std::find_if(list.begin(), list.end(), [&](const Simulation& s) { return s.name == name; });
  if (first == list.end()) return;
  const bool anonymous = name.empty();
  Diagnostic& d = sink.report(anonymous ? Kind::repeated_statement : Kind::duplicate_name, span,
                              anonymous ? std::string("simulate") : printable(name));
  d.label(first->span, anonymous ? "the first" : "first declared here");
  if (anonymous) d.hint("give each a name, `simulate fine { ... }`");
}

void set_from_outside(const ast::Simulate& s, const Scope& scope, const std::vector<Override>& overrides,
                      Settings& made) {
  std::vector<std::string> keys = settings::keys_to_set();
  keys.emplace_back(settings::to_text(Key::time));
  const std::string inputs = s.name.name + "." + kInputPrefix;
  for (const Override& o : overrides) {
    if (!s.name.name.empty() && o.path.starts_with(inputs)) {
      o.used = true;
      made.signal_from_outside(o.path.substr(inputs.size()), o.span, o.value);
    }
    for (const std::string& key : keys) {
      const Symbol* symbol = scope.find(key).symbol;  // a parameter `save` hides the setting of that name
      const bool here = o.path == s.name.name + "." + key || (o.path == key && !symbol);
      if (!here) continue;
      o.used = true;
      made.from_outside(o.path);
      made.set(key, o.span, o.value);
    }
  }
}

// Returns where a block has given a setting already, by its key or, for a part of `time`, by the whole span; else null.
const Span* set_before(const std::map<std::string, Span>& seen, const std::string& key) {
  const std::string whole = settings::to_text(Key::time), part = whole + ".";
  for (const auto& [other, span] : seen)
    if (other == key || (other == whole && key.starts_with(part)) || (key == whole && other.starts_with(part)))
      return &span;
  return nullptr;
}

// Reports settings that the steps through impacts do not support.
void check_time_steps(const Simulation& s, const std::map<std::string, Span>& seen, Sink& sink) {
  const auto refuse = [&](const char* key, const std::string& what, const char* hint) {
    const auto at = seen.find(key);
    sink.report(Kind::timestep_unfit, at == seen.end() ? s.span : at->second, "`" + what + "`").hint(hint);
  };
  if (s.integrator.written)
    refuse("integrator", "integrator", "its steps are those of `time`, by a method of their own");
  if (s.kinks.written && s.kinks.method == settings::Kinks::locate)
    refuse("kinks", "kinks = locate", "no step ends where a function changes its branch: leave it out");
  if (s.rows.method == settings::Rows::events)
    refuse("rows", "rows = events", "no step ends at an impact: leave it out");
  if (s.impact.method == settings::Impact::poisson) refuse("impact", "impact = poisson", "take `newton` or `moreau`");
  if (s.reactions.method == settings::Reactions::unique)
    refuse("reactions", "reactions = unique", "steps of fixed size take the smallest reactions: leave it out");
}

}  // namespace

Simulation simulation(const ast::Simulate& s, Span span, const Scope& scope, Model& model, Evaluator& evaluator,
                      const std::vector<Override>& overrides, Sink& sink) {
  Settings settings(scope, model, evaluator, sink);
  settings.made.name = s.name.name;
  settings.made.span = s.name.name.empty() ? span : s.name.span;
  settings.made.time_span = settings.made.span;
  const std::size_t errors = sink.error_count();
  check_name(model, s.name.name, settings.made.span, sink);
  for (const ast::Setting& setting : s.settings)
    settings.lists_rows |= setting.key == mbc::settings::to_text(Key::rows) && is_list_of_rows(setting.value.get());
  std::map<std::string, Span> seen;
  for (const ast::Setting& setting : s.settings) {
    if (const Span* first = set_before(seen, setting.key)) {
      sink.report(Kind::duplicate_setting, setting.key_span, printable(setting.key)).label(*first, "first set here");
      continue;
    }
    seen.emplace(setting.key, setting.key_span);
    settings.set(setting.key, setting.key_span, setting.value.get());
  }
  set_from_outside(s, scope, overrides, settings);
  if (!settings.has_time && sink.error_count() == errors)
    sink.report(Kind::setting_missing, settings.made.span, "time").hint("write `time = 0 .. 10 step 0.001`");
  else if (sink.error_count() == errors)
    settings.check_time();
  if (settings.made.contact.method == settings::Contact::timestep && sink.error_count() == errors)
    check_time_steps(settings.made, seen, sink);
  if (std::optional<Diagnostic>& unfit = settings.made.unfit; unfit && !settings.for_all()) {
    sink.add(*unfit);
    unfit.reset();
  }
  return settings.made;
}

}  // namespace mbc::sema
