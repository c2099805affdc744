// SPDX-License-Identifier: Apache-2.0
#include "tools/session/session_plot.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.h"
#include "tools/words.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kMostPoints = 600;  // points of a curve
constexpr std::size_t kFirst = 3;         // coordinates that are drawn if nothing is named

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> out = pieces_between_commas(text);
  for (std::string& one : out) one = trimmed(one);
  std::erase(out, "");
  return out;
}

// Returns the text after a separate word and removes both from `text`.
std::string behind(std::string& text, const std::string& word) {
  const std::size_t at = (" " + text).rfind(" " + word + " ");
  if (at == std::string::npos) return "";
  const std::string rest = trimmed(text.substr(at + word.size()));
  text = trimmed(text.substr(0, at));
  return rest;
}

std::vector<std::string> usual(const Model& model) {
  std::vector<std::string> out;
  for (const Quantity& q : model.outputs()) out.push_back(q.name);
  for (const Quantity& q : model.coordinates())
    if (out.size() < kFirst && model.outputs().empty()) out.push_back(q.name);
  return out;
}

// Returns the value at one of the points of a curve: at a row, or between two of them if there are few.
Result<Evaluated> value_at_point(Trajectory& kept, const std::string& expression, std::size_t point) {
  const std::size_t rows = kept.times().size();
  const double part = static_cast<double>(point) / (kMostPoints - 1);
  return rows >= kMostPoints ? kept.value_at_row(expression, point * (rows - 1) / (kMostPoints - 1))
                             : kept.value(expression, std::lerp(kept.begin(), kept.end(), part));
}

// Returns empty curves for the components of a value.
std::vector<PlotCurve> empty_curves(const std::string& expression, const Evaluated& value) {
  const std::size_t count = value.values.size();
  const std::string named = quantity_text(expression).name;
  std::vector<PlotCurve> curves;
  for (std::size_t k = 0; k < count; ++k)
    curves.push_back({count == 1   ? named
                      : count <= 3 ? named + "." + std::string(1, "xyz"[k])
                                   : named + "[" + std::to_string(k + 1) + "]",
                      value.unit,
                      {}});
  return curves;
}

// Returns the curves of one expression: one, or one for each component. Where the model of an earlier run does not know
// the expression yet, they have a gap.
Result<std::vector<PlotCurve>> curves_of(Trajectory& kept, const std::string& expression) {
  const Result<Evaluated> last = value_at_point(kept, expression, kMostPoints - 1);
  if (!last) return last.error();
  std::vector<PlotCurve> curves = empty_curves(expression, *last);
  for (std::size_t point = 0; point < kMostPoints; ++point) {
    const Result<Evaluated> found = value_at_point(kept, expression, point);
    if (!found && found.error().code != ErrorCode::invalid_argument) return found.error();
    const bool known = found && found->values.size() == curves.size();
    for (std::size_t k = 0; k < curves.size(); ++k) curves[k].values.push_back(known ? found->values[k] : std::nan(""));
  }
  return curves;
}

}  // namespace

PlotRequest plot_request(const std::string& text) {
  PlotRequest out;
  std::string rest = text;
  out.file = behind(rest, "-o");
  out.against = behind(rest, "against");
  if (out.against.empty()) out.against = behind(rest, "over");  // as in a `simulate` block
  out.curves = list_of(rest);
  return out;
}

Result<std::vector<Plot>> plots_of(Session& session, const PlotRequest& request) {
  Trajectory& kept = session.trajectory();
  if (kept.empty()) return Error{ErrorCode::invalid_argument, "there is no motion yet: `run 5` makes one"};
  Result<std::vector<PlotCurve>> x = curves_of(kept, request.against.empty() ? "t" : request.against);
  if (!x) return x.error();
  if (x->size() != 1)
    return Error{ErrorCode::invalid_argument, "`" + request.against + "` is no number: name a component of it"};
  std::vector<PlotCurve> all;
  for (const std::string& name : request.curves.empty() ? usual(session.model()) : request.curves) {
    Result<std::vector<PlotCurve>> curves = curves_of(kept, name);
    if (!curves) return curves.error();
    std::move(curves->begin(), curves->end(), std::back_inserter(all));
  }
  return shared_axes("", x->front(), std::move(all), false);
}

}  // namespace mbc::tools
