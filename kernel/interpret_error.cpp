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

double unary_error(Op op, double a, double v, double e) {
  switch (op) {
    case Op::neg:
    case Op::abs:
      return e;
    case Op::sqrt:
      return sqrt_error(v, e);
    case Op::sin:
      return through(std::cos(a), e);
    case Op::cos:
      return through(std::sin(a), e);
    case Op::tan:
      return through(1 + v * v, e);
    case Op::asin:
    case Op::acos:
      return through(1 / std::sqrt((1 - a) * (1 + a)), e);
    case Op::atan:
      return through(1 / (1 + a * a), e);
    case Op::exp:
      return through(v, e);
    case Op::ln:
      return through(1 / a, e);
    case Op::log10:
      return through(1 / (a * std::numbers::ln10), e);
    case Op::sinh:
      return through(std::cosh(a), e);
    case Op::cosh:
      return through(std::sinh(a), e);
    case Op::tanh:
      return through(1 / (std::cosh(a) * std::cosh(a)), e);
    case Op::asinh:
      return through(1 / std::sqrt(a * a + 1), e);
    case Op::acosh:
      return through(1 / std::sqrt((a - 1) * (a + 1)), e);
    case Op::atanh:
      return through(1 / ((1 - a) * (1 + a)), e);
    default:
      return 0.0;  // sign, floor, not: piecewise constant
  }
}

// The operand whose value was taken, by min, max or select.
double chosen_error(Op op, double a, double b, double ea, double eb, double ec) {
  switch (op) {
    case Op::min:
      return a < b ? ea : eb;
    case Op::max:
      return a > b ? ea : eb;
    default:
      return a != 0 ? eb : ec;
  }
}

// Operations whose result is exact given their operands round nothing themselves.
bool rounds(Op op) {
  switch (op) {
    case Op::neg:
    case Op::abs:
    case Op::sign:
    case Op::floor:
    case Op::min:
    case Op::max:
    case Op::lt:
    case Op::le:
    case Op::eq:
    case Op::ne:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
    case Op::select:
      return false;
    default:
      return true;
  }
}

struct Operands {
  double value[3];
  double error[3];
};

double propagated_error(Op op, const Operands& x, double v) {
  const auto& [a, b, c] = x.value;
  const auto& [ea, eb, ec] = x.error;
  switch (op) {
    case Op::add:
    case Op::sub:
      return ea + eb;
    case Op::mul:
      return through(a, eb) + through(b, ea);
    case Op::div:
      return through(1 / b, ea) + through(v / b, eb);
    case Op::fma:
      return through(a, eb) + through(b, ea) + ec;
    case Op::pow:
      return pow_error(a, b, v, ea, eb);
    case Op::atan2:
      return (through(b, ea) + through(a, eb)) / (a * a + b * b);
    case Op::min:
    case Op::max:
    case Op::select:
      return chosen_error(op, a, b, ea, eb, ec);
    case Op::lt:
    case Op::le:
    case Op::eq:
    case Op::ne:
    case Op::logical_and:
    case Op::logical_or:
      return 0.0;
    default:
      return unary_error(op, a, v, ea);
  }
}

class ErrorAnalysis {
 public:
  ErrorAnalysis(const Arguments& arguments, double* work_error, double* deriv_error, Registers& registers)
      : spaces_(arguments), work_error_(work_error), deriv_error_(deriv_error), registers_(registers) {}

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
    } else {
      set(i, value, space == Space::mask ? 0.0 : std::fabs(value));
    }
  }

  void operate(std::size_t i, const Inst& inst) {
    const std::vector<double>& v = registers_.values;
    const std::vector<double>& e = registers_.errors;
    const Operands x{{v[inst.a], v[inst.b], v[inst.c]}, {e[inst.a], e[inst.b], e[inst.c]}};
    const double result = apply(inst.op, x.value[0], x.value[1], x.value[2]);
    const double error = propagated_error(inst.op, x, result);
    set(i, result, rounds(inst.op) ? error + std::fabs(result) : error);
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
};

}  // namespace

std::int32_t interpret_with_error(const Function& function, const Arguments& arguments, double* work_error,
                                  double* deriv_error, Registers& registers) {
  ErrorAnalysis analysis(arguments, work_error, deriv_error, registers);
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
