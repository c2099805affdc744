// SPDX-License-Identifier: Apache-2.0
#include "runtime/equations/user_place.h"

#include <algorithm>

#include "base/text.h"

namespace mbc::runtime {

namespace {

constexpr std::size_t kMostLabels = 12;    // per diagnostic: the rows of a long chain would fill the screen
constexpr std::size_t kMostInstances = 4;  // per quantity; the outermost one, which the user wrote, is always included

// Returns the instances around a name, the innermost first. In the problem each instance is listed after those around
// it.
std::vector<const problem::Instance*> around(const problem::Problem& info, const std::string& name) {
  std::vector<const problem::Instance*> list;
  for (const problem::Instance& i : info.instances)
    if (name.starts_with(i.path.stem())) list.push_back(&i);
  std::reverse(list.begin(), list.end());
  if (list.size() > kMostInstances) list.erase(list.begin() + kMostInstances - 1, list.end() - 1);
  return list;
}

std::string without_dot(const std::string& path) { return path.substr(0, path.size() - 1); }

void add_label(Diagnostic& d, Span span, const std::string& text) {
  const bool known =
      std::any_of(d.labels.begin(), d.labels.end(), [&](const Label& l) { return l.span == span && l.text == text; });
  if (!known && d.labels.size() < kMostLabels) d.labels.push_back({span, text});
}

}  // namespace

void name_instances(Diagnostic& d, const problem::Problem& info, const std::string& name) {
  for (const problem::Instance* i : around(info, name))
    add_label(d, i->made, "in `" + printable(without_dot(i->path), 60) + "`, made here");
}

void point_at(Diagnostic& d, const problem::Problem& info, const std::string& name, Span span,
              const std::string& label) {
  if (!d.span.known())
    d.span = span;
  else if (span.known() && span != d.span)
    add_label(d, span, label);
  name_instances(d, info, name);
}

void point_at_row(Diagnostic& d, const problem::Problem& info, std::size_t row, const std::string& label) {
  point_at(d, info, info.rows[row].name, info.rows[row].span, label);
}

Diagnostic diagnostic_of(Kind kind, std::optional<double> t, std::vector<std::string> args, std::string help) {
  Diagnostic d;
  d.kind = kind;
  d.args = std::move(args);
  d.help = std::move(help);
  d.time = t;
  return d;
}

Diagnostic about_row(const problem::Problem& info, std::size_t row, Kind kind, std::optional<double> t,
                     std::vector<std::string> args, std::string help) {
  Diagnostic d = diagnostic_of(kind, t, std::move(args), std::move(help));
  point_at_row(d, info, row);
  return d;
}

Diagnostic about_contact(const problem::Problem& info, std::uint32_t unilateral, Kind kind, std::optional<double> t,
                         std::vector<std::string> args, std::string help) {
  Diagnostic d = diagnostic_of(kind, t, std::move(args), std::move(help));
  const problem::Event& event = info.events.list[info.events.unilaterals[unilateral].touches];
  point_at(d, info, event.name, event.span);
  return d;
}

std::string instance_of(const problem::Problem& info, const std::string& name) {
  const std::vector<const problem::Instance*> list = around(info, name);
  return list.empty() ? "" : without_dot(list.front()->path);
}

}  // namespace mbc::runtime
