// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/recording.h"

#include <cmath>

namespace mbc::tools {

void Recording::look_at(Simulation& simulation) {
  if (Result<SceneView> view = SceneView::of(simulation)) {
    view_ = *std::move(view);
    scene_ = view_->scene();
    pose_size_ = view_->pose_size();
    arrow_.resize(3 * scene_.arrows.size());
    const std::size_t moving = pose_size_ + arrow_.size();
    if (moving > 0)
      most_frames_ = std::min(most_frames_, std::clamp<std::size_t>(kMostPoseValues / moving, 50, kMostFrames));
  } else {
    no_picture_ = view.error().message;
  }
  pose_.resize(pose_size_);
  curves_.resize(scene_.curves.size());
  for (const Quantity& q : scene_.curves) series_.push_back({q, q.description, {}});
}

void Recording::begin(Simulation& simulation) {
  look_at(simulation);
  const Model& model = simulation.model();
  choose_columns(model.column_count(), [&](std::size_t k) { return model.column(k).value(); });
}

void Recording::begin(std::span<const Quantity> columns, Simulation* simulation, const std::string& no_picture) {
  if (simulation != nullptr)
    look_at(*simulation);
  else
    no_picture_ = no_picture;
  choose_columns(columns.size(), [&](std::size_t k) { return columns[k]; });
}

void Recording::prefer(const std::vector<PlotInfo>& plots) {
  for (const PlotInfo& p : plots) {
    for (const PlottedColumn& c : p.curves) preferred_.insert(c.name);
    if (p.over) preferred_.insert(p.over->name);
  }
}

void Recording::event(double time, const std::string& name) {
  if (events_.size() < kMostEvents)
    events_.push_back({time, name});
  else
    ++events_left_out_;
}

// Chooses all outputs first, then as many of the others as a page can hold.
void Recording::choose_columns(std::size_t count, const std::function<Quantity(std::size_t)>& column) {
  std::vector<std::size_t> others;
  for (std::size_t k = 0; k < count; ++k) {
    const Quantity q = column(k);
    if (q.description == "output" || preferred_.contains(q.name)) {
      columns_.push_back(k);
      series_.push_back({q, q.description == "output" ? "output" : "plotted", {}});
    } else {
      others.push_back(k);
    }
  }
  left_out_ = others.size() - std::min(others.size(), kMostColumns);
  others.resize(others.size() - left_out_);
  for (const std::size_t k : others) {
    columns_.push_back(k);
    series_.push_back({column(k), "column", {}});
  }
}

void Recording::row(const Row& row) {
  last_kept_ = rows_ % stride_ == 0;
  ++rows_;
  if (last_kept_) {
    keep(row);
    if (times_.size() >= 2 * most_frames_) drop_every_other();
    return;
  }
  last_.time = row.time;
  last_.values.assign(row.values.begin(), row.values.end());
  last_.state.assign(row.state.begin(), row.state.end());
  last_.multipliers.assign(row.multipliers.begin(), row.multipliers.end());
  last_.inputs.assign(row.inputs.begin(), row.inputs.end());
}

void Recording::keep(const Row& row) {
  const auto nothing = [](std::vector<double>& values) { std::fill(values.begin(), values.end(), 0.0); };
  times_.push_back(row.time);
  if (view_ && !row.inputs.empty()) view_->set_inputs(row.inputs);
  if (view_ && !view_->poses(row.time, row.state, pose_)) nothing(pose_);
  if (view_ && !view_->arrows(row.time, row.state, row.multipliers, arrow_)) nothing(arrow_);
  if (view_ && !view_->curves(row.time, row.state, curves_)) nothing(curves_);
  if (view_ && ranks_.known && (rows_ - 1) % ranks_.stride == 0) keep_rank(row);
  poses_.insert(poses_.end(), pose_.begin(), pose_.end());
  arrows_.insert(arrows_.end(), arrow_.begin(), arrow_.end());
  for (std::size_t k = 0; k < curves_.size(); ++k) series_[k].values.push_back(curves_[k]);
  for (std::size_t k = 0; k < columns_.size(); ++k)
    series_[curves_.size() + k].values.push_back(row.values[columns_[k]]);
}

void Recording::keep_rank(const Row& row) {
  const std::optional<SceneView::Rank> now = view_->rank(row.time, row.state);
  ranks_.known = now || !ranks_.values.empty();
  if (!ranks_.known) return;
  const auto number = [](double x) { return static_cast<float>(x); };
  ranks_.values.push_back(now ? std::array{number(now->rank), number(now->smallest)} : std::array{NAN, NAN});
  if (ranks_.values.size() >= 2 * ranks_.most) drop_ranks();
}

void Recording::drop_ranks() {
  std::vector<std::array<float, 2>>& values = ranks_.values;
  for (std::size_t k = 1; 2 * k < values.size(); ++k) values[k] = values[2 * k];
  values.resize((values.size() + 1) / 2);
  ranks_.stride *= 2;
}

void Recording::drop_every_other() {
  const std::size_t n = times_.size() / 2;
  const auto thin = [n](auto& values, std::size_t size) {
    for (std::size_t k = 1; k < n; ++k)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(2 * k * size), size,
                  values.begin() + static_cast<std::ptrdiff_t>(k * size));
    values.resize(n * size);
  };
  thin(times_, 1);
  thin(poses_, pose_size_);
  thin(arrows_, arrow_.size());
  for (Series& s : series_) thin(s.values, 1);
  stride_ *= 2;
  if (ranks_.stride < stride_) drop_ranks();
}

void Recording::finish() {
  if (times_.size() > most_frames_ + most_frames_ / 50) drop_every_other();  // not for the last row
  if (last_kept_ || rows_ == 0) return;
  keep({last_.time, last_.values, last_.state, last_.multipliers, last_.inputs});
  last_kept_ = true;
}

}  // namespace mbc::tools
