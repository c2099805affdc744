// SPDX-License-Identifier: Apache-2.0
// Geoms of an MJCF file: what they weigh, and how they look.
#pragma once
#include <optional>

#include "tools/import/mjcf_file.h"

namespace mbc::tools {

struct GeomMass {
  double mass = 0;
  Pose pose;
  Triple moments{};  // about the mass centre, in the axes of `pose`
};

// The pose of an element that is given by its two ends.
Pose between(MjcfFile& file, const MjcfElement& e);
// Returns nothing for a geom without mass, or one outside of the groups that weigh.
std::optional<GeomMass> mass_of(MjcfFile& file, Node node, const std::string& around, const Pose& frame);
void add_masses(const std::vector<GeomMass>& masses, Link& link);
// Applies the bounds of the compiler to mass and principal moments.
void bound_mass(MjcfFile& file, Link& link);
void add_shape(MjcfFile& file, Node node, const std::string& around, const Pose& frame, Link& link);

}  // namespace mbc::tools
