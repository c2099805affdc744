// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/run_plots.h"

#include <algorithm>
#include <set>

#include "tools/picture/converted.h"

namespace mbc::tools {
namespace {

// The checks of the model ensure that the units are compatible.
void change_unit(PlotCurve& curve, const std::string& unit) {
  std::string why;
  const std::optional<double> factor =
      unit.empty() || unit == curve.unit ? std::nullopt : unit_factor(curve.unit, unit, why);
  if (!factor) return;
  for (double& v : curve.values) v *= *factor;
  curve.unit = unit;
}

}  // namespace

std::vector<Plot> requested_plots(const std::vector<PlotInfo>& entries, const std::string& title, bool alone,
                                  const FindCurve& find) {
  std::vector<Plot> all;
  for (const PlotInfo& entry : entries) {
    const PlottedColumn over = entry.over.value_or(PlottedColumn{"time", ""});
    std::optional<PlotCurve> x = find(over.name);
    if (!x) continue;
    change_unit(*x, over.unit);
    std::vector<PlotCurve> curves;
    for (const PlottedColumn& c : entry.curves) {
      std::optional<PlotCurve> curve = find(c.name);
      if (!curve) continue;
      change_unit(*curve, c.unit);
      curves.push_back(*std::move(curve));
    }
    for (Plot& made : shared_axes(title, *x, std::move(curves), alone)) all.push_back(std::move(made));
  }
  return all;
}

void RunPlots::begin(const Model& model, const std::string& simulation) {
  entries_ = model_plots(model, simulation);
  if (entries_.empty()) return;
  std::set<std::string> names;
  for (const PlotInfo& entry : entries_) {
    for (const PlottedColumn& c : entry.curves) names.insert(c.name);
    if (entry.over) names.insert(entry.over->name);
  }
  curves_.push_back({"time", model.time_unit(), {}});
  for (std::size_t k = 0; k < model.column_count(); ++k) {
    const Quantity q = model.column(k).value();
    if (!names.contains(q.name)) continue;
    columns_.push_back(k);
    curves_.push_back({q.name, q.unit, {}});
  }
  last_.resize(curves_.size());
}

void RunPlots::row(const Row& row) {
  if (!wanted()) return;
  last_[0] = row.time;
  for (std::size_t k = 0; k < columns_.size(); ++k) last_[k + 1] = row.values[columns_[k]];
  last_kept_ = rows_++ % stride_ == 0;
  if (last_kept_) keep();
}

void RunPlots::keep() {
  for (std::size_t k = 0; k < curves_.size(); ++k) curves_[k].values.push_back(last_[k]);
  if (curves_[0].values.size() < kMostRows) return;
  for (PlotCurve& c : curves_) {
    for (std::size_t k = 0; 2 * k < kMostRows; ++k) c.values[k] = c.values[2 * k];
    c.values.resize(kMostRows / 2);
  }
  stride_ *= 2;
}

std::string RunPlots::text(std::size_t width, std::size_t height, bool colour) {
  if (!last_kept_) keep();
  last_kept_ = true;
  const auto find = [this](const std::string& name) -> std::optional<PlotCurve> {
    const auto found = std::find_if(curves_.begin(), curves_.end(), [&](const PlotCurve& c) { return c.name == name; });
    return found != curves_.end() ? std::optional(*found) : std::nullopt;
  };
  std::string out;
  if (rows_ < 2) return out;
  for (const Plot& p : requested_plots(entries_, "", !colour, find))
    out += (out.empty() ? "" : "\n") + braille_plot(p, width, height, colour);
  return out;
}

}  // namespace mbc::tools
