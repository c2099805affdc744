// SPDX-License-Identifier: Apache-2.0
// The frames of an SDF file: names in models inside of models, poses relative to each other, the links that they move
// with.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/import/sdf_file.h"

namespace mbc::tools {

struct SdfFrame {
  enum class Kind : std::uint8_t { world, model, link, joint, frame } kind = Kind::frame;
  std::string name, path;  // `path`: with the models around it, but not the outermost one
  Node node;
  SdfSource source;
  std::size_t scope = 0;    // where its name stands, and those to which it refers
  std::size_t model = 0;    // the frame of the model around it
  std::size_t outmost = 0;  // of the model that stands in the world
  std::size_t inner = 0;    // of a model: the scope of its parts
  bool stands = false;      // part of a static model
  SdfPose pose;
  std::string attached_to;  // of a joint its child, of a model its canonical link
  std::string placement;    // of a model: the frame inside whose pose its own pose is
};

class SdfFrames {
 public:
  // The object that reads the file outlives this one. The frame 0 and the scope 0 are the world's.
  explicit SdfFrames(SdfFile& file);

  std::size_t add_scope();
  // Refuses a name that is taken or reserved.
  std::size_t add(SdfFrame frame);
  // Finds what everything is relative to and moves with. After it the functions below can be called.
  void resolve();

  [[nodiscard]] const std::vector<SdfFrame>& all() const { return frames_; }
  [[nodiscard]] const SdfFrame& at(std::size_t k) const { return frames_[k]; }
  // Returns what a name is where `from` stands; `world` is no such name.
  [[nodiscard]] std::optional<std::size_t> find(const SdfFrame& from, const std::string& name) const;
  // The same among joints, which may share their names with links up to SDF 1.6.
  [[nodiscard]] std::optional<std::size_t> find_joint(const SdfFrame& from, const std::string& name) const;
  // Returns the link that a frame moves with, or 0 for the world.
  [[nodiscard]] std::size_t link_of(std::size_t frame) const { return links_[frame]; }
  // Returns the pose of a frame seen from another one, where the file draws both.
  [[nodiscard]] Pose between(std::size_t from, std::size_t to);

 private:
  struct Scope {
    std::map<std::string, std::size_t> names, joints;
    std::vector<std::size_t> parts;  // links and models in order
  };
  [[nodiscard]] std::optional<std::size_t> find_in(std::size_t scope, std::size_t model, const std::string& name,
                                                   bool joints) const;
  std::size_t named(std::size_t frame, const std::string& name, const char* what);
  std::size_t pose_parent(std::size_t frame);
  std::size_t carrier_of(std::size_t frame);
  bool orders(const std::vector<std::size_t>& next, const char* cycle);
  Pose in_parent(std::size_t frame);
  Pose seen_from_above(std::size_t above, std::size_t frame);

  SdfFile& file_;
  std::vector<SdfFrame> frames_;
  std::vector<Scope> scopes_;
  std::vector<std::size_t> parents_, carriers_, links_, depths_;
  std::map<std::size_t, Pose> placed_;  // models with a placement frame, in their parents
};

}  // namespace mbc::tools
