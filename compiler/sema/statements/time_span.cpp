// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/time_span.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "base/time_steps.h"
#include "compiler/sema/statements/statement.h"
#include "compiler/sema/watched/kinks.h"

namespace mbc::sema {

namespace {

bool bad_row(Sink& sink, Span span, const std::string& why, const char* help) {
  return mbc::refuse(sink, Kind::row_times, span, why).hint(help);
}

std::string fixed_method(const Simulation& made) {
  const bool by_steps = made.contact.method == settings::Contact::timestep;
  return by_steps ? "contact = timestep" : std::string(made.integrator.name());
}

// Checks that the times of rows ascend within the span.
bool rows_ascend(const TimeSpan& given, const Simulation& made, Sink& sink) {
  double last = made.begin;
  for (std::size_t k = 0; k < given.row_times.size(); ++k) {
    const auto& [t, span] = given.row_times[k];
    if (!std::isfinite(t)) return bad_row(sink, span, "are finite numbers", "leave this one out");
    if (!(t >= made.begin && t <= made.end))
      return bad_row(
          sink, span,
          "lie within the span " + shown(made.begin) + " .. " + shown(made.end) + ": " + shown(t) + " does not",
          "`time` says from when to when the run goes");
    if (k > 0 && !(t > last))
      return bad_row(sink, span, "grow: " + shown(t) + " is not after " + shown(last),
                     "write them in order, each once");
    last = t;
  }
  return true;
}

// Checks a list of rows, which excludes a step and fixed steps.
bool check_rows(const TimeSpan& given, const Simulation& made, Sink& sink) {
  if (given.row_times.empty()) return true;
  if (given.has_step)
    return bad_row(sink, given.rows_span, "are given beside a step of `time`", "leave out one of the two");
  if (has_fixed_steps(made))
    return bad_row(sink, given.rows_span,
                   "need a method that chooses its steps: `" + fixed_method(made) + "` has its rows at its own",
                   "`auto` does, and `time = 0 .. 10 count 1000` gives equal steps");
  return rows_ascend(given, made, sink);
}

// Makes the list, which includes the beginning and the end.
void list_rows(const TimeSpan& given, Simulation& made) {
  made.row_times.assign(1, made.begin);
  for (const auto& [t, unused] : given.row_times)
    if (t > made.begin && t < made.end) made.row_times.push_back(t);
  made.row_times.push_back(made.end);
  made.step = TimeSteps::at(made.row_times).step;
}

// Returns why no run has these steps; "" where one has.
std::string unfit_steps(const Simulation& made) {
  const double span = made.end - made.begin, steps = span / made.step;
  const double latest = std::max(std::fabs(made.begin), std::fabs(made.end));
  if (!(made.step > 0)) return "the step of the time span is not positive: " + shown(made.step);
  if (steps > 1e9)
    return "the time span has " + (std::isfinite(steps) ? shown(steps) : "more than 1e308") +
           " steps; at most 1e9 are possible";
  if (steps < 1 - TimeSteps::kWhole)
    return "the step " + shown(made.step) + " is longer than the time span " + shown(made.begin) + " .. " +
           shown(made.end);
  if (made.step < 1e-12 * latest)
    return "the step " + shown(made.step) + " is lost in the digits of the time " + shown(latest);
  const std::optional<double> longest = made.integrator.find(settings::Argument::max_step);
  if (longest && span / *longest >= 1e9)
    return "`max_step` = " + shown(*longest) + " makes it " + shown(span / *longest) +
           " steps at least; fewer than 1e9 are possible";
  return "";
}

}  // namespace

void check_time_span(const TimeSpan& span, const std::string& note, Simulation& made, Sink& sink) {
  if (!check_rows(span, made, sink)) return;
  const bool finite = std::isfinite(made.begin) && std::isfinite(made.end) && std::isfinite(made.step);
  if (!finite && sink.has_errors()) return;  // the parameter has been reported
  std::string why;
  if (!finite)
    why = "the time span is not finite";
  else if (!(made.end > made.begin))
    why = "the end of the time span is not after its beginning: " + shown(made.begin) + " .. " + shown(made.end);
  else {
    if (!span.row_times.empty()) list_rows(span, made);
    why = unfit_steps(made);
  }
  if (why.empty()) return;
  made.unfit = Diagnostic{Kind::time_span, made.time_span, {why}, {}, {}, {}, {}};
  if (!note.empty()) made.unfit->notes.push_back(note);
}

}  // namespace mbc::sema
