// SPDX-License-Identifier: Apache-2.0
// The time span of a `simulate` block: begin, end and step, or the times of its rows.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/sema/blocks.h"

namespace mbc::sema {

// The rest of what a block says of its span: the Simulation holds begin, end and step.
struct TimeSpan {
  bool has_step = false;
  std::vector<std::pair<double, Span>> row_times;  // as they are listed
  Span rows_span;                                  // of the whole list
};

// Checks that begin, end and step fit together and that the listed rows lie within them, and makes the list of rows. A
// span that no run could have becomes Simulation::unfit, with this note if there is one.
void check_time_span(const TimeSpan& span, const std::string& note, Simulation& made, Sink& sink);

}  // namespace mbc::sema
