// SPDX-License-Identifier: Apache-2.0
// A kernel is produced by a formulation, executed by the interpreter and compiled by the JIT. It is plain data: no
// LLVM, no text.
//
// It consists of a few functions over flat arrays of doubles, all with one C signature (docs/architecture.md, "Kernel
// ABI"):
//
//   int32_t f(double t, const double* state, const double* params, const double* inputs, const double* mask,
//             double* work, double* deriv);
//
// They return 0, or k > 0 if the checked entry deriv[k-1] is not finite (or kGaveUp, see Function). The arrays must not
// overlap. There are no exceptions, no allocation and no global state: one kernel serves any number of threads, each
// with its own state, work and deriv.
//
//   state  y = [q; u; s]  coordinates, speeds, first-order states (work integrals among them)
//   deriv  y'             same layout
//   params               values of the model's `param`s (derived ones included)
//   inputs               values set by the host, then the discrete state
//   mask                 one double per constraint row: 1 = in the certified independent set, 0 = left out
//   work                 A, b, M, f, multipliers, residuals, outputs and everything else; see `fields`
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/span.h"
#include "kernel/data_table.h"
#include "kernel/index_table.h"
#include "kernel/op.h"
#include "kernel/shared_indices.h"

namespace mbc::kernel {

enum class Space : std::uint8_t { time, state, params, inputs, mask, work, deriv };

// One instruction; its result is the value numbered by its own index in the block (SSA).
//   constant: value = constants[a]
//   load:     value = space[index];   store: space[index] = value a (defines no value)
//   index  =  b when !indexed, table(instance, b) when indexed (see Block). Space::time is only loaded, index 0.
//   table:    value = the derivative of order c of tables[b] at value a
//   others:   value = op(value a, value b, value c), meaning in kernel/op_semantics.h
// In a block of several lanes an indexed access of lane k is at index + k, or, `spread`, at table(instance, b + k).
struct Inst {
  enum class Kind : std::uint8_t { constant, load, store, op, table } kind{};
  Op op{};
  Space space{};
  bool indexed = false;
  std::uint32_t a = 0, b = 0, c = 0;
  bool spread = false;
};

// Straight-line code run once per instance, in `lanes` lanes at once: every value is as many doubles. A block with
// count == 1 and no indexed access is plain straight-line code. Instances run in order. Lanes are independent: no lane
// reads or writes what another lane of the same instance stores, and their stores are indexed.
struct Block {
  std::string name;
  std::uint32_t lanes = 1;
  std::uint32_t count = 1;
  std::uint32_t columns = 0;
  IndexTable table;  // count x columns
  std::vector<Inst> code;
  std::vector<double> constants;
  DataTables tables;
  std::vector<Span> origin;  // per instruction: the source expression it came from
  // If inputs[table(instance, gate)] is 0, an instance stores these numbers whatever else it reads, so that its code
  // does not have to run.
  struct Off {
    std::uint32_t store = 0;  // the instruction
    double value = 0;
  };
  std::optional<std::uint32_t> gate{};
  std::vector<Off> off{};  // of every store, in order

  // Appends the instruction and returns its number.
  std::uint32_t add(const Inst& inst, Span from = {}) {
    code.push_back(inst);
    origin.push_back(from);
    return static_cast<std::uint32_t>(code.size() - 1);
  }
  std::uint32_t add_constant(double value, Span from = {}) {
    constants.push_back(value);
    return add({Inst::Kind::constant, Op::constant, {}, false, static_cast<std::uint32_t>(constants.size() - 1)}, from);
  }
};

// A call of the support library between blocks: int32_t routine(const uint32_t* plan, const double* mask, double*
// work). If the status is not 0, the function returns it at once. The routines are listed in kernel/routines.cpp.
struct RoutineCall {
  std::string symbol;
  SharedIndices plan;
};

// Returns the number of values among a, b, c.
inline std::uint32_t operand_count(const Inst& inst) {
  switch (inst.kind) {
    case Inst::Kind::op:
      return arity(inst.op);
    case Inst::Kind::store:
    case Inst::Kind::table:
      return 1;
    case Inst::Kind::constant:
    case Inst::Kind::load:
      return 0;
  }
  return 0;
}

// Returns the index of an access; for any other instruction the result is meaningless. `row` is the instance's row of
// the block's table.
inline std::uint32_t place_of(const Inst& inst, const std::uint32_t* row, std::uint32_t lane) {
  if (!inst.indexed) return inst.b;
  return inst.spread ? row[inst.b + lane] : row[inst.b] + lane;
}
inline std::uint32_t place_of(const Block& block, const Inst& inst, std::uint32_t instance, std::uint32_t lane) {
  if (!inst.indexed) return inst.b;
  return inst.spread ? block.table(instance, inst.b + lane) : block.table(instance, inst.b) + lane;
}

struct Step {
  bool is_block = true;
  std::uint32_t index = 0;  // into Function::blocks or ::calls
  // The one instance that a step of a block runs, so that other blocks can run between two instances; nothing: all of
  // them.
  std::optional<std::uint32_t> instance{};

  [[nodiscard]] std::uint32_t begin() const { return instance.value_or(0); }
  [[nodiscard]] std::uint32_t end(const Block& block) const { return instance ? *instance + 1 : block.count; }
};

struct Function {
  std::string name;  // "rhs", "fast_rhs", "assemble", "residuals", "outputs"
  std::vector<Block> blocks;
  std::vector<RoutineCall> calls;
  std::vector<Step> steps;        // in order
  std::uint32_t check_begin = 0;  // deriv[check_begin .. check_end) must be finite at the end
  std::uint32_t check_end = 0;
  // A function with guards returns kGaveUp if one of work[guard_begin .. guard_end) is <= 0 at the end or a checked
  // entry is not finite; its stores are then meaningless.
  std::uint32_t guard_begin = 0;
  std::uint32_t guard_end = 0;
};

inline constexpr std::int32_t kGaveUp = -1;

struct Field {  // a named range of an array
  std::string name;
  Space space{};
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

struct Kernel {
  std::string name;
  std::uint32_t n_state = 0, n_params = 0, n_inputs = 0, n_mask = 0, n_work = 0;
  std::vector<Function> functions;
  std::vector<Field> fields;

  [[nodiscard]] const Function* function(std::string_view wanted) const {
    for (const Function& f : functions)
      if (f.name == wanted) return &f;
    return nullptr;
  }
  [[nodiscard]] const Field* field(std::string_view wanted) const {
    for (const Field& f : fields)
      if (f.name == wanted) return &f;
    return nullptr;
  }
};

using KernelFunction = std::int32_t (*)(double t, const double* state, const double* params, const double* inputs,
                                        const double* mask, double* work, double* deriv);

std::string print(const Kernel& kernel);

}  // namespace mbc::kernel
