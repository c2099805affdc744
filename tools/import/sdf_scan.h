// SPDX-License-Identifier: Apache-2.0
// Models, links, joints and frames of an SDF file with their names and poses; files that it includes.
#pragma once
#include <string>

#include "tools/import/sdf_frames.h"

namespace mbc::tools {

class SdfScan {
 public:
  // Both outlive the object.
  SdfScan(SdfFile& file, SdfFrames& frames) : file_(file), frames_(frames) {}

  void world(Node node, const SdfSource& source);
  // A model in a file without a world.
  void model_alone(Node node, const SdfSource& source) { model(node, source, {.source = source}, {}); }

 private:
  struct Place {  // where elements stand
    SdfSource source{};
    std::size_t scope = 0, model = 0, outmost = 0;
    bool stands = false;
    std::string path{};
  };

  // `include`: the element whose settings go before those of the model, or an empty one.
  void model(Node node, const SdfSource& source, const Place& around, Node include);
  void merged(Node node, SdfFrame frame, const Place& around);
  void content(Node node, const Place& place);
  void include(Node node, const Place& around);
  void link(Node node, const Place& place);
  void joint(Node node, const Place& place);
  void frame(Node node, const Place& place);
  SdfFrame made(SdfFrame::Kind kind, Node node, const Place& place);

  SdfFile& file_;
  SdfFrames& frames_;
};

}  // namespace mbc::tools
