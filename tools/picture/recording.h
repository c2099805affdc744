// SPDX-License-Identifier: Apache-2.0
// The rows of a run for a picture: poses and curves of a limited number of frames, thinned evenly during the run, so
// that a long run takes no more memory than a short one.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::tools {

class Recording {
 public:
  static constexpr std::size_t kMostFrames = 10000;
  static constexpr std::size_t kMostPoseValues = 3'000'000;  // limit over all frames of the poses of moving parts
  static constexpr std::size_t kMostColumns = 200;           // recorded columns beside the outputs

  struct Series {
    Quantity quantity;
    std::string group;           // "output", "plotted", "energy", "residual", "column"
    std::vector<double> values;  // one for each frame
  };

  struct Event {
    double time = 0;
    std::string name;
  };
  static constexpr std::size_t kMostEvents = 2000;  // marked events

  // Limits the frames to fewer than those of a page; called before begin().
  void at_most(std::size_t frames) {
    most_frames_ = frames;
    ranks_.most = std::max<std::size_t>(10, frames / 10);
  }
  // Keeps the quantities of the first charts with as many frames as outputs; called before begin().
  void prefer(const std::vector<PlotInfo>& plots);
  // Called before the run, with its simulation. A model too large for a picture gives curves only.
  void begin(Simulation& simulation);
  // Starts from stored rows: their columns, and the simulation that gives the poses, or why there is none.
  void begin(std::span<const Quantity> columns, Simulation* simulation, const std::string& no_picture);
  void event(double time, const std::string& name);
  void row(const Row& row);
  void finish();  // the last row becomes a frame in any case

  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] const std::string& no_picture() const { return no_picture_; }  // why there is none
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  // pose_size() of each frame.
  [[nodiscard]] const std::vector<float>& poses() const { return poses_; }
  [[nodiscard]] std::size_t pose_size() const { return pose_size_; }
  // Three components of each of Scene::arrows for each frame; nan if there is no value.
  [[nodiscard]] const std::vector<float>& arrows() const { return arrows_; }
  [[nodiscard]] const std::vector<Series>& series() const { return series_; }
  // Rank and smallest singular value of the rows at the first frame and every n-th one after it; nan if they are not
  // known. Empty if the model has no rows.
  [[nodiscard]] const std::vector<std::array<float, 2>>& ranks() const { return ranks_.values; }
  [[nodiscard]] std::size_t frames_a_rank() const { return static_cast<std::size_t>(ranks_.stride / stride_); }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] std::uint64_t events_left_out() const { return events_left_out_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns_left_out() const { return left_out_; }

 private:
  void look_at(Simulation& simulation);
  void choose_columns(std::size_t count, const std::function<Quantity(std::size_t)>& column);
  void keep(const Row& row);
  void keep_rank(const Row& row);
  void drop_every_other();
  void drop_ranks();

  std::optional<SceneView> view_;
  Scene scene_;
  std::string no_picture_;
  std::size_t pose_size_ = 0, most_frames_ = kMostFrames, left_out_ = 0;
  std::uint64_t rows_ = 0, stride_ = 1;
  std::set<std::string> preferred_;
  std::vector<std::size_t> columns_;  // columns of a row for series_ after the curves
  std::vector<double> times_, pose_, curves_, arrow_;
  std::vector<float> poses_, arrows_;
  std::vector<Series> series_;
  std::vector<Event> events_;
  struct Ranks {
    std::vector<std::array<float, 2>> values;
    std::size_t most = 200;    // the final number is between this and twice as many
    std::uint64_t stride = 1;  // stride of rows, a multiple of stride_
    bool known = true;         // until the first row shows otherwise
  } ranks_;
  std::uint64_t events_left_out_ = 0;
  bool last_kept_ = true;
  struct Last {  // the last row, if it was not kept
    double time = 0;
    std::vector<double> values, state, multipliers, inputs;
  } last_;
};

}  // namespace mbc::tools
