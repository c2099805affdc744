// SPDX-License-Identifier: Apache-2.0
// `sweep` blocks, and what `mbc sweep` adds to them: which parameters and inputs are varied over which values, and what
// is recorded of each run. Like the sides of checks, recorded expressions are values behind the outputs of the runs.
#include <cmath>
#include <limits>
#include <set>

#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "compiler/sema/elaborator.h"

namespace mbc::sema {

namespace {

constexpr double kMaxMembers = 1e7;

std::string shown(double x) { return text::short_number(x, 10); }

// "max_over( E )", over several lines, as one line.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

// Parameters whose value depends on one of these, and these themselves.
std::set<std::uint32_t> with_dependents(const Model& model, std::set<std::uint32_t> params) {
  for (std::uint32_t k = 0; k < model.params.size(); ++k)  // each is an expression of earlier ones
    for (NodeId id : graph::leaves(model.graph, {&model.params[k].value, 1}))
      if (model.graph.node(id).leaf == graph::LeafKind::param && params.contains(model.graph.node(id).a))
        params.insert(k);
  return params;
}

}  // namespace

double Varied::value(std::uint64_t k) const {
  if (!list.empty()) return list[k];
  if (k + 1 == count && count > 1) return end;
  return count < 2 ? begin : begin + (end - begin) * static_cast<double>(k) / static_cast<double>(count - 1);
}

std::uint64_t Sweep::members() const {
  std::uint64_t n = varied.empty() ? 0 : 1;
  for (const Varied& v : varied) n *= v.count;
  return n;
}

void Elaborator::sweeps(const SweepRequest* request) {
  std::vector<SweepText> blocks;
  for (const Final& f : finals_)
    if (const auto* s = std::get_if<ast::Sweep>(&f.statement->node); s && !sink_.full()) {
      std::optional<SweepText> text = sweep_text(*s, f.statement->span, *f.scope);
      if (!text) continue;
      for (const SweepText& other : blocks)
        if (other.name == text->name)
          sink_.report(Kind::duplicate_name, s->name.span, printable(text->name))
              .label(other.span, "first declared here");
      for (const Simulation& run : model_.simulations)
        if (run.name == text->name)
          sink_.report(Kind::duplicate_name, s->name.span, printable(text->name))
              .label(run.span, "a `simulate` block has this name");
      text->span = s->name.span;
      sweep(*text);
      blocks.push_back(std::move(*text));
    }
  if (!request || sink_.has_errors()) return;
  const std::optional<SweepText> text = asked_sweep(*request, blocks);
  if (!text) return;
  for (std::uint32_t k = 0; k < blocks.size(); ++k)
    if (request->vary.empty() && request->records.empty() && blocks[k].name == text->name) model_.asked_sweep = k;
  if (model_.asked_sweep) return;
  model_.asked_sweep = static_cast<std::uint32_t>(model_.sweeps.size());
  sweep(*text);
}

std::optional<Elaborator::SweepText> Elaborator::sweep_text(const ast::Sweep& s, Span span, const Scope& scope) {
  SweepText out{s.name.name, 0, {}, {}, span, &scope};
  std::vector<std::string> known;
  while (out.simulation < model_.simulations.size() && model_.simulations[out.simulation].name != s.over)
    known.push_back(model_.simulations[out.simulation++].name);
  if (out.simulation == model_.simulations.size()) {
    Diagnostic& d = sink_.report(Kind::sweep_over_unknown, s.over_span, printable(s.over));
    const std::string near = nearest(s.over, known);
    d.hint(near.empty() ? "name the run: `simulate " + printable(s.over) + " { ... }`"
                        : "did you mean `" + near + "`?");
    return {};
  }
  for (const ast::Setting& setting : s.settings) out.settings.emplace_back(&setting, false);
  for (const ast::ExprPtr& e : s.records) out.records.push_back(e.get());
  return out;
}

// The block that is asked for, or a sweep over a run that stands on the command line alone; with the ranges given there
// in place of those of the same name, and further ones behind them.
std::optional<Elaborator::SweepText> Elaborator::asked_sweep(const SweepRequest& request,
                                                             const std::vector<SweepText>& blocks) {
  std::string known;
  const SweepText* block = blocks.size() == 1 && request.name.empty() ? &blocks[0] : nullptr;
  for (const SweepText& b : blocks) {
    if (!request.name.empty() && b.name == request.name) block = &b;
    known += (known.empty() ? "`" : ", `") + printable(b.name) + "`";
  }
  const auto refuse_choice = [&](const std::string& why, const std::string& help) {
    sink_.report(Kind::which_sweep, Span{}, why).hint(help);
    return std::nullopt;
  };
  SweepText out{"", 0, {}, {}, {}, &scope_};
  if (block) {
    out = *block;
  } else if (request.name.empty() && !blocks.empty()) {
    return refuse_choice("the file has " + std::to_string(blocks.size()) + " `sweep` blocks: say which one to run",
                         "the blocks are " + known);
  } else {
    std::uint32_t named = 0;
    while (named < model_.simulations.size() && model_.simulations[named].name != request.name) ++named;
    if (request.name.empty() && model_.simulations.size() == 1) named = 0;
    const bool found = named < model_.simulations.size();
    if (!found && !request.name.empty())
      return refuse_choice("there is no `sweep` or `simulate` block `" + printable(request.name) + "`",
                           blocks.empty() ? "" : "the `sweep` blocks are " + known);
    if (request.vary.empty())
      return refuse_choice(found && !request.name.empty()
                               ? "`" + printable(request.name) + "` is a run: say what to vary in it"
                               : "the file has no `sweep` block: say what to vary",
                           "add for example `--vary \"k = 1 .. 2 step 0.1\"`");
    if (model_.simulations.empty())
      return refuse_choice("the file has no `simulate` block, so there is nothing to run",
                           "add for example `simulate { time = 0 .. 10 step 0.001 }`");
    if (!found) {
      std::string runs;
      for (const Simulation& s : model_.simulations)
        runs += (runs.empty() ? "" : ", ") + (s.name.empty() ? std::string("(unnamed)") : printable(s.name));
      return refuse_choice(
          "the file has " + std::to_string(model_.simulations.size()) + " `simulate` blocks: say which one to run",
          "the blocks are " + runs);
    }
    out.simulation = named;
  }
  for (const ast::Setting* s : request.vary) {
    bool done = false;
    for (auto& [setting, outside] : out.settings)
      if (!outside && setting->key == s->key) {
        setting = s;
        done = outside = true;
      }
    if (!done) out.settings.emplace_back(s, true);
  }
  out.records.insert(out.records.end(), request.records.begin(), request.records.end());
  return out;
}

void Elaborator::sweep(const SweepText& text) {
  const std::size_t errors = sink_.error_count();
  Sweep made;
  made.name = text.name;
  made.simulation = text.simulation;
  made.span = text.span;
  range_numbers_.clear();
  std::map<std::string, Span> seen;
  for (const auto& [setting, outside] : text.settings) {
    if (const auto [first, fresh] = seen.try_emplace(setting->key, setting->key_span); !fresh) {
      sink_.report(Kind::duplicate_setting, setting->key_span, printable(setting->key))
          .label(first->second, "first set here");
      continue;
    }
    vary(*setting, outside, text, made);
  }
  double members = 1;
  for (const Varied& v : made.varied) members *= static_cast<double>(v.count);
  if (text.settings.empty())
    sink_.report(Kind::sweep_without_range, text.span, "`sweep " + printable(text.name) + "`");
  else if (members > kMaxMembers)
    sink_.report(Kind::sweep_too_large, text.span, shown(members), shown(kMaxMembers));
  else if (sink_.error_count() == errors)
    fixed_in_sweep(made);
  sweep_records(text, made);
  model_.sweeps.push_back(std::move(made));
}

bool Elaborator::vary(const ast::Setting& setting, bool outside, const SweepText& text, Sweep& out) {
  std::optional<Varied> made = quantity_to_vary(setting, text);
  if (!made || !setting.value || !sweep_values(setting, outside, *text.scope, *made)) return false;
  out.varied.push_back(std::move(*made));
  return true;
}

std::optional<Varied> Elaborator::quantity_to_vary(const ast::Setting& setting, const SweepText& text) {
  Varied out;
  out.name = setting.key;
  out.span = setting.key_span;
  const auto unfit = [&](const std::string& why, const std::string& help) {
    sink_.report(Kind::vary_unfit, setting.key_span, printable(setting.key), why).hint(help);
    return std::nullopt;
  };
  std::vector<std::string> known;
  bool found = false;
  for (std::uint32_t k = 0; k < model_.params.size(); ++k) {
    known.push_back(model_.params[k].name);
    if (model_.params[k].name != setting.key) continue;
    found = true;
    out.index = k;
    out.dimension = model_.params[k].dimension;
  }
  for (std::uint32_t k = 0; k < model_.inputs.size(); ++k) {
    known.push_back(model_.inputs[k].name);
    if (model_.inputs[k].name != setting.key) continue;
    found = out.input = true;
    out.index = k;
    out.dimension = model_.inputs[k].dimension;
  }
  if (found) {
    for (const Override& o : overrides_)
      if (o.path == setting.key) return unfit("`--set` gives it a value", "leave out one of the two");
    return out;
  }
  for (const std::string& name : settable_)
    if (name == setting.key)
      return unfit("it shapes the model", "run `mbc run --set " + printable(name) + "=...` for each value");
  const std::string block = model_.simulations[text.simulation].name + ".";
  for (const char* key : {"time", "time.begin", "time.end", "time.step", "integrator", "formulation", "stabilise",
                          "save", "bodies", "assemble"})
    if (setting.key == key || setting.key == block + key)
      return unfit("it is a setting of the run", "run `mbc run --set` for each value");
  if (text.scope->find(setting.key).symbol)
    return unfit("it is declared, but not with `param` or `input`", "declare it with `param`");
  Diagnostic& d = sink_.report(Kind::vary_unknown, setting.key_span, printable(setting.key));
  if (const std::string near = nearest(setting.key, known); !near.empty()) d.hint("did you mean `" + near + "`?");
  return {};
}

bool Elaborator::sweep_values(const ast::Setting& setting, bool outside, const Scope& scope, Varied& out) {
  if (const auto* range = std::get_if<ast::Range>(&setting.value->node))
    return sweep_range(*range, outside, scope, out);
  const Value v = evaluator_.evaluate(*setting.value, scope);
  const std::string what = "a value of " + quoted(out.name);
  if (!v.vector() && !evaluator_.expect_scalar(v, what)) return false;
  if (!evaluator_.expect_constant(v, what)) return false;
  bool bare = outside && v.type.dimension.dimensionless();
  if (!model_.has_units && !v.type.dimension.dimensionless()) {  // from outside only: one in the file makes units
    sink_.report(Kind::sweep_range, v.span, printable(out.name), std::string("the model has no units"));
    return false;
  }
  for (NodeId n : v.nodes) bare &= evaluator_.number(evaluator_.scalar(n, {}, Level::constant, v.span)).has_value();
  if (!bare && !evaluator_.expect_dimension(v, out.dimension, what)) return false;
  out.list = constant_values(model_, v.nodes, parameter_values(model_));
  out.count = out.list.size();
  for (std::size_t k = 0; k < v.nodes.size(); ++k) {
    range_numbers_.push_back({v.nodes[k], v.span, out.name});
    if (std::isfinite(out.list[k])) continue;
    sink_.report(Kind::sweep_range, v.span, printable(out.name), "value " + std::to_string(k + 1) + " is not finite");
    return false;
  }
  return true;
}

std::optional<double> Elaborator::sweep_number(const ast::Expr& e, bool outside, const Scope& scope, const Varied& of) {
  const Value v = evaluator_.evaluate(e, scope);
  const std::string what = "the range of " + quoted(of.name);
  if (!evaluator_.expect_scalar(v, what) || !evaluator_.expect_constant(v, what)) return {};
  if (!model_.has_units && !v.type.dimension.dimensionless()) {
    sink_.report(Kind::sweep_range, v.span, printable(of.name), std::string("the model has no units"));
    return {};
  }
  const bool bare = outside && v.type.dimension.dimensionless() && evaluator_.number(v).has_value();
  if (!bare && !evaluator_.expect_dimension(v, of.dimension, what)) return {};
  range_numbers_.push_back({v.node(), v.span, of.name});
  const double x = constant_values(model_, {v.node()}, parameter_values(model_))[0];
  if (std::isfinite(x)) return x;
  sink_.report(Kind::sweep_range, v.span, printable(of.name), std::string("this is not a finite number"));
  return {};
}

// Both ends are values: begin + (end - begin)*k/(n - 1), so that no rounding of a step adds up.
bool Elaborator::sweep_range(const ast::Range& range, bool outside, const Scope& scope, Varied& out) {
  const auto bad = [&](Span span, const std::string& why) -> Diagnostic& {
    return sink_.report(Kind::sweep_range, span, printable(out.name), why);
  };
  if (!range.step && !range.count) {
    bad(join(range.lo->span, range.hi->span), "a range needs `step` or `count`")
        .hint("write for example `FIRST .. LAST count 11`");
    return false;
  }
  const std::optional<double> lo = sweep_number(*range.lo, outside, scope, out);
  const std::optional<double> hi = sweep_number(*range.hi, outside, scope, out);
  if (!lo || !hi) return false;
  out.begin = *lo;
  out.end = *hi;
  const std::string ends = shown(*lo) + " .. " + shown(*hi);
  if (range.count) {
    const Value v = evaluator_.evaluate(*range.count, scope);
    const std::optional<double> n = evaluator_.number(v);
    if (v.invalid()) return false;
    if (!n || *n != std::floor(*n) || !v.type.dimension.dimensionless() || *n < 1 || (*n == 1 && *lo != *hi)) {
      bad(v.span, n && *n == 1 ? "one value cannot be both ends of " + ends
                               : std::string("`count` is the number of values, a whole number above 0"));
      return false;
    }
    out.count = static_cast<std::uint64_t>(std::min(*n, 1e15));
    return true;
  }
  const std::optional<double> step = sweep_number(*range.step, outside, scope, out);
  if (!step) return false;
  const double steps = (*hi - *lo) / *step, whole = std::round(steps);
  if (*step == 0) {
    bad(range.step->span, "the step is 0");
  } else if (steps < 0) {
    bad(range.step->span,
        "no value: the step " + shown(*step) + " does not lead from " + shown(*lo) + " to " + shown(*hi))
        .hint("a range downwards has a negative step");
  } else if (std::fabs(steps - whole) > 1e-6) {
    bad(range.step->span,
        ends + " is not a whole number of steps: " + shown(*hi - *lo) + " / " + shown(*step) + " = " + shown(steps))
        .hint("`count " + shown(whole + 1) + "` in place of the step divides it evenly");
  } else {
    out.count = static_cast<std::uint64_t>(std::min(whole, 1e15)) + 1;
    return true;
  }
  return false;
}

// What was computed with the values of the model must not depend on what the sweep varies.
bool Elaborator::fixed_in_sweep(const Sweep& s) {
  std::set<std::uint32_t> varied;
  for (const Varied& v : s.varied)
    if (!v.input) varied.insert(v.index);
  varied = with_dependents(model_, std::move(varied));
  const std::size_t errors = sink_.error_count();
  for (const RangeNumber& n : range_numbers_)
    for (NodeId id : graph::leaves(model_.graph, {&n.node, 1})) {
      const graph::Node& leaf = model_.graph.node(id);
      if (leaf.leaf != graph::LeafKind::param || !varied.contains(leaf.a)) continue;
      sink_.report(Kind::sweep_range, n.span, printable(n.of),
                   "this depends on " + quoted(model_.params[leaf.a].name) + ", which changes from member to member");
      break;
    }
  const std::vector<std::uint32_t>& of_run = model_.simulations[s.simulation].params;
  for (const Varied& v : s.varied) {
    if (v.input) continue;
    const std::set<std::uint32_t> moved = with_dependents(model_, {v.index});
    for (std::uint32_t p : of_run)
      if (moved.contains(p)) {
        sink_.report(Kind::vary_unfit, v.span, printable(v.name), "the settings of the run depend on it")
            .label(model_.simulations[s.simulation].span, "the run")
            .hint("run `mbc run --set " + printable(v.name) + "=...` for each value");
        break;
      }
  }
  return sink_.error_count() == errors;
}

bool Elaborator::sweep_records(const SweepText& text, Sweep& out) {
  const std::size_t errors = sink_.error_count();
  std::swap(model_.watched, out.watched);  // run values belong to the runs of this sweep
  std::swap(model_.run_values, out.run_values);
  evaluator_.inside_test(true);
  std::map<std::string, Span> seen;
  for (const ast::Expr* e : text.records) {
    const Value v = evaluator_.evaluate(*e, *text.scope);
    if (v.invalid()) continue;
    if (!v.numeric() && v.type.shape != Shape::boolean) {
      Evaluator::hint_parts(sink_.report(Kind::not_a_value, e->span, describe_shape(v)), v);
      continue;
    }
    const std::string name = one_line(sources_.text(e->span));
    if (const auto [first, fresh] = seen.try_emplace(name, e->span); !fresh) {
      sink_.report(Kind::record_twice, e->span, printable(name)).label(first->second, "first recorded here");
      continue;
    }
    const std::uint32_t at = watch(v);
    for (std::uint32_t k = 0; k < v.nodes.size(); ++k)
      out.records.push_back({v.vector() ? name + component_text(k, v.nodes.size()) : name,
                             v.type.any_dimension ? Dimension{} : v.type.dimension, at + k});
  }
  evaluator_.inside_test(false);
  std::swap(model_.watched, out.watched);
  std::swap(model_.run_values, out.run_values);
  return sink_.error_count() == errors;
}

}  // namespace mbc::sema
