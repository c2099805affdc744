// SPDX-License-Identifier: Apache-2.0
// Curves of expressions along the kept motion of a session: `plot E, p.z against p.x`.
#pragma once
#include <string>
#include <vector>

#include "tools/picture/plot.h"
#include "tools/session/session.h"

namespace mbc::tools {

struct PlotRequest {
  std::vector<std::string> curves;  // expressions; none: the outputs, or else the first coordinates
  std::string against;              // "" the time
  std::string file;                 // for the SVG, "" the terminal
};

// Parses the text after the word `plot`.
[[nodiscard]] PlotRequest plot_request(const std::string& text);
// Returns pairs of axes, one for each unit; each component of a vector is a curve.
[[nodiscard]] Result<std::vector<Plot>> plots_of(Session& session, const PlotRequest& request);

}  // namespace mbc::tools
