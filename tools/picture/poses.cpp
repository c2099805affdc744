// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/poses.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mbc::tools {

PartPose pose_in(const Recording& recording, std::size_t frame, std::size_t part) {
  const float* p = recording.poses().data() + frame * recording.pose_size() + part * SceneView::kPoseSize;
  return {{double{p[0]}, double{p[1]}, double{p[2]}}, {double{p[3]}, double{p[4]}, double{p[5]}, double{p[6]}}};
}

std::vector<PartPose> poses_at(const Recording& recording, double time) {
  const std::vector<double>& t = recording.times();
  const auto above = std::upper_bound(t.begin(), t.end(), time);
  const std::size_t b = std::min<std::size_t>(static_cast<std::size_t>(above - t.begin()), t.size() - 1);
  const std::size_t a = b == 0 ? 0 : b - 1;
  const double s = t[b] > t[a] ? std::clamp((time - t[a]) / (t[b] - t[a]), 0.0, 1.0) : 0;
  std::vector<PartPose> out;
  for (std::size_t k = 0; k < recording.scene().parts.size(); ++k) {
    const PartPose p = pose_in(recording, a, k), q = pose_in(recording, b, k);
    const double same = std::inner_product(p.turn.begin(), p.turn.end(), q.turn.begin(), 0.0) < 0 ? -1 : 1;
    PartPose made{p.at + s * (q.at - p.at), {}};
    double size = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      made.turn[i] = p.turn[i] + s * (same * q.turn[i] - p.turn[i]);
      size += made.turn[i] * made.turn[i];
    }
    for (double& x : made.turn) x = size > 0 ? x / std::sqrt(size) : 0;
    out.push_back(made);
  }
  return out;
}

}  // namespace mbc::tools
