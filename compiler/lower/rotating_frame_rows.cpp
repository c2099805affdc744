// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/rotating_frame_rows.h"

#include <map>

#include "compiler/graph/planar_rotation.h"

namespace mbc::lower {

namespace {

// component' + sign phi' other
ad::Row component(Graph& g, const ad::Row& own, const ad::Row& other, NodeId other_value, NodeId own_value,
                  const ad::Row& phi, bool minus) {
  const auto joined = [&](NodeId a, NodeId b) { return minus ? g.sub(a, b) : g.add(a, b); };
  std::map<std::uint32_t, NodeId> jacobian(own.jacobian.begin(), own.jacobian.end());
  for (const auto& [k, turning] : phi.jacobian) {
    NodeId& sum = jacobian.try_emplace(k, g.zero()).first->second;
    sum = joined(sum, g.mul(turning, other_value));
  }
  ad::Row row;
  for (const auto& [k, value] : jacobian)
    if (!g.is_zero(value)) row.jacobian.emplace_back(k, value);
  row.rate = joined(own.rate, g.mul(phi.rate, other_value));
  const NodeId across = g.add(g.mul(phi.bias, other_value), g.mul(g.constant(2), g.mul(phi.rate, other.rate)));
  row.bias = g.sub(joined(own.bias, across), g.mul(g.mul(phi.rate, phi.rate), own_value));
  return row;
}

}  // namespace

void use_turning_axes(Graph& g, const std::vector<NodeId>& position, const ad::Motion& motion,
                      std::vector<ad::Row>& rows, std::vector<NodeId>& weight) {
  const std::optional<graph::PlanarRotation> turn = graph::outer_rotation(g, position, position.size());
  if (!turn) return;
  const auto row_of = [&](NodeId e) { return ad::differentiate(g, e, ad::Level::position, motion); };
  const std::size_t i = turn->i, j = turn->j;
  const NodeId x = turn->inside[i], y = turn->inside[j];
  const ad::Row phi = row_of(turn->angle), along = row_of(x), across = row_of(y);
  rows[i] = component(g, along, across, y, x, phi, true);
  rows[j] = component(g, across, along, x, y, phi, false);
  const NodeId s = turn->sine, c = turn->cosine, gx = weight[i], gy = weight[j];
  weight[i] = g.add(g.mul(c, gx), g.mul(s, gy));
  weight[j] = g.sub(g.mul(c, gy), g.mul(s, gx));
}

}  // namespace mbc::lower
