// SPDX-License-Identifier: Apache-2.0
// The rows of a run as a picture needs them: poses and curves of not too many frames, thinned evenly while the run goes
// on, so that a long run takes no more memory than a short one.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::tools {

class Recording {
 public:
  static constexpr std::size_t kMostFrames = 10000;
  static constexpr std::size_t kMostPoseValues = 3'000'000;  // of all frames; what is there for parts that move
  static constexpr std::size_t kMostColumns = 200;           // recorded columns beside the outputs

  struct Series {
    Quantity quantity;
    std::string group;          // "output", "energy", "residual", "column"
    std::vector<float> values;  // one a frame
  };

  // Before the run, of the simulation that makes it. A model too large for a picture gives curves only.
  void begin(Simulation& simulation);
  void row(const Row& row);
  void finish();  // the last row is a frame in any case

  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] const std::string& no_picture() const { return no_picture_; }  // why there is none
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  // pose_size() of each frame.
  [[nodiscard]] const std::vector<float>& poses() const { return poses_; }
  [[nodiscard]] std::size_t pose_size() const { return pose_size_; }
  [[nodiscard]] const std::vector<Series>& series() const { return series_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns_left_out() const { return left_out_; }

 private:
  void choose_columns(const Model& model);
  void keep(double time, std::span<const double> values, std::span<const double> state);
  void drop_every_other();

  std::optional<SceneView> view_;
  Scene scene_;
  std::string no_picture_;
  std::size_t pose_size_ = 0, most_frames_ = kMostFrames, left_out_ = 0;
  std::uint64_t rows_ = 0, stride_ = 1;
  std::vector<std::size_t> columns_;  // of a row, those of series_ after the curves
  std::vector<double> times_, pose_, curves_;
  std::vector<float> poses_;
  std::vector<Series> series_;
  bool last_kept_ = true;
  double last_time_ = 0;
  std::vector<double> last_values_, last_state_;
};

}  // namespace mbc::tools
