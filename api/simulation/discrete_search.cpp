// SPDX-License-Identifier: Apache-2.0
#include "api/simulation/discrete_search.h"

#include "api/simulation/motion.h"

namespace mbc::api {

const std::vector<double>* DiscreteSearch::find(const Question& question, double t, std::span<const double> y) {
  std::vector<double> asked{t};
  asked.insert(asked.end(), y.begin(), y.end());
  for (const auto* list : {&question.params, &question.inputs, &question.held})
    asked.insert(asked.end(), list->begin(), list->end());
  if (asked == asked_) return &found_;
  asked_.clear();
  runtime::SimulateOptions settings = question.settings;
  settings.begin = t;
  std::vector<double> at(y.begin(), y.end());
  std::vector<double> held = question.held;
  const problem::DiscreteVariables& variables = question.variant.info().events.discrete;
  for (std::size_t k = 0; k < held.size(); ++k)
    if (variables[k].use == problem::DiscreteVariable::Use::active ||
        variables[k].use == problem::DiscreteVariable::Use::friction)
      held[k] = 0;
  Motion motion(question.variant, std::move(settings), 0, question.params, question.inputs, held, at);
  if (!motion.find_discrete_state()) {
    failure_ = motion.data();
    return nullptr;
  }
  found_ = motion.equations().discrete_state(question.variant.info().events).values();
  asked_ = std::move(asked);
  return &found_;
}

}  // namespace mbc::api
