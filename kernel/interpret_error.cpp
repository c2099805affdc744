// SPDX-License-Identifier: Apache-2.0
// The interpreter with a running error analysis: next to every value an absolute bound of its rounding error in units
// of the machine epsilon, propagated to first order, e_v = sum |dv/d(operand)| e_operand + |v|. The bound of a residual
// or of a row's entry is the noise floor against which ranks and conflicts are judged (docs/numerics.md).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/epsilon.h"
#include "kernel/interpreter.h"
#include "kernel/op_semantics.h"
#include "kernel/routines.h"

namespace mbc::kernel {
namespace {

// factor * error, where an exact operand contributes nothing even through an infinite derivative.
double through(double factor, double error) { return error == 0 ? 0.0 : std::fabs(factor) * error; }

// sqrt at a, off by e epsilon: e / (2 sqrt(a)), but never more than sqrt(e epsilon) itself, the bound at a = 0.
double sqrt_error(double root, double e) {
  if (e == 0) return 0.0;
  const double at_zero = std::sqrt(e / kEpsilon);
  return root > 0 ? std::min(e / (2 * root), at_zero) : at_zero;
}

// v = a^b: |dv| = |v| (|b da / a| + |ln a| db).
double pow_error(double a, double b, double v, double ea, double eb) {
  const double by_base = a != 0 ? v * b / a : b * std::pow(a, b - 1);
  return through(by_base, ea) + through(v * std::log(std::fabs(a)), eb);
}

struct Operands {
  double value[3];
  double error[3];
};

double arithmetic_error(Arithmetic op, const Operands& x, double v) {
  const auto& [a, b, c] = x.value;
  const auto& [ea, eb, ec] = x.error;
  switch (op) {
    case Arithmetic::constant:
    case Arithmetic::leaf:
      return 0.0;
    case Arithmetic::neg:
      return ea;
    case Arithmetic::add:
    case Arithmetic::sub:
      return ea + eb;
    case Arithmetic::mul:
      return through(a, eb) + through(b, ea);
    case Arithmetic::div:
      return through(1 / b, ea) + through(v / b, eb);
    case Arithmetic::fma:
      return through(a, eb) + through(b, ea) + ec;
  }
  return kNaN;
}

double elementary_error(Elementary op, const Operands& x, double v) {
  const auto& [a, b, c] = x.value;
  const auto& [e, eb, ec] = x.error;
  switch (op) {
    case Elementary::pow:
      return pow_error(a, b, v, e, eb);
    case Elementary::atan2:
      return (through(b, e) + through(a, eb)) / (a * a + b * b);
    case Elementary::sqrt:
      return sqrt_error(v, e);
    case Elementary::sin:
      return through(std::cos(a), e);
    case Elementary::cos:
      return through(std::sin(a), e);
    case Elementary::tan:
      return through(1 + v * v, e);
    case Elementary::asin:
    case Elementary::acos:
      return through(1 / std::sqrt((1 - a) * (1 + a)), e);
    case Elementary::atan:
      return through(1 / (1 + a * a), e);
    case Elementary::exp:
      return through(v, e);
    case Elementary::ln:
      return through(1 / a, e);
    case Elementary::log10:
      return through(1 / (a * std::numbers::ln10), e);
    case Elementary::sinh:
      return through(std::cosh(a), e);
    case Elementary::cosh:
      return through(std::sinh(a), e);
    case Elementary::tanh:
      return through(1 / (std::cosh(a) * std::cosh(a)), e);
    case Elementary::asinh:
      return through(1 / std::sqrt(a * a + 1), e);
    case Elementary::acosh:
      return through(1 / std::sqrt((a - 1) * (a + 1)), e);
    case Elementary::atanh:
      return through(1 / ((1 - a) * (1 + a)), e);
    case Elementary::table:  // an instruction of its own: look_up
      return 0.0;
  }
  return kNaN;
}

// The error is that of the operand whose value was taken; a step function is constant between its jumps.
double piecewise_error(Piecewise op, const Operands& x) {
  const auto& [a, b, c] = x.value;
  const auto& [ea, eb, ec] = x.error;
  switch (op) {
    case Piecewise::abs:
      return ea;
    case Piecewise::min:
      return a < b ? ea : eb;
    case Piecewise::max:
      return a > b ? ea : eb;
    case Piecewise::select:
      return a != 0 ? eb : ec;
    case Piecewise::sign:
    case Piecewise::floor:
    case Piecewise::lt:
    case Piecewise::le:
    case Piecewise::eq:
    case Piecewise::ne:
    case Piecewise::logical_and:
    case Piecewise::logical_or:
    case Piecewise::logical_not:
      return 0.0;
  }
  return kNaN;
}

double propagated_error(Op op, const Operands& x, double v) {
  if (is_arithmetic(op)) return arithmetic_error(arithmetic(op), x, v);
  if (is_elementary(op)) return elementary_error(elementary(op), x, v);
  return piecewise_error(piecewise(op), x);
}

// Values of these functions lie between -1 and 1.
bool is_within_one(Op op) {
  return is_elementary(op) &&
         (elementary(op) == Elementary::sin || elementary(op) == Elementary::cos || elementary(op) == Elementary::tanh);
}

class ErrorAnalysis {
 public:
  ErrorAnalysis(const Arguments& arguments, double* work_error, double* deriv_error, Registers& registers,
                const double* sizes)
      : spaces_(arguments), work_error_(work_error), deriv_error_(deriv_error), registers_(registers), sizes_(sizes) {}

  void run_instance(const Block& block, const std::uint32_t* row, std::uint32_t lane) {
    for (std::size_t i = 0; i < block.code.size(); ++i) {
      const Inst& inst = block.code[i];
      const std::uint32_t at = place_of(inst, row, lane);
      switch (inst.kind) {
        case Inst::Kind::constant:
          set(i, block.constants[inst.a], 0.0);
          break;
        case Inst::Kind::load:
          load(i, inst.space, at);
          break;
        case Inst::Kind::store:
          spaces_.write(inst.space)[at] = registers_.values[inst.a];
          errors(inst.space)[at] = registers_.errors[inst.a];
          break;
        case Inst::Kind::op:
          operate(i, inst);
          break;
        case Inst::Kind::table:
          look_up(i, inst, *block.tables[inst.b]);
          break;
      }
    }
  }

 private:
  void set(std::size_t i, double value, double error) {
    registers_.values[i] = value;
    registers_.errors[i] = error;
  }

  double* errors(Space space) const { return space == Space::work ? work_error_ : deriv_error_; }

  void load(std::size_t i, Space space, std::uint32_t at) {
    const double value = spaces_.read(space)[at];
    if (space == Space::work || space == Space::deriv) {
      set(i, value, errors(space)[at]);
    } else if (sizes_ != nullptr) {
      set(i, value, space == Space::state ? sizes_[at] : 0.0);
    } else {
      set(i, value, space == Space::mask ? 0.0 : std::fabs(value));
    }
  }

  void operate(std::size_t i, const Inst& inst) {
    const std::vector<double>& v = registers_.values;
    const std::vector<double>& e = registers_.errors;
    const Operands x{{v[inst.a], v[inst.b], v[inst.c]}, {e[inst.a], e[inst.b], e[inst.c]}};
    const double result = apply(inst.op, x.value[0], x.value[1], x.value[2]);
    double error = propagated_error(inst.op, x, result);
    // Sizes are not small, so that a product of factors that are both zero has a size too.
    if (sizes_ != nullptr && (inst.op == Op::mul || inst.op == Op::fma)) error += x.error[0] * x.error[1];
    // The size of an angle may be many turns, and products of sines would grow with each of them.
    if (sizes_ != nullptr && is_within_one(inst.op)) error = std::min(error, 2.0);
    set(i, result, is_exact(inst.op) ? error : error + std::fabs(result));
  }

  void look_up(std::size_t i, const Inst& inst, const DataTable& table) {
    const double at = registers_.values[inst.a];
    const double slope = table.value(at, inst.c + 1);
    set(i, table.value(at, inst.c), through(slope, registers_.errors[inst.a]) + table.rounding(at, inst.c));
  }

  Spaces spaces_;
  double* work_error_;
  double* deriv_error_;
  Registers& registers_;
  const double* sizes_;  // of the state, or null
};

}  // namespace

std::int32_t interpret_with_error(const Function& function, const Arguments& arguments, double* work_error,
                                  double* deriv_error, Registers& registers, const double* sizes) {
  ErrorAnalysis analysis(arguments, work_error, deriv_error, registers, sizes);
  for (const Step& step : function.steps) {
    if (!step.is_block) {
      const std::int32_t status = call_routine(function.calls[step.index], arguments.mask, arguments.work);
      if (status != 0) return status;
      continue;
    }
    const Block& block = function.blocks[step.index];
    RowByRow rows(block.table, registers.row.data(), step.begin());
    for (std::uint32_t i = step.begin(); i < step.end(block); ++i, rows.next())
      for (std::uint32_t lane = 0; lane < block.lanes; ++lane) analysis.run_instance(block, rows.row(), lane);
  }
  return check_finite(function, arguments.deriv);
}

}  // namespace mbc::kernel
