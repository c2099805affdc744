// SPDX-License-Identifier: Apache-2.0
// Builds the text that says which operation failed, on which operands, in which expression.
#include "runtime/equations/failure_text.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/numbers.h"
#include "runtime/equations/user_place.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using kernel::Elementary;
using kernel::Op;

std::string n(double x) { return text::short_number(x, 8); }

// Prints all digits of a number that exceeds 1 by rounding alone; a short number would read as 1.
std::string beyond_one(double x) { return std::fabs(x) < 1 + 1e-7 ? text::number(x) : n(x); }

// Describes the operand of a function that is not defined everywhere.
std::optional<std::string> outside_of_domain(const kernel::Failure& f) {
  const double a = f.operands[0], b = f.operands[1];
  const std::string name(kernel::op_text(f.op));
  switch (kernel::elementary(f.op)) {
    case Elementary::sqrt:
      return "square root of a negative number: sqrt(" + n(a) + ")";
    case Elementary::ln:
    case Elementary::log10:
      return "logarithm of a number that is not positive: " + name + "(" + n(a) + ")";
    case Elementary::asin:
    case Elementary::acos:
      return "argument outside -1..1: " + name + "(" + beyond_one(a) + ")";
    case Elementary::acosh:
      return "argument below 1: acosh(" + beyond_one(a) + ")";
    case Elementary::atanh:
      return "argument not between -1 and 1: atanh(" + n(a) + ")";
    case Elementary::pow:
      if (a < 0) return "power of a negative number: (" + n(a) + ")^" + n(b);
      if (a == 0) return "negative power of zero: 0^(" + n(b) + ")";
      break;
    case Elementary::sin:
    case Elementary::cos:
    case Elementary::tan:
    case Elementary::atan:
    case Elementary::atan2:
    case Elementary::exp:
    case Elementary::sinh:
    case Elementary::cosh:
    case Elementary::tanh:
    case Elementary::asinh:
    case Elementary::table:
      break;
  }
  return {};
}

std::string describe(const kernel::Failure& f) {
  const double a = f.operands[0], b = f.operands[1];
  if (f.op == Op::div && b == 0) return "division by zero: " + n(a) + "/" + n(b);
  if (kernel::is_elementary(f.op))
    if (std::optional<std::string> text = outside_of_domain(f)) return *text;
  const char* seen = std::isnan(f.result) ? "undefined value: " : "overflow: ";
  const std::string op(kernel::op_text(f.op));
  if (f.op == Op::pow) return seen + n(a) + "^" + n(b);
  if (kernel::is_arithmetic(f.op) && kernel::arity(f.op) == 2) return seen + n(a) + " " + op + " " + n(b);
  std::string operands = n(a);
  if (kernel::arity(f.op) > 1) operands += ", " + n(b);
  if (kernel::arity(f.op) > 2) operands += ", " + n(f.operands[2]);
  return seen + op + "(" + operands + ")";
}

// Explains an overflow that comes from a growing motion. Either the step is too large for the stiffest force or the
// model itself grows.
void explain_growth(const kernel::Failure& f, const kernel::SystemLayout& l, const double* y, Diagnostic& d) {
  double largest = 0;
  for (std::uint32_t i = 0; i < l.states_at(); ++i) largest = std::max(largest, std::fabs(y[i]));
  if (std::isnan(f.result) || !(largest > kRunAway)) return;
  d.notes.push_back("the motion had grown to " + text::short_number(largest, 2) + " before");
  d.help = "use a smaller step; if the motion still grows at the same time, the model itself does that";
}

// Adds notes on operations that do not appear in the text of the expression, such as its derivatives and the power of a
// force.
void explain_derived(const kernel::Failure& f, Diagnostic& d) {
  if (f.divisor_is_root && f.operands[1] == 0) {
    d.notes.emplace_back(
        "the divisor is a square root that is zero: of a distance or a norm, which has no direction there, or in the "
        "derivative of `sqrt`, `asin` or `acos`");
    d.help = "keep the motion away from there; that two points are in one place is written `a.pos == b.pos`";
  } else if (f.op == Op::mul || f.op == Op::add || f.op == Op::sub)
    d.notes.emplace_back("in this expression or in what is computed from it: derivatives, the power of a force");
}

Diagnostic explain(const std::optional<kernel::Failure>& f, Equations& equations, const problem::Problem& info,
                   double t, const double* y) {
  Diagnostic d;
  d.kind = Kind::undefined_value;
  d.time = t;
  const kernel::SystemLayout& l = equations.layout();
  if (f && f->kind == kernel::Failure::Kind::operation) {
    d.args = {describe(*f)};
    d.span = f->origin;
    if (f->op == Op::table) {
      d.kind = Kind::table_outside;
      d.args = outside_table(f->operands[0], f->operands[1], f->operands[2]);
    }
    explain_growth(*f, l, y, d);
    if (f->origin.known()) {
      explain_derived(*f, d);
      const std::span<const double> inputs = equations.inputs();
      name_owner(d, info, {f->origin, t, y, equations.params(), inputs});
    } else
      d.notes.emplace_back("in the solution of the equations of motion, not in an expression of the model");
  } else if (f && f->kind == kernel::Failure::Kind::input && f->space == kernel::Space::state) {
    d.kind = Kind::state_overflow;
    d.args = {"`" + entry_name(info, l, f->index) + "`"};
    point_at_entry(d, info, l, f->index);
    d.help = "use a smaller step; if it still grows at the same time, the model itself does that";
  } else if (f && f->kind == kernel::Failure::Kind::input && f->space == kernel::Space::inputs) {
    const bool input = f->index < info.inputs.size();
    d.args = {(input ? "the input `" + info.inputs[f->index].name
                     : "the state `" + info.events.discrete[f->index - info.inputs.size()].name) +
              "` is " + text::short_number(f->result)};
    d.span = f->origin;
  } else if (f && f->kind == kernel::Failure::Kind::routine && f->status == 1) {
    d.kind = Kind::mass_matrix_singular;
    d.args = {"some coordinate"};
  } else {
    d.args = {"the equations of motion have no finite solution"};
  }
  return d;
}

}  // namespace

void name_owner(Diagnostic& d, const problem::Problem& info, const problem::FailedOperation& failed) {
  if (!info.failed_item) return;
  const std::optional<problem::ItemPlace> item = info.failed_item(failed);
  if (!item) return;
  std::string owner = instance_of(info, item->name);
  if (owner.empty() && item->name.find('[') != std::string::npos) owner = item->name;
  if (!owner.empty()) d.args[0] += ", in `" + owner + "`";
  if (item->span.file != d.span.file) d.labels.push_back({item->span, "in `" + item->name + "`, here"});
  name_instances(d, info, item->name);
}

std::vector<std::string> outside_table(double x, double first, double last) {
  std::string at = n(x);
  if (at == n(first)) at = "just below " + at;
  if (at == n(last)) at = "just above " + at;
  return {at, n(first), n(last)};
}

std::string entry_name(const problem::Problem& info, const kernel::SystemLayout& l, std::uint32_t i) {
  if (i < l.n_coordinates) return info.coordinates[i].name;
  if (i < l.states_at()) return info.speeds[i - l.n_coordinates].name;
  if (i < l.work_at()) return info.states[i - l.states_at()].name;
  return i == l.work_at() ? "the work of the loads" : "the work of the constraints";
}

Span entry_span(const problem::Problem& info, const kernel::SystemLayout& l, std::uint32_t i) {
  if (i < l.n_coordinates) return info.coordinate_spans[i];
  if (i < l.states_at()) return info.speed_spans[i - l.n_coordinates];
  return i < l.work_at() ? info.state_spans[i - l.states_at()] : Span{};
}

void point_at_entry(Diagnostic& d, const problem::Problem& info, const kernel::SystemLayout& l, std::uint32_t i) {
  point_at(d, info, entry_name(info, l, i), entry_span(info, l, i));
}

Diagnostic undefined_value(Equations& equations, const problem::Problem& info, double t, const double* y) {
  return explain(equations.failure(t, y), equations, info, t, y);
}

Diagnostic undefined_output(Equations& equations, const problem::Problem& info, double t, const double* y,
                            const double* dy, const std::string& name) {
  Diagnostic d = explain(equations.output_failure(t, y, dy), equations, info, t, y);
  if (!d.span.known()) d.notes.clear();  // The notes describe the equations of motion, which an output is not part of.
  d.notes.push_back("in the output `" + name + "`");
  name_instances(d, info, name);
  return d;
}

}  // namespace mbc::runtime
