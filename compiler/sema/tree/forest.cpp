// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/tree/forest.h"

#include <map>
#include <tuple>

namespace mbc::sema {

// Prim's algorithm, from the ground and, where no joint leads on, from the first body that is left.
std::vector<Branch> forest(const Model& model, const std::vector<JointCandidate>& candidates) {
  constexpr std::uint32_t kGround = 0xffffffffu;
  std::map<std::uint32_t, std::uint32_t> depth{{kGround, 0}};  // of what is in the forest
  std::vector<Branch> out;
  const auto grow = [&] {
    std::optional<Branch> best;
    std::tuple<std::size_t, std::int64_t> value{};  // rows; the nearer to the root, the larger
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const JointCandidate& c = candidates[k];
      if (!c.why_rows.empty()) continue;
      const std::uint32_t body = c.body, carrier = c.carrier.value_or(kGround);
      const bool from_carrier = depth.contains(carrier);
      if (from_carrier == depth.contains(body)) continue;
      const std::tuple here{c.rows.size(), -static_cast<std::int64_t>(depth.at(from_carrier ? carrier : body))};
      if (best && here <= value) continue;
      value = here;
      best = from_carrier ? Branch{body, c.carrier, k, false} : Branch{carrier, body, k, true};
    }
    if (!best) return false;
    depth[best->body] = depth.at(best->carrier.value_or(kGround)) + 1;
    out.push_back(*best);
    return true;
  };
  while (grow()) {
  }
  for (std::uint32_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].representation != Representation::tree || depth.contains(i)) continue;
    depth[i] = 0;
    while (grow()) {
    }
  }
  return out;
}

}  // namespace mbc::sema
