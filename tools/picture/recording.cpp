// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/recording.h"

#include <algorithm>

namespace mbc::tools {

void Recording::begin(Simulation& simulation) {
  if (Result<SceneView> view = SceneView::of(simulation)) {
    view_ = *std::move(view);
    scene_ = view_->scene();
    pose_size_ = view_->pose_size();
    if (pose_size_ > 0) most_frames_ = std::clamp<std::size_t>(kMostPoseValues / pose_size_, 50, kMostFrames);
  } else {
    no_picture_ = view.error().message;
  }
  pose_.resize(pose_size_);
  curves_.resize(scene_.curves.size());
  for (const Quantity& q : scene_.curves) series_.push_back({q, q.description, {}});
  choose_columns(simulation.model());
}

// Outputs first, all of them; then as many of the others as a page can hold.
void Recording::choose_columns(const Model& model) {
  const std::size_t count = model.column_count();
  std::vector<std::size_t> others;
  for (std::size_t k = 0; k < count; ++k) {
    const Quantity q = model.column(k).value();
    if (q.description == "output") {
      columns_.push_back(k);
      series_.push_back({q, "output", {}});
    } else {
      others.push_back(k);
    }
  }
  left_out_ = others.size() - std::min(others.size(), kMostColumns);
  others.resize(others.size() - left_out_);
  for (const std::size_t k : others) {
    columns_.push_back(k);
    series_.push_back({model.column(k).value(), "column", {}});
  }
}

void Recording::row(const Row& row) {
  last_kept_ = rows_ % stride_ == 0;
  ++rows_;
  if (last_kept_) {
    keep(row.time, row.values, row.state);
    if (times_.size() >= 2 * most_frames_) drop_every_other();
    return;
  }
  last_time_ = row.time;
  last_values_.assign(row.values.begin(), row.values.end());
  last_state_.assign(row.state.begin(), row.state.end());
}

void Recording::keep(double time, std::span<const double> values, std::span<const double> state) {
  times_.push_back(time);
  if (view_ && !view_->poses(time, state, pose_)) std::fill(pose_.begin(), pose_.end(), 0.0);
  poses_.insert(poses_.end(), pose_.begin(), pose_.end());
  if (view_ && !view_->curves(time, state, curves_)) std::fill(curves_.begin(), curves_.end(), 0.0);
  for (std::size_t k = 0; k < curves_.size(); ++k) series_[k].values.push_back(static_cast<float>(curves_[k]));
  for (std::size_t k = 0; k < columns_.size(); ++k)
    series_[curves_.size() + k].values.push_back(static_cast<float>(values[columns_[k]]));
}

void Recording::drop_every_other() {
  const std::size_t n = times_.size() / 2;
  for (std::size_t k = 0; k < n; ++k) {
    times_[k] = times_[2 * k];
    std::copy_n(poses_.begin() + static_cast<std::ptrdiff_t>(2 * k * pose_size_), pose_size_,
                poses_.begin() + static_cast<std::ptrdiff_t>(k * pose_size_));
    for (Series& s : series_) s.values[k] = s.values[2 * k];
  }
  times_.resize(n);
  poses_.resize(n * pose_size_);
  for (Series& s : series_) s.values.resize(n);
  stride_ *= 2;
}

void Recording::finish() {
  if (times_.size() > most_frames_ + most_frames_ / 50) drop_every_other();  // not for the last row
  if (last_kept_ || rows_ == 0) return;
  keep(last_time_, last_values_, last_state_);
  last_kept_ = true;
}

}  // namespace mbc::tools
