// SPDX-License-Identifier: Apache-2.0
#include "api/model/family.h"

#include <algorithm>

namespace mbc::api {

sema::InputSignals signals_of(const sema::Simulation& block, const std::vector<std::string>& by_host) {
  sema::InputSignals out{block.name, block.inputs};
  std::erase_if(out.inputs, [&](const std::string& input) {
    return std::find(by_host.begin(), by_host.end(), input) != by_host.end();
  });
  if (out.inputs.empty()) out.block.clear();
  return out;
}

Wanted wanted_by(const sema::Simulation& block, InertiaRows rows) {
  return {formulate::find_formulation(block.formulation.name()),
          block.stabilise.method == settings::Stabilisation::baumgarte, rows,
          block.contact.method == settings::Contact::timestep};
}

// Opening the back end's library takes as long as compiling a model. Therefore it begins while the text is read, if
// native code is needed at once and is not in the cache.
Family::Family(Source source, std::string text, const CompileOptions& options)
    : source_(std::make_shared<const Source>(std::move(source))),
      text_(std::move(text)),
      how_{options.interpret, options.native_at_once, options.colour, options.optimise},
      native_(make_native(options)) {
  if (!how_.interpret && how_.native_at_once) native_->open(text_);
}

Family::Family(const std::string& path, const std::string& error)
    : source_(std::make_shared<const Source>()), native_(make_native({})) {
  analyses_.push_back(std::make_shared<AnalysedText>(path, error));
}

std::shared_ptr<const EquationVariant> Family::first() {
  const std::lock_guard lock(mutex_);
  if (analyses_.empty())
    analyses_.push_back(std::make_shared<AnalysedText>(source_, std::move(text_), std::nullopt, std::nullopt));
  const std::vector<sema::Simulation>& blocks = analyses_.front()->facts().simulations;
  return variant(analyses_.front(), blocks.empty() ? Wanted{} : wanted_by(blocks.front(), InertiaRows::structure));
}

std::shared_ptr<const EquationVariant> Family::for_block(const EquationVariant& variant, const sema::Simulation& block,
                                                         const std::vector<std::string>& by_host) {
  return with_bodies(variant, block.bodies.method, wanted_by(block, variant.wanted().inertia_rows),
                     signals_of(block, by_host));
}

std::shared_ptr<const EquationVariant> Family::with(const EquationVariant& variant, const Wanted& wanted) {
  const std::lock_guard lock(mutex_);
  return this->variant(variant.analysis_shared(), wanted);
}

std::shared_ptr<const EquationVariant> Family::with_bodies(const EquationVariant& variant,
                                                           settings::Representation bodies, const Wanted& wanted,
                                                           const sema::InputSignals& signals) {
  const std::lock_guard lock(mutex_);
  const Facts& f = variant.facts();
  const bool same = serves(f, bodies) && f.signals == signals && !f.bodies_alike;
  return this->variant(same ? variant.analysis_shared() : analysis(bodies, signals, false), wanted);
}

std::shared_ptr<const EquationVariant> Family::in_quaternions(const EquationVariant& variant) {
  const std::lock_guard lock(mutex_);
  return this->variant(analysis(settings::Representation::quaternion, variant.facts().signals, true), {});
}

// An analysis with errors is not kept.
std::shared_ptr<AnalysedText> Family::analysis(settings::Representation bodies, const sema::InputSignals& signals,
                                               bool alike) {
  for (const auto& a : analyses_)
    if (serves(a->facts(), bodies) && a->facts().signals == signals && a->facts().bodies_alike == alike) return a;
  auto made = std::make_shared<AnalysedText>(source_, analyses_.front()->text(), bodies, signals, alike);
  if (made->ok()) analyses_.push_back(made);
  return made;
}

std::shared_ptr<const EquationVariant> Family::variant(const std::shared_ptr<AnalysedText>& analysis,
                                                       const Wanted& wanted) {
  const auto same = [&](const Made& m) { return m.analysis == analysis.get() && m.wanted == wanted; };
  std::erase_if(variants_, [](const Made& m) { return m.variant.expired(); });
  if (const auto found = std::find_if(variants_.begin(), variants_.end(), same); found != variants_.end())
    if (std::shared_ptr<const EquationVariant> made = found->variant.lock()) return made;
  auto made = std::make_shared<const EquationVariant>(analysis, wanted, how_, native_);
  if (!analysis->ok()) return made;
  variants_.push_back({analysis.get(), wanted, made, analysis->facts().large ? nullptr : made});
  return made;
}

}  // namespace mbc::api
