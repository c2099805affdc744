// SPDX-License-Identifier: Apache-2.0
#include "api/fmi/variables.h"

#include <set>
#include <utility>

namespace mbc::fmi {
namespace {

class Variables {
 public:
  void add(Variable::Kind kind, std::size_t index, const Quantity& q, double start = 0) {
    if (names_.insert(q.name).second) list_.push_back({kind, index, q.name, q.unit, q.description, start});
  }
  std::vector<Variable> take() { return std::move(list_); }

 private:
  std::set<std::string> names_;
  std::vector<Variable> list_;
};

}  // namespace

std::vector<Variable> variables_of(const Model& model) {
  using Kind = Variable::Kind;
  const Result<ModelInfo> info = model.info(false);
  if (!info) return {};
  Variables all;
  all.add(Kind::time, 0, {"time", model.time_unit(), ""});
  for (std::size_t k = 0; k < info->parameters.size(); ++k) {
    const ParameterInfo& p = info->parameters[k];
    all.add(p.follows ? Kind::calculated : Kind::parameter, k, p.quantity, p.value);
  }
  for (std::size_t k = 0; k < info->inputs.size(); ++k)
    all.add(Kind::input, k, info->inputs[k].quantity, info->inputs[k].value);
  std::set<std::string> outputs;
  for (const Quantity& q : info->outputs) outputs.insert(q.name);
  const std::vector<Quantity> columns = model.columns();
  for (const Kind kind : {Kind::output, Kind::local})
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (outputs.contains(columns[k].name) == (kind == Kind::output)) all.add(kind, k, columns[k]);
  return all.take();
}

}  // namespace mbc::fmi
