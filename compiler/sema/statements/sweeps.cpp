// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/sweeps.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace mbc::sema {

namespace {

constexpr double kMaxMembers = 1e7;

}  // namespace

double Varied::value(std::uint64_t k) const { return factor * written(k); }

double Varied::written(std::uint64_t k) const {
  if (!parts.empty()) {
    double z = 0;
    for (const Part& p : parts) z += p.weight * normal_quantile(sample_point(sample, p.name, p.dimension_of_sample, k));
    return drawn->parameters[0] + drawn->parameters[1] * z;
  }
  if (drawn) return drawn->quantile(sample_point(sample, name, dimension_of_sample, k));
  if (!list.empty()) return list[k];
  if (k + 1 == count && count > 1) return end;
  return count < 2 ? begin : begin + (end - begin) * static_cast<double>(k) / static_cast<double>(count - 1);
}

std::uint64_t Sweep::members() const {
  std::uint64_t n = varied.empty() ? 0 : 1;
  for (const Varied& v : varied) n *= v.combined();
  return n;
}

std::vector<std::uint64_t> Sweep::indices(std::uint64_t member) const {
  std::vector<std::uint64_t> out(varied.size());
  for (std::size_t k = varied.size(); k-- > 0;) {
    out[k] = member % varied[k].combined();
    member /= varied[k].combined();
  }
  for (std::size_t k = 0; k < varied.size(); ++k)
    if (varied[k].joined) out[k] = out[*varied[k].joined];
  return out;
}

void Sweeps::block(const ast::Sweep& s, Span span, const Scope& scope) {
  std::optional<SweepText> text = text_of(s, span, scope);
  if (!text) return;
  for (const SweepText& other : blocks_)
    if (other.name == text->name)
      sink_.report(Kind::duplicate_name, s.name.span, printable(text->name)).label(other.span, "first declared here");
  for (const Simulation& run : model_.simulations)
    if (run.name == text->name)
      sink_.report(Kind::duplicate_name, s.name.span, printable(text->name))
          .label(run.span, "a `simulate` block has this name");
  text->span = s.name.span;
  sweep(*text);
  blocks_.push_back(std::move(*text));
}

void Sweeps::choose(const SweepRequest& request) {
  if (sink_.has_errors()) return;
  const std::optional<SweepText> text = asked(request);
  if (!text) return;
  for (std::uint32_t k = 0; k < blocks_.size(); ++k)
    if (request.vary.empty() && request.records.empty() && blocks_[k].name == text->name) model_.asked_sweep = k;
  if (!model_.asked_sweep) {
    model_.asked_sweep = static_cast<std::uint32_t>(model_.sweeps.size());
    sweep(*text);
  }
  const Sweep& asked = model_.sweeps[*model_.asked_sweep];
  if (const std::optional<Diagnostic>& unfit = model_.simulations[asked.simulation].unfit) sink_.add(*unfit);
  const std::vector<std::string>& signals = model_.simulations[asked.simulation].inputs;
  for (const Varied& v : asked.varied)
    if (v.input && std::find(signals.begin(), signals.end(), v.name) != signals.end())
      sink_.report(Kind::vary_unfit, v.span, printable(v.name), "the run gives this input a signal");
    else if (v.set)
      sink_.report(Kind::vary_unfit, v.span, printable(v.name), "`--set` gives it a value")
          .hint("leave out one of the two");
}

std::optional<SweepText> Sweeps::text_of(const ast::Sweep& s, Span span, const Scope& scope) {
  const std::optional<std::uint32_t> run = run_named(s.over, Kind::sweep_over_unknown, s.over_span);
  if (!run) return {};
  SweepText out{s.name.name, *run, {}, {}, span, &scope};
  for (const ast::Setting& setting : s.settings) out.settings.emplace_back(&setting, false);
  for (const ast::Shown& record : s.records) out.records.push_back(&record);
  return out;
}

std::string Sweeps::known_blocks() const {
  std::string known;
  for (const SweepText& b : blocks_) known += (known.empty() ? "`" : ", `") + printable(b.name) + "`";
  return known;
}

Refusal Sweeps::refuse_choice(const std::string& why, const std::string& help) {
  return mbc::refuse(sink_, Kind::which_sweep, Span{}, why).hint(help);
}

// Returns the run of a sweep that is only on the command line.
std::optional<std::uint32_t> Sweeps::run_of(const SweepRequest& request) {
  const std::vector<Simulation>& runs = model_.simulations;
  std::uint32_t named = 0;
  while (named < runs.size() && runs[named].name != request.name) ++named;
  if (request.name.empty() && runs.size() == 1) named = 0;
  const bool found = named < runs.size();
  if (!found && !request.name.empty())
    return refuse_choice("there is no `sweep` or `simulate` block `" + printable(request.name) + "`",
                         blocks_.empty() ? "" : "the `sweep` blocks are " + known_blocks());
  if (request.vary.empty())
    return refuse_choice(found && !request.name.empty()
                             ? "`" + printable(request.name) + "` is a run: say what to vary in it"
                             : "the file has no `sweep` block: say what to vary",
                         "add for example `--vary \"k = 1 .. 2 step 0.1\"`");
  if (runs.empty())
    return refuse_choice("the file has no `simulate` block, so there is nothing to run",
                         "add for example `simulate { time = 0 .. 10 step 0.001 }`");
  if (found) return named;
  std::string names;
  for (const Simulation& s : runs)
    names += (names.empty() ? "" : ", ") + (s.name.empty() ? std::string("(unnamed)") : printable(s.name));
  return refuse_choice("the file has " + std::to_string(runs.size()) + " `simulate` blocks: say which one to run",
                       "the blocks are " + names);
}

// Returns the requested block, or a sweep over a run that is only on the command line. The ranges of the command line
// replace those of the same name and follow the others. If they replace all that the block draws, its number of draws
// goes with it.
std::optional<SweepText> Sweeps::asked(const SweepRequest& request) {
  const SweepText* block = blocks_.size() == 1 && request.name.empty() ? &blocks_[0] : nullptr;
  for (const SweepText& b : blocks_)
    if (!request.name.empty() && b.name == request.name) block = &b;
  if (!block && request.name.empty() && !blocks_.empty())
    return refuse_choice("the file has " + std::to_string(blocks_.size()) + " `sweep` blocks: say which one to run",
                         "the blocks are " + known_blocks());
  SweepText out{"", 0, {}, {}, {}, &shared_.scope};
  if (block) {
    out = *block;
  } else {
    const std::optional<std::uint32_t> run = run_of(request);
    if (!run) return {};
    out.simulation = *run;
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
  const auto is_drawn = [](const auto& entry) { return entry.first->drawn; };
  if (block && std::any_of(block->settings.begin(), block->settings.end(), is_drawn) &&
      std::none_of(out.settings.begin(), out.settings.end(), is_drawn))
    std::erase_if(out.settings, [](const auto& entry) { return !entry.second && sets_draws(entry.first->key); });
  out.records.insert(out.records.end(), request.records.begin(), request.records.end());
  return out;
}

void Sweeps::sweep(const SweepText& text) {
  const std::size_t errors = sink_.error_count();
  Sweep made;
  made.name = text.name;
  made.simulation = text.simulation;
  made.span = text.span;
  VariedQuantities quantities(shared_, text);
  const bool sampled = quantities.read_sample() && quantities.listed(made);
  std::map<std::string, Span> seen;
  for (const Varied& v : made.varied)
    if (const auto [first, fresh] = seen.try_emplace(v.name, v.span); !fresh)
      sink_.report(Kind::duplicate_setting, v.span, printable(v.name)).label(first->second, "first set here");
  for (const auto& [setting, outside] : text.settings) {
    if (const auto [first, fresh] = seen.try_emplace(setting->key, setting->key_span); !fresh) {
      sink_.report(Kind::duplicate_setting, setting->key_span, printable(setting->key))
          .label(first->second, "first set here");
      continue;
    }
    if (sampled && !quantities.is_of_sample(*setting)) quantities.vary(*setting, outside, made);
  }
  if (sampled && sink_.error_count() == errors) quantities.correlate(made);
  double members = 1;
  for (const Varied& v : made.varied) members *= static_cast<double>(v.combined());
  if (text.settings.empty())
    sink_.report(Kind::sweep_without_range, text.span, "`sweep " + printable(text.name) + "`");
  else if (members > kMaxMembers)
    sink_.report(Kind::sweep_too_large, text.span, shown(members), shown(kMaxMembers));
  else if (sink_.error_count() == errors)
    quantities.check_fixed(made);
  records(text, made);
  model_.sweeps.push_back(std::move(made));
}

void Sweeps::records(const SweepText& text, Sweep& out) {
  std::swap(model_.probes, out.probes);  // run values belong to the runs of this sweep
  std::swap(model_.run_values, out.run_values);
  evaluator_.inside_test(true);
  std::map<std::string, Span> seen;
  for (const ast::Shown* record : text.records) {
    const Span span = record->value->span;
    Value v = evaluator_.evaluate(*record->value, *text.scope);
    if (!evaluator_.expect_shown(v) || (record->unit && !show_in(*record->unit, v))) continue;
    const std::string unit = record->unit ? text_of_unit(*record->unit) : "";
    const std::string name =
        recorded_name(out.varied, one_line(sources_.text(span)) + (unit.empty() ? "" : " [" + unit + "]"));
    if (const auto [first, fresh] = seen.try_emplace(name, span); !fresh) {
      sink_.report(Kind::record_twice, span, printable(name)).label(first->second, "first recorded here");
      continue;
    }
    const std::uint32_t at = add_probe(model_, v);
    for (std::uint32_t k = 0; k < v.nodes.size(); ++k)
      out.records.push_back({v.vector() ? name + component_text(k, v.nodes.size()) : name,
                             v.type.any_dimension ? Dimension{} : v.type.dimension, at + k, unit});
  }
  evaluator_.inside_test(false);
  std::swap(model_.probes, out.probes);
  std::swap(model_.run_values, out.run_values);
}

}  // namespace mbc::sema
